"""Tables read as words: rows compared, listed, ranked by what an adjective means, and looked up, blanks among them."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
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
from vectorless_web.engine.text.numbers import numbers_in
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
    COUNT = "count"
    """The same, asked for as a number."""


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
        return set(years) <= set(_YEAR.findall(said))


LONGEST_LINE = 120
"""Characters of a line above a table that names it."""

_LINES_ABOVE = 3
"""Paragraphs above a table that may say what it is about: title, state and units of a sheet."""

LONGEST_BEFORE = 300
"""Characters of the paragraph before a table that may say what it is about."""

MOST_ROWS = 60
"""Rows that are listed or compared; more are no answer that somebody reads."""

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_NUMBERING = re.compile(r"^(?:\d+(?:\.\d+)*|[ivxIVX]{1,5}|[A-Za-z])[.)]?\s+(?=\S)")
_SUM = re.compile(r"^\W*(?:(?:sub|grand\s+)?-?totals?|sum)\b", re.IGNORECASE)
_EMPTY = re.compile(r"^[\s—–−\-.*/]*$|^n\.?/?a\.?$", re.IGNORECASE)


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
        return found["m"], _subjects(found["s"])
    return measure, _subjects(body)


def _subjects(text: str) -> tuple[str, ...]:
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
    noun, measure = terms_of(match["noun"]), terms_of(_YEAR.sub(" ", match["measure"])) - GENERIC_ASKED
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
    dated = [place for place, head in enumerate(heads, 1) if not years or years & set(_YEAR.findall(head))]
    if not dated:
        return None
    rows = tuple(replace(row, name=title, cells=tuple(_cell(row, place) for place in dated))
                 for title, (_, row) in zip(names, found, strict=True))  # fmt: skip
    first = found[0][0]
    figures = tuple(_figure_of(grid, row, place) for grid, row in found for place in dated)
    read = _build_comparison(first, ("", *(first.heads[place] for place in dated)), rows, 0.9)
    return replace(read, where=first.view.path[-2], measure=name, total=len(rows), figures=figures)


def _match_names(names: Sequence[str], subjects: Sequence[str]) -> list[int | None]:
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
    places = _match_names([row.name for row in grid.rows], subjects)
    if not _is_enough(places):
        return None
    chosen = _choose_columns(grid.heads[1:], grid.around, measure)
    if chosen is None:
        return None
    columns, fit = chosen
    rows = tuple(
        _blank_row(grid.rows[0], subject, len(columns))
        if place is None
        else replace(grid.rows[place], cells=tuple(_cell(grid.rows[place], column + 1) for column in columns))
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
    places = _match_names(grid.heads[1:], subjects)
    if not _is_enough(places):
        return None
    chosen = _choose_columns([row.name for row in grid.rows], grid.around, measure)
    if chosen is None:
        return None
    lines, fit = tuple(grid.rows[place] for place in chosen[0][:MOST_ROWS]), chosen[1]
    rows = tuple(
        _blank_row(lines[0], subject, len(lines))
        if place is None
        else replace(lines[0], name=grid.heads[place + 1], cells=tuple(_cell(line, place + 1) for line in lines))
        for subject, place in zip(subjects, places, strict=True)
    )
    figures = tuple(
        _figure_of(grid, line, place + 1) if place is not None else None for place in places for line in lines
    )
    read = _build_comparison(grid, ("", *(line.name for line in lines)), rows, fit)
    return replace(read, lines=lines, figures=figures)


def _blank_row(near: TableRow, name: str, width: int) -> TableRow:
    return replace(near, name=name, cells=("",) * width, quote="")


def _cell(row: TableRow, place: int) -> str:
    return row.cells[place] if place < len(row.cells) else ""


def _build_comparison(grid: Grid, heads: tuple[str, ...], rows: tuple[TableRow, ...], fit: float) -> RowsRead:
    missing = tuple(row.name for row in rows if not row.quote)
    share = 1.0 - len(missing) / len(rows)
    blanks = tuple(f"{row.name}, {head}" for row in rows if row.quote
                   for head, cell in zip(heads[1:], row.cells, strict=True) if _EMPTY.match(cell))  # fmt: skip
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
        cells = [terms_of(_cell(row, place)) for row in grid.rows]
        rows = tuple(
            row
            for row, said in zip(grid.rows, cells, strict=True)
            if len(said) <= LONGEST_KIND and (own := asked.terms & said) and not asked.left_over(own | grid.around)
        )
        is_sorted = len(set(cells)) < len(cells)
        if is_sorted and 1 < len(rows) <= MOST_ROWS and len(rows) < len(grid.rows):
            named = min(len(asked.terms & terms_of(_cell(row, place))) for row in rows)
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

_PROPERTIES: tuple[tuple[str, bool, str], ...] = (
    (r"quiet(?:est|er)|(?:most|more) silent|silentest", False, "noise sound db decibel loudness acoustic"),
    (r"loud(?:est|er)|nois(?:iest|ier)", True, "noise sound db decibel loudness acoustic"),
    (r"cheap(?:est|er)|least expensive|costs? (?:the )?least|lowest price", False,
     "price cost fee charge rate rent premium fare"),
    (r"dear(?:est|er)|(?:most|more) (?:expensive|costly)|costs? (?:the )?most|pric(?:iest|ier)", True,
     "price cost fee charge rate rent premium fare"),
    (r"heav(?:iest|ier)|weighs? (?:the )?most", True, "weight mass kg gram load"),
    (r"light(?:est|er)|weighs? (?:the )?least", False, "weight mass kg gram load"),
    (r"bright(?:est|er)|strongest light", True, "light lux lumen brightness intensity luminance"),
    (r"dim(?:mest|mer)|darkest", False, "light lux lumen brightness intensity luminance"),
    (r"hott(?:est|er)|warm(?:est|er)", True, "temperature degree celsius heat"),
    (r"cold(?:est|er)|cool(?:est|er)", False, "temperature degree celsius heat"),
    (r"(?:takes?|lasts?|runs?|needs?|keeps?|took|lasted|is|are|was) (?:the )?long(?:est|er)|longest"
     r"|(?:most|the most) time|(?:the )?furthest ahead|furthest in advance", True,
     "duration time length minute min hour day week month period lead term years"),
    (r"short(?:est|er)|least time|quick(?:est|er)", False,
     "duration time length minute min hour day week month period lead term"),
    (r"fast(?:est|er)", True, "speed velocity throughput pace"),
    (r"slow(?:est|er)", False, "speed velocity throughput pace"),
    (r"tall(?:est|er)", True, "height tall"),
    (r"deep(?:est|er)", True, "depth deep"),
    (r"wid(?:est|er)|broad(?:est|er)", True, "width wide breadth span"),
    (r"old(?:est|er)", True, "age old"),
    (r"young(?:est|er)", False, "age"),
    (r"far(?:thest|ther)|furthest|further", True, "distance range km mile"),
    (r"near(?:est|er)|clos(?:est|er)", False, "distance range km mile"),
    (r"big(?:gest|ger)|larg(?:est|er)|holds? (?:the )?most|roomiest", True,
     "size capacity volume area content seats places"),
    (r"small(?:est|er)|holds? (?:the )?least", False, "size capacity volume area content seats places"),
    (r"strong(?:est|er)|(?:most|more) powerful", True, "power strength watt wattage force load"),
    (r"weak(?:est|er)|least powerful", False, "power strength watt wattage force load"),
    (r"safest", False, "accident incident injury risk"),
    (r"thirst(?:iest|ier)", True, "consumption water fuel"),
)  # fmt: skip
"""What an adjective is measured by: its wordings, whether it is the most of that, and the words of such a column."""

_RANKS = tuple((re.compile(rf"\b(?:{wordings})\b", re.IGNORECASE), most, words_asked(words))
               for wordings, most, words in _PROPERTIES)  # fmt: skip
_AMOUNTS = re.compile(
    r"\b(?:(?P<up>most|highest|largest|greatest|biggest|maximum|best)"
    r"|(?P<down>least|fewest|lowest|smallest|minimum|worst))\b",
    re.IGNORECASE,
)
_SUBJECT = re.compile(r"\b(?:which|what)\s+(?:of (?:the )?)?(?P<noun>[\w’'-]+(?:\s+[\w’'-]+)?)", re.IGNORECASE)


_ASKS_WHICH = re.compile(r"\b(?:which|what|who|where|whose)\b", re.IGNORECASE)
_ASKS_ELSE = re.compile(
    r"\b(?:why|how come|when|in (?:which|what) (?:\w+ )?(?:year|month|quarter|period)s?)\b", re.IGNORECASE
)


def _rank(grids: Sequence[Grid], plan: QueryPlan, question: str) -> RowsRead | None:
    if not _ASKS_WHICH.search(question) or _ASKS_ELSE.search(question):
        return None
    found = [
        read
        for grid in grids
        for rank in (_rank_rows, _rank_columns, _rank_models)
        if (read := rank(grid, question)) is not None
    ]
    found.sort(key=lambda read: (-round(read.fit, 4), read.key))
    if len(found) > 1 and found[0].fit - found[1].fit < SAME_FIT and found[0].rows[0].name != found[1].rows[0].name:
        return None
    return found[0] if found else _rank_across(grids, plan, question)


def _rank_rows(grid: Grid, question: str) -> RowsRead | None:
    """The rows by the column that the adjective is measured by: "the quietest" by "Noise (dB)"."""
    for pattern, most, measured in _RANKS:
        match = pattern.search(question)
        if match is None:
            continue
        rest = _asked_beside(question, match.group())
        fits = []
        for place, head in enumerate(grid.heads[1:], 1):
            said = terms_of(head)
            if measured.terms & said and not _AMOUNTS.search(head):
                worth = len(rest.hits(said)) + 0.5 * len(measured.terms & said)
                fits.append((worth - 0.1 * len(said - measured.terms - rest.terms), place))
        fits.sort(reverse=True)
        if not fits or (len(fits) > 1 and fits[0][0] == fits[1][0]):
            continue
        asked = _SUBJECT.search(question)
        spoken = _speaks_of(grid, rest, terms_of(asked["noun"].split()[0]) if asked else frozenset())
        read = _build_rank(grid, fits[0][1], most=most) if spoken else None
        if read is not None:
            return replace(read, rank=match.group().lower(), fit=read.fit - 0.08 * (1.0 - spoken))
    return None


def _rank_models(grid: Grid, question: str) -> RowsRead | None:
    """The columns by the row that the adjective is measured by: models side by side in a sheet of technical data."""
    if len(grid.heads) < 3 or any(_YEAR.search(head) or not head for head in grid.heads[1:]):
        return None
    for pattern, most, measured in _RANKS:
        match = pattern.search(question)
        if match is None:
            continue
        rest = _asked_beside(question, match.group())
        lines = [row for row in grid.rows if measured.terms & terms_of(row.name)]
        lines.sort(key=lambda row: -len(rest.hits(terms_of(row.name))))
        hits = [len(rest.hits(terms_of(row.name))) for row in lines]
        if not lines or (len(lines) > 1 and hits[0] == hits[1]):
            continue
        part = _part_asked(lines[0].name, question)
        valued = [(value, head, text) for place, head in enumerate(grid.heads[1:], 1)
                  if (text := _cell_part(_cell(lines[0], place), part))
                  and (value := _only_number(text)) is not None]  # fmt: skip
        valued.sort(key=lambda row: row[0], reverse=most)
        if len(valued) < len(grid.heads) - 1 or valued[0][0] == valued[1][0]:
            continue
        rows = tuple(replace(lines[0], name=head, cells=(text,)) for _, head, text in valued)
        fit = 0.86 + 0.04 * len(rest.hits(grid.around | terms_of(lines[0].name))) / max(1, len(rest.terms))
        return RowsRead(RowTask.RANK, grid.document, grid.caption, ("", lines[0].name), rows, fit, total=len(rows),
                        measure=lines[0].name, rank=match.group().lower(), lines=(lines[0],))  # fmt: skip
    return None


def _part_asked(name: str, question: str) -> int:
    """Which part of cells like "43 / 48" is meant, by a label like "low / high"; -1 for cells of one part."""
    match = re.search(r"([\w-]+)\s*/\s*([\w-]+)", name)
    asked = terms_of(question)
    hits = [bool(terms_of(part) & asked) for part in match.groups()] if match else []
    return hits.index(True) if hits.count(True) == 1 else -1


def _cell_part(cell: str, part: int) -> str:
    parts = [text.strip() for text in cell.split("/")]
    return cell if part < 0 else parts[part] if part < len(parts) else ""


def _only_number(text: str) -> Decimal | None:
    numbers = numbers_in(text)
    return numbers[0].value if len(numbers) == 1 else None


def _asked_beside(question: str, rank: str) -> Words:
    """The content words of the question beside those that rank."""
    plain = re.sub(r"^\W*(?:i|we) (?:want|need|like|would like|am looking)\b[^.?!]*[.!]\s*", " ", question, flags=re.I)
    return words_asked(plain.replace(rank, " "), GENERIC_ASKED | MEASURING)


def _speaks_of(grid: Grid, rest: Words, noun: Terms) -> float:
    """How much of what is ranked the table accounts for, in [0, 1]: 0 where it names none of it or less than half.

    `noun` is what is ranked ("Which saw"): a table whose names are called so is about it.
    """
    said = grid.around | terms_of(" ".join(grid.heads))
    left = rest.left_over(said)
    if noun & terms_of(grid.heads[0]):
        return 0.75
    if not rest.hits(said) or 2 * len(left) > len(rest.terms):
        return 0.0
    return 0.5 * bool(rest.hits(grid.place)) + 0.5 * (1.0 - len(left) / max(1, len(rest.terms)))


def _build_rank(grid: Grid, place: int, *, most: bool) -> RowsRead | None:
    """The rows with a number in the column, the winner first; None for fewer than two, ranges, or a tie at the top."""
    valued: list[tuple[Decimal, TableRow]] = []
    blanks = []
    for row in grid.rows:
        text = _cell(row, place)
        numbers = numbers_in(text)
        if _EMPTY.match(text):
            blanks.append(row.name)
        elif len(numbers) != 1:
            return None
        else:
            valued.append((numbers[0].value, replace(row, name=_name_with_words(row), cells=(text,))))
    valued.sort(key=lambda pair: pair[0], reverse=most)
    if not 2 <= len(valued) <= MOST_ROWS or valued[0][0] == valued[1][0]:
        return None
    heads = (grid.heads[0], grid.heads[place])
    rows = tuple(row for _, row in valued)
    return RowsRead(RowTask.RANK, grid.document, grid.caption, heads, rows, 0.9 + 0.02 * grid.rank, total=len(rows),
                    measure=grid.heads[place], rank="highest" if most else "lowest", blanks=tuple(blanks))  # fmt: skip


def _name_with_words(row: TableRow) -> str:
    """The name; of a code with what the next cell calls it: "CV-10 (Oak tray)"."""
    worded = _cell(row, 1)
    is_code = any(character.isdigit() for character in row.name) and " " not in row.name
    is_named = (
        is_code and worded and not any(character.isdigit() for character in worded) and len(worded) <= LONGEST_LINE
    )
    return f"{row.name} ({worded})" if is_named else row.name


def _rank_columns(grid: Grid, question: str) -> RowsRead | None:
    """The named columns of the one row that is asked about: "Which site has the most helmets?" """
    match, noun = _AMOUNTS.search(question), _SUBJECT.search(question)
    if match is None or noun is None or len(grid.heads) < 3:
        return None
    subject = words_asked(noun["noun"].split()[0], GENERIC_ASKED)
    asked = words_asked(question.replace(match.group(), " "), GENERIC_ASKED | MEASURING)
    if not subject.terms or subject.left_over(grid.around) or subject.hits(terms_of(grid.heads[0])):
        return None
    lines = [row for row in grid.rows if (own := terms_of(row.name)) and not own - asked.terms]
    lines.sort(key=lambda row: -len(terms_of(row.name)))
    if not lines or asked.left_over(grid.around | terms_of(lines[0].name)):
        return None
    valued, blanks = list[tuple[Decimal, str, str]](), list[str]()
    for place, head in enumerate(grid.heads[1:], 1):
        text, numbers = _cell(lines[0], place), numbers_in(_cell(lines[0], place))
        if not head or any(character.isdigit() for character in head):
            return None
        if terms_of(head) & _STATISTICS:
            continue
        if _EMPTY.match(text):
            blanks.append(head)
        elif len(numbers) == 1:
            valued.append((numbers[0].value, head, text))
    valued.sort(key=lambda row: row[0], reverse=bool(match["up"]))
    if len(valued) < 2 or valued[0][0] == valued[1][0]:
        return None
    rows = tuple(replace(lines[0], name=head, cells=(text,)) for _, head, text in valued)
    return RowsRead(RowTask.RANK, grid.document, grid.caption, ("", lines[0].name), rows, 0.88, total=len(rows),
                    measure=lines[0].name, rank=match.group().lower(), blanks=tuple(blanks),
                    lines=(lines[0],))  # fmt: skip


_STATISTICS = terms_of(
    "total sum average mean median level minimum maximum target change unit note remark limit reorder"
)
"""Terms of a column's header that is no member of what its neighbours are."""


def _rank_across(grids: Sequence[Grid], plan: QueryPlan, question: str) -> RowsRead | None:
    """Rows of the same name in sister tables, one under each heading: "Which division had the best margin?" """
    match, noun = _AMOUNTS.search(question), _SUBJECT.search(question)
    if match is None or noun is None:
        return None
    subject = terms_of(noun["noun"].split()[0])
    asked = words_asked(question.replace(match.group(), " "), GENERIC_ASKED | MEASURING)
    years = [str(period.year) for period in plan.periods]
    sisters: dict[tuple[str, int], list[tuple[Decimal, TableRow]]] = {}
    for grid in grids:
        place = next((i for i, head in enumerate(grid.heads) if i and any(year in head for year in years)), 1)
        for row in grid.rows:
            own = terms_of(row.name)
            numbers = numbers_in(_cell(row, place))
            if len(numbers) == 1 and own & asked.terms and own - subject <= asked.terms and len(grid.view.path) > 1:
                named = replace(row, name=grid.view.path[-1], cells=(_cell(row, place),))
                sisters.setdefault((row.name, grid.view.tree.parent(grid.view.node.parent)), []).append(
                    (numbers[0].value, named)
                )
    best = max(sisters.items(), key=lambda pair: (len(terms_of(pair[0][0]) & asked.terms), len(pair[1])), default=None)
    if best is None or len({row.name for _, row in best[1]}) < max(2, len(best[1])):
        return None
    valued = sorted(best[1], key=lambda pair: pair[0], reverse=bool(match["up"]))
    if valued[0][0] == valued[1][0]:
        return None
    rows = tuple(row for _, row in valued)
    return RowsRead(RowTask.RANK, grids[0].document, best[0][0], ("", best[0][0]), rows, 0.86, total=len(rows),
                    measure=best[0][0], rank=match.group().lower())  # fmt: skip


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
        dated = years & set(_YEAR.findall(head))
        is_other = bool(years) and bool(_YEAR.search(head)) and not dated
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
        place: terms_of(f"{head} {_cell(held[0], place)}") for place, head in enumerate(grid.heads) if place and head
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
    asked = words_asked(_YEAR.sub(" ", question.replace(match[0], " ")), GENERIC_ASKED | MEASURING | _CHANGING)
    years = {str(period.year) for period in plan.periods}
    found: list[RowsRead] = []
    for grid in grids:
        pair = _plan_and_actual(grid.heads, planned, years)
        rows = [
            row for row in grid.rows if (own := terms_of(row.name)) and own <= asked.terms | MEASURING | own & _SAYS_SUM
        ]
        rows = [row for row in rows if not asked.left_over(terms_of(row.name) | grid.around)]
        if pair is not None and len(rows) == 1 and not any(_EMPTY.match(_cell(rows[0], place)) for place in pair):
            found.append(replace(_build_look_up(grid, rows[0], pair, 0.93 + 0.03 * grid.rank), task=RowTask.AGAINST))
    found.sort(key=lambda read: (-round(read.fit, 4), read.key))
    return found[0] if found else None


_SAYS_SUM = terms_of("total net overall")
"""Terms of a row's name that a question may leave out."""


def _plan_and_actual(heads: Sequence[str], planned: Terms, years: Collection[str]) -> tuple[int, int] | None:
    """The places of the columns with what happened and what was planned, of the years asked or the first year."""
    plans = [place for place, head in enumerate(heads) if place and planned <= terms_of(head)]
    if years:
        plans = [
            place for place in plans if set(years) <= set(_YEAR.findall(heads[place])) or not _YEAR.search(heads[place])
        ]
    for place in plans:
        dates = _YEAR.findall(heads[place])
        others = [
            other for other in range(1, len(heads)) if other not in plans and _YEAR.findall(heads[other]) == dates
        ]
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
    cells = tuple(_cell(row, place) for place in places)
    heads = (grid.heads[0], *(grid.heads[place] for place in places))
    blanks = tuple(head for head, cell in zip(heads[1:], cells, strict=True) if _EMPTY.match(cell))
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
    if entry is None or entry.is_blank or counts_things(head) or not re.fullmatch(r"\W*[\d.,]+\W*", _cell(row, place)):
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
    plain = words_asked(_YEAR.sub(" ", question), GENERIC_ASKED | _CHANGING)
    dated = {year: place for place, head in reversed(list(enumerate(grid.heads)))
             if place and len(found := _YEAR.findall(head)) == 1 for year in found}  # fmt: skip
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
    told = _look_up_in(grid, plan, " ".join(re.sub(r"\W", " ", _YEAR.sub(" ", question)).split()), _CHANGING)
    return replace(told, task=RowTask.CHANGE) if told is not None else None


_READERS: dict[RowTask, Callable[[Sequence[Grid], QueryPlan, str], RowsRead | None]] = {
    RowTask.COMPARE: _compare,
    RowTask.DIFFER: _differ,
    RowTask.LIST: _list,
    RowTask.LIST_OF: _list_of,
    RowTask.RANK: _rank,
    RowTask.LOOK_UP: _look_up,
    RowTask.BAND: _look_up_band,
    RowTask.AGAINST: _set_against,
    RowTask.CHANGE: _change,
}
