"""Whether things are of the kind that a question asks about, by what tables call them: visits for appointments."""

import re
from collections.abc import Sequence
from functools import lru_cache

from vectorless_web.engine.questions.wordings import other_wordings
from vectorless_web.engine.relations.rows import Terms, terms_of

_KINDS = tuple(
    terms_of(group)
    for group in (
        "location place site premises branch venue",
        "appointment visit consultation session",
        "team group department unit division",
        "plan tariff package subscription tier",
        "project scheme programme initiative",
        "person employee member worker colleague",
        "journey trip route line",
        "course class lesson workshop",
        "charge fee price",
        "vehicle car van lorry",
        "paper document record file",
        "illness condition disease",
        "shop store outlet",
    )
)
"""Nouns that tables and questions use for things of one kind."""

ANY_KIND = terms_of(
    "thing item one kind type sort option entry product model version variant device machine component category element"
    " group source"
)
"""Nouns that may stand for whatever a table names."""


NAMED = terms_of("country city town village state company firm airline")
"""Nouns for what goes by a name of its own, which no header need call by its kind."""

_NAME = re.compile(r"(?:[A-Z][\w.&’'-]*|of|the|and|de|la|&|\s|,)+")


def are_names(texts: Sequence[str]) -> bool:
    """Whether all of several texts are written as names are: "United Kingdom", "Rest of World"."""
    return len(texts) > 1 and all(_NAME.fullmatch(text) for text in texts)


@lru_cache(maxsize=256)
def kinds_of(noun: str) -> tuple[Terms, ...]:
    """The sets of terms that call something what a noun says: its own, its other wordings, nouns of its kind."""
    own = terms_of(noun)
    kinds = (frozenset({term}) for group in _KINDS if group & own for term in group)
    single = (frozenset({term}) for term in own)
    return tuple(terms for terms in (*single, *(frozenset(o.terms) for o in other_wordings(noun)), *kinds) if terms)


def is_called(noun: str, said: Terms) -> bool:
    """Whether a text of these terms calls something what the noun says, in any wording."""
    return any(terms <= said for terms in kinds_of(noun))
