"""Documents that are plain files of this machine: compiled into a folder and asked there, with no database."""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

from vectorless_web.engine.compiler.compile import compile_file
from vectorless_web.engine.document.artefact import CompiledDocument, open_artefact
from vectorless_web.engine.document.card import Card
from vectorless_web.engine.errors import InvalidInput, NotFound
from vectorless_web.engine.reasoner.corpus import DocumentEntry

Progress = Callable[[str, int, int], None]


class FileCorpus:
    """The compiled documents of some files, by their place in the list, from "1"."""

    def __init__(self, documents: Sequence[tuple[str, CompiledDocument]]) -> None:
        self._names = {str(number): name for number, (name, _) in enumerate(documents, start=1)}
        self._documents = {str(number): document for number, (_, document) in enumerate(documents, start=1)}
        joined = "\n".join(document.sha256 for _, document in documents)
        self.fingerprint = hashlib.sha256(joined.encode()).hexdigest()

    def entries(self) -> Sequence[DocumentEntry]:
        """All files, in the order given."""
        return [
            DocumentEntry(id=key, name=self._names[key], title=document.title, pages=len(document.pages))
            for key, document in self._documents.items()
        ]

    def card(self, document: str) -> Card:
        """The file's card; NotFound for any other."""
        return self.open(document).card

    def open(self, document: str) -> CompiledDocument:
        """The compiled file; NotFound for any other."""
        try:
            return self._documents[document]
        except KeyError:
            raise NotFound("This is none of the files that were given.") from None

    def name(self, document: str) -> str:
        """The file's name, without its folder."""
        return self._names[document]


def compile_files(paths: Sequence[Path], folder: Path, *, progress: Callable[[str], Progress]) -> FileCorpus:
    """Compile each file into `folder`; InvalidInput, with the file's name, for one that cannot be read.

    `progress(name)` gives the function that is told how a file gets on.
    """
    compiled = []
    for number, path in enumerate(paths, start=1):
        target = folder / f"{number}.artefact"
        target.write_bytes(_compile(path, progress(path.name)))
        compiled.append((path.name, open_artefact(target)))
    return FileCorpus(compiled)


def _compile(path: Path, progress: Progress) -> bytes:
    if not path.is_file():
        what = "is a folder, not a file" if path.is_dir() else "does not exist"
        raise InvalidInput(f"{path} {what}. Name a PDF, Markdown or text file.", code="no_such_file")
    try:
        return compile_file(path, name=path.name, progress=progress)
    except InvalidInput as error:
        raise InvalidInput(f"{path.name}: {error.message}", code=error.code) from error
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.", code="unreadable_file") from error
