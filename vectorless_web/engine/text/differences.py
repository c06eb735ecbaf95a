"""Which words two texts share, in order: for showing what changed between them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

LONGEST = 2000
"""Words; comparing takes time with the square of them, and nobody reads the differences of longer texts."""
_WORD = re.compile(r"\s+|\d[\d.,]*|\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of one of the texts; `same` when the other has it too, at the matching place."""

    text: str
    same: bool


def word_differences(a: str, b: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Both texts cut where shared words begin and end; the pieces of each, joined, are that text again.

    The longest common runs of words are shared, as `difflib.SequenceMatcher` finds them
    (Ratcliff and Metzener, "Pattern matching: the gestalt approach", 1988).
    """
    left, right = _WORD.findall(a), _WORD.findall(b)
    if max(len(left), len(right)) > LONGEST:
        whole = a == b
        return _joined(iter([(a, whole)])), _joined(iter([(b, whole)]))
    blocks = SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks()
    return (
        _joined(_cut(left, [(block.a, block.a + block.size) for block in blocks])),
        _joined(_cut(right, [(block.b, block.b + block.size) for block in blocks])),
    )


def _cut(words: list[str], shared: list[tuple[int, int]]) -> Iterator[tuple[str, bool]]:
    position = 0
    for start, end in shared:
        yield "".join(words[position:start]), False
        yield "".join(words[start:end]), True
        position = end


def _joined(pieces: Iterator[tuple[str, bool]]) -> tuple[Piece, ...]:
    """Pieces without empty ones; white space alone between two differences belongs to them."""
    rows = [piece for piece in pieces if piece[0]]
    found: list[Piece] = []
    for number, (text, shared) in enumerate(rows):
        alone = 0 < number < len(rows) - 1 and text.isspace()
        same = shared and not alone
        if found and found[-1].same == same:
            found[-1] = Piece(found[-1].text + text, same)
        else:
            found.append(Piece(text, same))
    return tuple(found)
