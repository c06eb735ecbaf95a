"""Names of organisations as people write them: glued, shortened, as initials, as blends."""

import re
import unicodedata
from collections.abc import Iterator, Sequence

_WORD = re.compile(r"[^\W_]+(?:[.'’][^\W_]+)*")
_POSSESSIVE, _POINTS = re.compile(r"['’]s$"), re.compile(r"[.'’]")
_LINKING = frozenset({"and", "the", "und", "et", "y"})
_LEGAL = frozenset(
    {
        *("inc", "incorporated", "corp", "corporation", "co", "company", "companies", "plc", "ltd", "limited", "llc"),
        *("llp", "lp", "sa", "nv", "ag", "se", "gmbh", "kg", "bv", "ab", "oyj", "asa", "spa", "na", "holdings"),
        *("holding", "group", "trust", "partners"),
    }
)
_KIND_WORDS = frozenset(
    {
        *(
            "report",
            "reports",
            "annual",
            "quarterly",
            "interim",
            "form",
            "statement",
            "statements",
            "results",
            "earnings",
        ),
        *(
            "release",
            "press",
            "proxy",
            "prospectus",
            "presentation",
            "manual",
            "guide",
            "handbook",
            "policy",
            "policies",
        ),
        *("agreement", "contract", "lease", "terms", "paper", "white", "user", "sustainability", "minutes", "invoice"),
        *("review", "plan", "notice", "letter", "specification", "introduction", "overview", "summary", "fiscal", "q"),
    }
)
"""Words that say what kind of document a title announces, and so are no part of a name."""
_LONGEST_NAME = 5
"""Words of a name that begins a title; more are a sentence."""
_BLENDS = ((2, 2), (3, 2), (2, 3), (3, 3), (3, 4), (4, 4))
"""Letters taken from the first and the second word of a name to make a nickname, as in "FedEx" (3, 2)."""
_SHORTEST_PREFIX, _LONGEST_PREFIX = 3, 10
"""Letters of a name's beginning by which it may be meant: two would be too many names', and ten are nearly all of
one."""


def fold_words(name: str) -> list[str]:
    """The words of a name, lower case, without accents, points, apostrophes and possessive s."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(c))
    found = (_POSSESSIVE.sub("", match.group()) for match in _WORD.finditer(plain))
    return [_POINTS.sub("", word) for word in found]


def glue_words(words: Sequence[str]) -> str:
    """Words as one, without linking words: "Sea-Salter", "sea salter" and "SeaSalter" become one key."""
    return "".join(word for word in words if word not in _LINKING)


def core_key(name: str) -> str:
    """The glued name without its legal form and numbers beside it."""
    return glue_words(_without_legal_form(_list_name_words(fold_words(name))))


def _list_name_words(words: list[str]) -> list[str]:
    """The words without numbers, which come from dates and file numbers beside a name; all when none is left."""
    return [word for word in words if not word.isdigit()] or words


def name_in_title(title: str) -> str:
    """The name a title begins with ("Fakete Works" of "Fakete Works Annual Report 2019"), or "".

    It ends before a number or a word that says what kind of document it is.
    """
    name: list[str] = []
    for word in title.split():
        plain = word.strip(",;:()").casefold()
        if plain in _KIND_WORDS or not plain or any(character.isdigit() for character in plain[1:]):
            break
        name.append(word.strip(",;:()"))
    is_name = 0 < len(name) <= _LONGEST_NAME and name[0][0].isupper() and name != title.split()
    return " ".join(name) if is_name else ""


def spellings(name: str) -> dict[str, float]:
    """Glued keys by which a name may be meant, each with how surely, in (0, 1].

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
    while len(core) > 1 and (core[-1] in _LEGAL or core[-1] in _LINKING):
        core.pop()
    return core


def _guess_spellings(name: str, words: list[str], core: list[str]) -> Iterator[tuple[str, float]]:
    yield glue_words(words), 1.0
    yield glue_words(core), 1.0
    yield from ((key, 0.7) for key in _list_capitals(name))
    telling = [word for word in core if word not in _LINKING]
    if len(telling) < 2:
        return
    if len(telling[0]) > 2 and telling[0] not in _LEGAL:
        yield telling[0], 0.75
    initials = "".join(word[0] for word in telling)
    yield initials, 0.7 if len(initials) > 2 else 0.5
    if len(telling) == 2:
        yield f"{telling[0][0]}n{telling[1][0]}", 0.7 if "&" in name or " and " in name.casefold() else 0.4
    for first, second in _BLENDS:
        if len(telling[0]) > first and len(telling[1]) > second:
            yield telling[0][:first] + telling[1][:second], 0.45


def _list_capitals(name: str) -> Iterator[str]:
    """The first three and more capitals of a mixed-case name: "KLMorton Crest" gives "klm" and "klmc"."""
    capitals = "".join(character for character in name if character.isupper()).lower()
    if name.isupper() or len(capitals) < 3:
        return
    yield from (capitals[:length] for length in range(3, min(len(capitals), 5) + 1))


def prefixes(key: str) -> list[str]:
    """Beginnings of a glued name by which it may be meant: "tarvi" for "tarvico"."""
    return [key[:length] for length in range(_SHORTEST_PREFIX, min(len(key) - 1, _LONGEST_PREFIX) + 1)]
