"""The record of what was done: searched, filtered, paged by its numbers, written out as a stream, and searches kept."""

import json
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Any

from asgiref.sync import sync_to_async
from django.contrib.auth import get_user_model
from django.core.cache import cache
from django.db import connection, transaction
from django.db.models import BooleanField, OuterRef, QuerySet, Subquery, Value
from django.db.models.expressions import RawSQL
from django.db.models.functions import Coalesce
from django.utils import timezone

from vectorless_web.console.models import SavedSearch
from vectorless_web.console.subjects.names import drop_hidden, hide_names
from vectorless_web.infra.web.csv_files import csv_line
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.models import AuditEvent, Workspace
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services import delete_and_record, record
from vectorless_web.workspaces.services.recording import find_anchor
from vectorless_web.workspaces.storage import AUDIT_WORDS, seal_event

PAGE = 50
"""Events on a page."""
WORDS_MAX = 8
"""Words of a search that count; each is one more look into the index."""
NEWEST = 2000
"""Events with the words, the newest, among which a page is looked for first: one workspace of twenty has 100 there."""
AT_ONCE = 1000
"""Events of an export that are read in one message."""
VERBS_KEPT = 600
"""Seconds that the list of verbs is kept."""


@dataclass(frozen=True)
class AuditQuery:
    """What is asked of the record; empty values ask for everything. Days count in the reader's time zone."""

    text: str = ""
    verb: str = ""
    person: str = ""
    """A user name."""
    workspace: str = ""
    """A slug."""
    since: date | None = None
    until: date | None = None


@dataclass(frozen=True)
class AuditPage:
    """One page of events, newest first, and the numbers to go on from."""

    events: list[AuditEvent]
    older: int | None = None
    newer: int | None = None


LARGEST = 2**63 - 1
"""No event has a number so high."""


def select_events(query: AuditQuery, *, below: int = LARGEST, most: int | None = None) -> QuerySet[AuditEvent]:
    """The events that fit. Days become numbers of events, so that one index serves filter and order.

    Of those with a number `below` one, `most` newest are enough to anybody who shows a page: a word that is in every
    event is then not looked up in all of them.
    """
    rows = AuditEvent.objects.all()
    if query.verb:
        rows = rows.filter(verb=query.verb)
    if query.person:
        person = get_user_model()._default_manager.filter(username__iexact=query.person)
        rows = rows.filter(actor=person.values_list("pk", flat=True).first() or 0)
    if query.workspace:
        pk = Workspace.objects.filter(slug=query.workspace).values_list("pk", flat=True).first()
        rows = rows.filter(workspace=pk or 0)
    first = _first_since(_midnight(query.since)) if query.since else 0
    end = min(_first_since(_midnight(query.until + timedelta(days=1))), below) if query.until else below
    if query.since:
        rows = rows.filter(pk__gte=first)
    if end < LARGEST:
        rows = rows.filter(pk__lt=end)
    return _look_for(rows, query, (first, end), most) if query.text else rows


def _look_for(
    rows: QuerySet[AuditEvent], query: AuditQuery, between: tuple[int, int], most: int | None
) -> QuerySet[AuditEvent]:
    """Those of which each word of the text begins a word of the name or the act, by the database's full-text index."""
    words = re.findall(r"[^\W_]+", query.text.lower())[:WORDS_MAX]
    if not words:
        return rows.none()
    if connection.vendor == "postgresql":
        wanted = " & ".join(f"{word}:*" for word in words)
        found = RawSQL(f"{AUDIT_WORDS} @@ to_tsquery('simple', %s)", [wanted], output_field=BooleanField())  # noqa: S611
        return rows.filter(found)
    parts = [f'"{word}"*' for word in words]
    if act := " ".join(re.findall(r"[^\W_]+", query.verb)):
        # The index knows acts too: the list of numbers is then as short as both make it.
        parts.append(f'verb : "{act}"')
    numbers = "SELECT rowid FROM workspaces_auditwords WHERE workspaces_auditwords MATCH %s"
    numbers += " AND rowid >= %s AND rowid < %s"
    values: list[Any] = [" AND ".join(parts), *between]
    if most is not None:
        # A word of every event is looked up in the newest alone where these have a page of it.
        newest = RawSQL(f"{numbers} ORDER BY rowid DESC LIMIT %s", [*values, NEWEST])  # noqa: S611 - as below
        near = list(rows.filter(pk__in=newest).order_by("-pk").values_list("pk", flat=True)[:most])
        if len(near) == most:
            return rows.filter(pk__in=near)
    return rows.filter(pk__in=RawSQL(numbers, values))  # noqa: S611 - words are letters and digits, and a parameter


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))


def _first_since(moment: datetime) -> int:
    """The number of the first event at or after a moment; one above the last when there is none."""
    rows = AuditEvent.objects.values_list("pk", flat=True)
    found = rows.filter(at__gte=moment).order_by("at", "pk").first()
    return found if found is not None else (rows.order_by("-pk").first() or 0) + 1


def _name(events: list[AuditEvent], reader: User, query: AuditQuery) -> list[AuditEvent]:
    """The events as the reader may read of them; what a word was found in is not shown without its name."""
    return drop_hidden(events, reader) if query.text else hide_names(events, reader)


def page_of_events(
    query: AuditQuery, *, reader: User, before: int | None = None, after: int | None = None
) -> AuditPage:
    """The newest events that fit, those older than `before`, or those just newer than `after`.

    Names that a restricted folder or a private run hides from the reader are not in it.
    """
    newest = {"below": before or LARGEST, "most": PAGE + 1} if after is None else {}
    rows = select_events(query, **newest).select_related("actor", "workspace")
    if after is not None:
        found = list(rows.filter(pk__gt=after).order_by("pk")[: PAGE + 1])
        has_newer, has_older = len(found) > PAGE, True
        events = found[:PAGE][::-1]
    else:
        found = list(rows.order_by("-pk")[: PAGE + 1])
        has_newer, has_older = before is not None, len(found) > PAGE
        events = found[:PAGE]
    if not events:
        return AuditPage([])
    older, newer = events[-1].pk if has_older else None, events[0].pk if has_newer else None
    return AuditPage(_name(events, reader, query), older, newer)


def page_of_workspace(workspace: Workspace, user: User, query: AuditQuery, *, before: int | None = None) -> AuditPage:
    """The newest events of a workspace that fit, or those older than `before`, as far as the owner may read of them."""
    here = replace(query, workspace=workspace.slug)
    told: list[AuditEvent] = []
    while len(told) <= PAGE:
        rows = select_events(here, below=before or LARGEST, most=2 * PAGE).select_related("actor", "workspace")
        read = list(rows.order_by("-pk")[: 2 * PAGE])
        told += drop_hidden(read, user)
        if len(read) < 2 * PAGE:
            break
        before = read[-1].pk
    return AuditPage(told[:PAGE], told[PAGE - 1].pk if len(told) > PAGE else None)


def list_verbs() -> list[str]:
    """Every verb in the record, from A to Z; one step through the index for each, not one for each event."""
    kept: list[str] | None = cache.get("audit-verbs")
    if kept is not None:
        return kept
    verbs: list[str] = []
    rows = AuditEvent.objects.order_by("verb").values_list("verb", flat=True)
    verb = rows.first()
    while verb is not None:
        verbs.append(verb)
        verb = rows.filter(verb__gt=verb).first()
    cache.set("audit-verbs", verbs, VERBS_KEPT)
    return verbs


Write = Callable[[dict[str, Any]], str]
"""One event as text."""
FIELDS: dict[str, Callable[[AuditEvent], Any]] = {
    "id": lambda event: event.pk,
    "at": lambda event: event.at.isoformat(),
    "actor": lambda event: event.actor.get_username() if event.actor else "",
    "actor_number": lambda event: event.actor_key,
    "verb": lambda event: event.verb,
    "object_type": lambda event: event.object_type,
    "object_id": lambda event: event.object_id,
    "object_name": lambda event: event.object_name,
    "workspace": lambda event: event.workspace.slug if event.workspace else "",
    "workspace_number": lambda event: event.workspace_key,
    "network": lambda event: event.address,
    "details": lambda event: event.details,
    "hidden": lambda event: event.is_hidden,
    "salt": lambda event: event.salt or "",
    "seal": lambda event: event.seal if event.is_hidden else seal_event(vars(event)) if event.salt else "",
    "before": lambda event: getattr(event, "before", ""),
    "digest": lambda event: event.digest,
}
"""What an export tells of an event, in the order of its columns."""


def describe_event(event: AuditEvent) -> dict[str, Any]:
    """An event, from `with_digest_before`, as an export has it, by the names of FIELDS."""
    return {name: read(event) for name, read in FIELDS.items()}


def with_digest_before(rows: QuerySet[AuditEvent]) -> QuerySet[AuditEvent]:
    """The events with their people and places, and with `before`: the digest that each goes on from."""
    earlier = AuditEvent.objects.filter(pk__lt=OuterRef("pk")).order_by("-pk").values("digest")[:1]
    before = Coalesce(Subquery(earlier), Value(find_anchor().digest))
    return rows.select_related("actor", "workspace").annotate(before=before)


def write_json_line(event: dict[str, Any]) -> str:
    """One event as a line of JSON."""
    return json.dumps(event, ensure_ascii=False) + "\n"


def write_csv_row(event: dict[str, Any]) -> str:
    """One event as a line of CSV; no cell begins as a formula of a spreadsheet does."""
    values = {**event, "details": json.dumps(event["details"], ensure_ascii=False)}
    return csv_line(values.values())


async def stream_events(query: AuditQuery, reader: User, write: Write, head: str = "") -> AsyncIterator[str]:
    """The events that fit, oldest first, each as `write` has it; few are in memory at a time.

    Names that are hidden from the reader are not in it; seals and digests are those of the events as they were written.
    """
    selected = await sync_to_async(select_events)(query)
    rows = (await sync_to_async(with_digest_before)(selected)).order_by("pk")
    yield head
    after = 0
    while True:
        events = [event async for event in rows.filter(pk__gt=after)[:AT_ONCE]]
        if not events:
            return
        after = events[-1].pk
        named = await sync_to_async(_name)(events, reader, query)
        yield "".join(write(describe_event(event)) for event in named)


def note_export(*, actor: User, kind: str, filters: AuditQuery) -> None:
    """Record that somebody takes a copy of the record, and of what."""
    asked = {name: str(value) for name, value in asdict(filters).items() if value}
    record(actor=actor, verb="audit.exported", details={"form": kind, **asked})


SEARCHES_MAX = 50
"""Searches that one person may keep: more are not found again by their names."""


@transaction.atomic
def save_search(*, actor: User, name: str, filters: AuditQuery) -> SavedSearch:
    """Keep a search of the record under a name; one of that name is replaced. Problem (422) for too many."""
    own = SavedSearch.objects.filter(owner=actor.pk)
    if own.exclude(name=name).count() >= SEARCHES_MAX:
        message = f"You keep {SEARCHES_MAX} searches, which is the most."
        raise Problem(message, remedy="Remove one first.", code="too_many_searches")
    asked = {key: str(value) for key, value in asdict(filters).items() if value}
    # The page's address calls the words "q".
    asked = {"q" if key == "text" else key: value for key, value in asked.items()}
    saved, _made = own.update_or_create(owner_id=actor.pk, name=name, defaults={"filters": asked})
    record(actor=actor, verb="audit.search_saved", target=saved, details=asked)
    return saved


@transaction.atomic
def remove_search(*, actor: User, pk: int) -> None:
    """Forget a search of one's own; quiet when it is gone."""
    saved = SavedSearch.objects.filter(owner=actor.pk, pk=pk).first()
    if saved is not None:
        delete_and_record(saved, actor=actor, verb="audit.search_removed")
