"""The words of a workspace's own by which its questions find more."""

from django.db import transaction

from vectorless_web.engine.questions.entries import MAX_ENTRIES, wordings
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.models import LexiconEntry, Workspace
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services.recording import record

__all__ = ["MAX_ENTRIES", "add_entry", "change_entry", "remove_entry"]


@transaction.atomic
def add_entry(*, actor: User, entry: LexiconEntry) -> LexiconEntry:
    """Store a new entry. Problem (422) when one of its names is taken or there are too many entries."""
    rows = _lock_entries(entry.workspace)
    if len(rows) >= MAX_ENTRIES:
        raise Problem(f"There are {MAX_ENTRIES} entries, which is the most.", code="too_many_entries", status=422)
    _refuse_taken_names(entry, rows)
    entry.created_by_id = actor.pk
    entry.save()
    _record(actor, "lexicon.added", entry)
    return entry


@transaction.atomic
def change_entry(*, actor: User, entry: LexiconEntry) -> LexiconEntry:
    """Store a changed entry. Problem (422) when one of its names is another entry's."""
    _refuse_taken_names(entry, _lock_entries(entry.workspace))
    entry.save()
    _record(actor, "lexicon.changed", entry)
    return entry


@transaction.atomic
def remove_entry(*, actor: User, entry: LexiconEntry) -> None:
    """Delete an entry."""
    _record(actor, "lexicon.removed", entry)
    entry.delete()


def _lock_entries(workspace: Workspace) -> list[LexiconEntry]:
    """The workspace's entries, which nobody else changes until the transaction ends."""
    Workspace.objects.select_for_update().get(pk=workspace.pk)
    return list(workspace.lexicon_entries.all())


def _refuse_taken_names(entry: LexiconEntry, rows: list[LexiconEntry]) -> None:
    names = set(wordings(entry.concept))
    for other in rows:
        taken = sorted(names & set(wordings(other.concept))) if other.pk != entry.pk else []
        if taken:
            sentence = f"“{taken[0]}” is in the lexicon already. Add the wordings to that entry."
            raise Problem(sentence, code="entry_exists", status=422)


def _record(actor: User, verb: str, entry: LexiconEntry) -> None:
    details = {"phrases": entry.phrases, "statement": entry.statement}
    record(actor=actor, verb=verb, workspace=entry.workspace, target=entry, details=details)
