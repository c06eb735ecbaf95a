"""A finished run to take along: as plain values, as Markdown with footnotes, and as the evidence bundle.

The same run gives the same bytes as long as the same pages can be shown: nothing in it
tells when it was made. docs/exports.md describes every file; `manage.py verify` checks one.
"""

import hashlib
import io
import json
import re
import time
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.utils.text import slugify

from vectorless_web.documents.models import DocumentVersion
from vectorless_web.documents.rendering.page import RenderUnavailable, has_pages, page_image
from vectorless_web.documents.storage.files import open_version
from vectorless_web.engine.errors import ArtefactDamaged
from vectorless_web.engine.text.numbers import with_unit
from vectorless_web.infra.templatetags.show import check_word, formula, support_word, verdict_line
from vectorless_web.runs import selectors
from vectorless_web.runs.export.bundle_check import FORMAT as BUNDLE_FORMAT
from vectorless_web.runs.export.bundle_check import MANIFEST, page_stem
from vectorless_web.runs.export.bundle_check import VERSION as BUNDLE_VERSION
from vectorless_web.runs.models import Answer, Citation, Claim, ModelCall, Run, Step
from vectorless_web.runs.page.rendering import (
    ShownPassage,
    citations_in,
    citations_of,
    closest_line,
    engine_line,
    show_passage,
    struck_of,
    takeover_of,
    unknown_line,
    unread_lines,
)
from vectorless_web.runs.page.sheets import may_be_shown, pages_quoted

FORMAT, VERSION = "vectorless-run", 2
"""What a program that reads the file looks at first; the version rises when a field changes or goes."""
NAME_LENGTH = 60
"""Characters of the question in the name of an exported file."""


def file_name(run: Run, suffix: str) -> str:
    """A name for the run's file that every system takes: its number, then the question's ASCII words."""
    words = slugify(run.question)[:NAME_LENGTH].strip("-")
    return f"run-{run.pk}{'-' if words else ''}{words}.{suffix}"


def as_json(run: Run) -> dict[str, Any]:
    """Everything about a run but its model calls."""
    answer, claims = selectors.answer_of(run), selectors.claims_of(run)
    return {
        "format": FORMAT,
        "version": VERSION,
        "id": run.pk,
        "thread": run.thread_id,
        "asked_from": run.asked_from_id,
        "asked_how": run.asked_how,
        "question": run.question,
        "scope": "workspace" if run.whole_workspace else "documents",
        "outcome": run.status,
        "reason": run.reason,
        "error_code": run.error_code,
        **_answer(answer),
        "claims": [_claim(claim) for claim in claims],
        "citations": [citation_row(citation) for citation in citations_of(run, claims)],
        "passages": [citation.marker for citation in selectors.passages_of(run)],
        "documents": [document_row(version) for version in selectors.versions_read(run)],
        "steps": [step_row(step) for step in selectors.steps_of(run)],
        "checked": [_pages_from_one(row) for row in run.checked],
        "engine": run.engine,
        "model": run.model,
        "settings": run.settings,
        "corpus_fingerprint": run.corpus_fingerprint,
        "tokens": run.tokens,
        "cost_usd": float(run.cost_usd),
        "asked_at": run.created_at.isoformat(),
        "finished_at": run.finished_at.isoformat() if run.finished_at else None,
    }


def list_citations(run: Run) -> list[dict[str, Any]]:
    """Each quote of the answer and each closest passage, in the order of their markers."""
    return [citation_row(citation) for citation in citations_of(run, selectors.claims_of(run))]


def citation_row(citation: Citation) -> dict[str, Any]:
    """One quote with its place, the hash of the file it is in, and how it was found there."""
    version = citation.version
    return {
        "marker": citation.marker,
        "document": citation.document_title,
        "document_version": version.number if version is not None else None,
        "sha256": citation.sha256,
        "page": citation.page,
        "quote": citation.quote,
        "where": citation.where,
        "check": citation.check_result,
        "check_words": check_word(citation.check_result),
        **({} if citation.passage is None else {"passage": citation.passage}),
        **({} if citation.recognised is None else {"read_by_ocr_percent": citation.recognised}),
    }


def document_row(version: DocumentVersion) -> dict[str, Any]:
    """One document as it was read."""
    return {
        "title": version.document.title,
        "name": version.document.name,
        "version": version.number,
        "sha256": version.sha256,
        "pages": version.pages,
        "media_type": version.mime,
    }


def step_row(step: Step) -> dict[str, Any]:
    """One step as it was stored."""
    names = (
        *("sequence", "walk", "index", "kind", "say", "thought", "action", "arguments", "observation", "confidence"),
        *("documents", "latency_ms", "tokens", "engine"),
    )
    return {
        **{name: getattr(step, name) for name in names},
        "refs": [_pages_from_one(ref) for ref in step.refs],
        "rejected": [_pages_from_one(row) for row in step.rejected],
    }


def _answer(answer: Answer | None) -> dict[str, Any]:
    older = answer is not None and not answer.verdict and answer.confidence is not None
    return {
        "answer": answer.markdown if answer else "",
        "value": answer.value if answer else "",
        "verdict": answer.verdict if answer else "",
        **({"earlier_confidence": answer.confidence} if answer and older else {}),
        "grounded": bool(answer and answer.grounded),
        "missing": answer.missing if answer else [],
        "unknown_words": answer.unknown_words if answer else [],
        "note": answer.note if answer else "",
    }


def _claim(claim: Claim) -> dict[str, Any]:
    names = ("order", "text", "support", "because", "marks", "maker", "calculation", "table")
    cited = [citation.marker for citation in claim.citations.all()]
    return {name: getattr(claim, name) for name in names} | {"citations": cited}


def _pages_from_one(row: dict[str, Any]) -> dict[str, Any]:
    """A stored reference, whose pages count from 0, as readers count."""
    pages = {name: row[name] + 1 for name in ("page_start", "page_end") if row.get(name) is not None}
    ref = row.get("ref")
    return row | pages | ({"ref": _pages_from_one(ref)} if isinstance(ref, dict) else {})


_SPECIAL = re.compile(r"[\\`*_{}\[\]<>#|~@]|(?<=[a-zA-Z]):(?=//)|(?<=\bwww)\.")
"""Signs of Markdown, and those by which its dialects find addresses to link."""
_LEADING = re.compile(r"^(?:([-+=])|(\d+)([.)]))(?=\s|$)")


def as_markdown(run: Run) -> str:
    """The question, how it ended, the answer with footnote marks and calculations, each quote with its place."""
    claims, answer = selectors.claims_of(run), selectors.answer_of(run)
    ending = f"*{run.get_status_display()}*: {inline(describe_ending(run, answer))}"
    lines = [f"# {inline(run.question)}", "", ending]
    for line in list_interventions(run, answer, claims):
        lines += ["", inline(line)]
    for claim in claims:
        lines += ["", _sentence(claim), *_table(claim.table), *_calculation(claim.calculation)]
    versions = selectors.versions_read(run)
    for line in unread_lines(selectors.steps_of(run), versions):
        lines += ["", inline(line)]
    if unknown := unknown_line(run, answer):
        lines += ["", inline(unknown)]
    if passages := selectors.passages_of(run):
        lines += ["", inline(closest_line(run))]
    for citation in passages:
        lines += ["", *_passage(citation.marker, show_passage(citation))]
    if answer and answer.missing and run.has_answer:
        lines += ["", "Still open:", "", *(f"- {inline(part)}" for part in answer.missing)]
    if checked := list_checked(run, versions):
        lines += ["", "What was searched:", "", *(f"- {inline(place)}" for place in checked)]
    lines += ["", *_sources(versions), ""]
    lines += [f"[^{citation.marker}]: {inline(describe_quote(citation))}" for citation in citations_in(claims)]
    return "\n".join(lines).strip() + "\n"


TOLD_IN_WORDS = ("partly", "quoted", "pictured", "absent")
"""Supports of a sentence that neither a plain nor a struck one shows."""


def inline(text: str) -> str:
    """A text as one line of Markdown that shows exactly its words: nothing in it is markup or HTML."""
    line = _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()).replace("&", "&amp;"))
    return _LEADING.sub(lambda found: f"\\{found[1]}" if found[1] else f"{found[2]}\\{found[3]}", line)


def describe_ending(run: Run, answer: Answer | None) -> str:
    """Why a run ended as it did, how far its answer was checked, and who read."""
    reason = "" if run.status == Run.Status.PASSAGES else run.reason.rstrip(".")
    parts = [reason, verdict_line(answer) if run.has_answer else ""]
    takeover = takeover_of(run, answer)
    who = engine_line("offline" if takeover and takeover.whole else run.engine, run.model)
    parts.append(f"{'read' if run.found_no_answer else 'answered'} by {who}")
    return "; ".join(part for part in parts if part)


def list_interventions(run: Run, answer: Answer | None, claims: Sequence[Claim]) -> list[str]:
    """What went otherwise than asked: that the model did not answer, that sentences of it were struck."""
    takeover, struck = takeover_of(run, answer), struck_of(run, claims)
    told = [f"{takeover.say} {takeover.cause}".strip()] if takeover is not None else []
    return [*told, struck.say] if struck is not None else told


def _passage(number: int, shown: ShownPassage) -> Iterator[str]:
    """A closest passage whole, its best sentence bold, then where it is and which words of the question it has."""
    where = f"{describe_place(shown.citation)} {describe_words(shown)}"
    yield f"{number}. {inline(where)}"
    yield ""
    if shown.lead_in:
        yield f"   > {inline(shown.lead_in)}"
    if shown.rows:
        yield from _table([shown.columns, *shown.rows], lit=shown.lit_row)
        return
    bold = "**" if shown.is_whole and shown.lit.strip() else ""
    text = f"{shown.before}\1{shown.lit}\2{shown.after}"
    for line in filter(str.strip, text.splitlines()):
        yield f"   > {inline(line).replace(chr(1), bold).replace(chr(2), bold)}"


def describe_words(shown: ShownPassage) -> str:
    """Which words of the question a passage has, in brackets; "" where nothing is known of them."""
    parts = (("holds", shown.holds), ("lacks", shown.lacks))
    said = "; ".join(f"{name}: {', '.join(words)}" for name, words in parts if words)
    return f"({said})" if said else ""


def _sentence(claim: Claim) -> str:
    marks = "".join(f"[^{citation.marker}]" for citation in claim.citations.all())
    text = inline(claim.text)
    text = f"~~{text}~~" if claim.support == "unsupported" else text
    return f"{text}{marks} {inline(describe_remarks(claim))}".rstrip()


def describe_remarks(claim: Claim) -> str:
    """What a reader has to know of a sentence, in brackets: its support, remarks, why it was struck."""
    told = [str(support_word(claim.support)).lower()] if claim.support in TOLD_IN_WORDS else []
    remarks = ["; ".join([*told, *claim.marks]), claim.because]
    return " ".join(f"({remark})" for remark in remarks if remark)


def _table(rows: Sequence[Sequence[str]], lit: int = -1) -> Iterator[str]:
    """A comparison with a row for each subject, that of number `lit` in bold; a blank is a dash."""
    for number, row in enumerate(rows):
        if number == 0:
            yield ""
        bold = "**" if number == lit else ""
        cells = (f"{bold}{inline(cell)}{bold}" if cell else "–" if number else " " for cell in row)
        yield f"| {' | '.join(cells)} |"
        if number == 0:
            yield "|---" * len(row) + "|"


def _calculation(calculation: dict[str, Any] | None) -> Iterator[str]:
    """The operands with their quotes, then what was worked out from them."""
    if not calculation:
        return
    yield ""
    for row in calculation.get("operands", []):
        mark = f"[^{row['marker']}]" if row.get("marker") else ""
        yield f"- {inline(formula(row['name']))}: {inline(describe_amount(row, 'value'))}{mark}"
    result = inline(describe_amount(calculation, "result"))
    yield f"- {inline(formula(calculation.get('expression', '')))} = **{result}**"
    for other in calculation.get("more", []):
        yield from _calculation(other)


def describe_amount(row: Mapping[str, Any], name: str) -> str:
    """A value of a calculation with its unit."""
    return with_unit(str(row.get(name) or ""), str(row.get("unit") or ""))


def list_checked(run: Run, versions: Sequence[DocumentVersion]) -> list[str]:
    """What a run that found nothing looked at in vain, a line each."""
    titles = {str(version.document_id): version.document.title for version in versions}
    return [_format_checked_place(row, titles) for row in run.checked] if run.status == Run.Status.NOT_FOUND else []


def _format_checked_place(row: dict[str, Any], titles: Mapping[str, str]) -> str:
    page = f"p. {row['page_start'] + 1}" if row.get("page_start") is not None else ""
    places = (titles.get(str(row.get("document")), ""), row.get("title", ""), page)
    where = ", ".join(dict.fromkeys(part for part in places if part))
    return f"{where}: {row.get('reason', '')}"


def _sources(versions: Sequence[DocumentVersion]) -> Iterable[str]:
    if not versions:
        return []
    rows = [f"- {inline(row.document.title)}, version {row.number}, SHA-256 `{row.sha256}`" for row in versions]
    return ["Documents read:", "", *rows]


def describe_quote(citation: Citation) -> str:
    """A quote with its place and how it was found."""
    place = describe_place(citation)
    if citation.check_result == "picture":
        return f"Read from the picture of a page, without words to compare: {place}"
    return f"“{citation.quote}” {place} ({check_word(citation.check_result)})"


def describe_place(citation: Citation) -> str:
    """Document, headings and page of a quote; the document's title once."""
    where = citation.where.removeprefix(f"{citation.document_title} > ")
    places = (citation.document_title, where, f"p. {citation.page}")
    return ", ".join(dict.fromkeys(part for part in places if part))


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


def bundle_of(run: Run) -> bytes:
    """Build the evidence bundle of one run, as the bytes of a ZIP file."""
    claims = selectors.claims_of(run)
    citations = citations_of(run, claims)
    left_out: list[dict[str, str]] = []
    files = dict(_texts(run, citations)) | _pages(citations, left_out)
    manifest = {
        "format": BUNDLE_FORMAT,
        "version": BUNDLE_VERSION,
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
    answer = as_json(run)
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
        **citation_row(citation),
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
    for number, (version, page) in enumerate(_list_quoted_pages(citations, left_out)):
        stem = page_stem(version.sha256, page + 1)
        late = number >= PAGES_MOST or time.monotonic() > deadline
        for suffix, read in (("txt", _read_page_text), ("jpg", _picture)):
            if suffix == "jpg" and not has_pages(version):
                continue
            data = "There was no time to draw it." if late and suffix == "jpg" else read(version, page)
            if isinstance(data, bytes):
                files[f"{stem}.{suffix}"] = data
            else:
                left_out.append({"path": f"{stem}.{suffix}", "why": data})
    return files


def _list_quoted_pages(
    citations: Sequence[Citation], left_out: list[dict[str, str]]
) -> Iterable[tuple[DocumentVersion, int]]:
    """Each page that holds a part of a quote, once."""
    found: dict[tuple[DocumentVersion, int], None] = {}
    for citation in citations:
        version = citation.version
        if version is None or not may_be_shown(version):
            title = citation.document_title
            left_out.append({"path": f"pages of {title}", "why": "The document is no longer in the workspace."})
            continue
        found |= {(version, page): None for page in pages_quoted(citation)}
    return found


def _read_page_text(version: DocumentVersion, page_index: int) -> bytes | str:
    try:
        return open_version(version).page_text(page_index).encode("utf-8", "replace")
    except (ArtefactDamaged, IndexError):
        return "The compiled document cannot be read."


def _picture(version: DocumentVersion, page_index: int) -> bytes | str:
    try:
        return page_image(version, page_index).read_bytes()
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
