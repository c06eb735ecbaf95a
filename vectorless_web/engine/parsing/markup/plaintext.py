"""Blocks of a plain text file, and headings found where a file marks none: by words, underline, capitals or number."""

import re
import sys
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from operator import itemgetter

from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.parsing.markup.pages import TextBlock
from vectorless_web.engine.parsing.outline.heading import is_caps, reads_like_title
from vectorless_web.engine.parsing.patterns import NUMBERED, PLAIN, Form, form_of
from vectorless_web.engine.parsing.tables.spans import MOST_CELLS

_RULE = re.compile(r"^\s*(=|-|~|\*|#|_)\1{2,}\s*$")
_BULLET = re.compile(r"^\s*(?:[•●▪◦‣*+-]\s|\(?(?:[a-z]|[ivx]{1,4}|\d{1,2})[.)]\s)", re.IGNORECASE)
_BETWEEN_TABS = re.compile(r"\S(?:(?! {3,}|\t).)*")
_RUN = re.compile(r"\S+(?: \S+)*")
_NARROWEST_GAP, _OWN_GAP = 2, 3
"""Spaces that part two columns in all lines, and those in a line by which it is known to have columns."""
_TABBED = re.compile(r"\t|\S {3,}\S")
_PRINTED = re.compile(r"\S")
_LONG = 2_400
"""Characters of a paragraph above which it is cut, some 600 tokens: leaves are what is ranked and read."""
_TITLE_WORDS = 5
"""Words up to which a numbered title may end in a full stop."""
_UNDERLINED, _NUMBERED_TITLE, _FIRST_LINE, _CAPITALS, _ALONE = 120, 90, 80, 90, 70
"""Characters of a heading: underlined, numbered, naming its place over text, in capitals, alone between blank lines.
The fewer signs it gives of being one, the shorter it must be. Chosen by reading files."""
_LONG_WORD, _TITLE_CASE = 3, 0.7
"""A line is in title case when at least this share of its words of more letters than this begin with a capital."""
_DEEPEST_FAMILY, PLAIN_LEVEL = 4, 5
"""Level of the deepest heading that names its place, and of one that only stands out."""
_SENTENCE = re.compile(r"[.!?。！？]\s+|[。！？]")


def text_blocks(text: str) -> list[TextBlock]:
    """Blocks in reading order; together they hold every character that is not white space."""
    blocks: list[TextBlock] = []
    for lines in _stanzas(text):
        blocks.extend(_stanza_blocks(text, lines))
    return blocks


def _stanzas(text: str) -> Iterator[list[tuple[int, int]]]:
    lines: list[tuple[int, int]] = []
    position = 0
    for line in text.split("\n"):
        if line.strip():
            start = position + len(line) - len(line.lstrip())
            lines.append((start, position + len(line.rstrip())))
        elif lines:
            yield lines
            lines = []
        position += len(line) + 1
    if lines:
        yield lines


def _stanza_blocks(text: str, lines: list[tuple[int, int]]) -> Iterator[TextBlock]:
    heading = _heading(text, lines)
    if heading is not None:
        block, used = heading
        yield block
        lines = lines[used:]
    if not lines:
        return
    start, end = lines[0][0], lines[-1][1]
    rows = [text[a:b] for a, b in lines]
    cells = _cells(text, lines) if len(rows) >= 2 and all(map(_TABBED.search, rows)) else []
    if cells and len(cells) * max(map(len, cells)) <= MOST_CELLS:  # rows are filled up to the longest one
        yield TextBlock(NodeKind.TABLE, start, end, cells=cells)
    elif _BULLET.match(rows[0]):
        yield TextBlock(NodeKind.LIST, start, end)
    else:
        yield from cut_paragraph(text, start, end)


def _cells(text: str, lines: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """The cells of lines that tabs part, or spaces that go through all lines; [] where a line's own gap is in none."""
    if any("\t" in text[start:end] for start, end in lines):
        return [[match.span() for match in _BETWEEN_TABS.finditer(text, *line)] for line in lines]
    begins = [text.rfind("\n", 0, start) + 1 for start, _ in lines]
    runs = [[match.span() for match in _RUN.finditer(text, *line)] for line in lines]
    columns = list[list[int]]()
    for start, end in sorted((a - begin, b - begin) for begin, own in zip(begins, runs, strict=True) for a, b in own):
        if columns and start - columns[-1][1] < _NARROWEST_GAP:
            columns[-1][1] = max(columns[-1][1], end)
        else:
            columns.append([start, end])
    if len(lines) * len(columns) > MOST_CELLS:
        return []
    rows = []
    for begin, own in zip(begins, runs, strict=True):
        places = [bisect_right(columns, [start - begin, sys.maxsize]) - 1 for start, _ in own]
        found = list(zip(places, own, strict=True))
        if any(at == to and b[0] - a[1] >= _OWN_GAP for (at, a), (to, b) in pairwise(found)):
            return []
        row = [(own[0][0], own[0][0])] * len(columns)
        for at, parts in groupby(found, key=itemgetter(0)):
            spans = [span for _, span in parts]
            row[at] = (spans[0][0], spans[-1][1])
        rows.append(row)
    return rows


def cut_paragraph(text: str, start: int, end: int) -> Iterator[TextBlock]:
    """A paragraph as one block, or as several cut at ends of sentences if it is too long for a leaf."""
    while end - start > _LONG:
        ends = [match.end() for match in _SENTENCE.finditer(text, start, start + _LONG)]
        space = text.rfind(" ", start, start + _LONG)
        cut = ends[-1] if ends else (space if space > start else start + _LONG)
        yield TextBlock(NodeKind.PARAGRAPH, start, cut)
        start = cut
    if text[start:end].strip():
        yield TextBlock(NodeKind.PARAGRAPH, start, end)


def _heading(text: str, lines: list[tuple[int, int]]) -> tuple[TextBlock, int] | None:
    """A heading at the start of a stanza and how many lines it takes (two when it is underlined)."""
    first = " ".join(text[slice(*lines[0])].split())
    if len(lines) > 1 and _RULE.match(text[slice(*lines[1])]) and len(first) < _UNDERLINED:
        rule = text[lines[1][0]]
        return _section(first, lines[0][0], lines[1][1], 0 if rule in "=#*" else 1, form_of(first)), 2
    form = form_of(first)
    if not reads_like_title(first) or (first.endswith((".", ",", ";")) and form.family == PLAIN):
        return None
    alone = len(lines) == 1
    sentence = first.endswith((".", ";")) and len(first.split()) > _TITLE_WORDS
    if form.family == NUMBERED and (not alone or sentence or len(first) > _NUMBERED_TITLE):
        return None
    if (
        (form.family < PLAIN and (alone or len(first) < _FIRST_LINE))
        or (is_caps(first) and len(first) < _CAPITALS)
        or _is_isolated(text, lines, first)
    ):
        return _section(first, *lines[0], form_level(form, first), form), 1
    return None


def _is_isolated(text: str, lines: list[tuple[int, int]], first: str) -> bool:
    """A short line alone between blank lines, in title case, with more text after it."""
    words = [word for word in first.split() if len(word) > _LONG_WORD]
    titled = bool(words) and sum(word[:1].isupper() for word in words) >= _TITLE_CASE * len(words)
    return (
        len(lines) == 1
        and len(first) < _ALONE
        and titled
        and not _TABBED.search(first)
        and _PRINTED.search(text, lines[0][1]) is not None
    )


def form_level(form: Form, title: str) -> int:
    """The level of a heading that only its words tell."""
    if form.family < PLAIN:
        return min(form.family, _DEEPEST_FAMILY) + form.depth
    return 1 if is_caps(title) else PLAIN_LEVEL


def _section(title: str, start: int, end: int, level: int, form: Form) -> TextBlock:
    return TextBlock(NodeKind.SECTION, start, end, level, title, form.label)


_LONGEST, _LONGEST_NAMED = 120, 80
"""Characters of a paragraph of a Word or web page, at most, that may be a heading though no style says so, and of one
that is a heading by naming its place alone."""


def guess_level(text: str, *, strong: bool) -> int | None:
    """The level of a paragraph that reads as a heading; None for any other. `strong`: all of it is bold."""
    title = " ".join(text.split())
    form = form_of(title)
    if len(title) > _LONGEST or not reads_like_title(title):
        return None
    if form.family == PLAIN and title.endswith((".", ",", ";", ":")):
        return None
    named = form.family < NUMBERED and len(title) <= _LONGEST_NAMED
    return form_level(form, title) if strong or named or is_caps(title) else None


def mark_superscript(before: str, text: str) -> str:
    """Superscript as plain text. A figure behind a figure gets a "^": "412" with note 1 must not read 4121."""
    joins = before[-1:].isdigit() and text.strip()[:1].isdigit()
    return f"^{text.strip()}" if joins else text


def find_last_text(said: Sequence[str], end: int) -> str:
    """The last piece before `end` that is not empty, or ""."""
    return next((said[place] for place in range(end - 1, -1, -1) if said[place]), "")
