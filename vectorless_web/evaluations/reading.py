"""Golden questions as people type and import them: one form of words for pages, JSON Lines and CSV.

A field of several things holds one a line, or parts them by ";". Documents go by title or file name.
"""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vectorless_web.documents.models import Document
from vectorless_web.documents.selectors import documents_in
from vectorless_web.engine.errors import InvalidInput
from vectorless_web.engine.questions.plan import check_question
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.models import Workspace
from vectorless_web.workspaces.selectors import User

FIELDS = ("question", "documents", "text", "value", "mentions", "pages", "quote", "is_absent", "tags")
"""What a row of an import may hold; the others are passed over."""
_NAMES = {
    "doc": "documents",
    "doc_name": "documents",
    "docs": "documents",
    "answer": "text",
    "full_answer": "text",
    "must_mention": "mentions",
    "gold_pages": "pages",
    "evidence_page_num": "pages",
    "gold_quote": "quote",
    "unanswerable": "is_absent",
    "absent": "is_absent",
}
"""Names that other sets give to these fields; FinanceBench's are among them."""
_PARTS = re.compile(r"[\n;]+")
_PAGES = re.compile(r"(?:(?P<name>.*?\S)\s*:)?\s*(?P<pages>\d{1,6}(?:\s*,\s*\d{1,6})*)\s*")
MOST_BYTES, MOST_ROWS = 20_000_000, 20_000
"""Bytes of an import, and questions in it."""
TEXT_MAX, PARTS_MAX = 10_000, 50


@dataclass(frozen=True, slots=True)
class Typed:
    """A golden question as it was typed or imported, not yet looked up in a workspace."""

    question: str
    documents: tuple[str, ...] = ()
    text: str = ""
    value: str = ""
    mentions: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()
    quote: str = ""
    is_absent: bool = False
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Resolved:
    """The values of a golden question as they are stored, its documents, and `named`: those of its pages, too."""

    values: dict[str, Any]
    documents: tuple[Document, ...]
    named: frozenset[Document]


def split_parts(text: str) -> tuple[str, ...]:
    """The things of a field that holds several, each once."""
    return tuple(dict.fromkeys(part.strip() for part in _PARTS.split(text) if part.strip()))


def read_import(data: bytes, name: str) -> list[Typed]:
    """The questions of a JSON Lines or CSV file. Problem (422) names the first line that cannot be read."""
    if len(data) > MOST_BYTES:
        raise _refuse(f"The file is larger than {MOST_BYTES // 1_000_000} MB.", "Split it.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _refuse("The file is not UTF-8 text.", "Save it as UTF-8 and import it again.") from None
    rows = _csv_rows(text) if name.lower().endswith(".csv") else _json_rows(text)
    found: list[Typed] = []
    for number, row in rows:
        if len(found) == MOST_ROWS:
            raise _refuse(f"The file holds more than {MOST_ROWS:,} questions.", "Split it.")
        found.append(_read_row(row, number))
    if not found:
        raise _refuse("The file holds no question.", "Each row needs at least a field named question.")
    return found


def _refuse(cause: str, remedy: str) -> Problem:
    return Problem(cause, remedy=remedy, code="import_unreadable")


def _csv_rows(text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    try:
        yield from enumerate(csv.DictReader(io.StringIO(text), strict=True), 2)
    except csv.Error as error:
        raise _refuse(f"The file is no CSV: {error}.", "Save it as CSV or JSON Lines again.") from None


def _json_rows(text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            raise _refuse(f"Line {number} is no JSON.", "The file needs one JSON object a line.") from None
        if not isinstance(row, dict):
            raise _refuse(f"Line {number} is no JSON object.", "The file needs one JSON object a line.")
        yield number, row


def _read_row(row: Mapping[str, Any], number: int) -> Typed:
    named = {_NAMES.get(str(name).strip().lower(), str(name).strip().lower()): value for name, value in row.items()}
    # FinanceBench has its pages, from 0, and quotes inside "evidence".
    evidence = named.get("evidence")
    if isinstance(evidence, list):
        rows = [each for each in evidence if isinstance(each, dict)]
        pages = [each["evidence_page_num"] + 1 for each in rows if isinstance(each.get("evidence_page_num"), int)]
        named.setdefault("pages", pages)
        named.setdefault("quote", next((str(each.get("evidence_text") or "") for each in rows), ""))
    several = {name: _list_of(named.get(name)) for name in ("documents", "mentions", "pages", "tags")}
    single = {name: " ".join(_list_of(named.get(name))) for name in ("text", "value", "quote")}
    question = str(named.get("question") or "")
    is_absent = str(named.get("is_absent") or "").strip().lower() in ("true", "1", "yes")
    try:
        return check_typed(Typed(question, is_absent=is_absent, **several, **single))  # type: ignore[arg-type]
    except Problem as problem:
        raise _refuse(f"Row {number}: {problem.cause}", problem.remedy) from problem


def _list_of(value: Any) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(str(each).strip() for each in value if each not in (None, "") and str(each).strip())
    return split_parts(str(value)) if value not in (None, "") else ()


def check_typed(typed: Typed) -> Typed:
    """The question if it can be asked and something is expected of its answer; else Problem (422)."""
    try:
        check_question(typed.question)
    except InvalidInput as error:
        raise Problem(error.cause, remedy=error.remedy, code=error.code) from error
    expects = typed.text or typed.value or typed.mentions or typed.pages or typed.quote or typed.is_absent
    if not expects:
        remedy = "Say what is expected: words, a value, a page, a quote, or that the documents do not answer it."
        raise Problem("Nothing is expected of the answer.", remedy=remedy, code="nothing_expected")
    if max(map(len, (typed.text, typed.quote))) > TEXT_MAX or len(typed.value) > 200:
        raise Problem("The expected answer is too long.", remedy="Keep what matters of it.", code="too_long")
    if max(map(len, (typed.documents, typed.mentions, typed.pages, typed.tags))) > PARTS_MAX:
        raise Problem(
            f"A field holds more than {PARTS_MAX} things.",
            remedy="Leave the least important ones out.",
            code="too_many_parts",
        )
    return typed


def read_pages(written: str, documents: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Document and page index of each page that a field names: "14, 15", or "report.pdf: 14". Problem (422) if none."""
    match = _PAGES.fullmatch(written)
    if match is None:
        sentence = f"“{written[:60]}” names no pages."
        raise Problem(
            sentence, remedy="Write “14, 15”, or “report.pdf: 14” where several are asked.", code="pages_unreadable"
        )
    if not match["name"] and len(documents) != 1:
        sentence = f"It is not said of which document page {match['pages']} is."
        remedy = f"Write “report.pdf: {match['pages']}”."
        raise Problem(sentence, remedy=remedy, code="pages_of_no_document")
    for page in re.findall(r"\d+", match["pages"]):
        yield match["name"] or documents[0], max(0, int(page) - 1)


class Resolver:
    """Finds the documents that golden questions name, of those that exist for a user; each name is looked up once."""

    def __init__(self, workspace: Workspace, user: User) -> None:
        self._rows = documents_in(workspace, user)
        self._known: dict[str, Document | None] = {}

    def resolve(self, typed: Typed) -> Resolved:
        """The values to store. Problem (422) for a document or a page that is not there."""
        documents = tuple(map(self._find, typed.documents))
        pages = [found for written in typed.pages for found in self._read_pages(written, documents)]
        places = [[document.pk, page, typed.quote] for document, page in pages]
        if typed.quote and not places:
            places = [[documents[0].pk if len(documents) == 1 else 0, -1, typed.quote]]
        values = {
            "question": check_question(typed.question),
            "text": typed.text,
            "value": typed.value,
            "mentions": list(typed.mentions),
            "places": places,
            "is_absent": typed.is_absent,
            "tags": list(typed.tags),
        }
        return Resolved(values, documents, frozenset((*documents, *(document for document, _page in pages))))

    def _read_pages(self, written: str, documents: tuple[Document, ...]) -> Iterator[tuple[Document, int]]:
        for name, page_index in read_pages(written, [document.name for document in documents]):
            document = next((each for each in documents if each.name == name), None) or self._find(name)
            yield document, page_index

    def _find(self, name: str) -> Document:
        if name not in self._known:
            found = list(self._rows.filter(name__iexact=name)[:2]) or list(self._rows.filter(title__iexact=name)[:2])
            found = found or list(self._rows.filter(name__istartswith=f"{name}.")[:2])
            if len(found) > 1:
                sentence = f"Two documents are named “{name[:60]}”."
                raise Problem(sentence, remedy="Use the other's file name or title.", code="document_not_clear")
            self._known[name] = found[0] if found else None
        document = self._known[name]
        if document is None:
            sentence = f"There is no document “{name[:60]}” here."
            raise Problem(sentence, remedy="Use its title or its file name.", code="unknown_document")
        return document


def write_row(golden: Any, names: Mapping[int, str]) -> dict[str, Any]:
    """A stored golden question as a row that can be imported again; `names` are file names by document."""
    pages = [f"{names.get(d, '')}: {page + 1}".removeprefix(": ") for d, page, _ in golden.places if page >= 0]
    quote = next((quote for _, _, quote in golden.places if quote), "")
    return {
        "question": golden.question,
        "documents": [names[document.pk] for document in golden.documents.all() if document.pk in names],
        "text": golden.text,
        "value": golden.value,
        "mentions": golden.mentions,
        "pages": pages,
        "quote": quote,
        "is_absent": golden.is_absent,
        "tags": golden.tags,
    }
