"""Who may open a view of one document, said above it as for workspaces. The view gets the document."""

from django.views.decorators.http import require_GET, require_POST

from vectorless_web.documents.selectors import document_for
from vectorless_web.workspaces.views.rights import opens_with

document_shown_to = opens_with(require_GET, document_for, "slug", "pk")
document_done_by = opens_with(require_POST, document_for, "slug", "pk")
