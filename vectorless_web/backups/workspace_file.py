"""One workspace as one file: what its documents were uploaded as, their folders, settings and words, and its runs.

A ZIP archive: workspace.json; files/SHA256, each upload once; runs/NUMBER.json, as a run is exported by itself.
Read into another site it becomes a new workspace there: its documents are compiled anew, its runs stay in the file.
"""

import json
import tempfile
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import IO, Any

from django.core.files import File
from django.core.files.storage import default_storage
from django.core.serializers.json import DjangoJSONEncoder
from django.utils import timezone

from vectorless_web.backups.folder import BackupDamaged, BackupError, copy_hashing
from vectorless_web.documents.models import Document, DocumentVersion
from vectorless_web.documents.selectors import documents_in
from vectorless_web.documents.services import add_document, add_version, create_folder, restrict_folder
from vectorless_web.documents.storage.files import CHUNK_BYTES, stream_sha256
from vectorless_web.infra.web.problems import Problem
from vectorless_web.runs.export.exports import as_json
from vectorless_web.runs.models import Run
from vectorless_web.runs.selectors import visible_runs
from vectorless_web.workspaces.models import LexiconEntry, Workspace
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services import add_entry, create_workspace, delete_and_record, record, update_workspace

FORMAT, VERSION = "vectorless-workspace", 1
"""What a program that reads the file looks at first; the version rises when older programs would read it wrongly."""
HEAD = "workspace.json"
DAMAGE = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RecursionError, AttributeError, KeyError, TypeError,
    ValueError,
)  # fmt: skip
"""What reading a file raises that was cut, altered, packed in another way, or has another shape than ours."""
OF_THIS_SITE = ("second_reader",)
"""Settings that name rows of a site, which mean nothing at another one."""


@dataclass(frozen=True)
class Counts:
    """How much of a workspace a file holds. `missing` are names of documents whose upload the storage had lost."""

    documents: int
    runs: int
    bytes: int
    missing: list[str]


def export_workspace(*, actor: User | None, workspace: Workspace, target: IO[bytes]) -> Counts:
    """Write a workspace into `target`: what exists for the actor, or all of it for an operator (None)."""
    shown = documents_in(workspace, actor) if actor else workspace.documents.filter(deleted_at=None)
    documents = list(shown.select_related("folder").prefetch_related("versions").order_by("pk"))
    runs = visible_runs(actor.pk, [workspace.pk]) if actor else Run.objects.filter(workspace=workspace)
    ended = runs.exclude(status__in=Run.OPEN).order_by("pk")
    missing: list[str] = []
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        kept = {}
        for version in _versions(documents):
            try:
                kept[version.sha256] = _pack(archive, version)
            except FileNotFoundError:
                missing.append(version.document.name)
        for run in ended.iterator():
            archive.writestr(f"runs/{run.pk}.json", json.dumps(as_json(run), cls=DjangoJSONEncoder))
        archive.writestr(HEAD, json.dumps(_head(workspace, documents, kept), cls=DjangoJSONEncoder))
        number = sum(name.startswith("runs/") for name in archive.namelist())
    details = {"documents": len(documents), "runs": number, "bytes": sum(kept.values()), "missing": len(missing)}
    record(actor=actor, verb="workspace.exported", workspace=workspace, target=workspace, details=details)
    return Counts(len(documents), number, sum(kept.values()), missing)


def import_workspace(*, actor: User, source: IO[bytes]) -> tuple[Workspace, Counts]:
    """Make a new workspace of a file, owned by the actor; its documents wait to be compiled.

    BackupDamaged when the file was altered or is none of ours, BackupError when a document is refused here; then
    nothing is left of the workspace.
    """
    try:
        with zipfile.ZipFile(source) as archive:
            head = _read_head(archive)
            _check_files(archive, head)
            workspace = create_workspace(user=actor, name=head["name"], description=head["description"])
            try:
                _fill(archive, head, workspace, actor)
            except BaseException:
                delete_and_record(workspace, actor=actor, verb="workspace.purged", details={"slug": workspace.slug})
                raise
            runs = sum(name.startswith("runs/") for name in archive.namelist())
    except DAMAGE as error:
        raise BackupDamaged(f"This is no file of a workspace, or it is damaged: {error}.") from error
    except Problem as problem:
        raise BackupError(problem.message) from problem
    sizes = {version["sha256"]: version["bytes"] for row in head["documents"] for version in row["versions"]}
    counts = Counts(len(head["documents"]), runs, sum(sizes.values()), [])
    details = {"documents": counts.documents, "bytes": counts.bytes}
    record(actor=actor, verb="workspace.imported", workspace=workspace, target=workspace, details=details)
    return workspace, counts


def _versions(documents: Iterable[Document]) -> list[DocumentVersion]:
    """One version for each upload: corrections of an outline share that of the version before."""
    found = {
        version.sha256: version for document in documents for version in document.versions.all() if version.file.name
    }
    return list(found.values())


def _pack(archive: zipfile.ZipFile, version: DocumentVersion) -> int:
    entry = f"files/{version.sha256}"
    with (
        default_storage.open(version.file.name or "") as upload,
        archive.open(entry, "w", force_zip64=True) as packed,
    ):
        sha256, size = copy_hashing(upload, packed)
    if sha256 != version.sha256:
        raise BackupDamaged(f"The upload of “{version.document.name}” was altered in storage. Upload it once more.")
    return size


def _head(workspace: Workspace, documents: Iterable[Document], kept: dict[str, int]) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "made_at": timezone.now(),
        "name": workspace.name,
        "description": workspace.description,
        "settings": {name: value for name, value in workspace.settings.items() if name not in OF_THIS_SITE},
        "lexicon": list(workspace.lexicon_entries.values("concept", "phrases", "statement", "note")),
        "documents": [_document_row(document, kept) for document in documents],
    }


def _document_row(document: Document, kept: dict[str, int]) -> dict[str, Any]:
    uploads = {version.sha256: version.bytes for version in reversed(document.versions.all())}
    return {
        "name": document.name,
        "title": document.title,
        "tags": document.tags,
        "folder": document.folder.name if document.folder else "",
        "restricted": bool(document.folder and document.folder.restricted),
        "versions": [{"sha256": sha256, "bytes": size} for sha256, size in uploads.items() if sha256 in kept],
    }


def _read_head(archive: zipfile.ZipFile) -> dict[str, Any]:
    head: dict[str, Any] = json.loads(archive.read(HEAD))
    if (head["format"], head["version"]) != (FORMAT, VERSION):
        raise ValueError(f"it says {head['format']} {head['version']}, and this program reads {FORMAT} {VERSION}")
    return head


def _check_files(archive: zipfile.ZipFile, head: dict[str, Any]) -> None:
    for row in head["documents"]:
        for version in row["versions"]:
            with archive.open(f"files/{version['sha256']}") as packed:
                if stream_sha256(packed) != version["sha256"]:
                    raise ValueError(f"the upload of “{row['name']}” was altered")


def _fill(archive: zipfile.ZipFile, head: dict[str, Any], workspace: Workspace, actor: User) -> None:
    settings = {name: value for name, value in head["settings"].items() if name in Workspace.DEFAULTS}
    update_workspace(
        actor=actor, workspace=workspace, name=head["name"], description=head["description"], settings=settings
    )
    for entry in head["lexicon"]:
        add_entry(actor=actor, entry=LexiconEntry(workspace=workspace, **entry))
    for row in head["documents"]:
        _add_row(archive, row, workspace, actor)


def _add_row(archive: zipfile.ZipFile, row: dict[str, Any], workspace: Workspace, actor: User) -> None:
    folder = create_folder(actor=actor, workspace=workspace, name=row["folder"]) if row["folder"] else None
    if folder and row["restricted"] and not folder.restricted:
        restrict_folder(actor=actor, folder=folder, people=[actor])
    document = None
    for version in row["versions"]:
        with tempfile.TemporaryFile() as whole, archive.open(f"files/{version['sha256']}") as packed:
            while chunk := packed.read(CHUNK_BYTES):
                whole.write(chunk)
            whole.seek(0)
            upload = File(whole, name=row["name"])
            if document is None:
                added = add_document(workspace=workspace, user=actor, upload=upload, title=row["title"], folder=folder)
                document = added.version.document
            else:
                add_version(document=document, user=actor, upload=upload)
    if document is not None:
        Document.objects.filter(pk=document.pk).update(tags=row["tags"])
