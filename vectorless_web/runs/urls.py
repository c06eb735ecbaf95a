"""Addresses of the runs: pages, acts, fragments and the socket."""

from django.urls import path

from vectorless_web.runs.live.consumers import RunConsumer
from vectorless_web.runs.views import lists, pages, standing

app_name = "runs"

urlpatterns = [
    path("", pages.home, name="home"),
    path("w/<slug:slug>/", pages.workspace, name="workspace"),
    path("w/<slug:slug>/ask/", pages.ask, name="ask"),
    path("w/<slug:slug>/ask/documents/", pages.choices, name="choices"),
    path("w/<slug:slug>/documents/<int:pk>/used/", pages.used_pages, name="used_pages"),
    path("w/<slug:slug>/threads/<int:pk>/", pages.thread, name="thread"),
    path("w/<slug:slug>/threads/<int:pk>/rename/", pages.rename, name="rename_thread"),
    path("w/<slug:slug>/compare/", pages.compare_ticked, name="compare_ticked"),
    path("w/<slug:slug>/search/", lists.search, name="search"),
    path("w/<slug:slug>/runs/", lists.runs, name="list"),
    path("w/<slug:slug>/runs/<int:pk>/", pages.detail, name="detail"),
    path("w/<slug:slug>/runs/<int:pk>/news/", pages.news, name="news"),
    path("w/<slug:slug>/runs/<int:pk>/stop/", pages.stop, name="stop"),
    path("w/<slug:slug>/runs/<int:pk>/again/", pages.again, name="again"),
    path("w/<slug:slug>/runs/<int:pk>/edit/", pages.edit, name="edit"),
    path("w/<slug:slug>/runs/<int:pk>/compare/", pages.choose, name="compare_with"),
    path("w/<slug:slug>/runs/<int:pk>/compare/<int:other>/", pages.compare, name="compare"),
    path("w/<slug:slug>/runs/<int:pk>/feedback/", pages.feedback, name="feedback"),
    path("w/<slug:slug>/runs/<int:pk>/people/", standing.people, name="people"),
    path("w/<slug:slug>/runs/<int:pk>/people/share/", standing.share, name="share"),
    path("w/<slug:slug>/runs/<int:pk>/people/keep/", standing.keep, name="keep_private"),
    path("w/<slug:slug>/runs/<int:pk>/people/named/", standing.share_named, name="share_named"),
    path("w/<slug:slug>/runs/<int:pk>/favourite/", standing.favour, name="favour"),
    path("w/<slug:slug>/runs/<int:pk>/favourite/end/", standing.unfavour, name="unfavour"),
    path("w/<slug:slug>/runs/<int:pk>/verify/", standing.verify, name="verify"),
    path("w/<slug:slug>/runs/<int:pk>/verify/end/", standing.withdraw, name="withdraw"),
    path("w/<slug:slug>/runs/<int:pk>/comments/", standing.comment, name="comment"),
    path("w/<slug:slug>/runs/<int:pk>/comments/<int:comment>/remove/", standing.remove_comment, name="remove_comment"),
    path("w/<slug:slug>/runs/<int:pk>/replay/", pages.replay, name="replay"),
    path("w/<slug:slug>/runs/<int:pk>/replay/state/", pages.replay_state, name="replay_state"),
    path("w/<slug:slug>/runs/<int:pk>/delete/", pages.delete, name="delete"),
    path("w/<slug:slug>/runs/<int:pk>/restore/", pages.restore, name="restore"),
    path("w/<slug:slug>/runs/<int:pk>/sheet/<int:version>/<int:page>/", pages.sheet, name="sheet"),
    path("w/<slug:slug>/runs/<int:pk>/steps/<int:sequence>/", pages.raw_step, name="raw_step"),
    path("w/<slug:slug>/runs/<int:pk>/export/<slug:form>/", pages.export, name="export"),
]

websocket_urlpatterns = [path("ws/w/<slug:slug>/runs/<int:pk>/", RunConsumer.as_asgi())]
