"""Checks a draft claim by claim: quotes located, numbers accounted for, and how far the answer can be trusted."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from vectorless_web.engine.answers.claims import (
    Calculation,
    Check,
    ClaimEvent,
    Confidence,
    DraftCalculation,
    DraftClaim,
    DraftQuote,
    Evidence,
    Operand,
    Support,
)
from vectorless_web.engine.answers.quotes import MISSING, Homes, Located, Place, PlacedQuote, locate_quote
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.errors import InvalidInput, NotFound
from vectorless_web.engine.figures.arithmetic import constants_in, evaluate, names_in
from vectorless_web.engine.figures.figure import units_scale
from vectorless_web.engine.figures.needs import figure_needs
from vectorless_web.engine.figures.tables import units_line
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.ranking.finder import Finder
from vectorless_web.engine.text.numbers import Number, numbers_in

_YEAR = re.compile(r"(?:19|20)\d\d")
_NIL = re.compile(r"(?:^|\t)[$€£\s]*[—–-]\s*(?:\t|$)")
"""A cell with a dash states nothing, which is zero."""

_HALF = Decimal("0.5")


@dataclass(frozen=True, slots=True)
class Stated:
    """A number that a quote states. `scales` are the factors it may be read with (1 and the table's own).

    `as_percent` are the factors for a percentage: 1 for a quote, also 100 for a worked-out share.
    """

    value: Decimal
    scales: tuple[Decimal, ...] = (Decimal(1),)
    as_percent: tuple[Decimal, ...] = (Decimal(1),)


def list_stated_numbers(quote: str, scale: Decimal = Decimal(1)) -> list[Stated]:
    """Numbers of a quote; `scale` is what the units line of its table says ("in millions": 1000000)."""
    scales = (Decimal(1),) if scale == 1 else (Decimal(1), scale)
    nil = [Stated(Decimal(0))] if _NIL.search(quote) else []
    return [*(Stated(number.value, scales) for number in numbers_in(quote)), *nil]


def find_unaccounted_numbers(sentence: str, stated: Sequence[Stated], periods: Iterable[str] = ()) -> list[Number]:
    """Numbers of `sentence` that no stated number equals, in order.

    Equal means: the same magnitude after scaling, to the digits the sentence shows. The
    sign is left to the words ("fell by 73.5"). Years and quarters that stand in
    `periods` (the question, column headers, places) need no figure of their own.
    """
    known = {year for text in periods for year in _YEAR.findall(text)}
    dates = _numbers_of_dates(periods)
    return [
        number
        for number in numbers_in(sentence)
        if not _is_known_period(number, known, dates) and not any(_matches_figure(number, figure) for figure in stated)
    ]


def _is_known_period(number: Number, known: set[str], dates: set[Decimal]) -> bool:
    digits = number.text.strip("() ")
    return digits in known or (not number.percent and not number.currency and number.value in dates)


def _numbers_of_dates(periods: Iterable[str]) -> set[Decimal]:
    """Days in "December 31, 2018": 31 belongs to the date, not to the figures."""
    return {
        number.value for text in periods for number in numbers_in(text) if 0 < number.value <= 31 and not number.percent
    }


def _matches_figure(number: Number, figure: Stated) -> bool:
    tolerance = _HALF * _last_digit(number)
    wanted = abs(number.value)
    return any(abs(wanted - abs(figure.value * scale)) <= tolerance for scale in _readings(number, figure))


def _readings(number: Number, figure: Stated) -> tuple[Decimal, ...]:
    """A percentage is never scaled by the table's units, nor an amount in its own words twice."""
    return figure.as_percent if number.percent else figure.scales


def _last_digit(number: Number) -> Decimal:
    """The worth of the last digit shown: 0.1 million for "1.6 million"; exact whole numbers allow no rounding."""
    digits = re.sub(r"[^\d.]", "", number.text)
    decimals = len(digits.split(".")[1]) if "." in digits else 0
    if not decimals and number.scale == 1:
        return Decimal(0) if not number.percent else Decimal(1)
    return number.scale.scaleb(-decimals)


CONSTANTS = frozenset(
    Decimal(number) for number in (*range(13), 52, 100, 360, 365, 366, 1000, 1_000_000, 1_000_000_000)
)
"""Numbers a formula may contain without a quote: counts of periods, days, weeks, percent and scales."""


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
    ) -> None:
        self._documents = documents
        self._periods = tuple(periods)
        self._homes = Homes(documents=documents, read=read)
        self._markers: dict[tuple[str, int, int, int, str], int] = {}
        self._moved: dict[str, None] = {}

    @property
    def notes(self) -> list[str]:
        """Quotes that were cited elsewhere than they named, a sentence each."""
        return list(self._moved)

    def check(self, order: int, claim: DraftClaim) -> ClaimEvent:
        """The claim with its support, citations and, when unsupported, the reason in one sentence."""
        places = self._locate_quotes(claim)
        claim = replace(claim, calculation=_on_quotes(claim.calculation, places))
        places, objections = self._judge(claim, places)
        because = objections[0] if objections else ""
        citations = tuple(self._evidence(place) for place in places)
        calculation = _build_calculation(claim.calculation, citations) if claim.calculation else None
        support = _support(because, claim)
        return ClaimEvent(order, claim.text, "checked", support, citations, calculation, because)

    def objections(self, claim: DraftClaim) -> tuple[str, ...]:
        """Everything that speaks against a claim, a sentence each; none when it holds."""
        places = self._locate_quotes(claim)
        claim = replace(claim, calculation=_on_quotes(claim.calculation, places))
        return tuple(self._judge(claim, places)[1])

    def _judge(self, claim: DraftClaim, places: list[PlacedQuote]) -> tuple[list[PlacedQuote], list[str]]:
        """The objections to a claim, and its quotes: as whole rows when only these account for it."""
        objections = self._objections(claim, places)
        wider = [_whole_row(place) for place in places] if objections else places
        if wider != places and not self._objections(claim, wider):
            return wider, []
        return places, objections

    def places(self, claim: DraftClaim) -> list[Check]:
        """How each quote of a claim is found, in order."""
        return [place.located.check for place in self._locate_quotes(claim)]

    def _locate_quotes(self, claim: DraftClaim) -> list[PlacedQuote]:
        """Each quote where it stands; parts of one quote move together."""
        found: list[PlacedQuote] = []
        moved: dict[Place, Place] = {}
        for quote in claim.quotes:
            place, named = self._place(quote), (quote.document, quote.key)
            if place.located.check is Check.MISSING:
                home = moved.get(named)
                home = home if home and self._homes.holds(home, quote) else self._homes.find_elsewhere(quote)
                if home is not None:
                    moved[named] = home
                    place = self._place(replace(quote, document=home[0], key=home[1], start=-1))
                    self._moved[_describe_move(quote, place)] = None
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
        objections = []
        if any(place.located.check is Check.MISSING for place in places):
            objections.append("The quoted words do not stand in the document.")
        stated = [figure for place in places for figure in _list_place_numbers(place)]
        if claim.calculation is not None:
            if miscalculated := _explain_miscalculation(claim.calculation, places):
                return [*objections, miscalculated]
            stated += _list_derived_numbers(claim.calculation, _scales(claim.calculation, places))
        return objections + self._loose_numbers(claim, places, stated)

    def _loose_numbers(self, claim: DraftClaim, places: Sequence[PlacedQuote], stated: Sequence[Stated]) -> list[str]:
        context = (*self._periods, *(_context(place) for place in places))
        return [
            f"The number {number.text} stands in none of its quotes and follows from no calculation shown."
            for number in find_unaccounted_numbers(claim.text, stated, context)
        ]


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


def _on_quotes(calculation: DraftCalculation | None, places: Sequence[PlacedQuote]) -> DraftCalculation | None:
    """Each operand on a quote of the sentence that states it, when the one it names does not."""
    if calculation is None:
        return None
    operands = tuple(
        operand
        if _operand_stands(operand.value, operand.quote, places)
        else replace(operand, quote=_find_stating_place(operand.value, places, otherwise=operand.quote))
        for operand in calculation.operands
    )
    return replace(calculation, operands=operands)


def _find_stating_place(value: str, places: Sequence[PlacedQuote], *, otherwise: int) -> int:
    return next((index for index in range(len(places)) if _operand_stands(value, index, places)), otherwise)


def _context(place: PlacedQuote) -> str:
    """Column headers of a cited table: where a row's periods are printed."""
    table = place.node.table if place.node else None
    return " ".join(column.header for column in table.columns) if table else ""


def _list_place_numbers(place: PlacedQuote) -> list[Stated]:
    return list_stated_numbers(place.text, place.scale)


def _support(because: str, claim: DraftClaim) -> Support:
    if because:
        return Support.UNSUPPORTED
    return Support.DERIVED if claim.calculation is not None else Support.SUPPORTED


def _explain_miscalculation(calculation: DraftCalculation, places: Sequence[PlacedQuote]) -> str:
    """What is wrong with a calculation: an operand that no quote states, a loose constant, another result."""
    for operand in calculation.operands:
        if not _operand_stands(operand.value, operand.quote, places):
            return f"The figure {operand.value} ({operand.name}) stands in no quote of the sentence."
    try:
        loose = [number for number in constants_in(calculation.expression) if number not in CONSTANTS]
    except InvalidInput as error:
        return error.message
    if loose:
        return f"The calculation uses {loose[0]:f}, which no quote states."
    return _other_result(calculation, _scales(calculation, places))


def _operand_stands(value: str, index: int, places: Sequence[PlacedQuote]) -> bool:
    """Whether the quote states the value, in any scale or as printed: 412 of "412 million" too."""
    if not 0 <= index < len(places):
        return False
    return (
        not find_unaccounted_numbers(value, _list_place_numbers(places[index]))
        or _printed_scale(value, places[index]) is not None
    )


def _printed_scale(value: str, place: PlacedQuote) -> Decimal | None:
    """The scale that the words behind a figure give it in the quote; None when it does not stand there so."""
    said = numbers_in(value)
    if not said or said[0].scale != 1:
        return None
    printed = (number for number in numbers_in(place.text) if number.scale != 1)
    return next((number.scale for number in printed if abs(number.value) == abs(said[0].value) * number.scale), None)


def _scales(calculation: DraftCalculation, places: Sequence[PlacedQuote]) -> tuple[Decimal, ...]:
    """Factors by which a result may be read: 1, and the scale that all its operands are printed in."""
    found = {
        _printed_scale(operand.value, places[operand.quote]) or places[operand.quote].scale
        for operand in calculation.operands
        if 0 <= operand.quote < len(places)
    }
    shared = found.pop() if len(found) == 1 else Decimal(1)
    return Decimal(1), units_scale(calculation.unit), shared


def _other_result(calculation: DraftCalculation, scales: tuple[Decimal, ...]) -> str:
    try:
        result = recompute(calculation)
    except InvalidInput as error:
        return error.message
    said = numbers_in(calculation.result)
    if not said or find_unaccounted_numbers(calculation.result, [_result(result, scales)]):
        return f"Recomputed, the result is {result.normalize():f}, not {calculation.result}."
    return ""


def _result(value: Decimal, scales: tuple[Decimal, ...]) -> Stated:
    """A worked-out value: read in the scale of its operands, and as a percentage when it is a share."""
    return Stated(value, scales, (Decimal(1), Decimal(100)))


def recompute(calculation: DraftCalculation) -> Decimal:
    """The expression over its operands, in exact decimals; InvalidInput when it cannot be computed."""
    names = {operand.name: _operand_value(operand.value) for operand in calculation.operands}
    unknown = names_in(calculation.expression) - names.keys()
    if unknown:
        raise InvalidInput(f"The calculation uses {min(unknown)}, which has no figure.", code="bad_calculation")
    return evaluate(calculation.expression, names)


def _operand_value(text: str) -> Decimal:
    found = numbers_in(text)
    if not found:
        raise InvalidInput(f"The operand {text!r} is not a number.", code="bad_calculation")
    return found[0].value


def _list_derived_numbers(calculation: DraftCalculation, scales: tuple[Decimal, ...]) -> list[Stated]:
    """Numbers the account itself accounts for: its result (exact and as shown), its operands, its constants."""
    shown = [*numbers_in(calculation.result), *(n for o in calculation.operands for n in numbers_in(o.value))]
    return [_result(recompute(calculation), scales), *(Stated(number.value, scales) for number in shown)]


def _build_calculation(calculation: DraftCalculation, citations: Sequence[Evidence]) -> Calculation:
    markers = {index: citation.marker for index, citation in enumerate(citations)}
    operands = tuple(Operand(o.name, o.value, o.unit, markers.get(o.quote, 0)) for o in calculation.operands)
    return Calculation(calculation.expression, operands, calculation.result, calculation.unit)


PART_SAID = 0.4
"""Least share of a sub-question that the quotes say when it counts as covered."""


def confidence_of(
    plan: QueryPlan, drafts: Sequence[DraftClaim], claims: Sequence[ClaimEvent], finders: Mapping[str, Finder]
) -> Confidence:
    """Share of claims that hold x share of the question's parts covered x how much of the question the quotes say.

    The third factor is a mean over the claims that hold. A claim read from table rows
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
