"""Addresses of share links: for members, and for anybody who holds one."""

from django.urls import path

from vectorless_web.sharing import views

app_name = "sharing"

RUN = "w/<slug:slug>/runs/<int:pk>/share/"
LINK = "s/<str:token>/"

urlpatterns = [
    path(RUN, views.menu, name="menu"),
    path(f"{RUN}make/", views.make, name="make"),
    path(f"{RUN}<int:link>/revoke/", views.revoke, name="revoke"),
    path("w/<slug:slug>/settings/links/", views.links, name="links"),
    path("w/<slug:slug>/settings/links/<int:link>/", views.link_views, name="link_views"),
    path(LINK, views.view, name="view"),
    path(f"{LINK}unlock/", views.unlock, name="unlock"),
    path(f"{LINK}pages/<int:version>/<int:page>.jpg", views.image, name="page_image"),
    path(f"{LINK}pages/<int:version>/<int:page>/words/", views.words, name="page_words"),
    path(f"{LINK}figures/<int:version>/<int:key>.jpg", views.figure, name="figure"),
]
