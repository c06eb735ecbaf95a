"""Read-only mode, announcements, and backups that staff ask for."""

import time
from datetime import timedelta
from pathlib import Path

import django_rq
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.conftest import PASSWORD
from tests.console.conftest import text
from tests.support.files import HANDBOOK, upload
from tests.test_permissions import MATRIX, STAFF, world  # noqa: F401 - a fixture
from vectorless_web.console.models import BackupTask
from vectorless_web.console.subjects import maintenance
from vectorless_web.documents import services as documents
from vectorless_web.documents.models import Document
from vectorless_web.infra.queues import jobs
from vectorless_web.infra.queues.jobs import StoppableWorker
from vectorless_web.infra.web.problems import Problem
from vectorless_web.notices.models import Notice
from vectorless_web.runs.management.commands.sweep import sweep
from vectorless_web.runs.models import Run
from vectorless_web.workspaces import site
from vectorless_web.workspaces.models import AuditEvent, SiteSetting
from vectorless_web.workspaces.services import create_workspace

pytestmark = [pytest.mark.one_database, pytest.mark.django_db(transaction=True)]
ASK = "/w/acme-diligence/ask/"
WRITES = ("INSERT", "UPDATE", "DELETE")


def test_a_request_reads_the_sites_settings_once_and_again_after_changing_them(client, alice, workspace, settings):
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}}
    client.force_login(alice)
    for send in (lambda: client.get("/"), lambda: client.post(ASK, {"question": "How long?"})):
        with CaptureQueriesContext(connection) as asked:
            send()
        assert sum(SiteSetting._meta.db_table in row["sql"] for row in asked) == 1
    with site.hold_values(), CaptureQueriesContext(connection) as asked:
        site.is_read_only()
        site.forget_values()
        site.is_read_only()
    assert len(asked) == 2


@pytest.fixture
def read_only(grace):
    """The site is read-only."""
    until = timezone.now() + timedelta(minutes=30)
    maintenance.plan_read_only(actor=grace, begins=None, until=until, reason="A new disk.")


@pytest.fixture
def queue():
    return django_rq.get_queue("documents")


class TestReadOnly:
    def test_a_question_is_refused_and_given_back_and_uploads_and_passwords_are_not(
        self, client, alice, workspace, read_only
    ):
        client.force_login(alice)
        answer = client.post(ASK, {"question": "How long is the lease?"})
        assert answer.status_code == 503
        assert "read_only_mode" in text(answer)
        assert "How long is the lease?" in text(answer)
        assert int(answer["Retry-After"]) > 1000
        assert not Run.objects.exists()

        answer = client.post(ASK, {"question": "How long?"}, headers={"HX-Request": "true"})
        assert answer.status_code == 503
        assert 'id="problem"' in text(answer)
        assert "How long?" not in text(answer)

        answer = client.post("/w/acme-diligence/documents/upload/", {"files": upload(HANDBOOK, "handbook.md")})
        assert answer.status_code == 503
        assert not Document.objects.exists()

        answer = client.post("/profile/delete/", {"user_name": "alice", "old_password": "s3cret-words"})
        assert "s3cret-words" not in text(answer)

        assert client.post("/accounts/login/", {"login": "alice", "password": PASSWORD}).status_code == 302
        assert client.post("/accounts/logout/").status_code == 302

        client.force_login(alice)
        page = client.get("/w/acme-diligence/")
        assert page.status_code == 200
        assert "Read-only." in text(page)
        assert "A new disk." in text(page)

    def test_reading_writes_nothing(self, client, world, read_only):  # noqa: F811
        owner = world.people["owner"]
        client.force_login(owner)
        session = client.session
        session["seen"] = 0
        session.save()
        for kind, about in (("run_ended", "run"), ("document_failed", "document"), ("commented", "run")):
            Notice.objects.create(user=owner, kind=kind, about=world.keys[about], workspace_id=world.keys["workspace"])
        wrote = {}
        for row in MATRIX:
            # An invitation is remembered by the session of whoever follows it, as a sign-in is.
            if row.method == "get" and row.needs != STAFF and row.name != "workspaces:invitation":
                with CaptureQueriesContext(connection) as queries:
                    client.get(world.address(row))
                written = [each["sql"][:90] for each in queries if each["sql"].startswith(WRITES)]
                wrote |= {row.name: written} if written else {}
        assert wrote == {}

    def test_staff_switch_it_off_and_all_goes_on(self, staff, client, alice, workspace, read_only):
        assert staff.post("/console/maintenance/read-only/end/").status_code == 302
        client.force_login(alice)
        assert client.post(ASK, {"question": "How long?"}).status_code == 422, "there is no document yet"
        verbs = list(AuditEvent.objects.values_list("verb", flat=True))
        assert "maintenance.planned" in verbs
        assert "maintenance.ended" in verbs

    def test_a_planned_time_is_told_and_begins_by_itself(self, staff, client, alice, workspace):
        soon = timezone.localtime() + timedelta(hours=2)
        form = {"begins": f"{soon:%Y-%m-%dT%H:%M}", "until": f"{soon + timedelta(hours=1):%Y-%m-%dT%H:%M}"}
        assert "Read-only mode is planned." in text(staff.post("/console/maintenance/read-only/", form, follow=True))
        client.force_login(alice)
        assert "can be read and not changed" in text(client.get("/"))
        assert client.post(ASK, {"question": "How long?"}).status_code == 422, "there is no document yet"
        value = SiteSetting.objects.get(name="read_only").value
        past = (timezone.now() - timedelta(minutes=1)).isoformat()
        SiteSetting.objects.filter(name="read_only").update(value={**value, "begins": past})
        site.forget_values()
        assert client.post(ASK, {"question": "How long?"}).status_code == 503

    def test_an_end_before_the_beginning_is_refused_with_what_was_typed(self, staff):
        answer = staff.post("/console/maintenance/read-only/", {"until": "2001-01-01T10:00", "reason": "Disks"})
        assert answer.status_code == 422
        assert "Disks" in text(answer)
        assert not SiteSetting.objects.exists()

    def test_services_refuse_too(self, alice, workspace, read_only):
        with pytest.raises(Problem) as caught:
            create_workspace(user=alice, name="Another")
        assert (caught.value.code, caught.value.status) == ("read_only_mode", 503)
        assert workspace.__class__.objects.count() == 1


class TestWorkers:
    def test_they_begin_nothing_but_backups_and_go_on_afterwards(self, queue, read_only, staff, grace):
        backups = django_rq.get_queue("backups")
        other = queue.enqueue_call("builtins.len", args=("abc",))
        wanted = backups.enqueue_call(maintenance.JOB, args=(1,))
        worker, keeper = (StoppableWorker([each], connection=queue.connection) for each in (queue, backups))

        assert worker.dequeue_job_and_maintain_ttl(None) is None
        assert keeper.dequeue_job_and_maintain_ttl(None)[0].id == wanted.id

        staff.post("/console/queues/backups/pause/")
        backups.enqueue_call(maintenance.JOB, args=(1,))
        assert keeper.dequeue_job_and_maintain_ttl(None) is None

        maintenance.end_read_only(actor=grace)
        assert worker.dequeue_job_and_maintain_ttl(None)[0].id == other.id

    def test_the_sweep_holds_them_again_after_redis_lost_its_keys_and_changes_nothing(self, queue, read_only):
        queue.connection.flushdb()
        acts = []
        sweep([lambda: acts.append(1) or 0])
        assert acts == []
        assert jobs.is_held(queue.connection, "documents")

    def test_the_sweep_begins_what_was_planned(self, queue, grace):
        begins = timezone.now() + timedelta(hours=1)
        maintenance.plan_read_only(actor=grace, begins=begins, until=None, reason="")
        assert not jobs.is_held(queue.connection, "documents")
        row = SiteSetting.objects.get()
        SiteSetting.objects.update(value={**row.value, "begins": timezone.now().isoformat()})
        sweep([])
        assert jobs.is_held(queue.connection, "documents")


class TestAnnouncement:
    def test_it_stands_on_every_page_until_its_time_or_until_an_empty_one_takes_it_down(self, staff, client, alice):
        soon = timezone.localtime() + timedelta(hours=2)
        form = {"text": "The <b>office</b> closes at six.", "until": f"{soon:%Y-%m-%dT%H:%M}"}
        staff.post("/console/maintenance/announce/", form)
        client.force_login(alice)
        assert "The &lt;b&gt;office&lt;/b&gt; closes at six." in text(client.get("/"))
        row = SiteSetting.objects.get()
        SiteSetting.objects.update(value={**row.value, "until": (timezone.now() - timedelta(1)).isoformat()})
        site.forget_values()
        assert "office" not in text(client.get("/"))

        staff.post("/console/maintenance/announce/", {"text": "Hello there."})
        staff.post("/console/maintenance/announce/", {"text": ""})
        assert "Hello there." not in text(staff.get("/help/"))


class TestBackups:
    @pytest.fixture(autouse=True)
    def _folders(self, settings, tmp_path):
        settings.MEDIA_ROOT, settings.CACHE_ROOT = tmp_path / "media", tmp_path / "cache"
        settings.BACKUPS = tmp_path / "backups"

    @pytest.fixture
    def document(self, workspace, alice):
        added = documents.add_document(workspace=workspace, user=alice, upload=upload(HANDBOOK, "h.md"))
        documents.compile_version(added.version.pk)
        return added.version.document

    def run(self, act: str, grace) -> BackupTask:
        task = maintenance.ask_for(actor=grace, act=act)
        maintenance.carry_out(task.pk)
        task.refresh_from_db()
        return task

    def test_one_is_made_and_verified_by_a_restore_which_finds_what_was_damaged(self, staff, grace, document, settings):
        made = self.run("back_up", grace)
        assert (made.status, made.done) == ("done", made.total)
        assert made.total > 0
        checked = self.run("verify", grace)
        assert checked.status == "done", checked.outcome
        assert "restored into a temporary place" in checked.outcome
        page = text(staff.get("/console/maintenance/"))
        assert "restored into a temporary place" in page
        assert AuditEvent.objects.filter(verb="backup.made", actor=grace).count() == 1
        assert AuditEvent.objects.filter(verb="backup.verified").count() == 1

        self.run("back_up", grace)
        victim = next(path for path in Path(settings.BACKUPS).glob("files/*/*"))
        victim.chmod(0o600)
        victim.write_bytes(b"x")
        checked = self.run("verify", grace)
        assert checked.status == "failed"
        assert victim.name[:12] in checked.outcome
        assert AuditEvent.objects.filter(verb="backup.failed").exists()

    def test_it_is_made_while_the_site_is_read_only(self, grace, document, read_only, work_off):
        maintenance.ask_for(actor=grace, act="back_up")
        work_off("backups")
        assert BackupTask.objects.get().status == "done"

    def test_a_second_is_refused_while_one_is_under_way_unless_its_worker_died(self, staff, grace):
        task = maintenance.ask_for(actor=grace, act="back_up")
        assert staff.post("/console/maintenance/verify/").status_code == 409
        assert staff.post("/console/maintenance/back-up/").status_code == 409
        long_ago = timezone.now() - timedelta(hours=1)
        BackupTask.objects.filter(pk=task.pk).update(status="running", alive_at=long_ago)
        assert maintenance.ask_for(actor=grace, act="back_up").pk != task.pk
        task.refresh_from_db()
        assert task.status == "failed"

    def test_they_are_made_and_tried_by_themselves_when_they_are_due(self, document, settings, work_off):
        assert maintenance.back_up_on_schedule() == 0, "not unless somebody says how often"
        settings.BACKUP_HOURS, settings.BACKUP_KEEP = 24, 1
        for expected in ("back_up", "verify"):
            assert maintenance.back_up_on_schedule() == 1
            assert maintenance.back_up_on_schedule() == 0, "one is under way"
            work_off("backups")
            assert BackupTask.objects.filter(status="done").first().act == expected
        assert maintenance.back_up_on_schedule() == 0, "nothing is due"
        BackupTask.objects.update(asked_at=timezone.now() - timedelta(hours=23.7))
        assert maintenance.back_up_on_schedule() == 1
        (first,) = Path(settings.BACKUPS).glob("20*")
        while timezone.now().strftime("%Y-%m-%dT%H%M%SZ") <= first.name:
            time.sleep(0.05)
        work_off("backups")
        (newest,) = Path(settings.BACKUPS).glob("20*")
        assert newest != first, "older ones go"

    def test_one_that_cannot_be_made_or_verified_is_told(self, grace, settings, tmp_path):
        task = self.run("verify", grace)
        assert "no finished backup" in task.outcome

        (tmp_path / "taken").write_text("a file")
        settings.BACKUPS = tmp_path / "taken"
        task = self.run("back_up", grace)
        assert task.status == "failed"
        assert task.outcome
