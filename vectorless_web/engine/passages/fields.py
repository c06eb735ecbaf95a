"""A line "Name: value" told as a sentence, with the values whose labels the question names."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from vectorless_web.engine.questions.parts import OF_KIND
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.questions.requirements import Wanted, parts_asked, requirements_of
from vectorless_web.engine.questions.wordings import other_wordings
from vectorless_web.engine.text.analyser import analyse

_FIELD = re.compile(r"\W{0,3}(?P<name>[A-Z][\w ’'/&()-]{1,60}?)\s*(?::(?!//)|\s=\s)\s*(?P<value>\S.*)")
_LONGEST_NAME, _LONGEST_VALUE = 7, 18
"""Words of a name, and of a value that has no labels: what is longer is prose."""
_NO_NAME = re.compile(
    r"(?:the|an?|if|when|where|note|notes|nb|n\.b|warning|caution|tip|see|step|example|source|sources|to|from|cc|re"
    r"|subject|less|add|plus|including|thereof|attention|remember|important|question|answer|q|a|all|for|in|on|at|by|with|no|yes)\b|.*\d",
    re.IGNORECASE,
)
"""How words before a colon begin that name nothing, or not what stands behind it."""
_SAYS = re.compile(
    r"\b(?:is|are|was|were|be|must|(?-i:may)|can|cannot|shall|will|should|has|have|had|do|does|did|see|refer)\b|[.;]\s+[A-Z]",
    re.IGNORECASE,
)
"""What a value has that is a sentence of its own."""
_BEGINS = re.compile(r"[A-Z0-9$€£¥≥≤<>~+(\"“‘]|(?:none|nil|no|yes|about|up to|at least|at most)\b")
_LABELLED = re.compile(r"\s*(?P<value>[^()]*?[^()\s,;])\s*\((?P<label>[^()]*)\)\s*(?:[,;]|$)")
_PAST = re.compile(r"\b(?:was|were|did|had)\b", re.IGNORECASE)
_ASKED = frozenset({Wanted.PERSON, Wanted.DATE, Wanted.SPAN, Wanted.AMOUNT, Wanted.CONTACT, Wanted.LIMIT, Wanted.SUM})
"""Kinds of thing that a value is by itself; a cause, a rule or a definition is told in the words it stands in. What the
question names by the line's own name is told so, too."""


@dataclass(frozen=True, slots=True)
class _Labelled:
    """One of several values of a field, as it stands there, and the terms of its label."""

    text: str
    terms: frozenset[str]


def split_field(text: str) -> tuple[str, str]:
    """The name and the value of a line "Name: value"; ("", "") where it is none, or its value is prose or several."""
    match = _FIELD.fullmatch(" ".join(text.split()))
    if match is None or _NO_NAME.match(match["name"]):
        return "", ""
    name, value = match["name"].strip(), match["value"].strip(" .")
    is_long = len(name.split()) > _LONGEST_NAME or is_prose(value, _LONGEST_VALUE)
    return ("", "") if is_long or _split_labelled(value) else (name, value)


def is_prose(value: str, most: int) -> bool:
    """Whether a value of more than `most` words, or with a verb of its own, is no value but prose."""
    return len(value.split()) > most or bool(_SAYS.search(value))


def word_field(name: str, value: str, question: str) -> str:
    """A field as a sentence in the tense of the question: "The operator was Slaney Day Trips."."""
    if _ENDS_OPEN.search(name):
        return f"{name}: {value}."
    return f"The {_lower_name(name, question)} {_verb(name, question)} {value.rstrip('.')}."


_ENDS_OPEN = re.compile(r"\b(?:by|at|on|for|to|from|in|of|with)$", re.IGNORECASE)
"""How a name ends that is no noun: "Insured by"."""


def tell_field(text: str, plan: QueryPlan) -> str:
    """ "The last inspection was 4 May 2023." for "Last Inspection: 4 May 2023"; "" where a line is not told so.

    Of several values, each with a label in parentheses, those are told whose labels the question names.
    """
    match = _FIELD.fullmatch(" ".join(text.split()))
    wanted = {requirement.wanted for requirement in requirements_of(plan)}
    if match is None or _NO_NAME.match(match["name"]):
        return ""
    name, value = match["name"].strip(), match["value"].strip(" .")
    is_named = set(analyse(name)) <= set(analyse(plan.focus))
    if not wanted <= (_ASKED | {Wanted.STATEMENT} if is_named else _ASKED):
        return ""
    labelled = _split_labelled(value)
    asked = [value] if not labelled else [each.text for each in _choose_labelled(labelled, plan)]
    is_long = not labelled and len(value.split()) > _LONGEST_VALUE
    if len(name.split()) > _LONGEST_NAME or is_long or _SAYS.search(value) or not _BEGINS.match(value):
        return ""
    told = asked[0] if len(asked) == 1 else f"{', '.join(asked[:-1])} and {asked[-1]}"
    return word_field(name, told, plan.question)


def names_value(text: str, plan: QueryPlan, around: str) -> bool:
    """Whether a line is the very value that is asked for: what it is called, or one label of it, the question names.

    And every content word of the question stands in the line or `around` it, as in the headings above it.
    """
    match = _FIELD.fullmatch(" ".join(text.split()))
    if match is None or not tell_field(text, plan):
        return False
    asked = frozenset(analyse(plan.focus))
    own = {term.term for term in plan.terms if term.source in ("question", "entity") and term.weight >= 1.0}
    own -= {term for found in OF_KIND.findall(plan.focus) for term in analyse(found)}
    said = frozenset(analyse(f"{text} {around}"))
    others = [(frozenset(each.origin), frozenset(each.terms)) for each in other_wordings(plan.focus)]
    left = {term for term in own - said if not any(term in origin and terms <= said for origin, terms in others)}
    labelled = _split_labelled(match["value"].strip(" ."))
    is_one = bool(labelled) and len(_choose_labelled(labelled, plan)) < len(labelled)
    return bool(own) and not left and (is_one or (not labelled and frozenset(analyse(match["name"])) <= asked))


def _split_labelled(value: str) -> list[_Labelled]:
    """The values of "12 h (total), 3 h (at night)"; none where not all of it is such values."""
    found = list(_LABELLED.finditer(value))
    if len(found) < 2 or sum(len(match.group()) for match in found) != len(value):
        return []
    return [_Labelled(match.group().strip(" ,;"), frozenset(analyse(match["label"]))) for match in found]


def _choose_labelled(labelled: Sequence[_Labelled], plan: QueryPlan) -> list[_Labelled]:
    """For each part of the question the value whose label says most of it; all where no label is named for certain."""
    chosen: list[_Labelled] = []
    for part in parts_asked(plan) or (plan.focus,):
        asked = set(analyse(part))
        shares = sorted((len(each.terms & asked) / max(1, len(each.terms)), each.text) for each in labelled)
        if not shares[-1][0] or shares[-1][0] == shares[-2][0]:
            return list(labelled)
        chosen.append(next(each for each in labelled if each.text == shares[-1][1]))
    return [each for each in labelled if each in chosen]


def _lower_name(name: str, question: str) -> str:
    """The name in small letters but for words that are no plain ones, or that the question writes with a capital."""
    return " ".join(
        word if not word[1:].islower() or f" {word}" in question else word.lower() for word in name.split(" ")
    )


def _verb(name: str, question: str) -> str:
    last = name.rstrip(")").split()[-1].lower()
    is_many = " and " in name or bool(re.search(r"(?<![sui])s$", last))
    past = bool(_PAST.search(question))
    return ("were" if past else "are") if is_many else ("was" if past else "is")
