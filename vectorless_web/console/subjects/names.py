"""Whose names an administrator or owner may read: those of the workspaces that they belong to, as a member reads them.

An account that sees a document or run as a member does reads its name; for anybody else it is a number.
"""

from collections.abc import Iterable

from vectorless_web.documents.models import Document
from vectorless_web.documents.selectors import closed_folders, open_to
from vectorless_web.runs.selectors import visible_runs
from vectorless_web.workspaces.models import AuditEvent
from vectorless_web.workspaces.selectors import User, workspaces_of
from vectorless_web.workspaces.storage import seal_event

RESTRICTED = "restricted"
"""A detail of the event by which a document of a restricted folder was purged: its name stays hidden."""
NEUTRAL = {"document": "a document", "run": "a question", "thread": "a thread", "folder": "a folder"}
"""What is in the place of a name, by the kind of object."""


def readable_documents_of(user: User, numbers: Iterable[int]) -> set[int]:
    """Those of the documents of this account's workspaces that no folder hides from it."""
    rows = Document.objects.filter(open_to(user), pk__in=list(numbers), workspace__in=workspaces_of(user))
    return set(rows.values_list("pk", flat=True))


def readable_runs_of(user: User, numbers: Iterable[int]) -> set[int]:
    """Those of the runs of this account's workspaces that neither privacy nor a folder hides from it."""
    shown = visible_runs(user.pk, [row.pk for row in workspaces_of(user)])
    return set(shown.filter(pk__in=list(numbers)).values_list("pk", flat=True))


def drop_hidden(events: Iterable[AuditEvent], user: User) -> list[AuditEvent]:
    """The events but for those whose object the account may not read of.

    These are documents of restricted folders that are closed to it, also those that were purged, and runs and threads
    that do not exist for it or exist no longer.
    """
    found = list(events)
    hidden = _list_hidden(found, user)
    return [event for event in found if event.pk not in hidden]


def hide_names(events: Iterable[AuditEvent], user: User) -> list[AuditEvent]:
    """The events; one whose object the account may not read of has neither its name nor its details, but their seal."""
    found = list(events)
    hidden = _list_hidden(found, user)
    for event in found:
        if event.pk in hidden:
            # The seal stands for what is taken out; the salt would let it be guessed.
            event.seal, event.salt, event.is_hidden = seal_event(vars(event)) if event.salt else "", "", True
            event.object_name = NEUTRAL.get(event.object_type, "documents")
            event.details = {}
    return found


def _list_hidden(events: list[AuditEvent], user: User) -> set[int]:
    """Numbers of the events of which the account may not read; a few queries, however many events there are."""
    named: dict[str, set[int]] = {kind: set() for kind in NEUTRAL}
    for event in events:
        kind = event.object_type
        if kind in named and event.object_id.isdecimal():
            named[kind].add(int(event.object_id))
    listed = {event.pk: _numbers_in(event) for event in events}
    many = {number for numbers in listed.values() for number in numbers}
    closed = {
        "run": named["run"] - readable_runs_of(user, named["run"]),
        "thread": named["thread"] - _readable_threads_of(user, named["thread"]),
        "document": _hidden_documents_of(user, named["document"]),
        "folder": set(closed_folders(user.pk).filter(pk__in=named["folder"]).values_list("pk", flat=True)),
    }
    shut = many - readable_documents_of(user, many) if many else set()
    own = {row.pk for row in workspaces_of(user)}
    return {
        event.pk
        for event in events
        if (event.object_type in NEUTRAL and event.workspace_id not in own)
        or listed[event.pk] & shut
        or _number_of(event) in closed.get(event.object_type, ())
    }


def _number_of(event: AuditEvent) -> int:
    return int(event.object_id) if event.object_id.isdecimal() else 0


def _numbers_in(event: AuditEvent) -> set[int]:
    given = event.details.get("documents")
    return {number for number in given if isinstance(number, int)} if isinstance(given, list) else set()


def _readable_threads_of(user: User, numbers: set[int]) -> set[int]:
    """Those of the threads in which a run exists for this account."""
    if not numbers:
        return set()
    shown = visible_runs(user.pk, [row.pk for row in workspaces_of(user)])
    return set(shown.filter(thread__in=numbers).order_by().values_list("thread", flat=True).distinct())


def _hidden_documents_of(user: User, numbers: set[int]) -> set[int]:
    """Those of the documents that lie in a folder closed to this account, or did in a restricted one when purged."""
    if not numbers:
        return set()
    there = Document.objects.filter(folder__in=closed_folders(user.pk), pk__in=numbers).values_list("pk", flat=True)
    gone = AuditEvent.objects.filter(verb="document.purged", object_id__in=[str(number) for number in numbers])
    purged = gone.filter(**{f"details__{RESTRICTED}": True}).values_list("object_id", flat=True)
    return {*there, *map(int, purged)}
