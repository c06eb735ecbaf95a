"""Addresses of the console."""

from django.urls import path, re_path

from vectorless_web.console.views import people, queues, usage, watch

app_name = "console"

urlpatterns = [
    path("console/", watch.overview, name="overview"),
    path("console/audit/", watch.record, name="audit"),
    re_path(r"^console/audit/export\.(?P<form>csv|jsonl)$", watch.export, name="export_audit"),
    path("console/queues/", queues.show, name="queues"),
    path("console/queues/<str:queue>/pause/", queues.pause, name="pause_queue"),
    path("console/queues/<str:queue>/resume/", queues.resume, name="resume_queue"),
    path("console/queues/<str:queue>/drain/", queues.drain, name="drain_worker"),
    path("console/jobs/stop/", queues.stop, name="stop_job"),
    path("console/jobs/retry/", queues.retry, name="retry_job"),
    path("console/jobs/forget/", queues.forget, name="forget_job"),
    path("console/usage/", usage.show, name="usage"),
    path("console/usage/export.csv", usage.export, name="export_usage"),
    path("console/usage/count/", usage.recount, name="recount"),
    path("console/people/", people.show_all, name="people"),
    path("console/people/invite/", people.invite, name="invite"),
    path("console/people/<int:pk>/", people.show, name="person"),
    path("console/people/<int:pk>/switch-off/", people.switch_off, name="switch_off"),
    path("console/people/<int:pk>/switch-on/", people.switch_on, name="switch_on"),
    path("console/people/<int:pk>/reset-link/", people.make_reset_link, name="reset_link"),
    path("console/people/<int:pk>/end-sessions/", people.end_sessions, name="end_sessions"),
    path("console/people/<int:pk>/two-step-off/", people.remove_two_step, name="remove_two_step"),
    path("console/people/<int:pk>/hand-over/", people.hand_over, name="hand_over"),
]
