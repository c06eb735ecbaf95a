"""Lays out table cells that span columns or rows as a grid, and finds the header of each column."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from vectorless_web.engine.parsing.tables.cells import is_number

Texts = list[list[str]]

MOST_ACROSS, MOST_DOWN = 64, 1_000
"""Columns and rows that one cell may be said to span; more is a mistake of the file. Browsers allow 1,000 columns and
65,534 rows; a table of 64 columns is the widest that can be read."""
MOST_CELLS = 1_000_000
"""A grid with more places is no table that anybody reads; its rows are kept as lines."""
_HEADER_ROWS = 4
"""Rows at the top of a table that may be its header."""
_CURRENCIES = frozenset("$€£¥₹")
_ENDINGS = frozenset((")", "%", ")%", "x"))


@dataclass(frozen=True, slots=True)
class SpanCell:
    """A cell as the file gives it: its text, the columns and rows it spans; `above`: it continues the cell over it."""

    text: str
    across: int = 1
    down: int = 1
    above: bool = False


@dataclass(frozen=True, slots=True)
class SpanGrid:
    """`shown`: each text once, where its cell begins. `filled`: spanning texts at every place they reach.

    `headers` counts the leading header rows; `columns` are the headers of the columns, top down.
    """

    shown: Texts
    filled: Texts
    headers: int
    columns: tuple[str, ...]


def lay_out(rows: Sequence[Sequence[SpanCell]], *, headers: int = 0) -> SpanGrid | None:
    """The grid of a table; `headers` = leading rows marked as headers, 0 to judge by what they hold.

    None when it would have more than MOST_CELLS places.
    """
    width = max((sum(min(cell.across, MOST_ACROSS) for cell in row) for row in rows), default=0)
    if width * len(rows) > MOST_CELLS:
        return None
    shown, filled = _place_cells(rows)
    _join_marks(shown)
    headers = min(headers or _guess_headers(shown), max(len(shown) - 1, 0))
    _choose_headers(shown, filled, headers)
    kept = [column for column in range(len(shown[0]) if shown else 0) if any(row[column] for row in shown)]
    shown, filled = _only(shown, kept), _only(filled, kept)
    columns = tuple(_header([row[place] for row in filled[:headers]]) for place in range(len(kept)))
    return SpanGrid(shown, filled, headers, columns)


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
    """One row among cells that hang down into it: (column -> rows left, text)."""
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


def _guess_headers(shown: Texts) -> int:
    """How many of the first rows hold no figures but years: those without a label, else the first."""
    count = 0
    for row in shown[:_HEADER_ROWS]:
        if row[0] or not _names_columns(row):
            break
        count += 1
    return count or int(len(shown) > 1 and _names_columns(shown[0]) and not shown[0][0].endswith(":"))


def _names_columns(row: Sequence[str]) -> bool:
    said = [text for text in row[1:] if text]
    return bool(said) and all(_is_year(text) or not is_number(text) for text in said)


def _is_year(text: str) -> bool:
    return len(text) == 4 and text[:2] in ("19", "20") and text.isdecimal()


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


def _header(parts: Sequence[str]) -> str:
    return " / ".join(dict.fromkeys(part for part in parts if part))
