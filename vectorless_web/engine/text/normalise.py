"""Brings texts that look alike to one form, each character mapped to its place, and titles to one that reads well.

Capitals hide which words are names and which are initials. So a short word keeps its
capitals unless it is a common one, as does whatever holds a digit, an ampersand or no
vowel; of the rest the first letter stays large, but for the small words of titles.
"""

import re
import unicodedata
from dataclasses import dataclass

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
