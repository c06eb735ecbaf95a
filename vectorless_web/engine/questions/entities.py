"""Names in a question: organisations, people, places, products, as written."""

import re
from collections.abc import Sequence

from vectorless_web.engine.text.analyser import STOP_WORDS

_TOKEN = re.compile(r"[^\W_]+(?:[&.'’\-][^\W_]+)*\.?")
_LINKS = frozenset({"of", "and", "&", "the", "for", "de", "la", "von", "van"})
_CODES = re.compile(
    r"^(?:FY|CY|Q[1-4]|H[12]|[1-4]Q)['’]?\d*(?:Q[1-4])?$|^\d+(?:[.,]\d+)*$|^\d+(?:st|nd|rd|th)$", re.IGNORECASE
)
_NOT_NAMES = frozenset(
    """usd eur gbp jpy chf cad aud cny inr us ceo cfo coo cto agm egm ipo sec gaap ifrs january february march april may
    june july august september october november december monday tuesday wednesday thursday friday saturday sunday fiscal
    year quarter yes no i form item note annual report board company corporation inc""".split()  # noqa: SIM905
)
_LEGAL_FORMS = frozenset({"company", "corporation", "inc", "corp", "ltd", "plc", "group", "holdings"})
_SENTENCE_START = re.compile(r"(?:^|[.?!:]\s+|[\"“(]\s*)$")


def entities_in(text: str, taken: Sequence[tuple[int, int]] = ()) -> tuple[str, ...]:
    """Names in reading order, each once, possessives dropped; `taken` spans (concepts, periods) are never names."""
    names: list[str] = []
    run: list[re.Match[str]] = []
    for token in _TOKEN.finditer(text):
        if run and (_ends_possessive(run[-1]) or not _belongs(text, run, token, taken)):
            names.extend(_join_name(text, run))
            run = []
        if run or _is_name(text, token, taken, run):
            run.append(token)
    names.extend(_join_name(text, run))
    return tuple(dict.fromkeys(names))


def _belongs(text: str, run: Sequence[re.Match[str]], token: re.Match[str], taken: Sequence[tuple[int, int]]) -> bool:
    """Whether the token carries on the name begun: another name word beside it, or a small word between two."""
    if _is_link(text, token, run):
        return True
    return _continues_name(text, run, token) and _is_name(text, token, taken, run)


def _continues_name(text: str, run: Sequence[re.Match[str]], token: re.Match[str]) -> bool:
    return not run or bool(re.fullmatch(r"\s*&?\s*", text[run[-1].end() : token.start()]))


def _ends_possessive(token: re.Match[str]) -> bool:
    return bool(re.search(r"['’]s$", token.group()))


def _is_link(text: str, token: re.Match[str], run: Sequence[re.Match[str]]) -> bool:
    following = text[token.end() : token.end() + 2]
    is_small = token.group().lower() in _LINKS and token.group().lower() not in ("and", "for", "the")
    return is_small and len(following) == 2 and following[1].isupper() and _continues_name(text, run, token)


def _is_name(text: str, token: re.Match[str], taken: Sequence[tuple[int, int]], run: Sequence[re.Match[str]]) -> bool:
    word = re.sub(r"['’]s?$", "", token.group()).rstrip(".")
    lowered = word.lower()
    if any(start < token.end() and token.start() < end for start, end in taken) or _CODES.match(word):
        return False
    if run and lowered in _LEGAL_FORMS and word[0].isupper():
        return True
    if lowered in _NOT_NAMES or lowered in STOP_WORDS or len(word) < 2:
        return False
    if not _looks_like_name(word):
        return False
    is_first = not run and bool(_SENTENCE_START.search(text[: token.start()]))
    return not is_first or _ends_possessive(token) or _is_marked(word) or _has_name_after(text, token)


def _looks_like_name(word: str) -> bool:
    return word[0].isupper() or _is_marked(word)


def _is_marked(word: str) -> bool:
    """Capitals beyond the first letter or digits beside letters mark a name anywhere: A&B, iPhone, 9X."""
    has_inner_capital = any(character.isupper() for character in word[1:])
    return has_inner_capital or (word[0].isdigit() and any(character.isupper() for character in word))


def _has_name_after(text: str, token: re.Match[str]) -> bool:
    following = _TOKEN.match(text, token.end() + 1)
    return bool(following) and following.group()[0].isupper() if following else False


def _join_name(text: str, run: Sequence[re.Match[str]]) -> list[str]:
    while run and run[-1].group().lower() in _LINKS:
        run = run[:-1]
    if not run:
        return []
    name = text[run[0].start() : run[-1].end()]
    return [re.sub(r"['’]s?$", "", name).rstrip(".,")]
