"""The documents of a run as the engine sees them: rows, artefacts, and the workspace's router."""

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from typing import Any

from vectorless_web.documents.background import enrich_cards, lines_of, summaries_of, vectors_of
from vectorless_web.documents.models import Card as CardRow
from vectorless_web.documents.models import DocumentVersion
from vectorless_web.documents.rendering.page import RenderUnavailable, has_pages, page_image
from vectorless_web.documents.selectors import visible_snapshot
from vectorless_web.documents.storage.files import open_version, peek_at_version
from vectorless_web.engine.agent.corpus import Corpus, DocumentEntry, SecondPass
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.card import Card, card_from
from vectorless_web.engine.documents.vectors import NodeVectors
from vectorless_web.engine.errors import ArtefactDamaged, NotFound, PictureUnavailable
from vectorless_web.engine.finding.routing import DocumentRouter, RouteMode, RouterConfig, RouteResult, ScoredCandidate
from vectorless_web.engine.finding.routing.lexical import OpenTexts
from vectorless_web.engine.index.snapshot import Snapshot
from vectorless_web.engine.llm.model import ChatModel
from vectorless_web.engine.llm.picture import Picture, draw_picture
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.runs.models import Run
from vectorless_web.runs.selectors import documents_in_scope, hidden_folders, versions_in_scope

WEIGHTS = ("w_bm25", "w_keyword", "w_graph", "w_fields", "w_text")
COUNTS = ("activate_threshold", "max_candidates", "bm25_top_k")
ROUTER_SETTINGS = ("route_mode", *COUNTS, *WEIGHTS)
"""Names of the router's settings in a workspace and in a run."""
NOT_INDEXED = "its card is not indexed yet"
UNTOLD = "The run asked the router more often than it did then."


def router_config(settings: Mapping[str, Any]) -> RouterConfig:
    """The router's settings among those of a run; what is missing is the default."""
    given = {name: settings[name] for name in (*COUNTS, *WEIGHTS) if name in settings}
    return RouterConfig(mode=RouteMode(settings.get("route_mode", RouteMode.FAST)), **given)


class RunRouter:
    """Routes the documents of one run. The snapshot is that of the first question put to it.

    `results` are what it answered in this attempt; as far as `known` goes, it repeats what an
    earlier attempt was told. A pinned one knows nothing else: NotFound when it is asked more often.
    """

    def __init__(
        self,
        run: Run,
        *,
        cards: Callable[[int], Card],
        texts: OpenTexts | None = None,
        known: Sequence[RouteResult] = (),
        is_pinned: bool = False,
    ) -> None:
        self._run, self._cards, self._texts = run, cards, texts
        self._config = router_config(run.settings)
        self.known, self._is_pinned = known, is_pinned
        self.results: list[RouteResult] = []

    def route(self, plan: QueryPlan, *, after: SecondPass | None = None, model: ChatModel | None = None) -> RouteResult:
        """The shortlist; documents of a small scope that have no card in the snapshot yet go on too."""
        number = len(self.results)
        if number < len(self.known):
            found = self.known[number]
        elif self._is_pinned:
            raise NotFound(UNTOLD)
        else:
            found = self._route(plan, after, model)
        self.results.append(found)
        return found

    def _route(self, plan: QueryPlan, after: SecondPass | None, model: ChatModel | None) -> RouteResult:
        ids = self._ids()
        router = DocumentRouter(self.snapshot, self._config, model=model, cards=self._cards, open_texts=self._texts)
        if after is None:
            return self._with_unindexed(router.route(plan, ids), ids)
        read, gave = [int(name) for name in after.read], [int(name) for name in after.yielded]
        found = router.reroute(plan, gaps=after.terms, read=read, yielded=gave, doc_ids=ids)
        return self._with_unindexed(found, None if ids is None else [pk for pk in ids if pk not in read])

    @cached_property
    def snapshot(self) -> Snapshot:
        """The cards that all passes of the run look at."""
        return visible_snapshot(self._run.workspace_id, hidden_folders(self._run))

    def _ids(self) -> list[int] | None:
        """The documents of the scope, ascending; None for the whole of a large workspace, whose ids nobody lists."""
        rows = documents_in_scope(self._run).filter(current_version__isnull=False).order_by("pk")
        ids = list(rows.values_list("pk", flat=True)[: self._config.activate_threshold + 1])
        if len(ids) <= self._config.activate_threshold:
            return ids
        return None if self._run.whole_workspace else list(rows.values_list("pk", flat=True))

    def _with_unindexed(self, found: RouteResult, ids: Sequence[int] | None) -> RouteResult:
        if ids is None or found.activated:
            return found
        known = {candidate.doc_id for candidate in found.candidates}
        missing = [ScoredCandidate(pk, 0.0, 0.0, 0.0, 0.0, NOT_INDEXED) for pk in ids if pk not in known]
        return replace(found, candidates=(*found.candidates, *missing)) if missing else found


class WorkspaceCorpus(Corpus):
    """The document versions a run may read; a document's id in the corpus is its primary key as text.

    Nothing grows with the workspace: versions and cards are read for the documents that
    are asked for. `opened` collects the primary keys of the versions that were read, so
    that the run can be pinned to them, `asked_for` the ids of the documents that were
    named to the engine or opened, `left_out` those whose compiled file was damaged. An
    attempt after a crash is given the `routes` of the one before it; with `is_pinned` the
    router knows no others.
    """

    def __init__(self, run: Run, *, routes: Sequence[RouteResult] = (), is_pinned: bool = False) -> None:
        self._run = run
        self._versions: dict[str, DocumentVersion] = {}
        self._documents: dict[str, CompiledDocument] = {}
        self._cards: dict[int, Card] = {}
        self._router = RunRouter(
            run, cards=lambda pk: self.card(str(pk)), texts=self._peek, known=routes, is_pinned=is_pinned
        )
        self.opened: set[int] = set()
        self.asked_for: set[str] = set()
        self.left_out: set[str] = set()

    @property
    def router(self) -> RunRouter:
        """The workspace's router, narrowed to the run's documents."""
        return self._router

    @cached_property
    def fingerprint(self) -> str:
        """The same for the same documents compiled by the same engine; of a whole workspace, for the same cards."""
        digest = hashlib.sha256()
        if self._run.whole_workspace:
            digest.update(f"{self._run.workspace_id}:{self._router.snapshot.version}".encode())
            for pk in sorted(hidden_folders(self._run).values_list("pk", flat=True)):
                digest.update(f":without folder {pk}".encode())
        else:
            rows = list(versions_in_scope(self._run).defer("report", "corrections"))
            self._versions |= {str(row.document_id): row for row in rows}
            for row in rows:
                digest.update(f"{row.document_id}:{row.artefact_sha256}\n".encode())
        return digest.hexdigest()

    def entries(self) -> Sequence[DocumentEntry]:
        """All documents of the scope, in the order they were added."""
        return [_entry(version) for version in versions_in_scope(self._run)]

    @cached_property
    def size(self) -> int:
        """How many documents the scope has."""
        return documents_in_scope(self._run).filter(current_version__isnull=False).count()

    def find_entries(self, documents: Collection[str]) -> Sequence[DocumentEntry]:
        """The entries of these documents; those that are not in the scope are left out."""
        self._fetch(documents)
        self.asked_for |= self._versions.keys() & set(documents)
        return [_entry(self._versions[name]) for name in documents if name in self._versions]

    def card(self, document: str) -> Card:
        """The document's card; NotFound if it is not in the scope."""
        version = self.version(document)
        if version.pk not in self._cards:
            self._read_cards()
        return self._cards[version.pk]

    def open(self, document: str) -> CompiledDocument:
        """Open the compiled document; NotFound if it is not in the scope, ArtefactDamaged while it is repaired."""
        version = self.version(document)
        if document not in self._documents:
            self.asked_for.add(document)
            try:
                self._documents[document] = open_version(version)
            except ArtefactDamaged:
                self.left_out.add(document)
                raise
            self.opened.add(version.pk)
        return self._documents[document]

    def _peek(self, ids: Sequence[int]) -> dict[int, CompiledDocument]:
        """The compiled documents to look into for a shortlist: they are not read by the run, and not pinned to it."""
        self._fetch([str(pk) for pk in ids])
        versions = {pk: self._versions[str(pk)] for pk in ids if str(pk) in self._versions}
        found = {pk: peek_at_version(version) for pk, version in versions.items()}
        return {pk: document for pk, document in found.items() if document is not None}

    def vectors(self, document: str) -> NodeVectors | None:
        """The document's vectors, if they were ready when the run began: every attempt finds the same."""
        return vectors_of(self.version(document), before=self._run.started_at)

    def summaries(self, document: str) -> Mapping[int, str]:
        """Lines on the document's sections, if the run is shown any and they were ready when it began."""
        if not self._run.settings.get("summaries"):
            return {}
        return lines_of(summaries_of(self.version(document), before=self._run.started_at))

    def has_pictures(self, document: str) -> bool:
        """Whether the document has drawn pages."""
        return has_pages(self.version(document))

    def picture(self, document: str, page_index: int) -> Picture:
        """The page as the render child draws it; PictureUnavailable when it cannot."""
        version, page = self.version(document), self.open(document).pages[page_index]

        def draw(scale: float) -> bytes:
            try:
                return page_image(version, page_index, scale).read_bytes()
            except RenderUnavailable as error:
                raise PictureUnavailable(error.message) from error
            except FileNotFoundError as error:
                raise PictureUnavailable("The picture was removed from the cache meanwhile.") from error

        return draw_picture(document, page_index, (page.width, page.height), draw)

    def version(self, document: str) -> DocumentVersion:
        """The version that stands for a document in this run; NotFound if it is not in the scope."""
        self._fetch([document])
        try:
            return self._versions[document]
        except KeyError:
            raise NotFound("This document is not among those the question was asked of.") from None

    def describe_inputs(self) -> dict[str, Any]:
        """Values stored for a replay: the number of documents, the router's results, the documents concerned."""
        routed = [str(row.doc_id) for route in self._router.results for row in (*route.candidates, *route.tail)]
        named = list(dict.fromkeys((*routed, *sorted(self.asked_for))))
        self._fetch(named)
        rows = {name: self._versions[name] for name in named if name in self._versions}
        return {
            "considered": self.size,
            "routes": [asdict(route) for route in self._router.results],
            "documents": {
                name: _describe_version(row) | ({"left_out": True} if name in self.left_out else {})
                for name, row in rows.items()
            },
        }

    def count_inputs(self) -> tuple[int, int, int]:
        """How much of that there is: results of the router, documents asked for, documents left out."""
        return len(self._router.results), len(self.asked_for), len(self.left_out)

    def _fetch(self, documents: Iterable[str]) -> None:
        """Read the versions of those documents that were not asked for before, in one query."""
        wanted = [int(name) for name in documents if name not in self._versions and name.isdecimal()]
        if wanted:
            rows = versions_in_scope(self._run, wanted).defer("report", "corrections")
            self._versions |= {str(row.document_id): row for row in rows}

    def _read_cards(self) -> None:
        """The cards of all versions known so far: the router names a shortlist before its cards are read."""
        missing = {row.pk: row for row in self._versions.values() if row.pk not in self._cards}
        stored = CardRow.objects.filter(version__in=missing).values_list("version", "data")
        read = {pk: card_from(data) for pk, data in stored}
        if self._run.settings.get("summaries"):
            read = enrich_cards(read, before=self._run.started_at)
        self._cards |= read
        self._cards |= {pk: _card_in(row) for pk, row in missing.items() if pk not in self._cards}


def _card_in(version: DocumentVersion) -> Card:
    """The card of the compiled file; the title alone when that cannot be read."""
    try:
        return open_version(version).card
    except ArtefactDamaged:
        return Card(title=version.document.title, overview="", topic_tags=())


def _describe_version(version: DocumentVersion) -> dict[str, Any]:
    document = version.document
    names = {"name": document.name, "title": document.title, "pages": version.pages}
    return {"version": version.pk, "artefact": version.artefact_sha256, **names}


def _entry(version: DocumentVersion) -> DocumentEntry:
    document = version.document
    return DocumentEntry(id=str(document.pk), name=document.name, title=document.title, pages=version.pages)
