"""What owners are shown of their exports."""

from collections.abc import Sequence

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from vectorless_web.backups.models import WorkspaceExport
from vectorless_web.notices.models import Notice
from vectorless_web.notices.selectors import Told
from vectorless_web.workspaces.models import Role, Workspace
from vectorless_web.workspaces.selectors import User, workspaces_of


def exports_of(user: User) -> QuerySet[WorkspaceExport]:
    """The person's own exports of workspaces that they own still."""
    owned = [workspace.pk for workspace in workspaces_of(user) if workspace.allows(Role.OWNER)]
    return WorkspaceExport.objects.filter(user_id=user.pk or 0, workspace__in=owned).select_related("workspace")


def export_of(user: User, workspace: Workspace) -> WorkspaceExport | None:
    """The person's own export of a workspace that they own."""
    return exports_of(user).filter(workspace=workspace).first()


def read_notices(user: User, notices: Sequence[Notice]) -> dict[int, Told]:
    """What notices of exports tell, as long as the export is there."""
    found = {row.pk: row for row in exports_of(user).filter(pk__in=[notice.about for notice in notices])}
    told = {}
    for notice in notices:
        if row := found.get(notice.about):
            is_ready = row.status == WorkspaceExport.Status.DONE
            sentence = _("Your export of a workspace is ready") if is_ready else _("Your export of a workspace failed")
            told[notice.pk] = Told(sentence, row.workspace.name, reverse("backups:export", args=[row.workspace.slug]))
    return told
