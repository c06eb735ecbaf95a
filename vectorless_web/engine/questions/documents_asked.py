"""Kinds of document that a question names, and the words of it that only choose a document."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from vectorless_web.engine.questions.editions import DocumentKind, edition_words
from vectorless_web.engine.questions.lexicon import PhraseIndex
from vectorless_web.engine.text.analyser import words

Span = tuple[int, int]
_REACH = 3
"""Words between an edition word or a year and the kind of document it belongs to, at most: "the latest signed lease
agreement", "10-K for fiscal year 2022". Chosen by hand."""


@dataclass(frozen=True, slots=True)
class DocumentsAsked:
    """`forms` in the order named; `steering` spans of kinds, edition words and report years that only choose."""

    forms: tuple[str, ...] = ()
    steering: tuple[Span, ...] = ()


def find_documents_asked(text: str, periods: Sequence[Span]) -> DocumentsAsked:
    """The kinds named, and what steers to an edition of them; `periods` are where the text names periods.

    A kind that is a common word steers only beside an edition word, and an edition word or a period only beside a kind.
    """
    kinds = _kinds().find(text)
    editions = [(start, end) for start, end, _ in _editions().find(text)]
    forms = tuple(dict.fromkeys(kind.name for _, _, found in kinds for kind in found if kind.name))
    steering: list[Span] = []
    for start, end, found in kinds:
        near = [span for span in editions if span[1] <= start and _count_words(text, span[1], start) < _REACH]
        if near or not found[0].common:
            years = [span for span in periods if _is_beside(text, span, (start, end))]
            steering += [(start, end), *near, *years]
    return DocumentsAsked(forms, tuple(dict.fromkeys(steering)))


def _is_beside(text: str, one: Span, other: Span) -> bool:
    first, second = sorted((one, other))
    return _count_words(text, first[1], second[0]) < _REACH and not any(
        mark in text[first[1] : second[0]] for mark in ",;?"
    )


def _count_words(text: str, start: int, end: int) -> int:
    return len(words(text[start:end]))


@cache
def _kinds() -> PhraseIndex[DocumentKind]:
    return PhraseIndex((kind, phrase) for kind in edition_words().named for phrase in kind.phrases)


@cache
def _editions() -> PhraseIndex[str]:
    return PhraseIndex((word, word) for word in edition_words().steering)
