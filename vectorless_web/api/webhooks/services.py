"""Webhooks: made by owners, told of events, delivered with patience, switched off when nobody listens any more.

An event becomes a row for each webhook in the transaction of what happened. A job makes the attempt; what fails is due
again after a wait, and the sweep queues what is due, so that nothing is lost with Redis or a worker.
"""

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from vectorless_web.api.models import Delivery, EventKind, Webhook
from vectorless_web.api.webhooks.signing import new_secret, sign
from vectorless_web.infra.lookups import one_or_404
from vectorless_web.infra.queues import jobs
from vectorless_web.infra.web.problems import Problem
from vectorless_web.notices.models import Kind, Notice
from vectorless_web.notices.selectors import Told
from vectorless_web.notices.services import notify
from vectorless_web.workspaces.models import Role, Workspace
from vectorless_web.workspaces.selectors import User, owner_ids, workspaces_of
from vectorless_web.workspaces.services import delete_and_record, record
from vectorless_web.workspaces.services.settings import check_public
from vectorless_web.workspaces.storage import SecretUnreadable, decrypt, encrypt, new_token

JOB, QUEUE, JOB_SECONDS = "vectorless_web.api.jobs.deliver", "documents", 60
"""Events go with the uploads, as mails do: a receiver that hangs holds up no question."""
WEBHOOKS_MOST = 20
"""Webhooks of one workspace."""
WAITS = (5, 300, 1800, 7200, 18_000, 36_000, 36_000)
"""Seconds from one attempt to the next, as Standard Webhooks advises: the last attempt is made after 28 hours."""
GIVEN_UP_AFTER = timedelta(days=3)
"""A webhook is switched off when no attempt has succeeded for so long: a long weekend."""
ROTATION = timedelta(hours=24)
"""How long the secret before signs, too."""
KEPT = timedelta(days=30)
SHOWN = 50
"""Deliveries on a webhook's page."""
AT_ONCE = 500
"""Deliveries that one pass of the sweep queues."""
Post = Callable[[str, bytes, Mapping[str, str]], tuple[int, str]]


def webhooks_of(workspace: Workspace) -> QuerySet[Webhook]:
    """The webhooks of a workspace that its owner was let into."""
    return Webhook.objects.filter(workspace=workspace).select_related("workspace")


def webhook_in(workspace: Workspace, pk: int) -> Webhook:
    """One of them; Http404 for another."""
    return one_or_404(webhooks_of(workspace), "There is no such webhook here.", pk=pk)


def delivery_of(webhook: Webhook, pk: int) -> Delivery:
    """One of its deliveries; Http404 for another."""
    return one_or_404(webhook.deliveries.select_related("webhook__workspace"), "There is no such delivery.", pk=pk)


@transaction.atomic
def add_webhook(*, actor: User, workspace: Workspace, address: str, events: Iterable[str]) -> tuple[Webhook, str]:
    """A webhook and its secret, which is returned this once. Problem (422) for an address that may not be called."""
    checked = check_public(
        address, allowed=settings.ALLOW_PRIVATE_WEBHOOK_HOSTS, setting="VECTORLESS_ALLOW_PRIVATE_WEBHOOK_HOSTS"
    )
    if webhooks_of(workspace).count() >= WEBHOOKS_MOST:
        message = f"This workspace has {WEBHOOKS_MOST} webhooks, which is the most."
        raise Problem(message, remedy="Remove one first.", code="too_many_webhooks")
    secret = new_secret()
    row = Webhook.objects.create(
        workspace=workspace,
        address=checked,
        events=[str(EventKind(kind)) for kind in events],
        encrypted_secret=encrypt(secret),
        created_by_id=actor.pk,
    )
    _record(actor, "webhook.added", row, events=row.events)
    return row, secret


@transaction.atomic
def rotate_secret(*, actor: User, webhook: Webhook) -> str:
    """A new secret, returned this once; the one before signs beside it for ROTATION."""
    secret = new_secret()
    webhook.encrypted_old_secret, webhook.encrypted_secret = webhook.encrypted_secret, encrypt(secret)
    webhook.old_secret_until = timezone.now() + ROTATION
    webhook.save(update_fields=["encrypted_secret", "encrypted_old_secret", "old_secret_until"])
    _record(actor, "webhook.rotated", webhook)
    return secret


@transaction.atomic
def switch_webhook(*, actor: User, webhook: Webhook, on: bool) -> None:
    """Switch a webhook on or off. While it is off, nothing is noted for it, and what waits is given up."""
    changed = Webhook.objects.filter(pk=webhook.pk, enabled=not on).update(enabled=on, failing_since=None)
    if not changed:
        return
    if not on:
        _give_up_waiting(webhook.pk)
    _record(actor, "webhook.switched_on" if on else "webhook.switched_off", webhook)


def remove_webhook(*, actor: User, webhook: Webhook) -> None:
    """Remove a webhook with its log."""
    delete_and_record(webhook, actor=actor, verb="webhook.removed", workspace=webhook.workspace, name=webhook.address)


@transaction.atomic
def redeliver(*, actor: User, delivery: Delivery) -> None:
    """Send an event again, with the id that it had. Problem (409) while the webhook is off."""
    if not delivery.webhook.enabled:
        raise Problem("The webhook is switched off.", remedy="Switch it on first.", code="webhook_off", status=409)
    state = {"status": Delivery.Status.WAITING, "attempts": 0, "due_at": timezone.now(), "ended_at": None}
    Delivery.objects.filter(pk=delivery.pk).update(**state)
    _enqueue(delivery.pk, attempt=f"again-{new_token()[:8]}")
    _record(actor, "webhook.redelivered", delivery.webhook, message=delivery.message)


def note_event(kind: str, workspace_id: int, about: Mapping[str, Any]) -> None:
    """A delivery for each webhook of the workspace that is told of such events, in the caller's transaction."""
    listening = Webhook.objects.filter(workspace=workspace_id, enabled=True).select_related("workspace")
    for webhook in [row for row in listening if kind in row.events]:
        at = timezone.now()
        data = {"workspace": webhook.workspace.slug, **about}
        row = Delivery.objects.create(
            webhook=webhook,
            message=f"msg_{new_token()}",
            kind=kind,
            payload={"type": kind, "timestamp": at.isoformat(), "data": data},
        )
        _enqueue(row.pk, attempt="0")


def queue_due() -> int:
    """Queue what is due: what failed and has waited, and what was lost with Redis or a worker; how many."""
    late = timezone.now() - timedelta(seconds=WAITS[0])
    due = Delivery.objects.filter(status=Delivery.Status.WAITING, due_at__lte=late).order_by("due_at")
    rows = list(due.values_list("pk", "attempts")[:AT_ONCE])
    lost = jobs.find_lost_jobs([_job_id(pk, str(attempts)) for pk, attempts in rows], queue=QUEUE)
    for pk, attempts in rows:
        if _job_id(pk, str(attempts)) in lost:
            _enqueue(pk, attempt=str(attempts))
    return len(lost)


def deliver(delivery_id: int, *, post: Post) -> None:
    """Make the attempt that is due; the time of the next is written before, so that a worker's end loses nothing."""
    now = timezone.now()
    row = Delivery.objects.select_related("webhook").filter(pk=delivery_id, webhook__enabled=True).first()
    if row is None:
        return
    wait = timedelta(seconds=WAITS[min(row.attempts, len(WAITS) - 1)])
    untaken = {"status": Delivery.Status.WAITING, "attempts": row.attempts, "due_at__lte": now + timedelta(seconds=1)}
    if not Delivery.objects.filter(pk=row.pk, **untaken).update(attempts=F("attempts") + 1, due_at=now + wait):
        return
    body = json.dumps(row.payload, ensure_ascii=False, separators=(",", ":")).encode()
    try:
        headers = sign(row.message, int(time.time()), body, keys=_keys(row.webhook))
        status, error = post(row.webhook.address, body, {**headers, "content-type": "application/json"})
    except SecretUnreadable:
        status, error = 0, "the secret cannot be read with this site's key: make a new one"
    _note_attempt(row, status, error)


@transaction.atomic
def _note_attempt(row: Delivery, status: int, error: str) -> None:
    now, delivered = timezone.now(), 200 <= status < 300
    last = not delivered and row.attempts >= len(WAITS)
    values: dict[str, Any] = {"reply": status, "error": "" if delivered else error or f"answered {status}"}
    if delivered or last:
        values |= {"status": Delivery.Status.DELIVERED if delivered else Delivery.Status.FAILED, "ended_at": now}
    Delivery.objects.filter(pk=row.pk).update(**values)
    hook = Webhook.objects.filter(pk=row.webhook_id, enabled=True)
    if delivered:
        hook.exclude(failing_since=None).update(failing_since=None)
        return
    hook.filter(failing_since=None).update(failing_since=now)
    # 410 Gone is how a receiver says that it wants no more.
    if status == 410 or hook.filter(failing_since__lte=now - GIVEN_UP_AFTER).exists():
        _switch_off(row.webhook_id)


def _switch_off(webhook_id: int) -> None:
    webhook = Webhook.objects.select_related("workspace").get(pk=webhook_id)
    if not Webhook.objects.filter(pk=webhook_id, enabled=True).update(enabled=False):
        return
    _give_up_waiting(webhook_id)
    place, owners = webhook.workspace_id, owner_ids(webhook.workspace)
    notify(people=owners, kind=Kind.WEBHOOK_OFF, workspace_id=place, about=webhook_id)


def _give_up_waiting(webhook_id: int) -> None:
    waiting = Delivery.objects.filter(webhook=webhook_id, status=Delivery.Status.WAITING)
    waiting.update(status=Delivery.Status.FAILED, ended_at=timezone.now())


def _keys(webhook: Webhook) -> list[str]:
    """The secrets that sign now, the new one first."""
    keys = [decrypt(webhook.encrypted_secret)]
    if webhook.old_secret_until is not None and webhook.old_secret_until > timezone.now():
        keys.append(decrypt(webhook.encrypted_old_secret))
    return keys


def tidy_deliveries() -> int:
    """Forget deliveries that ended long ago; how many."""
    return Delivery.objects.filter(ended_at__lt=timezone.now() - KEPT).delete()[0]


def read_notices(user: User, notices: Sequence[Notice]) -> dict[int, Told]:
    """What notices of webhooks tell an owner of their workspace."""
    governed = [workspace.pk for workspace in workspaces_of(user) if workspace.allows(Role.OWNER)]
    rows = Webhook.objects.filter(pk__in=[row.about for row in notices], workspace__in=governed, enabled=False)
    found = {row.pk: row for row in rows.select_related("workspace")}
    told = {}
    for notice in notices:
        if row := found.get(notice.about):
            url = reverse("api:webhook", args=[row.workspace.slug, row.pk])
            told[notice.pk] = Told(_("A webhook was switched off: nobody took its events"), row.address, url)
    return told


def _enqueue(pk: int, *, attempt: str) -> None:
    jobs.enqueue(JOB, pk, queue=QUEUE, job_id=_job_id(pk, attempt), seconds=JOB_SECONDS)


def _job_id(pk: int, attempt: str) -> str:
    return f"webhook-{pk}-{attempt}"


def _record(actor: User, verb: str, webhook: Webhook, **details: Any) -> None:
    record(actor=actor, verb=verb, workspace=webhook.workspace, target=webhook, name=webhook.address, details=details)
