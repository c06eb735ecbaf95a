"""The one writer of the record, and the check that nobody has changed it since."""

import json
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import models, transaction
from django.utils import timezone

from vectorless_web.infra.web.problems import Problem
from vectorless_web.infra.web.request_limits import request_network, request_token
from vectorless_web.workspaces.models import AuditEvent, AuditHead, Workspace
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.site import refuse_while_read_only
from vectorless_web.workspaces.storage import CHAINED, digest_event, new_token, seal_event

HEAD = 1
"""The primary key of the one AuditHead."""
AT_ONCE = 2000
"""Events read in one message while the record is checked."""


@transaction.atomic
def record(
    *,
    actor: User | None,
    verb: str,
    workspace: Workspace | None = None,
    target: models.Model | None = None,
    name: str = "",
    details: dict[str, Any] | None = None,
) -> AuditEvent:
    """Add one row to the record. `verb` reads "document.added"; `target` is what it was done to.

    Where it was done a row of a workspace says by itself; for all else `workspace` does, None for the whole site.
    The row holds a digest of itself and of the one before. Writers take turns from here to
    their commit, so record what was done last, once everything else of it is written.
    Problem (503) while the site is read-only, which undoes the act.
    """
    refuse_while_read_only(verb)
    place = workspace or getattr(target, "workspace", None)
    head = _lock_head(place)
    event = AuditEvent(
        actor_id=actor.pk if actor else None,
        actor_key=(actor.pk if actor else None) or 0,
        verb=verb,
        workspace=place,
        workspace_key=place.pk if place else 0,
        object_type=target._meta.model_name or "" if target is not None else "",
        object_id=str(target.pk) if target is not None else "",
        object_name=(name or str(target or ""))[:300],
        details={**(details or {}), **({"token": token} if (token := request_token.get()) else {})},
        address=request_network.get(),
        salt=new_token(),
        at=timezone.now(),
    )
    event.digest = digest_event(head.digest, vars(event))
    event.save()
    AuditHead.objects.filter(pk=HEAD).update(count=head.count + 1, digest=event.digest)
    return event


@transaction.atomic
def delete_and_record(row: models.Model, *, actor: User | None, verb: str, name: str = "", **more: Any) -> None:
    """Delete a row and add that to the record, under the number and name it had; `more` as for `record`.

    The row goes first: a deletion waits for anybody who refers to the row, and they for the end of the record. Problem
    (409) when somebody else deleted it meanwhile, so that no act is recorded that did not happen.
    """
    target, called = copy(row), name or str(row)
    _all, kinds = row.delete()
    if not kinds.get(row._meta.label):
        raise Problem("Somebody else has removed this already.", remedy="Load the page again.", code="gone", status=409)
    record(actor=actor, verb=verb, target=target, name=called, **more)


def _lock_head(workspace: Workspace | None) -> AuditHead:
    """Where the record ends, locked until the commit.

    The workspace is locked first: others lock it before they record, and the two would
    else wait for each other.
    """
    if workspace is not None:
        list(Workspace.objects.select_for_update(no_key=True).filter(pk=workspace.pk).values_list("pk"))
    head, _made = AuditHead.objects.select_for_update().get_or_create(pk=HEAD)
    return head


@dataclass(frozen=True)
class RecordCheck:
    """What a check of the record found. `problem` is one sentence, "" when the chain holds."""

    checked: int
    total: int
    """Events that the record says it has."""
    first_bad: int | None = None
    """The number of the first event that does not fit."""
    problem: str = ""


PRUNED = "audit.pruned"
"""The verb of an anchor: the event that says how many events before it were removed, and what their last digest was."""


@transaction.atomic
def prune_record(*, before: datetime, most: int) -> int:
    """Remove the oldest events from before a moment, at most so many; how many.

    An anchor is added to the chain first: the digest of the last removed event, by which the first
    one that stays can still be checked. The newest anchor is never among what goes.
    """
    _lock_head(None)
    rows = AuditEvent.objects.order_by("pk")
    first_kept = rows.filter(at__gte=before).values_list("pk", flat=True).first()
    old = rows.filter(pk__lt=first_kept) if first_kept is not None else rows
    last = old.values_list("pk", "digest", "at")[:most][::-1]
    if not last:
        return 0
    (pk, digest, at), count = last[0], len(last)
    removed = find_anchor().removed + count
    details = {"events": count, "removed": removed, "through": pk, "digest": digest, "until": at.isoformat()}
    record(actor=None, verb=PRUNED, name=f"{count} events until {at:%Y-%m-%d}", details=details)
    # The one place where rows of the record go: the model itself refuses.
    gone = AuditEvent.objects.filter(pk__lte=pk)
    gone._raw_delete(gone.db)
    return count


@dataclass(frozen=True)
class Anchor:
    """Where the record begins: after so many removed events, of which the last had this number and digest."""

    removed: int = 0
    through: int = 0
    digest: str = ""


def find_anchor() -> Anchor:
    """Where the record begins."""
    details = AuditEvent.objects.filter(verb=PRUNED).order_by("-pk").values_list("details", flat=True).first()
    return Anchor(details["removed"], details["through"], details["digest"]) if details else Anchor()


def verify_record(*, newest: int | None = None) -> RecordCheck:
    """Follow the chain from the first event, or over the `newest` ones alone, to where the record says it ends.

    A changed, removed, added or reordered row breaks it. Deleted accounts and workspaces
    do not: their numbers stay. Nor does what was removed by its age, up to the newest anchor.
    """
    with transaction.atomic():
        head, _made = AuditHead.objects.select_for_update().get_or_create(pk=HEAD)
        last = AuditEvent.objects.order_by("-pk").values_list("pk", flat=True).first()
        anchor = find_anchor()
    rows = AuditEvent.objects.filter(pk__lte=last or 0).order_by("pk")
    before = anchor.digest
    if newest is not None:
        oldest = list(rows.reverse().values_list("pk", "digest")[newest : newest + 1])
        for pk, digest in oldest:
            rows, before = rows.filter(pk__gt=pk), digest
    checked = 0
    wanted = ("pk", "digest", "salt", "actor_id", "workspace_id", "at", "details", *CHAINED)
    for row in rows.values(*wanted).iterator(chunk_size=AT_ONCE):
        checked += 1
        problem = _find_break(before, row)
        if problem:
            return RecordCheck(checked, head.count - anchor.removed, row["pk"], problem)
        before = row["digest"]
    there = checked + anchor.removed if newest is None or checked < newest else None
    return _check_end(RecordCheck(checked, head.count - anchor.removed), before, head, there)


def _find_break(before: str, row: dict[str, Any]) -> str:
    if row["digest"] != digest_event(before, row):
        return f"Event {row['pk']} was changed, or an event before it was removed or added."
    for kind in ("actor", "workspace"):
        if row[f"{kind}_id"] not in (None, row[f"{kind}_key"]):
            return f"Event {row['pk']} was given another {kind}."
    return ""


def _check_end(found: RecordCheck, last: str, head: AuditHead, there: int | None) -> RecordCheck:
    """`there` is how many events are or were there, when all of them were looked at."""
    if last != head.digest:
        sentence = "The newest events were removed, or the row that says where the record ends was changed."
        return RecordCheck(found.checked, found.total, None, sentence)
    if there is not None and there != head.count:
        sentence = f"The record counts {head.count} events, and {there} are or were there."
        return RecordCheck(found.checked, found.total, None, sentence)
    return found


@dataclass(frozen=True)
class ExportCheck:
    """What a check of exported lines found. `problem` is one sentence, "" when every line holds."""

    lines: int
    following: int
    """Lines that go on directly from the line before: all but the first of an export that left nothing out."""
    hidden: int
    """Lines whose name and details were hidden from anybody who exported them; their seals stand for these."""
    unverifiable: int
    """Hidden lines of events that earlier versions wrote, which have no seal."""
    problem: str = ""


def verify_export(lines: Iterable[str]) -> ExportCheck:
    """Whether lines of an export (JSON) are as the record had them, from the lines alone.

    Each has the digest before it, so that lines which filters left out break nothing.
    """
    count = following = hidden = unverifiable = 0
    last = ""
    for line in lines:
        count += 1
        try:
            event = _read_line(line)
            follows = event["before"] == last
            is_told = not event["hidden"]
            if event["hidden"] and not event["seal"]:
                unverifiable += 1
            elif event["digest"] != digest_event(event["before"], event):
                return ExportCheck(
                    count, following, hidden, unverifiable, f"Line {count} (event {event['id']}) differs."
                )
            elif is_told and event["salt"] and event["seal"] != seal_event(event):
                return ExportCheck(count, following, hidden, unverifiable, f"Line {count}: the name was changed.")
        except (ValueError, KeyError, TypeError, AttributeError):
            return ExportCheck(count, following, hidden, unverifiable, f"Line {count} is no event of an export.")
        hidden, following, last = hidden + (not is_told), following + (count > 1 and follows), event["digest"]
    return ExportCheck(count, following, hidden, unverifiable)


def _read_line(line: str) -> dict[str, Any]:
    event: dict[str, Any] = json.loads(line)
    named = {"actor_key": event["actor_number"], "workspace_key": event["workspace_number"]}
    return {**event, **named, "address": event["network"], "at": datetime.fromisoformat(event["at"])}
