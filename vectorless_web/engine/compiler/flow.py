"""Joins the lines between headings and tables into paragraphs, lists and footnotes, across lines and pages."""

import re
from collections.abc import Iterable, Sequence

from vectorless_web.engine.compiler.drafts import SOFT_HYPHEN, Draft, TextBuilder
from vectorless_web.engine.compiler.layout import Layout
from vectorless_web.engine.compiler.lines import Line
from vectorless_web.engine.compiler.titles import CAPTION
from vectorless_web.engine.document.node import NodeKind

_BULLET = re.compile(r"^(?:[•●▪◦■□‣○➢✓*·∙]|[–—-]\s|\(?(?:[a-z]|[ivx]{1,4}|\d{1,2})[.)]\s)", re.IGNORECASE)
_FOOTNOTE = re.compile(
    r"^(?:\((?:\d{1,2}|[a-z])\)|(?:\d{1,2}|[a-z])[.)]\s|\d{1,2}\s+[A-Z]|[*†‡§]+)\s*\S", re.IGNORECASE
)
_FIGURE = re.compile(r"^(?:figure|fig\.|abbildung)\s*(\d+(?:[.-]\d+)*)", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?:;]['”’\")\]]*(?:\(\w{1,2}\))*$")
# Chinese and Japanese writing and its punctuation start here; Korean has spaces, but between words alone.
_FIRST_UNSPACED = "\u2e80"
_LONG_LIST = 1400
_LONG_PARAGRAPH = 2400


def flow_drafts(lines: Sequence[Line], layout: Layout) -> list[Draft]:
    """Leaves for a stretch of lines in reading order, without headings and tables inside."""
    drafts: list[Draft] = []
    for block in _blocks(lines, layout):
        _append(drafts, block, layout)
    return drafts


def _blocks(lines: Sequence[Line], layout: Layout) -> Iterable[list[Line]]:
    block: list[Line] = []
    for line in lines:
        if block and not _joins(block, line, layout):
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def _joins(block: Sequence[Line], line: Line, layout: Layout) -> bool:
    """Whether a line belongs to the paragraph before it."""
    last = block[-1]
    if _BULLET.match(line.text) or CAPTION.match(line.text) or line.lead > line.start:
        return False
    if abs(last.style.size - line.style.size) > 1.1:
        return False
    ended = bool(_SENTENCE_END.search(last.text.rstrip()))
    if last.page != line.page or line.top < last.top - 2 * line.height:
        return not ended and _same_look(last, line) and len(last.text) > 25
    gap = line.top - last.top
    if gap > 1.35 * layout.line_pitch(line.style) and gap > 1.45 * last.height:
        return False
    if gap < -0.5 * line.height:
        return False
    indent = line.left - last.left
    if len(block) > 1 and indent > 0.8 * line.style.size and ended:
        return False
    return not (ended and last.right < line.right - 4 * line.style.size and sum(len(own.text) for own in block) > 200)


def _same_look(one: Line, other: Line) -> bool:
    return one.style.weight == other.style.weight and abs(one.style.size - other.style.size) < 0.6


def _append(drafts: list[Draft], block: Sequence[Line], layout: Layout) -> None:
    kind = _kind(block, layout)
    builder = TextBuilder()
    join_lines(builder, block)
    before = drafts[-1] if drafts else None
    follows = kind is NodeKind.LIST and before is not None and before.kind is kind
    if before is not None and follows and len(before.text) + builder.length < _LONG_LIST:
        merge(before, builder, "\n")
        return
    drafts.append(builder.draft(kind, block[0].page, label=_figure_label(kind, block[0].text)))


def _figure_label(kind: NodeKind, text: str) -> str:
    """The name of a figure by its caption; a table carries its own."""
    match = _FIGURE.match(text) if kind is NodeKind.CAPTION else None
    return f"Figure {match[1]}" if match else ""


def _kind(block: Sequence[Line], layout: Layout) -> NodeKind:
    text, size = block[0].text, block[0].style.size
    if CAPTION.match(text) and sum(len(line.text) for line in block) < 250:
        return NodeKind.CAPTION
    if size < layout.body_of(block[0].page).size - 0.9 and _FOOTNOTE.match(text):
        return NodeKind.FOOTNOTE
    return NodeKind.LIST if _BULLET.match(text) else NodeKind.PARAGRAPH


def merge(draft: Draft, builder: TextBuilder, joint: str) -> None:
    """Append gathered text to a draft."""
    shift = len(draft.text) + len(joint)
    shifted = tuple(type(run)(run.offset + shift, run.page_index, run.char_index, run.length) for run in builder.runs)
    draft.text, draft.runs = draft.text + joint + builder.text, draft.runs + shifted


def _parted(before: str, after: str) -> bool:
    """Whether a space stands between two lines: not after a divided word, nor between characters that use none."""
    if before.endswith(SOFT_HYPHEN):
        return False
    return not (before[-1:] >= _FIRST_UNSPACED and after[:1] >= _FIRST_UNSPACED)


def join_lines(builder: TextBuilder, lines: Sequence[Line]) -> None:
    """Append lines as running text: a space between them, none after a divided word."""
    for number, line in enumerate(lines):
        if number and _parted(builder.parts[-1], line.text):
            builder.added(" ")
        builder.raw(line.page, line.start, line.text)
