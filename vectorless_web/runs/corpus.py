"""The documents of a run as the engine sees them: rows of the database and their artefacts."""

import hashlib
from collections.abc import Sequence

from vectorless_web.documents.models import Card as CardRow
from vectorless_web.documents.models import DocumentVersion
from vectorless_web.documents.storage import open_version
from vectorless_web.engine.document.artefact import CompiledDocument
from vectorless_web.engine.document.card import Card
from vectorless_web.engine.document.serialise import card_from
from vectorless_web.engine.errors import NotFound
from vectorless_web.engine.reasoner.corpus import DocumentEntry


class WorkspaceCorpus:
    """A fixed set of document versions; a document's id in the corpus is its primary key as text.

    `opened` collects the primary keys of the versions that were read, so that the run
    can be pinned to them. Cards are read from the database at once, on first use.
    """

    def __init__(self, versions: Sequence[DocumentVersion]) -> None:
        self._versions = {str(version.document_id): version for version in versions}
        self._cards: dict[int, Card] | None = None
        self.opened: set[int] = set()
        self.fingerprint = _fingerprint(versions)

    def entries(self) -> Sequence[DocumentEntry]:
        """All documents of the scope, in the order they were added."""
        return [
            DocumentEntry(id=key, name=row.document.name, title=row.document.title, pages=row.pages)
            for key, row in self._versions.items()
        ]

    def card(self, document: str) -> Card:
        """The document's card; NotFound if it is not in the scope."""
        version = self.version(document)
        if self._cards is None:
            ids = [row.pk for row in self._versions.values()]
            rows = CardRow.objects.filter(version__in=ids).values_list("version", "data")
            self._cards = {pk: card_from(data) for pk, data in rows}
        if version.pk not in self._cards:
            self._cards[version.pk] = open_version(version).card
        return self._cards[version.pk]

    def open(self, document: str) -> CompiledDocument:
        """Open the compiled document; NotFound if it is not in the scope."""
        version = self.version(document)
        self.opened.add(version.pk)
        return open_version(version)

    def version(self, document: str) -> DocumentVersion:
        """The version that stands for a document in this run; NotFound if it is not in the scope."""
        try:
            return self._versions[document]
        except KeyError:
            raise NotFound("This document is not among those the question was asked of.") from None


def _fingerprint(versions: Sequence[DocumentVersion]) -> str:
    """The same for the same file contents compiled by the same engine."""
    digest = hashlib.sha256()
    for version in versions:
        digest.update(f"{version.document_id}:{version.artefact_sha256}\n".encode())
    return digest.hexdigest()
