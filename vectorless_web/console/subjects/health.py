"""How well the documents of a workspace can be relied on: what was not read, failed, is old, doubled or superseded."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import OuterRef, Q, QuerySet, Subquery

from vectorless_web.documents.models import Document, DocumentVersion, SnapshotRow
from vectorless_web.documents.selectors import closed_folders, documents_in, visible_snapshot
from vectorless_web.documents.services import queue_outdated_in
from vectorless_web.engine.documents.artefact import ENGINE_VERSION
from vectorless_web.engine.finding.routing.editions import Edition, order_editions
from vectorless_web.engine.index.snapshot import Snapshot
from vectorless_web.engine.index.word_blocks import compare_sketches
from vectorless_web.workspaces.models import Workspace
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services import record

SHOWN = 25
"""Documents of a kind on the page; the count says how many there are."""
ALIKE = 0.9
"""Share of common words from which two documents are told to be nearly the same. Two yearly reports of a company have
about 0.7, two scans of a letter 0.95."""
BANDS = 8
"""Parts of the hashes; documents that share the smallest of one are compared. Of two that are alike all but one in a
hundred million share one."""
GROUP_MAX = 40
"""Documents that share a band, at most: more share boilerplate, and comparing all takes the square of them."""
SERIES_MAX = 500
"""Documents of a series, at most, as the router takes them: more share a title by chance, such as "invoice"."""


@dataclass(frozen=True)
class Concern:
    """One document that needs a look, with a sentence, and another document that the sentence is about."""

    document: Document
    text: str = ""
    other: Document | None = None


@dataclass(frozen=True)
class Concerns:
    """Documents with one kind of trouble: the first of them, and how many there are."""

    count: int = 0
    shown: list[Concern] = field(default_factory=list)


def report_health(workspace: Workspace, user: User) -> dict[str, Any]:
    """How many documents exist for the user and can be read, and by what is wrong with them those that need a look."""
    rows = documents_in(workspace, user).select_related("current_version")
    current = rows.filter(current_version__status=DocumentVersion.Status.READY).order_by("title", "pk")
    old = current.exclude(current_version__engine_version=ENGINE_VERSION)
    snapshot = visible_snapshot(workspace.pk, closed_folders(user.pk, [workspace.pk]))
    return {
        "ready": current.count(),
        "failed": _list_failed(rows),
        "unread": _list_unread(current),
        "outdated": _count_and_show(old, lambda row: row.current_version.engine_version if row.current_version else ""),
        "quarantined": _count_and_show(rows.exclude(quarantined_at=None), lambda row: row.quarantine_reason),
        "superseded": _name(rows, find_superseded(snapshot)),
        "doubles": _name(rows, [(pair[1], pair[0], "") for pair in find_doubles(read_sketches(workspace))]),
    }


def recompile_workspace(*, actor: User, workspace: Workspace) -> int:
    """Queue what another compiler made, of the documents that exist for the owner. How many; they stay readable."""
    with transaction.atomic():
        queued = queue_outdated_in(workspace, actor)
        record(actor=actor, verb="documents.recompiled", workspace=workspace, details={"versions": queued})
    return queued


def _count_and_show(rows: QuerySet[Any], describe: Callable[[Any], str]) -> Concerns:
    return Concerns(rows.count(), [Concern(row, describe(row)) for row in rows[:SHOWN]])


def _list_failed(rows: QuerySet[Document]) -> Concerns:
    newest = DocumentVersion.objects.filter(document=OuterRef("pk")).order_by("-number")
    failed = rows.annotate(
        newest_status=Subquery(newest.values("status")[:1]), newest_error=Subquery(newest.values("error_message")[:1])
    ).filter(newest_status=DocumentVersion.Status.FAILED)
    return _count_and_show(failed, lambda row: row.newest_error)


def _list_unread(current: QuerySet[Document]) -> Concerns:
    """Documents with pages of which nothing was read; reports of older compilers do not tell blank pages apart."""
    old = Q(current_version__report__unread=None, current_version__report__pages_without_text__0__isnull=False)
    rows = current.filter(Q(current_version__report__unread__0__isnull=False) | old)
    return _count_and_show(rows, _describe_unread)


def _describe_unread(document: Document) -> str:
    version = document.current_version
    return f"{version.unread_pages} of {version.pages} pages" if version is not None else ""


def _name(rows: QuerySet[Document], found: Sequence[tuple[int, int, str]]) -> Concerns:
    """(document, other document, sentence) with their rows; pairs that do not exist for the user are left out."""
    numbers = {pk for first, second, _ in found for pk in (first, second)}
    known = rows.in_bulk(numbers)
    told = [Concern(known[one], text, known[two]) for one, two, text in found if one in known and two in known]
    return Concerns(len(told), told[:SHOWN])


def find_superseded(snapshot: Snapshot) -> list[tuple[int, int, str]]:
    """Documents of whose series a later edition is there: (number, number of the latest, which edition it is).

    Only editions that state a day or a version are told apart: the order of uploads says nothing.
    """
    rows = snapshot.all_rows()
    if not len(rows):
        return []
    ids, editions = snapshot.row_ids(rows).tolist(), [Edition.decode(int(n)) for n in snapshot.editions(rows)]
    members: dict[int, list[int]] = defaultdict(list)
    for place, hashes in enumerate(snapshot.series(rows).tolist()):
        # The first key is that of the title; the others join documents of a kind, which need not replace each other.
        if hashes[0]:
            members[hashes[0]].append(place)
    found = []
    for group in members.values():
        stated = [at for at in group if editions[at].day or editions[at].version]
        if not 1 < len(stated) <= SERIES_MAX:
            continue
        order = [stated[at] for at in order_editions([editions[at] for at in stated])]
        valid = [at for at in order if not editions[at].is_withdrawn and not editions[at].is_draft] or order
        latest = valid[-1]
        found += [(ids[at], ids[latest], editions[at].describe()) for at in order if _precedes(editions, at, latest)]
    return sorted(found)


def _precedes(editions: Sequence[Edition], one: int, latest: int) -> bool:
    first, last = editions[one], editions[latest]
    return one != latest and (first.day, first.version, first.amendment) != (last.day, last.version, last.amendment)


def read_sketches(workspace: Workspace) -> dict[int, bytes]:
    """The sketch of each document of a workspace, by its number; those that have none yet are left out."""
    rows = SnapshotRow.objects.filter(workspace=workspace).exclude(data=b"").exclude(sketch=b"")
    return {pk: bytes(sketch) for pk, sketch in rows.values_list("document", "sketch")}


def find_doubles(sketches: dict[int, bytes]) -> list[tuple[int, int]]:
    """Pairs of documents with nearly the same words, the older number first."""
    bands: dict[tuple[int, int], list[int]] = defaultdict(list)
    for pk, sketch in sketches.items():
        hashes = np.frombuffer(sketch, "<u8")
        for band in range(BANDS):
            own = hashes[hashes % BANDS == band]
            if len(own):
                bands[band, int(own[0])].append(pk)
    pairs = {pair for group in bands.values() if 1 < len(group) <= GROUP_MAX for pair in _pairs_of(group)}
    return sorted(pair for pair in pairs if compare_sketches(sketches[pair[0]], sketches[pair[1]]) >= ALIKE)


def _pairs_of(group: Iterable[int]) -> Iterable[tuple[int, int]]:
    ordered = sorted(group)
    return ((one, two) for at, one in enumerate(ordered) for two in ordered[at + 1 :])
