"""Questions that want one answer of each of several documents: "in each lease", "compare ... of Ash and Elm House".

What "lease" is no list knows: a word stands for documents when the titles of several are headed by it.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.questions.understand import asks_documents
from vectorless_web.engine.text.analyser import analyse, words


@dataclass(frozen=True, slots=True)
class EachAsked:
    """What is asked of one document alone, and the places (among the titles given) of those it is asked of."""

    question: str
    places: tuple[int, ...]


ANY_KIND = frozenset(analyse("document file text source pdf"))
"""Words for documents of any kind."""

_DETERMINER = re.compile(
    r"\b(?:(?:each|every|all|both|across|per|these|those|(?:the )?(?:two|three|four|five|six|seven|eight|nine|ten))\b"
    r"(?:\s+(?:one\b\s*)?of\b)?(?:\s+(?:the|these|those|our|my|your|its)\b)?(?:\s+(?:two|three|four|five|six|\d+)\b)?"
    r"|the respective)\s+",
    re.IGNORECASE,
)
_POINTING = re.compile(r"th(?:e|ese|ose)\b\s+$|th[eo]se\b", re.IGNORECASE)
"""What only points at documents of any kind: "according to these documents" asks them together."""
_PLAIN = re.compile(r"\b(?:the|these|those|our|my)\s+", re.IGNORECASE)
_COMPARES = re.compile(r"\b(?:compar\w+|differ\w*|versus|vs)\b", re.IGNORECASE)
_DIFFER = re.compile(
    r"^\W*(?:how|in what way|where)\s+(?:do|does|did)\s+it\s+(?:differ|compare)\s+(?:in|on|by|as to|regarding|when it"
    r" comes to|with respect to|in terms of)\s+(?:(?:the|their|its)\s+)?(?P<what>[^?]+)\??\s*$",
    re.IGNORECASE,
)
_COMPARE_IT = re.compile(
    r"^\W*(?:please\s+)?compare\s+it\s+(?:by|on|in|as to|regarding|with respect to|in terms of)\s+"
    r"(?:(?:the|their|its)\s+)?(?P<what>[^?]+?)[?.]?\s*$",
    re.IGNORECASE,
)
_COMPARE = re.compile(r"^\W*(?:please\s+)?compare\s+", re.IGNORECASE)
_JOINED = re.compile(
    r"^[\s,]*(?:and|or|vs\.?|versus|(?:(?:as )?compared )?(?:with|to)|than|against)?[\s,]*"
    r"(?:(?:the|of|in|at|for)\s+)*$",
    re.IGNORECASE,
)
_IN_IT = re.compile(r"(?:^|\s+)(?:in|of|for|under|from|across|by|per|at|within|with)\s+it\b(?:\s*,\s*)?", re.IGNORECASE)
_FARTHEST = 3
"""Words that may stand before the word for the documents: "each signed lodge lease"."""

_ASKING = frozenset(analyse("list name give show find tell compare document"))
"""Words that only ask."""


def read_each(plan: QueryPlan, titles: Sequence[str]) -> EachAsked | None:
    """What a question asks of each document of a kind, or of each that it names; None for any other question."""
    if asks_documents(plan):
        return None
    found = _read_kind(plan.focus, titles) or _read_names(plan, titles)
    return found if found is not None and set(analyse(found.question)) - _ASKING else None


def _read_kind(focus: str, titles: Sequence[str]) -> EachAsked | None:
    heads = [set(_list_heads(title)) for title in titles]
    counts = Counter(head for found in heads for head in found)
    openings = [*_DETERMINER.finditer(focus)]
    if _COMPARES.search(focus):
        openings += _PLAIN.finditer(focus)
    for opening in openings:
        found = _find_kind(focus, opening.end(), counts)
        if found is None:
            continue
        end, term = found
        if term in ANY_KIND and _POINTING.match(opening.group()):
            continue
        places = [place for place, head in enumerate(heads) if term in head or term in ANY_KIND]
        preposition = "across " if opening.group().lower().startswith("across") else ""
        question = _mend(f"{focus[: opening.start()]}{preposition}it{focus[end:]}")
        if len(places) > 1:
            return EachAsked(question, tuple(places))
    return None


def _find_kind(focus: str, start: int, counts: Counter[str]) -> tuple[int, str] | None:
    """Where the word for documents ends, and its term: the last that stands there without a small word between."""
    found = None
    for word in words(focus[start:])[: _FARTHEST + 1]:
        terms = analyse(word.text)
        if not terms:
            break
        if terms[0] in ANY_KIND or counts[terms[0]] > 1:
            found = start + word.end, terms[0]
    return found


_PREPOSITION = re.compile(
    r"\s+(?:of|for|on|to|at|in|between|with|from|by|and|under)\s+|[:,;()\[\]–—_]|\s-\s|\d+|\.\w+$", re.IGNORECASE
)


def _list_heads(title: str) -> Iterator[str]:
    """The terms that head a title or a part of it: "lease" of "Studio lease: Mill Lane 3"."""
    for part in _PREPOSITION.split(title):
        terms = analyse(part)
        if terms:
            yield terms[-1]


def _read_names(plan: QueryPlan, titles: Sequence[str]) -> EachAsked | None:
    """The question without the names that it lists, each of which another title bears."""
    bearing = {name: _find_bearers(name, titles) for name in plan.entities}
    names = [name for name, places in bearing.items() if places and name in plan.focus]
    if len(names) < 2 or any(set(bearing[a]) & set(bearing[b]) for a in names for b in names if a != b):
        return None
    names.sort(key=plan.focus.index)
    spans = [(plan.focus.index(name), plan.focus.index(name) + len(name)) for name in names]
    gaps = [re.sub(r"^['’]s?", "", plan.focus[left[1] : right[0]]) for left, right in pairwise(spans)]
    if not all(_JOINED.match(gap) for gap in gaps):
        return None
    rest = re.sub(r"^['’]s?", "", plan.focus[spans[-1][1] :])
    question = _mend(f"{plan.focus[: spans[0][0]]}it{rest}")
    first = [bearing[name][0] for name in names]
    return EachAsked(question, tuple(sorted(first))) if analyse(question) else None


def _find_bearers(name: str, titles: Sequence[str]) -> list[int]:
    told = set(analyse(name))
    return [place for place, title in enumerate(titles) if told and told <= set(analyse(title))]


def _mend(question: str) -> str:
    """A comparison as a question for one side: "Compare the fees of it" asks for the fees."""
    question = re.sub(r"\b(?:the|a|an) it\b", "it", " ".join(question.split()), flags=re.IGNORECASE)
    told = _DIFFER.match(question) or _COMPARE_IT.match(question)
    if told:
        return f"What is the {told['what'].strip()}?"
    question = _COMPARE.sub("What are ", question)
    plain = _IN_IT.sub("", question)
    return re.sub(r"^\W+", "", plain)
