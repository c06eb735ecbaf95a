"""Addresses of the API, of the pages of tokens, and of webhooks."""

from django.urls import path

from vectorless_web.api.application import api, make_public
from vectorless_web.api.pages import views
from vectorless_web.api.problems import NOTHING, refuse_address

app_name = "api"
PROGRAMS = "w/<slug:slug>/settings/programs/"
WEBHOOKS = "w/<slug:slug>/settings/webhooks/"

patterns, _app, namespace = api.urls
urlpatterns = [
    path("account/tokens/", views.tokens, name="tokens"),
    path("account/tokens/make/", views.make, name="make"),
    path("account/tokens/<int:pk>/revoke/", views.revoke, name="revoke"),
    path("console/tokens/", views.live_tokens, name="live_tokens"),
    path("console/tokens/<int:pk>/revoke/", views.close_token, name="close_token"),
    path(PROGRAMS, views.accounts, name="service_accounts"),
    path(f"{PROGRAMS}add/", views.add_account, name="add_service_account"),
    path(f"{PROGRAMS}<int:pk>/", views.account, name="service_account"),
    path(f"{PROGRAMS}<int:pk>/remove/", views.remove_account, name="remove_service_account"),
    path(f"{PROGRAMS}<int:pk>/tokens/make/", views.make_account_token, name="make_service_token"),
    path(f"{PROGRAMS}<int:pk>/tokens/<int:token>/revoke/", views.revoke_account_token, name="revoke_service_token"),
    path(WEBHOOKS, views.webhooks, name="webhooks"),
    path(f"{WEBHOOKS}add/", views.add_webhook, name="add_webhook"),
    path(f"{WEBHOOKS}<int:pk>/", views.webhook, name="webhook"),
    path(f"{WEBHOOKS}<int:pk>/secret/", views.rotate_webhook, name="rotate_webhook"),
    path(f"{WEBHOOKS}<int:pk>/switch/", views.switch_webhook, name="switch_webhook"),
    path(f"{WEBHOOKS}<int:pk>/remove/", views.remove_webhook, name="remove_webhook"),
    path(f"{WEBHOOKS}<int:pk>/deliveries/<int:delivery>/again/", views.redeliver, name="redeliver"),
]
operations = (make_public([*patterns, path("<path:rest>", refuse_address, name=NOTHING)]), "api-1", namespace)
