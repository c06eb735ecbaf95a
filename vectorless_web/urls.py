"""Every address of the site."""

from django.conf import settings
from django.contrib import admin
from django.contrib.auth.decorators import user_passes_test
from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import RedirectView

from vectorless_web.lib import health

superusers_only = user_passes_test(lambda user: user.is_active and user.is_superuser)

urlpatterns: list[URLPattern | URLResolver] = [
    path("health/live", health.live, name="health-live"),
    path("health/ready", health.ready, name="health-ready"),
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
    path("favicon.ico", RedirectView.as_view(url=f"{settings.STATIC_URL}logo.svg"), name="favicon"),
    path("", include("vectorless_web.workspaces.urls")),
    path("", include("vectorless_web.documents.urls")),
    path("", include("vectorless_web.runs.urls")),
]
