"""The address that browsers ask for an icon on their own."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponseRedirect
from django.templatetags.static import static
from django.views.decorators.http import require_safe


@login_not_required
@require_safe
def favicon(_request: HttpRequest) -> HttpResponseRedirect:
    """Point to the logo."""
    return HttpResponseRedirect(static("logo.svg"))
