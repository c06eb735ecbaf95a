"""Whose names an administrator or owner may read: a restricted folder and a private run are hidden from them, too.

An account that sees a document or run as a member does reads its name; for anybody else it is a number.
"""

from collections.abc import Iterable

from django.db.models import BigIntegerField, Case, Exists, OuterRef, Q, QuerySet, When
from django.db.models.functions import Cast

from vectorless_web.documents.models import Document
from vectorless_web.documents.selectors import closed_folders, open_to
from vectorless_web.runs.models import Run
from vectorless_web.runs.selectors import visible_runs
from vectorless_web.workspaces.models import AuditEvent, Workspace
from vectorless_web.workspaces.selectors import User

RESTRICTED = "restricted"
"""A detail of the event by which a document of a restricted folder was purged: its name stays hidden."""
NEUTRAL = {"document": "a document", "run": "a question", "thread": "a thread", "folder": "a folder"}
"""What stands in the place of a name, by the kind of object."""


def readable_documents_of(user: User, numbers: Iterable[int]) -> set[int]:
    """Those of the documents that no folder hides from this account."""
    return set(Document.objects.filter(open_to(user), pk__in=list(numbers)).values_list("pk", flat=True))


def readable_runs_of(user: User, numbers: Iterable[int]) -> set[int]:
    """Those of the runs that neither privacy nor a folder hides from this account."""
    rows = Run.objects.filter(pk__in=list(numbers))
    shown = visible_runs(user.pk, rows.order_by().values_list("workspace", flat=True).distinct())
    return set(shown.filter(pk__in=rows.values("pk")).values_list("pk", flat=True))


def select_told(events: QuerySet[AuditEvent], user: User, workspace: Workspace | None = None) -> QuerySet[AuditEvent]:
    """The events whose object the account may read of.

    Documents of restricted folders that are not open to it, and runs that do not exist for it or no longer exist,
    are left out. `workspace`: the events are of this one alone.
    """
    number = Case(When(object_id__regex=r"^\d{1,18}$", then=Cast("object_id", BigIntegerField())), default=0)
    rows = events.annotate(number=number)
    places = [workspace.pk] if workspace is not None else Workspace.objects.values_list("pk", flat=True)
    runs = visible_runs(user.pk, places)
    closed = closed_folders(user.pk, [workspace.pk] if workspace is not None else None)
    hidden = Document.objects.filter(folder__in=closed)
    purged = AuditEvent.objects.filter(verb="document.purged", details__restricted=True)
    is_run = Q(object_type="run") & ~Q(Exists(runs.filter(pk=OuterRef("number"))))
    is_thread = Q(object_type="thread") & ~Q(Exists(runs.filter(thread=OuterRef("number"))))
    is_document = Q(object_type="document") & (
        Q(Exists(hidden.filter(pk=OuterRef("number")))) | Q(Exists(purged.filter(object_id=OuterRef("object_id"))))
    )
    is_folder = Q(object_type="folder") & Q(Exists(closed.filter(pk=OuterRef("number"))))
    return rows.exclude(is_run).exclude(is_thread).exclude(is_document).exclude(is_folder)


def hide_names(events: Iterable[AuditEvent], user: User) -> list[AuditEvent]:
    """The events; one whose object the account may not read of has neither its name nor its details."""
    found = list(events)
    many = _list_hidden(found, user)
    told = set(
        select_told(AuditEvent.objects.filter(pk__in=[each.pk for each in found]), user).values_list("pk", flat=True)
    )
    for event in found:
        if event.pk not in told or event.pk in many:
            event.object_name = NEUTRAL.get(event.object_type, "documents")
            event.details = {}
    return found


def drop_hidden(events: Iterable[AuditEvent], user: User) -> list[AuditEvent]:
    """The events but for those on several documents of which one is hidden from the account."""
    found = list(events)
    many = _list_hidden(found, user)
    return [event for event in found if event.pk not in many]


def _list_hidden(events: Iterable[AuditEvent], user: User) -> set[int]:
    """Numbers of the events on several documents of which one is hidden from the account, or is gone."""
    listed = {event.pk: _numbers_in(event) for event in events}
    readable = readable_documents_of(user, {number for numbers in listed.values() for number in numbers})
    return {pk for pk, numbers in listed.items() if numbers - readable}


def _numbers_in(event: AuditEvent) -> set[int]:
    given = event.details.get("documents")
    return {number for number in given if isinstance(number, int)} if isinstance(given, list) else set()
