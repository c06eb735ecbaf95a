"""String likeness (the only place that imports rapidfuzz), and which words two texts share, in order."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process


def ratio(a: str, b: str) -> float:
    """Normalised insertion and deletion likeness, 0 to 100."""
    return float(fuzz.ratio(a, b))


def liken_words(left: Sequence[str], right: Sequence[str], least: float) -> NDArray[np.float32]:
    """Likeness of the words of each text on the left and each on the right, no matter what their order: 0 to 100.

    A row for each on the left, a column for each on the right; 0 for what is less than `least`.
    """
    return process.cdist(left, right, scorer=fuzz.token_sort_ratio, score_cutoff=least, dtype=np.float32)


LONGEST = 2000
"""Words of a text, at most, that is compared word by word: the time grows with the square of them."""
_WORD = re.compile(r"\s+|\d[\d.,]*|\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class DifferencePiece:
    """A stretch of one of the texts; `same` when the other has it too, at the matching place."""

    text: str
    same: bool


def word_differences(a: str, b: str) -> tuple[tuple[DifferencePiece, ...], tuple[DifferencePiece, ...]]:
    """Both texts cut where shared words begin and end; the pieces of each, joined, are that text again.

    The longest common runs of words are shared, as `difflib.SequenceMatcher` finds them
    (Ratcliff and Metzener, "Pattern matching: the gestalt approach", 1988).
    """
    left, right = _WORD.findall(a), _WORD.findall(b)
    if max(len(left), len(right)) > LONGEST:
        whole = a == b
        return _join_pieces(iter([(a, whole)])), _join_pieces(iter([(b, whole)]))
    blocks = SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks()
    return (
        _join_pieces(_cut_pieces(left, [(block.a, block.a + block.size) for block in blocks])),
        _join_pieces(_cut_pieces(right, [(block.b, block.b + block.size) for block in blocks])),
    )


def _cut_pieces(words: list[str], shared: list[tuple[int, int]]) -> Iterator[tuple[str, bool]]:
    position = 0
    for start, end in shared:
        yield "".join(words[position:start]), False
        yield "".join(words[start:end]), True
        position = end


def _join_pieces(pieces: Iterator[tuple[str, bool]]) -> tuple[DifferencePiece, ...]:
    rows = [piece for piece in pieces if piece[0]]
    found: list[DifferencePiece] = []
    for number, (text, shared) in enumerate(rows):
        alone = 0 < number < len(rows) - 1 and text.isspace()
        same = shared and not alone
        if found and found[-1].same == same:
            found[-1] = DifferencePiece(found[-1].text + text, same)
        else:
            found.append(DifferencePiece(text, same))
    return tuple(found)
