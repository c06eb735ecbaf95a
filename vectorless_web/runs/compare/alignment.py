"""What of one answer stands for what of another: sentences by shared quotes, figures by label and unit."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any

from django.utils import formats
from django.utils.translation import gettext as _

from vectorless_web.engine.text.normalise import normalise
from vectorless_web.engine.text.numbers import missing_unit, numbers_in, unit_word, with_unit
from vectorless_web.engine.text.similarity import DifferencePiece, ratio, word_differences
from vectorless_web.runs.models import Answer, Citation, Claim

ALIKE = 60.0
"""Likeness, 0 to 100, from which sentences without a shared quote count as the same one reworded."""


class Kind(StrEnum):
    """The relation between the two sides of a row."""

    SAME = "same"
    CHANGED = "changed"
    ONLY_A = "only_a"
    ONLY_B = "only_b"


@dataclass(frozen=True)
class Sentence:
    """A claim as one side shows it; `pieces` are its words, those that the other side lacks marked."""

    claim: Claim
    pieces: Sequence[DifferencePiece]


@dataclass(frozen=True)
class SentencePair:
    """What stands side by side; one side may be empty."""

    kind: Kind
    a: Sentence | None
    b: Sentence | None


def align_answers(a: Sequence[Claim], b: Sequence[Claim]) -> list[SentencePair]:
    """All sentences of both answers, in A's order; those of B alone keep their place among their neighbours in B."""
    partner = _pairs(a, b)
    owner = {second: first for first, second in partner.items()}
    leading, behind = _place_unpaired(len(b), owner)
    first_shared = owner[min(owner)] if owner else len(a)
    rows: list[SentencePair] = []
    for number, claim in enumerate(a):
        if number == first_shared:
            rows += [_row(None, b[other]) for other in leading]
        rows.append(_row(claim, b[partner[number]] if number in partner else None))
        rows += [_row(None, b[other]) for other in behind.get(number, [])]
    return rows if owner else rows + [_row(None, b[other]) for other in leading]


def _place_unpaired(count: int, owner: Mapping[int, int]) -> tuple[list[int], dict[int, list[int]]]:
    """Those of B alone: before the first that is shared, and behind each of A's that is."""
    leading: list[int] = []
    behind: dict[int, list[int]] = {}
    place = leading
    for number in range(count):
        if number in owner:
            place = behind.setdefault(owner[number], [])
        else:
            place.append(number)
    return leading, behind


def same_quote(first: Citation, second: Citation) -> bool:
    """Whether two quotes stand on the same page of a document, one of them within the other."""
    if (place_of(first), first.page_index) != (place_of(second), second.page_index):
        return False
    if "picture" in (first.check_result, second.check_result):
        return first.check_result == second.check_result
    one, other = _fold_text(first.quote), _fold_text(second.quote)
    return bool(one and other) and (one in other or other in one)


def place_of(citation: Citation) -> str:
    """Identity of the cited document; equal for all versions of one document."""
    version = citation.version
    return str(version.document_id) if version is not None else citation.document_title


def _pairs(a: Sequence[Claim], b: Sequence[Claim]) -> dict[int, int]:
    """The number in B of the partner of each claim of A that has one: best fit first, each used once."""
    fits = [
        (-fit, first, second)
        for first, claim in enumerate(a)
        for second, other in enumerate(b)
        if (fit := _measure_fit(claim, other)) > 0
    ]
    found: dict[int, int] = {}
    for _best, first, second in sorted(fits):
        if first not in found and second not in found.values():
            found[first] = second
    return found


def _measure_fit(claim: Claim, other: Claim) -> float:
    """0 for no pair, else the likeness, and 100 more for each shared quote."""
    likeness = ratio(_fold_text(claim.text), _fold_text(other.text))
    others = list(other.citations.all())
    shared = sum(any(same_quote(quote, row) for row in others) for quote in claim.citations.all())
    return 100.0 * shared + likeness if shared or likeness >= ALIKE else 0.0


def _row(first: Claim | None, second: Claim | None) -> SentencePair:
    if first is None or second is None:
        kind = Kind.ONLY_B if first is None else Kind.ONLY_A
        sides = [
            Sentence(claim, [DifferencePiece(claim.text, same=True)]) if claim else None for claim in (first, second)
        ]
        return SentencePair(kind, sides[0], sides[1])
    same = _fold_text(first.text) == _fold_text(second.text) and first.support == second.support
    left, right = word_differences(first.text, second.text)
    return SentencePair(Kind.SAME if same else Kind.CHANGED, Sentence(first, left), Sentence(second, right))


def _fold_text(text: str) -> str:
    return normalise(text).text.casefold()


SCALES = {Decimal(10**3): "thousand", Decimal(10**6): "million", Decimal(10**9): "billion", Decimal(10**12): "trillion"}
MOST_DIGITS = 6
"""Digits shown after the point."""
COUNTED_DIGITS = 24
"""A figure with more digits is shown, and not counted with: decimal arithmetic would round it."""
SPACE, MINUS = "\N{NO-BREAK SPACE}", "\N{MINUS SIGN}"


@dataclass(frozen=True)
class WrittenFigure:
    """A figure as written. `amount` is None when the text does not hold exactly one number that can be counted with.

    `amount` includes the scale ("million"); a percentage stands as it is written. `currency` is an
    ISO code or "", `unit` any other word of its unit.
    """

    text: str
    amount: Decimal | None = None
    scale: Decimal = Decimal(1)
    currency: str = ""
    percent: bool = False
    unit: str = ""

    def agrees_with(self, other: "WrittenFigure") -> bool:
        """Whether the two count the same thing, so that one can be taken from the other."""
        return (self.currency, self.percent, self.unit) == (other.currency, other.percent, other.unit)


@dataclass(frozen=True)
class FigureRow:
    """One figure of both sides; `difference` and `share` say how far B is from A, "" where that cannot be said."""

    name: str
    a: str
    b: str
    same: bool
    difference: str = ""
    share: str = ""


def read_figure(text: str, unit: str = "") -> WrittenFigure:
    """Read a figure and the unit that stands apart from it, as in "1,402" and "USD million".

    What the figure says itself counts once: "$220 million" in "USD million" is 220 million.
    """
    numbers = numbers_in(text)
    shown = with_unit(text, unit)
    if len(numbers) != 1 or sum(map(str.isdigit, numbers[0].text)) > COUNTED_DIGITS:
        return WrittenFigure(shown)
    number = numbers[0]
    scale, currency, percent = number.scale, number.currency, number.percent
    left: list[str] = []
    for word in [*(text[: number.start] + " " + text[number.end :]).split(), *missing_unit(text, unit).split()]:
        said = unit_word(word)
        scale, currency, percent = scale * said.scale, currency or said.currency, percent or said.percent
        if not said.is_known:
            left.append(word.casefold().strip(".,;:"))
    amount = number.value * (scale / number.scale)
    return WrittenFigure(shown, amount, scale, currency, percent, " ".join(left))


def figure_row(name: str, a: WrittenFigure | None, b: WrittenFigure | None) -> FigureRow:
    """Both figures with their difference, B less A."""
    row = FigureRow(name, a.text if a else "", b.text if b else "", same=bool(a and b and a.text == b.text))
    if a is None or b is None or a.amount is None or b.amount is None or not a.agrees_with(b):
        return row
    apart = b.amount - a.amount
    if not apart:
        return FigureRow(name, row.a, row.b, same=True)
    return FigureRow(
        name, row.a, row.b, False, _format_safely(_difference, apart, a, b), _format_safely(_format_share, apart, a)
    )


def figure_rows(answers: tuple[Answer | None, Answer | None], claims: Sequence[tuple[Claim, Claim]]) -> list[FigureRow]:
    """The answers' values, then the operands and results of calculations that stand in claims of the same place."""
    rows = [figure_row(_("Answer"), *(_value(answer) for answer in answers))]
    for pair in claims:
        first, second = (claim.calculation or {} for claim in pair)
        if first and second:
            rows += _operands(first, second)
            rows.append(figure_row(_("Result"), _result(first), _result(second)))
    shown: dict[tuple[str, str], FigureRow] = {}
    for row in rows:
        if row.a or row.b:
            shown.setdefault((row.a, row.b), row)
    return list(shown.values())


def _value(answer: Answer | None) -> WrittenFigure | None:
    return read_figure(answer.value) if answer and answer.value else None


def _result(calculation: Mapping[str, Any]) -> WrittenFigure:
    return read_figure(str(calculation.get("result", "")), str(calculation.get("unit") or ""))


def _operands(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[FigureRow]:
    sides = [{row["name"]: row for row in side.get("operands", [])} for side in (first, second)]
    names = list(dict.fromkeys([*sides[0], *sides[1]]))
    return [figure_row(name.replace("_", " "), *(_operand(side.get(name)) for side in sides)) for name in names]


def _operand(row: Mapping[str, Any] | None) -> WrittenFigure | None:
    return read_figure(str(row.get("value", "")), str(row.get("unit") or "")) if row else None


def _difference(apart: Decimal, a: WrittenFigure, b: WrittenFigure) -> str:
    scale = min(a.scale, b.scale)
    scale = scale if scale in SCALES else Decimal(1)
    digits = max(_digits(figure, scale) for figure in (a, b))
    words = [_format_signed(apart / scale, digits)]
    if a.percent:
        words.append(_("percentage points"))
    words += [SCALES.get(scale, ""), a.currency, a.unit]
    return SPACE.join(word for word in words if word)


def _format_share(apart: Decimal, a: WrittenFigure) -> str:
    if a.percent or not a.amount:
        return ""
    return f"{_format_signed(100 * apart / abs(a.amount), 1)}{SPACE}%"


def _format_safely(work_out: Callable[..., str], *figures: Decimal | WrittenFigure) -> str:
    """What is worked out, "" when the figures lie too far apart: models write them, at any length."""
    try:
        return work_out(*figures)
    except ArithmeticError:
        return ""


def _digits(figure: WrittenFigure, scale: Decimal) -> int:
    """Digits after the point in which a figure was written, counted in `scale`."""
    exponent = ((figure.amount or Decimal(0)) / scale).normalize().as_tuple().exponent
    return min(max(0, -int(exponent)), MOST_DIGITS)


def _format_signed(number: Decimal, digits: int) -> str:
    sign = MINUS if number < 0 else "+"
    return sign + formats.number_format(abs(round(number, digits)), digits, use_l10n=True, force_grouping=True)
