"""Addresses of the API, of the page where one's own tokens are made, and of webhooks."""

from django.urls import path

from vectorless_web.api import views
from vectorless_web.api.application import api, make_public
from vectorless_web.api.problems import refuse_address
from vectorless_web.api.programs import views as programs
from vectorless_web.api.webhooks import views as webhook_views

app_name = "api"
PROGRAMS = "w/<slug:slug>/settings/programs/"
WEBHOOKS = "w/<slug:slug>/settings/webhooks/"

patterns, _app, namespace = api.urls
urlpatterns = [
    path("account/tokens/", views.tokens, name="tokens"),
    path("account/tokens/make/", views.make, name="make"),
    path("account/tokens/<int:pk>/revoke/", views.revoke, name="revoke"),
    path(PROGRAMS, programs.accounts, name="service_accounts"),
    path(f"{PROGRAMS}add/", programs.add, name="add_service_account"),
    path(f"{PROGRAMS}<int:pk>/", programs.account, name="service_account"),
    path(f"{PROGRAMS}<int:pk>/remove/", programs.remove, name="remove_service_account"),
    path(f"{PROGRAMS}<int:pk>/tokens/make/", programs.make, name="make_service_token"),
    path(f"{PROGRAMS}<int:pk>/tokens/<int:token>/revoke/", programs.revoke, name="revoke_service_token"),
    path(WEBHOOKS, webhook_views.webhooks, name="webhooks"),
    path(f"{WEBHOOKS}add/", webhook_views.add, name="add_webhook"),
    path(f"{WEBHOOKS}<int:pk>/", webhook_views.webhook, name="webhook"),
    path(f"{WEBHOOKS}<int:pk>/secret/", webhook_views.rotate, name="rotate_webhook"),
    path(f"{WEBHOOKS}<int:pk>/switch/", webhook_views.switch, name="switch_webhook"),
    path(f"{WEBHOOKS}<int:pk>/remove/", webhook_views.remove, name="remove_webhook"),
    path(f"{WEBHOOKS}<int:pk>/deliveries/<int:delivery>/again/", webhook_views.redeliver, name="redeliver"),
]
operations = (make_public([*patterns, path("<path:rest>", refuse_address, name="nothing")]), "api-1", namespace)
