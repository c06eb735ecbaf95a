"""Documents that come within others: attachments of messages and members of archives, each added as an upload is."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.base import File
from django.db import transaction
from django.db.models import Count, Q, Sum

from vectorless_web.documents.line import announce
from vectorless_web.documents.models import Document, DocumentVersion, Enclosure, Folder
from vectorless_web.documents.services.uploads import add_document, check_upload, clean_name
from vectorless_web.engine.parsing.sniff import ZIP
from vectorless_web.infra.limits import NAME_MAX
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.services import record

MANIFEST = "manifest.json"
"""What the unpacking child writes beside the files: the fields of an Enclosed for each, in the order of their names."""
DEEPEST = 2
"""Files within files that are taken out: a message in an archive has its attachments taken out, what is in those has
not."""
MOST_FOLDERS = 100
"""Folders that one archive may add to a workspace; files of further ones go where the archive is."""
ALREADY_HERE = "already_here"
TOO_MANY = "Of one upload at most %s files, or %s MB, are taken out, those in its messages included."
TOO_DEEP = "The files in it were not taken out, because it stands in a file within a file. Upload it by itself."

Tick = Callable[[int, int], None]


@dataclass(frozen=True)
class _Place:
    """Where the files of an archive go: beside it, in folders named after theirs."""

    document: Document
    made: dict[str, Folder]

    def folder(self, path: str) -> Folder | None:
        """The folder of the workspace for a folder of the archive, made when there is none."""
        base = self.document.folder
        if not path or (path not in self.made and len(self.made) >= MOST_FOLDERS):
            return base
        if base is not None and base.restricted:
            return base  # A folder of its own would be open to everyone.
        if path not in self.made:
            name = f"{base.name}/{path}" if base else path
            workspace = self.document.workspace
            folder, created = Folder.objects.get_or_create(workspace=workspace, name=name[:NAME_MAX], restricted=False)
            if created:
                record(actor=self.document.added_by, verb="folder.created", target=folder)
            self.made[path] = folder
        return self.made[path]


def is_too_deep(document: Document) -> bool:
    """Whether a document is in so many others that what it holds is not taken out."""
    ids, depth = {document.pk}, 0
    while ids and depth < DEEPEST:
        ids = set(Enclosure.objects.filter(document__in=ids).values_list("version__document", flat=True))
        depth += bool(ids)
    return depth >= DEEPEST


def add_enclosed(version: DocumentVersion, unpacked: Path, *, tick: Tick) -> Counter[str]:
    """Add the unpacked files as documents; how many were "added", "here" already and "refused".

    A second call finds those of the first by their content. `tick(done, total)` is called before each file.
    """
    rows = json.loads((unpacked / MANIFEST).read_text())
    place, counts = _Place(version.document, {}), Counter[str]()
    version.enclosures.all().delete()
    files, size = _count_taken_out(version)
    for number, row in enumerate(rows):
        tick(number, len(rows))
        if not row["code"]:
            files, size = files + 1, size + (unpacked / str(number)).stat().st_size
            if files > settings.ARCHIVE_MAX_FILES or size > settings.ARCHIVE_MAX_BYTES:
                reason = TOO_MANY % (f"{settings.ARCHIVE_MAX_FILES:,}", f"{settings.ARCHIVE_MAX_BYTES // 2**20:,}")
                row |= {"code": "too_many_files", "reason": reason}
        enclosure = Enclosure(
            version=version, position=number, name=clean_name(row["name"]), folder=row["folder"][: Enclosure.FOLDER_MAX]
        )
        _fill(enclosure, unpacked / str(number), row, place)
        enclosure.save()
        counts["refused" if enclosure.document is None else "here" if enclosure.code else "added"] += 1
    tick(len(rows), len(rows))
    return counts


def _count_taken_out(version: DocumentVersion) -> tuple[int, int]:
    """How many files were taken out before of the archive that holds this message, and of its messages; their bytes."""
    holders = list(Enclosure.objects.filter(document=version.document_id).values_list("version", flat=True))
    beside = Q(version__in=holders) | Q(version__document__enclosed_in__version__in=holders)
    taken = Document.objects.filter(pk__in=Enclosure.objects.filter(beside).values("document"))
    found = taken.aggregate(files=Count("pk", distinct=True), size=Sum("versions__bytes"))
    return (found["files"], found["size"] or 0) if holders else (0, 0)


def _fill(enclosure: Enclosure, path: Path, row: dict[str, Any], place: _Place) -> None:
    """Add one file; note its document, or the code and the reason of its refusal."""
    enclosure.code, enclosure.reason = row["code"], row["reason"]
    if enclosure.code:
        return
    try:
        with path.open("rb") as file:
            _add(enclosure, File(file, name=enclosure.name), place)
    except Problem as problem:
        enclosure.code, enclosure.reason = problem.code, problem.message


def _add(enclosure: Enclosure, upload: File, place: _Place) -> None:
    holder = place.document
    if holder.added_by is None:
        raise Problem(
            "It is not known who added the file it came in.", remedy="Upload the file itself.", code="no_owner"
        )
    if check_upload(upload) == ZIP and enclosure.version.mime == ZIP:
        raise Problem(
            "It is an archive within an archive.", remedy="Unpack it and upload its files.", code="nested_archive"
        )
    with transaction.atomic():
        added = add_document(
            workspace=holder.workspace, user=holder.added_by, upload=upload, folder=place.folder(enclosure.folder)
        )
    enclosure.document = added.document
    enclosure.code = "" if added.added else ALREADY_HERE
    announce(holder.workspace_id, added.document.pk)
