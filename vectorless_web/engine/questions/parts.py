"""The questions that one question puts together, each completed so that it can be asked by itself."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from vectorless_web.engine.questions.lexicon import Lexicon
from vectorless_web.engine.questions.plan import QueryPlan, WeightedTerm
from vectorless_web.engine.questions.requirements import parts_asked
from vectorless_web.engine.questions.understand import understand
from vectorless_web.engine.text.analyser import analyse


@dataclass(frozen=True, slots=True)
class PartAsked:
    """One of the things asked: its own words, and the plan of what it asks by itself."""

    words: str
    plan: QueryPlan


_COUNTED = re.compile(
    r"\bhow many\s+(?P<noun>(?:[\w’'-]+\s+){0,2}?"
    r"(?:(?!(?:was|has|does|as)\b)[\w’'-]*[a-hj-rtv-z]s|people|children|staff|men|women))\b",
    re.IGNORECASE,
)
_COUNTS_NOTHING = re.compile(r"\bhow many\b", re.IGNORECASE)
_LEANING = re.compile(
    r"\b(?:it|its|he|she|they|them|him|his|her|their|this|that|these|those|each|one|there)\b", re.IGNORECASE
)
_ASKING = re.compile(
    r"^\W*(?:and\s+|or\s+)?(?:(?:by|at|in|on|to|from|for|of|with|until|since)\s+)?"
    r"(?:what|which|who|whom|whose|when|where|why|how(?: (?:many|much|often|long|far|soon|old|large|high|big))?)\b",
    re.IGNORECASE,
)
_OF_WHOM = re.compile(
    r"what (?:is|are|was|were) the (?:(?:e-?mail|(?:tele)?phone|web ?site|postal|room|fax)(?: number| address)?"
    r"|address|name|number|age|title|salary|price|cost)",
    re.IGNORECASE,
)
"""What everybody has of their own kind."""
_OF_ANOTHER = re.compile(
    r"by how (?:much|many)(?: [\w’'-]+)?"
    r"|(?:what|how (?:much|high|many|low|far|long)) (?:is|was|are|were) (?:it|that|they)(?: before(?:hand)?)?",
    re.IGNORECASE,
)
"""What has no answer without the rest of the question: the difference between two things that it compares."""
_AUXILIARY = r"(?:do|does|did|will|would|can|could|may|must|should|shall|has|have|had)"
_BE = r"(?:is|are|was|were)"
_DETERMINED = r"(?:the|an?|this|that|these|those|our|your|my|each|every|any|[A-Z][\w’'-]+)"
_ASKS = r"(?i:what|when|where|why|how|which|who|whom)\b"
_WITHIN = r"(?:in|at|on|by|for|from|to|with|per|under|after|before|during)"
_STOPS = rf"(?:{_WITHIN}\b|(?:of|over|into|as|if|when|the|an?|seated|standing)\b|[A-Z]|\d|\Z)"
_SUBJECTS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_ASKS}.*?\b{_BE} (?P<subject>{_DETERMINED}(?: [\w’'-]+)+?(?: of [\w’' -]+?)?)(?= {_WITHIN}\b|\W*$)",
        rf"{_ASKS}.*?\b{_AUXILIARY} (?P<subject>{_DETERMINED}(?: [\w’'-]+)*?) [a-z][\w’'-]*(?=\W*{_STOPS})",
        rf"(?i:how (?:much|many)|which|what) (?P<subject>[a-z][\w’'-]*(?: [\w’'-]+){{0,3}}?) (?:{_BE}|{_AUXILIARY})\b",
        rf"(?i:who|which|what)(?: [\w’'-]+)?? [a-z][\w’'-]+ (?P<subject>{_DETERMINED}(?: [\w’'-]+){{1,4}})\W*$",
    )
)
"""What a part is about: what is or does something, else what is done to."""
_MUCH_OF = re.compile(rf"(?i:how much) (?P<subject>[a-z][\w’'-]*) (?:{_BE}|{_AUXILIARY})\b")
"""What a part asks how much there is of: of "How much notice must he give, and how is it sent?" the notice is "it"."""
_PRONOUN = re.compile(
    r"\b(?P<possessive>its|their|(?P<whose>his|her))\b|\b(?:it|they|them|(?P<person>he|she|him))\b", re.IGNORECASE
)

OF_KIND = re.compile(
    r"\b(?:e-?mail|(?:tele)?phone|web ?site|number|address|date|time|day|year|amount|name|percentage)s?\b",
    re.IGNORECASE,
)
"""Words that name the kind of thing asked for, which shows in its form."""
OF_FORM = 0.3
"""What such a word counts, as a share: no more than other words that only ask."""
LEANING, LENT = 0.6, 0.2
"""What a word of another part counts, as a share of an own one, in a part that leans on it and in one that does not:
the subject of a question is often named once. Chosen by hand."""


def read_parts(plan: QueryPlan, lexicon: Lexicon | None = None) -> tuple[PartAsked, ...]:
    """What a question asks, one by one, in its order; none where it asks one thing.

    What only one part says is lent to the others: the noun that is counted ("how many in this year"), the periods, and
    with less weight the content words.
    """
    parts = parts_asked(plan)
    if any(_OF_ANOTHER.fullmatch(part) for part in parts):
        return ()
    return tuple(PartAsked(part, _complete(plan, parts, place, lexicon)) for place, part in enumerate(parts))


def _complete(plan: QueryPlan, parts: Sequence[str], place: int, lexicon: Lexicon | None) -> QueryPlan:
    part = _name_ranked(_name_subject(_name_counted(parts, place), parts[:place]), parts[:place])
    own = understand(f"{part}?", lexicon=lexicon)
    said = {term.term for term in own.terms}
    others = parts[place - 1] if place else " ".join(parts[1:])
    of_kind = {term for match in OF_KIND.findall(part) for term in analyse(match)}
    leans = not set(analyse(_ASKING.sub(" ", part))) - of_kind or bool(_LEANING.search(part))
    lent = analyse(_ASKING.sub(" ", others))
    share = LEANING if leans and place else LENT
    terms = tuple(WeightedTerm(term, share, "question") for term in dict.fromkeys(lent) if term not in said)
    kept = (replace(term, weight=term.weight * OF_FORM) if term.term in of_kind else term for term in own.terms)
    return replace(own, terms=(*kept, *terms), periods=own.periods or plan.periods)


def _name_subject(part: str, before: Sequence[str]) -> str:
    """A part with its first pronoun replaced by what the part before is about: "when does (the study) end".

    A thing that everybody has is that one's: "what is the telephone number (of the treasurer)".
    """
    pronoun = _PRONOUN.search(part)
    subject = next((match["subject"] for pattern in _SUBJECTS if before and (match := pattern.match(before[-1]))), "")
    if not subject:
        return part
    if _OF_WHOM.fullmatch(part):
        return f"{part} of {subject}"
    if pronoun is None:
        return part
    if pronoun.group().lower() in ("it", "its") and (much := _MUCH_OF.match(before[-1])):
        subject = f"the {much['subject']}"
    if pronoun["person"] or pronoun["whose"]:
        # He is the skipper, where the skipper's age was asked for.
        subject = re.split(r"['’]s\b", subject)[0]
    named = f"{subject}’s" if pronoun["possessive"] else subject
    return f"{part[: pronoun.start()]}{named}{part[pronoun.end() :]}"


_RANK = r"(?:most|least|best|worst|[a-z]{2,}est)"
_RANKS_NOTHING = re.compile(
    rf"(?:and\s+)?(?:which|what|who)(?: one)? (?:had|has|have|was|is|were|are) the (?P<rank>{_RANK})", re.IGNORECASE
)


def _name_ranked(part: str, before: Sequence[str]) -> str:
    """A rank that leaves out what is ranked, with it: "which (segment) had the lowest (revenue)"."""
    match = _RANKS_NOTHING.fullmatch(part.strip())
    told = re.search(rf"\b{_RANK}\b", before[-1], re.IGNORECASE) if match and before else None
    return f"{before[-1][: told.start()]}{match['rank']}{before[-1][told.end() :]}" if match and told else part


def _name_counted(parts: Sequence[str], place: int) -> str:
    """A part that counts without saying what, with the noun of the part that does: "how many (people) standing"."""
    part = parts[place]
    if not _COUNTS_NOTHING.search(part) or _COUNTED.search(part):
        return part
    nearest = (*reversed(parts[:place]), *parts[place + 1 :])
    noun = next((match["noun"].split()[-1] for other in nearest if (match := _COUNTED.search(other))), "")
    return _COUNTS_NOTHING.sub(lambda match: f"{match.group()} {noun}", part, count=1) if noun else part
