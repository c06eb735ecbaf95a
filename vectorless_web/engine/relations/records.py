"""Rows chosen by what another column says of them: counted, listed, or one more cell of each told.

A table of records (a register, orders, a timetable) is asked by its cells: "How many coaches are kept at Malham?",
"Which orders were carried by Freight North?", "Who teaches the Otters?". Every content word of a question must be
accounted for: by the cell that chooses, its column's header, the column asked for, or what the table is called.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from vectorless_web.engine.passages.causes import names_reason
from vectorless_web.engine.passages.checks import names_holder
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.relations.everyday import read_everyday_rank
from vectorless_web.engine.relations.kinds import is_called
from vectorless_web.engine.relations.measures import CURRENCY
from vectorless_web.engine.relations.ranks import count_off_plan, read_rank, subjects_of
from vectorless_web.engine.relations.rows import (
    GENERIC_ASKED,
    MEASURING,
    MOST_ROWS,
    Grid,
    RowsRead,
    RowTask,
    TableRow,
    Terms,
    Words,
    is_of_payer,
    read_rows,
    terms_of,
    words_asked,
)
from vectorless_web.engine.text.numbers import numbers_in

_COUNT = re.compile(r"^\W*(?:and\s+)?how many\s+(?P<noun>[\w’'-]+(?:\s+[\w’'-]+)?)", re.IGNORECASE)
_WHICH = re.compile(r"^\W*(?:and\s+)?(?:which|what)\s+(?:of (?:the )?)?(?P<noun>[\w’'-]+)", re.IGNORECASE)
_WHO = re.compile(r"^\W*(?:and\s+)?who(?:se)?\s+(?P<verb>[\w’'-]+)", re.IGNORECASE)
_WHEN = re.compile(r"^\W*(?:and\s+)?(?:when|at what time|on (?:which|what) (?:day|date))\b", re.IGNORECASE)
_WHERE = re.compile(r"^\W*(?:and\s+)?where\b", re.IGNORECASE)
_ASKING = re.compile(
    r"^\W*(?:and\s+)?(?:how (?:many|much)|which|what|who|whose|when|where|on (?:which|what)|at what)\b", re.IGNORECASE
)
_RANKED = re.compile(
    r"\b(?:most|least|fewest|highest|lowest|(?:larg|small|great|old|young|new|long|short|early|earli|lat|cheap|bigg|fast"
    r"|slow)est|more than|less than|fewer than|at least|at most|over|above|below|under|between|before|after|since|until"
    r"|total|altogether|average|sum|per|why|how come|if)\b",
    re.IGNORECASE,
)
"""Words that ask for more than the rows of a value: a rank, a bound, a sum, a reason."""
_NEGATED = re.compile(r"\b(?:not|never|without|no longer|yet to|[a-z]+n[’']t)\b", re.IGNORECASE)
_NONE_LEFT = re.compile(r"\bno\s+(?P<what>[\w’'-]+(?:\s+[\w’'-]+)?)", re.IGNORECASE)
_YES, _NO = (
    frozenset({"yes", "y", "true", "x", "✓", "✔", "ja", "oui", "si"}),
    frozenset({"no", "n", "false", "nein", "non"}),
)
_LINKED = (
    r"\b(?:is|are|was|were|be|been|being)\s+(?:\w+ly\s+)?(?P<verb>[\w’'-]{3,})\s+"
    r"(?:(?:by|at|in|from|to|on|with|for|as|via)\s+)?(?:the\s+)?"
)
_EXTRA = terms_of(
    "currently now today still already kept based located held placed listed entered shown right work works"
)
"""Terms that say that something is so, and not what."""

_PEOPLE = terms_of(
    """name person contact customer client buyer supplier vendor seller owner tenant landlord driver instructor teacher
    tutor trainer coach leader lead chair manager head author writer editor reviewer approver responsible assignee
    speaker host doctor nurse carrier haulier officer secretary treasurer member employee colleague operator keeper
    borrower applicant guest inspector auditor surveyor conductor"""
)
"""Terms of headers of columns that name people or firms."""
DEEDS: tuple[tuple[Terms, Terms], ...] = tuple(
    (terms_of(deeds), terms_of(doers))
    for deeds, doers in (
        ("teach teaches teaching taught instruct train coach give gives run runs lead leads",
         "instructor teacher tutor trainer coach leader lead"),
        ("order ordered buy bought purchase purchased place placed", "customer client buyer purchaser"),
        ("carry carried deliver delivered ship shipped transport transported", "carrier haulier supplier"),
        ("supply supplied supplies sell sold deliver delivered make makes made",
         "supplier vendor seller maker manufacturer"),
        ("write wrote written", "author writer"),
        ("drive drives drove driven", "driver"),
        ("manage manages lead leads head heads run runs chair chairs charge", "manager head lead leader chair owner"),
        ("own owns owned", "owner"),
        ("rent rents rented lease leases occupy occupies", "tenant"),
        ("approve approved approves sign signed signs", "approver"),
        ("review reviewed reviews check checked checks", "reviewer inspector"),
        ("inspect inspected inspects audit audited", "inspector auditor surveyor"),
        ("speak speaks talk talks present presents", "speaker presenter host"),
        ("borrow borrowed borrows", "borrower member"),
        ("handle handles handled responsible deal deals", "responsible assignee owner contact"),
        ("run runs ran running operate operates operated operating", "operator"),
        ("command commanded commanding charge captain", "master captain skipper pilot commander"),
        ("carry carries carried bring brings brought take takes took", "courier"),
        ("borrow borrows borrowed borrowing", "borrower"),
        ("work works worked employ employs employed", "employer"),
        ("lend lends lent lending", "lender"),
        ("insure insures insured", "insurer underwriter"),
        ("pay pays paid paying fund funds funded finance finances financed", "funder payer financier"),
        ("keep keeps kept keeping look looks store stores stored", "keeper custodian curator"),
        ("build built builds", "builder manufacturer maker"),
    )
)  # fmt: skip
"""What somebody does, and what a column of those who do it is called."""
_DATED = re.compile(
    r"\d{1,2}[./ -]\w{2,9}[./ -]\d{2,4}|\d{4}-\d\d-\d\d|\b\d{1,2}[:.]\d\d\b|^(?:mon|tues?|wed|thu|fri|sat|sun)",
    re.IGNORECASE,
)
_PLACES = terms_of(
    "place location site depot room city town address country office venue hall store shelf position bay region harbour"
    " port"
)
_LONGEST_VALUE = 60
"""Characters of a cell that chooses rows: a longer one is a sentence."""
_LEAST_ROWS, _LEAST_COLUMNS = 2, 3
_VALUE_BEGINS = re.compile(
    r"(?P<value>[^\W\d_][^\d£$€¥():;,–—]*?)(?=\s*[\d£$€¥(:;,–—]|\s+(?:to|until|till|by|on|from|for|with|subject|at|as|in)\b|\s*$)",
    re.IGNORECASE,
)
"""What a cell says before what is the row's own in it: "Granted" of "Granted £4,500"."""
_TAIL = re.compile(
    r"\s*[,;]?\s+(?:and|with|together with)\s+(?P<tail>(?:(?:for|by|at|to|on|from|in|with)\s+)?"
    r"(?:how (?:much|many|large|high|long|often)|what|which|when|where|whom?|why|the)\b[^?]*|(?:its|their)\b[^?]*)\W*$",
    re.IGNORECASE,
)
"""What else a question asks of the rows: "and how much each", "and for what project"."""
_MEANING = re.compile(r",\s*(?:so that|that is|i\.e\.|in other words)\b[^?]*", re.IGNORECASE)
"""A clause that says in other words what was asked: "stop the machine, so that the fan is off"."""
_OF_EACH = terms_of("each respectively every one apiece it they them get got receive received given respective")
_SUMS = terms_of("money fund funds funding cash sum amount payment how much many")
"""Terms that a cell with a currency accounts for."""
_CODE, _CODES = re.compile(r"^[A-Z]{0,4}[-. ]?\d{1,4}[A-Za-z]?$"), terms_of("code codes number numbers")
"""How the name of a row looks that is a code, and the terms that it accounts for."""
_FIT, _PART_COST = 0.9, 0.03
"""The fit of a reading, and what it costs that only words of the value are named: enough to rank behind a table that
holds the whole of it. Twice of it changes which of two tables is taken, not whether one answers."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The rows that a question chooses: the column of the value, the words it accounts for, if all of it is named.

    The cells of the rows may go on behind the value, each by itself: "Granted £4,500" behind "Granted".
    """

    rows: tuple[TableRow, ...]
    place: int
    terms: Terms
    value: str
    is_whole: bool = True
    is_state: bool = False
    """Whether the value says by itself that something is so or is not, as "yes" and "no" do."""


def read_tables(grids: Sequence[Grid], plan: QueryPlan, tasks: Sequence[RowTask]) -> RowsRead | None:
    """What the question asks of the rows of tables, by the first of the tasks that it asks for and they answer."""
    for task in tasks:
        read = _READERS.get(task)
        found = read(grids, plan) if read is not None else read_rows(grids, plan, [task])
        if found is not None:
            return found
    return None


def read_records(grids: Sequence[Grid], plan: QueryPlan) -> RowsRead | None:
    """Rows chosen by a cell of theirs: counted, listed, or another cell of each; None where a word is unaccounted."""
    question = plan.focus
    if not _ASKING.match(question) or _RANKED.search(_TAIL.sub("", question)):
        return None
    found = [read for grid in grids if (read := _read_in(grid, question)) is not None]
    found.sort(key=lambda read: (-round(read.fit, 4), read.key))
    if len(found) > 1 and found[0].fit - found[1].fit < _PART_COST / 3 and found[0].rows != found[1].rows:
        return None
    return found[0] if found else None


def _read_in(grid: Grid, question: str) -> RowsRead | None:
    if (holder := _find_holder(grid, question)) is not None:
        return holder
    if not _LEAST_ROWS <= len(grid.rows) <= MOST_ROWS or not all(grid.heads[:2]):
        return None
    if len(grid.heads) < _LEAST_COLUMNS and not _is_sorted(grid):
        return None
    tail = _TAIL.search(question) if _WHICH.match(question) or _IS_WHO.match(question) else None
    question = _MEANING.sub("", question[: tail.start()] if tail else question)
    if any(character.isdigit() for row in grid.rows for character in "".join(row.cells)):
        question = _COUNTED.sub(lambda match: str(_NUMBERS.index(match[0].lower()) + 2), question)
    asked = words_asked(_ASKING.sub(" ", question), GENERIC_ASKED)
    for chosen in _choose_rows(grid, asked, question):
        rest = replace(asked, terms=asked.terms - chosen.terms - _EXTRA - _deeds_of(grid.heads[chosen.place]))
        if _NEGATED.search(question) and not chosen.is_state:
            if (others := _tell_others(grid, chosen, rest, question)) is not None:
                return others
            continue
        read = _tell_chosen(grid, chosen, rest, question)
        if read is not None:
            return read if tail is None else _tell_tail(grid, chosen, read, tail["tail"])
    return None


_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_COUNTED = re.compile(
    rf"\b(?:{'|'.join(_NUMBERS)})(?=\s+(?:second|minute|hour|day|week|month|year)s?\b)", re.IGNORECASE
)
"""Lengths of time in words, as questions put what cells put in digits: "six years"."""

_IS_WHO = re.compile(r"^\W*(?:and\s+)?who (?:is|are|was|were|has been|have been|had been)\b", re.IGNORECASE)


def _is_sorted(grid: Grid) -> bool:
    """Whether the second of two columns sorts the rows by a few values, so that it chooses among them."""
    values = [terms_of(_value_of(_cell(row, 1))) for row in grid.rows]
    return len(grid.heads) > 1 and len(set(values)) < len(values)


def _value_of(cell: str) -> str:
    """The words with which a cell begins, before what is the row's own; the whole cell where it has none."""
    match = _VALUE_BEGINS.match(cell)
    return match["value"] if match else cell


def _tell_tail(grid: Grid, chosen: Chosen, read: RowsRead, tail: str) -> RowsRead | None:
    """The chosen rows with the column that the question asks for besides; None where no column is that."""
    if read.task is not RowTask.RECORDS:
        return None
    is_sum = re.match(r"(?:\w+\s+)?how (?:much|many)\b", tail, re.IGNORECASE)
    if is_sum and all(CURRENCY.search(_cell(row, chosen.place)) for row in chosen.rows):
        return read
    asked = words_asked(_ASKING.sub(" ", tail), GENERIC_ASKED | _OF_EACH)
    others = [place for place in range(1, len(grid.heads)) if place != chosen.place]
    named = [place for place in others if asked.hits(terms_of(grid.heads[place]))]
    if not named and is_sum:
        named = [place for place in others if _is_priced(grid, chosen, place)]
    if not named and re.match(r"why\b", tail, re.IGNORECASE):
        named = [place for place in others if names_reason(grid.heads[place])]
    if not named and re.match(r"(?:\w+\s+)?when\b", tail, re.IGNORECASE):
        named = [place for place in others if _is_dated(grid, chosen, place)]
    if not named and re.match(r"where\b", tail, re.IGNORECASE):
        named = [place for place in others if _is_placed(grid, chosen, place)]
    if len(named) != 1:
        return None
    place = named[0]
    told = tuple(replace(row, cells=(*row.cells, _cell(own, place)))
                 for row, own in zip(read.rows, chosen.rows, strict=True))  # fmt: skip
    return replace(read, heads=(*read.heads, grid.heads[place]), rows=told)


def _is_priced(grid: Grid, chosen: Chosen, place: int) -> bool:
    """Whether a column states a sum of money for each of the chosen rows, by its cells or by its header."""
    cells = [_cell(row, place) for row in chosen.rows]
    by_head = bool(CURRENCY.search(grid.heads[place]))
    return all(numbers_in(cell) and (by_head or CURRENCY.search(cell)) for cell in cells)


_HOLDER = re.compile(
    r"^\W*(?:and\s+)?who(?:['’]s| is| was) (?:the|our|your|their|its) (?P<office>[\w’' -]{2,50}?)\W*$", re.IGNORECASE
)


def _find_holder(grid: Grid, question: str) -> RowsRead | None:
    """Who holds the office that a cell names, where the first column names persons: "Who is the CFO?"."""
    match = _HOLDER.match(question)
    if match is None or len(grid.heads) < 2 or not 0 < len(grid.rows) <= MOST_ROWS:
        return None
    if (beside := _find_holder_beside(grid, match["office"])) is not None:
        return beside
    if not all(names_holder(row.name) for row in grid.rows) or not terms_of(grid.heads[0]) & _PEOPLE:
        return None
    asked = words_asked(match["office"], GENERIC_ASKED)
    held = [
        (row, place)
        for row in grid.rows
        for place in range(1, len(grid.heads))
        if asked.terms and len(_cell(row, place)) <= _LONGEST_VALUE and not asked.left_over(terms_of(_cell(row, place)))
    ]
    if len(held) != 1:
        return None
    row, place = held[0]
    told = replace(row, name=_cell(row, place), cells=(row.name,))
    heads = (grid.heads[place], grid.heads[0])
    return RowsRead(RowTask.LOOK_UP, grid.document, grid.caption, heads, (told,), _FIT + 0.03 * grid.rank,
                    len(grid.rows))  # fmt: skip


def _find_holder_beside(grid: Grid, office: str) -> RowsRead | None:
    """The same where the first column names offices, and one other column whoever holds them."""
    asked = words_asked(office, GENERIC_ASKED)
    rows = [row for row in grid.rows if asked.terms and not asked.left_over(terms_of(row.name))]
    places = [
        place
        for place in range(1, len(grid.heads))
        if terms_of(grid.heads[place]) & _PEOPLE and all(names_holder(_cell(row, place)) for row in grid.rows)
    ]
    if len(rows) != 1 or len(places) != 1:
        return None
    told = replace(rows[0], cells=(_cell(rows[0], places[0]),))
    heads = (grid.heads[0], grid.heads[places[0]])
    return RowsRead(RowTask.LOOK_UP, grid.document, grid.caption, heads, (told,), _FIT + 0.03 * grid.rank,
                    len(grid.rows))  # fmt: skip


def _deeds_of(head: str) -> Terms:
    """What those do whom a column names: "teach" under "Instructor"."""
    told = terms_of(head)
    return frozenset(term for deeds, doers in DEEDS if doers & told for term in deeds)


def _choose_rows(grid: Grid, asked: Words, question: str) -> list[Chosen]:
    """The ways in which the question chooses rows, the likeliest first."""
    found = [*_by_state(grid, asked, question), *_by_phrase(grid, question), *_by_value(grid, asked)]
    return sorted(found, key=lambda chosen: (-chosen.is_whole, -len(chosen.terms), chosen.place))


def _by_phrase(grid: Grid, question: str) -> list[Chosen]:
    """Rows whose cell is, or begins with, a phrase of light words that the question has, too: "at once", "in stock"."""
    said, found = " ".join(re.findall(r"[\w’'-]+", question.lower())), []
    for place, head in enumerate(grid.heads):
        begun: dict[str, list[TableRow]] = {}
        for row in grid.rows if place else ():
            begun.setdefault(_value_of(_cell(row, place)).strip().lower(), []).append(row)
        for value, rows in begun.items():
            own, is_phrase = terms_of(value), len(value.split()) > 1 and f" {value} " in f" {said} "
            if is_phrase and len(rows) < len(grid.rows) and own <= terms_of(head):
                found.append(Chosen(tuple(rows), place, own, _shared_value(rows, place)))
    return found


def _by_value(grid: Grid, asked: Words) -> list[Chosen]:
    """Rows whose cell in one column is named: in full, or by two of its words that no other value of it has."""
    found = []
    for place, head in enumerate(grid.heads):
        told = terms_of(head)
        best: dict[Terms, list[TableRow]] = {}
        for row in grid.rows:
            text = _cell(row, place)
            if 0 < len(text) <= _LONGEST_VALUE and any(character.isalpha() for character in text):
                best.setdefault(terms_of(text), []).append(row)
        _add_beginnings(best, grid, place)
        whole = {own: rows for own, rows in best.items() if own and own <= asked.terms}
        if whole:
            own = max(whole, key=len)
            if sum(len(other) == len(own) for other in whole) == 1 and not own <= told:
                found.append(Chosen(tuple(whole[own]), place, own, _shared_value(whole[own], place)))
            continue
        if place and (otherwise := _otherwise_named(best, asked, told)) is not None:
            terms, rows = otherwise
            found.append(Chosen(tuple(rows), place, terms, _shared_value(rows, place), is_whole=False))
            continue
        hits = [(own & asked.terms, own, rows) for own, rows in best.items()]
        most = max((len(hit - told) for hit, _, _ in hits), default=0)
        likely = [(hit, rows) for hit, _, rows in hits if len(hit - told) == most]
        if most > 1 and len(likely) == 1:
            found.append(
                Chosen(tuple(likely[0][1]), place, likely[0][0], _cell(likely[0][1][0], place), is_whole=False)
            )
    return found


def _otherwise_named(
    values: dict[Terms, list[TableRow]], asked: Words, told: Terms
) -> tuple[Terms, list[TableRow]] | None:
    """The one value of several rows that the question says in other words, and its terms that do: "halt" of "Stops"."""
    found = []
    for own, rows in values.items():
        saying = {term: said for term in asked.terms - told
                  if (said := frozenset().union(*(o for o in asked.others.get(term, ()) if o <= own)))}  # fmt: skip
        if len(rows) > 1 and own and own <= frozenset().union(*saying.values()):
            found.append((frozenset(saying), rows))
    return found[0] if len(found) == 1 else None


def _add_beginnings(best: dict[Terms, list[TableRow]], grid: Grid, place: int) -> None:
    """Add the rows whose cells in a column begin alike to those whose cell is that value and no more."""
    begun: dict[Terms, list[TableRow]] = {}
    for row in grid.rows if place else ():
        if 0 < len(_cell(row, place)) <= _LONGEST_VALUE:
            begun.setdefault(terms_of(_value_of(_cell(row, place))), []).append(row)
    for own, rows in begun.items():
        if own and (len(rows) > 1 or own not in best):
            best[own] = rows


def _shared_value(rows: Sequence[TableRow], place: int) -> str:
    """The cell that all rows have in a column, else the words with which each begins."""
    cells = [_cell(row, place) for row in rows]
    return cells[0] if len(set(cells)) == 1 else _value_of(cells[0]).strip()


def _by_state(grid: Grid, asked: Words, question: str) -> list[Chosen]:
    """Rows of which a column of yes and no, or a number, says that something is so or is not: "have not paid"."""
    found = []
    none = _NONE_LEFT.search(question)
    for place, head in enumerate(grid.heads[1:], 1):
        told = terms_of(head)
        cells = [_cell(row, place).lower() for row in grid.rows]
        kinds = {cell for cell in cells if cell}
        if not told or not told <= asked.terms | terms_of("left still"):
            continue
        if kinds and kinds <= _YES | _NO:
            wanted = _NO if _NEGATED.search(question) or (none and terms_of(none["what"]) & told) else _YES
            rows = tuple(row for row, cell in zip(grid.rows, cells, strict=True) if cell in wanted)
        elif none and terms_of(none["what"]) & told:
            rows = tuple(
                row for row, cell in zip(grid.rows, cells, strict=True) if cell in ("0", "none", "-", "–", "—")
            )
        else:
            continue
        if rows:
            terms = told | (terms_of("no not") & asked.terms)
            found.append(Chosen(rows, place, terms, _cell(rows[0], place), is_state=True))
    return found


_DENIED = re.compile(r"\bnot\b|n[’']t\b", re.IGNORECASE)


def _tell_others(grid: Grid, chosen: Chosen, rest: Words, question: str) -> RowsRead | None:
    """The rows that have another value than the one named, each with its own: "Which visits are not at the clinic?"."""
    denied = terms_of(" ".join(_DENIED.findall(question))) | terms_of("not isn't aren't wasn't weren't don't doesn't")
    rest = replace(rest, terms=rest.terms - denied)
    is_told = chosen.is_whole and chosen.place and _DENIED.search(question)
    read = _tell_chosen(grid, chosen, rest, question) if is_told else None
    if read is None or read.task not in (RowTask.RECORDS, RowTask.COUNT):
        return None
    rows = tuple(
        replace(row, cells=(_cell(row, chosen.place),))
        for row in grid.rows
        if row not in chosen.rows and _cell(row, chosen.place)
    )
    heads = (grid.heads[0], grid.heads[chosen.place])
    return replace(read, task=RowTask.LIST, heads=heads, rows=rows, measure="") if rows else None


def _tell_chosen(grid: Grid, chosen: Chosen, rest: Words, question: str) -> RowsRead | None:
    link = _find_link(question, chosen) & rest.terms
    rest = replace(rest, terms=rest.terms - link)
    count, which = _COUNT.match(question), _WHICH.match(question)
    if count is not None:
        noun = terms_of(count["noun"].split()[0])
        is_figure = _numeric_columns(grid, noun, chosen)
        return None if is_figure else _list_chosen(grid, chosen, rest, noun, is_count=True)
    if which is not None and (noun := terms_of(which["noun"])) and _find_names(grid, noun) >= 0:
        return _list_chosen(grid, chosen, rest, noun, is_count=False)
    if _IS_WHO.match(question) and chosen.place and (people := terms_of(grid.heads[0]) & _PEOPLE):
        return _list_chosen(grid, chosen, rest, people, is_count=False)
    if chosen.place == 0 and (len(chosen.rows) > 1 or not _WHO.match(question)):
        return None  # a cell by its row's own name is looked up elsewhere, with the units of its table
    return _tell_column(grid, chosen, rest, question)


def _find_names(grid: Grid, noun: Terms) -> int:
    """The column that names what the question calls the rows; -1 where none does.

    The first, by its header or because the table is called so; or one whose header is that word alone.
    """
    if noun & terms_of(grid.heads[0]):
        return 0
    own = [place for place, head in enumerate(grid.heads) if len(head.split()) == 1 and terms_of(head) <= noun]
    return own[0] if own else 0 if noun & grid.around else -1


def _numeric_columns(grid: Grid, noun: Terms, chosen: Chosen) -> bool:
    """Whether a column of numbers counts what is asked: then its cell is meant, and not the rows."""
    return any(
        noun & terms_of(head) and place != chosen.place and any(numbers_in(_cell(row, place)) for row in chosen.rows)
        for place, head in enumerate(grid.heads[1:], 1)
    )


def _list_chosen(grid: Grid, chosen: Chosen, rest: Words, noun: Terms, *, is_count: bool) -> RowsRead | None:
    """The chosen rows by name, counted, when what is asked for are rows and no other word is left."""
    names = _find_names(grid, noun)
    if chosen.place in (0, names) or names < 0:
        return None
    known = grid.around | terms_of(" ".join((grid.heads[chosen.place], grid.heads[0], grid.heads[names])))
    if any(CURRENCY.search(_cell(row, chosen.place)) for row in chosen.rows):
        known |= _SUMS
    if all(_CODE.match(row.name) for row in grid.rows):
        known |= _CODES
    if rest.left_over(known):
        return None
    heads = (grid.heads[0], grid.heads[chosen.place])
    rows = tuple(replace(row, name=_name_of(row, names), cells=(_cell(row, chosen.place),)) for row in chosen.rows)
    task = RowTask.COUNT if is_count else RowTask.RECORDS
    fit = _FIT + 0.03 * grid.rank - _PART_COST * (not chosen.is_whole)
    return RowsRead(task, grid.document, grid.caption, heads, rows, fit, len(grid.rows), measure=chosen.value)


def _tell_column(grid: Grid, chosen: Chosen, rest: Words, question: str) -> RowsRead | None:
    """The cell of the column asked for, of the chosen rows; None when several say different things."""
    place, used = _find_column(grid, chosen, rest, question)
    if place < 0 or rest.left_over(grid.around | terms_of(grid.heads[place]) | used) - MEASURING:
        return None
    cells = {_cell(row, place) for row in chosen.rows}
    if len(cells) != 1 or not next(iter(cells)):
        return None
    row = chosen.rows[0]
    named = row if chosen.place == 0 else replace(row, name=chosen.value)
    heads = (grid.heads[chosen.place], grid.heads[place])
    told = tuple(replace(named, cells=(next(iter(cells)),), quote=own.quote, key=own.key, start=own.start)
                 for own in chosen.rows)  # fmt: skip
    return RowsRead(RowTask.LOOK_UP, grid.document, grid.caption, heads, told[:1], _FIT + 0.03 * grid.rank,
                    len(grid.rows), lines=told)  # fmt: skip


def _find_column(grid: Grid, chosen: Chosen, rest: Words, question: str) -> tuple[int, Terms]:
    """The column asked for, and the words of the question that only ask for it; -1 where none or several fit."""
    others = [
        (place, terms_of(head))
        for place, head in enumerate(grid.heads)
        if place != chosen.place and not is_of_payer(question, head)
    ]
    who = _WHO.match(question)
    if who is not None:
        deed = terms_of(who["verb"])
        doers = next((names for deeds, names in DEEDS if deed & deeds), frozenset())
        fitting = [place for place, said in others if said & (doers & _PEOPLE | doers)]
        return (fitting[0], deed) if len(fitting) == 1 else (-1, frozenset())
    if _WHEN.match(question) or _WHERE.match(question):
        fits = _is_dated if _WHEN.match(question) else _is_placed
        fitting = [place for place, said in others if rest.hits(said) and fits(grid, chosen, place)]
        return (fitting[0], frozenset()) if len(fitting) == 1 else (-1, frozenset())
    scored = sorted(((len(rest.hits(said)), -len(said), place) for place, said in others), reverse=True)
    if not scored or not scored[0][0] or (len(scored) > 1 and scored[0][:2] == scored[1][:2]):
        return -1, frozenset()
    return scored[0][2], frozenset()


def _is_dated(grid: Grid, chosen: Chosen, place: int) -> bool:
    return all(_DATED.search(_cell(row, place)) for row in chosen.rows)


def _is_placed(grid: Grid, chosen: Chosen, place: int) -> bool:
    is_named = all(any(character.isalpha() for character in _cell(row, place)) for row in chosen.rows)
    return is_named and bool(terms_of(grid.heads[place]) & _PLACES)


_CAUSING = re.compile(r"\b(?:makes?|made|causes?|caused|lets?|have|has|had)(?=\s+(?:the|an?)\s)", re.IGNORECASE)
"""How a question says what a row brings about, or that it has what stands under a header."""


def _find_link(question: str, chosen: Chosen) -> Terms:
    """The verbs that tie the value to its rows: "kept at Malham", "carried by Freight North", "make the pump stop"."""
    first = re.match(r"[\w’'-]+", chosen.value)
    match = re.search(_LINKED + re.escape(first[0]), question, re.IGNORECASE) if first else None
    return terms_of(match["verb"] if match else "") | terms_of(" ".join(_CAUSING.findall(question)))


def _name_of(row: TableRow, place: int) -> str:
    """The name of a row; by another column the cell there, with the row's own name behind."""
    return row.name if place == 0 or not _cell(row, place) else f"{_cell(row, place)} ({row.name})"


def _cell(row: TableRow, place: int) -> str:
    return row.name if place == 0 else row.cells[place] if place < len(row.cells) else ""


def _read_rank(grids: Sequence[Grid], plan: QueryPlan) -> RowsRead | None:
    """The winner by the words of the table, or by everyday words for them; None where the two name different ones."""
    plain, everyday = read_rank(grids, plan), read_everyday_rank(grids, plan)
    if plain is not None and not (_is_of_asked(plain, plan.focus) and _is_of_own_table(plain, grids, plan.focus)):
        return None
    if plain is None or everyday is None:
        return plain or everyday
    return plain if plain.rows[0].start == everyday.rows[0].start else None


def _is_of_own_table(read: RowsRead, grids: Sequence[Grid], question: str) -> bool:
    """Whether no other table names the very things that the question ranks: "which fault" where one lists faults."""
    nouns, head = subjects_of(question), terms_of(f"{read.heads[0]} {read.where}")
    if not nouns or is_called(nouns[0], head) or all(is_called(nouns[0], terms_of(row.name)) for row in read.rows):
        return True
    return not any(is_called(nouns[0], terms_of(grid.heads[0])) for grid in grids if grid.heads)


def _is_of_asked(read: RowsRead, question: str) -> bool:
    """Whether what is ranked are persons or places where "who" or "where" asks for one, and no thing of theirs."""
    asked = re.match(r"\W*(?:who|where)\b", question, re.IGNORECASE)
    wanted = _PEOPLE if asked and "who" in asked[0].lower() else _PLACES
    return asked is None or not read.heads[0] or bool(terms_of(read.heads[0]) & wanted)


_READERS: dict[RowTask, Callable[[Sequence[Grid], QueryPlan], RowsRead | None]] = {
    RowTask.RECORDS: lambda grids, plan: read_records(grids, plan) or count_off_plan(grids, plan),
    RowTask.RANK: _read_rank,
}
