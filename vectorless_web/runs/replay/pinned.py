"""The documents of a finished run as it met them: its own versions, titles and shortlists, whatever came since."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import overload

from vectorless_web.documents.models import DocumentVersion
from vectorless_web.engine.agent.corpus import DocumentEntry
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.errors import ArtefactDamaged, NotFound
from vectorless_web.engine.routing import RouteResult
from vectorless_web.runs.corpus import WorkspaceCorpus
from vectorless_web.runs.models import Run, RunInputs, Step

UNTOLD = "The run asked the router more often than it did then."


class PinnedCorpus(WorkspaceCorpus):
    """Gives back what the run was given: nothing is routed anew, because other documents may stand beside it by now."""

    def __init__(self, run: Run, inputs: RunInputs, routes: Sequence[RouteResult]) -> None:
        super().__init__(run, routes=routes)
        self._inputs = inputs

    @property
    def fingerprint(self) -> str:
        """That of the documents then."""
        return self._run.corpus_fingerprint

    def entries(self) -> Sequence[DocumentEntry]:
        """As many as were considered; those that routing named can be listed."""
        return Considered(self._inputs.considered, list(self.find_entries(self._inputs.documents)))

    def find_entries(self, documents: Iterable[str]) -> Sequence[DocumentEntry]:
        """Documents under the names and titles they had."""
        kept = self._inputs.documents
        return [_entry(name, kept[name]) for name in documents if name in kept]

    def open(self, document: str) -> CompiledDocument:
        """Open the compiled document; what the run had to leave out then is left out again."""
        if self._inputs.documents.get(document, {}).get("left_out"):
            raise ArtefactDamaged("The compiled document could not be read when the question was asked.")
        return super().open(document)

    def title_of(self, document: str) -> str:
        """The title that a document had."""
        return str(self._inputs.documents[document]["title"])

    def list_missing(self) -> list[str]:
        """Titles of documents on a shortlist whose version is gone."""
        wanted = [str(candidate.doc_id) for route in self._known_routes for candidate in route.candidates]
        self._fetch(wanted)
        known = self.find_entries(dict.fromkeys(wanted))
        return [entry.title or entry.name for entry in known if entry.id not in self._versions]

    def list_altered(self) -> list[str]:
        """Titles of documents that were compiled again since."""
        self.list_missing()
        kept = self._inputs.documents
        rows = self._versions.items()
        return [kept[name]["title"] for name, row in rows if row.artefact_sha256 != kept[name]["artefact"]]

    def without_vectors(self, steps: Iterable[Step]) -> list[str]:
        """Titles of documents that were searched by their vectors, which are gone since."""
        searched = {
            row["document"] for step in steps if "nodes" in step.observation.get("vectors", {}) for row in step.refs
        }
        return [
            entry.title or entry.name
            for entry in self.find_entries(sorted(searched))
            if not self._has_vectors(entry.id)
        ]

    def _has_vectors(self, document: str) -> bool:
        try:
            return self.vectors(document) is not None
        except ArtefactDamaged:
            return False

    def _ask_router(self, ask: Callable[[], RouteResult]) -> RouteResult:
        if len(self.routes) >= len(self._known_routes):
            raise NotFound(UNTOLD)
        return super()._ask_router(ask)

    def _fetch(self, documents: Iterable[str]) -> None:
        """The versions of then, deleted documents among them."""
        kept = self._inputs.documents
        wanted = [kept[name]["version"] for name in documents if name in kept and name not in self._versions]
        if wanted:
            rows = DocumentVersion.objects.filter(pk__in=wanted).select_related("document")
            self._versions |= {str(row.document_id): row for row in rows.defer("report", "corrections")}


class Considered(Sequence[DocumentEntry]):
    """A count of documents, of which only some are known by name."""

    def __init__(self, count: int, known: list[DocumentEntry]) -> None:
        self._count, self._known = count, known

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[DocumentEntry]:
        return iter(self._known)

    @overload
    def __getitem__(self, index: int) -> DocumentEntry: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[DocumentEntry]: ...
    def __getitem__(self, index: int | slice) -> DocumentEntry | Sequence[DocumentEntry]:
        return self._known[index]


def _entry(name: str, kept: dict[str, object]) -> DocumentEntry:
    return DocumentEntry(id=name, name=str(kept["name"]), title=str(kept["title"]), pages=int(str(kept["pages"])))
