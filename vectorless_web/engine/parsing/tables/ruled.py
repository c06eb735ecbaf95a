"""Finds tables whose cells are drawn: lines that cross make cells, and words belong to the cell around them."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from vectorless_web.engine.parsing.lines import Page
from vectorless_web.engine.parsing.tables.cells import CellSpan, is_number
from vectorless_web.engine.parsing.tables.grid import Grid, GridRow
from vectorless_web.engine.parsing.tables.regions import LineRole, LineRow, is_year
from vectorless_web.engine.parsing.tables.spans import MOST_HEADERS, SpanCell, SpanGrid, lay_out

_TOUCH = 3.0
"""Points within which ends of lines meet, and lines side by side are one: corners are seldom drawn exactly."""
_SHORTEST = 5.0
"""Points that a line of a table is long at least, its pieces joined; shorter ones are strokes of signs and icons."""
_COVERED = 0.6
"""Share of a cell's side that a line must cover to part it from its neighbour."""
_FEWEST = 2
"""Rows and columns of a table, at least."""
_LARGEST = 10_000
"""Places of a grid; one with more is squared paper."""
_FILLED, _UNLABELLED, _LABELLED = 0.1, 0.4, 0.5
"""Shares of a table's cells that hold words, where the share of rows with words in the first column is at least the
last and where it is not; charts have lines for their scales, and words beside them."""
_INSIDE = 2.0
"""Points by which words may stand over the outer lines of their table."""
_LONGEST = 700
"""Characters in the median of the cells above which lines part a page and no table."""
_ABOVE = 30.0
"""Points above the first line within which years head the bands below it."""
_HEAD = 18.0
"""Points above the first line within which a line of print may name the columns."""
_FEWEST_BANDS = 3
"""Rows that level lines alone part, at least: three lines are those of any table, above, below and under the header."""
_MOSTLY_BLANK, _NARROWEST, _MANY_LINES = 0.1, 5, 10
"""Share of the rows that may have words between two columns, as titles over all have; points between columns, half of
it among so many lines of print."""
_MARK = 2
"""Characters of a mark in a column at most: a tick, a cross, a letter."""
_UNPARTED = 0.15
"""Share of the lines of print with a figure beside something else in one cell, above which columns are not drawn."""
_INTO_WORD, _CROSSED = 0.2, 0.01
"""Share of a word's width from either end up to which a line may touch it, and share of the words that lines may run
through."""
_LONGEST_NAME = 100
"""Characters of a column's name; a longer cell is the rest of one that began on the page before."""


Rule = tuple[float, float, float]
"""Where a line is, where it begins and where it ends, along the other axis."""


@dataclass(slots=True)
class RuledTable:
    """A table of drawn cells: its grid, and the lines of print in it."""

    rows: list[LineRow]
    grid: Grid


@dataclass(frozen=True, slots=True)
class _Mesh:
    """Lines that cross: left edges and the last right one, tops and the last bottom; `owner[row, column]` = cell.

    `is_open`: level lines alone are drawn.
    """

    xs: list[float]
    ys: list[float]
    owner: NDArray[np.int64]
    is_open: bool = False

    def spans(self, cell: int) -> tuple[int, int, int, int]:
        """First row, last row, first column, last column of a cell."""
        rows, columns = np.nonzero(self.owner == cell)
        return int(rows.min()), int(rows.max()), int(columns.min()), int(columns.max())


@dataclass(slots=True)
class _CellText:
    spans: list[CellSpan] = field(default_factory=list)
    heights: list[float] = field(default_factory=list)
    bold: bool = True

    @property
    def text(self) -> str:
        """The words in one line."""
        return " ".join(" ".join(span.text.split()) for span in self.spans)


def find_ruled(page: Page, rows: Sequence[LineRow]) -> list[RuledTable]:
    """The tables of drawn cells among the printed lines of a page."""
    if len(page.rules) <= _FEWEST_BANDS:
        return []
    found: list[RuledTable] = []
    taken: set[int] = set()
    wide = page.rules[:, 2] - page.rules[:, 0]
    high = page.rules[:, 3] - page.rules[:, 1]
    level = _join_pieces(page.rules[wide >= high][:, [1, 3, 0, 2]])
    upright = _join_pieces(page.rules[high > wide][:, [0, 2, 1, 3]])
    for mesh in itertools.chain(_find_meshes(level, upright), _find_bands(page, level, rows)):
        left = [row for row in rows if row.number not in taken]
        inside = _lines_inside(mesh, left)
        head = _find_head(mesh, left) if inside and not mesh.is_open else []
        table = _fill(page, _add_band(mesh, head), [*head, *inside]) if head else None
        table = table or (_fill(page, mesh, inside) if inside else None)
        if table is not None:
            found.append(table)
            taken.update(row.number for row in table.rows)
    return found


def _find_bands(page: Page, level: Sequence[Rule], rows: Sequence[LineRow]) -> Iterator[_Mesh]:
    """Tables whose rows are parted by level lines alone, when at least one row has several printed lines.

    Columns are parted by what is blank in nearly all rows.
    """
    groups: dict[tuple[int, int], list[float]] = {}
    for at, begin, end in level:
        key = next((k for k in groups if abs(k[0] - begin) < _TOUCH / 2 and abs(k[1] - end) < _TOUCH / 2), None)
        groups.setdefault(key or (round(begin), round(end)), []).append(at)
    for (left, right), places in groups.items():
        if len(places) <= _FEWEST_BANDS:
            continue
        inside = [row for row in rows if left - _TOUCH < row.line.left < right]
        ys, bands = _divide(_part_first(sorted(places), inside), inside)
        if sum(own in ys[1:-1] for own in places) < 1:
            continue  # lines around all and none between the rows: a box, and others above or below it
        if any(sum(map(_is_whole_row, band)) > 1 for band in bands) or _are_dated_above(ys, inside, rows):
            continue  # several rows of figures or marks without lines between, or years above: the words tell better
        blanks = _find_blanks(page, bands, left, right)
        xs = [float(left), *blanks, float(right)]
        heights = [len({round(row.line.middle / _TOUCH) for row in band}) for band in bands]
        if len(xs) > _FEWEST and len(bands) >= _FEWEST_BANDS and all(heights) and max(heights) >= _FEWEST:
            owner = np.arange(len(bands) * (len(xs) - 1)).reshape(len(bands), len(xs) - 1)
            yield _Mesh(xs, ys, owner, is_open=True)


def _are_dated_above(ys: Sequence[float], inside: Sequence[LineRow], rows: Sequence[LineRow]) -> bool:
    """Whether a row of years, or names over years, is right above the bands, which would cut it off."""
    if not ys:
        return False
    own = {row.number for row in inside if row.line.middle > ys[0]}
    near = [row for row in rows if row.number not in own and 0 < ys[0] - row.line.middle < _ABOVE]
    if any(_names_years(row) for row in near):
        return True
    first = [row for row in inside if ys[0] < row.line.middle < ys[1]]
    left, right = (
        min((row.line.left for row in inside), default=0.0),
        max((row.line.right for row in inside), default=0.0),
    )
    return any(map(_names_years, first)) and any(
        row.role is LineRole.HEADER and left - _TOUCH < row.line.left and row.line.right < right + _TOUCH
        for row in near
    )


def _names_years(row: LineRow) -> bool:
    return sum(is_year(cell.text) for cell in row.cells) > 1


def _is_whole_row(row: LineRow) -> bool:
    """Whether a line of print is a row of its own: it has figures, or marks in several columns."""
    return row.role is LineRole.DATA or sum(len(cell.text.strip()) <= _MARK for cell in row.cells[1:]) > 1


def _part_first(ys: list[float], rows: Sequence[LineRow]) -> list[float]:
    """The heights that part bands, with one more where the style changes within the first band."""
    first = sorted((row for row in rows if ys[0] < row.line.middle < ys[1]), key=lambda row: row.line.middle)
    parts = [
        (above.line.middle + below.line.middle) / 2
        for above, below in itertools.pairwise(first)
        if below.line.middle - above.line.middle > _TOUCH
        and len(below.cells) + sum(abs(own.line.middle - below.line.middle) < _TOUCH for own in first) > _FEWEST
        and (above.line.style.weight, above.line.style.size) != (below.line.style.weight, below.line.style.size)
    ]
    return [ys[0], *parts, *ys[1:]]


def _find_head(mesh: _Mesh, rows: Sequence[LineRow]) -> list[LineRow]:
    """The bold line right above a mesh with one name over each column: a header with colour and no lines."""
    near = [
        row
        for row in rows
        if 0 < mesh.ys[0] - row.line.middle < _HEAD and row.line.right > mesh.xs[0] and row.line.left < mesh.xs[-1]
    ]
    cells = [cell for row in near for cell in row.cells]
    sides = [(mesh.xs[first], mesh.xs[last + 1]) for _, _, first, last in map(mesh.spans, dict.fromkeys(mesh.owner[0]))]
    if len(cells) != len(sides) or len(sides) <= _FEWEST or not all(row.line.style.bold for row in near):
        return []
    within = all(
        left - _INSIDE < cell.left and cell.right < right + _INSIDE and not cell.numeric
        for cell, (left, right) in zip(sorted(cells, key=lambda cell: cell.left), sides, strict=True)
    )
    return near if within else []


def _add_band(mesh: _Mesh, head: Sequence[LineRow]) -> _Mesh:
    own = {cell: int(mesh.owner.max()) + 1 + place for place, cell in enumerate(dict.fromkeys(mesh.owner[0].tolist()))}
    top = min(row.line.top for row in head)
    band = [own[cell] for cell in mesh.owner[0].tolist()]
    return _Mesh(mesh.xs, [min(top, mesh.ys[0] - 1), *mesh.ys], np.array([band, *mesh.owner.tolist()]))


def _part_header(mesh: _Mesh, inside: Sequence[LineRow]) -> _Mesh:
    """The mesh with its first band parted below a header in another style that has no line under it."""
    ys = _part_first(mesh.ys, inside)[:2]
    if ys[1] == mesh.ys[1]:
        return mesh
    if any(cell.text.rstrip().endswith(":") for row in inside if row.line.middle < ys[1] for cell in row.cells):
        return mesh  # names of what the same cells go on with
    sides: dict[bool, set[int]] = {True: set(), False: set()}
    for row in inside:
        if row.line.middle < mesh.ys[1]:
            places = np.searchsorted(mesh.xs, [(cell.left + cell.right) / 2 for cell in row.cells]) - 1
            sides[row.line.middle < ys[1]].update(mesh.owner[0, np.clip(places, 0, len(mesh.xs) - 2)].tolist())
    own = mesh.owner[0].tolist()
    if (
        len(set(own)) < _FEWEST
        or any(side != set(own) for side in sides.values())
        or set(own) & set(mesh.owner[1:].flat)
    ):
        return mesh
    header = [cell + int(mesh.owner.max()) + 1 for cell in own]
    return _Mesh(mesh.xs, [*ys, *mesh.ys[1:]], np.array([header, *mesh.owner.tolist()]))


def _divide(ys: list[float], rows: Sequence[LineRow]) -> tuple[list[float], list[list[LineRow]]]:
    bands: list[list[LineRow]] = [[] for _ in ys[1:]]
    for row in rows:
        if ys[0] < row.line.middle < ys[-1]:
            bands[int(np.searchsorted(ys, row.line.middle)) - 1].append(row)
    parted = [
        place
        for place, band in enumerate(bands)
        if band
        and max(cell.left for row in band for cell in row.cells) > min(cell.right for row in band for cell in row.cells)
    ]
    if not parted:
        return [], []
    return ys[parted[0] : parted[-1] + 2], bands[parted[0] : parted[-1] + 1]


def _find_blanks(page: Page, bands: Sequence[Sequence[LineRow]], left: int, right: int) -> list[float]:
    """Where columns end: the middles of stretches that are blank in nearly all bands, words on both sides.

    Among many lines of print a narrow stretch between words tells, else one that parts cells.
    """
    cells = [[(cell.left, cell.right) for row in band for cell in row.cells] for band in bands]
    found = _find_gaps(cells, left, right, _NARROWEST)
    if found or sum(map(len, bands)) < _MANY_LINES:
        return found
    words = [[page.boxes[k][[0, 2]].tolist() for row in band for k in range(*row.line.words)] for band in bands]
    return _find_gaps(words, left, right, _NARROWEST / 2)


def _find_gaps(bands: Sequence[Sequence[Sequence[float]]], left: int, right: int, narrowest: float) -> list[float]:
    covered = np.zeros(max(right - left, 1) + 1)
    for band in bands:
        own = np.zeros_like(covered, dtype=bool)
        for begin, end in band:
            own[max(int(begin) - left, 0) : max(int(end) + 1 - left, 0)] = True
        covered += own
    blank = np.flatnonzero(covered <= _MOSTLY_BLANK * len(bands))
    stretches = np.split(blank, np.flatnonzero(np.diff(blank) > 1) + 1)
    inner = [own for own in stretches if len(own) and own[0] > 0 and own[-1] < len(covered) - 1]
    return [float(left + (own[0] + own[-1]) / 2) for own in inner if len(own) >= narrowest]


def _find_meshes(level: Sequence[Rule], upright: Sequence[Rule]) -> Iterator[_Mesh]:
    if len(level) <= _FEWEST or not upright:
        return
    for across, down in sorted(_connect(level, upright), key=lambda lines: min(line[0] for line in lines[0])):
        mesh = _mesh_of(across, down)
        if mesh is not None:
            yield mesh


def _join_pieces(pieces: NDArray[np.float32]) -> list[Rule]:
    middles = (pieces[:, 0] + pieces[:, 1]) / 2
    order = np.lexsort((pieces[:, 2], middles))
    groups: list[list[Rule]] = []
    for number in order.tolist():
        piece = (float(middles[number]), float(pieces[number, 2]), float(pieces[number, 3]))
        if groups and piece[0] - groups[-1][0][0] < _TOUCH:
            groups[-1].append(piece)
        else:
            groups.append([piece])
    joined: list[Rule] = []
    for group in groups:
        at, begin, end = min(group, key=lambda piece: piece[1])
        for _, start, stop in sorted(group, key=lambda piece: piece[1]):
            if start > end + _TOUCH:
                joined.append((at, begin, end))
                begin, end = start, stop
            end = max(end, stop)
        joined.append((at, begin, end))
    return [line for line in joined if line[2] - line[1] >= _SHORTEST]


def _connect(level: Sequence[Rule], upright: Sequence[Rule]) -> list[tuple[list[Rule], list[Rule]]]:
    first, second = np.array(level), np.array(upright)
    crossing = (
        (second[None, :, 0] >= first[:, None, 1] - _TOUCH)
        & (second[None, :, 0] <= first[:, None, 2] + _TOUCH)
        & (first[:, None, 0] >= second[None, :, 1] - _TOUCH)
        & (first[:, None, 0] <= second[None, :, 2] + _TOUCH)
    )
    groups: list[tuple[list[Rule], list[Rule]]] = []
    left = np.ones(len(level), dtype=bool)
    while left.any():
        across = np.zeros(len(level), dtype=bool)
        across[int(np.argmax(left))] = True
        size = 0
        while across.sum() > size:
            size = int(across.sum())
            down = crossing[across].any(axis=0)
            across |= crossing[:, down].any(axis=1)
        left &= ~across
        if down.any():
            own = [level[k] for k in np.nonzero(across)[0].tolist()]
            groups.append((own, [upright[k] for k in np.nonzero(down)[0].tolist()]))
    return groups


def _mesh_of(across: Sequence[Rule], down: Sequence[Rule]) -> _Mesh | None:
    """The grid of lines that cross; None for one row or column, and where cells are no rectangles."""
    ys, xs = _places(across, down), _places(down, across)
    height, width = len(ys) - 1, len(xs) - 1
    if height < _FEWEST or width < _FEWEST or height * width > _LARGEST:
        return None
    owner = np.arange(height * width).reshape(height, width)
    for row in range(height):
        for column in range(width):
            cell = owner[row, column]
            beside = column + 1 < width and not _is_covered(down, xs[column + 1], ys[row], ys[row + 1])
            if beside:
                owner[owner == owner[row, column + 1]] = cell
            if row + 1 < height and not _is_covered(across, ys[row + 1], xs[column], xs[column + 1]):
                owner[owner == owner[row + 1, column]] = cell
    mesh = _Mesh(xs, ys, owner)
    for cell in np.unique(owner).tolist():
        top, bottom, first, last = mesh.spans(cell)
        if not (owner[top : bottom + 1, first : last + 1] == cell).all():
            return None
    return mesh


def _places(lines: Sequence[Rule], crossing: Sequence[Rule]) -> list[float]:
    """The places of lines, with the ends of crossing lines as places too where an outer side is not drawn."""
    ends = [min(line[1] for line in crossing), max(line[2] for line in crossing)]
    places: list[float] = []
    for place in sorted([*(line[0] for line in lines), *ends]):
        if not places or place - places[-1] >= 2 * _TOUCH:
            places.append(place)
    return places


def _is_covered(lines: Sequence[Rule], place: float, begin: float, end: float) -> bool:
    shared = sum(
        max(0.0, min(stop, end) - max(start, begin)) for at, start, stop in lines if abs(at - place) < 2 * _TOUCH
    )
    return shared >= _COVERED * (end - begin)


def _lines_inside(mesh: _Mesh, rows: Sequence[LineRow]) -> list[LineRow]:
    inside: list[LineRow] = []
    for row in rows:
        line = row.line
        if not mesh.ys[0] < line.middle < mesh.ys[-1] or line.right <= mesh.xs[0] or line.left >= mesh.xs[-1]:
            continue
        if line.left < mesh.xs[0] - _INSIDE or line.right > mesh.xs[-1] + _INSIDE:
            return []
        inside.append(row)
    return inside


def _fill(page: Page, mesh: _Mesh, inside: list[LineRow]) -> RuledTable | None:
    if _cross_words(page, mesh, inside):
        return None
    mesh = mesh if mesh.is_open else _part_header(mesh, inside)
    cells = _fill_cells(page, mesh, inside)
    parted = _part_bands(mesh, cells)
    if parted is not mesh and mesh.is_open:
        return None  # columns that are not drawn, and rows that are not: the words tell better
    if parted is not mesh:
        mesh, cells = parted, _fill_cells(page, parted, inside)
    filled = {cell: own for cell, own in cells.items() if own.spans}
    labelled = [cell in filled for cell in mesh.owner[:, 0].tolist()]
    least = _FILLED if sum(labelled) >= _LABELLED * len(labelled) else _UNLABELLED
    if len(filled) < max(least * len(cells), _FEWEST + 1):
        return None
    if _holds_table(mesh, filled, inside) or (mesh.is_open and _begins_with_marks(mesh, filled)):
        return None
    lengths = sorted(len(own.text) for own in filled.values())
    places = [mesh.spans(cell) for cell in filled]
    if lengths[len(lengths) // 2] > _LONGEST or min(len({own[k] for own in places}) for k in (0, 2)) < _FEWEST:
        return None
    grid = _grid_of(mesh, cells, inside[0].line.page)
    return RuledTable(inside, grid) if grid is not None else None


def _begins_with_marks(mesh: _Mesh, cells: dict[int, _CellText]) -> bool:
    """Whether the first column holds letters and signs alone: icons beside words."""
    first = [cells[cell].text for cell in mesh.owner[:, 0].tolist() if cell in cells]
    return all(len(text) <= 1 for text in first)


def _fill_cells(page: Page, mesh: _Mesh, inside: Sequence[LineRow]) -> dict[int, _CellText]:
    cells: dict[int, _CellText] = {int(cell): _CellText() for cell in np.unique(mesh.owner)}
    for row in inside:
        for cell, span in _part_line(page, mesh, row):
            cells[cell].spans.append(span)
            cells[cell].heights.append(row.line.middle)
            cells[cell].bold &= row.line.style.bold
    return cells


def _part_bands(mesh: _Mesh, cells: dict[int, _CellText]) -> _Mesh:
    """The mesh, with each band parted that holds several rows: figures of two cells at the same heights."""
    ys, owners, free = [mesh.ys[0]], [], int(mesh.owner.max()) + 1
    for band, own in enumerate(mesh.owner.tolist()):
        alone = [cell for cell in dict.fromkeys(own) if (mesh.owner == cell).any(axis=1).sum() == 1]
        middles = _find_steps([cells[cell] for cell in alone])
        several = {cell for cell in alone if len(cells[cell].spans) > 1}
        printed = sorted(height for cell in alone for height in cells[cell].heights)
        hangs = bool(middles) and printed[0] > middles[0] - _TOUCH  # further lines of a cell stand below its figure
        for above, below in itertools.pairwise(middles):
            last = max(height for height in printed if height < below - _TOUCH) if hangs else above
            ys.append((last + below) / 2)
        ys.append(mesh.ys[band + 1])
        owners.append(own)
        for _ in middles[1:]:
            renamed = {cell: free + k for k, cell in enumerate(sorted(several))}
            free += len(renamed)
            owners.append([renamed.get(cell, cell) for cell in own])
    return _Mesh(mesh.xs, ys, np.array(owners)) if len(ys) > len(mesh.ys) else mesh


def _find_steps(cells: Sequence[_CellText]) -> list[float]:
    """Heights of the rows in a band, where two cells have lines at the same heights and one holds figures alone."""
    for own in cells:
        if len(own.spans) < _FEWEST or not all(span.numeric for span in own.spans):
            continue
        for other in cells:
            alike = other is not own and len(other.heights) == len(own.heights)
            if alike and all(abs(a - b) < _TOUCH for a, b in zip(own.heights, other.heights, strict=True)):
                # Figures that stand on one line are no rows below each other.
                apart = all(above < below - _TOUCH for above, below in itertools.pairwise(own.heights))
                return own.heights if apart else []
    return []


def _part_line(page: Page, mesh: _Mesh, row: LineRow) -> Iterator[tuple[int, CellSpan]]:
    first, last = row.line.words
    boxes, spans = page.boxes[first:last], page.spans[first:last].tolist()
    columns = np.clip(np.searchsorted(mesh.xs, (boxes[:, 0] + boxes[:, 2]) / 2) - 1, 0, len(mesh.xs) - 2)
    levels = np.clip(np.searchsorted(mesh.ys, (boxes[:, 1] + boxes[:, 3]) / 2) - 1, 0, len(mesh.ys) - 2)
    owners = mesh.owner[levels, columns].tolist()
    begun = 0
    for k in range(1, len(owners) + 1):
        if k == len(owners) or owners[k] != owners[begun]:
            start, end = spans[begun][0], spans[k - 1][1]
            text, own = page.text[start:end], boxes[begun:k]
            yield (
                owners[begun],
                CellSpan(page.index, start, end, float(own[:, 0].min()), float(own[:, 2].max()), is_number(text), text),
            )
            begun = k


def _holds_table(mesh: _Mesh, cells: dict[int, _CellText], inside: Sequence[LineRow]) -> bool:
    """Whether some cells hold whole rows or columns: then lines frame groups and not cells."""
    if sum(sum(span.numeric for span in own.spans) > 1 for own in cells.values()) > 1:
        return True
    return _hold_columns(mesh, inside)


def _hold_columns(mesh: _Mesh, inside: Sequence[LineRow]) -> bool:
    """Whether too many lines have text and, behind a wide gap, a figure in the same cell."""
    beside = 0
    for row in inside:
        level = min(max(int(np.searchsorted(mesh.ys, row.line.middle)) - 1, 0), len(mesh.ys) - 2)
        columns = np.searchsorted(mesh.xs, [(cell.left + cell.right) / 2 for cell in row.cells]) - 1
        owners = mesh.owner[level, np.clip(columns, 0, len(mesh.xs) - 2)].tolist()
        beside += any(
            cell.numeric and owner in owners[:place] and any(map(str.isalnum, cell.text))
            for place, (owner, cell) in enumerate(zip(owners, row.cells, strict=True))
        )
    return beside > _UNPARTED * len(inside)


def _cross_words(page: Page, mesh: _Mesh, inside: Sequence[LineRow]) -> bool:
    """Whether drawn lines run through words: then they are no borders of cells."""
    words = np.concatenate([np.arange(*row.line.words) for row in inside])
    boxes = page.boxes[words]
    edge = (boxes[:, 2] - boxes[:, 0]) * _INTO_WORD
    columns, levels = (
        np.clip(np.searchsorted(places, sides) - 1, 0, len(places) - 2)
        for places, sides in (
            (mesh.xs, np.stack([boxes[:, 0] + edge, boxes[:, 2] - edge])),
            (mesh.ys, (boxes[:, 1] + boxes[:, 3]) / 2),
        )
    )
    crossed = int((mesh.owner[levels, columns[0]] != mesh.owner[levels, columns[1]]).sum())
    return crossed > max(1, _CROSSED * len(words))


def _grid_of(mesh: _Mesh, cells: dict[int, _CellText], page: int) -> Grid | None:
    """The grid with headers and row paths as the cells' own spans tell them."""
    height, width = mesh.owner.shape
    placed = [_row_of(mesh, cells, row) for row in range(height)]
    titles = 0
    while titles < height - 1 and len(placed[titles]) == 1 and placed[titles][0][1].across == width:
        titles += 1
    rows = [[cell for _, cell in row] for row in placed[titles:]]
    blank = not any(cell.text for row in rows[1:] for cell in row[1:])  # colours stand in a plan of dates
    laid = lay_out(rows, headers=int(blank), most_headers=_count_likely_headers(rows, width))
    if laid is None or not any(len(row) > 1 for row in laid.shown):
        return None
    if blank:
        laid = replace(laid, paths=((),) * len(laid.paths))  # rows without words of their own head no others
    columns = len(laid.shown[0])
    grid = Grid(columns=laid.columns)
    for number in range(height):
        top, bottom = mesh.ys[number], mesh.ys[number + 1]
        if number < titles:
            spans = cells[placed[number][0][0]].spans
            own = [spans, *([] for _ in range(columns - 1))]
            grid.rows.append(GridRow(own, page, top, bottom, mesh.xs[0], is_header=True, label="", path=()))
            continue
        place = number - titles
        grid.rows.append(_grid_row(laid, place, [cells[cell].spans for cell, _ in placed[number]], (top, bottom), page))
    grid.rows = [row for row in grid.rows if any(row.cells)]
    grid.edges = list(itertools.pairwise(mesh.xs[1:]))[: columns - 1]
    return grid


def _count_likely_headers(rows: Sequence[Sequence[SpanCell]], width: int) -> int:
    """Header rows there may be: none over sentences or a lone cell, one where each column has a name of its own."""
    filled = [cell for cell in rows[0] if cell.text]
    long = sum(len(cell.text) > _LONGEST_NAME for cell in filled)
    if long > 1 or (long and len(filled) < max(width, _FEWEST + 1)):
        return 0
    beside = len(filled) == 1 and filled[0].across == 1 and filled[0] is not rows[0][0]
    if beside and (width > _FEWEST or filled[0].text[:1].islower()):
        return 0  # the rest of a cell that began on the page before
    alone = len(filled) == width and all(cell.down == 1 for cell in filled)
    return 1 if alone else MOST_HEADERS


def _row_of(mesh: _Mesh, cells: dict[int, _CellText], row: int) -> list[tuple[int, SpanCell]]:
    begun: list[tuple[int, SpanCell]] = []
    for cell in dict.fromkeys(mesh.owner[row].tolist()):
        top, bottom, first, last = mesh.spans(cell)
        if top == row:
            own = cells[cell]
            strong = bool(own.spans) and own.bold
            begun.append((cell, SpanCell(own.text, last - first + 1, bottom - top + 1, strong=strong)))
    return begun


def _grid_row(
    laid: SpanGrid, number: int, spans: Sequence[Sequence[CellSpan]], extent: tuple[float, float], page: int
) -> GridRow:
    waiting = [own for own in spans if own]
    placed: list[list[CellSpan]] = []
    for text in laid.shown[number]:
        own: list[CellSpan] = []
        letters = "".join(text.split())
        while waiting and sum(len("".join(span.text.split())) for span in own) < len(letters):
            own.extend(waiting.pop(0))
        placed.append(own)
    placed[-1].extend(span for own in waiting for span in own)
    label, path = _name_row(laid, number)
    left = placed[0][0].left if placed[0] else 0.0
    return GridRow(placed, page, *extent, left, number < laid.headers, label=label, path=path)


def _name_row(laid: SpanGrid, number: int) -> tuple[str, tuple[str, ...]]:
    """The label of a row and what it is under; a label beside several rows heads the words in the next column."""
    label, path = laid.filled[number][0], laid.paths[number]
    several = any(
        laid.filled[beside][0] == label and not laid.shown[max(number, beside)][0]
        for beside in (number - 1, number + 1)
        if laid.headers <= beside < len(laid.filled)
    )
    own = laid.shown[number][1]
    if number < laid.headers or not label or not several or not own or is_number(own):
        return label, path
    return own, (*path, label)
