"""The documents of a run as the engine sees them: rows of the database and their artefacts, each read when wanted."""

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any, overload

from vectorless_web.documents.embeddings import vectors_of
from vectorless_web.documents.models import Card as CardRow
from vectorless_web.documents.models import DocumentVersion
from vectorless_web.documents.storage import open_version
from vectorless_web.engine.agent.corpus import DocumentEntry
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.card import Card
from vectorless_web.engine.documents.serialise import card_from
from vectorless_web.engine.documents.vectors import NodeVectors
from vectorless_web.engine.errors import ArtefactDamaged, NotFound
from vectorless_web.engine.llm.model import ChatModel
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.routing import RouteResult
from vectorless_web.runs.models import Run
from vectorless_web.runs.routing import RunRouter
from vectorless_web.runs.selectors import documents_in_scope, versions_in_scope


class Entries(Sequence[DocumentEntry]):
    """All documents of a run, counted or read only when somebody asks."""

    def __init__(self, run: Run) -> None:
        self._run = run

    @cached_property
    def _count(self) -> int:
        return documents_in_scope(self._run).filter(current_version__isnull=False).count()

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[DocumentEntry]:
        return map(_entry, versions_in_scope(self._run).iterator())

    @overload
    def __getitem__(self, index: int) -> DocumentEntry: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[DocumentEntry]: ...
    def __getitem__(self, index: int | slice) -> DocumentEntry | Sequence[DocumentEntry]:
        return list(self)[index]


class WorkspaceCorpus:
    """The document versions a run may read; a document's id in the corpus is its primary key as text.

    Nothing grows with the workspace: versions and cards are read for the documents that
    are asked for. `opened` collects the primary keys of the versions that were read, so
    that the run can be pinned to them, `left_out` the documents whose compiled file was
    damaged, `routes` what the router answered in this attempt.
    An attempt after a crash is given the `routes` of the one before it.
    """

    def __init__(self, run: Run, *, routes: Sequence[RouteResult] = ()) -> None:
        self._run = run
        self._known_routes = routes
        self.routes: list[RouteResult] = []
        self._versions: dict[str, DocumentVersion] = {}
        self._documents: dict[str, CompiledDocument] = {}
        self._cards: dict[int, Card] = {}
        self._router = RunRouter(run, cards=lambda pk: self.card(str(pk)))
        self.opened: set[int] = set()
        self.left_out: set[str] = set()

    @cached_property
    def fingerprint(self) -> str:
        """The same for the same documents compiled by the same engine; of a whole workspace, for the same cards."""
        digest = hashlib.sha256()
        if self._run.whole_workspace:
            digest.update(f"{self._run.workspace_id}:{self._router.snapshot.version}".encode())
        else:
            for row in versions_in_scope(self._run):
                digest.update(f"{row.document_id}:{row.artefact_sha256}\n".encode())
        return digest.hexdigest()

    def entries(self) -> Sequence[DocumentEntry]:
        """All documents of the scope, in the order they were added."""
        return Entries(self._run)

    def named(self, documents: Collection[str]) -> Sequence[DocumentEntry]:
        """The entries of these documents; those that are not in the scope are left out."""
        self._fetch(documents)
        return [_entry(self._versions[name]) for name in documents if name in self._versions]

    def route(self, plan: QueryPlan, *, model: ChatModel | None = None) -> RouteResult:
        """The shortlist of the workspace's router."""
        return self._told(lambda: self._router.route(plan, model=model))

    def reroute(
        self,
        plan: QueryPlan,
        *,
        gaps: Sequence[str],
        read: Collection[str],
        yielded: Sequence[str],
        model: ChatModel | None = None,
    ) -> RouteResult:
        """The router's second pass."""
        seen, gave = [int(name) for name in read], [int(name) for name in yielded]
        return self._told(lambda: self._router.reroute(plan, gaps=gaps, read=seen, yielded=gave, model=model))

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
            try:
                self._documents[document] = open_version(version)
            except ArtefactDamaged:
                self.left_out.add(document)
                raise
            self.opened.add(version.pk)
        return self._documents[document]

    def vectors(self, document: str) -> NodeVectors | None:
        """The document's vectors, if they were ready when the run began: every attempt finds the same."""
        return vectors_of(self.version(document), before=self._run.started_at)

    def version(self, document: str) -> DocumentVersion:
        """The version that stands for a document in this run; NotFound if it is not in the scope."""
        self._fetch([document])
        try:
            return self._versions[document]
        except KeyError:
            raise NotFound("This document is not among those the question was asked of.") from None

    def taken(self) -> dict[str, Any]:
        """What a replay needs of this corpus: its size, what the router answered, the documents it named."""
        named = [str(row.doc_id) for route in self.routes for row in (*route.candidates, *route.tail)]
        self._fetch(named)
        rows = {name: self._versions[name] for name in named if name in self._versions}
        return {
            "considered": len(self.entries()),
            "routes": [asdict(route) for route in self.routes],
            "documents": {
                name: _kept(row) | ({"left_out": True} if name in self.left_out else {}) for name, row in rows.items()
            },
        }

    def _told(self, ask: Callable[[], RouteResult]) -> RouteResult:
        """What the router says, unless an earlier attempt was told already."""
        number = len(self.routes)
        found = self._known_routes[number] if number < len(self._known_routes) else ask()
        self.routes.append(found)
        return found

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
        self._cards |= {pk: card_from(data) for pk, data in stored}
        self._cards |= {pk: _card_in(row) for pk, row in missing.items() if pk not in self._cards}


def _card_in(version: DocumentVersion) -> Card:
    """The card of the compiled file; the title alone when that cannot be read."""
    try:
        return open_version(version).card
    except ArtefactDamaged:
        return Card(title=version.document.title, overview="", topic_tags=())


def _kept(version: DocumentVersion) -> dict[str, Any]:
    document = version.document
    names = {"name": document.name, "title": document.title, "pages": version.pages}
    return {"version": version.pk, "artefact": version.artefact_sha256, **names}


def _entry(version: DocumentVersion) -> DocumentEntry:
    document = version.document
    return DocumentEntry(id=str(document.pk), name=document.name, title=document.title, pages=version.pages)
