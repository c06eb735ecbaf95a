"""Checks an evidence bundle by itself: no database, no account, no network."""

import hashlib
import json
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.errors import EngineError, InvalidInput
from vectorless_web.engine.parsing.compile import compile_file
from vectorless_web.engine.parsing.scans.recognition import NoRecogniser, Recogniser
from vectorless_web.engine.text.analyser import normalise

FORMAT, VERSION = "vectorless-evidence-bundle", 1
MANIFEST = "manifest.json"
NEEDED = ("answer.json", "answer.md", "quotes.json", "settings.json", "trace.json")

Quote = dict[str, Any]


def page_stem(sha256: str, page: int) -> str:
    """The name, without suffix, of a page's files: the document's hash and the page, from 1."""
    return f"pages/{sha256[:16]}-p{page:04d}"


FILES_MOST, BYTES_MOST = 1000, 512 * 1024 * 1024
"""Files of a bundle, and bytes of all of them unpacked, at most."""
UNPACKED_RATIO, UNPACKED_FLOOR = 8, 16 * 1024 * 1024
"""How many times the zip its files may be, or these bytes if that is more: a bundle is stored as it is, and one that
was packed again consists of pictures for the most part."""
JSON_MOST = 4 * 1024 * 1024
"""Bytes of a file that is taken apart, which takes twenty times its size in memory; a long run has 0.3 MB of quotes."""
_PARSED = (MANIFEST, "answer.json", "quotes.json")
_WORD_HYPHEN = re.compile(r"(?<=[^\W\d_])-(?=[a-zß-ÿ])")


@dataclass
class Report:
    """What a check found. The bundle is good when `wrong` is empty; `unchecked` says what nobody looked at."""

    good: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
    fingerprint: str = ""
    """The SHA-256 of the manifest, which stands for the whole bundle."""


Files = Mapping[str, bytes]


_NO_RECOGNISER = NoRecogniser()


def check_bundle(
    path: Path, documents: Sequence[Path] = (), *, fingerprint: str = "", recogniser: Recogniser = _NO_RECOGNISER
) -> Report:
    """Check a bundle, and its quotes against the documents given, whose scanned pages the recogniser reads.

    InvalidInput when the file is no bundle at all or too large to be one.
    """
    report = Report()
    files = _files(path, report)
    manifest = _manifest(files)
    report.fingerprint = hashlib.sha256(files[MANIFEST]).hexdigest()
    if fingerprint and fingerprint.lower() != report.fingerprint:
        report.wrong.append(f"The fingerprint is {report.fingerprint}, not the one expected.")
    _check_hashes(files, manifest, report)
    try:
        quotes, answer = json.loads(files.get("quotes.json", b"[]")), json.loads(files.get("answer.json", b"{}"))
        _check_answer(answer, quotes, report)
        _check_texts(files, quotes, report)
        _check_documents(files, quotes, answer, documents, report, recogniser=recogniser)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        report.wrong.append(f"Its files are not in the form they should have: {error!r}.")
    _tell_limits(manifest, fingerprint, report)
    return report


def _files(path: Path, report: Report) -> Files:
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            most = min(BYTES_MOST, max(UNPACKED_FLOOR, UNPACKED_RATIO * path.stat().st_size))
            large = any(entry.filename in _PARSED and entry.file_size > JSON_MOST for entry in entries)
            if large or len(entries) > FILES_MOST or sum(entry.file_size for entry in entries) > most:
                raise InvalidInput("This zip is too large to be an evidence bundle.")
            twice = [name for name, count in Counter(entry.filename for entry in entries).items() if count > 1]
            report.wrong += [f"{name} is in the zip more than once." for name in twice]
            return {entry.filename: _unpack_file(archive, entry) for entry in entries}
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as error:
        raise InvalidInput(f"{path.name} is damaged or no zip file: {error}.") from error


def _unpack_file(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """The bytes of a file, never more than its entry says: `ZipFile.read` would unpack all there is and cut it then."""
    with archive.open(entry) as file:
        return file.read(entry.file_size)


def _manifest(files: Files) -> dict[str, Any]:
    try:
        manifest = json.loads(files[MANIFEST])
        known = manifest["format"] == FORMAT and manifest["version"] == VERSION
        rows = all(isinstance(row["path"], str) and isinstance(row["sha256"], str) for row in manifest["files"])
    except (KeyError, ValueError, TypeError, RecursionError) as error:
        raise InvalidInput("This zip has no manifest that can be read, so it is no evidence bundle.") from error
    if not known or not rows:
        raise InvalidInput("This is a bundle of another version, which this program does not know.")
    return dict(manifest)


def _check_hashes(files: Files, manifest: dict[str, Any], report: Report) -> None:
    listed = {row["path"]: row["sha256"] for row in manifest["files"]}
    altered = [path for path, digest in listed.items() if path in files and _sha256(files[path]) != digest]
    lacking = sorted({*listed, *NEEDED} - {*files})
    added = sorted({*files} - {*listed, MANIFEST})
    report.wrong += [f"{path} was altered: it does not have the SHA-256 of the manifest." for path in sorted(altered)]
    report.wrong += [f"{path} is missing." for path in lacking]
    report.wrong += [f"{path} is not in the manifest." for path in added]
    if not altered and not lacking and not added:
        report.good.append(f"All {len(listed)} files have the SHA-256 of the manifest.")


def _check_answer(answer: dict[str, Any], quotes: list[Quote], report: Report) -> None:
    """The answer's citations and the quotes say the same; each sentence's markers are there."""
    shared = ("marker", "document", "document_version", "sha256", "page", "quote", "check")
    cited = [[row[name] for name in shared] for row in answer["citations"]]
    told = [[row[name] for name in shared] for row in quotes]
    if cited != told:
        report.wrong.append("answer.json and quotes.json do not cite the same.")
    known = {row["marker"] for row in quotes}
    stray = sorted({marker for claim in answer["claims"] for marker in claim["citations"]} - known)
    report.wrong += [f"A sentence cites [{marker}], which is no quote of the bundle." for marker in stray]
    if cited == told and not stray:
        report.good.append(
            f"Every quote that the answer cites is here (sentences: {len(answer['claims'])}, quotes: {len(quotes)})."
        )


def _check_texts(files: Files, quotes: list[Quote], report: Report) -> None:
    """Each quote is at its place in the page texts of the bundle."""
    texts = {path: data.decode("utf-8", "replace") for path, data in files.items() if path.endswith(".txt")}
    found = 0
    for row in quotes:
        pages = {place["page"]: texts.get(_text_path(row, place["page"])) for place in row["characters"]}
        if row["check"] == "missing":
            report.unchecked.append(f"[{row['marker']}] was not found in its document when it was asked; so it says.")
        elif row["check"] == "picture":
            report.unchecked.append(f"[{row['marker']}] was read from the picture of page {row['page']}: look at it.")
        elif not pages or None in pages.values():
            report.unchecked.append(f"[{row['marker']}] has no page text in the bundle.")
        elif is_quote_in_place(row, {page: text or "" for page, text in pages.items()}):
            found += 1
        else:
            report.wrong.append(f"[{row['marker']}] does not stand at its place in the page text of the bundle.")
    if found:
        report.good.append(f"At their place in the page texts of the bundle: {found} of {len(quotes)} quotes.")


def is_quote_in_place(quote: Quote, pages: Mapping[int, str]) -> bool:
    """Whether the characters at the quote's place, on pages from 1, are the quote's; white space does not count.

    However a model's words were found, the quote that is kept is the document's own text.
    """
    parts = [
        pages.get(place["page"], "")[place["start"] : place["start"] + place["length"]] for place in quote["characters"]
    ]
    there, said = _normalise_text(" ".join(parts)), _normalise_text(quote["quote"])
    return there == said or _WORD_HYPHEN.sub("", there) == _WORD_HYPHEN.sub("", said)


def _check_documents(
    files: Files,
    quotes: list[Quote],
    answer: dict[str, Any],
    documents: Sequence[Path],
    report: Report,
    *,
    recogniser: Recogniser,
) -> None:
    names = {row["sha256"]: row["name"] for row in answer["documents"]}
    given = set()
    for path in documents:
        digest = _sha256(path.read_bytes())
        own = [row for row in quotes if row["sha256"] == digest]
        if not own and digest not in names:
            report.wrong.append(f"{path.name} is none of the documents of this bundle, or another version of one.")
            continue
        given.add(digest)
        try:
            opened = CompiledDocument(compile_file(path, name=names.get(digest, path.name), recogniser=recogniser))
        except EngineError as error:
            report.wrong.append(f"{path.name} could not be read: {error.message}")
            continue
        _check_document(path.name, opened, own, files, report)
    quoted = {row["sha256"]: row["document"] for row in quotes}
    report.unchecked += [
        f"Quotes from “{title}” were not compared with the document itself, which was not given (SHA-256 {digest})."
        for digest, title in quoted.items()
        if digest not in given
    ]


def _check_document(name: str, opened: CompiledDocument, quotes: list[Quote], files: Files, report: Report) -> None:
    """Each quote, and each page text of the bundle, against the document itself."""
    found = 0
    for row in quotes:
        if row["check"] in ("missing", "picture"):
            continue
        numbers = {place["page"] for place in row["characters"]}
        if not all(1 <= number <= len(opened.pages) for number in numbers):
            report.wrong.append(f"[{row['marker']}] names a page that {name} does not have.")
            continue
        pages = {number: opened.page_text(number - 1) for number in numbers}
        if not numbers:
            report.unchecked.append(f"[{row['marker']}] has no exact place to look at in {name}.")
        elif not is_quote_in_place(row, pages):
            report.wrong.append(f"[{row['marker']}] does not stand at its place in {name}.")
        elif any(_differs(files.get(_text_path(row, number)), text) for number, text in pages.items()):
            report.wrong.append(f"The page text of [{row['marker']}] in the bundle is not that of {name}.")
        else:
            found += 1
    report.good.append(f"At their place in {name} itself: {found} of {len(quotes)} quotes.")


def _tell_limits(manifest: dict[str, Any], fingerprint: str, report: Report) -> None:
    report.unchecked += [f"Left out: {row['path']}. {row['why']}" for row in manifest.get("left_out", [])]
    report.unchecked.append("The pictures of pages were not compared with the documents' pages.")
    report.unchecked.append("Whether the sentences say what their quotes say is for a reader to judge.")
    if not fingerprint:
        report.unchecked.append(
            "Who made the bundle: it carries no signature. Compare its fingerprint with one you were told."
        )


def _differs(data: bytes | None, text: str) -> bool:
    return data is not None and data != text.encode("utf-8", "replace")


def _text_path(quote: Quote, page: int) -> str:
    return f"{page_stem(quote['sha256'], page)}.txt"


def _normalise_text(text: str) -> str:
    return "".join(normalise(text).text.split())


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
