"""String likeness: the only place that imports rapidfuzz."""

from dataclasses import dataclass

from rapidfuzz import fuzz


@dataclass(frozen=True, slots=True)
class Alignment:
    """The stretch `start` to `end` (exclusive) of the haystack that is most like the needle; `score` is 0 to 100."""

    score: float
    start: int
    end: int


def ratio(a: str, b: str) -> float:
    """Normalised insertion and deletion likeness, 0 to 100."""
    return float(fuzz.ratio(a, b))


def token_set_ratio(a: str, b: str) -> float:
    """Likeness of the sets of words, 0 to 100; order and repetition do not count."""
    return float(fuzz.token_set_ratio(a, b))


def partial_ratio_alignment(needle: str, haystack: str) -> Alignment:
    """Find where in the haystack the needle fits best; score 0 over an empty span when either is empty."""
    if not needle or not haystack:
        return Alignment(0.0, 0, 0)
    found = fuzz.partial_ratio_alignment(needle, haystack)
    if found is None:
        return Alignment(0.0, 0, 0)
    if len(needle) > len(haystack):
        return Alignment(float(found.score), 0, len(haystack))
    return Alignment(float(found.score), found.dest_start, found.dest_end)
