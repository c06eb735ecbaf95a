"""Which figures a question needs: those its plan names, else the item its own words name."""

import re
from dataclasses import dataclass
from functools import lru_cache

from vectorless_web.engine.questions.lexicon import Concept, default_lexicon
from vectorless_web.engine.questions.plan import FigureNeed, Intent, QueryPlan
from vectorless_web.engine.text.analyser import analyse

_AMONG = re.compile(
    r"\b(?:among|of|between|out of)\s+(?P<list>[^?;:]{5,160}?),?\s+(?:which|what|who)\b"
    r"|\bwhich (?:one )?of\s+(?P<after>[^?;:]{5,160}?)\s+(?:was|were|is|are|had|has|did|brought|made|gave|grew|cost)\b",
    re.I,
)
_MOST = re.compile(r"\b(?:most|highest|largest|greatest|biggest|best|top)\b", re.I)
_LEAST = re.compile(r"\b(?:least|lowest|smallest|fewest|worst)\b", re.I)
_SPLIT = re.compile(r"\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+", re.I)
_BRACKETS = re.compile(r"\([^)]*\)")


@dataclass(frozen=True, slots=True)
class Contest:
    """Alternatives as figures to find, and whether the greatest or the least is asked for."""

    needs: tuple[FigureNeed, ...]
    greatest: bool


@lru_cache(maxsize=256)
def contest_of(plan: QueryPlan) -> Contest | None:
    """The contest a question asks to decide; None when it names fewer than two known alternatives or no superlative."""
    text = _BRACKETS.sub(" ", plan.focus)
    among = _AMONG.search(text)
    if among is None or not (_MOST.search(text) or _LEAST.search(text)):
        return None
    concepts = _concepts([item for item in _SPLIT.split((among["list"] or among["after"]).strip(" ,")) if item])
    if len(concepts) < 2:
        return None
    period = max(plan.periods, key=lambda p: (p.year, p.quarter or 0)) if plan.periods else None
    needs = tuple(FigureNeed(c.name, c.phrases, period, c.statement) for c in concepts)
    return Contest(needs, bool(_MOST.search(text)))


def _concepts(items: list[str]) -> list[Concept]:
    """The concept of each item; "operations, investing and financing activities" share their last word."""
    found: list[Concept] = []
    shared = items[-1].split()[-1] if items else ""
    for item in items:
        concept = _concept(item) or _concept(f"{item} {shared}")
        if concept is None:
            return []
        if concept not in found:
            found.append(concept)
    return found


def _concept(text: str) -> Concept | None:
    entries = [entry for match in default_lexicon().match(text) for entry in match.entries]
    return next((entry for entry in entries if isinstance(entry, Concept) and entry.statement), None)


_MAY_ASK_FIGURE = frozenset({Intent.FIGURE, Intent.CALCULATION, Intent.LOOKUP, Intent.LIST})
_ASKS_WORDS = re.compile(
    r"\b(?:sa(?:y|ys|id)|stat(?:e|es|ed)|mention\w*|discuss\w*|talks?|tell\s+\w+)\s+(?:\w+\s+){0,2}(?:about|on)\b|\bdescribe\b",
    re.I,
)
_ASKS_MEANING = re.compile(
    r"^\W*what(?:['’]s|\s+(?:is|are))\s+(?!(?:the|an?|its?|their|our|total|net|gross|average)\b)(?![^?]*(?:['’]s\b|\d))[^?]{2,60}\??\s*$"
    r"|\bwhat\s+(?:does|do|did)\b[^?]*\b(?:mean|include|comprise|consist|contain|refer|represent|cover|relate|show)\b"
    r"|\bwhat\s+(?:is|are|was|were)\s+(?:included|contained|meant|comprised|covered)\b"
    r"|\b(?:influenced|driven|caused|determined|affected|impacted|explained)\s+by\b",
    re.I,
)
"""Asks what a thing is or is made of, not how much of it there is: "What is free cash flow?" without any year."""
FREE = "free"
"""Marks the statement of a need that was read from the question's words, not from the lexicon."""

_ASKS_FIGURE = re.compile(r"\bwhat(?:'s| is| was| were| are)\b|\bhow (?:much|many|large|high|big)\b|\bby how\b", re.I)
_ASKING = re.compile(
    r"\b(?:what|how|much|many|large|high|big|is|are|was|were|did|does|do|has|have|had|been|the|an?|of|in|for|at|on|by|as|to|its|their"
    r"|amount|amounts|value|values|figure|total|reported|recorded|state|stated|give|show|shown|according|year|years|fiscal|end|ended|ending"
    r"|usd|eur|gbp|dollars?|euros?|thousands?|millions?|billions?|percent|decimals?|places?|rounded?|answer"
    r"|company|document|report|table|changed?|between|and|during|from|per)\b",
    re.I,
)
_PERIOD = re.compile(r"\b(?:FY|Q[1-4]|H[12])?\s*['’]?(?:19|20)\d\d\b|\bFY\s?\d\d\b|\bQ[1-4]\b", re.I)
_OTHER = re.compile(r"[^\w&/.,'’%-]+")
_RATE = re.compile(r"\brates?$|\bmargins?$|\bpercentage\b|%", re.I)
MOST_WORDS = 9
"""Words of a question, once what only asks is taken away, that may name an item by themselves; more are a
sentence."""
OWN_WORDS = 3
"""Words of an item from which a row may be known by them alone."""

NAMED_SHARE = 0.6
"""Share of a question's own words that must name its figures."""


@lru_cache(maxsize=256)
def figure_needs(plan: QueryPlan) -> tuple[FigureNeed, ...]:
    """The plan's figures when they are what is asked for; else one need per period for the item named, if one is."""
    contest = contest_of(plan)
    if contest is not None:
        return contest.needs
    if _ASKS_WORDS.search(plan.focus) or _ASKS_MEANING.match(plan.focus):
        return ()
    if plan.formula is not None and plan.figures and plan.intent in (Intent.FIGURE, Intent.CALCULATION, Intent.YES_NO):
        return plan.figures
    if plan.intent not in _MAY_ASK_FIGURE or not _ASKS_FIGURE.search(plan.focus):
        return ()
    if plan.figures and _names_little_else(plan):
        return plan.figures
    return _free_needs(plan) if plan.intent is not Intent.LIST else ()


def list_item_needs(plan: QueryPlan) -> tuple[FigureNeed, ...]:
    """The needs of a plain figure question in its own words, one for each that `figure_needs` gives; or none.

    A row that is labelled as the question words it is what is meant, whatever concept the
    lexicon finds in the words.
    """
    needs = figure_needs(plan)
    if plan.formula is not None or contest_of(plan) is not None or not needs or is_free(plan):
        return ()
    free = _free_needs(plan)
    told = len(analyse(free[0].concept)) >= OWN_WORDS if free else False
    return free if told and len(free) == len(needs) else ()


def _free_needs(plan: QueryPlan) -> tuple[FigureNeed, ...]:
    """Needs for the item in the question's own words: `statement` is FREE, so a row must be nearly that item."""
    phrases = item_phrases(plan)
    if not phrases:
        return ()
    return tuple(FigureNeed(phrases[0], phrases, period, FREE) for period in plan.periods or (None,))


def _names_little_else(plan: QueryPlan) -> bool:
    """Whether the question's own words name its figures and little else: not "cash" in "cash tender offers"."""
    item = {term for phrase in item_phrases(plan) for term in analyse(phrase)}
    wordings = [phrase for need in plan.figures for phrase in need.phrases]
    wordings += [phrase.text for phrase in plan.phrases if phrase.source == "question"]
    known = {term for wording in wordings for term in analyse(wording)}
    return len(item & known) >= NAMED_SHARE * len(item)


def item_phrases(plan: QueryPlan) -> tuple[str, ...]:
    """What is left of the question without asking words, names and periods: the item in its own words."""
    text = plan.focus
    for entity in sorted(plan.entities, key=len, reverse=True):
        text = re.sub(rf"\b{re.escape(entity)}(?:['’]s)?", " ", text)
    return _items(text) or _items(plan.focus)


def _items(focus: str) -> tuple[str, ...]:
    text = _PERIOD.sub(" ", focus)
    quoted = re.findall(r"[\"“”']([^\"“”']{3,80})[\"“”']", text)
    words = " ".join(_OTHER.sub(" ", _ASKING.sub(" ", text)).split()).strip(" ,.?'’")
    found = [phrase for phrase in (*quoted, words) if 0 < len(phrase.split()) <= MOST_WORDS and analyse(phrase)]
    return tuple(dict.fromkeys(phrase.lower() for phrase in found))


def asks_rate(plan: QueryPlan) -> bool:
    """Whether the item itself is a percentage as printed ("effective tax rate"), not one to work out."""
    return plan.formula is None and any(_RATE.search(phrase) for phrase in item_phrases(plan)[:1])


def wants_figures(plan: QueryPlan) -> bool:
    """Whether the answer is a figure or worked out from figures."""
    return bool(figure_needs(plan))


def is_free(plan: QueryPlan) -> bool:
    """Whether the needs were read from the question's own words."""
    needs = figure_needs(plan)
    return bool(needs) and needs[0].statement == FREE
