"""The evidence bundle: a ZIP file with everything an answer rests on; it can be checked without this site.

The same run gives the same bytes as long as the same pages can be shown: nothing in it
tells when it was made. docs/exports.md describes every file; `manage.py verify` checks one.
"""

import hashlib
import io
import json
import time
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from vectorless_web.documents.models import DocumentVersion
from vectorless_web.documents.rendering.page import RenderUnavailable, has_pages, page_image
from vectorless_web.documents.storage.files import open_version
from vectorless_web.engine.errors import ArtefactDamaged
from vectorless_web.runs import selectors
from vectorless_web.runs.export import values
from vectorless_web.runs.export.bundle_check import FORMAT, MANIFEST, VERSION, page_stem
from vectorless_web.runs.export.markdown import as_markdown
from vectorless_web.runs.models import Citation, ModelCall, Run
from vectorless_web.runs.page.rendering import citations_of
from vectorless_web.runs.page.sheets import may_be_shown

PAGES_MOST = 40
"""Pages drawn for one bundle at most; the others are left out, and the manifest says so."""
SECONDS_MOST = 20.0
"""How long pages may be drawn for one bundle; those that come later are left out, and the manifest says so."""
EPOCH = (1980, 1, 1, 0, 0, 0)
"""The date of all files in a bundle, the earliest that ZIP knows: equal runs give equal bytes."""

README = """An answer and its evidence
==========================

answer.md         the answer with footnotes, to read
answer.json       the answer with claims, calculations, quotes and documents
trace.json        every step that led to it
quotes.json       each quote with its document's SHA-256, its page and its exact place there
settings.json     who answered, with which settings
model_calls.json  the calls of a chat model by their hashes, if one was asked
pages/            the pages quoted, as pictures and as the text that quotes were checked against
manifest.json     the SHA-256 of every other file, and what was left out and why

To check it, with or without the quoted documents:

    manage.py verify BUNDLE.zip --document FILE
"""


@dataclass(frozen=True)
class QuotedPage:
    """A page that holds a part of a quote."""

    version: DocumentVersion
    page_index: int

    @property
    def stem(self) -> str:
        """The name of its files: the document's hash, the page from 1."""
        return page_stem(self.version.sha256, self.page_index + 1)


def bundle_of(run: Run) -> bytes:
    """The zip of one run."""
    claims = selectors.claims_of(run)
    citations = citations_of(run, claims)
    left_out: list[dict[str, str]] = []
    files = dict(_texts(run, citations)) | _pages(citations, left_out)
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "run": run.pk,
        "question": run.question,
        "outcome": run.status,
        "files": [
            {"path": path, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            for path, data in sorted(files.items())
        ],
        "left_out": left_out,
    }
    return _zip_files({**files, MANIFEST: _json(manifest)})


def _texts(run: Run, citations: Sequence[Citation]) -> Iterator[tuple[str, bytes]]:
    answer = values.as_json(run)
    yield "README.txt", README.encode()
    yield "answer.md", as_markdown(run).encode()
    yield "trace.json", _json(answer.pop("steps"))
    settings = {name: answer[name] for name in ("engine", "model", "settings", "corpus_fingerprint")}
    yield "settings.json", _json(settings)
    yield "answer.json", _json(answer)
    yield "quotes.json", _json([_quote(citation) for citation in citations])
    yield "model_calls.json", _json([_call(call) for call in run.model_calls.order_by("pk")])


def _quote(citation: Citation) -> dict[str, Any]:
    """A quote with its exact place: characters of the page's text, boxes in points from the top left."""
    return {
        **values.citation_row(citation),
        "characters": [{"page": page + 1, "start": start, "length": length} for page, start, length in citation.spans],
        "boxes": [
            {"page": int(page) + 1, "x": x, "y": y, "width": width, "height": height}
            for page, x, y, width, height in citation.boxes
        ],
    }


def _call(call: ModelCall) -> dict[str, Any]:
    return {
        "purpose": call.purpose,
        "model": call.model,
        "request_sha256": call.request_hash,
        "reply_sha256": hashlib.sha256(call.reply.encode()).hexdigest(),
        "tokens_in": call.tokens_in,
        "tokens_out": call.tokens_out,
        "cost_usd": float(call.cost_usd),
        "error_code": call.error_code,
    }


def _pages(citations: Sequence[Citation], left_out: list[dict[str, str]]) -> dict[str, bytes]:
    """The files of all pages quoted; what cannot be had is added to `left_out` with the reason."""
    deadline = time.monotonic() + SECONDS_MOST
    files: dict[str, bytes] = {}
    for number, place in enumerate(_list_quoted_pages(citations, left_out)):
        late = number >= PAGES_MOST or time.monotonic() > deadline
        for suffix, read in (("txt", _read_page_text), ("jpg", _picture)):
            if suffix == "jpg" and not has_pages(place.version):
                continue
            data = "There was no time to draw it." if late and suffix == "jpg" else read(place)
            if isinstance(data, bytes):
                files[f"{place.stem}.{suffix}"] = data
            else:
                left_out.append({"path": f"{place.stem}.{suffix}", "why": data})
    return files


def _list_quoted_pages(citations: Sequence[Citation], left_out: list[dict[str, str]]) -> list[QuotedPage]:
    found: dict[QuotedPage, None] = {}
    for citation in citations:
        version = citation.version
        if version is None or not may_be_shown(version):
            title = citation.document_title
            left_out.append({"path": f"pages of {title}", "why": "The document is no longer in the workspace."})
            continue
        pages = [citation.page_index, *(span[0] for span in citation.spans)]
        found |= {QuotedPage(version, page): None for page in pages}
    return list(found)


def _read_page_text(place: QuotedPage) -> bytes | str:
    try:
        return open_version(place.version).page_text(place.page_index).encode("utf-8", "replace")
    except (ArtefactDamaged, IndexError):
        return "The compiled document cannot be read."


def _picture(place: QuotedPage) -> bytes | str:
    try:
        return page_image(place.version, place.page_index).read_bytes()
    except RenderUnavailable as error:
        return error.message
    except FileNotFoundError:
        return "The picture was removed from the cache meanwhile."


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True).encode("utf-8", "replace") + b"\n"


def _zip_files(files: dict[str, bytes]) -> bytes:
    """Stored, not compressed: what a compressor makes of the same bytes differs from one release to the next."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for path, data in sorted(files.items()):
            entry = zipfile.ZipInfo(path, date_time=EPOCH)
            entry.external_attr = 0o644 << 16
            entry.create_system = 3
            archive.writestr(entry, data)
    return target.getvalue()
