"""The formula that a question writes itself: "DPO is defined as: 365 * average payables / ..."."""

import re
from collections.abc import Iterable

from vectorless_web.engine.questions.lexicon import Concept, Lexicon, PhraseIndex
from vectorless_web.engine.questions.packs import read_pack
from vectorless_web.engine.questions.periods import find_periods
from vectorless_web.engine.questions.plan import FigureNeed, Formula, Period
from vectorless_web.engine.text.analyser import analyse

_DEFINITION = re.compile(r":\s+(?P<told>[^:?]*?\s[-+*/×÷]\s[^:?]*?)(?:[.?!](?=\s|$)|$)")
"""What is behind a colon, up to the end of the sentence, with a sign of arithmetic in it."""
_PART = re.compile(r"(?P<sign>[()]|(?<=\s)[-+*/×÷](?=\s))")
_ASIDE = re.compile(r"\[[^]]*\]")
_SIGNS = {"×": "*", "÷": "/"}
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
            written.append(_SIGNS.get(plain, plain))
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
    matches = lexicon.match(_blank_out(text, taken))
    concepts = [entry for m in matches for entry in m.entries[:1] if isinstance(entry, Concept) and entry.is_measured]
    taken += [(m.start, m.end) for m in matches]
    around = {term for word in read_pack("asking")["around"] for term in analyse(word)}
    if len(concepts) != 1 or len(matches) != 1 or not around.issuperset(analyse(_blank_out(text, taken))):
        return None
    periods = sorted({m.period.year: m.period for m in mentions}.items())
    names = {name for _, _, found in operation for name in found[:1]}
    if len(periods) == 2 and len(names) == 1 and names <= set(_OF_TWO):
        first, second = (_need_of(concepts[0], period) for _, period in periods)
        expression = _OF_TWO[names.pop()].format(first=first[0], second=second[0])
        return expression, dict((first, second))
    if len(periods) > 1 or names:
        return None
    name, need = _need_of(concepts[0], periods[0][1] if periods else latest)
    return name, {name: need}


def _need_of(concept: Concept, period: Period | None) -> tuple[str, FigureNeed]:
    name = "_".join(re.findall(r"[a-z]+", concept.name.lower()))
    marked = f"{name}_{period.year}" if period else name
    return marked, FigureNeed(concept.name, concept.phrases, period, concept.statement)


def _blank_out(text: str, spans: Iterable[tuple[int, int]]) -> str:
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text
