"""Addresses of notices: the page, the panel of the bell, their acts and the socket."""

from django.urls import path

from vectorless_web.notices import views
from vectorless_web.notices.live import BellConsumer

app_name = "notices"

urlpatterns = [
    path("notices/", views.notices, name="list"),
    path("notices/panel/", views.panel, name="panel"),
    path("notices/read/", views.read_all, name="read_all"),
    path("notices/<int:pk>/", views.follow, name="follow"),
    path("notices/<int:pk>/read/", views.read, name="read"),
    path("account/notices/", views.choices, name="choices"),
    path("account/notices/save/", views.save_choices, name="save_choices"),
]

websocket_urlpatterns = [path("ws/notices/", BellConsumer.as_asgi())]
