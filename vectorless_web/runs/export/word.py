"""A finished run as a Word document: what the Markdown file says, its quotes at the end and numbered as on the page."""

import io
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from docx import Document
from docx.document import Document as WordDocument
from docx.text.paragraph import Paragraph

from vectorless_web.infra.templatetags.show import formula
from vectorless_web.runs import selectors
from vectorless_web.runs.export.exports import (
    describe_amount,
    describe_ending,
    describe_place,
    describe_quote,
    describe_remarks,
    describe_words,
    list_checked,
    list_interventions,
)
from vectorless_web.runs.models import Claim, Run
from vectorless_web.runs.page.rendering import (
    ShownPassage,
    citations_in,
    closest_line,
    show_passage,
    unknown_line,
    unread_lines,
)

_NOT_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that no XML file may hold."""


def as_word(run: Run) -> bytes:
    """The question, how it ended, each sentence with the numbers of its quotes, what was worked out, and the quotes."""
    claims, answer = selectors.claims_of(run), selectors.answer_of(run)
    versions, passages = selectors.versions_read(run), selectors.passages_of(run)
    document = Document()
    document.core_properties.title = _clean(run.question)[:255]
    document.core_properties.author = ""
    document.add_heading(_clean(run.question), 1)
    ending = document.add_paragraph()
    _write(ending, f"{run.get_status_display()}: ", bold=True)
    _write(ending, describe_ending(run, answer))
    _list(document, list_interventions(run, answer, claims), style="Normal")
    for claim in claims:
        _add_claim(document, claim)
    notes = [*unread_lines(selectors.steps_of(run), versions), unknown_line(run, answer)]
    _list(document, [*notes, closest_line(run) if passages else ""], style="Normal")
    for citation in passages:
        _add_passage(document, citation.marker, show_passage(citation))
    _part(document, "Still open", answer.missing if answer and run.has_answer else [])
    _part(document, "What was searched", list_checked(run, versions))
    quotes = [(citation.marker, describe_quote(citation)) for citation in citations_in(claims)]
    _part(document, "Quotes", [f"[{marker}] {quote}" for marker, quote in quotes], style="Normal")
    read = [f"{row.document.title}, version {row.number}, SHA-256 {row.sha256}" for row in versions]
    _part(document, "Documents read", read)
    packed = io.BytesIO()
    document.save(packed)
    return packed.getvalue()


def _clean(text: str) -> str:
    return _NOT_XML.sub("", text)


def _write(paragraph: Paragraph, text: str, **font: bool) -> None:
    run = paragraph.add_run(_clean(text))
    for name, value in font.items():
        setattr(run.font, name, value)


def _list(document: WordDocument, lines: Iterable[str], *, style: str) -> None:
    for line in filter(None, lines):
        document.add_paragraph(_clean(line), style)


def _part(document: WordDocument, title: str, lines: Sequence[str], *, style: str = "List Bullet") -> None:
    if lines:
        document.add_heading(title, 2)
        _list(document, lines, style=style)


def _add_claim(document: WordDocument, claim: Claim) -> None:
    paragraph = document.add_paragraph()
    _write(paragraph, claim.text, strike=claim.support == "unsupported")
    _write(paragraph, "".join(f"[{citation.marker}]" for citation in claim.citations.all()), superscript=True)
    if remarks := describe_remarks(claim):
        _write(paragraph, f" {remarks}", italic=True)
    _add_table(document, claim.table)
    _add_calculation(document, claim.calculation)


def _add_table(document: WordDocument, rows: Sequence[Sequence[str]], lit: int = 0) -> None:
    """A table whose first row names the columns; that and the row of number `lit` are bold."""
    if not rows:
        return
    table = document.add_table(len(rows), max(map(len, rows)), "Table Grid")
    for number, (shown, row) in enumerate(zip(table.rows, rows, strict=True)):
        for cell, text in zip(shown.cells, row, strict=False):
            _write(cell.paragraphs[0], text, bold=number in (0, lit))
    document.add_paragraph()


def _add_calculation(document: WordDocument, calculation: Mapping[str, Any] | None) -> None:
    """The operands with their quotes, then what was worked out from them."""
    if not calculation:
        return
    for row in calculation.get("operands", []):
        mark = f" [{row['marker']}]" if row.get("marker") else ""
        _list(document, [f"{formula(row['name'])}: {describe_amount(row, 'value')}{mark}"], style="List Bullet")
    result = f"{formula(calculation.get('expression', ''))} = {describe_amount(calculation, 'result')}"
    _write(document.add_paragraph(style="List Bullet"), result, bold=True)
    for other in calculation.get("more", []):
        _add_calculation(document, other)


def _add_passage(document: WordDocument, number: int, shown: ShownPassage) -> None:
    """Where a closest passage is and which words it has, then the whole of it with its best sentence bold."""
    document.add_paragraph(_clean(f"{number}. {describe_place(shown.citation)} {describe_words(shown)}".rstrip()))
    _list(document, [shown.lead_in], style="Quote")
    if shown.rows:
        _add_table(document, [shown.columns, *shown.rows], shown.lit_row)
        return
    quote = document.add_paragraph(style="Quote")
    for text, is_lit in ((shown.before, False), (shown.lit, shown.is_whole), (shown.after, False)):
        _write(quote, text, bold=is_lit)
