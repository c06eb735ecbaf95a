"""What one version of a text says that another does not: sentences that are new, gone, or put otherwise."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vectorless_web.engine.answers.claims import DraftClaim, DraftQuote, Signal
from vectorless_web.engine.passages.passage import Part, Passage
from vectorless_web.engine.text.similarity import liken_words

LEAST_LIKE = 62.0
"""Likeness, of 100, from which a sentence is another one put otherwise. Chosen by hand: a figure or a clause replaced
leaves more than this, two sentences on one subject share less."""

MOST_PAIRS = 1_000_000
"""Pairs of sentences that are compared with one another, about half a second; where there are more, texts that differ
so much are told as gone and new."""

MOST_CHANGES = 12
"""Changes that are told one by one; the sentence that counts them counts all."""

_YEAR = re.compile(r"(?<![\d.,])(?:19|20)\d\d(?![\d]|[.,]\d)")
_MARK = re.compile(r"^\W*(?:\(?(?:\d{1,3}(?:\.\d{1,3})*|[ivx]{1,5}|[a-z])[.)])\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Changes:
    """How two versions of a text differ, in the order of the newer one.

    `told` are pairs (older, newer) of sentences; None stands for a sentence that one of them does not have.
    `same` counts the sentences of the newer one that stand in the older, years and numbers of clauses aside.
    """

    told: tuple[tuple[Part | None, Part | None], ...]
    same: int


def compare_wordings(older: Sequence[Part], newer: Sequence[Part]) -> Changes:
    """Sentences matched word for word, then by likeness, each with the one that is most like it."""
    known = Counter(_plain(part) for part in older)
    fresh: list[Part] = []
    for part in newer:
        words = _plain(part)
        if known[words] > 0:
            known[words] -= 1
        else:
            fresh.append(part)
    gone: list[Part] = []
    for part in reversed(older):
        words = _plain(part)
        if known[words] > 0:
            known[words] -= 1
            gone.append(part)
    gone.reverse()
    pairs = _pair_alike(gone, fresh)
    told: list[tuple[Part | None, Part | None]] = [(pairs.get(place), part) for place, part in enumerate(fresh)]
    paired = {id(part) for part in pairs.values()}
    told += [(part, None) for part in gone if id(part) not in paired]
    return Changes(tuple(told), len(newer) - len(fresh))


def _pair_alike(gone: Sequence[Part], fresh: Sequence[Part]) -> dict[int, Part]:
    """For places of new sentences the old ones that they replace, the likest pairs first; each is taken once."""
    if not gone or not fresh or len(gone) * len(fresh) > MOST_PAIRS:
        return {}
    likeness = liken_words([_plain(part) for part in fresh], [_plain(part) for part in gone], LEAST_LIKE)
    rated = sorted((-likeness[new, old], int(new), int(old)) for new, old in zip(*likeness.nonzero(), strict=True))
    pairs: dict[int, Part] = {}
    taken: set[int] = set()
    for _, new, old in rated:
        if new not in pairs and old not in taken:
            pairs[new] = gone[old]
            taken.add(old)
    return pairs


def _plain(part: Part) -> str:
    """The words of a sentence for comparing: no case, no spaces, no clause number, and years alike."""
    return _YEAR.sub("#", _MARK.sub("", " ".join(part.quote.split()).casefold()))


def claims_of_changes(older: Passage, newer: Passage, names: Mapping[str, str]) -> list[DraftClaim]:
    """The count of what differs, then each change with its words from both versions."""
    changes = compare_wordings(older.parts, newer.parts)
    titles = names.get(older.document, ""), names.get(newer.document, "")
    signals = (Signal("reads_points", 1.0), Signal("reading_fit", min(older.said, newer.said)))
    both = (quote_of_part(older, older.parts[0]), quote_of_part(newer, newer.parts[0]))
    where = newer.where.rpartition(", ")[2] or titles[1]
    counted = f"{where}, {titles[1]} against {titles[0]}: {_count(changes)}."
    claims = [DraftClaim(counted, both, fit=newer.said, signals=signals, asides=(counted,))]
    for old, new in changes.told[:MOST_CHANGES]:
        parts = [(older, old), (newer, new)]
        quotes = tuple(quote_of_part(passage, part) for passage, part in parts if part is not None)
        text, asides = _tell(old, new, titles)
        claims.append(DraftClaim(text, quotes, fit=newer.said, signals=signals, asides=asides))
    return claims


def _tell(old: Part | None, new: Part | None, titles: tuple[str, str]) -> tuple[str, tuple[str, ...]]:
    """A change in words, and those of them that the program adds."""
    if old is None and new is not None:
        return f"New in {titles[1]}: {_line(new)}", (f"New in {titles[1]}:",)
    if new is None and old is not None:
        return f"No longer in {titles[1]}: {_line(old)}", (f"No longer in {titles[1]}:",)
    added = (f"{titles[0]}:", f"{titles[1]}:")
    first, last = (_line(part) if part is not None else "" for part in (old, new))
    return f"{added[0]} {first} – {added[1]} {last}", added


def _line(part: Part) -> str:
    return " ".join(part.quote.split())


def quote_of_part(passage: Passage, part: Part) -> DraftQuote:
    return DraftQuote(passage.document, part.key, part.quote, part.start, passage.where)


def _count(changes: Changes) -> str:
    """ "2 sentences are put otherwise, 1 is new, 1 is gone and 40 are the same"."""
    kinds = (
        (sum(None not in pair for pair in changes.told), "put otherwise"),
        (sum(pair[0] is None for pair in changes.told), "new"),
        (sum(pair[1] is None for pair in changes.told), "gone"),
        (changes.same, "the same"),
    )
    told = [f"{number} {'is' if number == 1 else 'are'} {kind}" for number, kind in kinds if number]
    first, _, rest = told[0].partition(" ") if told else ("0", "", "")
    told = [f"{first} {'sentence' if first == '1' else 'sentences'} {rest}", *told[1:]] if told else []
    shown = f"; the first {MOST_CHANGES} differences follow" if len(changes.told) > MOST_CHANGES else ""
    return (f"{', '.join(told[:-1])} and {told[-1]}" if len(told) > 1 else "".join(told)) + shown
