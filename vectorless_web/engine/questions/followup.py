"""Completes a follow-up question with the subject and period of the question before it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from vectorless_web.engine.questions.plan import Period, QueryPlan

LONGEST = 12
"""Words of a question, at most, that may leave its subject to the question before; a longer one says it. Chosen by
hand."""

_OPENING = re.compile(
    r"^\s*(?:and|but|or|so|then|what about|how about|same for|what if|also)\b[\s,:]*(?:for|in|of|about)?\s*", re.I
)
_POSSESSIVE = re.compile(r"\b(?:its|their)\b", re.I)
_SUBJECT = re.compile(r"\b(?:it|they|them|the company|that company|the group)\b", re.I)
_THING = re.compile(r"\b(?:that|this|it)\b", re.I)
_WHY = re.compile(
    r"^\s*(?:and\s+)?(?:why|how come|what drove (?:it|that|this))\b[^\w]*(?:was|is|did)?\s*(?:that|this|it|so)?\W*$",
    re.I,
)
_LINKING = re.compile(r"\b(?:in|for|of|at|as of|during|the|year|fiscal|end|and|company|quarter)\b|[\s,?.!'’]", re.I)


@dataclass(frozen=True, slots=True)
class Previous:
    """The run before in a thread: its question as completed, and the node keys it read, by document id."""

    question: str
    read: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


def complete_question(
    question: str, plan: QueryPlan, before: QueryPlan, *, understand: Callable[[str], QueryPlan]
) -> str:
    """The question with item, subject and period of the one before where it names none itself; else as it is."""
    if len(question.split()) > LONGEST or not _is_followup(question, plan, before):
        return question
    if _WHY.match(question):
        return _complete_why(before)
    rest = _OPENING.sub("", question).strip(" ?")
    if _is_only_period(rest, plan):
        return _other_period(before, plan.periods)
    if plan.entities and _is_only_name(rest, plan):
        return _other_name(before, plan)
    return _with_subject(question, rest, before, understand)


def _is_followup(question: str, plan: QueryPlan, before: QueryPlan) -> bool:
    opens = bool(_OPENING.match(question)) or bool(_WHY.match(question))
    points = bool(_POSSESSIVE.search(question) or _SUBJECT.search(question) or _THING.search(question))
    bare = not plan.entities and bool(before.entities)
    return opens or points or bare


def _complete_why(before: QueryPlan) -> str:
    item = before.concepts[0] if before.concepts else before.focus.strip(" ?")
    subject = f" of {before.entities[0]}" if before.entities else ""
    periods = before.periods[-1:] if before.periods else ()
    return f"Why did the {item}{subject} change{_name_periods(periods)}?"


def _is_only_period(rest: str, plan: QueryPlan) -> bool:
    left = rest
    for period in plan.periods:
        left = left.replace(period.text, " ") if period.text else left
    return bool(plan.periods) and not _LINKING.sub("", left)


def _is_only_name(rest: str, plan: QueryPlan) -> bool:
    left = rest
    for words in (*plan.entities, *(period.text for period in plan.periods)):
        left = left.replace(words, " ") if words else left
    return not _LINKING.sub("", left)


def _other_period(before: QueryPlan, periods: tuple[Period, ...]) -> str:
    """The question before, asked for other periods."""
    wanted = " and ".join(period.text for period in periods)
    text = before.question
    named = [period.text for period in before.periods if period.text and period.text in text]
    if not named:
        return f"{text.rstrip(' ?.')} in {wanted}?"
    first = text.index(named[0])
    text = text[:first] + wanted + text[first + len(named[0]) :]
    for other in named[1:]:
        text = re.sub(rf"\s*(?:,|and|to|-|–)?\s*{re.escape(other)}", "", text, count=1)
    return text


def _other_name(before: QueryPlan, plan: QueryPlan) -> str:
    """The question before, asked of another subject (and period, if one is named)."""
    text, name = before.question, plan.entities[0]
    if before.entities:
        text = re.sub(re.escape(before.entities[0]), name, text, count=1)
    else:
        text = f"{text.rstrip(' ?.')} for {name}?"
    if plan.periods and before.periods and before.periods[0].text:
        text = text.replace(before.periods[0].text, plan.periods[0].text)
    return text


def _with_subject(question: str, rest: str, before: QueryPlan, understand: Callable[[str], QueryPlan]) -> str:
    """A question of its own item: the subject and the period are put in where it has none."""
    text = rest if _OPENING.match(question) else question.strip(" ?")
    item = _item_of(before)
    if item and _IT.search(text) and (_MOVES.search(text) or not before.entities):
        subject = f" of {before.entities[0]}" if before.entities and before.entities[0] not in item else ""
        text = _IT.sub(f"{item}{subject}", text, count=1)
    elif before.entities:
        name = before.entities[0]
        text = _POSSESSIVE.sub(f"{name}'s", text)
        text = _SUBJECT.sub(name, text, count=1) if name not in text else text
        text = text if name in text else f"{text} of {name}"
    if not re.match(
        r"\s*(?:what|who|when|where|which|why|how|is|are|was|were|do|does|did|has|have|can|compare|list|name|explain"
        r"|summari[sz]e|give|show|tell)\b",
        text,
        re.I,
    ):
        text = f"What was {text}"
    if before.periods and not understand(text).periods:
        # Of a change the end is what is asked about.
        text += _name_periods(before.periods[-1:] if _MOVES.search(question) else before.periods)
    return text[:1].upper() + text[1:] + "?"


_IT = re.compile(
    r"\b(?:it|that|this|they|them|those|these)\b(?!\s+(?:year|quarter|month|period|company|group)\b)", re.I
)
_MOVES = re.compile(
    r"\b(?:did|does|do|has|have|was|were|is|are)\s+(?:it|that|this|they)\b.*\b(?:ris|rose|fall|fell|grow|grew|chang|increas"
    r"|decreas|declin|drop|improv|worsen|go(?:ne)? (?:up|down)|went|so (?:high|low|much|many))\w*",
    re.IGNORECASE,
)
_DOCUMENT = re.compile(
    r"\b(?:the|this|our) (?:\w+ )?(?:contract|agreement|lease|policy|manual|protocol|report|notice|order|charter|deed"
    r"|plan|minutes|letter|guide|invoice)\b",
    re.IGNORECASE,
)
_ITEMS_ASKED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"^\W*how (?:did|does|do|has|have)\s+(?P<x>.+?)\s+"
        r"(?:chang|develop|evolv|mov|grow|ris|fall|increas|decreas)\w*",
        r"^\W*how (?:much|many|long|high|big|large|old|often|far)\s+(?:is|are|was|were)\s+(?P<x>.+)$",
        r"^\W*how (?:much|many)\s+(?P<x>[\w-]+(?: [\w-]+){0,3}?)\s+(?:is|are|was|were|does|do|did|has|have)\b",
        r"^\W*(?:what|which|who|when|where)\s+(?:is|are|was|were)\s+(?P<x>.+)$",
        r"^\W*(?:did|does|do|has|have|is|are|was|were|will)\s+(?P<x>(?:the |our |its )?[\w-]+(?: [\w-]+){0,3}?)\s+"
        r"(?:chang|grow|ris|fall|increas|decreas|improv|allow|need|cover|includ)\w*",
    )
)
_ENDING = re.compile(r"\s+(?:in|for|from|between|during|since|as of|at the end of|by)\s*$|[\s,?.!]+$", re.I)


def _item_of(before: QueryPlan) -> str:
    """What the question before is about, with its article: the document it names, else what it measures or asks for."""
    document = _DOCUMENT.search(before.question)
    text = next((match["x"] for pattern in _ITEMS_ASKED if (match := pattern.match(before.question))), "")
    for period in before.periods:
        text = text.replace(period.text, " ") if period.text else text
    text = re.sub(r"\b(?:from|between|in|to|and|for)\s*(?=(?:\s|$)*(?:from|between|in|to|and|for|$))", " ", text)
    before_text = None
    while before_text != text:
        before_text, text = text, _ENDING.sub("", " ".join(text.split()))
    if document and (not text or document.group().lower() == text.lower()):
        return document.group()
    if not text and before.concepts:
        text = before.concepts[0]
    for name in before.entities:
        text = re.sub(rf"{re.escape(name)}['’]s?\s+", "", text)
    if not text or len(text.split()) > LONGEST:
        return ""
    has_article = re.match(r"(?:the|an?|its|our|their|this|[A-Z])", text)
    return text if has_article else f"the {text}"


def _name_periods(periods: tuple[Period, ...]) -> str:
    return f" in {' and '.join(period.text for period in periods if period.text)}" if periods else ""
