"""The address under which an owner takes a workspace along."""

from django.urls import path

from vectorless_web.backups import views

app_name = "backups"
urlpatterns = [path("w/<slug:slug>/settings/export/", views.export, name="export")]
