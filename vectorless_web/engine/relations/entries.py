"""Several things asked of one entry: cells of one row of a register or an action table, lines of a form.

"Who has to mend the fence, and by when?" wants two cells of the row of which the words are; "Who was the owner, and
who ran it?" two lines "Name: value". Each part of the question names its cell or line by its words, by what somebody
does ("ran" and "Operator") or, where only one is of that kind, by the kind of thing asked for.
"""

import itertools
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.passages.checks import DATE, SPAN, names_holder
from vectorless_web.engine.passages.fields import is_prose, split_field, word_field
from vectorless_web.engine.passages.passage import cut_pieces
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.questions.requirements import Wanted, asks_for, parts_asked
from vectorless_web.engine.questions.wordings import other_wordings
from vectorless_web.engine.relations.records import DEEDS
from vectorless_web.engine.relations.rows import (
    EMPTY,
    GENERIC_ASKED,
    MEASURING,
    MOST_ROWS,
    Grid,
    RowsRead,
    RowTask,
    TableRow,
    Terms,
    cell_at,
    terms_of,
)
from vectorless_web.engine.text.numbers import numbers_in

_ASKING = re.compile(
    r"^\W*(?:and\s+)?(?:(?:by|at|in|on|to|from|for|of|with|until|since)\s+)?"
    r"(?:how (?:many|much|long|often|old|far|big)|which|what|whom?|whose|when|where|why|how)\b",
    re.IGNORECASE,
)
_DUTY = terms_of(
    """has have had to must should shall is are was were be been being going supposed asked told do does did done job
    task duty turn need needs get gets getting got will would can could may might please work works make makes kept
    keep put like want wish know d ve ll happen happens happened occur occurs occurred place"""
)
"""Terms that say that something is so or is to be done, and not what."""
_OF_FORM = terms_of("date day time year month deadline hour clock number address name")
"""Terms that only name the kind of thing that a value is."""
_GENERIC = GENERIC_ASKED - terms_of("tell give show find list")
"""Terms that ask for rows without saying which; what somebody has to do to others is no such term here."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of thing asked for: how a part asks for it, what a cell holds that is it, and headers that promise it."""

    asks: re.Pattern[str]
    holds: re.Pattern[str] | None
    head: re.Pattern[str]
    alone: bool = True
    """Whether the only cell of this kind is meant where no header is named."""


def _kind(asks: str, holds: str, head: str = r"(?!)", *, alone: bool = True) -> _Kind:
    flags = re.IGNORECASE
    return _Kind(re.compile(asks, flags), re.compile(holds, flags) if holds else None, re.compile(head, flags), alone)


_PERSON = _kind(
    r"\b(?:who|whom|whose)\b|\bwhich (?:firm|company|person|organi[sz]ation|body|office|group|team|carrier)\b",
    "",
    r"\b(?:who|whom|owner|responsible|by whom|name|person|lead|assigned|assignee|in charge|contact|on duty|action by"
    r"|holder|staff|member|by(?=$))\b",
)
_WHEN = _kind(
    r"\bwhen\b|\b(?:what|which) (?:date|day|time|year|month|deadline)\b|\bhow late\b",
    DATE.pattern + r"|\b(?:early|mid|late|beginning of|start of|end of|by)[- ]\w+",
    r"\b(?:when|date|due|deadline|until|day|time|year)\b",
)
_CLOCK = _kind(
    r"\b(?:what|which) time\b|\bo['’]clock\b",
    r"\b\d{1,2}[:.]\d\d\b|\b\d{1,2}\s?[ap]\.?m\b|\b\d{4}\s+(?:hours|[A-Z]{3}\b|local)|\b(?:noon|midnight)\b",
)
_KINDS = (
    _PERSON,
    _CLOCK,
    _WHEN,
    _kind(
        r"\bhow much\b|\bcosts?\b|\bprice\b|\bpa(?:id|y)\b|(?<!in )\bcharged?\b|\bworth\b"
        r"|\b(?:insured|sold|bought|valued) (?:for|at)\b",
        r"[£$€¥]\s?\d|\d\s?(?:[£$€¥]|euros?\b|pounds?\b|dollars?\b)",
    ),
    _kind(
        r"\bhow (?:long|often)\b",
        SPAN.pattern,
        r"\b(?:hours?|days?|weeks?|months?|years?|time|duration|every|interval)\b",
    ),
    _kind(
        r"\bwhere\b",
        r"[^\W\d]",
        r"\b(?:where|place|location|room|site|kept|stored|shelf|depot|venue|destination|address)\b",
    ),
    _kind(r"\be-?mail\b", r"\S@\S"),
    _kind(r"\b(?:tele)?phone\b|\bring\b|\bcall\b", r"(?<![\w-])\(?\+?\d(?:[ ()/-]*\d){5,}"),
    _kind(r"\bhow (?:many|much|old|far|big|high|heavy)\b", r"\d", alone=False),
)
_ANY = _kind(r"", r"\S", alone=False)

_LEAST_SHARE = 0.6
"""Share of the question's content words that the row, its headers and what stands around the table say, at least.
Chosen by hand: an everyday question shares half its verbs with no document."""
_MARGIN = 0.6
"""Words by which the row must say more of the question than any other, one said in another wording counting `_NEAR`."""
_NEAR = 0.8
_FIT, _LEFT_COST = 0.95, 0.3
"""The fit of an entry that says every word, and what it loses for those that are left over, as a share of all."""


class _Asked:
    """The content terms of some words, and which of them a text says: itself, or in another wording."""

    def __init__(self, text: str, without: Terms = frozenset()) -> None:
        self.terms = terms_of(_ASKING.sub(" ", text)) - _GENERIC - without
        self._others = [
            (frozenset(wording.origin), frozenset(wording.terms))
            for wording in other_wordings(text)
            if set(wording.origin) & self.terms
        ]

    def said_by(self, said: Terms) -> Terms:
        """The terms that a text of these words says."""
        near = [origin for origin, terms in self._others if terms and terms <= said]
        return self.terms & (said | frozenset().union(*near))

    def said_in(self, name: Terms) -> Terms:
        """The terms of a name that these words say."""
        return name & self.terms | frozenset(term for _, terms in self._others if terms <= name for term in terms)

    def weigh(self, said: Terms) -> float:
        """How many of the terms a text of these words says, those in another wording counting less."""
        own = self.terms & said
        return len(own) + _NEAR * len(self.said_by(said) - own)


def read_entry(grids: Sequence[Grid], plan: QueryPlan) -> RowsRead | None:
    """The cells of one row that answer each part of a question; None where a part has none or the row is in doubt."""
    parts = parts_asked(plan)
    if len(parts) < 2:
        return None
    found = [read for grid in grids if (read := _read_row(grid, plan.focus, parts)) is not None]
    found.sort(key=lambda read: (-round(read.fit, 4), read.key))
    if len(found) > 1 and found[0].fit - found[1].fit < _LEFT_COST / 10 and found[0].quote != found[1].quote:
        return None
    return found[0] if found else None


def _read_row(grid: Grid, question: str, parts: Sequence[str]) -> RowsRead | None:
    if not 1 < len(grid.rows) <= MOST_ROWS or len(grid.heads) < 2 or not any(grid.heads[1:]):
        return None
    asked = _Asked(" ".join(_ASKING.sub(" ", part) for part in parts), _DUTY | _OF_FORM)
    heads = terms_of(" ".join(grid.heads))
    row, weight = _choose_row(grid, asked, heads)
    if row is None:
        return None
    places = _choose_places(grid, row, parts)
    if places is None:
        return None
    told = terms_of(" ".join(cell_at(row, place) for place in range(len(grid.heads)))) | terms_of(row.name)
    if not all(_is_of_row(part, told | heads | grid.around, grid.heads[place])
               for part, place in zip(parts, places, strict=True)):  # fmt: skip
        return None
    doing = frozenset().union(*(_deeds_in(part, grid.heads[place]) for part, place in zip(parts, places, strict=True)))
    left = asked.terms - asked.said_by(told | heads | grid.around) - doing - MEASURING
    share = len(left) / max(1, len(asked.terms))
    if 1.0 - share < _LEAST_SHARE or weight <= 0:
        return None
    shown = sorted(place for place in places if place)
    cells = tuple(cell_at(row, place) for place in shown)
    names = (grid.heads[0], *(grid.heads[place] for place in shown))
    fit = _FIT - _LEFT_COST * share + 0.02 * grid.rank
    told_row = replace(row, name=_name_row(grid, row, shown), cells=cells)
    return RowsRead(RowTask.ENTRY, grid.document, grid.caption, names, (told_row,), fit, len(grid.rows))


def _name_row(grid: Grid, row: TableRow, shown: Collection[int]) -> str:
    """The row's name; behind a mere number the first cell that says in words what the row is."""
    if any(character.isalpha() for character in row.name):
        return row.name
    cells = (cell_at(row, place) for place in range(1, len(grid.heads)) if place not in shown)
    words = next((cell for cell in cells if any(character.isalpha() for character in cell)), "")
    return words or row.name


def _is_of_row(part: str, said: Terms, head: str) -> bool:
    """Whether half of a part's own words are the row's, so that no part is answered of something else."""
    asked = _Asked(part, _DUTY | _OF_FORM | terms_of(" ".join(_kind_of(part).asks.findall(part))))
    left = asked.terms - asked.said_by(said) - _deeds_in(part, head) - MEASURING
    return 2 * len(left) <= len(asked.terms)


def _choose_row(grid: Grid, asked: _Asked, heads: Terms) -> tuple[TableRow | None, float]:
    """The row that says most of what no header says, and how much that is; None where another says nearly as much."""
    weighed = []
    for row in grid.rows:
        own = terms_of(" ".join((row.name, *row.cells))) - heads
        weighed.append((asked.weigh(own), row))
    weighed.sort(key=lambda pair: -pair[0])
    if len(weighed) < 2 or weighed[0][0] - weighed[1][0] < _MARGIN:
        return None, 0.0
    return weighed[0][1], weighed[0][0]


def _choose_places(grid: Grid, row: TableRow, parts: Sequence[str]) -> list[int] | None:
    """For each part its column, each another one; None where a part has none."""
    places: list[int] = []
    for part in parts:
        place = _choose_place(grid, row, part, places)
        if place is None:
            return None
        places.append(place)
    return places


def _choose_place(grid: Grid, row: TableRow, part: str, used: Collection[int]) -> int | None:
    kind, asked, fitting = _kind_of(part), _Asked(_word_ends(part), _DUTY), []
    names_row = _Asked(part).terms & terms_of(grid.heads[0])
    for place, head in enumerate(grid.heads):
        cell = row.name if place == 0 else cell_at(row, place)
        if place in used or not head or EMPTY.match(cell) or not _is_of_kind(kind, cell, head):
            continue
        if place == 0 and not names_row and kind is not _PERSON:
            continue
        fitting.append((asked.weigh(terms_of(head)) + _does(part, head), bool(kind.head.search(head)), place))
    if not fitting:
        return None
    named = [one for one in fitting if one[0]]
    best = max(one[0] for one in fitting)
    chosen = [one for one in named if one[0] == best] or ([one for one in fitting if one[1]] if kind.alone else [])
    chosen = chosen or (fitting if kind.alone else [])
    if len(chosen) > 1:
        chosen = [one for one in chosen if one[1]]
    return chosen[0][2] if len(chosen) == 1 else None


def _word_ends(part: str) -> str:
    """A part that asks from or until when, with what columns of beginnings and ends are called."""
    if re.search(r"\b(?:from|since) (?:when|what|which)\b", part, re.IGNORECASE):
        return f"{part} start open"
    if re.search(r"\b(?:until|till) (?:when|what|which)\b|\bhow late\b", part, re.IGNORECASE):
        return f"{part} end close due"
    return part


def _kind_of(part: str) -> _Kind:
    """The kind of thing that the word asks for which asks first."""
    found = [(match.start(), order) for order, kind in enumerate(_KINDS) if (match := kind.asks.search(part))]
    return _KINDS[min(found)[1]] if found else _ANY


def _is_of_kind(kind: _Kind, cell: str, head: str) -> bool:
    if kind is _PERSON:
        is_named = names_holder(cell) or kind.head.search(head) or any(doers & terms_of(head) for _, doers in DEEDS)
        return bool(is_named) and cell[:1].isupper() and not numbers_in(cell)
    if kind.holds is not None and kind.holds.search(cell):
        return True
    return bool(kind.head.search(head) and numbers_in(cell))


def _does(part: str, name: str) -> bool:
    """Whether a part asks for those whom a header or a line names by what they do, or by what is theirs."""
    is_owned = re.search(r"\bwhose\b", part, re.IGNORECASE) and terms_of(name) & terms_of("owner holder")
    return bool(_deeds_in(part, name) or is_owned)


def _deeds_in(part: str, name: str) -> Terms:
    """The terms of a part that say what those do whom a header or a line names: "ran" of "Operator"."""
    told, said = terms_of(name), terms_of(part)
    return frozenset(term for deeds, doers in DEEDS if doers & told for term in deeds & said)


_FIELD_FIT, _FIELD_MARGIN = 0.93, 0.25
"""The fit of a line of which every word is asked for, and by how much it must be ahead of a line with another value."""
_LEAST_NAMED = 0.3
"""Share of the content words of what is asked that the name says, at least: one of three, as in a short question."""
_NO_VALUE = (
    Wanted.SUM,
    Wanted.EXTREME,
    Wanted.CAUSE,
    Wanted.VERDICT,
    Wanted.STEPS,
    Wanted.CONSEQUENCE,
    Wanted.DEFINITION,
)
"""Kinds of thing that no line of a form is by itself."""
_NAMES = re.compile(r"(?<=\s)[A-Z][\w’'-]+")
_IS_CALLED = re.compile(r"\b(?:names?|called|titles?)\b", re.IGNORECASE)
"""What asks, or says, how a thing is called: "Name of Vessel" says nothing else of the vessel."""
_NAME_LEFT = 0.3
"""What each word of a line's name costs that the part does not say: "Registered" of "Registered Owner"."""


def read_field(document: str, tree: Tree, opened: Collection[int], plan: QueryPlan) -> RowsRead | None:
    """The line "Name: value" that the one thing asked names; None where none does, or which one is in doubt.

    Words without content ("and by whom?") ask by those that the rest of the question lends them.
    """
    part = plan.focus
    kind = _kind_of(part)
    asked = _Asked(part, _DUTY | _OF_FORM | terms_of(" ".join(kind.asks.findall(part))))
    if not asked.terms:
        asked.terms = frozenset(term.term for term in plan.terms if term.source == "question") - _DUTY - _OF_FORM
    if kind is _ANY or len(parts_asked(plan)) > 1 or asks_for(plan, *_NO_VALUE):
        return None
    found: list[tuple[float, TableRow]] = []
    fields = list(_list_fields(tree, opened))
    for name, row in fields:
        named = terms_of(name) - _OF_FORM
        weight = asked.weigh(named) + (kind is _PERSON and _does(part, name))
        if _IS_CALLED.match(name) and not _IS_CALLED.search(part):
            continue
        if weight > 0 and _is_of_kind(kind, row.cells[0], name if kind is _PERSON else ""):
            left = named - asked.said_in(named) - _doers_in(part, name)
            found.append((weight - _NAME_LEFT * len(left), row))
    found.sort(key=lambda one: (-one[0], one[1].key, one[1].start))
    # A name stands for what the form is about, which no line's name says.
    named = asked.terms - terms_of(" ".join(_NAMES.findall(part)))
    if not found or found[0][0] < _LEAST_NAMED * max(1, len(named)):
        return None
    row = found[0][1]
    if any(found[0][0] - weight < _FIELD_MARGIN and other.cells != row.cells for weight, other in found):
        return None
    lines = " ".join(f"{name} {other.cells[0]}" for name, other in fields)
    known = terms_of(f"{' '.join(tree.path(row.key))} {lines}")
    left = asked.terms - asked.said_by(terms_of(row.name) | known) - _deeds_in(part, row.name) - MEASURING
    share = len(left) / max(1, len(asked.terms))
    if 1.0 - share < _LEAST_SHARE:
        return None
    return RowsRead(RowTask.FIELD, document, "", ("", row.name), (row,), _FIELD_FIT - _LEFT_COST * share, 1,
                    is_table=False, told=word_field(row.name, row.cells[0], plan.question))  # fmt: skip


def _list_fields(tree: Tree, opened: Collection[int]) -> Iterator[tuple[str, TableRow]]:
    """The lines "Name: value" of the nodes opened, and the pairs of a form's table, each with its value as a cell."""
    for key in sorted(key for key in opened if tree.is_leaf(key)):
        node = tree.node(key)
        split = _split_pairs(node.text) if tree.kind(key) is NodeKind.TABLE else _split_lines(node.text)
        for name, value, quote, start in split:
            if not EMPTY.match(value):
                yield name, TableRow(name, (value,), key, node.page_start, quote, start)


def _split_lines(text: str) -> Iterator[tuple[str, str, str, int]]:
    """Name, value, quote and its place of each line "Name: value"."""
    for piece in cut_pieces(text, by_line=True):
        name, value = split_field(piece.text)
        if name:
            yield name, value, piece.text, piece.start


def _split_pairs(text: str) -> Iterator[tuple[str, str, str, int]]:
    """The same of a table whose cells are names with a colon and values in turn, or of which each row is one pair."""
    lines = [line for line in text.split("\n") if line.strip()]
    is_form = all(len(line.split("\t")) == 2 for line in lines)
    start = 0
    for line in text.split("\n"):
        cells = line.split("\t")
        place = start
        for cell, value in itertools.pairwise(cells):
            name = cell.strip()
            # A row of a name and a figure is no form's: what it is of stands in headers, units and periods.
            is_pair = is_form and len(name.split()) <= _LONGEST_LABEL and re.search(r"[^\W\d_]{3}", value)
            is_name = name.endswith(":") or bool(is_pair)
            # What is all capitals is an abbreviation, and what stands beside it is what it stands for.
            is_name = is_name and name[:1].isupper() and not name.rstrip(":").isupper()
            if is_name and not value.rstrip().endswith(":") and not is_prose(_INITIAL.sub("", value), _LONGEST_CELL):
                yield name.rstrip(" :"), " ".join(value.split()).strip(" ."), f"{cell}\t{value}", place
            place += len(cell) + 1
        start += len(line) + 1


_INITIAL = re.compile(r"\b[A-Z]\.\s")
"""A letter that stands for a name, behind which no sentence ends."""
_LONGEST_CELL = 30
"""Words of a cell of a form: name, address and ways to reach somebody. A longer one is prose."""
_LONGEST_LABEL = 7
"""Words of the first of two cells that names what stands in the second."""


def _doers_in(part: str, name: str) -> Terms:
    """The terms of a name that say who does what a part asks for."""
    told, said = terms_of(name), terms_of(part)
    owned = terms_of("owner holder") if _does(part, name) else frozenset()
    return told & frozenset(term for deeds, doers in DEEDS if deeds & said for term in doers) | told & owned
