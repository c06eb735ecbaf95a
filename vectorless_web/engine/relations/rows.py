"""Tables read as words: rows compared, listed, ranked by what an adjective means, and looked up, blanks among them."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property

from vectorless_web.engine.documents.node import NodeKind, Row
from vectorless_web.engine.figures.figure import Figure
from vectorless_web.engine.figures.tables import TableView
from vectorless_web.engine.figures.units import counts_things
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.questions.requirements import Wanted, asks_for
from vectorless_web.engine.questions.understand import asks_for_all
from vectorless_web.engine.questions.wordings import other_wordings
from vectorless_web.engine.relations.relation import Relation
from vectorless_web.engine.text.analyser import analyse
from vectorless_web.engine.text.bands import Band, amount_of, band_of
from vectorless_web.engine.text.quantities import Quantity, quantities_in

Terms = frozenset[str]


class RowTask(StrEnum):
    """What is done with the rows of a table."""

    COMPARE = "compare"
    DIFFER = "differ"
    """The same, asked for as the difference between two, which may mean one figure."""
    LIST = "list"
    """All rows, asked for in so many words: "list all", "which ... are there"."""
    LIST_OF = "list_of"
    """All rows of what is only named: "what are the limits?", which may mean figures."""
    RANK = "rank"
    LOOK_UP = "look_up"
    BAND = "band"
    """The row whose range holds a number of the question: "6 to 9 years" for seven."""
    AGAINST = "against"
    """A row under what happened and what was planned: "costs against budget"."""
    CHANGE = "change"
    RECORDS = "records"
    """The rows of which another column says what is asked."""
    OFF_PLAN = "off_plan"
    """How many rows came out above or below what was planned."""
    SPAN = "span"
    """The time between two events that are dated."""
    COUNT = "count"
    """The same, asked for as a number."""
    ENTRY = "entry"
    """Several cells of one row, one for each part of the question."""
    SUM = "sum"
    """Cells of several rows added up."""
    MORE = "more"
    """By how much a cell of one row exceeds that of another."""
    FIELD = "field"
    """A line "Name: value" of a form."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row as it is told: the name of what it is about, its cells under the answer's heads, and the words quoted."""

    name: str
    cells: tuple[str, ...]
    key: int
    page_index: int
    quote: str
    start: int


@dataclass(frozen=True, slots=True)
class WorkedCell:
    """A figure worked out from cells: the result in words, the expression, its operands (name, words as printed)."""

    result: str
    expression: str
    operands: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class RowsRead:
    """What a question asks of the rows of one table.

    `heads` name the columns told, that of the names first. `total` counts the rows of the table; `rows` may be fewer.
    Of a rank the rows stand in order, the winner first, and `measure` says by what. `blank` names the subjects for
    which nothing stands there. `where` names the table.
    """

    task: RowTask
    document: str
    where: str
    heads: tuple[str, ...]
    rows: tuple[TableRow, ...]
    fit: float
    total: int = 0
    measure: str = ""
    rank: str = ""
    blanks: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    figures: tuple[Figure | None, ...] = ()
    """For each cell looked up its figure where the table's units or scale belong to it."""
    lines: tuple[TableRow, ...] = ()
    """The printed rows that are quoted, where the rows told are columns; empty when they are the same."""
    worked: tuple[WorkedCell, ...] = ()
    """Of a rank by what was worked out a figure for each row; of two things the difference between them."""
    unit: str = ""
    """The unit of the figures ranked that the table states for all of them, "" where headers or cells say it."""
    side: str = ""
    """The question's own word for the side of a measure that it names: "the biggest tank"."""
    either_way: bool = False
    """Whether what is above and what is below were ranked by size alone."""
    is_table: bool = True
    """Whether a table states them, and not sentences, items or records."""
    also: tuple["RowsRead", ...] = ()
    """The second rank of a question that asks for two."""
    told: str = ""
    """The sentence that tells it, where it needs no table to be understood."""

    @property
    def quoted(self) -> tuple[TableRow, ...]:
        """The printed rows that state what is told."""
        return self.lines or tuple(row for row in self.rows if row.quote)

    @property
    def key(self) -> int:
        """The node of the first row."""
        return self.quoted[0].key

    @property
    def page_index(self) -> int:
        """Its page, from 0."""
        return self.quoted[0].page_index

    @property
    def quote(self) -> str:
        """The first row, verbatim."""
        return self.quoted[0].quote

    @property
    def start(self) -> int:
        """Where the first row starts in its node's text."""
        return self.quoted[0].start

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.quote)


@dataclass(frozen=True)
class Grid:
    """A table with all its parts as names and cells in words."""

    document: str
    view: TableView
    rank: float = 0.0
    title: str = field(default="", compare=False)

    @cached_property
    def heads(self) -> tuple[str, ...]:
        """The header of each column on one line, "" where there is none."""
        return tuple(_clean(column.header.replace(" / ", ", ")) for column in self.view.table.columns)

    @cached_property
    def rows(self) -> tuple[TableRow, ...]:
        """The body rows that name something and state something of it, sums left out."""
        told = (_row_of(part, row) for part in self.view.parts for row in part.table.body)
        return tuple(row for row in told if row is not None)

    @cached_property
    def caption(self) -> str:
        """What names the table: its caption, else a short line right above it, else its section's title."""
        title = self.view.path[-1] if self.view.path else ""
        return self.view.node.title or self._line_above or _NUMBERING.sub("", title)

    @cached_property
    def _line_above(self) -> str:
        tree, key = self.view.tree, self.view.node.key - 1
        if key <= 0 or tree.kind(key) not in (NodeKind.PARAGRAPH, NodeKind.CAPTION):
            return ""
        text = _clean(tree.node(key).text)
        return text.rstrip(":") if len(text) <= LONGEST_LINE and not text.endswith((".", ";", "?")) else ""

    @cached_property
    def place(self) -> Terms:
        """Words of the caption, of the line above, of the section and of what the names are called."""
        section = next((title for title in reversed(self.view.path) if title != self.view.node.title), "")
        return terms_of(f"{self.caption} {self._line_above} {section} {self.heads[0] if self.heads else ''}")

    @cached_property
    def around(self) -> Terms:
        """These, and the words of all titles above and of the paragraph before."""
        return self.place | terms_of(f"{' '.join(self.view.path)} {self._before} {self.title}")

    @cached_property
    def _before(self) -> str:
        """The paragraph before, and short lines above that one: a sheet's title and what it is of."""
        tree, key = self.view.tree, self.view.node.key - 1
        told: list[str] = []
        while key > 0 and len(told) < _LINES_ABOVE and tree.kind(key) is NodeKind.PARAGRAPH:
            text = tree.node(key).text
            if told and len(text) > LONGEST_LINE:
                break
            told.append(text[:LONGEST_BEFORE])
            key -= 1
        return " ".join(told)

    def is_of(self, years: Collection[str]) -> bool:
        """Whether headers, caption, titles or the text before name all these years; true of no years."""
        tree, key = self.view.tree, max(0, self.view.node.key - 1)
        before = tree.node(key).text[:LONGEST_BEFORE] if tree.kind(key) is NodeKind.PARAGRAPH else ""
        said = " ".join((*self.heads, self.caption, *self.view.path, self.title, before))
        return set(years) <= set(YEAR.findall(said))


LONGEST_LINE = 120
"""Characters of a line above a table that names it."""

_LINES_ABOVE = 3
"""Paragraphs above a table that may say what it is about: title, state and units of a sheet."""

LONGEST_BEFORE = 300
"""Characters of the paragraph before a table that may say what it is about."""

MOST_ROWS = 60
"""Rows that are listed or compared; more are no answer that somebody reads."""

YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
"""A year of four digits."""

_NUMBERING = re.compile(r"^(?:\d+(?:\.\d+)*|[ivxIVX]{1,5}|[A-Za-z])[.)]?\s+(?=\S)")
_SUM = re.compile(r"^\W*(?:(?:sub|grand\s+)?-?totals?|sum)\b", re.IGNORECASE)
EMPTY = re.compile(r"^[\s—–−\-.*/]*$|^n\.?/?a\.?$", re.IGNORECASE)
"""A cell in which nothing stands: blank, a dash, "n/a"."""


def _clean(text: str) -> str:
    return " ".join(text.split())


def terms_of(text: str) -> Terms:
    """The index terms of a text."""
    return frozenset(analyse(text))


def _row_of(view: TableView, row: Row) -> TableRow | None:
    cells = tuple(_clean(cell.text) for cell in row.cells)
    name = _clean(row.label) or (cells[0] if cells else "")
    has_value = any(cells[1:]) if len(view.table.columns) > 1 else bool(cells)
    if not name or not has_value or _SUM.match(name):
        return None
    quote = view.node.text[row.offset : row.offset + row.length].rstrip("\n")
    return TableRow(name, cells, view.node.key, row.page_index, quote, row.offset)


def grids_of(
    document: str, views: Iterable[TableView], ranks: Callable[[int], float], title: str = ""
) -> Iterator[Grid]:
    """The tables of a document that have rows to tell, each long one once; `ranks` rates a page."""
    for view in views:
        grid = Grid(document, view, ranks(view.node.page_start), title)
        if not view.table.part and len(view.table.columns) > 1 and 0 < len(grid.rows) <= 4 * MOST_ROWS:
            yield grid


GENERIC_ASKED = terms_of(
    """list all every each name names named member members people person persons item items entry entries kind kinds
    type types different various available there show shown give tell compare comparison compared please document
    mention mentioned exist complete full everything whole one ones answer table tables following possible overview
    main individual set listed included sort sorts overall respective"""
)
"""Terms of a question that ask for rows without saying which."""

MEASURING = terms_of(
    """amount limit cost price charge fee rate number allowance value figure size level much many quantity count need
    needed spent spend require required use used take takes have has get permitted allowed maximum minimum
    stock far big long high often frequently"""
)
"""Terms that say that a cell is asked for, without saying which."""

_LABELLING = terms_of("year years age old group class category size type over and from")
"""Terms of a row's name that a question may leave out."""

_BODIES = terms_of("management board committee council team body leadership staff crew panel group department office")
"""Terms of bodies that people are members of: documents name them by many words."""


@dataclass(frozen=True, slots=True)
class Words:
    """Terms asked for, each with the sets of terms that may stand for it."""

    terms: Terms
    others: dict[str, tuple[Terms, ...]]

    def left_over(self, said: Terms) -> Terms:
        """The terms that a text of these words does not say, in no wording."""
        return frozenset(
            term
            for term in self.terms
            if term not in said and not any(other <= said for other in self.others.get(term, ()))
        )

    def hits(self, said: Terms) -> Terms:
        """The terms that a text of these words says, in any wording."""
        return self.terms - self.left_over(said)


def words_asked(text: str, without: Terms = frozenset()) -> Words:
    """The content terms of a text with their other wordings."""
    terms = terms_of(text) - without
    others: dict[str, list[Terms]] = {}
    for wording in other_wordings(text):
        if len(wording.origin) == 1:
            others.setdefault(wording.origin[0], []).append(frozenset(wording.terms))
    return Words(terms, {term: tuple(found) for term, found in others.items()})


def read_rows(grids: Sequence[Grid], plan: QueryPlan, tasks: Sequence[RowTask]) -> RowsRead | None:
    """What the question asks of the rows of the tables, by the first of the tasks that it asks for and they answer."""
    question = plan.focus
    for task in tasks:
        found = _READERS[task](grids, plan, question)
        if found is not None:
            return found
    return None


_COMPARE = re.compile(
    r"^\W*(?:please\s+|can you\s+|could you\s+)?(?:compare|contrast)\s+(?P<x>.+?)[\s?.]*$"
    r"|^\W*how (?:do|does|did)\s+(?P<a>.+?)\s+(?:compare|differ)(?:\s+(?:with|to|from)\s+(?P<b>.+?))?"
    r"(?:\s+(?:in terms of|with regard to|regarding|as to|on|by|in)\s+(?P<measure>.+?))?[\s?.]*$"
    r"|^\W*what(?:['’]s| is| are) the differences?\s+(?:in (?P<measure2>.+?)\s+)?between\s+(?P<y>.+?)[\s?.]*$"
    r"|^\W*(?P<left>.{2,60}?)\s+(?:versus|vs\.?)\s+(?P<right>.{2,80}?)[\s?.]*$",
    re.IGNORECASE,
)
_ITEMS = re.compile(
    r"\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or|&|with|to|versus|vs\.?|against|from)\s+(?:the\s+)?", re.IGNORECASE
)
_OF = re.compile(
    r"^(?P<m>.+)\s+(?:for|of|in|between|across|at|among|on)\s+(?:the\s+)?(?P<s>.+?\s*(?:,|\band\b|\bor\b|&).+)$",
    re.IGNORECASE,
)
_BY = re.compile(
    r"^(?P<s>.+?)\s+(?:by|in terms of|with regard to|regarding|as to|according to)\s+(?P<m>.+)$", re.IGNORECASE
)
_ARTICLE = re.compile(r"^(?:the|an?|all|our|their|its)\s+", re.IGNORECASE)


def split_comparison(question: str) -> tuple[str, tuple[str, ...]] | None:
    """What is compared ("hotel limits", or "") and the subjects; None when the question compares nothing by name."""
    match = _COMPARE.match(question)
    if match is None:
        return None
    measure = match["measure"] or match["measure2"] or ""
    body = match["x"] or match["y"] or f"{match['a'] or match['left']} and {match['b'] or match['right'] or ''}"
    body = _ARTICLE.sub("", body.strip())
    if (found := _BY.match(body)) is not None:
        body, measure = found["s"], found["m"]
    elif (found := _OF.match(body)) is not None and not measure and len(_ITEMS.split(found["s"])) > 1:
        return found["m"], split_names(found["s"])
    return measure, split_names(body)


def split_names(text: str) -> tuple[str, ...]:
    """The things that a text names one after another, without articles: "the ferry, the bus or a taxi"."""
    parts = (_ARTICLE.sub("", part.strip(" ?.,")) for part in _ITEMS.split(text))
    return tuple(dict.fromkeys(part for part in parts if part))


def _compare(grids: Sequence[Grid], plan: QueryPlan, question: str) -> RowsRead | None:
    return None if _DIFFERENCE.search(question) else _differ(grids, plan, question)


_DIFFERENCE = re.compile(r"\bdifferences?\b", re.IGNORECASE)


def _differ(grids: Sequence[Grid], plan: QueryPlan, question: str) -> RowsRead | None:
    if (across := _compare_across(grids, plan, question)) is not None:
        return across
    split = split_comparison(question)
    if split is None or not 1 < len(split[1]) <= MOST_SUBJECTS:
        return None
    measure, subjects = split
    found = [
        read
        for grid in grids
        for read in (_compare_rows(grid, measure, subjects), _compare_columns(grid, measure, subjects))
        if read is not None
    ]
    return max(found, key=lambda read: round(read.fit, 4), default=None)


MOST_SUBJECTS = 12
"""Subjects of a comparison."""

_OF_EACH = re.compile(
    r"^\W*(?:please\s+|can you\s+|could you\s+)?(?:compare|contrast|show|give|list)\s+(?:me\s+)?(?:the\s+)?"
    r"(?P<measure>.+?)"
    r"\s+(?:of|for|by|across|per|in|between)\s+(?:(?:the|all|each|every|our|its|their)\s+)*(?P<noun>[\w’'-]{3,})"
    r"(?:\s+(?:in|for|between|from|over|during)\s+.*)?[\s?.]*$",
    re.IGNORECASE,
)


def _compare_across(grids: Sequence[Grid], plan: QueryPlan, question: str) -> RowsRead | None:
    """Rows of the same name in sister tables, one under each heading: "Compare the revenue of the divisions"."""
    match = _OF_EACH.match(question)
    if match is None:
        return None
    noun, measure = terms_of(match["noun"]), terms_of(YEAR.sub(" ", match["measure"])) - GENERIC_ASKED
    years = {str(period.year) for period in plan.periods}
    sisters: dict[tuple[str, tuple[str, ...], int], list[tuple[Grid, TableRow]]] = {}
    for grid in grids:
        titles = " ".join(grid.view.path[-2:])
        for row in grid.rows if noun & terms_of(titles) and len(grid.view.path) > 1 else ():
            if measure and terms_of(row.name) == measure:
                parent = grid.view.tree.parent(grid.view.node.parent)
                sisters.setdefault((row.name, grid.heads[1:], parent), []).append((grid, row))
    (name, heads, _), found = max(sisters.items(), key=lambda pair: len(pair[1]), default=(("", (), 0), []))
    names = [grid.view.path[-1] for grid, _ in found]
    if not 1 < len(found) <= MOST_SUBJECTS or len(set(names)) < len(names):
        return None
    dated = [place for place, head in enumerate(heads, 1) if not years or years & set(YEAR.findall(head))]
    if not dated:
        return None
    rows = tuple(replace(row, name=title, cells=tuple(cell_at(row, place) for place in dated))
                 for title, (_, row) in zip(names, found, strict=True))  # fmt: skip
    first = found[0][0]
    figures = tuple(_figure_of(grid, row, place) for grid, row in found for place in dated)
    read = _build_comparison(first, ("", *(first.heads[place] for place in dated)), rows, 0.9)
    return replace(read, where=first.view.path[-2], measure=name, total=len(rows), figures=figures)


def match_names(names: Sequence[str], subjects: Sequence[str]) -> list[int | None]:
    """For each subject the place of the name that is meant: the same words, or the only one that holds or is held."""
    known = [terms_of(name) for name in names]
    places: list[int | None] = []
    for subject in subjects:
        asked = terms_of(subject)
        exact = [place for place, own in enumerate(known) if own and own == asked]
        wider = [place for place, own in enumerate(known) if own and asked and (own <= asked or asked <= own)]
        hits = exact or wider
        if len(hits) > 1:
            hits = sorted(hits, key=lambda place: -len(known[place] & asked))
            best = len(known[hits[0]] & asked)
            hits = [place for place in hits if len(known[place] & asked) == best]
        places.append(hits[0] if len(hits) == 1 or exact else None)
    return places


def _is_enough(places: Sequence[int | None]) -> bool:
    named = [place for place in places if place is not None]
    return len(named) > 1 and len(set(named)) == len(named)


def _choose_columns(names: Sequence[str], around: Terms, measure: str) -> tuple[list[int], float] | None:
    """The places of the names that the measure means, all of them for none, and how well they fit."""
    asked = words_asked(measure, GENERIC_ASKED)
    if not asked.terms:
        return list(range(len(names))), 0.9
    hits = [len(asked.hits(terms_of(name)) - MEASURING) for name in names]
    if max(hits, default=0):
        chosen = [place for place, hit in enumerate(hits) if hit == max(hits)]
        rest = asked.left_over(around | terms_of(" ".join(names[place] for place in chosen))) - MEASURING
        return chosen, 1.0 - 0.3 * len(rest) / len(asked.terms)
    if not asked.left_over(around) - MEASURING:
        return list(range(len(names))), 0.85
    return None


def _compare_rows(grid: Grid, measure: str, subjects: Sequence[str]) -> RowsRead | None:
    places = match_names([row.name for row in grid.rows], subjects)
    if not _is_enough(places):
        return None
    chosen = _choose_columns(grid.heads[1:], grid.around, measure)
    if chosen is None:
        return None
    columns, fit = chosen
    rows = tuple(
        _blank_row(grid.rows[0], subject, len(columns))
        if place is None
        else replace(grid.rows[place], cells=tuple(cell_at(grid.rows[place], column + 1) for column in columns))
        for subject, place in zip(subjects, places, strict=True)
    )
    heads = (grid.heads[0], *(grid.heads[column + 1] for column in columns))
    figures = (
        _figure_of(grid, grid.rows[place], column + 1) if place is not None else None
        for place in places
        for column in columns
    )
    return replace(_build_comparison(grid, heads, rows, fit), figures=tuple(figures))


def _compare_columns(grid: Grid, measure: str, subjects: Sequence[str]) -> RowsRead | None:
    places = match_names(grid.heads[1:], subjects)
    if not _is_enough(places):
        return None
    chosen = _choose_columns([row.name for row in grid.rows], grid.around, measure)
    if chosen is None:
        return None
    lines, fit = tuple(grid.rows[place] for place in chosen[0][:MOST_ROWS]), chosen[1]
    rows = tuple(
        _blank_row(lines[0], subject, len(lines))
        if place is None
        else replace(lines[0], name=grid.heads[place + 1], cells=tuple(cell_at(line, place + 1) for line in lines))
        for subject, place in zip(subjects, places, strict=True)
    )
    figures = tuple(
        _figure_of(grid, line, place + 1) if place is not None else None for place in places for line in lines
    )
    read = _build_comparison(grid, ("", *(line.name for line in lines)), rows, fit)
    return replace(read, lines=lines, figures=figures)


def _blank_row(near: TableRow, name: str, width: int) -> TableRow:
    return replace(near, name=name, cells=("",) * width, quote="")


def cell_at(row: TableRow, place: int) -> str:
    """The words of a row in a column; "" where it has none."""
    return row.cells[place] if place < len(row.cells) else ""


def _build_comparison(grid: Grid, heads: tuple[str, ...], rows: tuple[TableRow, ...], fit: float) -> RowsRead:
    missing = tuple(row.name for row in rows if not row.quote)
    share = 1.0 - len(missing) / len(rows)
    blanks = tuple(f"{row.name}, {head}" for row in rows if row.quote
                   for head, cell in zip(heads[1:], row.cells, strict=True) if EMPTY.match(cell))  # fmt: skip
    return RowsRead(
        RowTask.COMPARE,
        grid.document,
        grid.caption,
        heads,
        rows,
        fit * share,
        total=len(grid.rows),
        blanks=blanks,
        missing=missing,
    )


_LISTS = re.compile(
    r"^\W*(?:please\s+)?(?:can you\s+)?(?:list|enumerate|name|give|show|tell|find|identify)\b"
    r"|^\W*(?:what|which)\b.*\b(?:are|were) there\b|^\W*(?:what|who) (?:are|were) all "
    r"|^\W*(?:which|what) (?!(?:are|were|is|was|do|does|did|has|have|had)\b)(?:[\w’'-]+ ){0,3}[\w’'-]+s\b",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"^\W*(?:please\s+)?(?:can you\s+)?(?:(?:list|enumerate|name|give|show|tell|find|identify)(?:\s+(?:me|us))?"
    r"|(?:what|which|who)(?:\s+(?:are|were|is|was))?)\b",
    re.IGNORECASE,
)


_LIST_OF = re.compile(r"^\W*(?:what|who) (?:are|were) (?:the|our|your|its|their) ", re.IGNORECASE)


def _list(grids: Sequence[Grid], plan: QueryPlan, question: str) -> RowsRead | None:
    is_list = asks_for_all(plan) or asks_for(plan, Wanted.MEMBERS)
    return _list_named(grids, question) if is_list and _LISTS.match(question) else None


def _list_of(grids: Sequence[Grid], plan: QueryPlan, question: str) -> RowsRead | None:
    return _list_named(grids, question) if _LIST_OF.match(question) else None


def _list_named(grids: Sequence[Grid], question: str) -> RowsRead | None:
    asked = words_asked(_ASKING.sub(" ", question), GENERIC_ASKED)
    if not asked.terms:
        return None
    found = [read for grid in grids if (read := _list_rows(grid, asked)) is not None]
    found = found or [read for grid in grids if (read := _list_kind(grid, asked)) is not None]
    found.sort(key=lambda read: (-round(read.fit, 4), read.key))
    if len(found) > 1 and abs(found[0].fit - found[1].fit) < SAME_FIT and found[0].key != found[1].key:
        return None
    return found[0] if found else None


SAME_FIT = 0.01
"""Two tables that fit a list alike within this are both meant or none."""


def _list_rows(grid: Grid, asked: Words) -> RowsRead | None:
    """All rows of a table that is named by what is asked for; with words that stand in cells only the rows of these."""
    if not 1 < len(grid.rows) <= MOST_ROWS or not _are_names(grid):
        return None
    named = asked.hits(grid.place)
    known = grid.around | terms_of(" ".join(grid.heads))
    left = asked.left_over(known)
    if not named - _BODIES and not (named and not left):
        return None
    rows = grid.rows
    if left - _BODIES:
        # A cell says it itself: what only comes near, as a port for an airport, is something else.
        cells = [terms_of(" ".join(row.cells)) & asked.terms for row in rows]
        rows = tuple(row for row, said in zip(rows, cells, strict=True) if not asked.left_over(known | said))
        if not rows:
            return None
    width = len(grid.heads) if len(grid.heads) <= MOST_COLUMNS else 1
    once: dict[tuple[str, ...], TableRow] = {}
    for row in rows:
        once.setdefault(row.cells if width > 1 else (row.name,), row)
    told = tuple(replace(row, cells=row.cells[1:width]) for row in once.values())
    by_head = len(asked.hits(terms_of(grid.heads[0]))) if grid.heads else 0
    fit = 0.86 + 0.1 * len(named) / len(asked.terms) + 0.03 * bool(by_head) + 0.01 * grid.rank
    return RowsRead(
        RowTask.LIST,
        grid.document,
        grid.caption,
        grid.heads[:width],
        told,
        min(1.0, fit - 0.1 * len(left) / len(asked.terms)),
        total=len(grid.rows),
    )


def _list_kind(grid: Grid, asked: Words) -> RowsRead | None:
    """The rows of one kind, where a column sorts the rows of a table by kinds and one kind is asked for by its words.

    "All service ports" of a table of sites whose column "Use" says "Service port" in some rows. The cell says so
    itself: what only comes near (a port for an airport) is another kind.
    """
    if not len(grid.rows) > 1 or not _are_names(grid):
        return None
    found: list[tuple[int, int, tuple[TableRow, ...]]] = []
    for place in range(1, len(grid.heads)):
        cells = [terms_of(cell_at(row, place)) for row in grid.rows]
        rows = tuple(
            row
            for row, said in zip(grid.rows, cells, strict=True)
            if len(said) <= LONGEST_KIND and (own := asked.terms & said) and not asked.left_over(own | grid.around)
        )
        is_sorted = len(set(cells)) < len(cells)
        if is_sorted and 1 < len(rows) <= MOST_ROWS and len(rows) < len(grid.rows):
            named = min(len(asked.terms & terms_of(cell_at(row, place))) for row in rows)
            found.append((named, -place, rows))
    if not found:
        return None
    named, _, rows = max(found)
    width = len(grid.heads) if len(grid.heads) <= MOST_COLUMNS else 1
    told = tuple(replace(row, cells=row.cells[1:width]) for row in rows)
    fit = 0.86 + 0.1 * named / len(asked.terms) + 0.01 * grid.rank
    return RowsRead(RowTask.LIST, grid.document, grid.caption, grid.heads[:width], told, min(1.0, fit),
                    total=len(grid.rows))  # fmt: skip


LONGEST_KIND = 8
"""Terms of a cell that names a kind; a longer one describes."""

MOST_COLUMNS = 4
"""Columns of a table whose rows are told in full in a list; of a wider one only the names."""


def _are_names(grid: Grid) -> bool:
    """Whether the first column names things: words, not figures, years or sentences."""
    worded = [row for row in grid.rows if any(character.isalpha() for character in row.name)]
    return 4 * len(worded) >= 3 * len(grid.rows) and all(len(row.name) <= LONGEST_NAME for row in grid.rows)


LONGEST_NAME = 160
"""Characters of a row's name."""

_ASKS_CELL = re.compile(
    r"^\W*(?:and\s+)?(?:what|which|how (?:much|many|long|high|big|large|far|often)|when|who|at what|from what|in what"
    r"|on (?:what|which)|up to)\b",
    re.IGNORECASE,
)
_MEANS = re.compile(r"\b(?:mean|means|meaning|stand for|meant)\b", re.IGNORECASE)
_CODE = re.compile(r"^[A-Z]{0,4}[-. ]?\d{1,4}[A-Za-z]?$")
_MONEY = re.compile(r"\bhow much (?:is|are|was|were|does|do|did)\b|\bcosts?\b|\bprice", re.IGNORECASE)
_PRICED = terms_of("price cost fee charge rate amount")


def _look_up(grids: Sequence[Grid], plan: QueryPlan, question: str) -> RowsRead | None:
    """The cell, or of a code the whole row, for which every content word of the question is accounted."""
    if not _ASKS_CELL.match(question):
        return None
    found = [read for grid in grids if (read := _look_up_in(grid, plan, question)) is not None]
    found.sort(key=lambda read: (-round(read.fit, 4), read.key))
    if len(found) > 1 and found[0].fit - found[1].fit < SAME_FIT and found[0].rows[0].cells != found[1].rows[0].cells:
        return None
    return found[0] if found else None


_PAYER = re.compile(
    r"^\W*how much (?:money )?(?:does|do|did|must|should|will|would|can|has|have)\s+(?:an?|the|each|every)?\s*"
    r"(?P<who>[\w’'-]+)",
    re.IGNORECASE,
)


def is_of_payer(question: str, head: str) -> bool:
    """Whether a column counts those who are asked about: "owners" is not how much an owner pays."""
    match, told = _PAYER.match(question), terms_of(head)
    return match is not None and bool(told) and told <= terms_of(match["who"])


def _look_up_in(grid: Grid, plan: QueryPlan, question: str, without: Terms = frozenset()) -> RowsRead | None:
    asked = words_asked(question, GENERIC_ASKED | without)
    said = terms_of(question) | MEASURING | _LABELLING
    rows = [row for row in grid.rows if (own := terms_of(row.name)) & asked.terms and own <= said]
    longest = max((len(terms_of(row.name) & asked.terms) for row in rows), default=0)
    rows = [row for row in rows if len(terms_of(row.name) & asked.terms) == longest]
    if len(rows) != 1:
        return None
    row, own = rows[0], terms_of(rows[0].name)
    if _CODE.match(row.name) and (_MEANS.search(question) or not (asked.terms - own - grid.around)):
        return _build_look_up(grid, row, list(range(1, len(grid.heads))), 0.92) if len(grid.heads) > 1 else None
    rest = replace(asked, terms=asked.terms - own)
    years = {str(period.year) for period in plan.periods}
    if not grid.is_of(years):
        return None
    if len(grid.heads) == 2 and not any(grid.heads):
        left = rest.left_over(grid.around) - MEASURING - years
        return _build_look_up(grid, row, [1], 0.9) if not left else None
    scored = []
    for place, head in enumerate(grid.heads[1:], 1):
        said = terms_of(head)
        hits = rest.hits(said)
        if _MONEY.search(question) and said & _PRICED:
            hits |= {"price"}
        left = rest.left_over(said | grid.around) - MEASURING - _PRICED - years
        dated = years & set(YEAR.findall(head))
        is_other = bool(years) and bool(YEAR.search(head)) and not dated
        if (hits or dated) and not (left or is_other or is_of_payer(question, head)):
            scored.append((len(hits) + len(dated) - 0.05 * len(said - asked.terms), place))
    scored.sort(reverse=True)
    if not scored or (len(scored) > 1 and scored[0][0] - scored[1][0] < SAME_FIT):
        return None
    return _build_look_up(grid, row, [scored[0][1]], 0.9 + 0.03 * grid.rank)


def _look_up_band(grids: Sequence[Grid], plan: QueryPlan, question: str) -> RowsRead | None:
    """The row whose range holds the number that the question brings, where a table's first column states ranges."""
    years = {str(period.year) for period in plan.periods}
    given = [quantity for quantity in quantities_in(question) if quantity.text not in years and not quantity.is_code]
    if not _ASKS_CELL.match(question) or len(given) != 1:
        return None
    found = [read for grid in grids if (read := _look_up_band_in(grid, question, given[0])) is not None]
    found.sort(key=lambda read: (-round(read.fit, 4), read.key))
    if len(found) > 1 and found[0].fit - found[1].fit < SAME_FIT and found[0].rows[0].cells != found[1].rows[0].cells:
        return None
    return found[0] if found else None


def _look_up_band_in(grid: Grid, question: str, given: Quantity) -> RowsRead | None:
    banded = [(row, band) for row in grid.rows if (band := band_of(row.name)) is not None]
    if sum(band.is_range for _, band in banded) < FEWEST_BANDS or len(banded) < len(grid.rows):
        return None
    around = f"{grid.heads[0]} {grid.caption}"
    held = [row for row, band in banded if _is_in(band, given, f"{around} {row.name}", question)]
    if len(held) != 1:
        return None
    counted = question[given.start : given.end] + " " + (given.noun or given.unit)
    asked = words_asked(question, GENERIC_ASKED | MEASURING | terms_of(counted))
    told = {
        place: terms_of(f"{head} {cell_at(held[0], place)}") for place, head in enumerate(grid.heads) if place and head
    }
    left = asked.left_over(grid.around.union(terms_of(around), *told.values()))
    if not told or not asked.terms or len(left) > LEFT_OF_BAND * len(asked.terms):
        return None
    hits = {place: len(asked.hits(said)) for place, said in told.items()}
    best = [place for place in told if hits[place] == max(hits.values())]
    if not asked.hits(grid.place.union(terms_of(around), *told.values())) or len(best) > MOST_COLUMNS:
        return None
    read = _build_look_up(grid, held[0], best, 0.92 + 0.03 * grid.rank - 0.1 * len(left) / len(asked.terms))
    named = replace(read.rows[0], name=f"{grid.heads[0]} {held[0].name}".strip())
    return replace(read, task=RowTask.BAND, rows=(named,))


_AGAINST = re.compile(
    r"\b(?:compared? (?:with|to)|against|versus|vs\.?|relative to)\s+(?:the |its |our )?(?:[\w-]+ )?"
    r"(?P<plan>budget|plan|target|forecast|estimate|guidance)(?:ed|s)?\b|\b(?:over|under|above|below|off)"
    r" (?P<off>budget|plan|target|forecast)\b",
    re.IGNORECASE,
)
_ACTUAL = re.compile(r"\b(?:actuals?|outturn|results?|achieved|reached|spent)\b", re.IGNORECASE)
_ASKS_FIGURE = re.compile(
    r"^\W*(?:and\s+)?(?:what|how (?:did|do|does|much|far|was|were|is|are)|by how much)\b", re.IGNORECASE
)


def _set_against(grids: Sequence[Grid], plan: QueryPlan, question: str) -> RowsRead | None:
    """A row under the column of what was planned and that of what came of it in the same year."""
    match = _AGAINST.search(question)
    if match is None or not _ASKS_FIGURE.match(question):
        return None
    planned = terms_of(match["plan"] or match["off"])
    asked = words_asked(YEAR.sub(" ", question.replace(match[0], " ")), GENERIC_ASKED | MEASURING | _CHANGING)
    years = {str(period.year) for period in plan.periods}
    found: list[RowsRead] = []
    for grid in grids:
        pair = plan_and_actual(grid.heads, planned, years)
        rows = [
            row for row in grid.rows if (own := terms_of(row.name)) and own <= asked.terms | MEASURING | own & _SAYS_SUM
        ]
        rows = [row for row in rows if not asked.left_over(terms_of(row.name) | grid.around)]
        if pair is not None and len(rows) == 1 and not any(EMPTY.match(cell_at(rows[0], place)) for place in pair):
            found.append(replace(_build_look_up(grid, rows[0], pair, 0.93 + 0.03 * grid.rank), task=RowTask.AGAINST))
    found.sort(key=lambda read: (-round(read.fit, 4), read.key))
    return found[0] if found else None


_SAYS_SUM = terms_of("total net overall")
"""Terms of a row's name that a question may leave out."""


def plan_and_actual(heads: Sequence[str], planned: Terms, years: Collection[str]) -> tuple[int, int] | None:
    """The places of the columns with what happened and what was planned, of the years asked or the first year."""
    plans = [place for place, head in enumerate(heads) if place and planned <= terms_of(head)]
    if years:
        plans = [
            place for place in plans if set(years) <= set(YEAR.findall(heads[place])) or not YEAR.search(heads[place])
        ]
    for place in plans:
        dates = YEAR.findall(heads[place])
        others = [other for other in range(1, len(heads)) if other not in plans and YEAR.findall(heads[other]) == dates]
        actual = [other for other in others if _ACTUAL.search(heads[other])] or others
        if len(actual) == 1:
            return actual[0], place
    return None


FEWEST_BANDS = 2
"""Ranges that the first column of a table has, at least, for its rows to be bands."""

LEFT_OF_BAND = 0.34
"""Share of the question's content words that neither the headers nor what stands around the table say, at most.
Chosen by hand: one of three, as the verb is hardly ever a header's."""


def _is_in(band: Band, given: Quantity, said: str, question: str) -> bool:
    """Whether an amount lies in a band of the same unit, which the words `said` around it may name.

    A plain number lies in a plain band where the question says what it is of: "at a leverage of 2.4".
    """
    if band.dimension and given.dimension:
        is_same = band.dimension == given.dimension and (band.currency or given.currency) == (
            given.currency or band.currency
        )
        return is_same and band.holds(amount_of(given))
    unit = terms_of(given.currency or given.noun or given.unit)
    is_named = unit <= terms_of(said) if unit else bool(terms_of(said) & terms_of(question))
    return not band.dimension and is_named and band.holds(given.value)


def _build_look_up(grid: Grid, row: TableRow, places: Sequence[int], fit: float) -> RowsRead:
    cells = tuple(cell_at(row, place) for place in places)
    heads = (grid.heads[0], *(grid.heads[place] for place in places))
    blanks = tuple(head for head, cell in zip(heads[1:], cells, strict=True) if EMPTY.match(cell))
    return RowsRead(
        RowTask.LOOK_UP,
        grid.document,
        grid.caption,
        heads,
        (replace(row, cells=cells),),
        fit,
        len(grid.rows),
        blanks=blanks,
        figures=tuple(_figure_of(grid, row, place) for place in places),
    )


def _figure_of(grid: Grid, row: TableRow, place: int) -> Figure | None:
    """The cell as a figure in the table's units; None where they are not its own: counts, shares, cells with a unit."""
    head = grid.heads[place]
    view = next(part for part in grid.view.parts if part.node.key == row.key)
    relation = Relation(grid.document, view)
    line = next((line for line in relation.lines if line.row.offset == row.start), None)
    entry = next((one for one in relation.entries(line) if one.axis.index == place), None) if line else None
    is_bare = re.fullmatch(r"\W*[\d.,]+\W*", cell_at(row, place))
    if entry is None or entry.is_blank or counts_things(head) or not is_bare:
        return None
    figure = relation.figure(entry, 1.0)
    is_priced = bool(terms_of(f"{head} {row.name}") & _PRICED) and bool(figure.currency)
    return figure if is_priced or (figure.scale != 1 and not figure.percent) else None


_CHANGED = re.compile(
    r"^\W*(?:and\s+)?how (?:much )?(?:did|do|does|has|have|will|is|are|was|were)\b.*"
    r"\b(?:chang|develop|evolv|mov|vary|varied|grow|grew|ris|rose|fall|fell|increas|decreas|differ)\w*\b"
    r"|^\W*what (?:is|was) the (?:change|difference|development) (?:in|of)\b",
    re.IGNORECASE,
)
_CHANGING = terms_of(
    """change changed develop developed evolve evolved move moved grow grew grown rise rose risen fall fell fallen
    increase increased decrease decreased differ year years last before previous next"""
)


def _change(grids: Sequence[Grid], plan: QueryPlan, question: str) -> RowsRead | None:
    """A row under its two years, or, of a table that has no years, the cell itself: another document has the other."""
    if not _CHANGED.match(question):
        return None
    found = [read for grid in grids if (read := _change_in(grid, plan, question)) is not None]
    found.sort(key=lambda read: (-round(read.fit, 4), read.key))
    return found[0] if found else None


def _change_in(grid: Grid, plan: QueryPlan, question: str) -> RowsRead | None:
    years = sorted({str(period.year) for period in plan.periods})
    plain = words_asked(YEAR.sub(" ", question), GENERIC_ASKED | _CHANGING)
    dated = {year: place for place, head in reversed(list(enumerate(grid.heads)))
             if place and len(found := YEAR.findall(head)) == 1 for year in found}  # fmt: skip
    wanted = years if len(years) == 2 else sorted(dated)[-2:]
    if len(wanted) == 2 and all(year in dated for year in wanted):
        rows = [
            row for row in grid.rows if (own := terms_of(row.name)) & plain.terms and not own - plain.terms - MEASURING
        ]
        rows = [row for row in rows if not plain.left_over(grid.around | terms_of(row.name)) - MEASURING]
        rows.sort(key=lambda row: -len(terms_of(row.name)))
        if rows and (len(rows) == 1 or len(terms_of(rows[0].name)) > len(terms_of(rows[1].name))):
            places = [dated[year] for year in wanted]
            read = _build_look_up(grid, rows[0], places, 0.93 + 0.03 * grid.rank)
            return replace(read, task=RowTask.CHANGE, measure=f"{wanted[0]} {wanted[1]}")
    if dated:
        return None
    plan = replace(plan, periods=())
    told = _look_up_in(grid, plan, " ".join(re.sub(r"\W", " ", YEAR.sub(" ", question)).split()), _CHANGING)
    return replace(told, task=RowTask.CHANGE) if told is not None else None


_READERS: dict[RowTask, Callable[[Sequence[Grid], QueryPlan, str], RowsRead | None]] = {
    RowTask.COMPARE: _compare,
    RowTask.DIFFER: _differ,
    RowTask.LIST: _list,
    RowTask.LIST_OF: _list_of,
    RowTask.LOOK_UP: _look_up,
    RowTask.BAND: _look_up_band,
    RowTask.AGAINST: _set_against,
    RowTask.CHANGE: _change,
}
