"""What one version of a text says that another does not: sentences that are new, gone, or put otherwise."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

LEAST_LIKE = 0.6
"""Share of their words that two sentences must have in common, in order, to be one put otherwise. A figure or a clause
replaced leaves more than this, two sentences on one subject share less."""


@dataclass(frozen=True, slots=True)
class VersionSentence:
    """A sentence of a version: its text, and where it stands in node `key`."""

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

    Between two unchanged sentences the likest gone and new ones are paired.
    """
    olds, news = [_plain(one) for one in older], [_plain(one) for one in newer]
    kept_old, kept_new = set(news), set(olds)
    found: list[VersionChange] = []
    matcher = SequenceMatcher(None, olds, news, autojunk=False)
    for kind, first, last, begin, end in matcher.get_opcodes():
        if kind != "equal":
            gone = [
                one for one, plain in zip(older[first:last], olds[first:last], strict=True) if plain not in kept_old
            ]
            fresh = [one for one, plain in zip(newer[begin:end], news[begin:end], strict=True) if plain not in kept_new]
            found += _pair_alike(gone, fresh)
    return found


def _pair_alike(gone: list[VersionSentence], fresh: list[VersionSentence]) -> Iterator[VersionChange]:
    """The new sentences, each with the likest gone one before the pairs cross, and the gone ones that are left."""
    left = list(gone)
    for new in fresh:
        rated = [(_likeness(old, new), -place) for place, old in enumerate(left)]
        best, place = max(rated, default=(0.0, 0))
        yield VersionChange(left.pop(-place) if best >= LEAST_LIKE else None, new)
    yield from (VersionChange(old, None) for old in left)


def _likeness(old: VersionSentence, new: VersionSentence) -> float:
    matcher = SequenceMatcher(None, _plain(old).split(), _plain(new).split(), autojunk=False)
    return matcher.ratio() if matcher.real_quick_ratio() >= LEAST_LIKE else 0.0


def _plain(sentence: VersionSentence) -> str:
    return " ".join(sentence.text.split()).casefold()
