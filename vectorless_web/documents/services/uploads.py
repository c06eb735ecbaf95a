"""New documents and versions: files taken in within the quota, and outlines corrected by hand."""

import hashlib
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from functools import partial
from pathlib import PurePath
from typing import Any

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import Max, Q, Sum
from django.utils import timezone

from vectorless_web.documents.line import announce, enqueue_compile, queue_repair
from vectorless_web.documents.models import Document, DocumentVersion, Folder, PartialUpload
from vectorless_web.documents.selectors import closed_folders, documents_in, same_content, same_name
from vectorless_web.documents.storage.files import (
    check_before_storing,
    delete_stored,
    is_readable,
    is_stored,
    open_version,
    stream_sha256,
)
from vectorless_web.documents.storage.pieces import (
    append_piece,
    count_received,
    joined_pieces,
    list_stale,
    remove_pieces,
)
from vectorless_web.engine.documents.node import Node, NodeKind
from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.corrections import LONGEST_HEADING, CorrectionAct
from vectorless_web.engine.parsing.sniff import ENDINGS, FILE_KINDS, sniff
from vectorless_web.infra.limits import TITLE_MAX
from vectorless_web.infra.web.problems import Problem
from vectorless_web.infra.web.request_limits import format_megabytes
from vectorless_web.workspaces.models import Workspace
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services import record

NAME_BESIDE = 120
"""Characters of a file name that stand beside a title at most; a title has room for more than twice as many."""


def stored_bytes(workspace: Workspace) -> int:
    """Bytes of all uploads and compiled files of a workspace, with those of deleted documents that can come back.

    An upload that several versions share counts once.
    """
    versions = DocumentVersion.objects.filter(document__workspace=workspace)
    files = versions.exclude(file="").order_by().values("file").annotate(size=Max("bytes"))
    uploads = files.aggregate(total=Sum("size"))["total"] or 0
    compiled = versions.exclude(artefact="").aggregate(total=Sum("artefact_bytes"))["total"] or 0
    return int(uploads + compiled)


def find_room(workspace: Workspace) -> int:
    """The bytes that a workspace may store: as administrators set for it, else as the site's settings say; 0 for any.

    Asked of the database, since the limit may have been set while an upload was on its way.
    """
    own = Workspace.objects.filter(pk=workspace.pk).values_list("max_bytes", flat=True).first()
    return int(settings.WORKSPACE_MAX_BYTES if own is None else own)


def check_room(workspace: Workspace, size: int, *, is_new: bool = True) -> None:
    """Problem (413) when a file of `size` bytes, or another document, is more than the workspace may hold."""
    count = Workspace.objects.filter(pk=workspace.pk).values_list("max_documents", flat=True).first()
    if is_new and count is not None and workspace.documents.filter(deleted_at=None).count() >= count:
        raise Problem(
            "This workspace holds as many documents as it may.",
            remedy="Delete some, or ask your administrator for more room.",
            code="workspace_full",
            status=413,
        )
    most = find_room(workspace)
    if not most:
        return
    used = stored_bytes(workspace)
    if used + size > most:
        # What restricted folders hold is in the sum, which then is nobody's to read.
        is_told = not workspace.folders.filter(restricted=True).exists()
        uses = f"uses {_amount(used)} of the {_amount(most)} it may store" if is_told else "has no room left"
        raise Problem(
            f"This workspace {uses}; this file has {_amount(size)}.",
            remedy="Delete documents for good, or ask your administrator for more room.",
            code="workspace_full",
            status=413,
        )


def describe_uploads(workspace: Workspace) -> dict[str, Any]:
    """What people are told before an upload (`documents/_limits.html`): the kinds of file, and limits in words."""
    most = find_room(workspace)
    return {
        "kinds": FILE_KINDS,
        "bytes": settings.UPLOAD_MAX_BYTES,
        "piece": PIECE_BYTES,
        "size": format_megabytes(settings.UPLOAD_MAX_BYTES),
        "files": settings.UPLOAD_MAX_FILES,
        "pages": f"{settings.COMPILE_MAX_PAGES:,}",
        "room": _amount(max(0, most - stored_bytes(workspace))) if most else "",
    }


def _amount(size: int) -> str:
    """Bytes in words: "1.5 GB", "3.2 MB", "96.0 KB"."""
    for unit, name in ((2**30, "GB"), (2**20, "MB")):
        if size >= unit:
            return f"{size / unit:,.1f} {name}"
    return f"{size / 2**10:.1f} KB"


HEAD_BYTES = 8192
"""Bytes at the beginning of an upload by which its kind is told, as the compiler does."""
TAIL_BYTES = 65_557
"""What is read of a file's end, where a ZIP lists its files; its end record and comment are no longer."""


@dataclass(frozen=True)
class StoredUpload:
    """What became of a file: `version` is new, or the one that is here already when `added` is false.

    `healed`: what was stored of the version here was lost or damaged, and the file has made it good.
    """

    document: Document
    version: DocumentVersion
    added: bool
    healed: bool = False


class SameName(StrEnum):
    """What becomes of a file whose name a document of the same folder has, when its content is another."""

    ASK = "ask"
    VERSION = "version"
    KEEP = "keep"


class SameNameHere(Problem):
    """Raised instead of adding a file that may be a new version of `document`: the sender is to say so."""

    def __init__(self, document: Document, name: str) -> None:
        super().__init__(
            f"“{name}” is here already with other content, as “{document.title}”.",
            remedy="Say whether this is a new version of it (on_same_name=version) or a document of its own "
            "(on_same_name=keep).",
            code="same_name",
            status=409,
        )
        self.document = document


@dataclass(frozen=True)
class _Stored:
    """A checked file in storage, not yet in any row."""

    file: str
    name: str
    sha256: str
    mime: str
    bytes: int


def add_document(
    *,
    workspace: Workspace,
    user: User,
    upload: UploadedFile | File,
    title: str = "",
    folder: Folder | None = None,
    on_same_name: SameName = SameName.KEEP,
) -> StoredUpload:
    """Add a file as a new document and queue it. The same bytes again give the document that is here already.

    `on_same_name` says what becomes of a changed file of a document that is in the folder.
    Raises Problem for a file that cannot be read at all (422) or that the workspace has no room for (413), and
    SameNameHere (409) when it is to be asked; nothing is kept then.
    """
    find_before = partial(_find_predecessor, workspace, user, folder, clean_name(upload.name or ""), on_same_name)
    return _take_in(workspace, user, upload, find_before, title, folder)


def add_version(*, document: Document, user: User, upload: UploadedFile | File) -> StoredUpload:
    """Add a file as the next version of a document and queue it; the same bytes are "here already".

    Questions go on reading the current version until the new one is ready.
    """
    return _take_in(document.workspace, user, upload, lambda: document)


def _take_in(
    workspace: Workspace,
    user: User,
    upload: UploadedFile | File,
    find_before: Callable[[], Document | None],
    title: str = "",
    folder: Folder | None = None,
) -> StoredUpload:
    """Check and store a file and make its rows, unless the same bytes are here.

    `find_before` gives the document of which it is a new version, None for a document of its own.
    """
    media_type, sha256, size = check_upload(upload), _sha256_of(upload), upload.size or 0
    here = same_content(workspace, user, sha256, size)
    if here is not None:
        return StoredUpload(here.document, here, added=False, healed=restore_original(here, upload))
    check_room(workspace, size, is_new=find_before() is None)
    stored = _store(upload, media_type, sha256)
    try:
        with transaction.atomic():
            # Asked again under the lock of the workspace's row, so that two uploads of one file cannot both get in.
            Workspace.objects.select_for_update().filter(pk=workspace.pk).first()
            here = same_content(workspace, user, sha256, size)
            if here is None:
                before = find_before()
                check_room(workspace, size, is_new=before is None)
                document = before or _create_document(workspace, user, stored.name, title, folder)
                return _create_version(document, user, stored, is_new=before is None)
    except BaseException:
        delete_stored(stored.file)
        raise
    delete_stored(stored.file)
    return StoredUpload(here.document, here, added=False)


def restore_original(version: DocumentVersion, upload: UploadedFile | File) -> bool:
    """Restore a version's lost original or compiled file from the same bytes; whether anything was missing.

    Every version that shares the lost file gets the new one.
    """
    is_lost = not is_stored(version.file.name or "", version.sha256)
    is_bad = version.status == DocumentVersion.Status.READY and (version.is_broken or not is_readable(version))
    if is_lost:
        _replace_original(version, upload)
    if is_bad:
        queue_repair(version, DocumentVersion.RepairReason.ASKED)
    return is_lost or is_bad


def _replace_original(version: DocumentVersion, upload: UploadedFile | File) -> None:
    stored, before = _store(upload, version.mime, version.sha256), version.file.name or ""
    rows = DocumentVersion.objects.filter(Q(pk=version.pk) | Q(file=before, sha256=version.sha256))
    (rows if before else DocumentVersion.objects.filter(pk=version.pk)).update(file=stored.file)
    if before and not DocumentVersion.objects.filter(file=before).exists():
        delete_stored(before)


def check_upload(upload: UploadedFile | File) -> str:
    """The media type of a file that may be taken in; Problem (422) naming cause and remedy for any other."""
    size = upload.size or 0
    upload.seek(0)
    head = upload.read(HEAD_BYTES)
    upload.seek(max(0, size - TAIL_BYTES))
    tail = upload.read(TAIL_BYTES)
    upload.seek(0)
    return check_ends(name=upload.name or "", size=size, head=head, tail=tail)


def check_ends(*, name: str, size: int, head: bytes, tail: bytes) -> str:
    """The media type that a file's first and last bytes tell; Problem (422) for a file that cannot be taken in."""
    if size > settings.UPLOAD_MAX_BYTES:
        raise Problem(
            f"This file has {format_megabytes(size)}; the limit is {format_megabytes(settings.UPLOAD_MAX_BYTES)}.",
            remedy="Split it into smaller files.",
            code="file_too_large",
        )
    try:
        return sniff(head, name=clean_name(name), tail=tail)
    except UnreadableDocument as error:
        raise Problem(error.cause, remedy=error.remedy, code=error.code) from error


PIECE_BYTES = 4 * 2**20
"""Bytes of a large file that are sent at a time, and at most sent again when the line is cut. Half of it makes
twice the requests; twice of it loses twice as much to each cut."""
LONGEST_STORING = timedelta(minutes=10)
"""After so long the request that stores a whole file is taken for dead."""
MOST_PARTIAL = 50
"""Large files that one person may be sending at a time."""


def begin_partial_upload(
    *, workspace: Workspace, user: User, name: str, size: int, ends: tuple[bytes, bytes], folder: Folder | None
) -> PartialUpload:
    """Begin an upload in pieces, or find the one of the same file that was cut off.

    `ends`: the file's first HEAD_BYTES and last TAIL_BYTES. Problem before a piece is sent for a file that cannot be
    read (422), that the workspace has no room for (413), or when too many others are under way (429).
    """
    head, tail = ends[0][:HEAD_BYTES], ends[1][-TAIL_BYTES:]
    check_ends(name=name, size=size, head=head, tail=tail)
    now, sender = timezone.now(), int(user.pk or 0)
    mine = PartialUpload.objects.filter(user_id=sender, version=None, same_name_as=None, expires_at__gt=now)
    digest = hashlib.sha256(head + tail).hexdigest()
    here = mine.filter(workspace=workspace, bytes=size, ends_sha256=digest, name=clean_name(name)).first()
    if here is not None:
        return here
    check_room(workspace, size + _bytes_under_way(workspace))
    if mine.count() >= MOST_PARTIAL:
        raise Problem(
            f"You are sending {MOST_PARTIAL} large files already.",
            remedy="Wait until one is here, or cancel one.",
            code="too_many_uploads",
            status=429,
            retry_after=60,
        )
    return PartialUpload.objects.create(
        workspace=workspace,
        user_id=sender,
        folder=folder,
        name=clean_name(name),
        bytes=size,
        ends_sha256=digest,
        expires_at=now + timedelta(hours=settings.UPLOAD_KEPT_HOURS),
    )


def _bytes_under_way(workspace: Workspace) -> int:
    rows = PartialUpload.objects.filter(workspace=workspace, version=None, expires_at__gt=timezone.now())
    return int(rows.aggregate(total=Sum("bytes"))["total"] or 0)


def hold_upload(
    *, workspace: Workspace, user: User, upload: UploadedFile | File, folder: Folder | None, same_name_as: Document
) -> PartialUpload:
    """Keep a whole file until its sender says whether it is a new version of that document."""
    size = upload.size or 0
    check_room(workspace, size + _bytes_under_way(workspace), is_new=False)
    upload.seek(0)
    held = PartialUpload(
        workspace=workspace, user_id=int(user.pk or 0), folder=folder, name=clean_name(upload.name or ""), bytes=size
    )
    received = 0
    for data in upload.chunks(PIECE_BYTES):
        received = append_piece(held.token, received, data)
    held.ends_sha256 = _sha256_of(upload)
    _ask_about(held, same_name_as)
    return held


def _ask_about(upload: PartialUpload, document: Document) -> None:
    """Have a whole file wait for an answer, in place of the same file that waits already."""
    waiting = PartialUpload.objects.filter(
        workspace=upload.workspace, user=upload.user_id, name=upload.name, ends_sha256=upload.ends_sha256
    )
    for earlier in waiting.exclude(same_name_as=None).exclude(pk=upload.pk):
        cancel_partial_upload(upload=earlier)
    upload.same_name_as, upload.storing_since = document, None
    upload.expires_at = timezone.now() + timedelta(hours=settings.UPLOAD_KEPT_HOURS)
    upload.save()


def add_piece(*, upload: PartialUpload, offset: int, data: bytes, sha256: str = "") -> int:
    """Add a piece; how many bytes of the file are here. WrongOffset when it does not continue them.

    Problem when the piece was altered on its way (`sha256`, where it was sent along) or exceeds the file.
    """
    if sha256 and hashlib.sha256(data).hexdigest() != sha256:
        raise Problem("A piece of this file was altered on its way.", remedy="It is sent again.", code="piece_altered")
    if len(data) > PIECE_BYTES or offset + len(data) > upload.bytes:
        raise Problem("This piece does not fit the file.", remedy="Upload the file again.", code="piece_too_large")
    return append_piece(upload.token, offset, data)


def finish_partial_upload(*, upload: PartialUpload, user: User, on_same_name: SameName = SameName.ASK) -> StoredUpload:
    """Make a document of a file whose pieces are all here; a second call gives the same document.

    SameNameHere when it is to be asked whether it is a new version; the file then waits for the answer.
    Problem as `add_document`, after which nothing of the file is kept, or 409 while another request stores it.
    """
    if upload.version is not None:
        return StoredUpload(upload.version.document, upload.version, added=True)
    if count_received(upload.token) < upload.bytes:
        cancel_partial_upload(upload=upload)
        raise Problem("What was sent of this file is gone.", remedy="Upload it again.", code="upload_gone", status=410)
    rows = PartialUpload.objects.filter(pk=upload.pk)
    is_free = Q(storing_since=None) | Q(storing_since__lt=timezone.now() - LONGEST_STORING)
    if not rows.filter(is_free).update(storing_since=timezone.now()):
        raise Problem(
            "This file is being stored already.",
            remedy="Look for it in the list in a moment.",
            code="being_stored",
            status=409,
            retry_after=2,
        )
    try:
        with joined_pieces(upload.token) as file:
            stored = _add_whole(upload, user, File(file, name=upload.name), on_same_name)
    except SameNameHere as found:
        _ask_about(upload, found.document)
        raise
    except Problem:
        cancel_partial_upload(upload=upload)
        raise
    except BaseException:
        rows.update(storing_since=None)  # the pieces stay, to be stored when storage is back
        raise
    rows.update(version=stored.version)
    remove_pieces(upload.token)
    return stored


def _add_whole(upload: PartialUpload, user: User, file: File, on_same_name: SameName) -> StoredUpload:
    if on_same_name is SameName.VERSION and upload.same_name_as_id is not None:
        # Of the document that was asked about, whichever is the newest of the name by now.
        asked = documents_in(upload.workspace, user).filter(pk=upload.same_name_as_id).first()
        if asked is not None:
            return add_version(document=asked, user=user, upload=file)
    return add_document(
        workspace=upload.workspace, user=user, upload=file, folder=upload.folder, on_same_name=on_same_name
    )


def cancel_partial_upload(*, upload: PartialUpload) -> None:
    """Forget an upload and its pieces."""
    upload.delete()
    remove_pieces(upload.token)


def clear_partial_uploads() -> int:
    """Forget the uploads that were not gone on with in time, and pieces that no row names; how many."""
    overdue = list(PartialUpload.objects.filter(expires_at__lt=timezone.now()))
    for upload in overdue:
        cancel_partial_upload(upload=upload)
    stale = list_stale(settings.UPLOAD_KEPT_HOURS * 3600)
    named = set(PartialUpload.objects.filter(token__in=stale).values_list("token", flat=True))
    for token in set(stale) - named:
        remove_pieces(token)
    return len(overdue) + len(set(stale) - named)


def clean_name(name: str) -> str:
    """A file name without folders and control characters, at most TITLE_MAX characters, the ending kept."""
    base = PurePath(name.replace("\\", "/")).name
    base = "".join(char for char in base if char.isprintable()).strip() or "document"
    path = PurePath(base)
    return path.stem[: TITLE_MAX - len(path.suffix)] + path.suffix if len(base) > TITLE_MAX else base


def title_from(name: str) -> str:
    """A first title from the file name; the document's own title takes its place once it is read."""
    stem = PurePath(name).stem.replace("_", " ").strip()
    return stem or name


def name_document(document: Document, title: str) -> str:
    """The title, numbered when a document of the same file name in the same folder has it already."""
    others = Document.objects.filter(
        workspace=document.workspace, folder=document.folder, name__iexact=document.name, deleted_at=None
    )
    taken = set(others.exclude(pk=document.pk).values_list("title", flat=True))
    shown, number = title[:TITLE_MAX], 1
    while shown in taken:
        number += 1
        ending = f" ({number})"
        shown = title[: TITLE_MAX - len(ending)] + ending
    return shown


def tell_title_apart(document: Document, title: str) -> str:
    """The title, with the file name beside it when a document of another file name is called the same.

    Of the documents that its sender may see alone: a title must not tell of a closed folder.
    """
    others = Document.objects.filter(workspace=document.workspace_id, title=title, deleted_at=None)
    others = others.exclude(folder__in=closed_folders(document.added_by_id)).exclude(pk=document.pk)
    if others.exclude(name__iexact=document.name).exists():
        ending = f" ({document.name[:NAME_BESIDE]})"
        title = title[: TITLE_MAX - len(ending)] + ending
    return name_document(document, title)


def has_first_title(document: Document) -> bool:
    """Whether the title was made of the file name, so that the document's own title takes its place."""
    return is_titled_after(document, title_from(document.name))


def is_titled_after(document: Document, title: str) -> bool:
    """Whether the document is called by that title, or by what `tell_title_apart` has made of it."""
    if not title or not document.title.startswith(title):
        return False
    rest = document.title.removeprefix(title).removeprefix(f" ({document.name[:NAME_BESIDE]})")
    return not rest or (rest.startswith(" (") and rest[2:-1].isdecimal() and rest.endswith(")"))


def retitle(document: Document, own: str) -> bool:
    """Call a document as it is read now, unless it is called so or somebody renames it meanwhile; whether it was."""
    if not own or is_titled_after(document, own):
        return False
    title = tell_title_apart(document, own)
    if not Document.objects.filter(pk=document.pk, title=document.title).update(title=title):
        return False
    document.title = title
    return True


def _find_predecessor(
    workspace: Workspace, user: User, folder: Folder | None, name: str, on_same_name: SameName
) -> Document | None:
    """The document of which a file is to be a new version; SameNameHere when the sender is to be asked."""
    if on_same_name is SameName.KEEP:
        return None
    here = same_name(workspace, user, folder, name)
    if here is not None and on_same_name is SameName.ASK:
        raise SameNameHere(here, name)
    return here


def _create_document(workspace: Workspace, user: User, name: str, title: str, folder: Folder | None) -> Document:
    document = Document(workspace=workspace, folder=folder, name=name, added_by_id=user.pk)
    document.title = title[:TITLE_MAX] or name_document(document, title_from(name))
    document.save()
    return document


def _create_version(document: Document, user: User, stored: _Stored, *, is_new: bool) -> StoredUpload:
    """Make the row of a stored file, the first of a new document, and have it read."""
    newest = document.versions.order_by("-number").values_list("number", flat=True).first() or 0
    facts = {"bytes": stored.bytes, "sha256": stored.sha256}
    version = DocumentVersion.objects.create(
        document=document, number=newest + 1, file=stored.file, mime=stored.mime, added_by_id=user.pk, **facts
    )
    details = {"file": stored.name, **facts} | ({} if is_new else {"version": version.number})
    verb = "document.added" if is_new else "document.version_added"
    record(actor=user, verb=verb, target=document, details=details)
    start_compiling(version)
    return StoredUpload(document, version, added=True)


def start_compiling(version: DocumentVersion) -> None:
    """Queue a new version and announce it, on commit."""
    enqueue_compile(version)
    announce(version.document.workspace_id, version.document_id)


def _sha256_of(upload: UploadedFile | File) -> str:
    upload.seek(0)
    digest = stream_sha256(upload)
    upload.seek(0)
    return digest


def _store(upload: UploadedFile | File, media_type: str, sha256: str) -> _Stored:
    """Stream the file into default storage under a name of ours: a user's file name never becomes a path."""
    check_before_storing()
    folder = timezone.now().strftime("uploads/%Y/%m")
    file = default_storage.save(f"{folder}/{uuid.uuid4().hex}{ENDINGS.get(media_type, '.txt')}", File(upload))
    name = clean_name(upload.name or "")
    return _Stored(file=file, name=name, sha256=sha256, mime=media_type, bytes=upload.size or 0)


HEADING_KINDS = (NodeKind.PARAGRAPH, NodeKind.LIST, NodeKind.CAPTION)


def may_be_heading(node: Node) -> bool:
    """Whether a leaf is short and plain enough to be made a heading."""
    return node.kind in HEADING_KINDS and len(node.text) <= LONGEST_HEADING


def check_corrections(*, version: DocumentVersion, corrections: Sequence[Mapping[str, Any]]) -> None:
    """Problem (422) when a correction does not fit the part it names, given those before it."""
    tree = open_version(version).tree
    headings = set(tree.sections())
    text: set[int] = set()
    for correction in corrections:
        key, act = correction["key"], CorrectionAct(correction["act"])
        if key not in tree:
            raise Problem(
                "There is no such part in this document.", remedy="Load the outline again.", code="unknown_part"
            )
        is_text = key in text or (key not in headings and may_be_heading(tree.node(key)))
        if not (is_text if act is CorrectionAct.SPLIT else key in headings):
            raise Problem(
                "This correction does not fit that part of the document.",
                remedy="Load the outline again.",
                code="not_a_heading",
            )
        if act is CorrectionAct.JOIN:
            headings.discard(key)
            text.add(key)
        elif act is CorrectionAct.SPLIT:
            headings.add(key)
            text.discard(key)


@transaction.atomic
def correct_outline(
    *, actor: User, version: DocumentVersion, corrections: Sequence[Mapping[str, Any]]
) -> DocumentVersion:
    """Queue a version with `corrections` ([{key, act, title, depth}], keys as in `version`) on top of its own.

    Problem when nothing is to be corrected, or a newer version has come.
    """
    document = version.document
    newest = document.versions.select_for_update().order_by("-number").first()
    if not corrections:
        raise Problem("There is nothing to correct yet.", remedy="Change the outline first.", code="no_corrections")
    if newest is None or newest.pk != version.pk or version.status != DocumentVersion.Status.READY:
        raise Problem(
            "A newer version of this document has come.",
            remedy="Look at it before you correct anything.",
            code="newer_version",
            status=409,
        )
    made = DocumentVersion.objects.create(
        document=document,
        number=version.number + 1,
        file=version.file.name,
        sha256=version.sha256,
        mime=version.mime,
        bytes=version.bytes,
        corrections=[*version.corrections, *map(dict, corrections)],
        added_by_id=actor.pk,
    )
    details = {"version": made.number, "corrections": len(corrections)}
    record(actor=actor, verb="document.outline_corrected", target=document, details=details)
    start_compiling(made)
    return made
