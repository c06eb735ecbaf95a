"""Which of several is the most or the least: rows, columns side by side, and rows of one name under sister headings."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TypeVar

from vectorless_web.engine.figures.arithmetic import round_half_up
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.relations.kinds import ANY_KIND, NAMED, are_names, is_called
from vectorless_web.engine.relations.measures import measure_cells, mixes_units
from vectorless_web.engine.relations.rows import (
    EMPTY,
    GENERIC_ASKED,
    LONGEST_LINE,
    MEASURING,
    MOST_ROWS,
    SAME_FIT,
    YEAR,
    Grid,
    RowsRead,
    RowTask,
    TableRow,
    Terms,
    Words,
    WorkedCell,
    cell_at,
    match_names,
    plan_and_actual,
    split_names,
    terms_of,
    words_asked,
)
from vectorless_web.engine.text.numbers import numbers_in

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
    r"\b(?:why|how come|(?<![a-z] )when|(?<=and )when|in (?:which|what) (?:\w+ )?(?:year|month|quarter|period)s?)\b",
    re.IGNORECASE,
)


def asks_which(question: str) -> bool:
    """Whether a question asks which one of several, and for no reason, time or year."""
    return bool(_ASKS_WHICH.search(question)) and not _ASKS_ELSE.search(question)


def read_rank(grids: Sequence[Grid], plan: QueryPlan) -> RowsRead | None:
    """The winner and what it was compared with, by the figures that the question ranks by; None where any is in doubt.

    A question that ranks twice ("which was highest, and which was lowest?") has the second rank in `also`.
    """
    question = plan.focus
    if not asks_which(question):
        return None
    first, second = _split_ranks(question)
    read = _rank_once(grids, plan, first)
    if read is None or not second:
        return read
    again = _rank_once(grids, plan, second)
    return replace(read, also=(again,)) if again is not None else replace(read, missing=(second,))


def _rank_once(grids: Sequence[Grid], plan: QueryPlan, question: str) -> RowsRead | None:
    asked = read_ranked(question, plan)
    if asked is not None and (asked.change or asked.planned or asked.names or asked.measured_next):
        read = _rank_series(grids, asked)
        if read is not None or asked.change or asked.planned:
            return read
    found = [
        read
        for grid in grids
        for rank in (_rank_rows, _rank_columns, _rank_models)
        if (read := rank(grid, question)) is not None
    ]
    found.sort(key=lambda read: (-round(read.fit, 4), read.key))
    if len(found) > 1 and found[0].fit - found[1].fit < SAME_FIT and found[0].rows[0].name != found[1].rows[0].name:
        return None
    across = found[0] if found else _rank_across(grids, plan, question)
    return across or (_rank_series(grids, asked) if asked is not None else None)


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
        if (
            not _names_rows(grid, question)
            or rows_said(grid, rest, rest.left_over(grid.around | terms_of(" ".join(grid.heads))))[1]
        ):
            continue  # other things are meant, or some of the rows and not all
        read = _build_rank(grid, fits[0][1], most=most) if spoken else None
        if read is not None:
            return replace(read, rank=match.group().lower(), fit=read.fit - 0.08 * (1.0 - spoken))
    return None


def _rank_models(grid: Grid, question: str) -> RowsRead | None:
    """The columns by the row that the adjective is measured by: models side by side in a sheet of technical data."""
    if len(grid.heads) < 3 or any(YEAR.search(head) or not head for head in grid.heads[1:]):
        return None
    if not _names_kind(grid, question):
        return None
    for pattern, most, properties in _RANKS:
        match = pattern.search(question)
        if match is None:
            continue
        rest = _asked_beside(question, match.group())
        lines = [row for row in grid.rows if properties.terms & terms_of(row.name)]
        lines.sort(key=lambda row: -len(rest.hits(terms_of(row.name))))
        hits = [len(rest.hits(terms_of(row.name))) for row in lines]
        if not lines or (len(lines) > 1 and hits[0] == hits[1]):
            continue
        part = _part_asked(lines[0].name, question)
        texts = [_cell_part(cell_at(lines[0], place), part) for place in range(1, len(grid.heads))]
        measured = measure_cells(texts) if all(texts) else None
        if measured is None or (properties.terms & _PRICES and measured.dimension in _NO_PRICES):
            continue
        valued = [(value, head, text) for value, head, text in zip(measured.values, grid.heads[1:], texts, strict=True)
                  if value is not None]  # fmt: skip
        valued.sort(key=lambda row: row[0], reverse=most)
        if len(valued) < len(grid.heads) - 1 or valued[0][0] == valued[1][0]:
            continue
        rows = tuple(replace(lines[0], name=head, cells=(text,)) for _, head, text in valued)
        fit = 0.86 + 0.04 * len(rest.hits(grid.around | terms_of(lines[0].name))) / max(1, len(rest.terms))
        return RowsRead(RowTask.RANK, grid.document, grid.caption, ("", lines[0].name), rows, fit, total=len(rows),
                        measure=lines[0].name, rank=match.group().lower(), lines=(lines[0],))  # fmt: skip
    return None


_PRICES = terms_of("price")
_NO_PRICES = frozenset({"time", "working time", "mass", "length", "volume", "power", "energy", "bytes", "celsius"})
"""Dimensions of figures by which nothing is cheap or dear, whatever they are called: the rated load of a lift."""


def _names_kind(grid: Grid, question: str) -> bool:
    """Whether the columns are of the kind that is ranked: the table, or each of their headers, is called by the noun.

    Headers that are all codes ("HX-2") are what a sheet compares, whatever the question calls them.
    """
    if all(any(character.isdigit() for character in head) for head in grid.heads[1:]):
        return True
    nouns, heads = subjects_of(question), [terms_of(head) for head in grid.heads[1:]]
    return not nouns or any(is_called(n, grid.around) or all(is_called(n, head) for head in heads) for n in nouns)


def _names_rows(grid: Grid, question: str) -> bool:
    """The same of rows: by the header of their names, by each name, or by what the table is called.

    What another column is called names no rows: "which site has the dearest project" asks for no project.
    """
    nouns, names = subjects_of(question), [terms_of(row.name) for row in grid.rows]
    head, others = terms_of(grid.heads[0]), terms_of(" ".join(grid.heads[1:]))
    if nouns and is_called(nouns[0], others) and not any(is_called(noun, head) for noun in nouns):
        return False
    said = grid.around | head | others
    if any(terms_of(noun) & NAMED for noun in nouns) and are_names([row.name for row in grid.rows]):
        return True
    return not nouns or any(is_called(n, said) or all(is_called(n, name) for name in names) for n in nouns)


_DOES = re.compile(r"\bwhat\s+[a-z]+(?:s|ed)\b", re.IGNORECASE)
"""A verb where what is ranked might stand: "what added most", "what weighs most"."""


def subjects_of(question: str) -> list[str]:
    """The one or two words for what is ranked; none where they may stand for anything."""
    match = None if _DOES.search(question) else _SUBJECT.search(question)
    words = match["noun"].split() if match else []
    told = [word for word in words if terms_of(word) - MEASURING]
    return [] if not told or any(terms_of(word) & (GENERIC_ASKED | ANY_KIND) for word in words[:1]) else told


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


def rows_said(grid: Grid, words: Words, left: Terms) -> tuple[Sequence[TableRow], Terms, int, str]:
    """The rows of which one column says what the question says: those with "Completed May 2021" of what is finished.

    With the terms of the question that say it, the column, and the words with which the cells begin; all rows, no
    terms, -1 and "" where no column says anything of what is `left` of the words.
    """
    for place in range(1, len(grid.heads)) if left else ():
        begun: dict[str, list[TableRow]] = {}
        for row in grid.rows:
            begun.setdefault(_begin_cell(cell_at(row, place)), []).append(row)
        hits = {value: hit for value in begun if value and (hit := words.hits(terms_of(value)) & left)}
        if len(hits) == 1 and len(begun) < len(grid.rows):
            value, hit = next(iter(hits.items()))
            return begun[value], hit, place, value
    return grid.rows, frozenset(), -1, ""


def _begin_cell(cell: str) -> str:
    """The words with which a cell begins, up to a month, a number or a comma."""
    match = re.match(r"[A-Za-z][a-z]*(?:\s+[a-z]+)*", cell)
    return match[0] if match else ""


def _build_rank(grid: Grid, place: int, *, most: bool) -> RowsRead | None:
    """The rows with a number in the column, the winner first; None for fewer than two, ranges, or a tie at the top."""
    measured = measure_cells([cell_at(row, place) for row in grid.rows])
    if measured is None or mixes_units(grid):
        return None
    told = [replace(row, name=name_with_words(row, grid.heads[0]), cells=(cell_at(row, place),)) for row in grid.rows]
    valued = [(value, row) for value, row in zip(measured.values, told, strict=True) if value is not None]
    blanks = [row.name for value, row in zip(measured.values, grid.rows, strict=True) if value is None]
    valued.sort(key=lambda pair: pair[0], reverse=most)
    if not 2 <= len(valued) <= MOST_ROWS or valued[0][0] == valued[1][0]:
        return None
    heads = (grid.heads[0], grid.heads[place])
    rows = tuple(row for _, row in valued)
    return RowsRead(RowTask.RANK, grid.document, grid.caption, heads, rows, 0.9 + 0.02 * grid.rank, total=len(rows),
                    measure=grid.heads[place], rank="highest" if most else "lowest", blanks=tuple(blanks))  # fmt: skip


def name_with_words(row: TableRow, head: str = "") -> str:
    """The name; of a code with what the next cell calls it: "CV-10 (Oak tray)"; a number with its header: "Stage 2"."""
    if row.name.isdigit() and head and not YEAR.match(row.name):
        return f"{head} {row.name}"
    worded = cell_at(row, 1)
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
    named = terms_of(lines[0].name) if lines else frozenset[str]()
    if not lines or asked.left_over(grid.around | named) or _head_noun(question) & named:
        return None
    valued, blanks = list[tuple[Decimal, str, str]](), list[str]()
    for place, head in enumerate(grid.heads[1:], 1):
        text, numbers = cell_at(lines[0], place), numbers_in(cell_at(lines[0], place))
        if not head or any(character.isdigit() for character in head):
            return None
        if terms_of(head) & _STATISTICS:
            continue
        if EMPTY.match(text):
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
            numbers = numbers_in(cell_at(row, place))
            if len(numbers) == 1 and own & asked.terms and own - subject <= asked.terms and len(grid.view.path) > 1:
                named = replace(row, name=grid.view.path[-1], cells=(cell_at(row, place),))
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


_SECOND_RANK = re.compile(
    r"^(?P<first>.+?),?\s+and\s+(?P<second>(?:(?:on|in|at|for|by)\s+)?(?:which|what|who)\b.*?)(?P<given>[,:]\s[^,:]+(?:,[^,:]+)*\s(?:or|and)\s[^?]+)?[?\s.]*$",
    re.IGNORECASE,
)


def _split_ranks(question: str) -> tuple[str, str]:
    """The two rankings of a question that asks for two, the second with what it leaves out; "" for the second of one.

    "Which site had the highest score, and which had the lowest: A, B or C?" names its measure and its things once.
    """
    match = _SECOND_RANK.match(question)
    if match is None or not find_superlative(match["first"]) or not find_superlative(match["second"]):
        return question, ""
    first, second, given = match["first"], match["second"], match["given"] or ""
    rank = find_superlative(second)
    assert rank is not None
    if not words_asked(_strip_asking(second).replace(rank.text, " "), GENERIC_ASKED | MEASURING).terms:
        told = find_superlative(first)
        assert told is not None
        second = f"{first[: told.start]}{rank.text}{first[told.start + len(told.text) :]}"
    elif (noun := _SUBJECT.search(first)) is not None and not re.match(
        r"(?:which|what)\s+(?!(?:was|were|is|are|had|has|did|does|one)\b)", second, re.IGNORECASE
    ):
        second = re.sub(
            r"\b(which|what|who)(?:\s+one)?\b", rf"\1 {noun['noun'].split()[0]}", second, count=1, flags=re.IGNORECASE
        )
    return f"{first}{given}?", f"{second}{given}?"


def _strip_asking(text: str) -> str:
    return re.sub(r"\b(?:which|what|who|one|was|were|is|are|had|has|did|does|do|the)\b", " ", text, flags=re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Superlative:
    """A word that ranks, where it starts, whether it asks for the most, and the words of what an adjective measures."""

    text: str
    start: int
    most: bool
    measured: Terms = frozenset()


_COMPARATIVES = re.compile(
    r"\b(?:(?P<up>more|higher|larger|greater|bigger)|(?P<down>less|fewer|lower|smaller))\b(?! than\b)", re.IGNORECASE
)


def find_superlative(text: str, *, of_two: bool = False) -> Superlative | None:
    """The first word of a text that ranks; a comparative only where alternatives are named."""
    found: list[Superlative] = []
    for pattern in (_AMOUNTS, *((_COMPARATIVES,) if of_two else ())):
        for match in pattern.finditer(text):
            if match.group().lower() not in ("best", "worst"):
                found.append(Superlative(match.group(), match.start(), bool(match["up"])))
    for adjective, most, measured in _RANKS:
        match = adjective.search(text)
        if match is not None and (of_two or not re.search(r"er\b", match.group())):
            found.append(Superlative(match.group(), match.start(), most, measured.terms))
    found.sort(key=lambda one: (one.start, -len(one.text), -len(one.measured)))
    return found[0] if found else None


@dataclass(frozen=True, slots=True)
class Ranked:
    """What a question ranks by: content words, all words said, the noun ranked, the years and the things named.

    `change` is "percent" or "amount" where what grew or fell is ranked; `planned` what figures are held against.
    `measured_next` says that the words behind the superlative name the measure. `either_way` ranks by size alone.
    """

    superlative: Superlative
    words: Words
    said: Terms
    noun: Terms
    years: frozenset[str]
    names: tuple[str, ...] = ()
    change: str = ""
    planned: Terms = frozenset()
    measured_next: bool = False
    either_way: bool = False
    difference: bool = False
    is_of_kind: bool = False
    """Whether what is ranked stands behind the superlative, "the biggest site", where a measure may stand as well."""
    measure: str = ""
    """The question's words behind the superlative: "target percentage"."""
    text: str = ""

    @property
    def asks_share(self) -> bool:
        """Whether percentages are asked for."""
        return self.change == "percent" or terms_of("percentage") <= self.words.terms

    @property
    def most(self) -> bool:
        """Whether the greatest is asked for."""
        return self.superlative.most


_BY_HOW_MUCH = re.compile(r",?\s*(?:and\s+)?by\s+(?:how\s+(?:much|many)|what)\b[^?]*\??\s*$", re.IGNORECASE)
_GIVEN = re.compile(r"[,:]\s*(?P<list>[^,:?]{1,80}(?:,[^,:?]{1,80})*?,?\s+or\s+[^,:?]{1,80}?)[\s?.]*$", re.IGNORECASE)
_GROWING = r"(?:gr[eo]w|growth|growing|ris(?:e|es|en|ing)|rose|increas\w*|climb\w*|gain\w*|improv\w*|expan\w*)"
_SHRINKING = r"(?:f[ae]ll\w*|fell|declin\w*|decreas\w*|drop\w*|shr[aiu]nk\w*|reduc\w*|reduction|loss)"
_CHANGED_MOST = re.compile(
    rf"\b(?:(?P<up>{_GROWING})|(?P<down>{_SHRINKING}))\b(?:\s+(?:by\s+)?(?:the\s+)?)(?P<how>most|fastest|least|slowest|quickest"
    rf"|furthest)\b|\b(?P<how2>fastest|strongest|steepest|largest|biggest|highest|greatest|most|smallest|lowest|slowest)[\s-]+"
    rf"(?:percent(?:age)?\s+|relative\s+|absolute\s+)?(?:(?P<up2>{_GROWING})|(?P<down2>{_SHRINKING})|(?P<any>changes?))\b",
    re.IGNORECASE,
)
_OFF_PLAN = re.compile(
    r"\b(?P<side>below|under|short of|behind|above|over|ahead of|beyond)\s+(?:the\s+|its\s+|their\s+)?"
    r"(?P<plan>budget|plan|target|forecast|estimate)\b",
    re.IGNORECASE,
)
_EITHER_WAY = re.compile(
    r"\b(?:differences?|deviations?|deviated?|variances?|gaps?|discrepanc(?:y|ies)|departures?)\b", re.IGNORECASE
)
PER_CENT = re.compile(r"per\s?cent(?:age)?s?\b|%", re.IGNORECASE)
_SHARE = re.compile(r"\b(?:share|proportion)s?\s+of\b", re.IGNORECASE)
_CARRIED = re.compile(
    r"\b(?:which|what)\s+(?:of\s+(?:the\s+|our\s+|its\s+)?)?(?:[\w-]+\s+){1,2}?(?P<verb>[a-z]{3,}(?:s|ed)?)\s+(?:(?:at|by|for|in|with)\s+)?(?:the\s+)?$",
    re.IGNORECASE,
)
"""The verb before a superlative, which no header says: "which model draws the least power"."""


_NOT_MEASURED = (GENERIC_ASKED | MEASURING) - terms_of("price cost fee charge difference stock allowance limit")
"""Terms of a question that do not say by what it ranks."""


_IS_LIMIT = re.compile(
    r"\s+(?:that\s+|which\s+)?(?:i|we|you|they|he|she|one|anyone|an?\s+\w+|the\s+\w+)\s+(?!of\b|in\b|for\b)[a-z]+\b",
    re.IGNORECASE,
)
"""Stands behind a superlative that is a bound: "the most that we pay"."""


def is_limit(text: str, rank: Superlative) -> bool:
    """Whether a word that ranks is a bound: "the most that we pay"."""
    return bool(_IS_LIMIT.match(text[rank.start + len(rank.text) :]))


def read_ranked(question: str, plan: QueryPlan) -> Ranked | None:
    """What a question ranks and by what; None for a question that ranks nothing."""
    by_how_much = _BY_HOW_MUCH.search(question)
    text = question[: by_how_much.start()] if by_how_much else question
    given = _GIVEN.search(text)
    names = split_names(given["list"]) if given else ()
    body = text[: given.start()] if given and len(names) > 1 else text
    changed = _CHANGED_MOST.search(body)
    rank = find_superlative(body, of_two=len(names) == 2)
    if changed is not None:
        how = (changed["how"] or changed["how2"]).lower()
        is_up = bool(changed["up"] or changed["up2"] or changed["any"])
        most = (how not in ("least", "slowest", "smallest", "lowest")) == is_up
        rank = Superlative(changed.group(), changed.start(), most)
    if rank is None or is_limit(body, rank):
        return None
    before, behind = body[: rank.start], body[rank.start + len(rank.text) :]
    next_word = re.match(r"\s+(?:of\s+)?(?P<next>[a-z][\w-]*)", behind)
    subject = _SUBJECT.search(body)
    noun = terms_of(subject["noun"].split()[0]) if subject else frozenset()
    noun_ahead = bool(noun)
    is_told_behind = subject is not None and subject["noun"].split()[0].lower() in ("is", "are", "was", "were")
    if not noun and next_word is not None and changed is None and is_told_behind:
        # "What is the biggest site": what is ranked stands behind the word that ranks.
        noun = terms_of(next_word["next"])
    carried = _CARRIED.search(before)
    if carried is not None and changed is None:
        before = before[: carried.start("verb")]
    off_plan = _OFF_PLAN.search(behind)
    if off_plan is not None:
        is_above = off_plan["side"].lower() in ("above", "over", "ahead of", "beyond")
        rank = replace(rank, most=rank.most == is_above)
    rest = PER_CENT.sub(" percentage ", _SHARE.sub(" percentage of ", YEAR.sub(" ", f"{before} {behind}")))
    words = words_asked(rest, _NOT_MEASURED | noun)
    change = ""
    if changed is not None:
        is_share = PER_CENT.search(body) or how in ("fastest", "strongest", "slowest", "steepest", "quickest")
        change = "percent" if is_share else "amount"
    is_named = next_word is not None and bool(terms_of(next_word["next"]) & words.terms)
    return Ranked(
        rank,
        words,
        terms_of(rest),
        noun,
        frozenset(str(period.year) for period in plan.periods),
        names if len(names) > 1 else (),
        change,
        terms_of(off_plan["plan"]) if off_plan else frozenset(),
        is_named,
        bool(_EITHER_WAY.search(body)) and off_plan is None and rank.most,
        by_how_much is not None,
        not noun_ahead and bool(noun),
        _measure_behind(behind),
        body,
    )


_MEASURE = re.compile(
    r"\s+(?:of\s+)?(?P<words>[a-z][\w’'-]*(?:\s+(?:of\s+)?[a-z][\w’'-]*){0,3}?)"
    r"(?=\s+(?:in|on|at|for|from|by|with|among|between|is|was|are|were|and)\b|[,:;?.]|\s*$)"
)


def _measure_behind(behind: str) -> str:
    """The words behind a superlative that name a measure, up to what says where, when or of what."""
    match = _MEASURE.match(behind)
    return match["words"] if match and not match["words"].startswith("to ") else ""


@dataclass(frozen=True, slots=True)
class Series:
    """Figures of one measure side by side: a column of a table, or a row of which the columns are named.

    `members` are the values with the rows as they are told (a name, the figure's own words, the row quoted); `head` is
    what the members are called; `lines` are the printed rows where members are columns.
    """

    grid: Grid
    measure: str
    head: str
    members: tuple[tuple[Decimal, TableRow], ...]
    blanks: tuple[str, ...] = ()
    lines: tuple[TableRow, ...] = ()
    worked: tuple[WorkedCell, ...] = ()
    sides: tuple[str, ...] = ()
    """What the two figures are called from which each was worked out, the later first."""
    part: str = ""
    """The part that is told of cells with two: "low" of "29 / 41" under "low / high"."""
    others: str = ""
    """The other parts."""

    @property
    def is_share(self) -> bool:
        """Whether the figures are percentages, by header or cells."""
        return bool(PER_CENT.search(self.measure)) or all("%" in row.cells[0] for _, row in self.members)


_PARTED = re.compile(
    r"(?<![\w/])(?P<a>[A-Za-z][\w-]*)\s*/\s*(?P<b>[A-Za-z][\w-]*)(?:\s*/\s*(?P<c>[A-Za-z][\w-]*))?(?![\w/])"
)


def _list_series(grid: Grid) -> Iterator[Series]:
    """The series of a table: its columns, then its rows where the columns have names that are no years."""
    names = [name_with_words(row, grid.heads[0]) for row in grid.rows]
    if len(set(names)) == len(names) > 1 and not mixes_units(grid):
        for place, head in enumerate(grid.heads[1:], 1):
            rows = [replace(row, name=name) for row, name in zip(grid.rows, names, strict=True)]
            texts = [cell_at(row, place) for row in rows]
            yield from _series_of(grid, head, grid.heads[0], rows, texts, ())
    columns = [
        place
        for place, head in enumerate(grid.heads[1:], 1)
        if head and not YEAR.search(head) and not terms_of(head) & _STATISTICS
    ]
    if len({grid.heads[place] for place in columns}) < max(2, len(columns)):
        return
    for line in grid.rows:
        rows = [replace(line, name=grid.heads[place]) for place in columns]
        texts = [cell_at(line, place) for place in columns]
        yield from _series_of(grid, line.name, "", rows, texts, (line,))


def _series_of(
    grid: Grid, label: str, head: str, rows: Sequence[TableRow], texts: Sequence[str], lines: tuple[TableRow, ...]
) -> Iterator[Series]:
    """The series of one label; two of them where label and cells have two parts ("low / high" over "29 / 41")."""
    for measure, parts, part, others in _split_parts(label, texts):
        members, blanks = [], []
        for row, text in zip(rows, parts, strict=True):
            value = _only_number(text)
            if EMPTY.match(text):
                blanks.append(row.name)
            elif value is not None and not re.match(r"[^\d]{25,}", text):
                members.append((value, replace(row, cells=(text,))))
        if 2 <= len(members) <= MOST_ROWS and len(members) + len(blanks) == len(rows):
            yield Series(grid, measure, head, tuple(members), tuple(blanks), lines, part=part, others=others)


def _split_parts(label: str, texts: Sequence[str]) -> Iterator[tuple[str, list[str], str, str]]:
    match = _PARTED.search(label)
    names = [name for name in match.groups() if name] if match else []
    cut = [[part.strip() for part in text.split("/")] for text in texts if not EMPTY.match(text)]
    if match is None or not cut or any(len(parts) != len(names) for parts in cut):
        yield label, list(texts), "", ""
        return
    for place, name in enumerate(names):
        told = f"{label[: match.start()]}{name}{label[match.end() :]}"
        own = ["" if EMPTY.match(text) else text.split("/")[place].strip() for text in texts]
        yield told, own, name, " ".join(other for other in names if other != name)


LEFT_OVER = 3
"""One content word of so many may stay unsaid by the table where it names what is ranked."""

_OTHER_FIGURES = terms_of(
    "budget plan target forecast estimate difference change variance previous prior share number no"
)
"""Terms of a header by which its figures are not the plain ones, or no figures at all."""


def _rank_series(grids: Sequence[Grid], asked: Ranked) -> RowsRead | None:
    """The series of all tables that the question's words name best, in order."""
    scored: list[tuple[float, Series]] = []
    for grid in grids:
        for series in _derive_series(grid, asked) if asked.change or asked.planned else _list_series(grid):
            named = _take_named(series, asked.names) if asked.names else _take_kind(series, asked.noun)
            if named is not None and (fit := _fit_series(named, asked)) is not None:
                scored.append((fit, named))
    scored.sort(key=lambda pair: -round(pair[0], 4))
    if not scored:
        return None
    reads = [_order_series(series, asked) for fit, series in scored if scored[0][0] - fit < SAME_SERIES]
    first = reads[0]
    if first is None or any(read is None or read.rows[0].name != first.rows[0].name for read in reads):
        return None
    return first


SAME_SERIES = 0.08
"""Two series that fit alike within this are both meant or none: half an unasked word of a header."""


_Thing = TypeVar("_Thing")


def of_kind(things: Sequence[_Thing], names: Sequence[str], noun: Terms) -> list[_Thing]:
    """The things that are called by the noun ranked, where several but not all of them are: the halls of the rooms."""
    called = [thing for thing, name in zip(things, names, strict=True) if noun & terms_of(name)]
    return called if 1 < len(called) < len(things) else list(things)


_OWN_END = re.compile(r"\b(?:short|long|fast|slow|earli|lat|old|young|new|cheap|dear|heavi|light)est\b", re.IGNORECASE)
"""The end of a scale that a measure names itself, as "Shortest interval": another one is not ranked by it."""


def _fit_series(series: Series, asked: Ranked) -> float | None:
    """How well a series is what the question ranks by; None where a word of it stands for nothing."""
    grid, years = series.grid, set(YEAR.findall(series.measure))
    if (
        asked.years
        and not series.worked
        and ((years and not years & asked.years) or not (years or grid.is_of(asked.years)))
    ):
        return None
    own = _OWN_END.search(series.measure)
    if _AMOUNTS.search(series.measure) or (own and own.group().lower() != asked.superlative.text.lower()):
        return None
    said = terms_of(PER_CENT.sub(" percentage ", series.measure))
    said |= terms_of("percentage") if series.is_share else frozenset()
    share = terms_of("percentage")
    if share <= asked.words.terms and not series.is_share and not series.worked:
        return None
    is_other_part = terms_of(series.others) & asked.said and not terms_of(series.part) & asked.said
    hits = asked.words.hits(said)
    measured = asked.superlative.measured & said
    around = grid.around | terms_of(f"{series.head} {' '.join(grid.heads)}")
    names = terms_of(" ".join(row.name for _, row in series.members))
    plain = not said - terms_of(" ".join(years))
    placed = asked.words.hits(grid.place | terms_of(series.head))
    if not (hits - share or measured or series.worked or (plain and placed)):
        return None
    known = bool(asked.names) or not asked.noun or bool(asked.noun & (around | names))
    is_meant = known or (_names_kind if series.lines else _names_rows)(grid, asked.text)
    # "Which obligation": the rows name obligations, so that rows and not columns are what is ranked.
    is_of_rows = series.lines and (asked.noun | _head_noun(asked.text)) & said
    if not is_meant or is_other_part or is_of_rows or _is_across(series, asked, hits):
        return None
    if asked.is_of_kind and (not asked.noun & (grid.place | terms_of(series.head) | names) or asked.noun & said):
        return None
    left = asked.words.left_over(said | around | names) - measured
    if len(left) * LEFT_OVER > len(asked.words.terms) * known:
        return None
    said -= terms_of(series.part) & asked.said
    extra = said - asked.words.terms - asked.superlative.measured - years - share
    cost = (
        0.1 * min(4, len(extra))
        + 0.3 * len(extra & _OTHER_FIGURES)
        + (0.3 if series.is_share and not share & asked.words.terms else 0)
    )
    newest = 0.001 * (int(max(years)) - 1900) if years and not asked.years else 0.0
    return len(hits) + 0.6 * bool(measured) + 0.3 * len(placed) - 0.3 * len(left) - cost + newest + 0.1 * known


_OF_TWO_WORDS = re.compile(r"\b(?:which|what)\s+[\w-]+\s+(?P<head>[\w-]+)\s+(?:has|had|have|is|are|was|were)\b", re.I)


def _head_noun(question: str) -> Terms:
    """The second word of what is ranked, where an auxiliary follows: "obligation" of "which lease obligation has"."""
    match = _OF_TWO_WORDS.search(question)
    return terms_of(match["head"]) if match else frozenset()


def _is_across(series: Series, asked: Ranked, hits: Terms) -> bool:
    """Whether members are measures themselves: one of them says more of what is asked for than the series does.

    So do percentages among amounts: a column of a statement, down which nothing is ranked.
    """
    shares = {"%" in row.cells[0] for _, row in series.members}
    others = (len(asked.words.hits(terms_of(row.name))) for _, row in series.members)
    return len(shares) > 1 or (not asked.names and max(others) > len(hits))


def _take_kind(series: Series, noun: Terms) -> Series:
    """The series of the members that are called by the noun ranked, where the head does not call all of them so."""
    if not noun or noun & terms_of(series.head) or series.worked:
        return series
    kept = of_kind(series.members, [row.name for _, row in series.members], noun)
    return series if len(kept) == len(series.members) else replace(series, members=tuple(kept), blanks=())


def _take_named(series: Series, names: Sequence[str]) -> Series | None:
    """The series of the things named alone; None unless each is one member of it."""
    places = match_names([row.name for _, row in series.members], names)
    if None in places or len(set(places)) < len(names):
        return None
    members = tuple(series.members[place] for place in places if place is not None)
    worked = tuple(series.worked[place] for place in places if place is not None) if series.worked else ()
    return replace(series, members=members, worked=worked, blanks=())


def _order_series(series: Series, asked: Ranked) -> RowsRead | None:
    """The members in order, the winner first; None for a tie at the top, or where gigabytes stand beside minutes."""
    units = {unit for _, row in series.members if (unit := _unit_behind(row.cells[0]))}
    if len({bool(_TIME.fullmatch(unit)) for unit in units}) > 1:
        return None
    measured = measure_cells([row.cells[0] for _, row in series.members])
    if measured is None and not series.worked:
        return None
    if measured is not None and asked.superlative.measured & _PRICES and measured.dimension in _NO_PRICES:
        return None
    both = any(value < 0 for value, _ in series.members) and asked.either_way
    sizes = [abs(value) if both else value for value, _ in series.members]
    if measured is not None and measured.dimension in ("time", "bytes"):
        sizes = [value for value in measured.values if value is not None]
    places = sorted(range(len(sizes)), key=sizes.__getitem__, reverse=asked.most or both)
    if sizes[places[0]] == sizes[places[1]]:
        return None
    order = [(place, series.members[place]) for place in places]
    grid, rows = series.grid, tuple(row for _, (_, row) in order)
    rank = asked.superlative.text.lower()
    side = rank if asked.measured_next and rank.endswith("est") else ""
    if not asked.superlative.measured or asked.measured_next:
        rank = "highest" if asked.most else "lowest"
    fit = 0.89 + 0.02 * grid.rank
    worked = tuple(series.worked[place] for place, _ in order) if series.worked else ()
    if asked.difference and len(rows) == 2 and not worked:
        worked = (difference_between(rows),)
    heads = (series.head, *(series.sides or (series.measure,)))
    return RowsRead(RowTask.RANK, grid.document, grid.caption, heads, rows, fit,
                    total=len(rows), measure=series.measure, rank=rank, blanks=series.blanks, lines=series.lines,
                    worked=worked, either_way=both, side=side,
                    unit=_unit_of(series))  # fmt: skip


_TIME = re.compile(r"(?:s|secs?|seconds?|min|mins|minutes?|h|hrs?|hours?|days?|weeks?|months?)", re.IGNORECASE)


def _unit_behind(cell: str) -> str:
    """The word behind the number of a cell, "" for none."""
    match = re.search(r"\d\s?([A-Za-z]+)\W*$", cell)
    return match[1].lower() if match else ""


def _unit_of(series: Series) -> str:
    """The unit that the table states for figures of which neither header nor cells say one."""
    if series.is_share:
        return "" if all("%" in row.cells[0] for _, row in series.members) else "%"
    bare = all(re.fullmatch(r"[-−(]?[\d.,]+\)?", row.cells[0]) for _, row in series.members)
    return series.grid.view.measure if bare and not re.search(r"\([^()]{1,14}\)\s*$", series.measure) else ""


def difference_between(rows: Sequence[TableRow]) -> WorkedCell:
    """What the greater of two figures has more than the other."""
    texts = [row.cells[0] for row in rows]
    numbers = sorted((numbers_in(text)[0].value for text in texts), reverse=True)
    pairs = sorted(zip(rows, texts, strict=True), key=lambda pair: -numbers_in(pair[1])[0].value)
    names = name_operands([row.name for row, _ in pairs])
    units = {match[1] if (match := re.search(r"\d(\s?[A-Za-zµ°²³]+|%)$", text)) else "" for text in texts}
    told = f"{numbers[0] - numbers[1]:,}{units.pop() if len(units) == 1 else ''}"
    operands = tuple((name, text) for name, (_, text) in zip(names, pairs, strict=True))
    return WorkedCell(told, f"{names[0]} - {names[1]}", operands)


def name_operands(labels: Sequence[str]) -> list[str]:
    """Names for the operands of a shown calculation, from what they are called: "Site A 2024" gives "site_a_2024"."""
    names: list[str] = []
    for label in labels:
        slug = re.sub(r"\W+", "_", label.casefold()).strip("_")[:LONGEST_OPERAND].rstrip("_")
        slug = (
            slug
            if re.match(r"[^\W\d]", slug) and slug.isascii()
            else f"n_{slug}"
            if slug.isascii() and slug
            else "figure"
        )
        while slug in names:
            slug += "_"
        names.append(slug)
    return names


LONGEST_OPERAND = 40
"""Characters of an operand's name in a shown calculation."""


def _derive_series(grid: Grid, asked: Ranked) -> Iterator[Series]:
    """What each row came to more or less: in a later year than in an earlier one, or than was planned.

    A column that states it itself goes first; of a plan only where its sign cannot be told from the two columns.
    """
    names = [row.name for row in grid.rows]
    if not 1 < len(set(names)) == len(names):
        return
    wanted = terms_of("difference deviation variance") if asked.planned else terms_of("change growth increase")
    pair = _planned_pair(grid, asked) if asked.planned else _dated_pair(grid, asked)
    stated = [
        series
        for series in _list_series(grid)
        if not series.lines and terms_of(series.measure) & wanted and series.is_share == asked.asks_share
    ]
    if stated and not (asked.planned and pair):
        yield from stated
        return
    if pair is None:
        return
    later, earlier = pair
    members, worked = [], []
    for row in grid.rows:
        texts = [cell_at(row, place) for place in (later, earlier)]
        values = [_only_number(text) for text in texts]
        if values[0] is None or values[1] is None or values[1] <= 0:
            return
        value, cell = _work_out(row.name, (grid.heads[later], grid.heads[earlier]), texts, share=asked.asks_share)
        members.append((value, replace(row, cells=(cell.result,))))
        worked.append(cell)
    kind = "growth" if asked.asks_share else "change"
    measure = f"{kind} from {grid.heads[earlier]} to {grid.heads[later]}"
    if asked.planned:
        measure = f"difference between {grid.heads[later]} and {grid.heads[earlier]}"
    yield Series(grid, measure, grid.heads[0], tuple(members), worked=tuple(worked),
                 sides=(grid.heads[later], grid.heads[earlier]))  # fmt: skip


def _work_out(name: str, heads: Sequence[str], texts: Sequence[str], *, share: bool) -> tuple[Decimal, WorkedCell]:
    first, second = (numbers_in(text)[0].value for text in texts)
    operands = name_operands([f"{name} {head}" for head in heads])
    difference = f"{operands[0]} - {operands[1]}"
    told = tuple(zip(operands, texts, strict=True))
    if share:
        value = 100 * (first - second) / second
        result = f"{round_half_up(value, 1):f}%"
        return value, WorkedCell(result, f"100 * ({difference}) / {operands[1]}", told)
    both = "%" if all("%" in text for text in texts) else ""
    return first - second, WorkedCell(f"{first - second:,}{' percentage points' if both else ''}", difference, told)


_COUNTED_OFF = re.compile(
    r"^\W*how many\s+(?:of (?:the|our|its)\s+)?(?P<noun>[\w’'-]+)(?P<between>\b[^?]*?)\b"
    r"(?P<side>below|under|short of|behind|above|over|ahead of|beyond)\s+(?:the\s+|its\s+|their\s+)?"
    r"(?P<plan>budget|plan|target|forecast|estimate)\b(?P<rest>[^?]*)",
    re.IGNORECASE,
)
_MET = terms_of("be were was stay remain keep come end perform finish result use used year")
"""Terms between what is counted and the plan that say no more than that it came out so."""


def count_off_plan(grids: Sequence[Grid], plan: QueryPlan) -> RowsRead | None:
    """The rows that came out below, or above, what was planned: "How many sites were below budget?"."""
    match = _COUNTED_OFF.match(plan.focus)
    if match is None:
        return None
    noun, years = terms_of(match["noun"]), {str(period.year) for period in plan.periods}
    rest = words_asked(YEAR.sub(" ", f"{match['between']} {match['rest']}"), GENERIC_ASKED | MEASURING | _MET)
    found = []
    for grid in grids:
        pair = plan_and_actual(grid.heads, terms_of(match["plan"]), years)
        is_of = noun & (terms_of(grid.heads[0]) | grid.place) and not rest.left_over(grid.around)
        if pair is None or not is_of or not grid.is_of(years):
            continue
        sides = [[_only_number(cell_at(row, place)) for place in pair] for row in grid.rows]
        told = [(row, first, last) for row, (first, last) in zip(grid.rows, sides, strict=True)
                if first is not None and last is not None]  # fmt: skip
        if len(told) == len(grid.rows) > 1:
            found.append(_count_sides(grid, pair, told, match["side"].lower()))
    return found[0] if len(found) == 1 else None


def _count_sides(
    grid: Grid, pair: tuple[int, int], told: Sequence[tuple[TableRow, Decimal, Decimal]], side: str
) -> RowsRead:
    """The rows on one side of the plan; `lines` are all of them, each with what came and what was planned."""
    is_above = side in ("above", "over", "ahead of", "beyond")
    every = tuple(replace(row, cells=tuple(cell_at(row, place) for place in pair)) for row, *_ in told)
    rows = tuple(
        own
        for own, (_, actual, planned) in zip(every, told, strict=True)
        if (actual > planned if is_above else actual < planned)
    )
    heads = (grid.heads[0], *(grid.heads[place] for place in pair))
    return RowsRead(RowTask.OFF_PLAN, grid.document, grid.caption, heads, rows, 0.92, len(told), measure=side,
                    lines=every)  # fmt: skip


def _dated_pair(grid: Grid, asked: Ranked) -> tuple[int, int] | None:
    """The columns of the later and the earlier year: those asked for, else the only two; or two named in the words."""
    dated = {found[0]: place for place, head in reversed(list(enumerate(grid.heads)))
             if place and len(found := YEAR.findall(head)) == 1 and not terms_of(head) & _OTHER_FIGURES}  # fmt: skip
    years = sorted(asked.years) if len(asked.years) == 2 else sorted(dated) if len(dated) == 2 else []
    if len(years) == 2 and all(year in dated for year in years):
        return dated[years[1]], dated[years[0]]
    named = [
        place for place, head in enumerate(grid.heads) if place and (own := terms_of(head)) and own <= asked.words.terms
    ]
    return (named[1], named[0]) if len(named) == 2 else None


def _planned_pair(grid: Grid, asked: Ranked) -> tuple[int, int] | None:
    return plan_and_actual(grid.heads, asked.planned, asked.years)
