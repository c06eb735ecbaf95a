"""Addresses of the runs: pages, acts, fragments and the socket."""

from django.urls import path

from vectorless_web.runs import views, views_compare, views_list, views_live, views_parts, views_replay, views_threads
from vectorless_web.runs.consumers import RunConsumer

app_name = "runs"

urlpatterns = [
    path("", views.home, name="home"),
    path("w/<slug:slug>/", views.workspace, name="workspace"),
    path("w/<slug:slug>/ask/", views.ask, name="ask"),
    path("w/<slug:slug>/ask/documents/", views_parts.choices, name="choices"),
    path("w/<slug:slug>/documents/<int:pk>/used/", views_parts.used_pages, name="used_pages"),
    path("w/<slug:slug>/threads/<int:pk>/", views_threads.thread, name="thread"),
    path("w/<slug:slug>/threads/<int:pk>/rename/", views_threads.rename, name="rename_thread"),
    path("w/<slug:slug>/compare/", views_compare.compare_ticked, name="compare_ticked"),
    path("w/<slug:slug>/runs/", views_list.runs, name="list"),
    path("w/<slug:slug>/runs/<int:pk>/", views.detail, name="detail"),
    path("w/<slug:slug>/runs/<int:pk>/news/", views_live.news, name="news"),
    path("w/<slug:slug>/runs/<int:pk>/stop/", views.stop, name="stop"),
    path("w/<slug:slug>/runs/<int:pk>/again/", views.again, name="again"),
    path("w/<slug:slug>/runs/<int:pk>/edit/", views_threads.edit, name="edit"),
    path("w/<slug:slug>/runs/<int:pk>/compare/", views_compare.choose, name="compare_with"),
    path("w/<slug:slug>/runs/<int:pk>/compare/<int:other>/", views_compare.compare, name="compare"),
    path("w/<slug:slug>/runs/<int:pk>/feedback/", views.feedback, name="feedback"),
    path("w/<slug:slug>/runs/<int:pk>/replay/", views_replay.replay, name="replay"),
    path("w/<slug:slug>/runs/<int:pk>/replay/state/", views_replay.replay_state, name="replay_state"),
    path("w/<slug:slug>/runs/<int:pk>/delete/", views.delete, name="delete"),
    path("w/<slug:slug>/runs/<int:pk>/sheet/<int:version>/<int:page>/", views.sheet, name="sheet"),
    path("w/<slug:slug>/runs/<int:pk>/steps/<int:sequence>/", views.raw_step, name="raw_step"),
    path("w/<slug:slug>/runs/<int:pk>/export/<slug:form>/", views.export, name="export"),
]

websocket_urlpatterns = [path("ws/w/<slug:slug>/runs/<int:pk>/", RunConsumer.as_asgi())]
