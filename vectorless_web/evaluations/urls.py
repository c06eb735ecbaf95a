"""Addresses of golden sets, their questions and their evaluations."""

from django.urls import path

from vectorless_web.evaluations import views

app_name = "evaluations"

HOME = "w/<slug:slug>/evaluations/"
SET = f"{HOME}sets/<int:pk>/"
ONE = f"{HOME}<int:pk>/"

urlpatterns = [
    path(HOME, views.sets, name="sets"),
    path(f"{HOME}sets/make/", views.make, name="make"),
    path(f"{HOME}from-run/<int:asked>/", views.from_run, name="from_run"),
    path(SET, views.detail, name="set"),
    path(f"{SET}add/", views.add, name="add"),
    path(f"{SET}keep-run/<int:asked>/", views.keep_run, name="keep_run"),
    path(f"{SET}import/", views.take_import, name="import"),
    path(f"{SET}export/", views.export_set, name="export_set"),
    path(f"{SET}schedule/", views.schedule, name="schedule"),
    path(f"{SET}delete/", views.delete, name="delete"),
    path(f"{SET}start/", views.start, name="start"),
    path(f"{HOME}questions/<int:pk>/", views.question, name="question"),
    path(f"{HOME}questions/<int:pk>/change/", views.change, name="change"),
    path(f"{HOME}questions/<int:pk>/delete/", views.delete_question, name="delete_question"),
    path(ONE, views.evaluation, name="evaluation"),
    path(f"{ONE}progress/", views.progress, name="progress"),
    path(f"{ONE}stop/", views.stop, name="stop"),
    path(f"{ONE}resume/", views.resume, name="resume"),
    path(f"{ONE}compare/", views.compare, name="compare"),
    path(f"{ONE}export/<slug:form>/", views.export, name="export"),
]
