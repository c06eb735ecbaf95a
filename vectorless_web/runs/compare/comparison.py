"""Two runs side by side: what each says, where it has it from, what it took, how it was asked."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from typing import Any

from django.utils import formats
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from vectorless_web.documents.models import DocumentVersion
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.text.analyser import normalise
from vectorless_web.engine.text.numbers import missing_unit, numbers_in, unit_word, with_unit
from vectorless_web.engine.text.similarity import DifferencePiece, ratio, word_differences
from vectorless_web.infra.templatetags.show import money, until, verdict_line, with_support
from vectorless_web.runs import selectors
from vectorless_web.runs.models import Answer, Citation, Claim, Run, Step
from vectorless_web.runs.page import rendering
from vectorless_web.workspaces.rendering import read_added_terms

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
    one, other = _fold_sentence(first.quote), _fold_sentence(second.quote)
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
    likeness = ratio(_fold_sentence(claim.text), _fold_sentence(other.text))
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
    same = _fold_sentence(first.text) == _fold_sentence(second.text) and first.support == second.support
    left, right = word_differences(first.text, second.text)
    return SentencePair(Kind.SAME if same else Kind.CHANGED, Sentence(first, left), Sentence(second, right))


def _fold_sentence(text: str) -> str:
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
    """Read a figure and the unit that is apart from it, as in "1,402" and "USD million".

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
            rows.append(figure_row(_("Result"), _figure(first, "result"), _figure(second, "result")))
    shown: dict[tuple[str, str], FigureRow] = {}
    for row in rows:
        if row.a or row.b:
            shown.setdefault((row.a, row.b), row)
    return list(shown.values())


def _value(answer: Answer | None) -> WrittenFigure | None:
    return read_figure(answer.value) if answer and answer.value else None


def _operands(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[FigureRow]:
    sides = [{row["name"]: row for row in side.get("operands", [])} for side in (first, second)]
    names = list(dict.fromkeys([*sides[0], *sides[1]]))
    return [figure_row(name.replace("_", " "), *(_figure(side.get(name), "value") for side in sides)) for name in names]


def _figure(row: Mapping[str, Any] | None, name: str) -> WrittenFigure | None:
    return read_figure(str(row.get(name, "")), str(row.get("unit") or "")) if row else None


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


NAMES = {
    "max_steps": gettext_lazy("Steps, at most"),
    "max_walks": gettext_lazy("Documents opened, at most"),
    "token_budget": gettext_lazy("Tokens of context"),
    "model_tokens": gettext_lazy("Tokens of the model, at most"),
    "money_usd": gettext_lazy("US dollars to spend, at most"),
    "expand": gettext_lazy("Use synonyms"),
    "route_mode": gettext_lazy("Routing"),
    "label": gettext_lazy("Kind of passage"),
    "where": gettext_lazy("Only where"),
    "created_after": gettext_lazy("Documents dated from"),
    "created_before": gettext_lazy("Documents dated before"),
    "graph_expand": gettext_lazy("What is added to the passages found"),
    "community": gettext_lazy("Add the rest of a section that was found"),
    "min_confidence": gettext_lazy("Least score of a passage"),
    "summary_cap": gettext_lazy("Characters of a passage, at most"),
}
DEFAULTS = {"expand": True, **asdict(Limits())}
"""What holds for a run that says nothing of its own."""
APART = ("answerer", "searched")
"""Told elsewhere: by who answered, and by the settings that were chosen for the search."""


@dataclass(frozen=True)
class Measure:
    """What a line of a table says of A, of B, and what lies between them."""

    name: str
    a: str
    b: str
    delta: str = ""

    @property
    def same(self) -> bool:
        """Whether both runs have the same value."""
        return self.a == self.b


def differing_settings(first: Run, second: Run) -> list[Measure]:
    """The settings in which two runs differ, those with a name of their own first."""
    return [Measure(_label(name), _format_value(a), _format_value(b)) for name, a, b in _both(first, second) if a != b]


def _both(first: Run, second: Run) -> Iterator[tuple[str, Any, Any]]:
    known = {*first.settings, *second.settings} - {*APART}
    for name in [*(name for name in NAMES if name in known), *sorted(known - {*NAMES})]:
        yield name, *(run.settings.get(name, DEFAULTS.get(name)) for run in (first, second))


def _label(name: str) -> str:
    return str(NAMES.get(name) or name.replace("_", " ").capitalize())


def _format_value(value: Any) -> str:
    if value is None:
        return _("no limit")
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, dict):
        return ", ".join(f"{name} {given}" for name, given in value.items())
    if isinstance(value, int | float):
        return formats.number_format(value, use_l10n=True, force_grouping=True)
    return str(value)


class Side:
    """One of the two runs with all that it left. `mark` is "A" or "B"."""

    def __init__(self, mark: str, run: Run) -> None:
        self.mark = mark
        self.run = run
        self.answer: Answer | None = selectors.answer_of(run)
        self.claims: list[Claim] = selectors.claims_of(run)
        self.versions: list[DocumentVersion] = selectors.versions_read(run)
        self.engine_line = rendering.engine_line(run.engine, run.model)

    @cached_property
    def citations(self) -> list[Citation]:
        """One for each marker."""
        return rendering.citations_of(self.run, self.claims)

    @cached_property
    def steps(self) -> list[Step]:
        """All steps, in order."""
        return selectors.steps_of(self.run)

    @cached_property
    def scope_line(self) -> str:
        """The scope of the run as a phrase."""
        return rendering.scope_line(self.run, selectors.scope_size(self.run))

    @property
    def seconds(self) -> float | None:
        """How long it took; None before it ended."""
        if self.run.started_at is None or self.run.finished_at is None:
            return None
        return (self.run.finished_at - self.run.started_at).total_seconds()


@dataclass(frozen=True)
class QuotesOfPage:
    """The quotes of both runs from one page of a document; pages from 1."""

    title: str
    page: int
    a: Sequence[Citation]
    b: Sequence[Citation]

    @property
    def kind(self) -> str:
        """shared, only_a or only_b."""
        if self.a and self.b:
            return "shared"
        return Kind.ONLY_A if self.a else Kind.ONLY_B

    @property
    def same_words(self) -> bool:
        """Whether each quote of one is among those of the other."""
        return bool(self.a and self.b) and all(
            any(same_quote(quote, other) for other in others)
            for quotes, others in ((self.a, self.b), (self.b, self.a))
            for quote in quotes
        )


@dataclass(frozen=True)
class DocumentReading:
    """A document that one of the runs read, in which version; None for the run that did not."""

    title: str
    a: int | None
    b: int | None


def comparison_of(first: Run, second: Run) -> dict[str, Any]:
    """The context of `runs/compare.html`: A is the first run, B the second."""
    a, b = Side("A", first), Side("B", second)
    rows = align_answers(a.claims, b.claims)
    pairs = [(row.a.claim, row.b.claim) for row in rows if row.a and row.b]
    quotes = quotes_by_page(a.citations, b.citations)
    return {
        "a": a,
        "b": b,
        "sides": (a, b),
        "same_question": _fold_text(first.question) == _fold_text(second.question),
        "measures": list(_measures(a, b, quotes)),
        "rows": rows,
        "figures": figure_rows((a.answer, b.answer), pairs),
        "quotes": quotes,
        "readings": readings(a.versions, b.versions),
        "settings": [*differing_settings(first, second), *_lexicon(a, b)],
        "open": [side for side in (a, b) if side.run.is_open],
    }


def quotes_by_page(a: Iterable[Citation], b: Iterable[Citation]) -> list[QuotesOfPage]:
    """The quotes of both by document and page: shared pages first, then those of A alone, then those of B."""
    found: dict[tuple[str, int], tuple[list[Citation], list[Citation]]] = {}
    for number, citations in enumerate((a, b)):
        for citation in citations:
            found.setdefault((place_of(citation), citation.page_index), ([], []))[number].append(citation)
    pages = [
        QuotesOfPage((firsts or seconds)[0].document_title, index + 1, firsts, seconds)
        for (_place, index), (firsts, seconds) in found.items()
    ]
    order = ("shared", Kind.ONLY_A, Kind.ONLY_B)
    return sorted(pages, key=lambda row: (order.index(row.kind), row.title, row.page))


def readings(a: Iterable[DocumentVersion], b: Iterable[DocumentVersion]) -> list[DocumentReading]:
    """The documents that either run read, by title, with the versions."""
    first, second = ({version.document_id: version for version in versions} for versions in (a, b))
    titles = {pk: version.document.title for pk, version in (second | first).items()}
    rows = [DocumentReading(title, _version_in(first, pk), _version_in(second, pk)) for pk, title in titles.items()]
    return sorted(rows, key=lambda row: row.title)


def _version_in(versions: Mapping[int, DocumentVersion], document: int) -> int | None:
    return versions[document].number if document in versions else None


def _measures(a: Side, b: Side, quotes: Sequence[QuotesOfPage]) -> Iterable[Measure]:
    def both(name: str, shown: Callable[[Side], str], delta: str = "") -> Measure:
        return Measure(name, shown(a), shown(b), delta)

    yield both(_("Answered by"), lambda side: side.engine_line)
    yield both(_("Scope"), lambda side: side.scope_line)
    yield both(_("Checked"), lambda side: verdict_line(side.answer) if side.run.has_answer else "")
    yield both(_("Sentences with a tick"), _ticks)
    yield both(_("Quotes"), _quotes, _describe_shared_pages(quotes))
    yield both(_("Steps"), lambda side: _number(side.run.step_count), _describe_difference(a, b, "step_count", _number))
    yield both(_("Time"), lambda side: until(side.run.started_at, side.run.finished_at), _compare_speed(a, b))
    yield both(_("Tokens"), lambda side: _number(side.run.tokens), _describe_difference(a, b, "tokens", _number))
    yield both(_("Cost"), lambda side: money(side.run.cost_usd), _describe_difference(a, b, "cost_usd", money))


def _describe_shared_pages(quotes: Sequence[QuotesOfPage]) -> str:
    shared = sum(row.kind == "shared" for row in quotes)
    if not shared:
        return _("no page shared") if quotes else ""
    return ngettext("%(n)d shared page", "%(n)d shared pages", shared) % {"n": shared}


def _ticks(side: Side) -> str:
    said = {"held": with_support(side.claims), "n": len(side.claims)}
    return _("%(held)d of %(n)d") % said if side.claims else ""


def _quotes(side: Side) -> str:
    pages = len({(place_of(row), row.page_index) for row in side.citations})
    if not pages:
        return _("none")
    said = ngettext("%(n)d on %(pages)d page", "%(n)d on %(pages)d pages", pages)
    return said % {"n": len(side.citations), "pages": pages}


def _describe_difference(a: Side, b: Side, name: str, show: Callable[[Any], str]) -> str:
    apart = getattr(b.run, name) - getattr(a.run, name)
    if not apart:
        return ""
    return _("%(n)s more for %(side)s") % {"n": show(abs(apart)), "side": b.mark if apart > 0 else a.mark}


def _compare_speed(a: Side, b: Side) -> str:
    """Who was quicker and by how much, when the difference is worth a word."""
    if not a.seconds or not b.seconds:
        return ""
    times = max(a.seconds, b.seconds) / min(a.seconds, b.seconds)
    if times < 1.2:
        return ""
    digits = 0 if times >= 10 else 1
    said = {
        "side": (a if a.seconds < b.seconds else b).mark,
        "times": formats.number_format(round(times, digits), digits),
    }
    return _("%(side)s %(times)s times quicker") % said


def _lexicon(a: Side, b: Side) -> list[Measure]:
    """What the lexicon added to the question of one side alone."""
    first, second = _added_words(a), _added_words(b)
    if first == second:
        return []
    mine, yours = (", ".join(sorted(words)) or _("nothing more") for words in (first - second, second - first))
    return [Measure(_("Looked for too"), mine, yours)]


def _added_words(side: Side) -> set[str]:
    for step in side.steps:
        question = step.observation.get("question")
        if isinstance(question, dict):
            return {phrase for concept in read_added_terms(question) for phrase in concept.phrases}
    return set()


def _number(value: int) -> str:
    return formats.number_format(value, 0, use_l10n=True, force_grouping=True)


def _fold_text(text: str) -> str:
    return " ".join(text.split()).casefold()
