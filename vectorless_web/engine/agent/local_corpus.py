"""A corpus over files on disk, compiled on the spot: what the `ask` command reads, without a database."""

import hashlib
import os
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from pathlib import Path

from vectorless_web.engine.agent.corpus import Corpus, DocumentEntry
from vectorless_web.engine.documents.artefact import ENGINE_VERSION, CompiledDocument, open_artefact
from vectorless_web.engine.documents.card import Card
from vectorless_web.engine.errors import ArtefactDamaged, InvalidInput, NotFound
from vectorless_web.engine.llm.picture import Picture, draw_picture
from vectorless_web.engine.parsing.compile import compile_file
from vectorless_web.engine.parsing.drawing import draw_page
from vectorless_web.engine.parsing.scans.recognition import NoRecogniser, Recogniser
from vectorless_web.engine.parsing.sniff import PDF, PICTURES

Compiling = Callable[[str, str, int, int], None]
"""Progress of compiling: file name, stage, done, total."""

_NO_RECOGNISER = NoRecogniser()


class LocalCorpus(Corpus):
    """Files as a corpus; ids are "1", "2", ... in the order given.

    Files are compiled when the corpus is made, so a bad file is told before anything is
    asked: InvalidInput (or UnreadableDocument) with a plain sentence. With `cache`, a
    folder, a file compiled before is opened from there; `recogniser` reads scanned pages.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        *,
        cache: Path | None = None,
        progress: Compiling = lambda *_: None,
        recogniser: Recogniser = _NO_RECOGNISER,
    ) -> None:
        if not paths:
            raise InvalidInput("No file was given. Name at least one document.", code="no_documents")
        self._paths = [_require_file(Path(path)) for path in paths]
        self._cache = cache
        self._recogniser = recogniser
        self._documents = {
            str(number): self._compile_document(path, progress) for number, path in enumerate(self._paths, start=1)
        }

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over the files' hashes, in order."""
        return hashlib.sha256("".join(d.sha256 for d in self._documents.values()).encode()).hexdigest()

    def entries(self) -> Sequence[DocumentEntry]:
        """All documents, in the order given."""
        return [
            DocumentEntry(name, path.name, document.title or path.stem, len(document.pages))
            for (name, document), path in zip(self._documents.items(), self._paths, strict=True)
        ]

    def card(self, document: str) -> Card:
        """The document's card."""
        return self.open(document).card

    def open(self, document: str) -> CompiledDocument:
        """The compiled document; NotFound for an id that is none."""
        if document not in self._documents:
            raise NotFound(f"There is no document {document}.")
        return self._documents[document]

    def has_pictures(self, document: str) -> bool:
        """Whether the file is a PDF or a picture: others have no drawn pages."""
        return self.open(document).media_type in (PDF, *PICTURES)

    def picture(self, document: str, page_index: int) -> Picture:
        """The page drawn here and now; PictureUnavailable when it is too large."""
        page, path = self.open(document).pages[page_index], self._paths[int(document) - 1]
        size = (page.width, page.height)
        return draw_picture(document, page_index, size, lambda scale: draw_page(path, page_index, scale).data)

    def _compile_document(self, path: Path, progress: Compiling) -> CompiledDocument:
        cached = None
        if self._cache is not None:
            cached = self._cache / f"{hashlib.sha256(path.read_bytes()).hexdigest()}-{ENGINE_VERSION}"
            if (kept := _open_cached(cached)) is not None:
                return kept
        told = partial(progress, path.name)
        data = compile_file(path, name=path.name, progress=told, recogniser=self._recogniser)
        if cached is not None:
            cached.parent.mkdir(parents=True, exist_ok=True)
            # Renamed into place: another command may be opening it.
            unfinished = cached.with_name(f"{cached.name}-{os.getpid()}")
            unfinished.write_bytes(data)
            unfinished.replace(cached)
        return CompiledDocument(data)


def _open_cached(cached: Path) -> CompiledDocument | None:
    """The file compiled before; None when it is missing or damaged, so that it is compiled again."""
    try:
        document = open_artefact(cached)
        document.verify()
    except (FileNotFoundError, ArtefactDamaged):
        return None
    return document


def _require_file(path: Path) -> Path:
    if not path.exists():
        raise InvalidInput(f"There is no file {path}. Check the path.", code="file_not_found")
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder. Name the files in it.", code="file_is_folder")
    return path
