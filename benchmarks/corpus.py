"""A folder of documents as a corpus for benchmarks: compiled once, cached by content and engine version."""

import hashlib
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from vectorless_web.engine.agent.corpus import Corpus, DocumentEntry, SecondPass
from vectorless_web.engine.documents.artefact import ENGINE_VERSION, CompiledDocument, open_artefact
from vectorless_web.engine.documents.card import Card
from vectorless_web.engine.errors import NotFound
from vectorless_web.engine.finding.routing import DocumentRouter, RouteResult
from vectorless_web.engine.finding.routing.router import CardedDocument, index_documents
from vectorless_web.engine.index.snapshot import Snapshot
from vectorless_web.engine.llm.model import ChatModel
from vectorless_web.engine.parsing.compile import compile_file
from vectorless_web.engine.questions.plan import QueryPlan


class FolderCorpus(Corpus):
    """All PDFs of a folder, or the files named, of any format. Ids are "1", "2", ... by name.

    A name has its suffix, or is that of a PDF without it. NotFound when there is no such file.
    """

    router: "FolderRouter | None" = None

    def __init__(self, folder: Path, *, cache: Path, names: Sequence[str] | None = None) -> None:
        found = folder.glob("*.pdf") if names is None else {_file_named(name, folder) for name in names}
        kept = sorted(found, key=lambda path: (path.stem, path.suffix))
        self._paths = {str(number): path for number, path in enumerate(kept, start=1)}
        self._cache = cache
        self._open: dict[str, CompiledDocument] = {}
        self._lock = threading.Lock()

    @cached_property
    def fingerprint(self) -> str:
        """A hash over the documents' hashes."""
        return hashlib.sha256("".join(self.open(name).sha256 for name in self._paths).encode()).hexdigest()

    def entries(self) -> list[DocumentEntry]:
        """All documents, by id."""
        return [
            DocumentEntry(name, path.name, self.open(name).title or path.stem, len(self.open(name).pages))
            for name, path in self._paths.items()
        ]

    def card(self, document: str) -> Card:
        """The document's card."""
        return self.open(document).card

    def open(self, document: str) -> CompiledDocument:
        """The compiled document; compiled and cached at first use."""
        if document not in self._paths:
            raise NotFound(f"There is no document {document}.")
        # The PDF library works in one thread at a time.
        with self._lock:
            if document not in self._open:
                self._open[document] = self._compiled(self._paths[document])
        return self._open[document]

    def name_of(self, document: str) -> str:
        """The file name without its suffix."""
        return self._paths[document].stem

    def file_name_of(self, document: str) -> str:
        """The file name with its suffix."""
        return self._paths[document].name

    def id_of(self, name: str) -> str:
        """The id of the document of that file name, with or without its suffix."""
        return next(document for document, path in self._paths.items() if name in (path.name, path.stem))

    def only(self, document: str) -> "FolderCorpus":
        """The same corpus narrowed to one document."""
        narrowed = FolderCorpus.__new__(FolderCorpus)
        narrowed._paths = {document: self._paths[document]}
        narrowed._cache, narrowed._open, narrowed._lock = self._cache, self._open, self._lock
        return narrowed

    def _compiled(self, path: Path) -> CompiledDocument:
        self._cache.mkdir(parents=True, exist_ok=True)
        cached = self._cache / f"{hashlib.sha256(path.read_bytes()).hexdigest()}-{ENGINE_VERSION}"
        if not cached.exists():
            cached.write_bytes(compile_file(path, name=path.name))
        return open_artefact(cached)


def _file_named(name: str, folder: Path) -> Path:
    """The file of that name, with or without the suffix of a PDF."""
    for path in (folder / name, folder / f"{name}.pdf"):
        if path.is_file():
            return path
    raise NotFound(f"There is no document {name} in {folder}.")


def make_router(corpus: FolderCorpus) -> DocumentRouter:
    """A document router over cards and texts, which looks into the first documents: as a workspace has it."""
    named = {int(entry.id): (entry.name, corpus.open(entry.id)) for entry in corpus.entries()}
    return DocumentRouter(index_named(named), open_texts=lambda ids: {pk: named[pk][1] for pk in ids if pk in named})


def index_named(named: Mapping[int, tuple[str, CompiledDocument]]) -> Snapshot:
    """The index of documents by id, each with its file name: cards with links and editions, and the words of texts."""
    rows = []
    for pk, (name, document) in named.items():
        title = document.title or Path(name).stem
        rows.append(CardedDocument(pk, name, title, replace(document.card, title=title), document))
    return index_documents(rows)


def shortlist(router: DocumentRouter, plan: QueryPlan) -> list[str]:
    """Ids of the documents to read, best first; the one the router commits to comes before all."""
    result = router.route(plan)
    committed = [] if result.committed is None else [str(result.committed)]
    return list(dict.fromkeys([*committed, *(str(candidate.doc_id) for candidate in result.candidates)]))


class FolderRouter:
    """A document router as that of a corpus; its second pass ranks as the first, and a run leaves out what it read."""

    def __init__(self, router: DocumentRouter, corpus: FolderCorpus) -> None:
        self._router, self._ids = router, sorted(int(entry.id) for entry in corpus.entries())

    def route(self, plan: QueryPlan, *, after: SecondPass | None = None, model: ChatModel | None = None) -> RouteResult:
        """The shortlist for a question."""
        return self._router.route(plan, self._ids)
