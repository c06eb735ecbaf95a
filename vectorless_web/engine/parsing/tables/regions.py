"""Finds tables among printed lines: by rows of figures, and without figures by cells that begin at the same edges."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from vectorless_web.engine.parsing.lines import Layout, Line, Page
from vectorless_web.engine.parsing.patterns import NOTE, form_of
from vectorless_web.engine.parsing.tables.cells import CellSpan, split_cells, whole_line
from vectorless_web.engine.parsing.terms import any_of
from vectorless_web.engine.text.dates import MONTH_PATTERN

_LOOK_AHEAD = 5
"""Lines without figures that may stand within a table, one after the other: labels that head the rows below."""
_HEADER_LINES = 60
"""Lines above the first row of figures that may be its headers; bounds the search."""
_UNITS_START = 14
"""Characters before which a line says its units ("(dollars in millions)") and not a sentence that mentions them."""
_TITLE_WIDTH = 80.0
"""Points that a title centred over a table is wide at least."""
_SHORT, _LONGEST_HEADER = 60, 70
"""Characters: by the first a label, a second header cell and the last line of a sentence above a table are told from
running text; a header over the figures has at most the second."""
_LONGEST_GROUP = 80
"""Characters of a label over a group of rows, at most."""
_LEADS = re.compile(rf"\b{any_of('leads_to_table')}\b", re.IGNORECASE)
"""Words of a sentence that leads to a table."""
_VERB = re.compile(rf"\b{any_of('finite_verb')}\b", re.IGNORECASE)
"""Words that make a sentence of a line, which labels lack."""
_FEWEST_ROWS, _FEWEST_FIGURES = 2, 3
"""Rows of figures that are a table, and figures in one row that are."""
_NAMED, _NAMED_UNDER = 2, 3
"""One row of figures in so many has a label in a table, the second where a header names its columns."""
_HEADER_ROWS, _SEED_ROWS = 4, 3
"""Rows at the top of a table among which a header is looked for, and from which the left edge of the figures is
taken."""
_LARGER, _EMPHASISED, _TITLE_LARGER, _HEADER_LARGER = 1.5, 0.4, 0.9, 1.0
"""Points of type size. A line larger than the rows by more than the first is no part of a table; a title larger by more
than the second stands out; a title centred over the table is larger by more than the third; a header over the figures
is larger by less than the last."""
_FEWEST_NAMES = 2
"""Cells of a line; one of more is a header and no title."""
_MUCH_LARGER = 2.0
"""Times the size of a table's rows from which a row of figures belongs to another."""
_TOO_FAR, _NEXT_COLUMN, _APART = 3.2, 12, 5.0
"""Ems: a gap of more below a line ends a table, as does a jump up by more, to another column of the page; a header over
figures may stand further off, by the last."""
_CONTINUED = 4.0
"""Points that a line which carries on a value is below it at most; half of it, it may begin beside the value."""
_CENTRED, _CENTRED_TITLE = 2, 4
"""Ems by which the middle of a centred label may lie beside the table's; for titles as a sum of both edges."""
_LEFT_OF_FIGURE, _LEFT_OF_HEADER = 2, 3
"""Ems by which a lone figure, and a header, may begin left of the figures."""
_STRUCTURAL = re.compile(rf"^(?:{any_of('part')}\s+[ivx]+\b|{any_of('item', 'note')}\s+\d|notes to )", re.IGNORECASE)
UNITS_LINE = re.compile(
    rf"\b(?:in|of)\s+{any_of('scale')}\b|^\(?unaudited\b|^\(?(?:dollars|amounts|in \$|\$ in|US\$|usd)\b|[’']000s?\b",
    re.IGNORECASE,
)
PERIOD = re.compile(
    rf"^(?:as (?:of|at|on)\b|at (?=[a-z]+ \d)|for the\b|{any_of('fiscal')} years?\b"
    rf"|{any_of('count')} {any_of('counted')}\b|(?:{any_of('fiscal')} )?{any_of('period')} ended|q[1-4]\b"
    rf"|{MONTH_PATTERN} \d)",
    re.IGNORECASE,
)
_PERIOD_CELL = re.compile(rf"(?<!\d)(?:19|20)\d\d(?!\d)|^(?:FY|Q[1-4]|H[12])\b|\b{any_of('period')} ended\b", re.I)
_YEAR = re.compile(
    r"^(?:(?:fy\s?)?(?:19|20)\d\d(?:-\d\d-\d\d)?|[01]?\d/\d\d|[0-3]?\d([./-])[0-3]?\d\1(?:(?:19|20)\d\d|\d\d))"
    r"(?:\s*\([a-z0-9]{1,2}\)|\*{1,3})*$",
    re.IGNORECASE,
)
_CAPTION = re.compile(rf"^{any_of('caption')}\s*\d[\d.-]*\s?[:.|]\s*[^\W\d]", re.IGNORECASE)
_ENDS_SENTENCE = re.compile(r"[.;:]\W*$")
_BULLET = re.compile(
    r"^[•●▪◦■□‣·*\-–—§➢➤►▶✓✔❖☐☑☒\uf000-\uf0ff]\s|^\(?(?:[a-z]|\d{1,2}|[ivx]{2})[.):]\s|^o\s", re.IGNORECASE
)
_SECTION = re.compile(r"^(?:\d{1,2}|[A-Z])(?:\.\d{1,2}){0,3}\.?$")
_EQUATION = re.compile(r"^\(\d{1,3}\)$")
_LEADERS = re.compile(r"(?:\.\s?){6,}|…{2,}")
_PAGE_NUMBER = re.compile(r"^(?:\d{1,4}|[ivxlc]{1,6}|[A-Z]{1,2}-\d{1,3}|[A-Z]\d{1,2})$", re.IGNORECASE)
_PROGRAM = re.compile(
    r"^\s*(?:>>>|\.\.\. )|[^\W\d]\w+=[\w'\"({\[]|\b[^\W\d]\w*\.[^\W\d]\w*\("
    r"|\b[^\W\d]\w*\.(?:[^\W\d]\w*\.)*[^\W\d]+_\w+|\b[^\W\d]\w*\(\)"
    r"|^\s*[|+](?:[\s|+]|-{2,}|$)|\+-{2,}|-{2,}\+|\[\s*-?\d[\d.]*,"
)
"""Prompts, names set to values, methods called or named, lists of numbers, and lines of a drawing made of signs."""
_TYPEWRITER = re.compile(r"mono(?!t)|courier|consol|menlo|typewr|tt(?:$|[\d_-])", re.IGNORECASE)
"""Names of fonts whose letters are all of one width."""
_FOOT = re.compile(r"^\d{1,2}(?:\.\d{1,2}){1,3}\.?\s+[^\W\d]\D*\s\d{1,4}$")
"""A section's number, its title and the page's number, as at the foot of a page."""
_SENTENCE = re.compile(r"^\W*[^\W\d]\w*(?:[ ,;:’'-]+\w+){4,}")
"""Five words and more, one after the other."""
_LABEL = re.compile(r"[^\W\d_]{2}|^(?:FY\s?)?(?:19|20)\d\d\b")
"""What names a row: a word, or a year."""
_WORD = re.compile(r"[^\W\d_]{2}")
NUMBERING = re.compile(r"^\W*(?=\S*\d)[\dA-Z]{1,4}(?:[.-][\dA-Z]{1,4}){0,3}[.)]?\W{0,4}$")
"""The number of an item in a list: "104", "10.3*", "101.CAL", "(3)"."""
_STRETCH, _EVEN_GAPS, _FEWEST_STRETCHED = 1.8, 1.25, 3
"""A line set to the full width: gaps between its words in ems at most, times by which they differ at most, and words it
has at least."""


class LineRole(Enum):
    """What a line can be in a table."""

    DATA = "data"
    FIGURE = "figure"
    """One figure alone."""
    HEADER = "header"
    """Several cells without figures, or years alone."""
    TEXT = "text"


@dataclass(slots=True)
class LineRow:
    """A printed line seen as a table row."""

    number: int
    line: Line
    cells: list[CellSpan]
    role: LineRole


def classify(number: int, page: Page, line: Line) -> LineRow:
    """A line with its cells and role."""
    cells = split_cells(page, line)
    if _is_stretched(cells, line) or _are_sentences(cells, line):
        cells = [whole_line(page, line)]
    return LineRow(number, line, cells, _role(cells))


def _is_stretched(cells: Sequence[CellSpan], line: Line) -> bool:
    """Whether wide gaps only stretch a line of prose to the full width: they part all of its words, and are even."""
    if len(cells) < _FEWEST_STRETCHED or any(" " in cell.text.strip() for cell in cells):
        return False
    gaps = [after.left - before.right for before, after in itertools.pairwise(cells)]
    words = sum(not cell.numeric for cell in cells[1:])
    return words > 0 and 0 < max(gaps) < min(_EVEN_GAPS * min(gaps), _STRETCH * line.style.size)


def _are_sentences(cells: Sequence[CellSpan], line: Line) -> bool:
    """Whether a line of prose only has a wide space where one sentence ends and the next begins."""
    if len(cells) != len(("sentence", "sentence")) or cells[0].numeric or cells[1].numeric:
        return False
    first, second = (cell.text.strip() for cell in cells)
    near = cells[1].left - cells[0].right < _STRETCH * line.style.size
    ends = near and first[-1:] in ".!?" and second[:1].isupper()
    return ends and bool(_SENTENCE.match(first) and _SENTENCE.match(second))


def _role(cells: Sequence[CellSpan]) -> LineRole:
    numeric = [cell for cell in cells if cell.numeric]
    if len(cells) == 1:
        return LineRole.FIGURE if numeric else LineRole.TEXT
    if _BULLET.match(cells[0].text + " ") and len(cells) == 2:
        return LineRole.TEXT
    if numeric and all(_YEAR.match(cell.text.strip()) for cell in numeric):
        return LineRole.HEADER
    if any(cell.numeric for cell in cells[1:]):
        return LineRole.DATA
    return LineRole.HEADER


def find_regions(rows: Sequence[LineRow], layout: Layout) -> list[tuple[int, int]]:
    """Ranges (from, to) of `rows` (one page, reading order) that are tables."""
    regions: list[tuple[int, int]] = []
    position = 0
    while position < len(rows):
        if rows[position].role is not LineRole.DATA:
            position += 1
            continue
        floor = regions[-1][1] if regions else 0
        end = _grow_down(rows, position, layout)
        start = _grow_up(rows, position, floor, layout)
        if _is_table(rows[start:end]):
            regions.append((start, end))
        position = max(end, position + 1)
    return regions


def _is_table(rows: Sequence[LineRow]) -> bool:
    """Two rows of figures, or one under a header; a lone figure row is rather a sentence or a heading.

    Figures that no word names are the scales and points of a chart, and dots lead to the pages of a list of contents.
    """
    data = [number for number, row in enumerate(rows) if row.role is LineRole.DATA]
    header = [row for row in rows[: data[0]] if row.role is LineRole.HEADER]
    if not _is_named(rows, data, header) or is_contents(rows) or _are_equations(rows, data) or _is_program(rows):
        return False
    if len(data) >= _FEWEST_ROWS:
        return True
    if _FOOT.match(rows[data[0]].line.text):
        return False
    figures = [cell for cell in rows[data[0]].cells[1:] if cell.numeric]
    if 2 * sum(cell.text[:1].islower() for cell in rows[data[0]].cells) > len(rows[data[0]].cells):
        return False
    return len(figures) >= _FEWEST_FIGURES or _stand_under(figures, rows[: data[0]])


def _is_named(rows: Sequence[LineRow], data: Sequence[int], header: Sequence[LineRow]) -> bool:
    labelled = sum(_is_labelled(rows[number]) for number in data)
    above = sum(number > 0 and _is_label_above(rows[number - 1], rows[number]) for number in data)
    if (_NAMED_UNDER if header else _NAMED) * max(labelled, above) >= len(data):
        return True
    heads = [cell for row in header for cell in row.cells if _WORD.search(cell.text)]
    return len(heads) > 1 and len(data) >= _FEWEST_ROWS


def _is_labelled(row: LineRow) -> bool:
    last = max(place for place, cell in enumerate(row.cells) if cell.numeric)
    return any(_LABEL.search(cell.text) for cell in row.cells[:last])


def _is_label_above(above: LineRow, row: LineRow) -> bool:
    return above.role is LineRole.TEXT and above.line.left < _figures_left(row) and bool(_LABEL.search(above.line.text))


def _stand_under(figures: Sequence[CellSpan], header: Sequence[LineRow]) -> bool:
    named = (cell for row in header for cell in row.cells if not cell.numeric or _YEAR.match(cell.text.strip()))
    heads = [cell for cell in named if len(cell.text) <= _LONGEST_HEADER]
    return bool(heads) and all(
        any(head.left < own.right + _EDGE and own.left < head.right + _EDGE for head in heads) for own in figures
    )


def _are_equations(rows: Sequence[LineRow], data: Sequence[int]) -> bool:
    """Whether the only figures are numbers of equations, which count on in brackets at the end of each."""
    found = [cell.text.strip() for number in data for cell in rows[number].cells[1:] if cell.numeric]
    if len(found) > len(data) or not all(_EQUATION.match(text) for text in found):
        return False
    counted = [int(text[1:-1]) for text in found]
    return all(before < after for before, after in itertools.pairwise(counted))


def _is_program(rows: Sequence[LineRow]) -> bool:
    """Whether most lines are those of a program: prompts, or names that are set to values; or all of several cells."""
    written = [bool(_PROGRAM.search(row.line.text)) for row in rows]
    several = [own for row, own in zip(rows, written, strict=True) if len(row.cells) > 1]
    return 2 * sum(written) > len(rows) or (len(several) > 1 and all(several))


def is_listing(rows: Sequence[LineRow], layout: Layout) -> bool:
    """Whether most lines, unlike the page's text, are set in a font of one width: code or the output of a program."""
    typed = sum(bool(_TYPEWRITER.search(row.line.style.font)) for row in rows)
    return 2 * typed > len(rows) and not _TYPEWRITER.search(layout.body_of(rows[0].line.page).font)


def is_contents(rows: Sequence[LineRow]) -> bool:
    """Whether most rows are entries of a contents list: a title and a page number, or the number first."""
    if 2 * sum(len(_LEADERS.findall(row.line.text)) > 1 for row in rows) > len(rows):
        return True  # or the index of a map, in several columns
    several = [row for row in rows if len(row.cells) > 1 or _LEADERS.search(row.line.text)]
    led = [row for row in several if _LEADERS.search(row.line.text)]
    pages = sum(bool(_PAGE_NUMBER.match(row.line.text.split()[-1].lstrip(".…"))) for row in led)
    figures = sum(cell.numeric for row in led for cell in row.cells)
    return 2 * len(led) > len(several) and 3 * pages > 2 * len(led) and figures <= len(led) + len(led) // 4


def _grow_down(rows: Sequence[LineRow], seed: int, layout: Layout) -> int:
    end = seed + 1
    figures_left = _figures_left(rows[seed])
    position = end
    while position < len(rows) and position - end <= _LOOK_AHEAD:
        row = rows[position]
        if _is_too_far(rows[position - 1], row) or _breaks_table(row, rows[seed:end], layout):
            break
        if row.role in (LineRole.DATA, LineRole.FIGURE):
            if row.role is LineRole.DATA:
                figures_left = min(figures_left, _figures_left(row))
            elif row.line.left < figures_left - row.line.style.size:
                if not _YEAR.match(row.line.text.strip()):
                    break  # a year where labels begin heads the rows below
                position += 1
                continue
            end = position + 1
        elif _says_particular(row) and any(map(_says_particulars, rows[seed:end])):
            end = position + 1
        elif row.role is LineRole.TEXT and not _may_label(
            row, rows[seed:end], rows[position + 1 : position + 2], figures_left
        ):
            break
        position += 1
    end = _without_trailing_titles(rows, seed, end, layout)
    while end < len(rows) and _continues_value(rows[end - 1], rows[end], rows[seed:end]):
        end += 1
    return end


def _may_label(row: LineRow, region: Sequence[LineRow], following: Sequence[LineRow], figures_left: float) -> bool:
    """Whether a line without cells may stand within a table: beside the figures, centred, or over a group of rows."""
    if _leads_on(row) or _dates_again(row, region[0].line, figures_left):
        return False
    if _clear_of_figures(row, figures_left) or _is_centred(row, region[0]):
        return True
    return _heads_group(row, region[0]) and _figures_alike(following, region)


def _continues_value(above: LineRow, row: LineRow, region: Sequence[LineRow]) -> bool:
    """Whether a line carries on the value of the last particular, "Name: value": it begins right below the value."""
    told = next((own.cells for own in reversed(region) if len(own.cells) > 1), [])
    if row.role is not LineRole.TEXT or not told or not told[0].text.rstrip().endswith(":"):
        return False
    near = 0 <= row.line.top - above.line.bottom + _CONTINUED < 2 * _CONTINUED
    return near and len(told) == len(("name", "value")) and abs(row.line.left - told[1].left) < _CONTINUED / 2


def _leads_on(row: LineRow) -> bool:
    """Whether a line is a sentence that leads to the next table: "was paid as follows:"."""
    text = row.line.text.rstrip()
    return row.role is LineRole.TEXT and text.endswith(":") and bool(_LEADS.search(text) and _VERB.search(text))


def _dates_again(row: LineRow, seed: Line, figures_left: float) -> bool:
    """Whether a line over the figures names a date, which then holds for the rows below it."""
    left = (seed.left + figures_left) / 2
    over = row.role is LineRole.TEXT and row.line.left > left and row.line.right > figures_left
    return over and bool(PERIOD.match(row.line.text)) and bool(_PERIOD_CELL.search(row.line.text))


def _heads_group(row: LineRow, seed: LineRow) -> bool:
    """Whether a line that reaches over the figures is a label: it begins as labels do and ends in a colon."""
    line = row.line
    same = (
        abs(line.left - seed.line.left) < line.style.size and abs(line.style.size - seed.line.style.size) < _EMPHASISED
    )
    return (
        same and len(line.text) < _LONGEST_GROUP and line.text.rstrip().endswith(":") and not _LEADS.search(line.text)
    )


def _figures_alike(following: Sequence[LineRow], above: Sequence[LineRow]) -> bool:
    ends = [row.cells[-1].right for row in above if row.role is LineRole.DATA]
    return any(
        row.role is LineRole.DATA and any(abs(row.cells[-1].right - end) < _EDGE for end in ends) for row in following
    )


def _says_particulars(row: LineRow) -> bool:
    """Whether a line says several particulars side by side: "Name: value   Name: value"."""
    return sum(cell.text.rstrip().endswith(":") for cell in row.cells) > 1


def _says_particular(row: LineRow) -> bool:
    return len(row.cells) > 1 and row.cells[0].text.rstrip().endswith(":")


def is_year(text: str) -> bool:
    """Whether a cell says a year alone."""
    return bool(_YEAR.match(text.strip()))


def _names_periods(row: LineRow) -> bool:
    said = [cell.text.strip() for cell in row.cells[1:]]
    return len(said) > 0 and all(_PERIOD_CELL.search(text) or PERIOD.match(text) for text in said)


def _is_new_header(row: LineRow, above: Sequence[LineRow]) -> bool:
    """Whether a row under rows of figures names other columns than the header row above them."""
    before = [own for own in above if own.role is LineRole.HEADER and _names_periods(own)]
    return any(own.role is LineRole.DATA for own in above) and not any(
        own.line.text.split() == row.line.text.split() for own in before
    )


def _repeats_header(row: LineRow, above: Sequence[LineRow]) -> bool:
    """Whether a row repeats names of a header above at other places: a new table begins there."""
    names = [(cell.text.split(), cell.left) for cell in row.cells[1:]]
    before = [(cell.text.split(), cell.left) for own in above if own.role is LineRole.HEADER for cell in own.cells]
    again = [left for words, left in names if any(words == other for other, _ in before)]
    moved = [left for left in again if not any(abs(left - other) < _EDGE for _, other in before)]
    return len(names) > 1 and 2 * len(again) >= len(names) and bool(moved)


def _without_trailing_titles(rows: Sequence[LineRow], seed: int, end: int, layout: Layout) -> int:
    """A bold or larger title before a new header row belongs to the next table, not to this one."""
    for position in range(seed + 1, end):
        row = rows[position]
        if row.role is not LineRole.HEADER or position == seed + 1:
            continue
        first = position
        while first > seed + 1 and rows[first - 1].role is not LineRole.DATA:
            first -= 1
        between = rows[first:position]
        above = rows[max(0, seed - _HEADER_ROWS) : position]
        if _names_periods(row) and _is_new_header(row, above):
            return first
        if position + 1 < end and rows[position + 1].role is LineRole.DATA and _repeats_header(row, above):
            return first
        if any(map(_titles_period, between)) and _says_again(row, above):
            return first
        if any(map(_leads_in, between)):
            return first
        if _heads_part(between, row, rows[seed]) and rows[position + 1 : position + 2]:
            return first
    return end


def _heads_part(between: Sequence[LineRow], row: LineRow, seed: LineRow) -> bool:
    """Whether a title in the middle is over a row that names all columns and no label: the next part's header."""
    if len(between) != 1 or between[0].role is not LineRole.TEXT or not _is_centred(between[0], seed):
        return False
    named = len(row.cells) == len(seed.cells) - 1 and not any(cell.numeric for cell in row.cells)
    return named and row.line.left > seed.cells[0].left + _NEXT_COLUMN and between[0].line.left > seed.cells[0].right


def _titles_period(row: LineRow) -> bool:
    return row.role is LineRole.TEXT and bool(_PERIOD_CELL.search(row.line.text))


def _says_again(row: LineRow, above: Sequence[LineRow]) -> bool:
    return any(own.role is LineRole.HEADER and own.line.text.split() == row.line.text.split() for own in above)


def _leads_in(row: LineRow) -> bool:
    """Whether a line within a table is a sentence that leads to the next one."""
    text = row.line.text
    return row.role is LineRole.TEXT and len(text) > _SHORT and bool(_ENDS_SENTENCE.search(text))


def _breaks_table(row: LineRow, region: Sequence[LineRow], layout: Layout) -> bool:
    """Whether a line cannot stand inside a table: a larger size than the rows, a structural title, or a caption."""
    largest = max(own.line.style.size for own in region)
    text = row.line.text
    if row.role is LineRole.DATA:
        return row.line.style.size > _MUCH_LARGER * largest  # a row with a raised mark may be taken for small print
    return row.line.style.size > largest + _LARGER or bool(_STRUCTURAL.match(text) or _CAPTION.match(text))


def _is_too_far(before: LineRow, row: LineRow) -> bool:
    """A jump to another column of the page or a wide vertical gap."""
    gap = row.line.top - before.line.bottom
    return (
        gap > _TOO_FAR * max(row.line.style.size, before.line.style.size) or gap < -_NEXT_COLUMN * row.line.style.size
    )


def _figures_left(row: LineRow) -> float:
    return min(cell.left for cell in row.cells[1:] if cell.numeric)


def _clear_of_figures(row: LineRow, figures_left: float) -> bool:
    line = row.line
    if line.left > figures_left - line.style.size:
        return len(line.text) < _SHORT
    return line.right < figures_left + line.style.size


def _is_centred(row: LineRow, seed: LineRow) -> bool:
    middle = (seed.line.left + seed.line.right) / 2
    beside = abs((row.line.left + row.line.right) / 2 - middle)
    return len(row.line.text) < _SHORT and beside < _CENTRED * row.line.style.size


def _grow_up(rows: Sequence[LineRow], seed: int, floor: int, layout: Layout) -> int:
    figures_left = min(_figures_left(row) for row in rows[seed : seed + _SEED_ROWS] if row.role is LineRole.DATA)
    start = position = seed
    while position > floor and seed - position < _HEADER_LINES:
        row = rows[position - 1]
        # Lines of a header may be printed out of order: the highest of those found counts as well.
        below = (rows[position], min(rows[position : seed + 1], key=lambda own: own.line.top))
        far = all(_is_too_far(row, own) for own in below) and not (
            position == seed and _stands_apart(row, rows[seed : seed + _SEED_ROWS])
        )
        beside = start < seed and _is_beside(row, rows[start:seed])
        title = not beside and _is_title(row, rows[seed].line)
        if row.role is LineRole.DATA or far or (title and not _stands_under_years(rows[floor:position])):
            break
        if beside or _heads(row, figures_left, rows[seed].line):
            start = position - 1
        elif start != seed or not (
            _heads_group(row, rows[seed])
            or (_is_label(row, rows[seed]) and _clear_of_figures(row, figures_left) and not _leads_in(row))
        ):
            break
        position -= 1
    return start


def _stands_under_years(rows: Sequence[LineRow]) -> bool:
    """Whether the last row is right under a row of years, as a label does that is worded like a title."""
    if len(rows) < _FEWEST_ROWS or rows[-2].role is not LineRole.HEADER or _is_too_far(rows[-2], rows[-1]):
        return False
    return sum(bool(_YEAR.match(cell.text.strip())) for cell in rows[-2].cells) > 1


def _stands_apart(row: LineRow, first: Sequence[LineRow]) -> bool:
    """Whether a line is a header that is over the figures of the first rows further off than lines of a table."""
    seed = first[0]
    gap = seed.line.top - row.line.bottom
    if (
        not 0 < gap < _APART * seed.line.style.size
        or len(row.line.text) > _SHORT
        or _ENDS_SENTENCE.search(row.line.text)
    ):
        return False
    figures = [own for other in first if other.role is LineRole.DATA for own in other.cells[1:]]
    return all(any(head.left < own.right and own.left < head.right for own in figures) for head in row.cells)


def _is_label(row: LineRow, seed: LineRow) -> bool:
    """Whether a line may be a label over the first rows: words, or a year where labels begin."""
    year = bool(_YEAR.match(row.line.text.strip())) and abs(row.line.left - seed.line.left) < row.line.style.size
    return row.role is LineRole.TEXT or year


def _is_title(row: LineRow, seed: Line) -> bool:
    """Whether a line heads the table and is no part of it: by its words, or set larger and centred over all columns."""
    line = row.line
    if len(row.cells) > _FEWEST_NAMES:
        return False  # "Statement of income line" may name a column
    if form_of(line.text).family <= NOTE or _is_numbered(row, seed):
        return True
    centred = abs(line.left + line.right - seed.left - seed.right) < _CENTRED_TITLE * line.style.size
    return (
        len(row.cells) == 1
        and centred
        and line.style.size > seed.style.size + _TITLE_LARGER
        and line.right - line.left > _TITLE_WIDTH
    )


def _is_numbered(row: LineRow, seed: Line) -> bool:
    """Whether a line is a section's number and its title, which begin where the table does."""
    if len(row.cells) != len(("number", "title")) or row.line.left > seed.left + row.line.style.size:
        return False
    number, title = row.cells
    return bool(_SECTION.match(number.text.strip())) and title.text[:1].isupper() and "." in number.text + title.text


def _over_figures(line: Line, figures_left: float, seed: Line) -> bool:
    """Whether a line is centred over the figures' columns rather than over the whole table, as titles are."""
    middle = (line.left + line.right) / 2
    figures, table = (figures_left + seed.right) / 2, (seed.left + seed.right) / 2
    low = line.left > (seed.left + figures_left) / 2 and line.right > figures_left
    return low and abs(middle - figures) < abs(middle - table) and line.style.size < seed.style.size + _HEADER_LARGER


def _is_beside(row: LineRow, header: Sequence[LineRow]) -> bool:
    """Whether a line is at the height of a header line already found ("Period" over the labels)."""
    return any(row.line.top < own.line.bottom and own.line.top < row.line.bottom for own in header)


def _heads(row: LineRow, figures_left: float, seed: Line) -> bool:
    """Whether a line is part of a column header: cells, a short text over the figures, or the units line."""
    line = row.line
    if row.role is LineRole.HEADER:
        return not (len(row.cells) == 2 and len(row.cells[1].text) > _SHORT)
    if row.role is LineRole.FIGURE:
        return line.left > figures_left - _LEFT_OF_FIGURE * line.style.size
    if len(line.text) > _LONGEST_HEADER or (line.text[:1].islower() and line.text.rstrip().endswith(".")):
        return False
    if PERIOD.match(line.text) and not _ENDS_SENTENCE.search(line.text):
        return True
    units = UNITS_LINE.search(line.text)
    over = line.left > figures_left - _LEFT_OF_HEADER * line.style.size or _over_figures(line, figures_left, seed)
    return over or (units is not None and units.start() < _UNITS_START)


_EDGE = 5.0
"""Points within which cells of a table without figures begin or end at the same place; a wrapped line twice as many."""
_LEAST_ROWS = 3
"""Rows of a table without figures, at least: two lines may agree by chance."""
_RUNNING = 15
"""Characters from which a cell that begins in lower case is a piece of a sentence."""
_TEXT_GAP, _TEXT_COLUMN = 2.5, 6
"""Ems: a gap of more below a line ends such a table, as does a jump up by more."""


def find_text_tables(rows: Sequence[LineRow], taken: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges (from, to) of rows outside `taken` that form such tables."""
    covered = {number for start, end in taken for number in range(start, end)}
    found: list[tuple[int, int]] = []
    position = 0
    while position < len(rows):
        end = _find_end(rows, position, covered) if _is_row(rows[position], position, covered) else position
        if end > position:
            floor = found[-1][1] if found else 0
            found.append((position - int(position > floor and _names_below(rows, position, covered)), end))
        position = max(end, position + 1)
    return found


def _names_below(rows: Sequence[LineRow], start: int, covered: set[int]) -> bool:
    """Whether the row above the first one has a name centred over each of its cells."""
    above, first = rows[start - 1], rows[start]
    if not _is_row(above, start - 1, covered) or _is_apart(above, first) or len(above.cells) != len(first.cells):
        return False
    pairs = list(zip(above.cells, first.cells, strict=True))
    return all(name.left < own.right and own.left < name.right and len(name.text) <= _SHORT for name, own in pairs)


def _is_row(row: LineRow, number: int, covered: set[int]) -> bool:
    several = number not in covered and row.role is LineRole.HEADER and len(row.cells) > 1
    return several and not _LEADERS.search(row.line.text)


def _find_end(rows: Sequence[LineRow], start: int, covered: set[int]) -> int:
    edges = [cell.left for cell in rows[start].cells]
    ends = [cell.right for cell in rows[start].cells]
    end, members = start + 1, 1
    for position in range(start + 1, len(rows)):
        row = rows[position]
        if position in covered or _is_apart(rows[position - 1], row):
            break
        if row.line.left < rows[start].line.left - _EDGE and _is_numbered(row, rows[start].line):
            break
        if _is_row(row, position, covered) and _is_aligned(row, edges, ends):
            members += 1
            end = position + 1
        elif row.role is LineRole.TEXT and (
            _is_wrapped(row, edges) or _continues_value(rows[position - 1], row, rows[start:position])
        ):
            end = position + 1
        else:
            break
    while end > start + 1 and rows[end - 1].role is LineRole.TEXT and rows[end - 1].line.left < edges[1] - _EDGE:
        end -= 1  # a line under the first column alone may already be running text
    told = rows[start:end]
    if members < _LEAST_ROWS or any(is_other(told) for is_other in _NO_WORDS):
        return start
    if _are_addresses(rows[max(0, start - 1) : end]):
        return start
    return end


def _are_marked(rows: Sequence[LineRow]) -> bool:
    """Whether most rows hold text and, beside it, only a sign or letter: an icon, a bullet or a list number."""
    told = [row.cells for row in rows if len(row.cells) > 1]
    if any(len(cells) > len(("mark", "words")) for cells in told):
        return False
    marks = sum(len(cells[0].text.strip(".)( ")) <= 1 for cells in told)
    numbers = sum(bool(NUMBERING.match(cells[0].text.strip())) for cells in told)
    return 2 * marks > len(told) or numbers == len(told)


def _are_addresses(rows: Sequence[LineRow]) -> bool:
    """Whether lines stand side by side under two words that end in colons: two addresses, and no rows."""
    return any(len(row.cells) > 1 and all(cell.text.rstrip().endswith(":") for cell in row.cells) for row in rows[:2])


def _are_columns_of_prose(rows: Sequence[LineRow]) -> bool:
    """Whether the cells are columns of prose: most lines continue a sentence in the first cell and in the next."""
    told = [row.cells for row in rows[1:] if len(row.cells) > 1]
    running = sum(cells[0].text[:1].islower() and len(cells[0].text) > _RUNNING for cells in told)
    beside = sum(cells[1].text[:1].islower() for cells in told)
    return 2 * running >= len(told) and (3 * beside >= len(told) or 3 * running > 2 * len(told))


_NO_WORDS = (_are_columns_of_prose, _is_program, _are_marked)
"""What lines of several cells without figures may be besides a table."""


def _is_aligned(row: LineRow, edges: Sequence[float], ends: Sequence[float]) -> bool:
    """Whether each cell but the first is aligned with a column at its left edge, right edge or middle."""
    return all(
        any(abs(cell.left - edge) < _EDGE for edge in edges)
        or any(abs(cell.right - end) < _EDGE for end in ends)
        or any(
            abs(cell.left + cell.right - edge - end) < _EDGE / 2 for edge, end in zip(edges[1:], ends[1:], strict=True)
        )
        for cell in row.cells[1:]
    )


def _is_wrapped(row: LineRow, edges: Sequence[float]) -> bool:
    """A lone line that begins at an edge and does not run under the next column."""
    line = row.line
    for number, edge in enumerate(edges):
        following = edges[number + 1] if number + 1 < len(edges) else float("inf")
        if abs(line.left - edge) < 2 * _EDGE:
            return line.right < following
    return False


def _is_apart(before: LineRow, row: LineRow) -> bool:
    gap = row.line.top - before.line.bottom
    return gap > _TEXT_GAP * row.line.style.size or gap < -_TEXT_COLUMN * row.line.style.size
