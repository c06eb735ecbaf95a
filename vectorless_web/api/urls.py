"""Addresses of the API, and of the page where one's own tokens are made."""

from django.urls import path

from vectorless_web.api import views
from vectorless_web.api.application import api, make_public

app_name = "api"

patterns, _app, namespace = api.urls
urlpatterns = [
    path("account/tokens/", views.tokens, name="tokens"),
    path("account/tokens/make/", views.make, name="make"),
    path("account/tokens/<int:pk>/revoke/", views.revoke, name="revoke"),
]
operations = (make_public(patterns), "api-1", namespace)
