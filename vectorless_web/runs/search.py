"""Search in a workspace: documents by title and content with their passages, runs and threads."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from django.db.models import OuterRef, Q, Subquery
from django.utils import timezone

from vectorless_web.documents.models import Document, DocumentVersion
from vectorless_web.documents.selectors import closed_folders, documents_in, visible_snapshot
from vectorless_web.documents.storage.files import peek_at_version
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.finding.routing.card_keys import FORM, YEAR
from vectorless_web.engine.finding.routing.editions import Edition
from vectorless_web.engine.finding.routing.lexical import AskedWord, BestPassage, OpenTexts, PassageReader
from vectorless_web.engine.finding.routing.signals import RouterConfig, RouteScorer, Signals
from vectorless_web.engine.index.snapshot import Snapshot
from vectorless_web.engine.index.snapshot_rows import Array, key_hash
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.questions.understand import understand
from vectorless_web.engine.text.analyser import analyse, words
from vectorless_web.runs.models import Run, Thread
from vectorless_web.runs.selectors import asked_runs
from vectorless_web.workspaces.models import Workspace
from vectorless_web.workspaces.selectors import User, role_in

PAGE_SIZE = 10
"""Documents on one page of results, each of which is opened for its passages."""
POOL = 1_000
"""Documents that are ranked, the best by their words; facets count these."""
LEAST = 0.3
"""Share of the best score from which a document is a result: below it words stand far apart in long texts."""
LOOKED_INTO = 15
"""Documents, the first ones, whose order their best passages decide, as when a question is routed."""
PASSAGES = 3
"""Passages shown of one document."""
OTHERS = 5
"""Runs and threads shown beside the documents."""
FIRST_YEAR = 1950
KINDS = (
    *("annual report", "quarterly report", "current report", "earnings release", "proxy statement", "prospectus"),
    *("contract", "lease agreement", "policy", "handbook", "manual", "minutes", "plan", "specification", "invoice"),
)
"""Kinds of document that results can be narrowed to, as the router's typed fields name them."""
_FIND_WORDS = 10
"""Words of a passage that the reader is asked to find on its page."""


@dataclass(frozen=True)
class SearchQuery:
    """What is searched for, and what narrows it; empty values do not. `series` is one of the series of a snapshot."""

    text: str = ""
    folder: int | None = None
    tag: str = ""
    kind: str = ""
    year: int | None = None
    series: int = 0
    page: int = 1

    @property
    def narrows(self) -> bool:
        """Whether some documents may be left out."""
        return any([self.folder, self.tag, self.kind, self.year, self.series])


@dataclass(frozen=True)
class Piece:
    """A piece of a passage; a word that was asked for is `marked`."""

    text: str
    marked: bool = False


@dataclass(frozen=True)
class FoundPassage:
    """A passage with its page (from 1), and the words by which the reader finds it there."""

    page: int
    pieces: tuple[Piece, ...]
    find: str

    @property
    def text(self) -> str:
        """Its words without marks."""
        return "".join(piece.text for piece in self.pieces)


@dataclass(frozen=True)
class FoundDocument:
    """A document of the results. `edition` says which one of `editions` in its `series` it is, when there are more."""

    document: Document
    title: tuple[Piece, ...]
    passages: tuple[FoundPassage, ...]
    edition: str = ""
    editions: int = 0
    series: int = 0

    @property
    def series_code(self) -> str:
        """The series as an address names it."""
        return f"{self.series:x}"


@dataclass(frozen=True)
class Facet:
    """A value by which the results can be narrowed, and how many documents it leaves."""

    value: str
    label: str
    count: int


@dataclass(frozen=True)
class Found:
    """One page of results. `total` counts all documents found; `seconds` is the time it took."""

    documents: Sequence[FoundDocument] = ()
    total: int = 0
    page: int = 1
    facets: Mapping[str, Sequence[Facet]] = field(default_factory=dict)
    runs: Sequence[Run] = ()
    threads: Sequence[Thread] = ()
    seconds: float = 0.0

    @property
    def pages(self) -> int:
        """Pages of results."""
        return -(-self.total // PAGE_SIZE)


def search_workspace(workspace: Workspace, user: User, query: SearchQuery) -> Found:
    """One page of what fits the query, best first; nothing for somebody who is not a member."""
    if not query.text or not (workspace.role or role_in(workspace, user)):
        return Found()
    started = timezone.now()
    snapshot = visible_snapshot(workspace.pk, closed_folders(user.pk, [workspace.pk]))
    plan = understand(query.text)
    signals, reader_words = _rank(snapshot, plan, lambda ids: _open_texts(workspace, user, ids))
    rows = _list_rows(signals)
    held = _read_held(workspace, user, snapshot, rows)
    facets = _count_facets(snapshot, rows, held.values())
    rows = _narrow(snapshot, rows, held, query)
    page = max(1, min(query.page, -(-len(rows) // PAGE_SIZE)))
    shown = rows[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]
    found = Found(
        documents=_show(workspace, user, snapshot, shown, reader_words),
        total=len(rows),
        page=page,
        facets=facets,
        runs=_find_runs(workspace, user, query.text),
        threads=_find_threads(workspace, user, query.text),
    )
    return replace(found, seconds=(timezone.now() - started).total_seconds())


def _rank(snapshot: Snapshot, plan: QueryPlan, open_texts: OpenTexts) -> tuple[Signals, Sequence[AskedWord]]:
    scorer = RouteScorer(snapshot, plan, RouterConfig())
    signals = scorer.signals(scorer.pool(POOL, None))
    return scorer.with_passages(signals, open_texts, LOOKED_INTO), signals.words


def _open_texts(workspace: Workspace, user: User, ids: Sequence[int]) -> dict[int, CompiledDocument]:
    ready = documents_in(workspace, user).filter(pk__in=ids, current_version__status=DocumentVersion.Status.READY)
    versions = {row.pk: row.current_version for row in ready.select_related("current_version") if row.current_version}
    found = {pk: peek_at_version(version) for pk, version in versions.items()}
    return {pk: document for pk, document in found.items() if document is not None}


def _list_rows(signals: Signals) -> list[int]:
    """Rows of the documents that fit, best first."""
    best = float(signals.score.max(initial=0.0))
    return [int(signals.rows[at]) for at in signals.order() if signals.score[at] >= max(LEAST * best, 1e-9)]


@dataclass(frozen=True, slots=True)
class _Held:
    """Where a found document lies: its folder's id and name (0 and "" without one), and its tags."""

    folder: int
    name: str
    tags: Sequence[str]


def _read_held(workspace: Workspace, user: User, snapshot: Snapshot, rows: Sequence[int]) -> dict[int, _Held]:
    """By id the documents found, in one query: facets count them and choose among them."""
    ids = snapshot.row_ids(np.array(rows, np.int64)).tolist()
    here = documents_in(workspace, user).filter(pk__in=ids).values_list("pk", "folder", "folder__name", "tags")
    return {pk: _Held(folder or 0, name or "", tags) for pk, folder, name, tags in here}


def _count_facets(snapshot: Snapshot, rows: Sequence[int], documents: Iterable[_Held]) -> dict[str, Sequence[Facet]]:
    """Folders, tags, kinds and years of all that was found, the most frequent first; years the latest first."""
    folders: Counter[tuple[int, str]] = Counter()
    tags: Counter[str] = Counter()
    for document in documents:
        if document.folder:
            folders[document.folder, document.name] += 1
        tags.update(document.tags)
    held = np.array(sorted(rows), np.int64)
    years = {year: _count(snapshot, (YEAR, str(year)), held) for year in _years()}
    kinds = {kind: _count(snapshot, (FORM, kind), held) for kind in KINDS}
    return {
        "folder": [Facet(str(pk), name, count) for (pk, name), count in folders.most_common(8)],
        "tag": [Facet(tag, tag, count) for tag, count in tags.most_common(8)],
        "kind": [Facet(kind, kind, count) for kind, count in Counter(kinds).most_common(8) if count],
        "year": [Facet(str(year), str(year), count) for year, count in years.items() if count][:10],
    }


def _years() -> Iterable[int]:
    return range(timezone.now().year + 1, FIRST_YEAR, -1)


def _count(snapshot: Snapshot, key: tuple[str, str], rows: Array) -> int:
    return int(np.isin(rows, snapshot.key_postings(key_hash(*key)).rows, assume_unique=True).sum())


def _narrow(snapshot: Snapshot, rows: Sequence[int], held: Mapping[int, _Held], query: SearchQuery) -> list[int]:
    """The rows that every facet chosen leaves, in their order."""
    kept = np.array(rows, np.int64)
    keys = [(FORM, query.kind)] if query.kind else []
    keys += [(YEAR, str(query.year))] if query.year else []
    hashes = [key_hash(*key) for key in keys] + ([query.series] if query.series else [])
    for hashed in hashes:
        kept = kept[np.isin(kept, snapshot.key_postings(hashed).rows)]
    wanted = {
        pk
        for pk, document in held.items()
        if (not query.folder or document.folder == query.folder) and (not query.tag or query.tag in document.tags)
    }
    return [row for row, pk in zip(kept.tolist(), snapshot.row_ids(kept).tolist(), strict=True) if pk in wanted]


def _show(
    workspace: Workspace, user: User, snapshot: Snapshot, rows: Sequence[int], asked: Sequence[AskedWord]
) -> list[FoundDocument]:
    """Those documents with their best passages and where they stand in their series."""
    ids = snapshot.row_ids(np.array(rows, np.int64)).tolist()
    ready = documents_in(workspace, user).filter(current_version__status=DocumentVersion.Status.READY)
    known = {row.pk: row for row in ready.filter(pk__in=ids).select_related("current_version", "folder")}
    terms = {word.term for word in asked}
    found = []
    for row, pk in zip(rows, ids, strict=True):
        if pk in known:
            document = known[pk]
            document.workspace = workspace
            passages = [_show_passage(passage, terms) for passage in _read_passages(document, asked)]
            title = tuple(_mark_words(document.title, terms))
            found.append(FoundDocument(document, title, tuple(passages), *_place_in_series(snapshot, row)))
    return found


def _read_passages(document: Document, asked: Sequence[AskedWord]) -> list[BestPassage]:
    compiled = peek_at_version(document.current_version) if document.current_version else None
    if compiled is None or not asked:
        return []
    return PassageReader(asked).list_best(compiled, set(analyse(document.title)), most=PASSAGES)


def _show_passage(passage: BestPassage, terms: set[str]) -> FoundPassage:
    pieces = tuple(_mark_words(passage.text, terms))
    at = next((number for number, piece in enumerate(pieces) if piece.marked), 0)
    start = "".join(piece.text for piece in pieces[at:])
    return FoundPassage(passage.page_index + 1, pieces, " ".join(start.split()[:_FIND_WORDS]).rstrip(".,;:"))


def _mark_words(text: str, terms: set[str]) -> Iterable[Piece]:
    """The text in pieces, its words that were asked for marked."""
    end = 0
    for word in words(text):
        if terms.intersection(analyse(word.text)):
            if word.start > end:
                yield Piece(text[end : word.start])
            yield Piece(text[word.start : word.end], marked=True)
            end = word.end
    if end < len(text):
        yield Piece(text[end:])


def _place_in_series(snapshot: Snapshot, row: int) -> tuple[str, int, int]:
    """Which edition a document is, how many its series has, and the series; empty where it is the only one."""
    own = np.array([row])
    edition = Edition.decode(int(snapshot.editions(own)[0])).describe()
    for series in snapshot.series(own)[0].tolist():
        count = snapshot.key_frequency(series) if series else 0
        if count > 1:
            return edition, count, series
    return "", 0, 0


def _find_runs(workspace: Workspace, user: User, text: str) -> list[Run]:
    rows = asked_runs(user.pk, [workspace.pk]).select_related("asked_by", "answer")
    for word in text.split():
        rows = rows.filter(Q(question__icontains=word) | Q(answer__markdown__icontains=word))
    found = list(rows.order_by("-pk")[:OTHERS])
    for run in found:
        run.workspace = workspace
        run.good = run.bad = 0  # type: ignore[attr-defined]
    return found


def _find_threads(workspace: Workspace, user: User, text: str) -> list[Thread]:
    """Threads whose first question, which their titles tell, exists for the user."""
    first = Run.objects.filter(thread=OuterRef("pk")).order_by("pk").values("pk")[:1]
    shown = asked_runs(user.pk, [workspace.pk]).values("pk")
    rows = Thread.objects.filter(workspace=workspace).annotate(first=Subquery(first)).filter(first__in=shown)
    for word in text.split():
        rows = rows.filter(title__icontains=word)
    return list(rows.order_by("-pk")[:OTHERS])
