"""Fills a workspace with invented documents by the paths that an upload takes, but for child and queue."""

import hashlib
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from vectorless_web.documents.models import Document, DocumentVersion, Section
from vectorless_web.documents.sample_texts import Sample, sample_document
from vectorless_web.documents.services.compiled_rows import card_row, section_rows, version_facts
from vectorless_web.documents.services.routing_rows import Linked, show_many
from vectorless_web.documents.storage import store_artefact
from vectorless_web.engine.documents.artefact import ENGINE_VERSION, CompiledDocument, open_artefact
from vectorless_web.engine.parsing.compile import compile_file
from vectorless_web.workspaces.models import Workspace

BATCH = 50
"""Documents written in one transaction."""


@dataclass(frozen=True, slots=True)
class _Made:
    sample: Sample
    sha256: str
    file: str
    artefact: tuple[str, str]
    document: CompiledDocument


def add_samples(*, workspace: Workspace, count: int) -> Iterator[int]:
    """Add so many invented documents, ready; yields how many are there after each portion."""
    first = workspace.documents.count() + 1
    for start in range(0, count, BATCH):
        numbers = range(first + start, first + min(start + BATCH, count))
        with tempfile.TemporaryDirectory(prefix="samples-") as folder:
            _store(workspace, [_compiled(sample_document(number), Path(folder)) for number in numbers])
        yield min(start + BATCH, count)


def _compiled(sample: Sample, folder: Path) -> _Made:
    content = sample.text.encode()
    digest = hashlib.sha256(content).hexdigest()
    path, target = folder / sample.name, folder / f"{sample.name}.artefact"
    path.write_bytes(content)
    target.write_bytes(compile_file(path, name=sample.name))
    file = default_storage.save(f"uploads/samples/{digest}.txt", ContentFile(content))
    artefact = store_artefact(target, f"compiled/{digest}-{ENGINE_VERSION}")
    return _Made(sample, digest, file, artefact, open_artefact(target))


@transaction.atomic
def _store(workspace: Workspace, made: list[_Made]) -> None:
    titles = [row.document.title[:300] or row.sample.name for row in made]
    documents = [
        Document(workspace=workspace, title=title, name=row.sample.name)
        for title, row in zip(titles, made, strict=True)
    ]
    Document.objects.bulk_create(documents)
    versions = [_version(document, row) for document, row in zip(documents, made, strict=True)]
    DocumentVersion.objects.bulk_create(versions)
    for document, version, row in zip(documents, versions, made, strict=True):
        document.current_version = version
        Section.objects.bulk_create(section_rows(version, row.document))
        card_row(version, row.document.card).save()
    Document.objects.bulk_update(documents, ["current_version"])
    show_many(workspace, {document: Linked(row.document.card) for document, row in zip(documents, made, strict=True)})


def _version(document: Document, row: _Made) -> DocumentVersion:
    name, digest = row.artefact
    return DocumentVersion(
        document=document,
        file=row.file,
        sha256=row.sha256,
        bytes=len(row.sample.text.encode()),
        status=DocumentVersion.Status.READY,
        ready_at=timezone.now(),
        artefact=name,
        artefact_sha256=digest,
        **version_facts(row.document, seconds=0.0, peak_mb=0.0),
    )
