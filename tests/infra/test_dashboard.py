"""The queues' dashboard is for superusers alone."""

import pytest
from django.urls import reverse

from vectorless_web.infra.queues import jobs
from vectorless_web.runs.line import enqueue

pytestmark = [pytest.mark.one_database, pytest.mark.django_db]
DASHBOARD = "/admin/django_rq/dashboard/"


def test_staff_with_every_permission_but_no_superuser_is_refused_everywhere(client, django_user_model):
    from django.contrib.auth.models import Permission

    staff = django_user_model.objects.create_user("staff", password="correct horse battery", is_staff=True)
    staff.user_permissions.set(Permission.objects.all())
    client.force_login(staff)
    addresses = [
        DASHBOARD,
        reverse("admin:django_rq_home"),
        reverse("admin:django_rq_jobs", args=[0]),
        f"{DASHBOARD}stats.json",
    ]
    assert {address: client.get(address).status_code for address in addresses} == dict.fromkeys(addresses, 403)


@pytest.fixture
def waiting_run(workspace, bob):
    """A question of Bob's whose job is in the queue."""
    from tests.runs.conftest import make_ready
    from vectorless_web.runs.models import Run, Thread

    make_ready(workspace, bob)
    thread = Thread.objects.create(workspace=workspace, title="Turns", created_by=bob)
    run = Run.objects.create(thread=thread, workspace=workspace, question="What was revenue?", asked_by=bob)
    enqueue(run)
    return run


def said(response) -> str:
    """The messages of the page that an act leads to."""
    return " ".join(str(message) for message in response.context["messages"])


@pytest.mark.django_db(transaction=True)
def test_an_upload_is_stopped_through_its_version(admin_client, workspace, bob):
    from vectorless_web.documents.line import UPLOADS
    from vectorless_web.documents.models import Document, DocumentVersion

    document = Document.objects.create(workspace=workspace, title="Filing", name="f.txt", added_by=bob)
    version = DocumentVersion.objects.create(
        document=document, file="uploads/f.txt", sha256="0" * 64, bytes=1, added_by=bob
    )
    UPLOADS.admit(bob.pk)

    admin_client.post(reverse("admin:django_rq_stop_job", args=[1, version.job_id]))

    version.refresh_from_db()
    assert (version.status, version.error_code) == ("failed", "cancelled")


@pytest.mark.django_db(transaction=True)
def test_a_question_is_stopped_with_its_job_and_what_the_database_would_undo_is_refused(
    admin_client, admin_user, waiting_run
):
    job = f"run-{waiting_run.pk}-1"
    many = reverse("admin:django_rq_actions", args=[0])
    for name in ("clear", "requeue_all", "requeue_job", "enqueue_job", "delete_job"):
        place = reverse(f"admin:django_rq_{name}", args=[0] if name in ("clear", "requeue_all") else [0, job])
        for send in (admin_client.get, admin_client.post):
            page = send(place, follow=True)
            assert page.status_code == 200, name
            assert "in the console" in said(page), name
    for action in ("delete", "requeue"):
        page = admin_client.post(many, {"action": action, "job_ids": [job]}, follow=True)
        assert "only be stopped" in said(page), action
    assert jobs.exists(job, queue="runs")

    admin_client.post(many, {"action": "stop", "job_ids": [job]})

    waiting_run.refresh_from_db()
    assert (waiting_run.status, waiting_run.stopped_by) == ("cancelled", admin_user)
    one = reverse("admin:django_rq_stop_job", args=[0, job])
    assert "Not stopped" in said(admin_client.post(one, follow=True)), "it has ended"


@pytest.mark.parametrize("name", ["job_detail", "stop_job", "delete_job"])
def test_a_job_that_is_gone_is_not_found(admin_client, name):
    address = reverse(f"admin:django_rq_{name}", args=[0, "run-999-1"])
    assert admin_client.post(address).status_code == 404
    assert admin_client.get(reverse("admin:django_rq_jobs", args=[9])).status_code == 404
