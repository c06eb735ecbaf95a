"""Addresses of a workspace's sources."""

from django.urls import path

from vectorless_web.sources import views

app_name = "sources"

HOME = "w/<slug:slug>/settings/sources/"

urlpatterns = [
    path(HOME, views.sources, name="sources"),
    path(f"{HOME}add/", views.add, name="add"),
    path(f"{HOME}<int:pk>/", views.source, name="source"),
    path(f"{HOME}<int:pk>/state/", views.state, name="state"),
    path(f"{HOME}<int:pk>/look/", views.look, name="look"),
    path(f"{HOME}<int:pk>/switch/", views.switch, name="switch"),
    path(f"{HOME}<int:pk>/secret/", views.secret, name="secret"),
    path(f"{HOME}<int:pk>/remove/", views.remove, name="remove"),
]
