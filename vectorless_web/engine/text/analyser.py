"""From a text to index terms: folded characters, words, stems; and how a text is shown to people."""

import re
import threading
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain

import Stemmer
import stopwordsiso

_SINGLE = {
    **dict.fromkeys("‘’‚‛′`´", "'"),
    **dict.fromkeys("“”„‟″«»", '"'),
    **dict.fromkeys("‐‑‒–—―−﹘﹣－", "-"),
    "…": "...",
    "⁄": "/",
}
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_LINE_HYPHEN = r"(?<=[^\W\d_])(?:[\x02\ufffe]\s*|[-‐\u00ad][ \t]*\r?\n\s*)(?=[a-zß-ÿ])"
_SPECIAL = re.compile(rf"{_LINE_HYPHEN}|[\s\x00-\x1f\ufffe{_INVISIBLE}]+|[^\x00-\x7f]|`")


@dataclass(frozen=True, slots=True)
class Normalised:
    """`offsets[i]` is the index in the original text of character i of `text`."""

    text: str
    offsets: tuple[int, ...]


def normalise(text: str) -> Normalised:
    """Collapse white space, expand ligatures, straighten quotes and dashes, mend words hyphenated at a line end.

    Case is kept. Leading and trailing white space goes. Every character of the result
    comes from one place of the original, and those places never go backwards.
    """
    pieces: list[str] = []
    offsets: list[int] = []
    position = 0
    for match in _SPECIAL.finditer(text):
        _copy(text, position, match.start(), pieces, offsets)
        replacement = _replacement(match.group(), at_start=not offsets)
        pieces.append(replacement)
        offsets.extend([match.start()] * len(replacement))
        position = match.end()
    _copy(text, position, len(text), pieces, offsets)
    return _trim_spaces("".join(pieces), offsets)


def _copy(text: str, start: int, end: int, pieces: list[str], offsets: list[int]) -> None:
    if start < end:
        pieces.append(text[start:end])
        offsets.extend(range(start, end))


def _replacement(found: str, *, at_start: bool) -> str:
    if len(found) == 1 and found in _SINGLE:
        return _SINGLE[found]
    if found.strip(_INVISIBLE + "\ufffe") == "":
        return ""
    if found[0] in "-‐\x02\ufffe\u00ad":
        return ""
    if any(character.isspace() for character in found):
        return "" if at_start else " "
    return unicodedata.normalize("NFKC", found) if found.isprintable() else ""


def _trim_spaces(text: str, offsets: list[int]) -> Normalised:
    """Invisible characters between spaces can leave two spaces in a row: keep the first."""
    kept = [i for i, character in enumerate(text) if character != " " or (i and text[i - 1] != " ")]
    while kept and text[kept[-1]] == " ":
        kept.pop()
    if len(kept) == len(text):
        return Normalised(text, tuple(offsets))
    return Normalised("".join(text[i] for i in kept), tuple(offsets[i] for i in kept))


LETTERS_LEAST = 5
"""Letters below which capitals are left: "IBM" is no shouted title."""
CAPITALS = 0.9
"""Share of its letters in capitals from which a title counts as in capitals alone."""
SHORT = 4
"""Letters up to which a word that is not common keeps its capitals, as initials do."""
WORD = re.compile(r"[^\W_]+(?:[&'’.\-][^\W_]+)*", re.UNICODE)
VOWEL = re.compile(r"[AEIOUYÄÖÜÅØÆÉÈÊÁÀÓÍÚ]")
ROMAN = re.compile(r"X{0,3}(IX|IV|V?I{0,3})")
SMALL = frozenset(
    re.findall(r"\w+", "a an and as at but by de for from in into nor of on or per the to und upon via vs with")
)
COMMON = frozenset(
    re.findall(
        r"\w+",
        """
        ACT AGE ALL ANY ARE AREA ASIA BANK BASE BEST BODY BOOK CALL CARE CASE CASH CITY CLUB COAL CODE COLD CORE CORP
        COST DAY DATA DATE DEBT DUTY EACH EAST END FACT FEE FEES FILE FILM FIRM FISH FIVE FLOW FOOD FORM FOUR FREE
        FUEL FULL FUND GAIN GAS GOAL GOLD GOOD HALF HEAD HEAT HELD HELP HIGH HOME HOW INC ITEM ITS JOB JOBS JULY JUNE
        KEY LAND LAW LAWS LEAD LIFE LIKE LINE LIST LOAN LONG LOSS LTD MAIN MAP MARK MAY MEMO MINE MORE NAME NET NEW
        NEWS NON NOT NOTE OIL OLD ONE OPEN OUR OUT OVER OWN PAID PART PAST PAY PLAN POST RATE REAL RENT REST RISK ROAD
        ROLE ROOM RULE SALE SAFE SEE SET SHIP SITE SIX SOIL STEP SUCH SUM SURE TAX TEAM TERM TEST TEXT THAN THAT THIS
        TIME TOP TRUE TWO TYPE UNIT USE USED USES WAGE WAY WEEK WELL WEST WHAT WHEN WHO WIND WORK YEAR YOUR ZERO ZONE
        """,
    )
)


def lower_capitals(title: str) -> str:
    """The title in title case if it is all in capitals ("PART II. LAND" gives "Part II. Land"), else unchanged."""
    letters = [character for character in title if character.isupper() or character.islower()]
    if len(letters) < LETTERS_LEAST or sum(map(str.isupper, letters)) < CAPITALS * len(letters):
        return title
    return WORD.sub(lambda match: _lower_word(match.group(), first=not title[: match.start()].strip()), title)


def _lower_word(word: str, *, first: bool) -> str:
    if not word.isupper() or any(character.isdigit() or character == "&" for character in word):
        return word
    if word.lower() in SMALL and not first:
        return word.lower()
    if "-" in word:
        return "-".join(_lower_word(part, first=first) for part in word.split("-"))
    lower = word[1:].lower()
    return word if _is_initials(word) or lower.upper() != word[1:] else word[0] + lower


def _is_initials(word: str) -> bool:
    if word in COMMON or word.lower() in SMALL:
        return False
    if ROMAN.fullmatch(word) or "." in word:
        return True
    return len(word) <= SHORT or not VOWEL.search(word)


ANALYSER = "unicode-snowball-en-4"
"""Version of the rules below; stored in every index, so that an index and a query never disagree silently."""

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\uff66-\uff9f"
_UNPARTED = re.compile(rf"[{_CJK}\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
"""Characters of scripts that part no words by spaces: Chinese, Japanese, Korean, Thai, Lao, Burmese, Khmer."""
_WORD = re.compile(
    rf"[{_CJK}]+"
    r"|§+\s?\d+(?:\.\d+)*"
    r"|[^\W\d_]{1,4}(?:&[^\W\d_]{1,4})+"
    r"|(?:[A-Za-z]\.){2,}"
    r"|\d{1,3}(?:,\d{3})+(?:\.\d+)?"
    r"|\d+(?:\.\d+)+"
    rf"|(?:(?![{_CJK}])[^\W_])+(?:[’'\-‐‑](?:(?![{_CJK}])[^\W_])+)*"
)
_ASCII_WORD = re.compile(
    r"[A-Za-z]{1,4}(?:&[A-Za-z]{1,4})+"
    r"|(?:[A-Za-z]\.){2,}"
    r"|\d{1,3}(?:,\d{3})+(?:\.\d+)?"
    r"|\d+(?:\.\d+)+"
    r"|[A-Za-z0-9]+(?:['\-][A-Za-z0-9]+)*",
    re.ASCII,
)
"""`_WORD` on text that is all ASCII, where it finds the same words sooner."""

_LONGEST_PART = 40
"""Characters between white space up to which the terms are kept for the next time. No word but one of "§ 3" holds white
space. Longer ones (addresses, Chinese) come once and would fill the memory."""
_YEAR_CODE = re.compile(r"(?:[a-z]+)((?:19|20)\d\d)")
_POSSESSIVE = re.compile(r"['’]s?$|['’]s(?=-)")
_PARTS = re.compile(r"[-‐‑'’]")
_LETTERS = re.compile(r"[^\W\d_]+")
_LETTERS_BEFORE = re.compile(r"[^\W\d_]+\Z")

_FUNCTION_WORDS = """
a about above again all also although am an and any are as at be because been being below between both but by can
cannot could did do does doing done down during each either et etc ever every few for from further had has have
having he her here hers him his how however i if in into is it its itself just let may me might mine more most much
must my nor now of on once only onto or our ours out per please shall she should since so some such than that the
their theirs them then there these they this those through thus to too until up upon very via was we were what when
where whether which while who whom whose why will with within would yes yet you your yours
"""
STOP_WORDS = frozenset(_FUNCTION_WORDS.split())
"""English function words. "us" and "it" as codes are rare, "us" as a country is not: it stays a term."""

_local = threading.local()


@dataclass(frozen=True, slots=True)
class Word:
    """A word as written, with its character span in the text."""

    text: str
    start: int
    end: int


def words(text: str) -> list[Word]:
    """Words in reading order: letters, numbers with separators, codes such as `10-K`, `R&D`, `§3.2`, runs of CJK."""
    return [Word(match.group(), match.start(), match.end()) for match in _WORD.finditer(text)]


def ends_word(text: str, end: int) -> bool:
    """Whether a word, or a form of the same stem ("auditor" in "auditors"), ends before character `end` of a text.

    A letter goes on to no letter there, a digit to none. Scripts that part no words by spaces may end one anywhere.
    """
    last, following = text[end - 1 : end], text[end : end + 1]
    if not last or not following or _UNPARTED.match(last) or _UNPARTED.match(following):
        return True
    both = {unicodedata.category(last)[0], unicodedata.category(following)[0]}
    if both == {"N"}:
        return False
    before, behind = _LETTERS_BEFORE.search(text, 0, end), _LETTERS.match(text, end)
    if not both <= {"L", "M"} or before is None or behind is None:
        return not both <= {"L", "M"}
    return word_terms(before[0]) == word_terms(before[0] + behind[0])


def analyse(text: str) -> list[str]:
    """Index terms in reading order: lower case, accents folded, English stems, stop words dropped.

    Numbers and codes stay whole (`1,577` becomes `1577`; `FY2018` gives `fy2018` and
    `2018`; `COVID-19` gives `covid-19` and `covid`); CJK runs become bigrams.
    Stemming: Snowball English (Porter2).
    """
    parts = text.split()
    if "§" in text or len(max(parts, key=len, default="")) > _LONGEST_PART:
        return list(_read_terms(text))
    return list(chain.from_iterable(map(_part_terms, parts)))


def _read_terms(text: str) -> Iterator[str]:
    return chain.from_iterable(map(word_terms, (_ASCII_WORD if text.isascii() else _WORD).findall(text)))


@lru_cache(maxsize=1 << 16)
def _part_terms(part: str) -> tuple[str, ...]:
    """The terms of what is between white space: a document has few such parts, many times."""
    return tuple(_read_terms(part))


@lru_cache(maxsize=1 << 13)
def title_terms(title: str) -> tuple[str, ...]:
    """`analyse` for titles and labels, which are looked at many times: kept for the last ones."""
    return tuple(analyse(title))


@lru_cache(maxsize=1 << 16)
def word_terms(word: str) -> tuple[str, ...]:
    """The index terms of one word as `words` cuts it; empty for a stop word."""
    folded = _fold(word)
    if not folded.isascii() and bool(re.match(rf"[{_CJK}]", folded[0])):
        return _bigrams(folded)
    if folded[0] == "§":
        number = folded.lstrip("§ ")
        return (f"§{number}", number)
    if folded[0].isdigit() and not any(character.isalpha() for character in folded):
        return _number_terms(folded)
    if "." in folded:
        return (folded.replace(".", ""),)
    if "&" in folded:
        return (folded,)
    folded = _POSSESSIVE.sub("", folded)
    if any(character.isdigit() for character in folded):
        return _code_terms(folded)
    return tuple(_stem(part) for part in _PARTS.split(folded) if part and part not in STOP_WORDS)


SHORTEST_TELLING = 4
"""Letters from which a word is shown to people as a reason. Chosen by hand: the function words of most languages that
part words by spaces are shorter, and of their other words few are."""


def is_telling(word: str) -> bool:
    """Whether a word says something by itself: no short one, but for codes and numbers, and no run of whole phrases."""
    if not word.isalpha() or word.isupper():
        return True
    return len(word) >= SHORTEST_TELLING and len(word_terms(word)) == 1


def drop_function_words(found: Iterable[str], text: str) -> list[str]:
    """Of some words of a text those that say something in its language: the one most of whose stop words it holds.

    Of an English text none is dropped, since its function words are no terms.
    """
    said = set(_LETTERS.findall(text.lower()))
    held = {language: said & stops for language, stops in _read_stop_words().items()}
    language = max(held, key=lambda language: (len(held[language]), language == "en"))
    return [word for word in found if language == "en" or not held[language].issuperset(_LETTERS.findall(word.lower()))]


@cache
def _read_stop_words() -> dict[str, set[str]]:
    """Stop words by the two letters of their language."""
    return {language: stopwordsiso.stopwords(language) for language in stopwordsiso.langs()}


def _fold(word: str) -> str:
    lowered = word.lower()
    if lowered.isascii():
        return lowered
    decomposed = unicodedata.normalize("NFKD", lowered)
    folded = "".join(character for character in decomposed if not unicodedata.combining(character))
    return unicodedata.normalize("NFC", folded) or lowered


def _bigrams(run: str) -> tuple[str, ...]:
    if len(run) == 1:
        return (run,)
    return tuple(run[i : i + 2] for i in range(len(run) - 1))


def _number_terms(word: str) -> tuple[str, ...]:
    """A number is one term without thousands separators; a range such as 2018-2019 is two."""
    return tuple(part.replace(",", "") for part in _PARTS.split(word) if part)


def _code_terms(word: str) -> tuple[str, ...]:
    """The whole code, then what it shares with other spellings: a year in it, the words beside its hyphens."""
    year = _YEAR_CODE.fullmatch(word)
    if year:
        return (word, year.group(1))
    parts = [part for part in _PARTS.split(word) if part]
    if len(parts) < 2:
        return (word,)
    shared = [_stem(part) for part in parts if len(part) > 2 and part.isalpha() and part not in STOP_WORDS]
    return ("-".join(parts), *shared)


def _stem(word: str) -> str:
    """Snowball stemmers keep state, so each thread has its own."""
    stemmer = getattr(_local, "stemmer", None)
    if stemmer is None:
        stemmer = _local.stemmer = Stemmer.Stemmer("english")
    return str(stemmer.stemWord(word))
