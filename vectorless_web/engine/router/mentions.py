"""Which names of the corpus a question mentions: its words, glued, against the names on the cards."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from vectorless_web.engine.index.snapshot import Snapshot
from vectorless_web.engine.index.snapshot_rows import MAX_COUNT, key_hash
from vectorless_web.engine.query.plan import QueryPlan
from vectorless_web.engine.router.card_keys import ENTITY, PREFIX
from vectorless_web.engine.router.lexical import idf
from vectorless_web.engine.router.names import folded_words, glued
from vectorless_web.engine.text.analyser import STOP_WORDS, words

_LONGEST = 6
_UNCAPITALISED = 0.3
"""A word in small letters is rarely meant as a name."""
_FULL_NAME = 26
"""From this strength on a key is a whole name, not a guess such as the first word of one."""
_PREFIX_CERTAINTY = 0.5
_MOST_EXPLAINING, _MOST_SUBJECTS = 200, 3
_SURE_SHARE = 0.9


@dataclass(frozen=True, slots=True)
class Mention:
    """Words of the question that name something on some cards, and how much that says, in (0, 1].

    `hashes` are the key they match and the subjects of the cards that have it: a nickname
    that one document of a company explains holds for its others. `strongest` is the
    greatest strength of the first key.
    """

    text: str
    start: int
    end: int
    hashes: tuple[int, ...]
    weight: float
    strongest: int


def mentions_in(plan: QueryPlan, snapshot: Snapshot) -> list[Mention]:
    """Mentions in reading order, none overlapping: the longest first, then the most telling.

    Words of a known concept are no name, unless the plan took them for one. Only names
    the plan found may match by their beginning ("Tarvi" for TarviCo).
    """
    question, names = plan.question, plan.entities
    taken = _spans(question, plan.concepts)
    found = [m for m in _exact(question, snapshot) if _is_meant(m, names, taken)]
    found += _beginnings(question, names, snapshot)
    kept: list[Mention] = []
    for mention in sorted(found, key=lambda m: (m.start - m.end, -m.weight, m.start)):
        if all(mention.end <= other.start or mention.start >= other.end for other in kept):
            kept.append(mention)
    return sorted(kept, key=lambda mention: mention.start)


def _spans(question: str, phrases: Sequence[str]) -> list[tuple[int, int]]:
    lowered = question.lower()
    starts = [(lowered.find(phrase), len(phrase)) for phrase in phrases if phrase]
    return [(start, start + length) for start, length in starts if start >= 0]


def _is_meant(mention: Mention, names: Sequence[str], taken: Sequence[tuple[int, int]]) -> bool:
    if any(mention.text.startswith(name) or name.startswith(mention.text) for name in names):
        return True
    if any(start < mention.end and mention.start < end for start, end in taken):
        return False
    return any(character.isupper() for character in mention.text) or mention.strongest >= _FULL_NAME


def _exact(question: str, snapshot: Snapshot) -> Iterator[Mention]:
    """Mentions by a whole key. All runs of words are looked up at once: most are no name."""
    runs = list(_runs(question))
    hashes = [key_hash(ENTITY, key) for _, _, key in runs]
    for at in np.flatnonzero(snapshot.knows(hashes)).tolist():
        start, end, _ = runs[at]
        yield from _mention(question[start:end], start, hashes[at], snapshot)


def _runs(question: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, glued key) of each run of words that could be a name."""
    tokens = [(word, folded_words(word.text)) for word in words(question)]
    for first, (opening, folded) in enumerate(tokens):
        if not folded or folded[0] in STOP_WORDS:
            continue
        key = ""
        for closing, more in tokens[first : first + _LONGEST]:
            key += glued(more)
            if more and more[-1] not in STOP_WORDS and len(key) > 1 and not key.isdigit():
                yield opening.start, closing.end, key


def _mention(text: str, start: int, hashed: int, snapshot: Snapshot) -> Iterator[Mention]:
    rarity = idf(snapshot, hashed)
    if rarity > 0:
        strongest = int(snapshot.postings(hashed).counts.max())
        hashes = (hashed, *_subjects(hashed, strongest, snapshot))
        weight = rarity * _form(text) * strongest / MAX_COUNT
        yield Mention(text, start, start + len(text), hashes, weight, strongest)


def _subjects(hashed: int, strongest: int, snapshot: Snapshot) -> list[int]:
    postings = snapshot.postings(hashed)
    if len(postings.rows) > _MOST_EXPLAINING:
        return []
    sure = postings.rows[postings.counts >= _SURE_SHARE * strongest]
    return sorted({subject for subject in snapshot.subjects(sure) if subject not in (0, hashed)})[:_MOST_SUBJECTS]


def _form(text: str) -> float:
    return 1.0 if any(character.isupper() for character in text) else _UNCAPITALISED


def _beginnings(question: str, names: Sequence[str], snapshot: Snapshot) -> Iterator[Mention]:
    for name in names:
        start = question.find(name)
        key = glued(folded_words(name))
        hashed = key_hash(PREFIX, key)
        if start < 0 or not key or snapshot.frequency(key_hash(ENTITY, key)):
            continue
        rarity = idf(snapshot, hashed)
        if rarity > 0:
            yield Mention(name, start, start + len(name), (hashed,), rarity * _PREFIX_CERTAINTY, MAX_COUNT)
