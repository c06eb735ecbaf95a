"""The documents a run may read, as the orchestrator sees them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from vectorless_web.engine.document.artefact import CompiledDocument
from vectorless_web.engine.document.card import Card
from vectorless_web.engine.document.vectors import NodeVectors
from vectorless_web.engine.llm.model import ChatModel
from vectorless_web.engine.query.plan import QueryPlan
from vectorless_web.engine.router import RouteResult


@dataclass(frozen=True, slots=True)
class DocumentEntry:
    """One document of the scope before it is opened; `name` is the file name without its folder."""

    id: str
    name: str
    title: str
    pages: int


class Corpus(Protocol):
    """A fixed set of documents. Only `open` touches an artefact."""

    @property
    def fingerprint(self) -> str:
        """The same for the same documents, compiled by the same engine."""
        ...

    def entries(self) -> Sequence[DocumentEntry]:
        """All documents of the scope, by id."""
        ...

    def card(self, document: str) -> Card:
        """The document's card; NotFound if it is not in the scope."""
        ...

    def open(self, document: str) -> CompiledDocument:
        """Open the compiled document; NotFound if it is not in the scope."""
        ...


@runtime_checkable
class RoutedCorpus(Corpus, Protocol):
    """A corpus with a router of its own, of so many documents that a run never lists them.

    `entries()` may be counted at little cost; what is wanted of some documents comes from
    `named`. Ids are the router's numbers as text.
    """

    def named(self, documents: Collection[str]) -> Sequence[DocumentEntry]:
        """The entries of these documents; those that are not in the scope are left out."""
        ...

    def route(self, plan: QueryPlan, *, model: ChatModel | None = None) -> RouteResult:
        """The shortlist for a question; `model` helps in the modes that ask one."""
        ...

    def reroute(
        self,
        plan: QueryPlan,
        *,
        gaps: Sequence[str],
        read: Collection[str],
        yielded: Sequence[str],
        model: ChatModel | None = None,
    ) -> RouteResult:
        """The one second pass: documents not `read` yet, asked for `gaps` too."""
        ...


@runtime_checkable
class VectorCorpus(Corpus, Protocol):
    """A corpus that holds vectors of its documents' leaves, made beforehand by one embedding model."""

    def vectors(self, document: str) -> NodeVectors | None:
        """The document's vectors; None when it has none. ArtefactDamaged when they cannot be read."""
        ...


def entries_of(corpus: Corpus, documents: Collection[str]) -> dict[str, DocumentEntry]:
    """The entries of some documents by id, without listing a corpus that is too large for it."""
    rows = corpus.named(documents) if isinstance(corpus, RoutedCorpus) else corpus.entries()
    wanted = set(documents)
    return {entry.id: entry for entry in rows if entry.id in wanted}
