"""What heads the cells of a table: headers laid over the columns they span, labels over the rows of their group."""

import itertools
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from vectorless_web.engine.parsing.tables.cells import CellSpan
from vectorless_web.engine.parsing.tables.regions import PERIOD
from vectorless_web.engine.parsing.terms import any_of

Edge = tuple[float, float]

_UNCOVERED, _UNCOVERED_YEAR = 8.0, 12.0
"""Points of distance that a column without a header costs when headers are laid over columns; one with a year below
rather is under a header that says the rest of its date."""
_OFF_CENTRE, _SHARE_OFF_CENTRE = 8.0, 0.1
"""Points, and share of the columns' width, by which a header may stand beside the middle of the columns it spans."""
_LENIENT = 2.0
"""Times that distance for columns that have years below."""
_WIDE = 0.4
"""Share of the columns' width from which a header over the middle one of them spans them all."""
_BESIDE = 0.1
"""What a point of distance from the middle of a column costs a header that is over the column anyway."""
_REACHES = 6.0
"""What it costs at most to lay a header over two columns that it reaches into."""
_PAIR, _BESIDE_GROUP = 2, 4.0
"""Columns of a group that repeats, at least, and points by which its header may stand beside it."""
_SAME_PLACE = 3.0
"""Points within which the middles of two lines of a header are the same."""
_TINY = 1e-9
"""Costs that differ by less are equal; the first way found then wins."""
_YEAR, _NAME, _SHARE = "year", "name", "%"
"""Kinds of a column: one headed by a year, one by a name without a number, and one of percentages without a header."""
_YEAR_ALONE = re.compile(r"^(?:19|20)\d\d$")
_DAY = re.compile(r"^[A-Za-z]{3,9}\.? \d{1,2},$")
_MARK = re.compile(r"\s*\(\w{1,2}\)")
_NUMBERS = re.compile(r"\d+")
_YEAR_IN = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_DIVIDED = re.compile("[\ufffe\x02\xad]\\s?(?=[a-z])")
_RUNS_ON = re.compile(rf"(?:[&/,-]|\b{any_of('goes_on')})\s*$", re.I)
_HYPHEN = re.compile("[\ufffe\x02\xad]\\s?")


_LONGEST_KIND, _MOSTLY_LONGER = 40, 0.9
"""Characters of such a name, at most, and share of the texts below that are longer: of a list of subsidiaries half are
longer than the first one."""


def names_kinds(names: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names the kinds of the longer texts below it: "Mode | Description"."""
    if len(names) <= 1 or len(below) <= 1 or not all(0 < len(name) <= _LONGEST_KIND for name in names):
        return False
    if any(map(str.isdigit, "".join(names))) or any(name[-1] in ":.;," or name[0].islower() for name in names):
        return False
    told = [len(row[-1]) for row in below if row[-1]]
    return sum(length > len(names[-1]) for length in told) >= _MOSTLY_LONGER * len(told) > 0


@dataclass(slots=True)
class _Part:
    text: str
    over: tuple[int, int]


def header_text(text: str) -> str:
    """The words of a header cell, in one line; a divided word is joined again."""
    return " ".join(_HYPHEN.sub("-", _DIVIDED.sub("", text)).split())


def lay_levels(
    rows: Sequence[Sequence[CellSpan]], edges: Sequence[Edge], percents: Collection[int] = ()
) -> list[tuple[str, ...]]:
    """For each figure column the levels of its header, outermost first; `rows` from top to bottom.

    `percents` are the columns of percentages: a year may stand over an amount and its share.
    """
    if not edges:
        return []
    rows = [
        sorted(spans, key=lambda span: span.left) for spans in _join_lines(_complete_dates(rows, edges), len(edges))
    ]
    anchors, kinds = [*edges], [_SHARE if place in percents else "" for place in range(len(edges))]
    # The fullest row comes first: it has a header for most columns, so that the others find their stacks.
    fullest = max(range(len(rows)), key=lambda number: (len(rows[number]), number), default=0)
    laid: dict[int, list[_Part]] = {}
    for number in (*range(fullest, len(rows)), *range(fullest - 1, -1, -1)):
        spans = rows[number]
        if number > fullest and _NAME in kinds:
            found = _find_years(spans, laid[fullest], anchors) or [_columns_below(span, anchors) for span in spans]
        else:
            found = _find_runs(spans, laid.get(fullest, []), anchors, kinds, is_first=not number)
        laid[number] = [_Part(header_text(span.text), run) for span, run in zip(spans, found, strict=True)]
        for span, (first, last) in zip(spans, found, strict=True):
            if number <= fullest:
                kinds[first : last + 1] = [_tell_kind(kinds[k], span.text) for k in range(first, last + 1)]
            if first == last:
                anchors[first] = _widen(anchors, first, (span.left, span.right))
    parts = [part for number in range(len(rows)) for part in laid[number]]
    return [_stack(parts, column) for column in range(len(edges))]


def _find_runs(
    spans: Sequence[CellSpan], names: Sequence[_Part], anchors: Sequence[Edge], kinds: Sequence[str], *, is_first: bool
) -> list[tuple[int, int]]:
    """The columns (first, last) that each header of a line spans; `names`: the headers of the fullest line."""
    found = _find_groups(spans, names, anchors) if names and is_first else None
    found = found or (_find_years(spans, names, anchors) if names else None)
    size = _count_repeated(names, len(anchors)) if names else 1
    found = found or (_choose_runs(spans, anchors, kinds, size) if size > 1 else None)
    return found or _choose_runs(spans, anchors, kinds) or [(nearest_column(span, anchors),) * 2 for span in spans]


def _columns_below(span: CellSpan, anchors: Sequence[Edge]) -> tuple[int, int]:
    """The columns that a header below the fullest line is over: one, unless it reaches over several names."""
    over = [number for number, edge in enumerate(anchors) if span.left <= _middle(edge) <= span.right]
    middle = (span.left + span.right) / 2
    if not any(left <= middle <= right for left, right in anchors):
        over = [number for number, (left, right) in enumerate(anchors) if span.left < right and left < span.right]
    return (over[0], over[-1]) if len(over) > 1 else (nearest_column(span, anchors),) * 2


def _tell_kind(before: str, text: str) -> str:
    """What a column's own header is: "year", its words without their numbers ("level #"), or "name"."""
    if before == _YEAR or _YEAR_IN.search(text):
        return _YEAR
    return _NUMBERS.sub("#", text.casefold()) if _NUMBERS.search(text) and before in ("", _SHARE) else _NAME


def _complete_dates(rows: Sequence[Sequence[CellSpan]], edges: Sequence[Edge]) -> list[Sequence[CellSpan]]:
    """Join days to the years right below them ("May 31," over "2021") where other columns print dates in one line."""
    completed = [list(spans) for spans in _join_broken(_join_halves(rows), edges)]
    for above, below in itertools.pairwise(completed):
        if not any(PERIOD.match(span.text) and _YEAR_IN.search(span.text) for span in below):
            continue
        for day in [span for span in above if _DAY.match(header_text(span.text))]:
            place = next((k for k, span in enumerate(below) if _is_year_below(day, span)), -1)
            if place >= 0:
                below[place] = _join_spans(day, below[place])
                above.remove(day)
    return [spans for spans in completed if spans]


def _join_halves(rows: Sequence[Sequence[CellSpan]]) -> list[Sequence[CellSpan]]:
    """Join headers that continue right below in small letters, in the line that has more headers."""
    joined = [list(spans) for spans in rows]
    for above, below in itertools.pairwise(joined):
        if any(span.text[:1].islower() for span in below) and len(above) == len(below) and _stand_alike(above, below):
            below[:] = [_join_spans(first, second) for first, second in zip(above, below, strict=True)]
            above.clear()
        for second in [span for span in below if span.text[:1].islower()]:
            first = next((span for span in above if _goes_on(span, second, below)), None)
            if first is None:
                continue
            fuller, other, own, gone = (
                (above, below, first, second) if len(above) > len(below) else (below, above, second, first)
            )
            fuller[fuller.index(own)] = _join_spans(first, second)
            other.remove(gone)
    return [spans for spans in joined if spans]


def _join_broken(rows: Sequence[Sequence[CellSpan]], edges: Sequence[Edge]) -> list[Sequence[CellSpan]]:
    """Join headers that were broken over one line more than their neighbours because their column is narrow.

    "Other Postretirement Benefit" above "Pension Plans   Plans   Postemployment Plans": its columns are too narrow for
    the next word, and no other header shares them.
    """
    joined = [list(spans) for spans in rows]
    for above, below in itertools.pairwise(joined):
        if len(below) < _PAIR or len(above) >= len(below):
            continue
        for first in [span for span in above if not _YEAR_IN.search(span.text) and not PERIOD.match(span.text)]:
            place = next((k for k, second in enumerate(below) if _is_below(first, second)), -1)
            room = _find_room(below, place, edges) if place >= 0 else None
            if room is not None and _fills(first, below[place], room):
                below[place] = _join_spans(first, below[place])
                above.remove(first)
    return [spans for spans in joined if spans]


def _is_below(first: CellSpan, second: CellSpan) -> bool:
    centred = abs(first.left + first.right - second.left - second.right) < 2 * _SAME_PLACE
    return centred and not _YEAR_IN.search(second.text) and any(map(str.isalpha, second.text))


def _find_room(spans: Sequence[CellSpan], place: int, edges: Sequence[Edge]) -> Edge | None:
    """The extent of the columns that are nearer to this header than to its neighbours."""
    middles = [(span.left + span.right) / 2 for span in spans]
    own = [edge for edge in edges if min(middles, key=lambda middle: abs(middle - _middle(edge))) == middles[place]]
    return (own[0][0], own[-1][1]) if own else None


def _fills(first: CellSpan, second: CellSpan, room: Edge) -> bool:
    """Whether a line of a header is within its columns and leaves no room for the first word of the next line."""
    words = second.text.split()
    word = (second.right - second.left) * (len(words[0]) + 1) / max(len(second.text.strip()), 1)
    inside = room[0] - _SAME_PLACE < first.left and first.right < room[1] + _SAME_PLACE
    return inside and first.right - first.left + word > room[1] - room[0]


def _goes_on(first: CellSpan, second: CellSpan, below: Sequence[CellSpan]) -> bool:
    """Whether a header goes on with the one right above it, which is over no other."""
    over = [span for span in below if span.left < first.right and first.left < span.right]
    centred = abs(first.left + first.right - second.left - second.right) < 2 * _SAME_PLACE
    return over == [second] and (centred or abs(first.left - second.left) < _SAME_LEFT)


def _is_year_below(day: CellSpan, year: CellSpan) -> bool:
    return bool(_YEAR_ALONE.match(header_text(year.text))) and day.left < year.right and year.left < day.right


def _join_lines(rows: Sequence[Sequence[CellSpan]], columns: int) -> list[Sequence[CellSpan]]:
    """The rows above the lowest, those joined that have as many headers at the same places: lines of one header."""
    joined: list[Sequence[CellSpan]] = []
    for number, spans in enumerate(rows):
        before = joined[-1] if joined else ()
        if number + 1 < len(rows) and len(before) == len(spans) < columns and _stand_alike(before, spans):
            joined[-1] = [_join_spans(above, below) for above, below in zip(before, spans, strict=True)]
        else:
            joined.append(spans)
    return joined


def _stand_alike(above: Sequence[CellSpan], below: Sequence[CellSpan]) -> bool:
    """Whether two lines are parts of the same headers; a single header must also continue by its words."""
    if any(_YEAR_IN.search(span.text) and PERIOD.match(span.text) for span in above):
        return False  # whole dates go on in no other line
    if len(below) == 1 and not below[0].text[:1].islower() and not _RUNS_ON.search(above[0].text):
        return False
    return all(
        abs(one.left + one.right - other.left - other.right) < 2 * _SAME_PLACE
        or abs(one.left - other.left) < _SAME_LEFT
        for one, other in zip(above, below, strict=True)
    )


def _join_spans(above: CellSpan, below: CellSpan) -> CellSpan:
    text = _join(header_text(above.text), header_text(below.text))
    left, right = min(above.left, below.left), max(above.right, below.right)
    return CellSpan(above.page, above.start, above.end, left, right, False, text)


def _count_repeated(lowest: Sequence[_Part], columns: int) -> int:
    names = [part.text for part in lowest]
    if len(names) != columns or not all(_YEAR_IN.search(name) for name in names):
        return 1
    size = names.index(names[0], 1) if names[0] in names[1:] else columns
    return size if columns % size == 0 and size < columns and names == names[:size] * (columns // size) else 1


def _find_years(
    cells: Sequence[CellSpan], lowest: Sequence[_Part], anchors: Sequence[Edge]
) -> list[tuple[int, int]] | None:
    """The columns below each year of a line, where the names below the years repeat behind other columns.

    "Plan   2023   2022" over "Approved   Shares Price   Shares Price": each year heads a pair, wherever it is over
    it. None when they are others.
    """
    years = [cell for cell in cells if _YEAR_ALONE.match(_MARK.sub("", cell.text).strip())]
    others = cells[: len(cells) - len(years)]
    if len(years) < _PAIR or list(cells) != [*others, *years] or len(lowest) != len(anchors):
        return None
    for first in range(len(anchors) % len(years), len(anchors) // 2, len(years)):
        if any(cell.right > anchors[first][0] for cell in others):
            continue
        groups = _find_groups(years, lowest[first:], anchors[first:])
        if groups is not None and (others or not first):
            return [(nearest_column(cell, anchors[:first]),) * 2 for cell in others] + [
                (begin + first, end + first) for begin, end in groups
            ]
    return None


def _find_groups(
    cells: Sequence[CellSpan], lowest: Sequence[_Part], anchors: Sequence[Edge]
) -> list[tuple[int, int]] | None:
    """The groups of columns that headers stand over where the lowest row repeats its names; None when they are others.

    "2022   2021" over "Shares Amount Shares Amount" may be centred or set flush: each heads a pair.
    """
    size, rest = divmod(len(anchors), len(cells))
    names = [_MARK.sub("", part.text).strip() for part in lowest]
    if len({cell.text for cell in cells}) < len(cells):
        return None
    if rest or size < _PAIR or len(cells) < _PAIR or len(names) != len(anchors) or len(set(names[:size])) < size:
        return None
    if names != names[:size] * len(cells):
        return None
    groups = [(first, first + size - 1) for first in range(0, len(anchors), size)]
    inside = all(
        anchors[first][0] - _BESIDE_GROUP < cell.right and cell.left < anchors[last][1] + _BESIDE_GROUP
        for cell, (first, last) in zip(cells, groups, strict=True)
    )
    return groups if inside else None


def _stack(parts: Sequence[_Part], column: int) -> tuple[str, ...]:
    """The levels over a column; lines over the same columns are one level."""
    levels: list[_Part] = []
    for part in parts:
        if not part.over[0] <= column <= part.over[1] or not part.text:
            continue
        if levels and levels[-1].over == part.over:
            levels[-1] = _Part(_join(levels[-1].text, part.text), part.over)
        else:
            levels.append(_Part(part.text, part.over))
    return tuple(dict.fromkeys(level.text for level in levels))


def _join(above: str, below: str) -> str:
    return f"{above}{below}" if above.endswith("-") and below[:1].islower() else f"{above} {below}"


def _widen(anchors: Sequence[Edge], column: int, span: Edge) -> Edge:
    """A column's extent widened to its header, without touching the neighbouring columns."""
    left, right = min(anchors[column][0], span[0]), max(anchors[column][1], span[1])
    if column and left < anchors[column - 1][1]:
        left = anchors[column][0]
    if column + 1 < len(anchors) and right > anchors[column + 1][0]:
        right = anchors[column][1]
    return left, right


def _choose_runs(
    cells: Sequence[CellSpan], anchors: Sequence[Edge], kinds: Sequence[str], size: int = 1
) -> list[tuple[int, int]] | None:
    """For each header cell of a line the figure columns (first, last) it spans, in order and without overlaps.

    `kinds`: what heads each column below; what is above years or numbered names rather spans several than names
    one. `size`: columns come in groups of so many, which no header parts. None when no way was found.

    The nearest columns are chosen; a column left without a header costs as much as `_UNCOVERED` points of distance.
    """
    count, columns = len(cells), len(anchors)
    if count == columns:
        return [(k, k) for k in range(columns)]
    best: dict[tuple[int, int], tuple[float, list[tuple[int, int]]]] = {(0, 0): (0.0, [])}
    for cell in range(count + 1):
        for column in range(columns + 1):
            state = best.get((cell, column))
            if state is None:
                continue
            cost, chosen = state
            if column < columns:
                missed = _UNCOVERED_YEAR if kinds[column] == _YEAR else _UNCOVERED
                _keep_cheaper(best, (cell, column + 1), cost + missed, chosen)
            if cell == count:
                continue
            if column % size:
                continue
            for last in range(column + size - 1, columns, size):
                distance = _distance(cells[cell], anchors, (column, last), kinds)
                if distance is not None:
                    _keep_cheaper(best, (cell + 1, last + 1), cost + distance, [*chosen, (column, last)])
    found = best.get((count, columns))
    return found[1] if found else None


def _keep_cheaper(
    best: dict[tuple[int, int], tuple[float, list[tuple[int, int]]]],
    state: tuple[int, int],
    cost: float,
    chosen: list[tuple[int, int]],
) -> None:
    if state not in best or cost < best[state][0] - _TINY:
        best[state] = (cost, chosen)


def _distance(cell: CellSpan, anchors: Sequence[Edge], over: tuple[int, int], kinds: Sequence[str]) -> float | None:
    first, last = over
    middle = (cell.left + cell.right) / 2
    left, right = anchors[first][0], anchors[last][1]
    off_centre = min(abs(middle - (own[0] + own[1]) / 2) for own in ((left, right), _find_boxes(anchors, over)))
    if first == last:
        return max(left - middle, middle - right, 0.0) + _BESIDE * off_centre
    if cell.left <= _middle(anchors[first]) and cell.right >= _middle(anchors[last]):
        return _BESIDE * off_centre
    if last == first + 1 and cell.left < anchors[first][1] and cell.right > anchors[last][0]:
        return min(off_centre, _REACHES)
    own_kinds = set(kinds[first : last + 1])
    shares = list(kinds[first : last + 1]) == ["", _SHARE]
    if _YEAR_ALONE.match(_MARK.sub("", cell.text).strip()) and own_kinds & {"", _SHARE, _YEAR} and not shares:
        return None  # a year heads names, not other years or nothing
    below = next(
        (number for number in range(first, last + 1) if anchors[number][0] <= middle <= anchors[number][1]), -1
    )
    if below >= 0 and not kinds[below] and len(own_kinds) > 1 and kinds[first : last + 1].count("") == 1:
        return None  # it is the header that the column below it lacks
    is_dated = len(own_kinds) == 1 and not own_kinds & {"", _NAME}
    aside = any(own[0] <= middle <= own[1] for own in anchors[first : last + 1] if not _is_middle(own, left, right))
    lenient = _LENIENT if is_dated and not aside else 1.0
    if off_centre > max(_OFF_CENTRE, _SHARE_OFF_CENTRE * (right - left)) * lenient:
        return None
    inside = any(own[0] <= middle <= own[1] for own in anchors[first : last + 1])
    text = cell.text.strip()
    spanning = (
        is_dated
        or bool(PERIOD.match(text) or _YEAR_IN.search(text))
        or cell.right - cell.left >= _WIDE * (right - left)
    )
    if off_centre > 2 * _OFF_CENTRE:
        lenient = 1.0  # far beside the middle: some columns rather stand apart
    return off_centre / lenient if spanning or not inside else None


def _find_boxes(anchors: Sequence[Edge], over: tuple[int, int]) -> Edge:
    """The extent of columns of one width whose figures are set at their right edges, with the room left of the first.

    A header in the middle of such columns is left of the middle of their figures.
    """
    first, last = over
    ends = [right for _, right in anchors]
    steps = [after - before for before, after in itertools.pairwise(ends)]
    if first == last or max(steps) - min(steps) > _SAME_PLACE:
        return anchors[first][0], ends[last]
    return ends[first] - steps[0], ends[last]


def _is_middle(edge: Edge, left: float, right: float) -> bool:
    """Whether a column holds the middle of the columns from `left` to `right`."""
    return edge[0] <= (left + right) / 2 <= edge[1]


def _middle(edge: Edge) -> float:
    return (edge[0] + edge[1]) / 2


def nearest_column(cell: CellSpan, edges: Sequence[Edge]) -> int:
    """The column that a cell overlaps, else the one whose middle is nearest."""
    left, right = cell.left, cell.right
    over = [k for k, edge in enumerate(edges) if right > edge[0] and edge[1] > left and edge[1] > edge[0]]
    if len(over) == 1:
        return over[0]
    return min(over or range(len(edges)), key=lambda k: abs(left + right - edges[k][0] - edges[k][1]))


TOTAL = re.compile(rf"^{any_of('total')}\b", re.IGNORECASE)
_SAME_LEFT = 1.5
"""Points within which labels begin at the same place."""
_LABEL_WORDS = re.compile(rf"(?!total|{any_of('goes_on')}\b)[^\W\d_]{{3,}}")


@dataclass(slots=True)
class _Group:
    left: float
    label: str
    is_indented: bool = False


class RowPaths:
    """Which labels are above a row: labels without figures, by indent.

    A total closes its group, and so does a row that stands where the label does when the group's rows were indented.
    """

    def __init__(self) -> None:
        self._open: list[_Group] = []

    @property
    def depth(self) -> int:
        """How many groups are open."""
        return len(self._open)

    def enter(self, label: str, left: float, *, has_figures: bool) -> tuple[str, ...]:
        """The labels above a row; a row without figures opens a group of its own."""
        while self._open and label and left < self._open[-1].left - _SAME_LEFT:
            self._open.pop()
        while self._open and left <= self._open[-1].left + _SAME_LEFT and self._is_left(label, has_figures):
            self._open.pop()
        path = tuple(group.label for group in self._open if group.left <= left + _SAME_LEFT or not label)
        if self._open and label:
            self._open[-1].is_indented |= left > self._open[-1].left + _SAME_LEFT
        if not has_figures and label:
            self._open.append(_Group(left, label))
        elif has_figures and self._open and (not label or TOTAL.match(label)):
            self._close(label)
        return path

    def _is_left(self, label: str, has_figures: bool) -> bool:
        """Whether a row at the indent of the innermost group's label lies outside that group."""
        if not has_figures:
            return True
        group, words = self._open[-1], _label_words(label)
        is_total = TOTAL.match(label) and (not words or words & _label_words(group.label))
        return bool(label) and group.is_indented and not is_total

    def _close(self, label: str) -> None:
        """Close the group that a total ends: the group with the words of the total, else the innermost."""
        words = _label_words(label)
        named = [place for place, group in enumerate(self._open) if words & _label_words(group.label)]
        del self._open[named[-1] if named else len(self._open) - 1 :]


def _label_words(label: str) -> set[str]:
    return set(_LABEL_WORDS.findall(label.casefold()))
