"""Addresses of the console."""

from django.urls import path, re_path

from vectorless_web.console.views import people, queues, upkeep, usage, watch, work

app_name = "console"

urlpatterns = [
    path("console/", watch.overview, name="overview"),
    path("console/audit/", watch.record, name="audit"),
    re_path(r"^console/audit/export\.(?P<form>csv|jsonl)$", watch.export, name="export_audit"),
    path("console/retention/", upkeep.show_periods, name="retention"),
    path("console/retention/<str:kind>/", upkeep.set_period, name="set_period"),
    path("console/retention/<str:kind>/clear/", upkeep.clear_period, name="clear_period"),
    path("console/maintenance/", upkeep.show_maintenance, name="maintenance"),
    path("console/maintenance/read-only/", upkeep.plan_read_only, name="plan_read_only"),
    path("console/maintenance/read-only/end/", upkeep.end_read_only, name="end_read_only"),
    path("console/maintenance/announce/", upkeep.announce, name="announce"),
    path("console/maintenance/back-up/", upkeep.back_up, name="back_up"),
    path("console/maintenance/verify/", upkeep.verify_backup, name="verify_backup"),
    path("console/queues/", queues.show, name="queues"),
    path("console/queues/<str:queue>/pause/", queues.pause, name="pause_queue"),
    path("console/queues/<str:queue>/resume/", queues.resume, name="resume_queue"),
    path("console/queues/<str:queue>/drain/", queues.drain, name="drain_worker"),
    path("console/jobs/stop/", queues.stop, name="stop_job"),
    path("console/jobs/retry/", queues.retry, name="retry_job"),
    path("console/jobs/forget/", queues.forget, name="forget_job"),
    path("console/work/", work.show, name="work"),
    path("console/work/recompile/", work.recompile, name="recompile"),
    path("console/work/runs/<int:pk>/stop/", work.stop_run, name="stop_run"),
    path("console/work/versions/<int:pk>/read-again/", work.read_again, name="read_again"),
    path("console/links/", work.links, name="links"),
    path("console/links/<int:pk>/revoke/", work.revoke_link, name="revoke_link"),
    path("console/workspaces/", work.workspaces, name="workspaces"),
    path("console/models/", work.models, name="models"),
    path("console/settings/", work.setup, name="site"),
    path("console/settings/test-mail/", work.test_mail, name="test_mail"),
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
