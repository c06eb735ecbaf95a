"""Addresses of the grids: pages, acts, fragments and the socket."""

from django.urls import path

from vectorless_web.grids import views
from vectorless_web.grids.live import GridConsumer

app_name = "grids"
ALL, ONE = "w/<slug:slug>/grids/", "w/<slug:slug>/grids/<int:pk>/"

urlpatterns = [
    path(ALL, views.index, name="list"),
    path(f"{ALL}new/", views.new, name="new"),
    path(f"{ALL}make/", views.make, name="make"),
    path(ONE, views.show, name="show"),
    path(f"{ONE}fill/", views.fill, name="fill"),
    path(f"{ONE}stop/", views.stop, name="stop"),
    path(f"{ONE}retry/", views.retry, name="retry"),
    path(f"{ONE}delete/", views.delete, name="delete"),
    path(f"{ONE}export/<slug:form>/", views.export, name="export"),
    path(f"{ONE}columns/", views.column_form, name="column_form"),
    path(f"{ONE}columns/add/", views.add_column, name="add_column"),
    path(f"{ONE}columns/<int:column>/", views.column_form, name="column"),
    path(f"{ONE}columns/<int:column>/chart/", views.chart, name="chart"),
    path(f"{ONE}columns/<int:column>/change/", views.change_column, name="change_column"),
    path(f"{ONE}columns/<int:column>/remove/", views.remove_column, name="remove_column"),
    path(f"{ONE}rows/<int:row>/remove/", views.remove_row, name="remove_row"),
    path(f"{ONE}cells/<int:cell>/", views.cell, name="cell"),
    path(f"{ONE}cells/<int:cell>/accept/", views.accept, name="accept"),
    path(f"{ONE}cells/<int:cell>/correct/", views.correct, name="correct"),
    path(f"{ONE}cells/<int:cell>/again/", views.again, name="again"),
]

websocket_urlpatterns = [path("ws/w/<slug:slug>/grids/<int:pk>/", GridConsumer.as_asgi())]
