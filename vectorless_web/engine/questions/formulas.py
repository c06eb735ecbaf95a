"""Formulas over figures to find: the ratios of the lexicon, and the one that a question writes out itself."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from vectorless_web.engine.questions.asked import find_periods, shift_back
from vectorless_web.engine.questions.lexicon import Concept, Lexicon, PhraseIndex, Ratio, RatioOperand, read_pack
from vectorless_web.engine.questions.plan import FigureNeed, Formula, Period
from vectorless_web.engine.text.analyser import analyse

MAX_FIGURES = 12
"""Figures of plain concepts that one question may need; bounds the time of a question over many periods. Measured on
the 65 questions of filings: 6 and 24 change nothing."""
AT_CLOSE = "with closing balances alone"
"""How a measure differs that takes no average of two balances."""

_NAME = re.compile(r"[a-z_]+")
_AVERAGED = re.compile(r"\(\((\w+) \+ (earlier\w*)\) / 2\)")
_SIGNS = {"*": "×", "-": "−"}


def formula_of(
    ratio: Ratio, lexicon: Lexicon, periods: Sequence[Period], narrower: Sequence[Concept] = ()
) -> tuple[Formula, tuple[FigureNeed, ...]]:
    """The ratio at the latest period named, and the figures it needs, each once.

    `series` holds the ratio at the other periods named, `others` the other ways to work it out. What the other ways
    alone need is optional. A concept among `narrower` that begins with an operand's name takes its place: "net income
    attributable to shareholders" for net income.
    """
    needs: list[FigureNeed] = []
    ordered = sorted(periods, key=lambda period: (period.year, period.quarter or 0), reverse=True)
    latest = ordered[0] if ordered else None
    operands = [_narrow_operand(operand, lexicon, narrower) for operand in ratio.operands]
    places = _place_operands(operands, lexicon, latest, needs)
    series = tuple(
        Formula(
            period.text or str(period.year),
            ratio.expression,
            _place_operands(operands, lexicon, period, needs),
            ratio.source,
            percent=ratio.percent,
        )
        for period in ordered[1:]
    )
    required = len(needs)
    others = tuple(
        Formula(
            other.name,
            other.expression,
            _place_operands(
                [_narrow_operand(o, lexicon, narrower) for o in other.operands],
                lexicon,
                latest,
                needs,
                other.expression,
            ),
            ratio.source,
            percent=ratio.percent,
        )
        for other in (*ratio.others, *_at_year_end(ratio))
    )
    formula = Formula(
        name_ratio(ratio),
        ratio.expression,
        places,
        ratio.source,
        _describe(ratio),
        others,
        series,
        percent=ratio.percent,
    )
    every = (need if index < required else replace(need, optional=True) for index, need in enumerate(needs))
    return formula, tuple(every)


def name_ratio(ratio: Ratio) -> str:
    """What people call a ratio."""
    return ratio.name.removesuffix(" calculation")


def figures_of(concepts: Iterable[Concept], periods: Sequence[Period]) -> tuple[FigureNeed, ...]:
    """A figure for each concept that documents state in numbers, at each period named."""
    measured = [concept for concept in dict.fromkeys(concepts) if concept.is_measured]
    at = periods or (None,)
    needs = [FigureNeed(c.name, c.phrases, period, c.statement) for c in measured for period in at]
    return tuple(needs[:MAX_FIGURES])


def _narrow_operand(operand: RatioOperand, lexicon: Lexicon, narrower: Sequence[Concept]) -> RatioOperand:
    own = lexicon.concept(operand.concept)
    for concept in narrower:
        is_narrower = concept.name != operand.concept and concept.name.startswith(operand.concept)
        if own is not None and is_narrower and concept.statement == own.statement:
            return replace(operand, concept=concept.name)
    return operand


def _place_operands(
    operands: Sequence[RatioOperand],
    lexicon: Lexicon,
    period: Period | None,
    needs: list[FigureNeed],
    expression: str = "",
) -> tuple[tuple[str, int], ...]:
    """Each operand of the expression with the index of its figure, which is added to `needs` when it is new."""
    names = set(_NAME.findall(expression))
    placed = []
    for operand in operands:
        if names and operand.name not in names:
            continue
        need = _need_of(operand, lexicon, period)
        known = next((i for i, other in enumerate(needs) if _identity(other) == _identity(need)), None)
        if known is None:
            known = len(needs)
            needs.append(need)
        placed.append((operand.name, known))
    return tuple(placed)


def _need_of(operand: RatioOperand, lexicon: Lexicon, period: Period | None) -> FigureNeed:
    concept = lexicon.concept(operand.concept)
    return FigureNeed(
        operand.concept,
        concept.phrases if concept else (operand.concept,),
        shift_back(period, operand.offset) if period else None,
        operand.statement or (concept.statement if concept else ""),
        0 if period else operand.offset,
        bool(operand.included_in),
        operand.included_in,
    )


def _identity(need: FigureNeed) -> tuple[object, ...]:
    when = (need.period.year, need.period.quarter) if need.period else None
    return need.concept, when, need.offset


def _at_year_end(ratio: Ratio) -> list[Ratio]:
    """The ratio with the closing balance wherever the average of two balances is taken; none for any other ratio."""
    closing = _AVERAGED.sub(r"\1", ratio.expression)
    return [] if closing == ratio.expression else [replace(ratio, name=AT_CLOSE, expression=closing)]


def _describe(ratio: Ratio) -> str:
    """The calculation as people write it: "365 × average inventories / cost of goods sold"."""
    concepts = {
        operand.name: operand.concept + (" of the period before" if operand.offset else "")
        for operand in ratio.operands
    }
    told = _AVERAGED.sub(r"average \1", ratio.expression.removeprefix("100 * "))
    told = " ".join(_SIGNS.get(part, part) for part in told.split(" "))
    return _NAME.sub(lambda match: concepts.get(match.group(), match.group()), told)


_DEFINITION = re.compile(r":\s+(?P<told>[^:?]*?\s[-+*/×÷]\s[^:?]*?)(?:[.?!](?=\s|$)|$)")
"""What is behind a colon, up to the end of the sentence, with a sign of arithmetic in it."""
_PART = re.compile(r"(?P<sign>[()]|(?<=\s)[-+*/×÷](?=\s))")
_ASIDE = re.compile(r"\[[^]]*\]")
_WRITTEN_SIGNS = {"×": "*", "÷": "/"}
_OF_TWO = {"average": "(({first} + {second}) / 2)", "change": "({second} - {first})"}
"""What an operation over two periods of a figure comes to; `first` is the earlier one."""


def read_formula(
    question: str, name: str, lexicon: Lexicon, operations: PhraseIndex[str], latest: Period | None
) -> tuple[Formula, tuple[FigureNeed, ...]] | None:
    """The formula written in a question with the figures it needs; None where any part of it is not understood.

    A part is a number, or a measured concept of the lexicon with its period, or the average or change of one between
    two periods. A part that names no period is of the `latest` one.
    """
    match = _DEFINITION.search(question)
    if match is None:
        return None
    needs: dict[str, FigureNeed] = {}
    written = []
    for part in _PART.split(_ASIDE.sub(" ", match["told"])):
        plain = part.strip()
        if not plain:
            continue
        if plain in "()-+*/×÷":
            written.append(_WRITTEN_SIGNS.get(plain, plain))
        elif plain.replace(".", "", 1).isdigit():
            written.append(plain)
        elif read := _read_figure(plain, lexicon, operations, latest):
            expression, own = read
            written.append(expression)
            needs |= own
        else:
            return None
    operands = tuple((operand, place) for place, operand in enumerate(needs))
    expression = " ".join(written).replace("( ", "(").replace(" )", ")")
    return Formula(name, expression, operands, is_written=True), tuple(needs.values())


def _read_figure(
    text: str, lexicon: Lexicon, operations: PhraseIndex[str], latest: Period | None
) -> tuple[str, dict[str, FigureNeed]] | None:
    """The expression of one part with its figures by operand; None where a word of it is not accounted for."""
    mentions = find_periods(text)
    operation = operations.find(text) if len(mentions) > 1 else []
    taken = [*((m.start, m.end) for m in mentions), *((start, end) for start, end, _ in operation)]
    matches = lexicon.match(blank_out(text, taken))
    concepts = [entry for m in matches for entry in m.entries[:1] if isinstance(entry, Concept) and entry.is_measured]
    taken += [(m.start, m.end) for m in matches]
    around = {term for word in read_pack("asking")["around"] for term in analyse(word)}
    if len(concepts) != 1 or len(matches) != 1 or not around.issuperset(analyse(blank_out(text, taken))):
        return None
    periods = sorted({m.period.year: m.period for m in mentions}.items())
    names = {name for _, _, found in operation for name in found[:1]}
    if len(periods) == 2 and len(names) == 1 and names <= set(_OF_TWO):
        first, second = (_name_need(concepts[0], period) for _, period in periods)
        expression = _OF_TWO[names.pop()].format(first=first[0], second=second[0])
        return expression, dict((first, second))
    if len(periods) > 1 or names:
        return None
    name, need = _name_need(concepts[0], periods[0][1] if periods else latest)
    return name, {name: need}


def _name_need(concept: Concept, period: Period | None) -> tuple[str, FigureNeed]:
    name = "_".join(re.findall(r"[a-z]+", concept.name.lower()))
    marked = f"{name}_{period.year}" if period else name
    return marked, FigureNeed(concept.name, concept.phrases, period, concept.statement)


def blank_out(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with blanks in the place of these stretches."""
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text
