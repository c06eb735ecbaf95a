"""The documents a run may read, as the orchestrator sees them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from vectorless_web.engine.document.artefact import CompiledDocument
from vectorless_web.engine.document.card import Card


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
