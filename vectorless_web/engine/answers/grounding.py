"""Checks a draft claim by claim: quotes located, numbers accounted for, and how far the answer can be trusted."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from vectorless_web.engine.answers.accounting import (
    CONSTANTS,
    Account,
    Loose,
    Sources,
    account_for,
    find_table_count,
    items_in,
)
from vectorless_web.engine.answers.agreement import Stated, agrees, find_unaccounted_numbers, list_stated_numbers
from vectorless_web.engine.answers.borrowing import find_statement
from vectorless_web.engine.answers.claims import (
    Calculation,
    Check,
    ClaimEvent,
    DraftCalculation,
    DraftClaim,
    DraftOperand,
    DraftQuote,
    Evidence,
    Operand,
    Support,
)
from vectorless_web.engine.answers.meaning.check import find_mismatches, is_left_to_the_reader
from vectorless_web.engine.answers.quotes import MISSING, Homes, Located, Place, PlacedQuote, locate_head, locate_quote
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.errors import InvalidInput, NotFound
from vectorless_web.engine.figures.arithmetic import constants_in, evaluate, names_in
from vectorless_web.engine.figures.tables import TableView
from vectorless_web.engine.figures.units import MILLION, THOUSAND, units_scale
from vectorless_web.engine.relations.relation import units_of
from vectorless_web.engine.text.numbers import numbers_in
from vectorless_web.engine.text.quantities import quantities_in

LONGEST_CLAIM, MOST_NUMBERS = 6_000, 80
"""Characters and numbers of a sentence that is checked; a page of text, and more rows than a table's page has."""

LONGEST_QUOTES = 10_000
"""Characters of all quotes of a sentence that is checked: three pages. Numbers are compared each with each."""

TOO_LONG = (
    f"The sentence and its quotes are too long to be checked: a sentence has at most {LONGEST_CLAIM:,} characters and"
    f" {MOST_NUMBERS} numbers, its quotes {LONGEST_QUOTES:,} characters. Tell it in several sentences, and quote rows"
    " or sentences."
)

NOT_AMONG_SEARCHED = (
    "The quoted words were not found; the document is so long there that only its nearest parts were searched."
)

MOST_BORROWED = 3
"""Passages that are cited for numbers of one claim beside its own quotes."""


class Grounder:
    """Checks claims against opened documents; numbers their citations from 1 through the whole answer.

    `read` are the nodes that the writer of the claims was shown: a quote that stands word for
    word in another of them than it names is cited where it stands, and `notes` says so.
    `pictures` are the pages that it was shown as pictures: a claim may rest on one, and is
    PICTURED then, because no program compares its words with what stands there.
    `is_whole` tells of a table whether it was shown with all its rows: only then may they be counted.
    """

    def __init__(
        self,
        *,
        documents: Mapping[str, CompiledDocument],
        periods: Sequence[str] = (),
        read: Sequence[Place] = (),
        question: str = "",
        pictures: Collection[Place] = (),
        is_whole: Callable[[Place], bool] | None = None,
    ) -> None:
        self._is_whole = is_whole or (lambda _table: False)
        self._pictures = frozenset(pictures)
        self._documents = documents
        self._question = question
        self._periods = tuple(periods)
        self._homes = Homes(documents=documents, read=read)
        self._markers: dict[tuple[str, int, int, int, str], int] = {}
        self._moved: dict[str, None] = {}
        self._scales: dict[Place, Decimal] = {}
        self._told = [figure for text in self._periods for figure in list_stated_numbers(text)]

    @property
    def notes(self) -> list[str]:
        """Quotes that were cited elsewhere than they named, or added for a number, a sentence each."""
        return list(self._moved)

    def check(self, order: int, claim: DraftClaim) -> ClaimEvent:
        """The claim with its support, citations and, when unsupported, the reason in one sentence."""
        told = _without_asides(claim)
        places, objections = self._judge(told, self._locate_quotes(claim))
        because = objections[0] if objections else ""
        shown = _calculations(told, places) if because else self._shown_calculations(told, places)
        citations = tuple(self._evidence(place) for place in places)
        calculation = _build_calculation(shown, citations)
        support = Support.DERIVED if calculation else Support.SUPPORTED
        support = Support.UNSUPPORTED if because else Support.PICTURED if _rests_on_picture(places) else support
        return ClaimEvent(order, claim.text, "checked", support, citations, calculation, because, claim.table)

    def cite(self, quote: DraftQuote) -> Evidence:
        """A quote that stands for itself, located and numbered like those of claims."""
        return self._evidence(self._place(quote))

    def objections(self, claim: DraftClaim) -> tuple[str, ...]:
        """Everything that speaks against a claim, a sentence each; none when it holds."""
        return tuple(self._judge(_without_asides(claim), self._locate_quotes(claim))[1])

    def is_left_to_the_reader(self, claim: DraftClaim) -> bool:
        """Whether a claim that holds rests on a judgement, a comparison or a count that no check works out again."""
        told = _without_asides(claim)
        places = self._judge(told, self._locate_quotes(claim))[0]
        if _rests_on_picture(places) or self._account(told, places, _calculations(told, places)).counted:
            return True
        return is_left_to_the_reader(told.text, places, tree_of=self._tree, question=self._question)

    def _judge(self, claim: DraftClaim, places: list[PlacedQuote]) -> tuple[list[PlacedQuote], list[str]]:
        """The objections to a claim and to each row of its table, and its quotes: as whole rows, or with others that
        were shown, when only these account for it."""
        if claim.table:
            judged = [self._judge(part, places) for part in claim.split_table()]
            return judged[0][0], [objection for _, objections in judged for objection in objections]
        objections = self._objections(claim, places)
        if not objections or _rests_on_picture(places) or is_too_long(claim):
            return places, objections
        wider = [_whole_row(place) for place in places]
        if wider != places and not self._objections(claim, wider):
            return wider, []
        for own in (places, wider):
            more = self._borrow_quotes(claim, own)
            if more and not self._objections(claim, [*own, *more]):
                self._moved |= dict.fromkeys(_added_note(place) for place in more)
                return [*own, *more], []
        return places, objections

    def _borrow_quotes(self, claim: DraftClaim, places: Sequence[PlacedQuote]) -> list[PlacedQuote]:
        """Quotes of shown passages for what the claim's own quotes do not state; none when any of it is nowhere."""
        if any(place.located.check is Check.MISSING for place in places) or not places:
            return []
        homes = self._homes.list_shown([(place.draft.document, place.draft.key) for place in places])
        calculations = _calculations(claim, places)
        wanted = [(f"{claim.text} {o.name} {o.value}", o.value) for o in self._open_operands(calculations, places)]
        found: list[PlacedQuote] = []
        for text, part in [*wanted, (claim.text, claim.text)]:
            start = len(text) - len(part)
            for loose in self._account(replace(claim, text=text), [*places, *found], calculations).loose:
                if loose.start < start:
                    continue
                if _is_counted_otherwise(loose, places):
                    return []
                quote = find_statement(loose, text, homes, self._documents)
                if quote is None or len(found) == MOST_BORROWED:
                    return []
                found.append(self._place(quote))
        return list(dict.fromkeys(found))

    def _open_operands(
        self, calculations: Sequence[DraftCalculation], places: Sequence[PlacedQuote]
    ) -> Iterator[DraftOperand]:
        """Operands of calculations that neither a quote nor the question states."""
        results: list[Stated] = []
        for calculation in calculations:
            for operand in calculation.operands:
                if not _is_given(operand.value, operand.quote, places, [*self._told, *results]):
                    yield operand
            results += [Stated(number.value) for number in quantities_in(calculation.result)]

    def places(self, claim: DraftClaim) -> list[Check]:
        """How each quote of a claim is found, in order."""
        return [place.located.check for place in self._locate_quotes(claim)]

    def _locate_quotes(self, claim: DraftClaim) -> list[PlacedQuote]:
        """Each quote where it stands; parts of one quote move together. What is too long to check is not sought."""
        if is_too_long(claim):
            return [PlacedQuote(quote, None, MISSING) for quote in claim.quotes]
        found: list[PlacedQuote] = []
        rest: list[PlacedQuote] = []
        moved: dict[Place, Place] = {}
        for quote in claim.quotes:
            place = self._place(quote)
            if place.located.check is Check.MISSING:
                place, *more = self._seek(quote, place, moved)
                # Further parts come last: calculations name quotes by their place in the order.
                rest += more
            found.append(place)
        return [*found, *rest]

    def _seek(self, quote: DraftQuote, place: PlacedQuote, moved: dict[Place, Place]) -> list[PlacedQuote]:
        """A quote that the node named does not hold: in two halves, as headings, in another node, else missing."""
        named = (quote.document, quote.key)
        parts: Sequence[DraftQuote] = self._homes.find_halves(quote) or self._homes.find_headings(quote)
        if parts:
            return [self._place(part) for part in parts]
        home, is_cut = moved.get(named), False
        if home is None or not self._homes.holds(home, quote):
            home, is_cut = self._homes.find_elsewhere(quote)
        if home is not None:
            moved[named] = home
            place = self._place(replace(quote, document=home[0], key=home[1], start=-1))
            self._moved[_describe_move(quote, place)] = None
            return [place]
        if place.node is not None and quote.page < 0:
            head = locate_head(place.node, quote.quote, around=True)
            if head.check is not Check.MISSING:
                return [replace(place, located=head)]
        return [replace(place, located=replace(place.located, is_cut=True)) if is_cut else place]

    def _place(self, quote: DraftQuote) -> PlacedQuote:
        if quote.page >= 0:
            return self._place_picture(quote)
        try:
            tree = self._documents[quote.document].tree
            node = tree.node(quote.key)
        except (KeyError, NotFound):
            return PlacedQuote(quote, None, MISSING)
        place = (quote.document, quote.key)
        if place not in self._scales:
            self._scales[place] = units_scale(units_of(tree, node))
        located = locate_quote(node.text, quote.quote, near=quote.start)
        head = locate_head(node, quote.quote) if located.check is Check.MISSING else MISSING
        located = located if head.check is Check.MISSING else head
        return PlacedQuote(quote, node, located, self._scales[place])

    def _place_picture(self, quote: DraftQuote) -> PlacedQuote:
        """The section that the page of a picture belongs to, if that page was shown as one."""
        if (quote.document, quote.page) not in self._pictures:
            return PlacedQuote(replace(quote, key=0), None, MISSING)
        tree = self._documents[quote.document].tree
        key = tree.section_on(quote.page)
        return PlacedQuote(replace(quote, key=key), tree.node(key), Located(Check.PICTURE))

    def _evidence(self, place: PlacedQuote) -> Evidence:
        draft, located = place.draft, place.located
        if located.check is Check.PICTURE:
            marker = self._marker(replace(draft, quote=""), -1, draft.page)
            return Evidence(marker, draft.document, draft.key, draft.page, "", Check.PICTURE, where=draft.where)
        if place.node is None or located.check is Check.MISSING:
            marker = self._marker(draft, -1, -1)
            page = place.node.page_start if place.node else max(0, draft.page)
            return Evidence(marker, draft.document, draft.key, page, draft.quote, Check.MISSING, where=draft.where)
        spans = self._documents[draft.document].locate(draft.key, located.start, located.end)
        page = spans[0].page_index if spans else place.node.page_start
        quote = place.node.text[located.start : located.end]
        marker = self._marker(draft, located.start, located.end)
        return Evidence(
            marker,
            draft.document,
            draft.key,
            page,
            quote,
            located.check,
            located.start,
            located.end,
            spans,
            draft.where,
        )

    def _marker(self, draft: DraftQuote, start: int, end: int) -> int:
        identity = (draft.document, draft.key, start, end, draft.quote if start < 0 else "")
        return self._markers.setdefault(identity, len(self._markers) + 1)

    def _objections(self, claim: DraftClaim, places: Sequence[PlacedQuote]) -> list[str]:
        """Why the claim does not hold, in the order of weight: quotes, the calculation, then numbers."""
        if not places:
            return ["The sentence has no quote."]
        if is_too_long(claim):
            return [TOO_LONG]
        missing = [place for place in places if place.located.check is Check.MISSING]
        objections = []
        if any(place.draft.page < 0 for place in missing):
            is_cut = any(place.located.is_cut for place in missing)
            objections.append(NOT_AMONG_SEARCHED if is_cut else "The quoted words do not stand in the document.")
        objections += [
            f"Page {place.draft.page + 1} was not shown as a picture." for place in missing if place.draft.page >= 0
        ]
        calculations = _calculations(claim, places)
        if problem := self._calculation_problem(claim, _computable(calculations), places):
            return [*objections, problem, *self._mismatches(claim, places, ())]
        # What a picture shows cannot be counted: numbers that no text states may stand there.
        account = self._account(claim, places, calculations)
        loose = [] if _rests_on_picture(places) else _describe_loose(account)
        refused = [refusal for refusal in map(_refusal, calculations) if refusal] if loose else []
        counted = [
            f"The table has {min(counts)} rows, not {said}."
            for said, counts in self._table_counts(claim, places)
            if said not in counts
        ]
        worked = [*_computable(calculations), *account.derived]
        return [*objections, *refused, *(counted or loose), *self._mismatches(claim, places, worked)]

    def _mismatches(
        self, claim: DraftClaim, places: Sequence[PlacedQuote], worked: Sequence[DraftCalculation]
    ) -> list[str]:
        """What the quotes, or the cells that its numbers were worked out from, say otherwise than the claim."""
        worded = [place for place in places if place.located.check is not Check.PICTURE]
        if not worded:
            return []
        return find_mismatches(claim.text, worded, tree_of=self._tree, question=self._question, calculations=worked)

    def _tree(self, document: str) -> Tree:
        return self._documents[document].tree

    def _calculation_problem(
        self, claim: DraftClaim, calculations: Sequence[DraftCalculation], places: Sequence[PlacedQuote]
    ) -> str:
        """What is wrong with the claim's calculations, later ones of which may use earlier results."""
        known = list(self._told)
        for calculation in calculations:
            problem = _explain_miscalculation(calculation, places, known, claim.text)
            if problem:
                return problem
            known += _list_derived_numbers(calculation, places, known)
        return ""

    def _account(
        self, claim: DraftClaim, places: Sequence[PlacedQuote], calculations: Sequence[DraftCalculation]
    ) -> Account:
        """Where each number of the claim comes from."""
        stated = [figure for index, place in enumerate(places) for figure in _stated_at(place, index)]
        nodes = [place.node for place in places if place.node is not None]
        headings = [self._headings(place) for place in places]
        sources = Sources(
            stated=tuple(stated),
            quotes=tuple(place.text for place in places),
            around=tuple(dict.fromkeys(node.text for node in nodes)),
            headers=tuple(dict.fromkeys(_context(place) for place in places)),
            headings=tuple(dict.fromkeys(headings)),
            told=self._periods,
            counts=_counts(places),
            known_counts=_items_quoted(places).union(*(counts for _, counts in self._table_counts(claim, places))),
            results=tuple(
                figure
                for calculation in _computable(calculations)
                for figure in _list_derived_numbers(calculation, places, self._told)
            ),
        )
        return account_for(claim.text, sources)

    def _table_counts(self, claim: DraftClaim, places: Sequence[PlacedQuote]) -> list[tuple[int, frozenset[int]]]:
        """What the claim says of how many rows its quoted tables have, as far as they were shown whole."""
        found = {}
        for place in places:
            if place.node is None or place.node.table is None or place.located.check is Check.MISSING:
                continue
            view = TableView(place.node, place.node.table, self._tree(place.draft.document))
            said = find_table_count(claim.text, view)
            if said and all(self._is_whole((place.draft.document, part.node.key)) for part in view.parts):
                found[place.draft.document, view.parts[0].node.key] = said
        return list(found.values())

    def _headings(self, place: PlacedQuote) -> str:
        if place.node is None:
            return ""
        path = self._documents[place.draft.document].tree.path(place.node.key)
        return "\n".join([*path, place.node.title])

    def _shown_calculations(self, claim: DraftClaim, places: Sequence[PlacedQuote]) -> list[DraftCalculation]:
        """The claim's calculations that could be worked out, then those that the program found itself."""
        own = _computable(_calculations(claim, places))
        return [*own, *self._account(claim, places, own).derived]


def _is_counted_otherwise(loose: Loose, places: Sequence[PlacedQuote]) -> bool:
    """Whether a quote counts the same things differently: "two patients" where the sentence says "3 patients"."""
    number = loose.number
    if number is None or number.unit or not number.noun:
        return False
    written = [figure.written for place in places for figure in list_stated_numbers(place.text)]
    return any(one.noun == number.noun and not one.unit and one.value != number.value for one in written if one)


def _describe_loose(account: Account) -> list[str]:
    return [
        f"The number {loose.text} stands in none of its quotes and follows from no calculation shown."
        for loose in account.loose
    ]


def is_too_long(claim: DraftClaim) -> bool:
    """Whether a sentence or what it quotes is longer than what is checked."""
    if len(claim.text) > LONGEST_CLAIM or sum(len(quote.quote) for quote in claim.quotes) > LONGEST_QUOTES:
        return True
    return len(claim.text) > 2 * MOST_NUMBERS and len(quantities_in(claim.text)) > MOST_NUMBERS


def _rests_on_picture(places: Sequence[PlacedQuote]) -> bool:
    return any(place.located.check is Check.PICTURE for place in places)


def _whole_row(place: PlacedQuote) -> PlacedQuote:
    """A quote of a row's label, or of some of its cells, as the row: what a label stands for is in its row."""
    table = place.node.table if place.node is not None else None
    located = place.located
    for row in table.rows if table is not None and located.end else ():
        end = row.offset + row.length
        if row.offset == located.start and located.end < end:
            return replace(place, located=Located(Check.NORMALISED, row.offset, end))
    return place


def _without_asides(claim: DraftClaim) -> DraftClaim:
    """The claim without the words that tell what the program did, or only where the sentence stands."""
    text = claim.text
    for aside in (*claim.asides, claim.source):
        text = text.replace(aside, " ", 1) if aside else text
    return replace(claim, text=text, asides=(), source="")


def _describe_move(quote: DraftQuote, place: PlacedQuote) -> str:
    page = place.node.page_start + 1 if place.node else 0
    words = " ".join(quote.quote.split())[:60]
    return f"“{words}” was said to stand in node {quote.key}; it stands in node {place.draft.key}, p. {page}."


def _added_note(place: PlacedQuote) -> str:
    page = place.node.page_start + 1 if place.node else 0
    words = " ".join(place.text.split())[:60]
    return f"“{words}” was added to a sentence's quotes; it stands in node {place.draft.key}, p. {page}."


def _calculations(claim: DraftClaim, places: Sequence[PlacedQuote]) -> list[DraftCalculation]:
    """The claim's calculations, each operand on a quote of the sentence that states it."""
    return [_on_quotes(one, places) for one in claim.calculation.all] if claim.calculation is not None else []


def _on_quotes(calculation: DraftCalculation, places: Sequence[PlacedQuote]) -> DraftCalculation:
    """Each operand on a quote of the sentence that states it, when the one it names does not; else on none."""
    operands = tuple(
        operand
        if _operand_stands(operand.value, operand.quote, places)
        else replace(operand, quote=_find_stating_place(operand.value, places))
        for operand in calculation.operands
    )
    return replace(calculation, operands=operands, more=())


def _find_stating_place(value: str, places: Sequence[PlacedQuote]) -> int:
    return next((index for index in range(len(places)) if _operand_stands(value, index, places)), -1)


_PART_ENDS = {"q1": "March", "h1": "June", "q2": "June", "q3": "September", "q4": "December", "h2": "December"}
_YEAR_PART = re.compile(r"\b([QH][1-4])[ \xa0]?((?:19|20)\d\d)\b", re.IGNORECASE)


def _context(place: PlacedQuote) -> str:
    """Column headers of a cited table, where its periods are printed, with the month each part of a year ends in."""
    table = place.node.table if place.node else None
    headers = " ".join(column.header for column in table.columns) if table else ""
    parts = ((part.lower(), year) for part, year in _YEAR_PART.findall(headers))
    ends = dict.fromkeys(f"{_PART_ENDS[part]} {year}" for part, year in parts if part in _PART_ENDS)
    return "; ".join([headers, *ends]) if ends else headers


def _items_quoted(places: Sequence[PlacedQuote]) -> frozenset[int]:
    """How many items the quotes list."""
    return frozenset().union(*(items_in(place.text) for place in places if place.located.end))


def _counts(places: Sequence[PlacedQuote]) -> frozenset[int]:
    """How many rows of one table, or passages of one section, are quoted."""
    rows: dict[Place, set[int]] = {}
    beside: dict[tuple[str, int], set[tuple[int, int]]] = {}
    for place in places:
        if place.node is None or place.located.check is Check.MISSING:
            continue
        if place.node.table is not None:
            own = rows.setdefault((place.draft.document, place.node.key), set())
            own |= {
                row.offset
                for row in place.node.table.body
                if row.offset < place.located.end and place.located.start < row.offset + row.length
            }
        else:
            passages = beside.setdefault((place.draft.document, place.node.parent), set())
            passages.add((place.node.key, place.located.start))
    sizes = [len(group) for group in rows.values()] + [len(group) for group in beside.values()]
    return frozenset(size for size in sizes if size > 1)


def _explain_miscalculation(
    calculation: DraftCalculation, places: Sequence[PlacedQuote], known: Sequence[Stated], sentence: str
) -> str:
    """What is wrong with a calculation: an operand that no quote states, a loose constant, another result."""
    for operand in calculation.operands:
        if not _is_given(operand.value, operand.quote, places, known):
            return f"The figure {operand.value} ({operand.name}) stands in no quote of the sentence."
    loose = [number for number in constants_in(calculation.expression) if not _is_constant(number, places, known)]
    if loose:
        return f"The calculation uses {loose[0]:f}, which no quote states."
    return _other_result(calculation, places, known, sentence)


def _is_given(value: str, index: int, places: Sequence[PlacedQuote], known: Sequence[Stated]) -> bool:
    """Whether an operand stands in its quote, in the question, is an earlier result or a count of periods."""
    if _operand_stands(value, index, places) or not find_unaccounted_numbers(value, known):
        return bool(quantities_in(value))
    said = quantities_in(value)
    return bool(said) and said[0].value in CONSTANTS and not said[0].unit


def _is_constant(number: Decimal, places: Sequence[PlacedQuote], known: Sequence[Stated]) -> bool:
    """Whether a formula may contain the number: a count of periods, or what a quote or the question states.

    A percentage may stand as 5, 0.05, 1.05 or 0.95.
    """
    if number in CONSTANTS or _rests_on_picture(places):
        return True
    stated = [*known, *(figure for place in places for figure in _list_place_numbers(place))]
    shares = {number * 100, abs(number - 1) * 100}
    return any(_gives_constant(figure, number, shares) for figure in stated)


def _gives_constant(figure: Stated, number: Decimal, shares: set[Decimal]) -> bool:
    value, written = abs(figure.value), figure.written
    if value == number:
        return True
    if written is None:
        return False
    if written.unit == "cent" and value == number * 100:
        return True
    return value == number * written.scale or (written.percent and value in shares)


def _operand_stands(value: str, index: int, places: Sequence[PlacedQuote]) -> bool:
    """Whether the quote states the value, in any scale or as printed: 412 of "412 million" too."""
    if not 0 <= index < len(places):
        return False
    if places[index].located.check is Check.PICTURE:
        return bool(quantities_in(value))
    return (
        not find_unaccounted_numbers(value, _list_place_numbers(places[index]))
        or _printed_scale(value, places[index]) is not None
    )


_NOTED = re.compile(r"\W*(?P<number>[$€£]?\d[\d,]*(?:\.\d+)?\s?%?)(?P<marks>[a-h]{1,4})\W*")
"""A figure with the letters of its footnotes right behind it: "87ab"."""


def _list_place_numbers(place: PlacedQuote) -> list[Stated]:
    return [*list_stated_numbers(place.text, place.scale), *(figure for figure, _ in _noted_figures(place))]


def _noted_figures(place: PlacedQuote) -> Iterator[tuple[Stated, tuple[int, int, int]]]:
    """Figures of quoted cells behind the labels that bear the letters of footnotes, each with its cell."""
    node, located = place.node, place.located
    if node is None or node.table is None:
        return
    for row in node.table.rows:
        if row.offset >= located.end or located.start >= row.offset + row.length:
            continue
        for column, cell in enumerate(row.cells):
            match = _NOTED.fullmatch(cell.text) if column else None
            if match is not None:
                where = (node.key, row.offset, column)
                yield from ((figure, where) for figure in list_stated_numbers(match["number"], place.scale))


def _stated_at(place: PlacedQuote, index: int) -> list[Stated]:
    """The numbers of a quote, each with the quote's index and the cell it stands in."""
    figures = list_stated_numbers(place.text, place.scale, quote=index)
    table = place.node.table if place.node is not None else None
    if table is None or place.node is None:
        return figures
    cells = [
        (row, column, cell)
        for row in table.rows
        if row.offset < place.located.end and place.located.start < row.offset + row.length
        for column, cell in enumerate(row.cells)
    ]
    key, found = place.node.key, []
    for figure in figures:
        at = place.located.start + figure.written.start if figure.written is not None else -1
        where = ((key, r.offset, c) for r, c, cell in cells if cell.offset <= at < cell.offset + max(1, cell.length))
        found.append(replace(figure, cell=next(where, None)))
    return [*found, *(replace(figure, quote=index, cell=where) for figure, where in _noted_figures(place))]


def _printed_scale(value: str, place: PlacedQuote) -> Decimal | None:
    """The scale that the words behind a figure give it in the quote; None when it does not stand there so."""
    said = numbers_in(value)
    if not said or said[0].scale != 1:
        return None
    printed = (number for number in numbers_in(place.text) if number.scale != 1)
    return next((number.scale for number in printed if abs(number.value) == abs(said[0].value) * number.scale), None)


def _scales(
    calculation: DraftCalculation, places: Sequence[PlacedQuote], known: Sequence[Stated]
) -> tuple[Decimal, ...]:
    """Factors by which a result may be read: 1, and the scale that all its figures are printed in."""
    found = {
        _printed_scale(operand.value, places[operand.quote]) or places[operand.quote].scale
        for operand in calculation.operands
        if 0 <= operand.quote < len(places)
    }
    written = [
        f.written
        for f in (*known, *(f for place in places for f in _list_place_numbers(place)))
        if f.written is not None
    ]
    for number in constants_in(calculation.expression):
        found |= {figure.scale for figure in written if figure.scale != 1 and figure.value == number * figure.scale}
    shared = found.pop() if len(found) == 1 else Decimal(1)
    # Millions divided by 1000 are billions.
    converted = [shared * number for number in constants_in(calculation.expression) if number in (THOUSAND, MILLION)]
    return tuple(dict.fromkeys((Decimal(1), units_scale(calculation.unit), shared, *converted)))


def _other_result(
    calculation: DraftCalculation, places: Sequence[PlacedQuote], known: Sequence[Stated], sentence: str
) -> str:
    said = quantities_in(calculation.result)
    figures = [_result(value, _scales(calculation, places, known)) for value in _values(calculation)]
    for number in said[:1]:
        # "0.05", or "5.0" for a share that the sentence gives as 5.0%.
        as_share = any(n.percent and abs(n.value) == abs(number.value) for n in quantities_in(sentence))
        told = replace(number, unit="percent" if as_share and not number.unit else number.unit, noun="")
        if any(agrees(told, figure) for figure in figures):
            return ""
    return f"Recomputed, the result is {figures[0].value.normalize():f}, not {calculation.result}."


def _result(value: Decimal, scales: tuple[Decimal, ...]) -> Stated:
    """A worked-out value: read in the scale of its operands, and as a percentage when it is a share."""
    return Stated(value, scales, (Decimal(1), Decimal(100)), worked_out=True)


def _computable(calculations: Sequence[DraftCalculation]) -> list[DraftCalculation]:
    """The calculations that are arithmetic over figures; any other leaves its numbers to stand without it."""
    return [calculation for calculation in calculations if not _refusal(calculation)]


def _refusal(calculation: DraftCalculation) -> str:
    """Why a calculation cannot be worked out; "" when it can."""
    try:
        recompute(calculation)
    except InvalidInput as error:
        return error.message
    return ""


def _values(calculation: DraftCalculation) -> list[Decimal]:
    """The results with percentages read as printed (5), and as shares (0.05)."""
    return [recompute(calculation), recompute(calculation, shares=True)]


def recompute(calculation: DraftCalculation, *, shares: bool = False) -> Decimal:
    """The expression over its operands, in exact decimals; InvalidInput when it cannot be computed.

    With `shares` an operand of 5% is 0.05.
    """
    names = {operand.name: _operand_value(operand.value, shares=shares) for operand in calculation.operands}
    unknown = names_in(calculation.expression) - names.keys()
    if unknown:
        raise InvalidInput(f"The calculation uses {min(unknown)}, which has no figure.", code="bad_calculation")
    return evaluate(calculation.expression, names)


def _operand_value(text: str, *, shares: bool) -> Decimal:
    found = quantities_in(text)
    if not found:
        raise InvalidInput(f"The operand {text!r} is not a number.", code="bad_calculation")
    return found[0].value / 100 if shares and found[0].percent else found[0].value


def _list_derived_numbers(
    calculation: DraftCalculation, places: Sequence[PlacedQuote], known: Sequence[Stated]
) -> list[Stated]:
    """Numbers the account itself accounts for: its result (exact and as shown), its operands, its constants."""
    scales = _scales(calculation, places, known)
    shown = [*quantities_in(calculation.result), *(n for o in calculation.operands for n in quantities_in(o.value))]
    results = [_result(value, scales) for value in _values(calculation)]
    plain = (Decimal(1),)
    return [*results, *(Stated(n.value, scales if n.scale == 1 else plain, written=n) for n in shown)]


def _build_calculation(calculations: Sequence[DraftCalculation], citations: Sequence[Evidence]) -> Calculation | None:
    """The calculations as one value that holds the others; None when there is none."""
    if not calculations:
        return None
    first, *others = [_shown_calculation(calculation, citations) for calculation in calculations]
    return replace(first, more=tuple(others))


def _shown_calculation(calculation: DraftCalculation, citations: Sequence[Evidence]) -> Calculation:
    markers = {index: citation.marker for index, citation in enumerate(citations)}
    operands = tuple(Operand(o.name, o.value, o.unit, markers.get(o.quote, 0)) for o in calculation.operands)
    return Calculation(calculation.expression, operands, calculation.result, calculation.unit)
