"""Names in a question: runs of words with a capital, by their letters alone."""

import re
from collections.abc import Sequence

from vectorless_web.engine.questions.packs import read_words
from vectorless_web.engine.text.analyser import STOP_WORDS
from vectorless_web.engine.text.dates import MONTH_NAMES, WEEKDAYS
from vectorless_web.engine.text.units import CURRENCIES, MEASURE_NAMES

Span = tuple[int, int]

_WORD = re.compile(r"[^\W_]+(?:[&.'’\-][^\W_]+)*\.?")
_CODES = re.compile(r"^(?:FY|CY|Q[1-4]|H[12]|[1-4]Q)['’]?\d*(?:Q[1-4])?$|^[\d.,]+(?:st|nd|rd|th)?$", re.IGNORECASE)
"""Periods and numbers, which are no names."""
_SENTENCE_START = re.compile(r"(?:^|[.?!:]\s+|[\"“(¿¡]\s*)$")
_POSSESSIVE = re.compile(r"['’]s?$")
_BESIDE = re.compile(r"\s*&?\s*")


def entities_in(text: str, taken: Sequence[Span] = ()) -> tuple[str, ...]:
    """Names in reading order, each once, possessives dropped; `taken` spans (concepts, periods) are never names.

    A word at the start of a sentence is a name only if another sign says so: a possessive, a capital or digit inside
    it, or a name right behind it. In a text without small letters capitals say nothing, and there are no names.
    """
    return tuple(dict.fromkeys(text[start:end] for start, end in find_entities(text, taken)))


def find_entities(text: str, taken: Sequence[Span] = ()) -> list[Span]:
    """Where the names of `entities_in` stand."""
    if not any(character.islower() for character in text):
        return []
    found: list[list[re.Match[str]]] = []
    run: list[re.Match[str]] = []
    for token in _WORD.finditer(text):
        if run and (_POSSESSIVE.search(run[-1].group()) or not _goes_on(text, run, token, taken)):
            found.append(run)
            run = []
        if run or _is_name(text, token, taken, run):
            run.append(token)
    return [span for tokens in [*found, run] if (span := _trim_name(tokens))]


def _goes_on(text: str, run: Sequence[re.Match[str]], token: re.Match[str], taken: Sequence[Span]) -> bool:
    """Whether the token carries on the name begun: another name word beside it, or a small word before a capital."""
    if not _BESIDE.fullmatch(text, run[-1].end(), token.start()):
        return False
    is_link = token.group().lower() in read_words("links") and text[token.end() + 1 : token.end() + 2].isupper()
    return is_link or _is_name(text, token, taken, run)


def _is_name(text: str, token: re.Match[str], taken: Sequence[Span], run: Sequence[re.Match[str]]) -> bool:
    word = _POSSESSIVE.sub("", token.group()).rstrip(".")
    lowered = word.lower()
    if any(start < token.end() and token.start() < end for start, end in taken) or _CODES.match(word):
        return False
    if run and lowered in read_words("company_forms") and word[0].isupper():
        return True
    if len(word) < 2 or _is_common(lowered) or not (word[0].isupper() or _is_marked(word)):
        return False
    is_first = not run and bool(_SENTENCE_START.search(text[: token.start()]))
    return (
        not is_first or bool(_POSSESSIVE.search(token.group())) or _is_marked(word) or _has_capital_after(text, token)
    )


def _is_common(word: str) -> bool:
    return (
        word in STOP_WORDS
        or word in read_words("not_names")
        or word in MONTH_NAMES
        or word in WEEKDAYS
        or word in CURRENCIES
        or word in MEASURE_NAMES
    )


def _is_marked(word: str) -> bool:
    """Capitals beyond the first letter, or digits beside capitals, mark a name anywhere: A&B, iPhone, 9X."""
    return any(character.isupper() for character in word[1:])


def _has_capital_after(text: str, token: re.Match[str]) -> bool:
    following = _WORD.match(text, token.end() + 1)
    return following is not None and following.group()[0].isupper()


def _trim_name(run: Sequence[re.Match[str]]) -> Span | None:
    """The run without small words, possessive and marks at its end."""
    while run and run[-1].group().lower() in read_words("links"):
        run = run[:-1]
    if not run:
        return None
    last = _POSSESSIVE.sub("", run[-1].group()).rstrip(".,")
    return run[0].start(), run[-1].start() + len(last)
