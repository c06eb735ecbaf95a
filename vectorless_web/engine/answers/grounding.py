"""Checks a draft claim by claim: quotes located, numbers accounted for, and how far the answer can be trusted."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from vectorless_web.engine.answers.accounting import CONSTANTS, Account, Sources, account_for, items_in
from vectorless_web.engine.answers.agreement import Stated, agrees, find_unaccounted_numbers, list_stated_numbers
from vectorless_web.engine.answers.borrowing import find_statement
from vectorless_web.engine.answers.claims import (
    Calculation,
    Check,
    ClaimEvent,
    Confidence,
    DraftCalculation,
    DraftClaim,
    DraftOperand,
    DraftQuote,
    Evidence,
    Operand,
    Support,
)
from vectorless_web.engine.answers.meaning.check import find_mismatches
from vectorless_web.engine.answers.quotes import MISSING, Homes, Located, Place, PlacedQuote, locate_quote
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.errors import InvalidInput, NotFound
from vectorless_web.engine.figures.arithmetic import constants_in, evaluate, names_in
from vectorless_web.engine.figures.figure import units_scale
from vectorless_web.engine.figures.needs import figure_needs
from vectorless_web.engine.figures.tables import units_line
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.ranking.finder import Finder
from vectorless_web.engine.text.numbers import numbers_in
from vectorless_web.engine.text.quantities import quantities_in

LONGEST_CLAIM, MOST_NUMBERS = 6_000, 120
"""Characters and numbers of a sentence that is checked; a page of text, and more rows than a table's page has."""

LONGEST_QUOTES = 15_000
"""Characters of all quotes of a sentence that is checked: five pages. Numbers are compared each with each."""

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
    """

    def __init__(
        self,
        *,
        documents: Mapping[str, CompiledDocument],
        periods: Sequence[str] = (),
        read: Sequence[Place] = (),
        question: str = "",
    ) -> None:
        self._documents = documents
        self._question = question
        self._periods = tuple(periods)
        self._homes = Homes(documents=documents, read=read)
        self._markers: dict[tuple[str, int, int, int, str], int] = {}
        self._moved: dict[str, None] = {}
        self._told = [figure for text in self._periods for figure in list_stated_numbers(text)]

    @property
    def notes(self) -> list[str]:
        """Quotes that were cited elsewhere than they named, or added for a number, a sentence each."""
        return list(self._moved)

    def check(self, order: int, claim: DraftClaim) -> ClaimEvent:
        """The claim with its support, citations and, when unsupported, the reason in one sentence."""
        places, objections = self._judge(claim, self._locate_quotes(claim))
        because = objections[0] if objections else ""
        shown = _calculations(claim, places) if because else self._shown_calculations(claim, places)
        citations = tuple(self._evidence(place) for place in places)
        calculation = _build_calculation(shown, citations)
        support = Support.UNSUPPORTED if because else Support.DERIVED if calculation else Support.SUPPORTED
        return ClaimEvent(order, claim.text, "checked", support, citations, calculation, because)

    def cite(self, quote: DraftQuote) -> Evidence:
        """A quote that stands for itself, located and numbered like those of claims."""
        return self._evidence(self._place(quote))

    def objections(self, claim: DraftClaim) -> tuple[str, ...]:
        """Everything that speaks against a claim, a sentence each; none when it holds."""
        return tuple(self._judge(claim, self._locate_quotes(claim))[1])

    def _judge(self, claim: DraftClaim, places: list[PlacedQuote]) -> tuple[list[PlacedQuote], list[str]]:
        """The objections to a claim, and its quotes: as whole rows, or with others that were shown, when only these
        account for it."""
        objections = self._objections(claim, places)
        if not objections or is_too_long(claim):
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
        moved: dict[Place, Place] = {}
        for quote in claim.quotes:
            place, named = self._place(quote), (quote.document, quote.key)
            if place.located.check is Check.MISSING:
                home = moved.get(named)
                is_cut = False
                if home is None or not self._homes.holds(home, quote):
                    home, is_cut = self._homes.find_elsewhere(quote)
                if home is not None:
                    moved[named] = home
                    place = self._place(replace(quote, document=home[0], key=home[1], start=-1))
                    self._moved[_describe_move(quote, place)] = None
                elif is_cut:
                    place = replace(place, located=replace(place.located, is_cut=True))
            found.append(place)
        return found

    def _place(self, quote: DraftQuote) -> PlacedQuote:
        try:
            tree = self._documents[quote.document].tree
            node = tree.node(quote.key)
        except (KeyError, NotFound):
            return PlacedQuote(quote, None, MISSING)
        scale = units_scale(units_line(tree, node, node.table)) if node.table is not None else Decimal(1)
        return PlacedQuote(quote, node, locate_quote(node.text, quote.quote, near=quote.start), scale)

    def _evidence(self, place: PlacedQuote) -> Evidence:
        draft, located = place.draft, place.located
        if place.node is None or located.check is Check.MISSING:
            marker = self._marker(draft, -1, -1)
            page = place.node.page_start if place.node else 0
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
        objections = []
        if any(place.located.check is Check.MISSING for place in places):
            is_cut = any(place.located.is_cut for place in places)
            objections.append(NOT_AMONG_SEARCHED if is_cut else "The quoted words do not stand in the document.")
        calculations = _calculations(claim, places)
        if problem := self._calculation_problem(claim, _computable(calculations), places):
            return [*objections, problem, *self._mismatches(claim, places)]
        loose = self._loose_numbers(claim, places, calculations)
        refused = [refusal for refusal in map(_refusal, calculations) if refusal] if loose else []
        return [*objections, *refused, *loose, *self._mismatches(claim, places)]

    def _mismatches(self, claim: DraftClaim, places: Sequence[PlacedQuote]) -> list[str]:
        """What the quotes say otherwise than the claim."""
        return find_mismatches(claim.text, places, tree_of=self._tree, question=self._question)

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

    def _loose_numbers(
        self, claim: DraftClaim, places: Sequence[PlacedQuote], calculations: Sequence[DraftCalculation]
    ) -> list[str]:
        return [
            f"The number {loose.text} stands in none of its quotes and follows from no calculation shown."
            for loose in self._account(claim, places, calculations).loose
        ]

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
            results=tuple(
                figure
                for calculation in _computable(calculations)
                for figure in _list_derived_numbers(calculation, places, self._told)
            ),
        )
        return account_for(claim.text, sources)

    def _headings(self, place: PlacedQuote) -> str:
        if place.node is None:
            return ""
        path = self._documents[place.draft.document].tree.path(place.node.key)
        return "\n".join([*path, place.node.title])

    def _shown_calculations(self, claim: DraftClaim, places: Sequence[PlacedQuote]) -> list[DraftCalculation]:
        """The claim's calculations that could be worked out, then those that the program found itself."""
        own = _computable(_calculations(claim, places))
        return [*own, *self._account(claim, places, own).derived]


def is_too_long(claim: DraftClaim) -> bool:
    """Whether a sentence or what it quotes is longer than what is checked."""
    if len(claim.text) > LONGEST_CLAIM or sum(len(quote.quote) for quote in claim.quotes) > LONGEST_QUOTES:
        return True
    return len(claim.text) > 2 * MOST_NUMBERS and len(quantities_in(claim.text)) > MOST_NUMBERS


def _whole_row(place: PlacedQuote) -> PlacedQuote:
    """A quote of a row's label, or of some of its cells, as the row: what a label stands for is in its row."""
    table = place.node.table if place.node is not None else None
    located = place.located
    for row in table.rows if table is not None and located.end else ():
        end = row.offset + row.length
        if row.offset == located.start and located.end < end:
            return replace(place, located=Located(Check.NORMALISED, row.offset, end))
    return place


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


def _counts(places: Sequence[PlacedQuote]) -> frozenset[int]:
    """How many rows of one table, or passages of one section, are quoted; how many items the quotes list."""
    rows: dict[Place, set[int]] = {}
    beside: dict[tuple[str, int], set[tuple[int, int]]] = {}
    found: set[int] = set()
    for place in places:
        if place.node is None or place.located.check is Check.MISSING:
            continue
        found |= items_in(place.text)
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
    return frozenset(found | {size for size in sizes if size > 1})


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
    if number in CONSTANTS:
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
    return (
        not find_unaccounted_numbers(value, _list_place_numbers(places[index]))
        or _printed_scale(value, places[index]) is not None
    )


def _list_place_numbers(place: PlacedQuote) -> list[Stated]:
    return list_stated_numbers(place.text, place.scale)


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
    return found


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
    return tuple(dict.fromkeys((Decimal(1), units_scale(calculation.unit), shared)))


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


PART_SAID = 0.4
"""Least share of a sub-question that the quotes say when it counts as covered."""


CHECKED = 0.9
"""How firmly an answer of a model stands when every check passed at once; 29 of 32 such answers were right when read.

Half of it would show right answers as doubtful; 1 would promise what quotes alone cannot.
"""

AGREED = 0.97
"""The same when the offline reasoner, which reads without a model, comes to the same figure."""

MENDED_COST = 0.15
"""Taken off when all sentences had to be mended. A mended sentence passed the same checks, on its second try."""

FUZZY_COST = 0.15
"""Taken off when all quotes were found only nearly (95 % alike, every digit equal)."""

OPEN_PART_COST = 0.4
"""Taken off the parts covered when no part of the question is spoken of: a model may speak of it in other words."""

MISSING_COST = 0.15
"""Taken off the parts covered when the model itself says that something is missing."""


@dataclass(frozen=True, slots=True)
class ModelChecks:
    """What the checks found of a model's answer, each share in [0, 1].

    `held` of the sentences it did not withdraw, `mended` of those that hold, `fuzzy` of their
    quotes, `parts` of the question's parts; whether it says that something is missing, and
    whether the offline reasoner comes to a figure that the answer states, too.
    """

    held: float
    mended: float
    fuzzy: float
    parts: float
    says_missing: bool
    agrees: bool


def weigh_checks(checks: ModelChecks) -> Confidence:
    """The confidence of a model's answer: sentences that hold x parts covered x how firmly the quotes stand."""
    covered = 1.0 - OPEN_PART_COST * (1.0 - checks.parts) - MISSING_COST * checks.says_missing
    firm = (AGREED if checks.agrees else CHECKED) - MENDED_COST * checks.mended - FUZZY_COST * checks.fuzzy
    return Confidence(claims_held=checks.held, parts_covered=covered, evidence_fit=firm)


def fuzzy_share(claims: Sequence[ClaimEvent]) -> float:
    """Share of the quotes of claims that hold which were found only nearly."""
    quotes = [quote for claim in claims if is_supported(claim) for quote in claim.citations]
    return _divide_share(sum(quote.check is Check.FUZZY for quote in quotes), len(quotes))


def parts_spoken_of(plan: QueryPlan, claims: Sequence[ClaimEvent], finders: Mapping[str, Finder]) -> float:
    """Share of the question's parts that claims which hold speak of, in their own words or in those of their quotes."""
    if not plan.sub_questions:
        return 1.0
    said = [_told_of(part, claims, finders) for part in plan.sub_questions]
    return _divide_share(sum(share >= PART_SAID for share in said), len(said))


def _told_of(part: str, claims: Sequence[ClaimEvent], finders: Mapping[str, Finder]) -> float:
    told = " ".join(claim.text for claim in claims if is_supported(claim))
    quotes = [quote for claim in claims if is_supported(claim) for quote in claim.citations]
    return _find_best_share(
        quotes, finders, lambda finder, text, around: finder.part_coverage(part, f"{told} {text}", around)
    )


def confidence_of(
    plan: QueryPlan, drafts: Sequence[DraftClaim], claims: Sequence[ClaimEvent], finders: Mapping[str, Finder]
) -> Confidence:
    """Of the offline reasoner's answer: claims that hold x parts covered x how much of the question the quotes say.

    Each factor is a share. The third factor is a mean over the claims that hold. A claim read from table rows
    brings its own fit: how well rows, columns and statement agree with the figures that
    the question needs. Any other is measured by the share of the question's weight that
    its quotes say.
    """
    held = [(draft, claim) for draft, claim in zip(drafts, claims, strict=True) if is_supported(claim)]
    fits = [draft.fit if draft.fit is not None else _measure_question_coverage(claim, finders) for draft, claim in held]
    return Confidence(
        claims_held=_divide_share(len(held), len(claims)),
        parts_covered=_parts(plan, held, finders),
        evidence_fit=_divide_share(sum(max(0.0, min(1.0, fit)) for fit in fits), len(fits)),
    )


def is_supported(claim: ClaimEvent) -> bool:
    """Whether a checked claim is supported or derived."""
    return claim.support in (Support.SUPPORTED, Support.DERIVED)


def _parts(plan: QueryPlan, held: Sequence[tuple[DraftClaim, ClaimEvent]], finders: Mapping[str, Finder]) -> float:
    """Share of the figures needed that were used, else of the sub-questions that the quotes speak of."""
    if not held:
        return 0.0
    used = {need for draft, _ in held for need in draft.needs}
    if used:
        return _divide_share(len(used), max(len(figure_needs(plan)), len(used)))
    if not plan.sub_questions:
        return 1.0
    quotes = [quote for _, claim in held for quote in claim.citations]
    said = [_measure_part_coverage(part, quotes, finders) for part in plan.sub_questions]
    return _divide_share(sum(share >= PART_SAID for share in said), len(said))


def _measure_question_coverage(claim: ClaimEvent, finders: Mapping[str, Finder]) -> float:
    """Share of the question that the claim's quotes say, headings counting less; the best document's."""
    return _find_best_share(claim.citations, finders, lambda finder, text, around: finder.coverage(text, around))


def _measure_part_coverage(part: str, quotes: Sequence[Evidence], finders: Mapping[str, Finder]) -> float:
    return _find_best_share(quotes, finders, lambda finder, text, around: finder.part_coverage(part, text, around))


def _find_best_share(
    quotes: Sequence[Evidence], finders: Mapping[str, Finder], measure: Callable[[Finder, str, str], float]
) -> float:
    shares = []
    for name in dict.fromkeys(quote.document for quote in quotes if quote.document in finders):
        own = [quote for quote in quotes if quote.document == name]
        text, around = " ".join(q.quote for q in own), " ".join(q.where for q in own)
        shares.append(measure(finders[name], text, around))
    return max(shares, default=0.0)


def _divide_share(part: float, whole: int) -> float:
    return part / whole if whole else 0.0
