"""What form of answer a question wants."""

import re
from collections.abc import Sequence

from vectorless_web.engine.query.plan import FigureNeed, Formula, Intent

_YES_NO = re.compile(
    r"^(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would|should|may|might)\b", re.IGNORECASE
)
_AUXILIARY_CLAUSE = re.compile(
    r",\s*(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would|should)\b", re.IGNORECASE
)
_EXPLAIN = re.compile(
    r"\b(?:why|how (?:did|does|do|has|have|is|are|was|were|can|could|would|will)\b|explain|reasons?|causes?d?"
    r"|drove|drivers?|driven"
    r"|contribut\w+ to|led to|attributed to|nature|purpose|describe)\b",
    re.IGNORECASE,
)
_COMPARES = re.compile(r"\bhow (?:does|do|did)\b.*\b(?:compare|differ)\b", re.IGNORECASE)
_SUMMARY = re.compile(
    r"\b(?:summar\w+|overview|key (?:points|takeaways|findings)|what is (?:this|the) (?:document|report) about"
    r"|outline)\b",
    re.I,
)
_LIST = re.compile(
    r"\b(?:list|enumerate|name (?:all|the|\w+)|what (?:are|were)|which (?:\w+ ){0,3}\w+s\b (?:are|were|have|do"
    r"|did)|identify)\b",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"\b(?:how (?:much|many)|amount|number of|percentage|value of|total|rate|price|cost|size)\b", re.IGNORECASE
)
_LOOKUP = re.compile(
    r"\b(?:who|whom|whose|when|where|which|what (?:date|day|year|name|company|country|law|type|kind))\b", re.IGNORECASE
)


_WHAT_WERE = re.compile(r"\bwhat (?:are|were)\b", re.IGNORECASE)
_REASONS = re.compile(
    r"\b(?:why|reasons?|caus\w+|drove|driv\w+|led to|attribut\w+ to|contribut\w+ to|due to|factors?|impact(?:ed|s)?"
    r"|affect(?:ed|s)?|how come|explain)\b",
    re.IGNORECASE,
)
_SUPERLATIVE = re.compile(
    r"\b(?:most|least|highest|lowest|largest|biggest|smallest|greatest|best|worst|fastest|slowest|more|less|higher|lower"
    r"|larger|smaller|greater|top|rank\w*|exceed\w*|compar\w+)\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"\b(?:which|types?|kinds?|components?|items|list|main|major|key|different|various|sources)\b", re.IGNORECASE
)


def intent_of(focus: str, *, formula: Formula | None, figures: Sequence[FigureNeed]) -> Intent:
    """The intent by its words first, then by what has to be found."""
    if _SUMMARY.search(focus):
        return Intent.SUMMARY
    if _YES_NO.search(focus) or _AUXILIARY_CLAUSE.search(focus):
        return Intent.YES_NO
    if _EXPLAIN.search(focus) and not (figures and _COMPARES.search(focus)):
        return Intent.EXPLAIN
    if formula is not None:
        return Intent.CALCULATION
    if _AMOUNT.search(focus) and not _LIST.search(focus):
        return Intent.FIGURE
    return _by_words(focus, figures)


def asks_reasons(focus: str) -> bool:
    """Whether the question wants to know what brought something about."""
    return bool(_REASONS.search(focus))


def wants_words(focus: str, intent: Intent) -> bool:
    """Whether names or facts are asked for, and no figures have to be compared to find them."""
    return intent in (Intent.LOOKUP, Intent.LIST) and not _SUPERLATIVE.search(focus)


def _by_words(focus: str, figures: Sequence[FigureNeed]) -> Intent:
    """ "What were net sales?" asks for a figure, "What were the main acquisitions?" for a list."""
    if figures and _WHAT_WERE.search(focus) and not _SEVERAL.search(focus):
        return Intent.FIGURE
    if _LIST.search(focus):
        return Intent.LIST
    if _LOOKUP.search(focus):
        return Intent.LOOKUP
    return Intent.FIGURE if figures else Intent.LOOKUP
