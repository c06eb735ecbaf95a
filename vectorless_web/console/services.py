"""Acts of the console. Each is recorded."""

from dataclasses import asdict

from django.db import transaction

from vectorless_web.console.models import SavedSearch
from vectorless_web.console.subjects.audit import AuditQuery
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services import RecordCheck, delete_and_record, record, verify_record


def verify_newest(events: int) -> RecordCheck:
    """Whether the newest events of the record stand as they were written."""
    return verify_record(newest=events)


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
        message = f"You keep {SEARCHES_MAX} searches, which is the most. Remove one first."
        raise Problem(message, code="too_many_searches", status=422)
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
