"""Which words of a question name the figure that it asks for: each of them has to stand where the figure does."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise

from vectorless_web.engine.questions.packs import read_pack
from vectorless_web.engine.questions.periods import years_between
from vectorless_web.engine.questions.plan import Formula, Period, QueryPlan, Token
from vectorless_web.engine.text.analyser import analyse
from vectorless_web.engine.text.numbers import number_word

_SENTENCE_END = re.compile(r"[.?!:;](?=\s)")
"""Where a sentence of a question ends: what is in another sentence tells how to answer, not what is asked."""

_CLAUSE_END = re.compile(r",(?=\s)")

_ARITHMETIC = re.compile(r"\s[-+*/×÷=]\s")
_YEAR = re.compile(r"(?:19|20)\d\d")
_NAMING = ("content", "entity", "lexicon")


def _words_of(*names: str) -> frozenset[str]:
    return frozenset(word for name in names for word in read_pack("asking")[name])


@cache
def _terms_of(name: str) -> frozenset[str]:
    return frozenset(term for word in _words_of(name) for term in analyse(word))


def words_around() -> frozenset[str]:
    """Index terms that a label or a question may add to the name of a figure without naming another one."""
    return _terms_of("around")


def asked_tokens(plan: QueryPlan) -> tuple[Token, ...]:
    """The words that name the figure asked for, in order; () when the question asks for something else.

    They are the naming words of the sentence that asks. When all of them are such as stand around a figure's name,
    all count.
    """
    sentence = _asking_sentence(plan)
    instructing = _terms_of("instructing")
    naming = tuple(token for token in sentence if token.role in _NAMING and token.term not in ("", *instructing))
    naming = tuple(token for token in naming if not _counts_periods(token, plan))
    own = tuple(token for token in naming if token.term not in words_around())
    return own or naming


def _counts_periods(token: Token, plan: QueryPlan) -> bool:
    """Whether a number says how many periods the question names: "three year average from 2016 to 2018"."""
    return len(asked_periods(plan)) > 1 and number_word(token.text) == len(asked_periods(plan))


def asked_periods(plan: QueryPlan) -> tuple[Period, ...]:
    """The periods asked for, with every year of a range."""
    named = {(period.year, period.quarter): period for period in (*plan.periods, *years_between(plan.question))}
    years = {period.year for period in plan.periods}
    return tuple(period for period in named.values() if min(years, default=0) <= period.year <= max(years, default=0))


def asks_figure(plan: QueryPlan) -> bool:
    """Whether the question has one sentence that asks for a figure."""
    return bool(_asking_sentence(plan))


def narrow_plan(plan: QueryPlan) -> QueryPlan:
    """The plan with the periods and the operation of the sentence that asks; other sentences tell how to answer."""
    sentence = _asking_sentence(plan)
    if sentence and not any(token.role == "operation" for token in sentence):
        plan = replace(plan, operation="")
    years = [int(year) for token in sentence if token.role == "period" for year in _YEAR.findall(token.text)]
    if not years:
        return plan
    kept = range(min(years), max(years) + 1)
    series = tuple(way for way in plan.formula.series if _latest_year(plan, way) in kept) if plan.formula else ()
    return replace(
        plan,
        periods=tuple(period for period in plan.periods if period.year in kept),
        formula=replace(plan.formula, series=series) if plan.formula else None,
    )


def defined_terms(plan: QueryPlan) -> frozenset[str]:
    """Terms of the figures by which a question defines what it asks for: "... is defined as: fees / (crew + ships)".

    They stand beside signs of arithmetic in a sentence that does not ask; acronyms are left out.
    """
    asking = _asking_sentence(plan)
    bounds = [0, *(match.end() for match in _SENTENCE_END.finditer(plan.question)), len(plan.question)]
    defining = [(start, end) for start, end in pairwise(bounds) if _ARITHMETIC.search(plan.question[start:end])]
    return frozenset(
        token.term
        for token in plan.tokens
        if token.role == "lexicon" and token.term and token not in asking and not token.text.isupper()
        if any(start <= token.start < end for start, end in defining)
    )


def _latest_year(plan: QueryPlan, way: Formula) -> int:
    periods = (plan.figures[index].period for _, index in way.operands)
    return max((period.year for period in periods if period), default=0)


def _asking_sentence(plan: QueryPlan) -> list[Token]:
    """The words of the one sentence that asks for a figure; [] where its last clause that asks, asks otherwise."""
    ends = [match.end() for match in _SENTENCE_END.finditer(plan.question)]
    sentences: dict[int, list[Token]] = {}
    for token in plan.tokens:
        sentences.setdefault(sum(end <= token.start for end in ends), []).append(token)
    asking = [place for place, tokens in sentences.items() if _words_in(tokens) & _words_of("figure")]
    named = [place for place in asking if any(token.role in ("period", "lexicon") for token in sentences[place])]
    asking = asking if len(asking) == 1 else named[:1]
    if not asking:
        return []
    commas = [match.end() for match in _CLAUSE_END.finditer(plan.question)]
    clauses: dict[int, list[Token]] = {}
    for token in sentences[asking[0]]:
        clauses.setdefault(sum(end <= token.start for end in commas), []).append(token)
    words = [said for tokens in clauses.values() if (said := _words_in(tokens)) & _words_of("figure", "other")]
    return sentences[asking[0]] if words and not words[-1] & _words_of("other") else []


def _words_in(tokens: Sequence[Token]) -> frozenset[str]:
    return frozenset(token.text.lower() for token in tokens)
