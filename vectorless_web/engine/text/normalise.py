"""Brings texts that look alike to one form, and maps each character to its place in the original."""

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
