"""Builds the grid of a table: columns from the figures' edges, wrapped labels joined."""

import itertools
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from vectorless_web.engine.parsing.tables.cells import CellSpan
from vectorless_web.engine.parsing.tables.headers import TOTAL, Edge, names_kinds, nearest_column
from vectorless_web.engine.parsing.tables.names import part_names
from vectorless_web.engine.parsing.tables.regions import PERIOD, UNITS_LINE, LineRole, LineRow
from vectorless_web.engine.parsing.terms import any_of

_MARK = re.compile(r"^\([a-z]{1,2}\)$|^[*†‡]+$", re.I)
_NUMBER_MARK = re.compile(r"^\(\d\)$")
"""The mark of a footnote, or a small negative figure."""
_HALVES_APART = 24.0
"""Points between figures set left and right in one column, at most."""
_OVER = 6.0
"""Points by which the middle of a column's name may stand beside the column."""
_TIGHT = 1.5
"""Points by which figures of neighbouring columns may overlap and still be two columns."""
_DASH_BESIDE = 3.0
"""Points that a dash may stand beside the figures of its column."""
_LEAST_COLUMNS = 2
"""Columns that a table keeps when those of its labels are joined."""
_SEVERAL = 3
"""Columns, and rows that have a figure in each of them, from which those rows tell the columns."""
_ONE_HEIGHT = 0.2
"""Share of the lower line by which a line without figures reaches into the row that it belongs to."""
_SAME_HEIGHT = 0.5
"""Share of the lower line by which two lines must overlap in height to be one row."""
_LABEL_SHARE = 0.5
"""Share of its width up to which a label may reach into the first column."""
_INDENTED = 12.0
"""Points by which a label may be indented."""
_LONG_LABEL = 0.75
"""Share of the width of the labels that a label fills at least when it is broken for want of room."""
_FORM_ROWS, _SAME_LEFT = 2, 6.0
"""Rows of a form, at least, and points within which its cells begin at the same place."""
_LONGEST_NAME = 40
"""Characters of a column's name in a table of words; a longer cell says something."""
_LONG_NAME = 16
"""Characters of a name that is before times and is none of a column."""
_TIME = re.compile(rf"^\s*\d+(?:\.\d+)? {any_of('duration')}\s*$", re.I)
_SHORT_LABEL, _MOSTLY = 2, 0.8
"""Characters of a mark before the labels, and share of the rows that have such a mark or none, and words beside it."""
_CLOSE = 0.35
"""Heights of a row: within this gap a row may carry on the one above."""
_YEAR_IN = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_PRECISE = re.compile(r"^[–−-]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+)%?(?:\(\d+\.\d+\))?$")
"""A figure that may stand right behind a label; whole years and small numbers end labels themselves."""
_NAMES_ROWS = re.compile(
    rf"^(?!.*\b(?:{any_of('period')}|ended|ending|as of)\b)"
    rf"[a-z][^()\d]{{24,}}\s\((?:{any_of('amounts')} )?in {any_of('scale')}\)$",
    re.I,
)
"""A label that ends with its units in brackets: "Cash paid for measured leases (in thousands)"."""
_CODE = re.compile(r"^[A-Z][A-Z\d./ -]{1,11}[a-z]?$")
_UNITS_FIRST = re.compile(rf"^\W*(?:in )?{any_of('scale')}\b", re.I)
_SMALL = re.compile(r"^\d{1,2}%?$")
"""A number that may name a column: a step, a class, a share of cases."""
_YEAR_ALONE = re.compile(r"^(?:fy\s?)?(?:19|20)\d\d$", re.IGNORECASE)
_UNFINISHED = re.compile(rf"(?:,|\b{any_of('goes_on')})$|[-–—]$")


@dataclass(slots=True)
class GridRow:
    """One row: `cells[i]` holds the spans of column i. `left` is where its label starts.

    `label` and `path` are told of rows whose cells are drawn.
    """

    cells: list[list[CellSpan]]
    page: int
    top: float
    bottom: float
    left: float
    is_header: bool = False
    label: str = ""
    path: tuple[str, ...] | None = None


@dataclass(slots=True)
class Grid:
    """Rows over columns; `edges[i]` = (left, right) of figure column i + 1.

    `columns` are the levels of the headers, that of the labels first, where cells are drawn; else they are laid later.
    """

    rows: list[GridRow] = field(default_factory=list)
    edges: list[tuple[float, float]] = field(default_factory=list)
    columns: tuple[tuple[str, ...], ...] = ()


Visual = tuple[list[CellSpan], float, float, bool]


def build_grid(rows: Sequence[LineRow]) -> Grid:
    """The grid of one region of one page."""
    visual = _visual_rows(rows)
    is_form = _is_form(visual)
    if is_form:
        edges = _form_edges(visual)
    else:
        edges = _add_empty(_join_halves(_column_edges(visual), visual), visual)
        visual = [_part_label(row, edges) for row in _part_names(visual, edges)]
    grid = Grid(edges=edges)
    left = min((cells[0].left for cells, _, _, is_header in visual if not is_header), default=0.0)
    for cells, top, bottom, is_header in visual:
        placed = _place_in_form(cells, edges) if is_form else _place(cells, edges, is_header, left)
        grid.rows.append(GridRow(placed, cells[0].page, top, bottom, cells[0].left, is_header))
    while _is_label_beside(grid) or _is_label_column(grid):
        _join_labels(grid)
    _release_labels(grid.rows)
    _join_raised(grid.rows)
    grid.rows = _join_wrapped(grid.rows)
    _name_by_second(grid.rows)
    return grid


def _name_by_second(rows: Sequence[GridRow]) -> None:
    """Name rows by the second column, below the label of the first, which is printed once for several rows."""
    body = [row for row in rows if not row.is_header]
    if not body or not body[0].cells[0] or len(body[0].cells) <= _SEVERAL or all(row.cells[0] for row in body):
        return
    if not all(row.cells[1] and any(row.cells[2:]) for row in body):
        return
    if any(span.numeric for row in body for span in (*row.cells[0], *row.cells[1])):
        return
    group = ""
    for row in body:
        first, own = (" ".join(" ".join(span.text for span in spans).split()) for spans in row.cells[:2])
        group = first or group
        row.label, row.path = own, () if TOTAL.match(own) and not first else (group,)


def _part_names(visual: Sequence[Visual], edges: Sequence[Edge]) -> list[Visual]:
    """The rows, with the names in the lowest row of the header parted where one cell holds those of several columns."""
    parted = list(visual)
    leading = list(itertools.takewhile(lambda row: row[3], visual))
    lowest = max((number for number, (cells, *_) in enumerate(leading) if not _are_units(cells)), default=len(leading))
    for number in range(lowest, len(leading)):  # and the units below, "%   %", which stand close
        cells, top, bottom, is_header = visual[number]
        parted[number] = (part_names(cells, edges), top, bottom, is_header)
    return parted


def _are_units(cells: Sequence[CellSpan]) -> bool:
    return all(cell.text.startswith("(") or not any(map(str.isalnum, cell.text)) for cell in cells)


def _part_label(row: Visual, edges: Sequence[Edge]) -> Visual:
    """The row, with the figure at the end of its label in a cell of its own where it is in the first column."""
    cells, top, bottom, is_header = row
    if is_header or not edges or len(cells) < _LEAST_COLUMNS or cells[0].numeric:
        return row
    first, text, edge = cells[0], cells[0].text.rstrip(), edges[0]
    cut = text.rfind(" ") + 1
    if not cut or not _PRECISE.match(text[cut:]) or _overlap((cells[1].left, cells[1].right), edge) > 0:
        return row
    if not edge[0] < first.right < edge[1] + _OVER or first.left > edge[0] - (first.right - first.left) / 2:
        return row
    left = max(edge[0], first.right - (first.right - first.left) * (len(text) - cut) / len(text))
    label = CellSpan(first.page, first.start, first.start + cut - 1, first.left, left, False, text[: cut - 1])
    figure = CellSpan(first.page, first.start + cut, first.start + len(text), left, first.right, True, text[cut:])
    return [label, figure, *cells[1:]], top, bottom, is_header


def _is_label_beside(grid: Grid) -> bool:
    """Whether the labels stand in the second column, behind marks or nothing at all in the first."""
    body = [row for row in grid.rows if not row.is_header]
    told = [row for row in body if len(row.cells) > _LEAST_COLUMNS and row.cells[1]]
    words = [row for row in told if not any(span.numeric for span in row.cells[1])]
    marks = [row for row in words if _is_mark("".join(span.text for span in row.cells[0]).strip())]
    own = [row for row in body if not row.cells[1:2] or not row.cells[1]]
    return len(marks) > 1 and len(marks) >= _MOSTLY * len(told) and len(own) < len(marks)


def _is_label_column(grid: Grid) -> bool:
    """Whether the column beside the labels holds words alone and has no header while others have one."""
    if len(grid.edges) <= _LEAST_COLUMNS:
        return False
    heads = [row.cells for row in grid.rows if row.is_header]
    beside = [span for row in grid.rows for span in row.cells[1]]
    headed = sum(any(cells[place] for cells in heads) for place in range(2, len(grid.edges) + 1))
    if not beside or headed < len(grid.edges) - 1 or any(cells[1] for cells in heads):
        return False
    return not any(span.numeric for span in beside)


def _is_mark(text: str) -> bool:
    return not text or (text.isalpha() and len(text) <= _SHORT_LABEL)


def _join_labels(grid: Grid) -> None:
    grid.edges = grid.edges[1:]
    for row in grid.rows:
        own = "".join(span.text for span in row.cells[0]).strip()
        row.left = row.cells[1][0].left if row.cells[1] and _is_mark(own) else row.left
        row.cells = [[*row.cells[0], *row.cells[1]], *row.cells[2:]]


def _release_labels(rows: Sequence[GridRow]) -> None:
    """Take labels right above the first figures out of the header: they belong to the rows below."""
    body = next((number for number, row in enumerate(rows) if not row.is_header), len(rows))
    if body == len(rows):
        return
    left = min(row.left for row in rows[body:])
    alone = [row.cells[0][0].text for row in rows[body:] if row.cells[0] and not any(row.cells[1:])]
    grouped = any(PERIOD.match(text) for text in alone)  # "Year ended 2023" over the rows of each year
    for row in reversed(rows[:body]):
        beside = [span for spans in row.cells[1:] for span in spans]
        if len(beside) == 1 and row.cells[0] and _NAMES_ROWS.match(f"{row.cells[0][-1].text} {beside[0].text}".strip()):
            row.cells = [[*row.cells[0], *beside], *([] for _ in row.cells[1:])]
        text = " ".join(span.text for span in row.cells[0]).strip()
        label = bool(text) and not any(row.cells[1:]) and row.cells[0][0].left < left + _INDENTED
        dated = PERIOD.match(text) and not grouped and not _UNFINISHED.search(text)
        in_brackets = text.startswith("(") and not text.endswith(":")
        if not label or dated or in_brackets or (UNITS_LINE.search(text) and not _NAMES_ROWS.match(text)):
            return
        row.is_header = False


def _visual_rows(rows: Sequence[LineRow]) -> list[Visual]:
    """Lines whose heights overlap form one row, no matter what their order in the file."""
    groups: list[list[LineRow]] = []
    for row in sorted(rows, key=lambda row: (row.line.middle, row.line.left)):
        if groups and _same_height(groups[-1], row):
            groups[-1].append(row)
        else:
            groups.append([row])
    words_only = not any(row.role is LineRole.DATA for row in rows)
    labels = min((row.line.left for row in rows if row.role is LineRole.DATA), default=0.0)
    names: set[str] = set()
    seen_data = False
    visual: list[Visual] = []
    for place, group in enumerate(groups):
        cells = sorted((cell for row in group for cell in row.cells), key=lambda cell: cell.left)
        particular = _is_particular(cells)
        seen_data = seen_data or particular
        if words_only:
            seen_data = particular or bool(visual) or not _stands_out(groups)
        numbered = not seen_data and _numbers_columns(cells, [row for own in groups[place + 1 :] for row in own])
        seen_data = seen_data or (not numbered and any(row.role is LineRole.DATA for row in group))
        is_header = not seen_data or (
            len(cells) > 1
            and not words_only
            and not particular
            and all(row.role is LineRole.HEADER for row in group)
            and _names_again(cells, labels, names)
        )
        if is_header:
            names.update(cell.text.strip() for cell in cells)
        top, bottom = min(row.line.top for row in group), max(row.line.bottom for row in group)
        visual.append((cells, top, bottom, is_header))
    return visual


def _numbers_columns(cells: Sequence[CellSpan], below: Sequence[LineRow]) -> bool:
    """Whether a row without a label names columns by words and small numbers: "1   2   3   Other" over figures."""
    body = [row for row in below if row.role is LineRole.DATA][:_SEVERAL]
    words = [cell for cell in cells if not cell.numeric]
    numbers = [cell for cell in cells if cell.numeric]
    if not words or not numbers or len(body) < _SEVERAL or any(row.cells[0].numeric for row in body):
        return False
    if cells[0].left < max(row.cells[0].right for row in body) or not all(_SMALL.match(own.text) for own in numbers):
        return False
    return all(
        any(own.numeric and own.left < cell.right and cell.left < own.right for own in row.cells[1:])
        for cell in words
        for row in body
    )


def _names_again(cells: Sequence[CellSpan], labels: float, names: Collection[str]) -> bool:
    """Whether a row of words among rows of figures is a header: it names periods, or repeats names of a header."""
    if cells[0].left > labels + _INDENTED or any(
        _YEAR_IN.search(cell.text) or PERIOD.match(cell.text) for cell in cells
    ):
        return True
    return any(cell.text.strip() in names for cell in cells[1:])


def _is_form(visual: Sequence[Visual]) -> bool:
    """Whether most rows say two or more particulars side by side: "Name: value   Name: value"."""
    told = [cells for cells, *_ in visual if len(cells) > 1]
    several = [[cell for cell in cells if cell.text.rstrip().endswith(":")] for cells in told]
    if sum(len(names) > 1 for names in several) >= max(_FORM_ROWS, (len(several) + 1) // 2):
        return True
    # Or every row begins with a name, and some say a second particular.
    sheet = len(told) >= _FORM_ROWS and all(cells[0].text.rstrip().endswith(":") for cells in told)
    return sheet and any(len(names) > 1 for names in several)


def _form_edges(visual: Sequence[Visual]) -> list[tuple[float, float]]:
    lefts = sorted(cell.left for cells, *_ in visual for cell in cells[1:])
    groups: list[list[float]] = []
    for left in lefts:
        if groups and left - groups[-1][-1] < _SAME_LEFT:
            groups[-1].append(left)
        else:
            groups.append([left])
    named = {
        cell.left
        for cells, *_ in visual
        for before, cell in itertools.pairwise(cells)
        if cell.text.rstrip().endswith(":") or before.text.rstrip().endswith(":")
    }
    begins = [group[0] for group in groups if len(group) > 1 or group[0] in named]
    last = max(cell.right for cells, *_ in visual for cell in cells)
    return list(zip(begins, [*begins[1:], last], strict=True))


def _place_in_form(cells: Sequence[CellSpan], edges: Sequence[tuple[float, float]]) -> list[list[CellSpan]]:
    placed: list[list[CellSpan]] = [[] for _ in range(len(edges) + 1)]
    for cell in cells:
        placed[sum(cell.left > left - _TIGHT for left, _ in edges)].append(cell)
    return placed


def _is_particular(cells: Sequence[CellSpan]) -> bool:
    """Whether a row says "Name: value": no header does, but one of dates ("Year ended:   2023   2022").

    One of a long name and times ("Weighted-average remaining term   6 years   7 years") is none either.
    """
    if len(cells) > 1 and len(cells[0].text) > _LONG_NAME and all(_TIME.match(cell.text) for cell in cells[1:]):
        return True
    names = [cell for cell in cells if cell.text.rstrip().endswith(":")]
    others = [cell for cell in cells if not cell.text.rstrip().endswith(":")]
    dated = any(_YEAR_IN.search(cell.text) for cell in others) and len(names) == 1
    return bool(names and others) and not dated


def _stands_out(groups: Sequence[Sequence[LineRow]]) -> bool:
    """Whether the first row of a table of words is set differently from the second and most others: a header."""
    if len(groups) < _FORM_ROWS:
        return False
    if any(len(cell.text) > _LONGEST_NAME for row in groups[0] for cell in row.cells):
        return _names_codes(groups)
    first, second, *others = (group[0].line.style.weight for group in groups)
    is_set_off = first != second and 2 * others.count(first) <= len(others)
    return is_set_off or _name_kinds(groups) or _names_codes(groups)


def _name_kinds(groups: Sequence[Sequence[LineRow]]) -> bool:
    rows = [[cell.text.strip() for row in group for cell in row.cells] for group in groups]
    return names_kinds(rows[0], [row for row in rows[1:] if len(row) == len(rows[0])])


def _names_codes(groups: Sequence[Sequence[LineRow]]) -> bool:
    """Whether words stand over a column of codes, of capital letters and figures: "Symbol" over "HB24"."""
    rows = [[cell.text.strip() for row in group for cell in row.cells] for group in groups]
    below = [row for row in rows[1:] if len(row) == len(rows[0])]
    if len(below) < _SEVERAL or any(map(str.isdigit, "".join(rows[0]))):
        return False
    return any(
        any(map(str.islower, rows[0][place])) and all(_CODE.match(row[place]) for row in below)
        for place in range(1, len(rows[0]))
    )


def _same_height(group: Sequence[LineRow], row: LineRow) -> bool:
    line = group[-1].line
    overlap = min(line.bottom, row.line.bottom) - max(line.top, row.line.top)
    apart = all(own.line.right <= row.line.left or row.line.right <= own.line.left for own in group)
    return apart and overlap > _SAME_HEIGHT * min(line.height, row.line.height)


def _column_edges(visual: Sequence[Visual]) -> list[tuple[float, float]]:
    body = [cells for cells, _, _, is_header in visual if not is_header]
    headed = max((len(cells) for cells, _, _, is_header in visual if is_header), default=0)
    figures = [[(c.left, c.right) for c in cells[1:] if c.numeric] for cells in body]
    marks = _union([(c.left, c.right) for cells in body for c in cells if _NUMBER_MARK.match(c.text.strip())])
    columns = _union(_without_dashes(_without_bridges(figures), body))
    columns = [edge for edge in columns if edge not in marks or _is_headed(edge, visual)]
    leading = [(cells[0].left, cells[0].right) for cells in body if all(cell.numeric for cell in cells)]
    # A figure that opens a row is its label (a year, "($7)" of a wrapped text) unless it stands right of a column.
    inside = [edge for edge in leading if not columns or edge[0] > columns[0][0] - _TIGHT]
    years = all(_YEAR_IN.search(cells[0].text) for cells in body)
    if len(leading) == len(body) and headed > len(columns) and not years:
        inside = leading  # a table without labels: the header has a cell for the first figures too
    columns = _union(columns + inside)
    others = [(c.left, c.right) for cells in body for c in cells[1:] if not c.numeric and not _MARK.match(c.text)]
    beside = [edge for edge in others if not any(_overlap(edge, column) > 0 for column in columns)]
    named = [edge for edge in beside if _is_named_apart(edge, columns, visual)]
    return _union(columns + beside) if len(beside) > 1 or named else columns


def _is_named_apart(edge: Edge, columns: Sequence[Edge], visual: Sequence[Visual]) -> bool:
    """Whether a header is over words of a single row and over no column of figures."""
    heads = [(cell.left, cell.right) for cells, _, _, is_header in visual if is_header for cell in cells]
    labels = min((cells[0].left for cells, _, _, is_header in visual if not is_header), default=0.0)
    over = [head for head in heads if head[0] > labels + _INDENTED and _overlap(head, edge) > 0]
    return bool(over) and not any(_overlap(head, column) > 0 for head in over for column in columns)


def _is_headed(edge: Edge, visual: Sequence[Visual]) -> bool:
    """Whether a header is over a column, or there is no header at all."""
    heads = [(cell.left, cell.right) for cells, _, _, is_header in visual if is_header for cell in cells]
    return not heads or any(_overlap(head, edge) > 0 for head in heads)


def _without_dashes(edges: Sequence[Edge], body: Sequence[Sequence[CellSpan]]) -> list[Edge]:
    """The figures without the dashes right beside them, which may be set off by the room of a closing bracket."""
    dashes = {
        (cell.left, cell.right)
        for cells in body
        for cell in cells
        if cell.numeric and not any(map(str.isdigit, cell.text))
    }
    digits = _union([edge for edge in edges if edge not in dashes])
    return [edge for edge in edges if edge not in dashes or all(_overlap(edge, own) < -_DASH_BESIDE for own in digits)]


def _add_empty(edges: Sequence[Edge], visual: Sequence[Visual]) -> list[Edge]:
    """The columns with those added that are empty in all rows but named in the fullest line of the header."""
    if len(edges) < _LEAST_COLUMNS:
        return list(edges)
    for cells, _, _, is_header in visual:
        spans = [(cell.left, cell.right) for cell in cells if cell.left > edges[0][0] or cell.right > edges[0][0]]
        over = [[edge for edge in edges if _overlap(span, edge) > 0] for span in spans]
        named = [found[0] for found in over if len(found) == 1]
        if (
            is_header
            and len(set(named)) == len(named) == len(edges)
            and all(len(found) < _LEAST_COLUMNS for found in over)
        ):
            return sorted([*edges, *(span for span, found in zip(spans, over, strict=True) if not found)])
    return list(edges)


def _join_halves(edges: Sequence[Edge], visual: Sequence[Visual]) -> list[Edge]:
    """The columns, with two joined where one header is over both and no row fills both."""
    body = [cells for cells, _, _, is_header in visual if not is_header]
    heads = [cell for cells, _, _, is_header in visual if is_header for cell in cells]
    joined: list[Edge] = []
    for edge in edges:
        if joined and _is_half(joined[-1], edge, heads) and _take_turns(joined[-1], edge, body):
            joined[-1] = (joined[-1][0], edge[1])
        else:
            joined.append(edge)
    return joined


def _is_half(first: Edge, second: Edge, heads: Sequence[CellSpan]) -> bool:
    """Whether two close columns have no header that is over only one of them."""
    if second[0] - first[1] > _HALVES_APART:
        return False
    over = [{id(head) for head in heads if _overlap((head.left, head.right), edge) > 0} for edge in (first, second)]
    return bool(over[0] | over[1]) and (over[0] <= over[1] or over[1] <= over[0])


def _take_turns(first: Edge, second: Edge, body: Sequence[Sequence[CellSpan]]) -> bool:
    """Whether rows have figures in either column, and none has in both."""
    fills = [
        [
            any(cell.numeric and _overlap((cell.left, cell.right), edge) > 0 for cell in cells)
            for edge in (first, second)
        ]
        for cells in body
    ]
    own = [sum(column) for column in zip(*fills, strict=True)]
    return bool(own) and min(own) > 0 and not any(all(row) for row in fills)


def _without_bridges(rows: Sequence[Sequence[tuple[float, float]]]) -> list[tuple[float, float]]:
    """All figures but those that reach over several figures of the fullest rows: they would join columns."""
    most = max(map(len, rows), default=0)
    full = [row for row in rows if len(row) == most]
    if most < _SEVERAL or len(full) < _SEVERAL:
        return [edge for row in rows for edge in row]

    def bridges(edge: tuple[float, float]) -> bool:
        return all(sum(_overlap(edge, own) > _TIGHT for own in row) > 1 for row in full[:_SEVERAL])

    return [edge for row in rows for edge in row if len(row) == most or not bridges(edge)]


def _union(edges: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    merged: list[tuple[float, float]] = []
    for left, right in sorted(edges):
        if merged and left < merged[-1][1] - _TIGHT:
            merged[-1] = (merged[-1][0], max(right, merged[-1][1]))
        else:
            merged.append((left, right))
    return merged


def _overlap(one: tuple[float, float], other: tuple[float, float]) -> float:
    return min(one[1], other[1]) - max(one[0], other[0])


def _place(
    cells: Sequence[CellSpan], edges: Sequence[tuple[float, float]], is_header: bool, left: float
) -> list[list[CellSpan]]:
    placed: list[list[CellSpan]] = [[] for _ in range(len(edges) + 1)]
    rest = list(cells)
    if edges and rest and (_heads_labels(rest[0], edges[0], left) if is_header else _starts_left(rest[0], edges)):
        placed[0].append(rest.pop(0))
        while not is_header and rest and rest[0].right <= edges[0][0]:
            placed[0].append(rest.pop(0))
    for before, cell in itertools.pairwise([None, *rest]):
        if cell is None:
            continue
        place = nearest_column(cell, edges) + 1 if edges else 0
        if before is not None and before.numeric and _is_mark_beside(cell, edges):
            place = nearest_column(before, edges) + 1
        placed[place].append(cell)
    return placed


def _is_mark_beside(cell: CellSpan, edges: Sequence[Edge]) -> bool:
    """Whether a cell is the mark of a footnote behind a figure, in no column of its own."""
    is_mark = bool(_MARK.match(cell.text) or _NUMBER_MARK.match(cell.text.strip()))
    return is_mark and all(_overlap((cell.left, cell.right), edge) <= 0 for edge in edges)


def _heads_labels(cell: CellSpan, first: tuple[float, float], left: float) -> bool:
    shared = _overlap((cell.left, cell.right), first)
    if cell.left < left + _TIGHT and (cell.text.rstrip().endswith(":") or _UNITS_FIRST.match(cell.text)):
        return True  # a label over the first rows that reaches over their figures
    if cell.left >= first[0] or shared >= _LABEL_SHARE * min(cell.right - cell.left, first[1] - first[0]):
        return False
    return cell.left < left + _INDENTED or (cell.left + cell.right) / 2 < (left + first[0]) / 2


def _starts_left(cell: CellSpan, edges: Sequence[tuple[float, float]]) -> bool:
    first = edges[0]
    if cell.numeric and _overlap((cell.left, cell.right), first) > 0:
        return False
    return cell.left < first[0] - _TIGHT and (
        cell.right < first[1] or cell.right - first[0] < _LABEL_SHARE * (cell.right - cell.left)
    )


def _join_raised(rows: list[GridRow]) -> None:
    """Join words without a label to the row below when they stand nearer to it and it continues them."""
    for number in range(len(rows) - 2, 0, -1):
        before, row, following = rows[number - 1 : number + 2]
        filled = [place for place, spans in enumerate(row.cells) if spans]
        if len(filled) != 1 or not filled[0] or not following.cells[0] or following.is_header:
            continue
        spans = [*row.cells[filled[0]], *following.cells[filled[0]]]
        near = following.top - row.bottom < min(_CLOSE * (row.bottom - row.top), row.top - before.bottom - _TIGHT)
        if near and following.cells[filled[0]] and not any(span.numeric for span in spans):
            following.cells[filled[0]] = spans
            following.top = row.top
            del rows[number]


def _join_wrapped(rows: Sequence[GridRow]) -> list[GridRow]:
    """Join a label of two printed lines: the first line has no figures and continues in the second."""
    joined: list[GridRow] = []
    reach = max((row.cells[0][-1].right for row in rows if row.cells[0] and not row.is_header), default=0.0)
    ends, middle = _stand_at_ends(rows), 0.0
    for row, following in itertools.zip_longest(rows, rows[1:]):
        before = joined[-1] if joined else None
        middle = (row.top + row.bottom) / 2 if any(row.cells[1:]) else middle
        completes = before is not None and _completes_label(before, row, middle, following)
        if before is not None and ends and any(before.cells[1:]) and _begins_label(row) and not completes:
            joined.append(row)
            continue
        if before is not None and (
            completes or _continues_row(before, row) or _fills_label(before, row, reach, following)
        ):
            before.cells[0].extend(row.cells[0])
            for number in range(1, len(row.cells)):
                before.cells[number].extend(row.cells[number])
            before.bottom, before.is_header = max(before.bottom, row.bottom), False
            continue
        joined.append(row)
    return joined


def _stand_at_ends(rows: Sequence[GridRow]) -> bool:
    """Whether figures always stand beside the last line of labels that continue in small letters."""
    pairs = [
        (any(before.cells[1:]), any(row.cells[1:]))
        for before, row in itertools.pairwise(rows)
        if before.cells[0] and row.cells[0] and row.cells[0][0].text[:1].islower() and not before.is_header
    ]
    return (False, True) in pairs and (True, False) not in pairs


def _begins_label(row: GridRow) -> bool:
    return bool(row.cells[0]) and not row.cells[0][0].text[:1].islower()


def _continues_row(before: GridRow, row: GridRow) -> bool:
    if not row.is_header and _stand_at_one_height(before, row):
        return True
    if before.is_header or row.is_header:
        return False
    if not row.cells[0]:
        return _continues_cells(before, row)
    if not before.cells[0]:
        return False
    if any(before.cells[1:]) and any(row.cells[1:]):
        return _continue_together(before, row)
    return _continues_label(before, row)


def _continue_together(before: GridRow, row: GridRow) -> bool:
    """Whether a label that breaks off ("Inspection and") continues below together with the words beside it."""
    spans = [span for own in (before, row) for cells in own.cells[1:] for span in cells]
    if any(span.numeric for span in spans) or not _UNFINISHED.search(before.cells[0][-1].text.rstrip()):
        return False
    return [bool(cells) for cells in before.cells] == [bool(cells) for cells in row.cells] and _continues_label(
        before, row
    )


def _stand_at_one_height(before: GridRow, row: GridRow) -> bool:
    """Whether words of one row continue in the other: figures set at middle height overlap both lines."""
    figured = [any(span.numeric for spans in own.cells[1:] for span in spans) for own in (before, row)]
    beside = [place for place, spans in enumerate(before.cells) if spans and row.cells[place]]
    if sum(figured) != 1 or not beside or any(before.cells[k][0].numeric or row.cells[k][0].numeric for k in beside):
        return False
    reach = before.bottom - row.top
    return reach > _ONE_HEIGHT * (row.bottom - row.top) and all(
        abs(before.cells[place][0].left - row.cells[place][0].left) < _SAME_LEFT for place in beside
    )


def _fills_label(before: GridRow, row: GridRow, reach: float, following: GridRow | None) -> bool:
    """Whether a label without figures was broken because it fills its column: the next word had no room there."""
    if before.is_header or row.is_header or not before.cells[0] or not row.cells[0]:
        return False
    if any(before.cells[1:]) and (any(row.cells[1:]) or _labels_next(following)):
        return False
    first, second = before.cells[0][-1], row.cells[0][0]
    if any(_YEAR_ALONE.match(label.text.strip()) for label in (first, second)):
        return False  # a year heads rows by itself
    begins = second.text[:1].isupper() and not _UNFINISHED.search(first.text)
    if begins and any(before.cells[1:]) and _goes_on(row, following):
        return False  # it is the first line of the next label
    if begins and (second.text.rstrip().endswith(":") or _is_member(before, row, following)):
        return False
    words = second.text.split()
    close = row.top - before.bottom < _CLOSE * (row.bottom - row.top)
    if not close or not words or first.text.rstrip().endswith(":") or second.left < before.left - _TIGHT:
        return False
    width = (second.right - second.left) * (len(words[0]) + 1) / max(len(second.text), 1)
    return first.right + width > reach and first.right - first.left > _LONG_LABEL * (reach - before.left)


def _completes_label(before: GridRow, row: GridRow, middle: float, following: GridRow | None) -> bool:
    """Whether figures stand at the middle height of a label with its last line, which has none and is set off below."""
    if before.is_header or not any(before.cells[1:]) or any(row.cells[1:]) or not row.cells[0]:
        return False
    gap = row.top - before.bottom
    is_last = following is None or following.top - row.bottom > gap + _TIGHT
    is_close = gap < _CLOSE * (row.bottom - row.top)
    return is_last and is_close and abs((before.top + row.bottom) / 2 - middle) < _TIGHT


def _goes_on(row: GridRow, following: GridRow | None) -> bool:
    """Whether a label goes on in the row below, by its last word or by the first one there."""
    if following is None or following.is_header or not following.cells[0]:
        return False
    text = row.cells[0][-1].text.rstrip()
    return bool(_UNFINISHED.search(text) or text.endswith("/")) or following.cells[0][0].text[:1].islower()


def _labels_next(following: GridRow | None) -> bool:
    """Whether the next row has figures and no label: the one above is its label."""
    return following is not None and not following.cells[0] and any(following.cells[1:])


def _is_member(before: GridRow, row: GridRow, following: GridRow | None) -> bool:
    """Whether a row is the first of a group: indented under the label above, as is the row that follows it."""
    if following is None or row.left < before.left + _TIGHT or not any(row.cells[1:]):
        return False
    return abs(following.left - row.left) < _TIGHT and bool(following.cells[0]) and any(following.cells[1:])


def _continues_cells(before: GridRow, row: GridRow) -> bool:
    """Whether a row without label carries on the texts of the cells above it."""
    spans = [span for cells in row.cells for span in cells]
    close = row.top - before.bottom < _CLOSE * (row.bottom - row.top)
    above = all(before.cells[number] for number, cells in enumerate(row.cells) if cells)
    return close and above and not any(span.numeric for span in spans)


def _continues_label(before: GridRow, row: GridRow) -> bool:
    first, second = before.cells[0][-1], row.cells[0][0]
    text, following = first.text.rstrip(), second.text.strip()
    close = row.top - before.bottom < _CLOSE * (row.bottom - row.top)
    if not close or text.endswith(":") or not following:
        return False
    hangs = following[0].islower() or bool(_UNFINISHED.search(text))
    return hangs or (following[0] in "(&" and not following.endswith(":") and not any(row.cells[1:]))
