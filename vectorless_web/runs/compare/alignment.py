"""Which sentence of one answer stands for which of another: by the quotes they share, else by their words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from vectorless_web.engine.text.differences import DifferencePiece, word_differences
from vectorless_web.engine.text.fuzzy import ratio
from vectorless_web.engine.text.normalise import normalise
from vectorless_web.runs.models import Citation, Claim

ALIKE = 60.0
"""Likeness, 0 to 100, from which sentences without a shared quote count as the same one reworded."""


class Kind(StrEnum):
    """How a row's two sides stand to each other."""

    SAME = "same"
    CHANGED = "changed"
    ONLY_A = "only_a"
    ONLY_B = "only_b"


@dataclass(frozen=True)
class Sentence:
    """A claim as one side shows it; `pieces` are its words, those that the other side lacks marked."""

    claim: Claim
    pieces: Sequence[DifferencePiece]


@dataclass(frozen=True)
class SentencePair:
    """What stands side by side; one side may be empty."""

    kind: Kind
    a: Sentence | None
    b: Sentence | None


def align_answers(a: Sequence[Claim], b: Sequence[Claim]) -> list[SentencePair]:
    """All sentences of both answers, in A's order; those of B alone keep their place among their neighbours in B."""
    partner = _pairs(a, b)
    owner = {second: first for first, second in partner.items()}
    leading, behind = _place_unpaired(len(b), owner)
    first_shared = owner[min(owner)] if owner else len(a)
    rows: list[SentencePair] = []
    for number, claim in enumerate(a):
        if number == first_shared:
            rows += [_row(None, b[other]) for other in leading]
        rows.append(_row(claim, b[partner[number]] if number in partner else None))
        rows += [_row(None, b[other]) for other in behind.get(number, [])]
    return rows if owner else rows + [_row(None, b[other]) for other in leading]


def _place_unpaired(count: int, owner: Mapping[int, int]) -> tuple[list[int], dict[int, list[int]]]:
    """Those of B alone: before the first that is shared, and behind each of A's that is."""
    leading: list[int] = []
    behind: dict[int, list[int]] = {}
    place = leading
    for number in range(count):
        if number in owner:
            place = behind.setdefault(owner[number], [])
        else:
            place.append(number)
    return leading, behind


def same_quote(first: Citation, second: Citation) -> bool:
    """Whether two quotes stand on the same page of a document, one of them within the other."""
    if (place_of(first), first.page_index) != (place_of(second), second.page_index):
        return False
    one, other = _fold_text(first.quote), _fold_text(second.quote)
    return bool(one and other) and (one in other or other in one)


def place_of(citation: Citation) -> str:
    """What tells one document from another, a later version of it being the same."""
    version = citation.version
    return str(version.document_id) if version is not None else citation.document_title


def _pairs(a: Sequence[Claim], b: Sequence[Claim]) -> dict[int, int]:
    """The number in B of the partner of each claim of A that has one: best fit first, each used once."""
    fits = [
        (-fit, first, second)
        for first, claim in enumerate(a)
        for second, other in enumerate(b)
        if (fit := _measure_fit(claim, other)) > 0
    ]
    found: dict[int, int] = {}
    for _best, first, second in sorted(fits):
        if first not in found and second not in found.values():
            found[first] = second
    return found


def _measure_fit(claim: Claim, other: Claim) -> float:
    """0 for no pair, else the likeness, and 100 more for each shared quote."""
    likeness = ratio(_fold_text(claim.text), _fold_text(other.text))
    others = list(other.citations.all())
    shared = sum(any(same_quote(quote, row) for row in others) for quote in claim.citations.all())
    return 100.0 * shared + likeness if shared or likeness >= ALIKE else 0.0


def _row(first: Claim | None, second: Claim | None) -> SentencePair:
    if first is None or second is None:
        kind = Kind.ONLY_B if first is None else Kind.ONLY_A
        sides = [
            Sentence(claim, [DifferencePiece(claim.text, same=True)]) if claim else None for claim in (first, second)
        ]
        return SentencePair(kind, sides[0], sides[1])
    same = _fold_text(first.text) == _fold_text(second.text) and first.support == second.support
    left, right = word_differences(first.text, second.text)
    return SentencePair(Kind.SAME if same else Kind.CHANGED, Sentence(first, left), Sentence(second, right))


def _fold_text(text: str) -> str:
    return normalise(text).text.casefold()
