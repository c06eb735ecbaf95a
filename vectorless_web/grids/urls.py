"""Addresses of the grids: pages, acts, fragments and the socket."""

from django.urls import path

from vectorless_web.grids.live import GridConsumer
from vectorless_web.grids.views import links, pages

app_name = "grids"
ALL, ONE = "w/<slug:slug>/grids/", "w/<slug:slug>/grids/<int:pk>/"

urlpatterns = [
    path(ALL, pages.index, name="list"),
    path(f"{ALL}new/", pages.new, name="new"),
    path(f"{ALL}make/", pages.make, name="make"),
    path(ONE, pages.show, name="show"),
    path(f"{ONE}fill/", pages.fill, name="fill"),
    path(f"{ONE}stop/", pages.stop, name="stop"),
    path(f"{ONE}retry/", pages.retry, name="retry"),
    path(f"{ONE}delete/", pages.delete, name="delete"),
    path(f"{ONE}export/<slug:form>/", pages.export, name="export"),
    path(f"{ONE}share/", links.share, name="share"),
    path(f"{ONE}share/make/", links.make, name="make_link"),
    path(f"{ONE}share/<int:link>/revoke/", links.revoke, name="revoke_link"),
    path("s/grids/<str:token>/", links.shared, name="shared"),
    path(f"{ONE}columns/", pages.column_form, name="column_form"),
    path(f"{ONE}columns/add/", pages.add_column, name="add_column"),
    path(f"{ONE}columns/<int:column>/", pages.column_form, name="column"),
    path(f"{ONE}columns/<int:column>/chart/", pages.chart, name="chart"),
    path(f"{ONE}columns/<int:column>/change/", pages.change_column, name="change_column"),
    path(f"{ONE}columns/<int:column>/remove/", pages.remove_column, name="remove_column"),
    path(f"{ONE}rows/", pages.rows, name="rows"),
    path(f"{ONE}rows/add/", pages.add_rows, name="add_rows"),
    path(f"{ONE}rows/<int:row>/remove/", pages.remove_row, name="remove_row"),
    path(f"{ONE}cells/<int:cell>/", pages.cell, name="cell"),
    path(f"{ONE}cells/<int:cell>/accept/", pages.accept, name="accept"),
    path(f"{ONE}cells/<int:cell>/correct/", pages.correct, name="correct"),
    path(f"{ONE}cells/<int:cell>/again/", pages.again, name="again"),
]

websocket_urlpatterns = [path("ws/w/<slug:slug>/grids/<int:pk>/", GridConsumer.as_asgi())]
