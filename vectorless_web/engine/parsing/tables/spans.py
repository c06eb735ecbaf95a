"""Lays out table cells that span columns or rows as a grid, and finds the header of each column."""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vectorless_web.engine.parsing.tables.cells import is_number
from vectorless_web.engine.parsing.tables.headers import RowPaths, names_kinds
from vectorless_web.engine.parsing.terms import any_of

Texts = list[list[str]]

MOST_ACROSS, MOST_DOWN = 64, 1_000
"""Columns and rows that one cell may be said to span; more is a mistake of the file. Browsers allow 1,000 columns and
65,534 rows; a table of 64 columns is the widest that can be read."""
MOST_CELLS = 1_000_000
"""A grid with more places is no table that anybody reads; its rows are kept as lines."""
MOST_HEADERS = 4
"""Rows at the top of a table that may be its header."""
_FEWEST_NAMES = 2
"""Columns that a row under wider headers names at least."""
_LOOKED_AT, _LONGEST_NAME = 12, 60
"""Rows by which the kind of a column is told, and characters of a column's name at most."""
_LONG_NAME = 150
"""Characters of the one longer name that may stand among the names of columns."""
_MIXED = 1.5
"""What a header costs, in columns beside its place, that reaches over columns of periods and others."""
_MIDDLE, _MISSED_PERIOD, _MISSED_WORDS = 0.25, 2.0, 0.2
"""The same for standing over the middle of its columns, and for a column left without a header: one of a period, one of
words."""
_PAIR = 2
"""Columns of a sheet of particulars: names and values."""
_CHANGES = 0.1
"""The same for a header of changes that holds all columns behind those of periods."""
_DEEPER, _INNERMOST = 4.0, 1e6
"""Indents, in points, of a group within a group and of a row within all of them."""
_SCALE = re.compile(rf"^(?:in )?(?:{any_of('currency')})?\s?(?:in )?(?:{any_of('scale')}|['’]000s?|m|bn)\b", re.I)
_FIGURES_IN = re.compile(rf"^(?:all )?{any_of('amounts')} (?:are )?(?:stated )?in\b", re.I)
_YEAR = re.compile(r"^(?:(?:FY\s?)?(?:19|20)\d\d|FY?\s?['’]?\d\d)\s*(?:\*+|\(\w{1,2}\))*$")
_CHANGE = re.compile(rf"\b{any_of('change')}\b", re.I)
"""Names of columns that compare periods and belong to none of them."""
_COMPARES = re.compile(rf"\b(?:19|20)\d\d\s?{any_of('comparison')}\s(?:FY\s?)?(?:19|20)\d\d\b", re.I)
_DAY_TAIL = re.compile(r"^\d{1,2},$")
_SPACED_YEAR = re.compile(r"^(?:\d ){3}\d$")
_QUALIFIER = re.compile(
    r"^\(?(?:(?:in )?(?:U\.?S\.? ?|A|C|S|NT|HK)?[$€£¥₹]\s?(?:in )?"
    rf"{any_of('scale', 'scale_sign')}?|%|(?:in )?{any_of('scale')}|{any_of('currency', 'audit')})\)?$",
    re.I,
)
_CURRENCIES = frozenset("$€£¥₹")
_ENDINGS = frozenset((")", "%", ")%", "x"))


@dataclass(frozen=True, slots=True)
class SpanCell:
    """A cell as the file gives it: its text, the columns and rows it spans; `above`: it continues the cell over it.

    `strong`: all of its text is bold, or the file calls it a header.
    """

    text: str
    across: int = 1
    down: int = 1
    above: bool = False
    strong: bool = False


@dataclass(frozen=True, slots=True)
class SpanGrid:
    """`shown`: each text once, where its cell begins. `filled`: spanning texts at every place they reach.

    `headers` counts the leading header rows; `columns` are the headers of the columns, each with its levels top down;
    `paths` are the labels that each row is under, outermost first.
    """

    shown: Texts
    filled: Texts
    headers: int
    columns: tuple[tuple[str, ...], ...]
    paths: tuple[tuple[str, ...], ...]


def lay_out(
    rows: Sequence[Sequence[SpanCell]], *, headers: int = 0, most_headers: int = MOST_HEADERS
) -> SpanGrid | None:
    """The grid of a table; `headers` = leading rows marked as headers, 0 to judge by what they hold.

    `most_headers`: rows that may be headers where none is marked.
    None when it would have more than MOST_CELLS places.
    """
    width = max((sum(min(cell.across, MOST_ACROSS) for cell in row) for row in rows), default=0)
    if width * len(rows) > MOST_CELLS:
        return None
    shown, filled = _place_cells(rows)
    _join_marks(shown)
    counted = _count_headers(shown, rows, headers)
    headers = min(counted if headers else min(counted, most_headers), max(len(shown) - 1, 0))
    _choose_headers(shown, filled, headers)
    kept = [column for column in range(len(shown[0]) if shown else 0) if any(row[column] for row in shown)]
    shown, filled = _only(shown, kept), _only(filled, kept)
    spanned = any(cell.across > 1 for row in rows[:headers] for cell in row)
    fullest = max(filled[:headers], key=lambda row: sum(map(bool, row)), default=[])
    heads = filled[:headers]
    if not spanned:
        names = _spread_comparisons(fullest, shown[headers:])
        heads = [names if row is fullest else _spread(_without_tails(row), names) for row in heads]
    heads = [[text.replace(" ", "") if _SPACED_YEAR.match(text) else text for text in row] for row in heads]
    columns = tuple(_levels([row[place] for row in heads]) for place in range(len(kept)))
    return SpanGrid(shown, filled, headers, columns, tuple(row_paths(shown, headers)))


def _place_cells(rows: Sequence[Sequence[SpanCell]]) -> tuple[Texts, Texts]:
    shown: Texts = []
    filled: Texts = []
    hanging: dict[int, tuple[int, str]] = {}
    for row in rows:
        own, full, hanging = _place_row(row, hanging, filled[-1] if filled else [])
        shown.append(own)
        filled.append(full)
    width = max(map(len, shown), default=0)
    for texts in (*shown, *filled):
        texts.extend([""] * (width - len(texts)))
    return shown, filled


def _place_row(
    row: Sequence[SpanCell], hanging: dict[int, tuple[int, str]], over: Sequence[str]
) -> tuple[list[str], list[str], dict[int, tuple[int, str]]]:
    own: list[str] = []
    full: list[str] = []
    below: dict[int, tuple[int, str]] = {}
    waiting = deque(row)
    last = max(hanging, default=-1)
    while waiting or last >= len(own):
        if len(own) in hanging or not waiting:
            left, text = hanging.get(len(own), (0, ""))
            if left > 1:
                below[len(own)] = (left - 1, text)
            own.append("")
            full.append(text)
            continue
        cell = waiting.popleft()
        for number in range(max(1, min(cell.across, MOST_ACROSS))):
            said = over[len(own)] if cell.above and len(own) < len(over) else cell.text
            if cell.down > 1 and len(own) < MOST_ACROSS:  # or spans would push each other ever further right
                below[len(own)] = (min(cell.down, MOST_DOWN) - 1, said)
            own.append(cell.text if number == 0 else "")
            full.append(said)
    return own, full, below


def _join_marks(shown: Texts) -> None:
    """Put a currency sign or a closing bracket that has a cell of its own into the cell of its figure."""
    for row in shown:
        for place in range(len(row) - 1):
            if row[place] in _CURRENCIES and is_number(row[place + 1]):
                row[place], row[place + 1] = "", row[place] + row[place + 1]
            elif row[place + 1] in _ENDINGS and is_number(row[place]):
                row[place], row[place + 1] = row[place] + row[place + 1], ""


def _count_headers(shown: Texts, rows: Sequence[Sequence[SpanCell]], marked: int) -> int:
    """How many leading rows head the columns: those the file marks, or those that read so; and units or periods below.

    A first row that may as well be data is kept as data.
    """
    count = marked or guess_headers(shown) or int(_is_set_off(rows))
    while 0 < count < min(len(shown) - 1, MOST_HEADERS) and (
        _qualifies(shown[count], shown[count - 1])
        or _names_all(shown[count], shown[:count], shown[count + 1 : count + 4])
    ):
        count += 1
    while count > 1 and _is_group_label(shown[count - 1]):
        count -= 1
    return count


def _is_group_label(row: Sequence[str]) -> bool:
    """Whether a row below the header says one thing that ends in a colon: it heads the rows that follow."""
    said = [text for text in row if text]
    return len(said) == 1 and said[0].endswith(":")


def _names_all(row: Sequence[str], above: Texts, below: Texts) -> bool:
    """Whether a row under headers names the columns left, its own first included, and figures stand below.

    "Obligations | Total | Less than 1 year" under "Payments due by period".
    """
    said = [text for text in row[1:] if text]
    named = all(own or any(heads) for own, *heads in zip(row, *above, strict=True))
    if not row[0] or len(said) < _FEWEST_NAMES or not _names_columns(row) or not named:
        return False
    wider = not any(head[0] for head in above)
    figures = sum(_starts_as_figure(text) for other in below for text in other[1:] if text)
    return wider and 2 * figures > sum(bool(text) for other in below for text in other[1:])


def guess_headers(shown: Sequence[Sequence[str]]) -> int:
    """How many of the first rows, unmarked in the file, hold no figures but years and head columns."""
    count = 0
    for row in shown[:MOST_HEADERS]:
        if (row[0] and not _is_note_on_units(row[0])) or not _names_columns(row):
            break
        if count and not row[0] and sum(map(bool, row)) == 1 and _is_title(row):
            break
        count += 1
    if count:
        return count
    return int(len(shown) > 1 and _names_columns(shown[0]) and _differs_below(shown))


def _is_note_on_units(label: str) -> bool:
    return (label[0] in "([" and label[-1] in ")]") or bool(_SCALE.match(label) or _FIGURES_IN.match(label))


def _differs_below(shown: Sequence[Sequence[str]]) -> bool:
    """Whether the first row reads as names of columns: words over figures, or three short names over words."""
    first = shown[0]
    long = [text for text in first if len(text) > _LONGEST_NAME]
    if first[0].rstrip().endswith(":") or len(long) > 1 or any(not _is_long_name(text) for text in long):
        return False
    for place in range(1, len(first)):
        below = [row[place] for row in shown[1 : _LOOKED_AT + 1] if place < len(row) and row[place]]
        # A sheet of two columns ("Weight | 4.5 kg") states quantities without any header.
        figures = sum(is_number(text) if len(first) == 2 else _starts_as_figure(text) for text in below)
        if first[place] and below and 2 * figures > len(below):
            return not _starts_as_figure(first[place]) or _is_year(first[place])
    filled = [text for text in first if text]
    names = len(set(filled))
    if len(filled) < len(first) or (names < len(filled) and (names < _FEWEST_NAMES or not _repeats(filled, names))):
        return False
    if len(first) == 2:
        return names_kinds(first, shown[1 : _LOOKED_AT + 1])
    return len(first) > 2 and not any(_starts_as_figure(text) for text in first)


def _repeats(names: Sequence[str], size: int) -> bool:
    return len(names) % size == 0 and list(names) == list(names[:size]) * (len(names) // size)


def _is_long_name(text: str) -> bool:
    """Whether a longer text can still name a column: it is no sentence and has fewer than _LONG_NAME characters."""
    return len(text) <= _LONG_NAME and not text.rstrip().endswith((".", ";"))


def _starts_as_figure(text: str) -> bool:
    return is_number(text) or text[:1].isdigit() or (text[:1] in _CURRENCIES and text[1:2].strip(" ").isdigit())


def _is_set_off(rows: Sequence[Sequence[SpanCell]]) -> bool:
    first, second = ([[cell for cell in row if cell.text] for row in rows[:2]] + [[], []])[:2]
    again = first and any(row and row[0].text == first[0].text for row in rows[2:])
    return (
        len(first) > 1
        and not (len(first) == _PAIR and again)  # the first of several sheets of particulars
        and all(cell.strong for cell in first)
        and bool(second)
        and not all(cell.strong for cell in second)
        and not (len(first) == 2 and second[0].strong)
    )


def _qualifies(row: Sequence[str], above: Sequence[str]) -> bool:
    """Whether a row below the header says more on the columns: years, dates or units, and no label of its own."""
    said = [text for text in row[1:] if text]
    dated = bool(said) and all(_is_year(text) for text in said)
    if row[0] and not _is_note_on_units(row[0]) and not (dated and row[0].endswith(":")):
        return False
    if not said:
        return bool(row[0])
    if all(_is_year(text) or bool(_QUALIFIER.match(text)) for text in said):
        return True
    if any(is_number(text) for text in said):
        return False
    if len(said) == 1 and said[0].endswith(":"):
        return False  # a label over the rows below, set in the next column
    # Words without a label right below the header go on with it, and so do those beside a note on units.
    return not row[0] or len(said) == len(row) - 1


def _spread(row: Sequence[str], names: Sequence[str]) -> list[str]:
    """A header row without marked spans: each header reaches over the blanks beside it that have headers below.

    A file that lost its spans shows a header over the first or the middle one of its columns.
    """
    places = [place for place, text in enumerate(row) if place and text]
    if row is names or not places or len(places) >= len(row) - 1 or not names:
        return list(row)
    kinds = [_kind_of(text) for text in names]
    if len(places) == 1 and _kind_of(row[places[0]]) == "period" and set(kinds[1:]) <= {"word", "change", ""}:
        return [row[0], *([row[places[0]]] * (len(row) - 1))]  # the one date of all columns
    groups = _divide(places, kinds, [_kind_of(row[place]) for place in places])
    spread = list(row)
    for place, (first, last) in zip(places, groups, strict=True):
        spread[first : last + 1] = [row[place]] * (last + 1 - first)
    return spread


def _without_tails(row: Sequence[str]) -> list[str]:
    """A header row without cells that repeat the day at the end of the one before: "Years ended May 31," and "31,"."""
    kept = list(row)
    for place in range(len(kept) - 1, 0, -1):
        if _DAY_TAIL.match(kept[place]) and kept[place - 1].endswith(f" {kept[place]}"):
            kept[place] = ""
    return kept


def _spread_comparisons(names: Sequence[str], below: Texts) -> list[str]:
    """The names of columns, a comparison of periods ("2019 over 2018") also over the nameless figures behind it.

    A change has two columns there, in amounts and in percent.
    """
    spread = list(names)
    for place in range(2, len(spread)):
        filled = any(row[place] for row in below)
        if (
            not spread[place]
            and filled
            and spread[place - 1] == names[place - 1]
            and _COMPARES.search(names[place - 1])
        ):
            spread[place] = names[place - 1]
    return spread


def _kind_of(header: str) -> str:
    if not header:
        return ""
    if _CHANGE.search(header) or _COMPARES.search(header):
        return "change"
    return "period" if _is_year(header) or any(_is_year(word.strip(",()")) for word in header.split()) else "word"


def _divide(places: Sequence[int], kinds: Sequence[str], own: Sequence[str]) -> list[tuple[int, int]]:
    """Columns (first, last) for each header at a place.

    Each should begin at its header, or have it in its middle, and hold columns of one kind. A column may be left
    without one, though not gladly where it holds a period.
    """
    width = len(kinds)
    missed = [0.0, *(_MISSED_PERIOD if kind == "period" else _MISSED_WORDS for kind in kinds[1:])]
    best: dict[tuple[int, int], tuple[float, list[tuple[int, int]]]] = {(0, 1): (0.0, [])}
    for number in range(len(places) + 1):
        for first in range(1, width + 1):
            state = best.get((number, first))
            if state is None or first == width:
                continue
            if number == len(places) or first < places[number]:
                _keep(best, (number, first + 1), state[0] + missed[first], state[1])
            if number < len(places) and first <= places[number]:
                limit = places[number + 1] if number + 1 < len(places) else width
                for last in range(places[number], limit):
                    cost = state[0] + _measure_misplacement(places[number], first, last, kinds)
                    if own[number] == "change" and _follows_periods(first, last, kinds):
                        cost = min(cost, state[0] + _CHANGES)
                    _keep(best, (number + 1, last + 1), cost, [*state[1], (first, last)])
    found = best.get((len(places), width))
    return found[1] if found else [(place, place) for place in places]


def _follows_periods(first: int, last: int, kinds: Sequence[str]) -> bool:
    """Whether the columns of words are exactly those behind the columns of periods, as those of changes are."""
    between = kinds[first - 1] == "period" and last + 1 == len(kinds)
    return between and set(kinds[first : last + 1]) <= {"word", "change"}


def _keep(
    best: dict[tuple[int, int], tuple[float, list[tuple[int, int]]]],
    key: tuple[int, int],
    cost: float,
    chosen: list[tuple[int, int]],
) -> None:
    if key not in best or cost < best[key][0]:
        best[key] = (cost, chosen)


def _measure_misplacement(place: int, first: int, last: int, kinds: Sequence[str]) -> float:
    said = {kinds[own] for own in range(first, last + 1)} - {""}
    off = min(abs(place - (first + last) // 2), abs(place - (first + last + 1) // 2)) + _MIDDLE
    return min(float(place - first), off) + _MIXED * (len(said) - 1 if said else 0)


def row_paths(shown: Sequence[Sequence[str]], headers: int) -> Iterator[tuple[str, ...]]:
    """The labels above each row: a label alone in its row heads the rows below it."""
    groups, depth, closed = RowPaths(), 0.0, 0.0
    alone = [sum(map(bool, row)) == 1 and (bool(row[0]) or _is_title(row)) for row in shown]
    for number, row in enumerate(shown):
        if number < headers or not any(row):
            yield ()
        elif alone[number] and len(row) > 2:
            follows = number > headers and alone[number - 1]
            left = depth + _DEEPER if follows else closed
            depth = left
            yield groups.enter(next(filter(None, row)), left, has_figures=False)
        else:
            before = groups.depth
            yield groups.enter(row[0], _INNERMOST, has_figures=True)
            closed = _DEEPER * groups.depth if groups.depth < before else min(closed, _DEEPER * groups.depth)


def _is_title(row: Sequence[str]) -> bool:
    """Whether the only text of a row, in another column than the labels, heads the rows below."""
    said = next(filter(None, row), "")
    return said.endswith(":") and any(map(str.isalpha, said))


def _names_columns(row: Sequence[str]) -> bool:
    said = [text for text in row[1:] if text]
    return bool(said) and all(_is_year(text) or not is_number(text) for text in said)


def _is_year(text: str) -> bool:
    return bool(_YEAR.match(text.replace(" ", "") if _SPACED_YEAR.match(text) else text))


def _choose_headers(shown: Texts, filled: Texts, headers: int) -> None:
    """Move a header that begins over an empty column to the next column that it spans."""
    for place in range(len(shown[0]) - 1 if shown else 0):
        if any(row[place] for row in shown[headers:]):
            continue
        for own, full in zip(shown[:headers], filled[:headers], strict=True):
            if own[place] and full[place + 1] == own[place] and not own[place + 1]:
                own[place], own[place + 1] = "", own[place]


def _only(texts: Texts, columns: Sequence[int]) -> Texts:
    return [[row[column] for column in columns] for row in texts]


def _levels(parts: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part for part in parts if part))
