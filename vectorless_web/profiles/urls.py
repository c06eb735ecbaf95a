"""Addresses of one's own account."""

from django.urls import path

from vectorless_web.profiles import views

app_name = "profiles"

urlpatterns = [
    path("account/", views.profile, name="profile"),
    path("account/save/", views.save, name="save"),
    path("account/picture/", views.save_picture, name="save_picture"),
    path("account/picture/remove/", views.remove_picture, name="remove_picture"),
    path("people/<int:pk>/<slug:digest>.jpg", views.picture, name="picture"),
    path("account/sessions/", views.sessions, name="sessions"),
    path("account/sessions/end/", views.end_session, name="end_session"),
    path("account/sessions/end-others/", views.end_other_sessions, name="end_other_sessions"),
    path("account/data/", views.data, name="data"),
    path("account/data/export/", views.export, name="export"),
    path("account/delete/", views.delete, name="delete"),
]
