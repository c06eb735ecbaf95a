"""The documents that a run may read, as the agent sees them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.card import Card
from vectorless_web.engine.documents.vectors import NodeVectors
from vectorless_web.engine.errors import ArtefactDamaged, PictureUnavailable
from vectorless_web.engine.finding.routing import RouteResult
from vectorless_web.engine.llm.model import ChatModel
from vectorless_web.engine.llm.picture import Picture
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.text.analyser import analyse


@dataclass(frozen=True, slots=True)
class DocumentEntry:
    """One document of the scope before it is opened; `name` is the file name without its folder."""

    id: str
    name: str
    title: str
    pages: int

    @property
    def called(self) -> str:
        """What people call it: its title, else its file name."""
        return self.title or self.name


@dataclass(frozen=True, slots=True)
class SecondPass:
    """A later request for documents other than those `read`.

    `yielded` are those of them that brought something, all by corpus ids; `gaps` are words of the question, as asked,
    that none of them says.
    """

    read: Collection[str]
    gaps: Sequence[str] = ()
    yielded: Sequence[str] = ()

    @property
    def terms(self) -> list[str]:
        """The index terms of the gaps."""
        return [term for gap in self.gaps for term in analyse(gap)]


class CorpusRouter(Protocol):
    """The router of a corpus that is too large to be listed in a run.

    The numbers in its results are the corpus' ids.
    """

    def route(self, plan: QueryPlan, *, after: SecondPass | None = None, model: ChatModel | None = None) -> RouteResult:
        """The shortlist for a question, or for its second pass; `model` helps in the modes that ask one."""
        ...


class Corpus(Protocol):
    """A fixed set of documents. Only `open` touches an artefact.

    What has a body here is what a corpus gives that has no more: one that inherits need not state it.
    """

    @property
    def router(self) -> CorpusRouter | None:
        """The corpus' own router; None when one is to be made of its cards on the spot."""
        return None

    @property
    def fingerprint(self) -> str:
        """The same for the same documents, compiled by the same engine."""
        ...

    def entries(self) -> Sequence[DocumentEntry]:
        """All documents of the scope, by id."""
        ...

    @property
    def size(self) -> int:
        """How many documents the scope has; where they are many, without listing them."""
        return len(self.entries())

    def find_entries(self, documents: Collection[str]) -> Sequence[DocumentEntry]:
        """The entries of these documents; those that are not in the scope are left out."""
        return [entry for entry in self.entries() if entry.id in documents]

    def card(self, document: str) -> Card:
        """The document's card; NotFound if it is not in the scope."""
        ...

    def open(self, document: str) -> CompiledDocument:
        """Open the compiled document; NotFound if it is not in the scope."""
        ...

    def peek(self, document: str) -> CompiledDocument | None:
        """The compiled document to look into for the shortlist, which is not reading it; None when it cannot be had."""
        try:
            return self.open(document)
        except ArtefactDamaged:
            return None

    def has_pictures(self, document: str) -> bool:
        """Whether the document has drawn pages, and not words alone."""
        return False

    def picture(self, document: str, page_index: int) -> Picture:
        """The page (from 0) for a model that reads images; PictureUnavailable when it cannot be had."""
        raise PictureUnavailable("This document has no pictures of its pages.")

    def vectors(self, document: str) -> NodeVectors | None:
        """Vectors of the document's leaves; None when it has none. ArtefactDamaged when they cannot be read."""
        return None

    def summaries(self, document: str) -> Mapping[int, str]:
        """One-line summaries by the key of their section, written beforehand by a model; empty when there are none."""
        return {}
