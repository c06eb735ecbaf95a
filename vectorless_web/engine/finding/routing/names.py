"""Keys under which the name of an organisation is found: glued words, initials, blends and other nicknames."""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from vectorless_web.engine.questions.editions import edition_words

_WORD = re.compile(r"[^\W_]+(?:[.'’][^\W_]+)*")
_POSSESSIVE, _POINTS = re.compile(r"['’]s$"), re.compile(r"[.'’]")
_LONGEST_NAME = 5
"""Words of a name that begins a title; more are a sentence."""
_BLENDS = ((2, 2), (3, 2), (2, 3), (3, 3), (3, 4), (4, 4))
"""Letters taken from the first and the second word of a name to make a nickname, as in "FedEx" (3, 2)."""
_FIRST_WORD, _CAPITALS, _INITIALS, _TWO_INITIALS = 0.75, 0.7, 0.7, 0.5
"""How sure a guess is that a name is meant by its first word, by its capitals, by three or more initials, by two: the
fewer letters, the more names share them."""
_INITIALS_WITH_AND, _INITIALS_WITH_N, _BLEND = 0.7, 0.4, 0.45
"""The same for two initials with an n between them, when the name has an "and" and when not, and for a blend."""
_FEWEST_CAPITALS, _MOST_CAPITALS = 3, 5
"""Letters of a nickname made of a name's capitals."""
_SHORTEST_PREFIX, _LONGEST_PREFIX = 3, 10
"""Letters of a name's beginning by which it may be meant: two would be too many names', and ten are nearly all of
one."""


def fold_words(name: str) -> list[str]:
    """The words of a name, lower case, without accents, points, apostrophes and possessive s."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(c))
    found = (_POSSESSIVE.sub("", match.group()) for match in _WORD.finditer(plain))
    return [_POINTS.sub("", word) for word in found]


def glue_words(words: Sequence[str]) -> str:
    """The words joined, without linking words: "Sea-Salter", "sea salter" and "SeaSalter" become one key."""
    return "".join(word for word in words if word not in edition_words().linking)


def core_key(name: str) -> str:
    """The glued name without its legal form and numbers beside it."""
    return glue_words(_without_legal_form(_list_name_words(fold_words(name))))


def _list_name_words(words: list[str]) -> list[str]:
    """The words without numbers, which come from dates and file numbers beside a name; all when none is left."""
    return [word for word in words if not word.isdigit()] or words


def is_kind_word(key: str) -> bool:
    """Whether a core key is a kind of document and no name: "handbook" of "handbook-0041.pdf"."""
    return key in edition_words().title_kinds


def name_in_title(title: str) -> str:
    """The name a title begins with ("Fakete Works" of "Fakete Works Annual Report 2019"), or "".

    It ends before a number or a word that says what kind of document it is.
    """
    name: list[str] = []
    for word in title.split():
        plain = word.strip(",;:()").casefold()
        if plain in edition_words().title_kinds or not plain or any(character.isdigit() for character in plain[1:]):
            break
        name.append(word.strip(",;:()"))
    is_name = 0 < len(name) <= _LONGEST_NAME and name[0][0].isupper() and name != title.split()
    return " ".join(name) if is_name else ""


def spellings(name: str) -> dict[str, float]:
    """Keys by which a question may name an organisation -> how sure it is that the key means it, in (0, 1].

    The name without its legal form is certain; its first word, its initials (also with n
    for "and"), its capitals and blends of its first two words are guesses, of use only
    when the question writes exactly that.
    """
    words = _list_name_words(fold_words(name))
    core = _without_legal_form(words)
    keys: dict[str, float] = {glue_words(fold_words(name)): 1.0}
    for key, certainty in _guess_spellings(name, words, core):
        if len(key) > 1:
            keys[key] = max(certainty, keys.get(key, 0.0))
    return keys


def _without_legal_form(words: list[str]) -> list[str]:
    core = list(words)
    while len(core) > 1 and (core[-1] in edition_words().legal | edition_words().linking):
        core.pop()
    return core


def _guess_spellings(name: str, words: list[str], core: list[str]) -> Iterator[tuple[str, float]]:
    yield glue_words(words), 1.0
    yield glue_words(core), 1.0
    yield from ((key, _CAPITALS) for key in _list_capitals(name))
    telling = [word for word in core if word not in edition_words().linking]
    if len(telling) < 2:
        return
    if len(telling[0]) > 2 and telling[0] not in edition_words().legal:
        yield telling[0], _FIRST_WORD
    initials = "".join(word[0] for word in telling)
    yield initials, _INITIALS if len(initials) > 2 else _TWO_INITIALS
    if len(telling) == 2:
        has_and = "&" in name or " and " in name.casefold()
        yield f"{telling[0][0]}n{telling[1][0]}", _INITIALS_WITH_AND if has_and else _INITIALS_WITH_N
    for first, second in _BLENDS:
        if len(telling[0]) > first and len(telling[1]) > second:
            yield telling[0][:first] + telling[1][:second], _BLEND


def _list_capitals(name: str) -> Iterator[str]:
    """The first three and more capitals of a mixed-case name: "KLMorton Crest" gives "klm" and "klmc"."""
    capitals = "".join(character for character in name if character.isupper()).lower()
    if name.isupper() or len(capitals) < _FEWEST_CAPITALS:
        return
    yield from (capitals[:length] for length in range(_FEWEST_CAPITALS, min(len(capitals), _MOST_CAPITALS) + 1))


def prefixes(key: str) -> list[str]:
    """Beginnings of a glued name by which it may be meant: "tarvi" for "tarvico"."""
    return [key[:length] for length in range(_SHORTEST_PREFIX, min(len(key) - 1, _LONGEST_PREFIX) + 1)]
