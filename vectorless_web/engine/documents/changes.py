"""What one version of a text says that another does not: sentences that are new, gone, or put otherwise."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from vectorless_web.engine.text.similarity import liken_words

LEAST_LIKE = 70.0
"""Likeness of their words, of 100, from which a sentence is another one put otherwise. Chosen by hand: a figure or a
clause replaced leaves more than this, two sentences on one subject share less."""
MOST_PAIRS = 1_000_000
"""Pairs of sentences that are compared with one another, about half a second; a stretch that differs more than what is
left of them is told as gone and new."""


@dataclass(frozen=True, slots=True)
class VersionSentence:
    """A sentence of a version: its text, and where it is in node `key`."""

    text: str
    key: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class VersionChange:
    """A difference: the older sentence and the newer one; None stands for a sentence that one version does not have."""

    older: VersionSentence | None
    newer: VersionSentence | None


def find_changes(older: Sequence[VersionSentence], newer: Sequence[VersionSentence]) -> list[VersionChange]:
    """The differences in the order of the newer version; sentences that stand in both, wherever, are none.

    Sentences that stand once in each part the versions into stretches (patience diff); within a stretch the likest
    gone and new ones are paired. The time grows with the length, and with at most MOST_PAIRS comparisons.
    """
    olds, news = [_plain(one) for one in older], [_plain(one) for one in newer]
    kept_old, kept_new = set(news), set(olds)
    found: list[VersionChange] = []
    first, begin, left = 0, 0, MOST_PAIRS
    for last, end in [*_find_anchors(olds, news), (len(olds), len(news))]:
        gone = [one for one, plain in zip(older[first:last], olds[first:last], strict=True) if plain not in kept_old]
        fresh = [one for one, plain in zip(newer[begin:end], news[begin:end], strict=True) if plain not in kept_new]
        pairs = _pair_alike(gone, fresh) if len(gone) * len(fresh) <= left else {}
        left -= len(gone) * len(fresh) if pairs else 0
        found += [VersionChange(gone[pairs[place]] if place in pairs else None, new) for place, new in enumerate(fresh)]
        taken = set(pairs.values())
        found += [VersionChange(old, None) for place, old in enumerate(gone) if place not in taken]
        first, begin = last, end
    return found


def _find_anchors(olds: Sequence[str], news: Sequence[str]) -> list[tuple[int, int]]:
    """The places in both of sentences that stand once in each: the longest run of them that rises in both."""
    once = {plain for plain, count in Counter(olds).items() if count == 1}
    counts = Counter(news)
    places = {plain: new for new, plain in enumerate(news) if counts[plain] == 1 and plain in once}
    shared = [(old, places[plain]) for old, plain in enumerate(olds) if plain in places]
    # Of the runs of each length, the one that ends lowest: its end, its last pair; what each pair follows.
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, (_, new) in enumerate(shared):
        length = bisect_left(ends, new)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [new]
        last[length : length + 1] = [number]
    anchors: list[tuple[int, int]] = []
    number = last[-1] if last else -1
    while number >= 0:
        anchors.append(shared[number])
        number = before[number]
    return anchors[::-1]


def _pair_alike(gone: Sequence[VersionSentence], fresh: Sequence[VersionSentence]) -> dict[int, int]:
    """For places of new sentences those of the gone ones that they replace, the likest pairs first."""
    if not gone or not fresh:
        return {}
    likeness = liken_words([_plain(one) for one in fresh], [_plain(one) for one in gone], LEAST_LIKE)
    rated = sorted((-likeness[new, old], int(new), int(old)) for new, old in zip(*likeness.nonzero(), strict=True))
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for _, new, old in rated:
        if new not in pairs and old not in taken:
            pairs[new] = old
            taken.add(old)
    return pairs


def _plain(sentence: VersionSentence) -> str:
    return " ".join(sentence.text.split()).casefold()
