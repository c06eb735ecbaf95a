"""Yes or no from a sentence's own words: the direction it tells, else whether it denies."""

import re

from vectorless_web.engine.reasoner.directions import DOWN, UP

_DENIAL = re.compile(
    r"\b(?:no|not|none|neither|never|nor|without|cannot|nothing|nobody)\b|\b\w+n['’]t\b|\bunlikely\b|\babsence of\b",
    re.I,
)
_EXCEPTION = re.compile(r"\b(?:except|other than|unless|apart from)\b", re.I)
_NO_DENIAL = re.compile(
    r"\bnot only\b|\bno (?:later|longer|less|more|fewer) than\b|\bwhether or not\b|\bnot limited to\b", re.I
)


def verdict_of(question: str, sentence: str) -> str:
    """The word "Yes" or "No" as the sentence answers the question; "" for a sentence that makes an exception.

    Where both tell a direction (rose, fell), they agree or not. Else a sentence that
    denies answers a question that does not with "No", and the other way round.
    """
    if _EXCEPTION.search(sentence):
        return ""
    asked, told = _direction(question), _direction(sentence)
    if asked and told:
        return "Yes" if asked == told else "No"
    return "No" if _denies(sentence) != _denies(question) else "Yes"


def _direction(text: str) -> int:
    """1 up, -1 down, 0 neither or both."""
    return bool(UP.search(text)) - bool(DOWN.search(text))


def _denies(text: str) -> bool:
    return bool(_DENIAL.search(_NO_DENIAL.sub(" ", text)))
