"""A folder of PDFs as a corpus for benchmarks: compiled once, cached by content and engine version, opened when asked for."""

import hashlib
from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path

from vectorless_web.engine.compiler.compile import compile_file
from vectorless_web.engine.document.artefact import ENGINE_VERSION, CompiledDocument, open_artefact
from vectorless_web.engine.document.card import Card
from vectorless_web.engine.errors import NotFound
from vectorless_web.engine.query.plan import QueryPlan
from vectorless_web.engine.reasoner.corpus import DocumentEntry
from vectorless_web.engine.reasoner.routing import Routing
from vectorless_web.engine.reasoner.selection import select


class FolderCorpus:
    """All PDFs of a folder (or those named); a document's id is its file name without the suffix."""

    def __init__(self, folder: Path, *, cache: Path, names: Sequence[str] | None = None) -> None:
        found = {path.stem: path for path in sorted(folder.glob("*.pdf"))}
        self._paths = found if names is None else {name: found[name] for name in names}
        self._cache = cache
        self._open: dict[str, CompiledDocument] = {}

    @cached_property
    def fingerprint(self) -> str:
        """A hash over the documents' hashes."""
        return hashlib.sha256("".join(self.open(name).sha256 for name in self._paths).encode()).hexdigest()

    def entries(self) -> list[DocumentEntry]:
        """All documents, by name."""
        return [
            DocumentEntry(name, path.name, self.open(name).title or name, len(self.open(name).pages))
            for name, path in self._paths.items()
        ]

    def card(self, document: str) -> Card:
        """The document's card."""
        return self.open(document).card

    def open(self, document: str) -> CompiledDocument:
        """The compiled document; compiled and cached at first use."""
        if document not in self._paths:
            raise NotFound(f"There is no document {document}.")
        if document not in self._open:
            self._open[document] = self._compiled(self._paths[document])
        return self._open[document]

    def only(self, document: str) -> "FolderCorpus":
        """The same corpus narrowed to one document."""
        narrowed = FolderCorpus.__new__(FolderCorpus)
        narrowed._paths = {document: self._paths[document]}
        narrowed._cache, narrowed._open = self._cache, self._open
        return narrowed

    def _compiled(self, path: Path) -> CompiledDocument:
        self._cache.mkdir(parents=True, exist_ok=True)
        cached = self._cache / f"{hashlib.sha256(path.read_bytes()).hexdigest()}-{ENGINE_VERSION}"
        if not cached.exists():
            cached.write_bytes(compile_file(path, name=path.name))
        return open_artefact(cached)


class Shortlister:
    """Routes a question to documents of a corpus by their cards."""

    def __init__(self, corpus: FolderCorpus) -> None:
        self._corpus = corpus

    def shortlist(self, plan: QueryPlan) -> list[str]:
        """Document ids, best first."""
        names = [entry.id for entry in self._corpus.entries()]
        chosen, rest = select(plan, self._corpus, names, routed={}, most=15)
        return [selected.entry.id for selected in (*chosen, *rest)]

    def routing(self) -> Routing:
        """How a run narrows its documents."""
        return Routing()


@cache
def document_router(corpus: FolderCorpus) -> Shortlister:
    """The router over the corpus."""
    return Shortlister(corpus)
