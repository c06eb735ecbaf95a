"""Deleting with undo, trying again, stopping, new versions, and what the sweep mends."""

import os
from datetime import timedelta

import pytest
from django.utils import timezone
from redis import Redis

from tests.documents.conftest import stored_files
from tests.support.files import HANDBOOK, upload
from vectorless_web.documents import services
from vectorless_web.documents.compiling.process import CompileFailed, Order, run_child
from vectorless_web.documents.models import Document, DocumentVersion, Section
from vectorless_web.documents.selectors import readable_documents
from vectorless_web.documents.services.compiling import compile_version
from vectorless_web.infra.queues import jobs
from vectorless_web.runs.management.commands.sweep import sweep
from vectorless_web.workspaces.models import AuditEvent

pytestmark = pytest.mark.django_db

Status = DocumentVersion.Status
HTMX = {"HX-Request": "true"}


def url(document, act):
    return f"/w/{document.workspace.slug}/documents/{document.pk}/{act}/"


def test_a_deleted_document_is_hidden_at_once_and_comes_back_with_undo(client, workspace, alice, ready):
    document = ready()
    client.force_login(alice)
    row = client.post(url(document, "delete"), headers=HTMX).content.decode()
    assert "Restore" in row
    deleted = client.get(f"/w/{workspace.slug}/documents/?status=deleted").content.decode()
    assert "was deleted" in deleted and "just now" in deleted
    assert not readable_documents(workspace, alice).exists()
    assert client.get(f"/w/{workspace.slug}/documents/{document.pk}/").status_code == 404
    row = client.post(url(document, "restore"), headers=HTMX).content.decode()
    assert document.title in row
    assert list(readable_documents(workspace, alice)) == [document]
    assert list(AuditEvent.objects.filter(object_type="document").values_list("verb", flat=True)) == [
        "document.restored", "document.deleted", "document.added",
    ]  # fmt: skip


@pytest.mark.django_db(transaction=True)
def test_deleting_stops_the_reading(alice, add):
    version = add()
    services.delete_document(actor=alice, document=version.document)
    version.refresh_from_db()
    assert (version.status, version.error_code) == (Status.FAILED, "cancelled")
    assert not jobs.exists(version.job_id, queue="documents")


@pytest.mark.django_db(transaction=True)
def test_a_document_is_purged_after_thirty_days(alice, ready):
    document = ready()
    services.delete_document(actor=alice, document=document)
    assert services.purge_deleted() == 0
    assert stored_files()
    Document.objects.update(deleted_at=timezone.now() - timedelta(days=31))
    assert services.purge_deleted() == 1
    assert not Document.objects.exists()
    assert stored_files() == []
    assert AuditEvent.objects.filter(verb="document.purged").count() == 1


def test_a_sweep_goes_on_when_another_machine_s_was_first(ready):
    document, purged = ready(), []
    seen_by_both = [Document.objects.get(pk=document.pk) for _machine in range(2)]

    def purge() -> int:
        purged.append(services.purge_document(seen_by_both.pop()))
        return 1

    sweep([purge, purge])
    assert len(purged) == 1
    assert AuditEvent.objects.filter(verb="document.purged").count() == 1


def test_a_waiting_file_can_be_stopped_and_tried_again(client, alice, add, read_waiting):
    version = add()
    client.force_login(alice)
    row = client.post(url(version.document, "cancel"), headers=HTMX).content.decode()
    assert "Reading was stopped" in row
    read_waiting()
    version.refresh_from_db()
    assert version.status == Status.FAILED
    services.retry_version(actor=alice, version=version)
    read_waiting()
    version.refresh_from_db()
    assert version.status == Status.READY


def test_stopping_while_it_is_read_leaves_nothing(alice, add):
    version = add()

    def stopped_midway(order: Order):
        news = run_child(order)
        yield next(news)
        services.cancel_version(actor=alice, version=version)
        yield from news

    compile_version(version.pk, compile_with=stopped_midway)
    version.refresh_from_db()
    assert (version.status, version.error_code) == (Status.FAILED, "cancelled")
    assert not Section.objects.exists()
    assert stored_files() == [version.file.name]


def test_a_new_version_takes_over_when_it_is_ready(client, alice, ready, read_waiting):
    document = ready(HANDBOOK, "handbook.md")
    client.force_login(alice)
    client.post(url(document, "version"), {"files": [upload(HANDBOOK + b"\n## Travel\n\nBy train.\n", "handbook.md")]})
    document.refresh_from_db()
    assert document.current_version.number == 1
    read_waiting()
    document.refresh_from_db()
    assert document.current_version.number == 2
    assert [version.number for version in document.versions.all()] == [2, 1]


def test_the_same_file_or_one_that_fails_is_no_new_version(client, alice, ready):
    document = ready(HANDBOOK, "handbook.md")
    client.force_login(alice)
    page = client.post(url(document, "version"), {"files": [upload(HANDBOOK, "handbook.md")]}, follow=True)
    assert "already here" in page.content.decode()
    assert document.versions.count() == 1

    added = services.add_version(document=document, user=alice, upload=upload(HANDBOOK + b"more", "handbook.md"))

    def damaged(order: Order):
        raise CompileFailed("It broke.", code="damaged_pdf", retryable=False)
        yield

    compile_version(added.version.pk, compile_with=damaged)
    document.refresh_from_db()
    assert document.current_version.number == 1


@pytest.mark.django_db(transaction=True)
def test_the_sweep_queues_what_redis_never_got(add, work_off):
    version = add()
    with Redis.from_url(os.environ["REDIS_URL"]) as client:
        client.flushall()
    DocumentVersion.objects.update(created_at=timezone.now() - timedelta(minutes=1))
    assert services.requeue_lost_versions() == 1
    assert services.requeue_lost_versions() == 0
    work_off("documents")
    version.refresh_from_db()
    assert version.status == Status.READY


def test_a_lost_worker_is_forgiven_once_and_a_beating_one_left_alone(add):
    add()
    DocumentVersion.objects.update(status=Status.PARSING, lease="alive", heartbeat_at=timezone.now())
    assert services.requeue_lost_versions() == 0

    version = add()
    long_ago = timezone.now() - timedelta(minutes=5)
    DocumentVersion.objects.update(status=Status.PARSING, lease="dead", heartbeat_at=long_ago)
    assert services.requeue_lost_versions() == 1
    version.refresh_from_db()
    assert (version.status, version.requeued, version.attempt) == (Status.QUEUED, True, 2)
    DocumentVersion.objects.update(status=Status.INDEXING, lease="dead too", heartbeat_at=long_ago)
    assert services.requeue_lost_versions() == 1
    version.refresh_from_db()
    assert (version.status, version.error_code, version.retryable) == (Status.FAILED, "reader_lost", True)


def test_an_older_version_never_takes_over_from_a_newer_one(alice, add):
    first = add(HANDBOOK, "handbook.md")
    second = services.add_version(
        document=first.document, user=alice, upload=upload(HANDBOOK + b"more", "handbook.md")
    ).version
    compile_version(second.pk)
    compile_version(first.pk)
    assert Document.objects.get().current_version == second
