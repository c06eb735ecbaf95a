"""The documents a run may read, as the orchestrator sees them, and whether one is about whom the question names."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Protocol

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.card import Card
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.documents.vectors import NodeVectors
from vectorless_web.engine.errors import ArtefactDamaged, PictureUnavailable
from vectorless_web.engine.finding.routing import RouteResult
from vectorless_web.engine.finding.routing.names import fold_words, glue_words, spellings
from vectorless_web.engine.llm.model import ChatModel
from vectorless_web.engine.llm.picture import Picture
from vectorless_web.engine.questions.plan import QueryPlan


@dataclass(frozen=True, slots=True)
class DocumentEntry:
    """One document of the scope before it is opened; `name` is the file name without its folder."""

    id: str
    name: str
    title: str
    pages: int


class CorpusRouter(Protocol):
    """The router that comes with a corpus of so many documents that a run never lists them.

    The numbers in its results are the corpus' ids.
    """

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


class PagePictures(Protocol):
    """Draws pages of a run's documents for a model that reads images. Asked from the threads of the walks."""

    def has_pictures(self, document: str) -> bool:
        """Whether the document has drawn pages, and not words alone."""
        return False

    def picture(self, document: str, page_index: int) -> Picture:
        """The page (from 0); PictureUnavailable when it cannot be had."""
        raise PictureUnavailable("This document has no pictures of its pages.")


class Corpus(PagePictures, Protocol):
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
        """All documents of the scope, by id; with a router of its own they may be counted at little cost."""
        ...

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

    def vectors(self, document: str) -> NodeVectors | None:
        """Vectors of the document's leaves; None when it has none. ArtefactDamaged when they cannot be read."""
        return None

    def summaries(self, document: str) -> Mapping[int, str]:
        """One-line summaries by the key of their section, written beforehand by a model; empty when there are none."""
        return {}


def entries_of(corpus: Corpus, documents: Collection[str]) -> dict[str, DocumentEntry]:
    """The entries of some documents by id, without listing a corpus that is too large for it."""
    return {entry.id: entry for entry in corpus.find_entries(documents)}


@dataclass(frozen=True, slots=True)
class Selected:
    """A document chosen to be walked. `score` in about [0, 1.4] orders them; `reason` says why, in words."""

    entry: DocumentEntry
    score: float
    reason: str


SHORTEST_PART = 4
"""Letters of a name that may stand inside a longer one ("tarvi" in "tarvico2022")."""


def foreign_names(plan: QueryPlan, entry: DocumentEntry, card: Card) -> tuple[str, ...]:
    """Names of the question when none of them is the document's own subject; empty when one is, or none is named.

    Evidence from such a document must name one of them itself.
    """
    names = [name for name in plan.entities if any(character.isalpha() for character in name)]
    if not names:
        return ()
    keys = _keys((*card.fields.entities, card.title, entry.title))
    texts = [glue_words(fold_words(PurePath(entry.name).stem.replace("_", " ").replace("-", " "))), *keys]
    return () if any(_is_subject(name, keys, texts) for name in names) else tuple(names)


OPENING = 8
"""Leaves of a document that open it: they name its parties, also those that it calls otherwise from then on."""

THROUGHOUT, SELDOM = 0.05, 5
"""Share of a document's leaves, and their number at least, that speak of a name which the document is about."""


def is_about_any(tree: Tree, names: Sequence[str]) -> bool:
    """Whether a document speaks of one of the names where it opens, or throughout."""
    leaves = [tree.node(key).text.casefold() for key in tree.leaves() if tree.kind(key) is not NodeKind.RUNNING]
    least = max(SELDOM, THROUGHOUT * len(leaves))
    for name in names:
        whole = re.compile(rf"(?<!\w){re.escape(name.casefold())}(?!\w)")
        if any(whole.search(text) for text in leaves[:OPENING]) or sum(bool(whole.search(t)) for t in leaves) >= least:
            return True
    return False


def names_any(text: str, names: Sequence[str]) -> bool:
    """Whether a text speaks of one of the names, in any of their spellings that are sure."""
    words = fold_words(text)
    run = glue_words(words)
    wanted = [key for name in names for key, certainty in spellings(name).items() if certainty >= 1.0]
    return any(key in words or (len(key) >= SHORTEST_PART and key in run) for key in wanted)


def _keys(names: Iterable[str]) -> set[str]:
    return {key for name in names if name for key in spellings(name)}


def _is_subject(name: str, keys: set[str], texts: Sequence[str]) -> bool:
    wanted = {key for key, certainty in spellings(name).items() if certainty >= 1.0}
    if wanted & keys:
        return True
    return any(len(key) >= SHORTEST_PART and key in text for key in wanted for text in texts) or any(
        text.startswith(key) for key in wanted if key for text in texts[:1]
    )
