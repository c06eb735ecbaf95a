"""Every address of the site."""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import RedirectView

from vectorless_web.api.urls import operations
from vectorless_web.evaluations.views import show_help
from vectorless_web.infra.web import health, pages
from vectorless_web.profiles.views import SignUpView

# The admin site is entered by the same door as the pages, with its limits and its second factor.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]

handler400 = "vectorless_web.infra.web.problems.bad_request"


@login_not_required
def view_on_site(_request: HttpRequest, row: str) -> HttpResponse:
    """There is no such page for anybody."""
    raise Http404(f"{row} has no page on the site.")


handler500 = "vectorless_web.infra.web.problems.tell_of_outage"

urlpatterns: list[URLPattern | URLResolver] = [
    path("health/live", health.live, name="health-live"),
    path("health/ready", health.ready, name="health-ready"),
    # The library's own list of sessions; ours tells devices apart and ends one of them.
    path("accounts/sessions/", RedirectView.as_view(pattern_name="profiles:sessions"), name="sessions"),
    path("accounts/signup/", SignUpView.as_view(), name="account_signup"),
    path("accounts/", include("allauth.urls")),
    # "View on site": no page of ours belongs to one row, and Django's own view breaks on models without a table.
    path("admin/r/<path:row>", view_on_site, name="view-on-site"),
    path("admin/", admin.site.urls),
    path("favicon.ico", pages.favicon, name="favicon"),
    path("help/", show_help, name="help"),
    path("api/v1/", operations),
    path("", include("vectorless_web.api.urls")),
    path("", include("vectorless_web.notices.urls")),
    path("", include("vectorless_web.workspaces.urls")),
    path("", include("vectorless_web.documents.urls")),
    path("", include("vectorless_web.sources.urls")),
    path("", include("vectorless_web.runs.urls")),
    path("", include("vectorless_web.sharing.urls")),
    path("", include("vectorless_web.grids.urls")),
    path("", include("vectorless_web.evaluations.urls")),
    path("", include("vectorless_web.backups.urls")),
    path("", include("vectorless_web.profiles.urls")),
    path("", include("vectorless_web.console.urls")),
]
