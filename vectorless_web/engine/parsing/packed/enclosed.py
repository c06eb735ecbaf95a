"""Files within a file: the members of a ZIP archive and the attachments of a message, unpacked within limits."""

import re
import stat
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from email import message_from_bytes, policy
from email.message import MIMEPart
from pathlib import Path
from typing import IO, Any

from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.limits import CompileLimits
from vectorless_web.engine.parsing.markup.blocks import BlockWriter, remove_invisible
from vectorless_web.engine.parsing.markup.mail import list_attached, read_attached
from vectorless_web.engine.parsing.markup.pages import DocumentText
from vectorless_web.engine.parsing.package import DAMAGE, PackageKind, check_directory
from vectorless_web.engine.parsing.sniff import MAIL, ZIP

ARCHIVE = PackageKind("ZIP archive", "the program that made it", "zip")
HOLDERS = (MAIL, ZIP)
"""Media types of files that hold others."""
_SYSTEM = re.compile(r"(?:^|/)(?:__MACOSX/|\._|\.DS_Store$|Thumbs\.db$|desktop\.ini$)", re.IGNORECASE)
"""What systems put beside a person's files."""
_DRIVE = re.compile(r"^[A-Za-z]:")
_ENCRYPTED, _UTF8 = 0x1, 0x800
"""Flags of a member: it is encrypted; its name is in UTF-8 (ZIP specification, 4.4.4)."""
_CHUNK = 1024 * 1024
_MOST_LISTED = 5_000
"""Members that the listing of an archive names."""


@dataclass(frozen=True, slots=True)
class EnclosedLimits:
    """Limits of unpacking one file: files, bytes of each, bytes of all, and the greatest compression ratio."""

    files: int = 500
    bytes: int = 200 * 1024 * 1024
    total: int = 1024 * 1024 * 1024
    ratio: int = 400
    floor: int = 8 * 1024 * 1024
    """Bytes to which a member may unpack however tightly it is packed."""


@dataclass(frozen=True, slots=True)
class Enclosed:
    """A file within a file: its name, its folder, and the reason why it was not unpacked, or "".

    Its bytes stand in the folder that was unpacked into, under its place in the list, when `code` is "".
    """

    name: str
    folder: str = ""
    code: str = ""
    reason: str = ""


Progress = Callable[[str, int, int], None]


def unpack_file(
    path: Path, *, media_type: str, target: Path, limits: EnclosedLimits, progress: Progress
) -> list[dict[str, Any]]:
    """Write what a file holds into the folder `target`, named "0", "1", ...; the fields of an Enclosed for each.

    A file that is refused is left out alone, with its reason. UnreadableDocument: `damaged_zip`, `too_many_files`.
    """
    target.mkdir(exist_ok=True)
    unpacker = _Unpacker(target, limits)
    if media_type == ZIP:
        _unpack_archive(path, unpacker, progress)
    elif media_type == MAIL:
        _unpack_mail(path, unpacker, progress)
    return [asdict(enclosed) for enclosed in unpacker.found]


class _Refused(Exception):
    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code, self.reason = code, reason


class _Unpacker:
    def __init__(self, target: Path, limits: EnclosedLimits) -> None:
        self.found: list[Enclosed] = []
        self._target, self.limits = target, limits
        self._taken = 0

    def take(self, name: str, folder: str, chunks: Iterator[bytes]) -> None:
        """Write one file, or note the reason why it was refused."""
        path = self._target / str(len(self.found))
        try:
            if len(self.found) >= self.limits.files:
                raise _Refused(
                    "too_many_files", f"Only the first {self.limits.files:,} files are taken out of one file."
                )
            with path.open("xb") as file:
                self._write(file, chunks)
        except _Refused as refused:
            path.unlink(missing_ok=True)
            self.refuse(name, folder, refused.code, refused.reason)
        else:
            self.found.append(Enclosed(name, folder))

    def refuse(self, name: str, folder: str, code: str, reason: str) -> None:
        """Note a file that is not taken out."""
        self.found.append(Enclosed(name, folder, code, reason))

    def _write(self, file: IO[bytes], chunks: Iterator[bytes]) -> None:
        size = 0
        for chunk in chunks:
            size += len(chunk)
            self._taken += len(chunk)
            if size > self.limits.bytes:
                self._taken -= size
                raise _Refused("file_too_large", f"It has more than {self.limits.bytes // 2**20:,} MB.")
            if self._taken > self.limits.total:
                self._taken -= size
                raise _Refused(
                    "archive_too_large", f"All files together unpack to more than {self.limits.total // 2**20:,} MB."
                )
            file.write(chunk)
        if not size:
            raise _Refused("empty_file", "It is empty.")


def _unpack_archive(path: Path, unpacker: _Unpacker, progress: Progress) -> None:
    members = list_members(path, CompileLimits())
    with zipfile.ZipFile(path) as archive:
        for number, member in enumerate(members):
            progress("unpacking", number, len(members))
            try:
                folder, name = split_name(member)
                _check_member(member, unpacker.limits)
            except _Refused as refused:
                unpacker.refuse(_last_part(member.filename), "", refused.code, refused.reason)
                continue
            unpacker.take(name, folder, _read_member(archive, member))
        progress("unpacking", len(members), len(members))


def list_members(path: Path, limits: CompileLimits) -> list[zipfile.ZipInfo]:
    """The files of an archive, without folders and what systems add. UnreadableDocument: `damaged_zip`, `zip_bomb`."""
    try:
        check_directory(path, limits, ARCHIVE)
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except DAMAGE as error:
        raise UnreadableDocument(
            "This ZIP archive is damaged or did not arrive whole.",
            remedy="Pack the files again and upload that, or upload them one by one.",
            code="damaged_zip",
        ) from error
    return [member for member in members if not member.is_dir() and not _SYSTEM.search(member.filename)]


def split_name(member: zipfile.ZipInfo) -> tuple[str, str]:
    """(folder, name) of a member, without invisible characters. _Refused for a name that leads out of the archive."""
    said = _decode_name(member).replace("\\", "/")
    parts = [part for part in said.split("/") if part not in ("", ".")]
    if said.startswith("/") or _DRIVE.match(said) or ".." in parts or not parts:
        raise _Refused("unsafe_name", "Its name leads out of the archive.")
    clean = [remove_invisible(part).strip() or "_" for part in parts]
    return "/".join(clean[:-1]), clean[-1]


def _decode_name(member: zipfile.ZipInfo) -> str:
    """The name of a member; programs that say nothing of its encoding mostly write UTF-8."""
    if member.flag_bits & _UTF8:
        return member.filename
    try:
        return member.filename.encode("cp437").decode("utf-8")
    except ValueError:
        return member.filename


def _last_part(name: str) -> str:
    return remove_invisible(name.replace("\\", "/").rstrip("/").rpartition("/")[2]) or "_"


def _check_member(member: zipfile.ZipInfo, limits: EnclosedLimits) -> None:
    if member.flag_bits & _ENCRYPTED:
        raise _Refused("encrypted_file", "It is protected with a password. Pack it without one.")
    if stat.S_ISLNK(member.external_attr >> 16):
        raise _Refused("link", "It is a link to another file, which is not followed.")
    if member.file_size > limits.floor and member.file_size > limits.ratio * max(member.compress_size, 1):
        raise _Refused("zip_bomb", "It unpacks to far more than a document holds.")


def _read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
    try:
        with archive.open(member) as file:
            while chunk := file.read(_CHUNK):
                yield chunk
    except (*DAMAGE, RuntimeError) as error:
        raise _Refused("damaged_file", "It is damaged in the archive. Pack it again.") from error


def _unpack_mail(path: Path, unpacker: _Unpacker, progress: Progress) -> None:
    message = message_from_bytes(path.read_bytes(), policy=policy.default)
    attached = list_attached(message)
    for number, (name, part) in enumerate(attached):
        progress("unpacking", number, len(attached))
        unpacker.take(name, "", _read_part(part))
    progress("unpacking", len(attached), len(attached))


def _read_part(part: MIMEPart) -> Iterator[bytes]:
    try:
        yield read_attached(part)
    except (LookupError, ValueError, AttributeError, TypeError) as error:
        raise _Refused("damaged_file", "It is damaged in the message.") from error


def read_archive(path: Path, *, limits: CompileLimits) -> DocumentText:
    """The list of an archive's files, folder by folder. UnreadableDocument: `damaged_zip`, `zip_bomb`, `no_text`."""
    members = list_members(path, limits)
    folders: dict[str, list[str]] = {}
    for member in members[:_MOST_LISTED]:
        try:
            folder, name = split_name(member)
        except _Refused:
            folder, name = "", _last_part(member.filename)
        folders.setdefault(folder, []).append(name)
    if not folders:
        raise UnreadableDocument("This ZIP archive holds no files.", remedy="Pack the files again.", code="no_text")
    writer = BlockWriter()
    for folder in sorted(folders):
        writer.write(NodeKind.SECTION, folder, level=1)
        for name in folders[folder]:
            writer.write_item(name, mark="-")
        writer.end_list()
    return writer.finish(remarks=_tell_unlisted(members))


def _tell_unlisted(members: Sequence[zipfile.ZipInfo]) -> Iterator[str]:
    if len(members) > _MOST_LISTED:
        yield f"This archive holds {len(members):,} files; the first {_MOST_LISTED:,} are listed."
