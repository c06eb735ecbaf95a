"""The addresses under which an owner takes a workspace along."""

from django.urls import path

from vectorless_web.backups import views

app_name = "backups"

HOME = "w/<slug:slug>/settings/export/"

urlpatterns = [
    path(HOME, views.export, name="export"),
    path(f"{HOME}begin/", views.begin, name="begin"),
    path(f"{HOME}file/", views.download, name="download"),
]
