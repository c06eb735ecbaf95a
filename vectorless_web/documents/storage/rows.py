"""Which rows name the files in default storage."""

from collections.abc import Iterator
from dataclasses import dataclass

from vectorless_web.documents.models import DocumentVersion, SnapshotState, VectorFile, WordBlock
from vectorless_web.documents.storage.files import list_stored


@dataclass(frozen=True)
class NamedBy:
    """A folder of default storage, the rows whose field names what is in it, and the field with its SHA-256."""

    folder: str
    model: type[DocumentVersion] | type[SnapshotState] | type[VectorFile] | type[WordBlock]
    field: str
    sha256: str


STORED = (
    NamedBy("uploads", DocumentVersion, "file", "sha256"),
    NamedBy("compiled", DocumentVersion, "artefact", "artefact_sha256"),
    NamedBy("snapshots", SnapshotState, "file", "sha256"),
    NamedBy("vectors", VectorFile, "file", "sha256"),
    NamedBy("words", WordBlock, "file", "sha256"),
)


def named_files() -> set[str]:
    """Names of all stored files that a row of this database names."""
    return {
        name
        for kind in STORED
        for name in kind.model._default_manager.exclude(**{kind.field: ""}).values_list(kind.field, flat=True)
    }


def is_named(name: str) -> bool:
    """Whether a row names this stored file."""
    return any(kind.model._default_manager.filter(**{kind.field: name}).exists() for kind in STORED)


def present_files() -> Iterator[str]:
    """Names of all files in the folders of documents in default storage, whether or not a row names them."""
    for kind in STORED:
        yield from list_stored(kind.folder)
