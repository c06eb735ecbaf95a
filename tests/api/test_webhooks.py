"""Webhooks against a real receiver: what is sent and how it is signed, patience, and where nothing is sent."""

import base64
import hashlib
import hmac
import json
from datetime import timedelta

import pytest
from django.utils import timezone
from werkzeug import Response

from tests.api.conftest import REPORT
from tests.notices.conftest import shown
from tests.support.compiled import compiled_document
from vectorless_web import wiring
from vectorless_web.api.models import Delivery, EventKind, Webhook
from vectorless_web.api.webhooks import services
from vectorless_web.documents.compiling.process import CompileFailed
from vectorless_web.documents.models import DocumentVersion
from vectorless_web.documents.services import add_document
from vectorless_web.documents.services.compiling import end_as_failed
from vectorless_web.runs.services import start_run
from vectorless_web.workspaces.models import AuditEvent
from vectorless_web.workspaces.services import create_workspace

pytestmark = pytest.mark.django_db(transaction=True)


class Receiver:
    """A server that checks every signature, and answers what it is told to."""

    def __init__(self, server) -> None:
        self.address, self.status, self.secret, self.got = server.url_for("/hook"), 204, "", []
        server.expect_request("/hook", method="POST").respond_with_handler(self.take)

    def take(self, request) -> Response:
        body = request.get_data()
        message, at = request.headers["webhook-id"], request.headers["webhook-timestamp"]
        key = base64.b64decode(self.secret.removeprefix("whsec_"))
        signed = hmac.digest(key, f"{message}.{at}.".encode() + body, hashlib.sha256)
        assert abs(int(at) - timezone.now().timestamp()) < 60
        fits = f"v1,{base64.b64encode(signed).decode()}" in request.headers["webhook-signature"].split()
        self.got.append({**json.loads(body), "id": message, "fits": fits})
        return Response(status=self.status, headers={"Location": "/elsewhere"})


@pytest.fixture
def receiver(httpserver, settings):
    settings.ALLOW_PRIVATE_WEBHOOK_HOSTS = ("loopback",)
    return Receiver(httpserver)


@pytest.fixture
def hook(receiver, alice, workspace):
    row, receiver.secret = services.add_webhook(
        actor=alice, workspace=workspace, address=receiver.address, events=EventKind.values
    )
    return row


def attempt(delivery: Delivery, *, waited: timedelta = timedelta()) -> Delivery:
    """Make the next attempt, as the worker does when the wait is over."""
    Delivery.objects.filter(pk=delivery.pk).update(due_at=timezone.now() - waited)
    services.deliver(delivery.pk, post=wiring.post_event)
    delivery.refresh_from_db()
    return delivery


def test_documents_and_runs_are_told_of_with_a_signature(hook, receiver, alice, bob, workspace, work_off):
    report = compiled_document(workspace, alice, REPORT, "harbour.md")
    run = start_run(user=bob, workspace=workspace, question="How many berths has the harbour?")
    work_off("runs", "documents")
    told = {each["type"]: each["data"] for each in receiver.got}
    assert told["document.ready"] == {"workspace": workspace.slug, "document": report.pk, "version": 1, "pages": 1}
    run.refresh_from_db()
    assert told["run.finished"]["run"] == run.pk and told["run.finished"]["status"] == run.status
    assert all(each["fits"] for each in receiver.got)
    assert "berths" not in json.dumps(receiver.got)
    assert set(Delivery.objects.values_list("status", flat=True)) == {"delivered"}


def test_a_document_that_cannot_be_read_is_told_of(hook, receiver, alice, workspace):
    from django.core.files.uploadedfile import SimpleUploadedFile

    version = add_document(workspace=workspace, user=alice, upload=SimpleUploadedFile("x.md", b"# X")).version
    rows = DocumentVersion.objects.filter(pk=version.pk)
    end_as_failed(rows, version, CompileFailed("It is damaged.", code="damaged", retryable=False))
    [delivery] = Delivery.objects.all()
    attempt(delivery)
    assert receiver.got[0]["data"]["code"] == "damaged" and "damaged." not in json.dumps(receiver.got)


def test_what_fails_is_tried_again_and_sent_again_by_hand(hook, receiver, client, alice, workspace):
    receiver.status = 500
    services.note_event("run.finished", workspace.pk, {"run": 1, "thread": 1, "status": "answered"})
    [delivery] = Delivery.objects.all()
    assert attempt(delivery).status == "waiting" and delivery.error == "answered 500"
    services.deliver(delivery.pk, post=wiring.post_event)
    assert len(receiver.got) == 1, "the wait is not over"
    for _ in services.WAITS:
        attempt(delivery)
    assert delivery.status == "failed" and delivery.attempts == len(services.WAITS) + 1
    client.force_login(alice)
    page = f"/w/{workspace.slug}/settings/webhooks/{hook.pk}/"
    assert "answered 500" in client.get(page).content.decode()
    receiver.status = 200
    assert client.post(f"{page}deliveries/{delivery.pk}/again/").status_code == 302
    assert attempt(delivery).status == "delivered" and len({each["id"] for each in receiver.got}) == 1
    hook.refresh_from_db()
    assert hook.failing_since is None


def test_what_was_lost_with_redis_or_a_worker_is_queued_again(hook, receiver, workspace, work_off):
    services.note_event("run.finished", workspace.pk, {"run": 1, "thread": 1, "status": "answered"})
    Delivery.objects.update(attempts=2, due_at=timezone.now() - timedelta(minutes=1))
    assert services.queue_due() == 1
    work_off("documents")
    assert len(receiver.got) == 1 and Delivery.objects.get().status == "delivered"
    assert services.queue_due() == 0
    Delivery.objects.update(ended_at=timezone.now() - timedelta(days=31))
    assert services.tidy_deliveries() == 1


def test_a_secret_is_changed_without_a_gap(hook, receiver, client, alice, workspace):
    client.force_login(alice)
    page = client.post(f"/w/{workspace.slug}/settings/webhooks/{hook.pk}/secret/").content.decode()
    new = "whsec_" + page.split('value="whsec_')[1].split('"')[0]
    for secret, later in ((receiver.secret, False), (new, False), (new, True), (receiver.secret, True)):
        receiver.secret = secret
        if later:
            Webhook.objects.update(old_secret_until=timezone.now())
        services.note_event("run.finished", workspace.pk, {"run": 1})
        attempt(Delivery.objects.latest("pk"))
    assert [each["fits"] for each in receiver.got] == [True, True, True, False]


@pytest.mark.parametrize("status", [410, 500])
def test_a_webhook_that_nobody_answers_is_switched_off_and_its_owners_told(
    hook, receiver, workspace, alice, bob, status
):
    receiver.status = status
    services.note_event("run.finished", workspace.pk, {"run": 1})
    services.note_event("run.finished", workspace.pk, {"run": 2})
    first, second = Delivery.objects.order_by("pk")
    if status == 500:
        attempt(first)
        Webhook.objects.update(failing_since=timezone.now() - timedelta(days=4))
    attempt(second)
    hook.refresh_from_db()
    assert not hook.enabled
    assert set(Delivery.objects.values_list("status", flat=True)) == {"failed"}
    services.note_event("run.finished", workspace.pk, {"run": 3})
    assert Delivery.objects.count() == 2
    assert [each.told.name for each in shown(alice)] == [receiver.address] and shown(bob) == []


def test_redirects_are_not_followed_and_other_workspaces_are_not_told(hook, receiver, httpserver, alice, workspace):
    receiver.status = 307
    services.note_event("run.finished", create_workspace(user=alice, name="Elsewhere").pk, {"run": 1})
    assert not Delivery.objects.exists()
    services.note_event("run.finished", workspace.pk, {"run": 1})
    attempt(Delivery.objects.get())
    assert [request.path for request, _ in httpserver.log] == ["/hook"]
    assert Delivery.objects.get().status == "waiting"


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:6379/", "http://169.254.169.254/", "http://[::1]/", "http://x@y/"]
)
def test_private_addresses_are_refused_when_stored_and_when_posted_to(client, alice, workspace, address):
    client.force_login(alice)
    place = f"/w/{workspace.slug}/settings/webhooks/add/"
    refused = client.post(place, {"address": address, "events": ["run.finished"]})
    assert refused.status_code == 422 and not Webhook.objects.exists()
    status, why = wiring.post_event(address, b"{}", {})
    assert status == 0 and why


def test_owners_add_see_and_remove_webhooks(client, receiver, alice, bob, workspace):
    client.force_login(alice)
    place = f"/w/{workspace.slug}/settings/webhooks/"
    made = client.post(f"{place}add/", {"address": receiver.address, "events": ["run.finished"]})
    row = Webhook.objects.get()
    secret = made.content.decode().split('value="whsec_')[1].split('"')[0]
    assert secret not in row.encrypted_secret and "no-store" in made.headers["Cache-Control"]
    assert secret not in client.get(f"{place}{row.pk}/").content.decode()
    assert receiver.address in client.get(place).content.decode()
    client.post(f"{place}{row.pk}/switch/", {"on": "no"})
    assert "off" in client.get(place).content.decode()
    client.post(f"{place}{row.pk}/remove/")
    assert not Webhook.objects.exists()
    verbs = set(AuditEvent.objects.filter(verb__startswith="webhook").values_list("verb", flat=True))
    assert verbs == {"webhook.added", "webhook.switched_off", "webhook.removed"}
    client.force_login(bob)
    assert client.get(place).status_code == 403
