"""How well a row's label names the item a question asks for."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from vectorless_web.engine.text.analyser import analyse

NEUTRAL = frozenset({"total", "consolid", "compani", "corpor", "aggreg"})
"""Stems that a label may add to the item's name without meaning another item."""

_PARENTHESES = re.compile(r"\([^)]*\)")
_GENERIC = re.compile(r"^\W*(?:(?:sub)?total|net|amount|balance|other|all other)?\W*$", re.I)
_WEAK_PRECISION = 0.45
"""Half of the most that a label is worth of which only some words are the item's: (1 + share of the label that they
are) times this. Not measured by itself."""
_WHOSE = re.compile(r"\s*\b(?:attributable|available|applicable) to\b|\s*,?\s*\bincluding\b", re.I)
"""Where a label goes on to say whose the item is: still the same item, unless it is the minority's."""

_NET_OF = re.compile(r"\s*,?\s*\b(?:net of|less)\s+(?:accumulated|allowances?|reserves?|valuation|provisions?)\b", re.I)
_NOT = re.compile(r"\bnot\b|\bnon-?cash\b", re.I)
_COUNT = re.compile(r"\bnumber of\b", re.I)
_MINORITY = re.compile(r"\b(?:attributable|available|applicable) to (?:the )?(?:non-?controlling|minorit)", re.I)
_SUMMING = re.compile(r"\b(?:total|net)\b", re.I)
_SHORTER = 0.6
"""What a label is worth that is the beginning of the item's name, of two words and more. Not measured by itself."""
OWNED_SHADE = 0.97
"""What a label keeps that says whose the item is when the wording does not, or the other way round."""

SUMMING_BONUS = 0.02
"""What a label gains by saying "total" or "net" when the item is also known by such a name."""


@lru_cache(maxsize=1 << 14)
def label_terms(label: str) -> tuple[str, ...]:
    """Index terms of a label, what stands in parentheses left out unless nothing else is there."""
    return tuple(analyse(_PARENTHESES.sub(" ", label))) or tuple(analyse(label))


@lru_cache(maxsize=1 << 10)
def _phrase_terms(phrases: tuple[str, ...]) -> frozenset[str]:
    return frozenset(term for phrase in phrases for term in label_terms(phrase))


@lru_cache(maxsize=1 << 14)
def _every_term(label: str) -> frozenset[str]:
    return frozenset(analyse(label))


@lru_cache(maxsize=1 << 10)
def _list_wordings(phrases: tuple[str, ...]) -> tuple[tuple[tuple[str, ...], bool], ...]:
    """The terms of each phrase, and whether it says whose the item is."""
    return tuple((label_terms(_strip_owner(phrase)), bool(_WHOSE.search(phrase))) for phrase in phrases)


def fits_to(phrases: Sequence[str]) -> Callable[[str, Sequence[str]], float]:
    """The fit in [0, 1] of a row, by its label and path, to the phrases that name an item; 1 when one is the label.

    The best phrase comes first. A label that says no more than "Total" is read with the label it stands under.
    """
    asked = tuple(phrases)
    wanted = _phrase_terms(asked)

    def fit(label: str, path: Sequence[str]) -> float:
        # Most rows share no word with any phrase, in which case nothing else need be looked at.
        if wanted.isdisjoint(_every_term(label or "total")) and not (path and wanted & _every_term(path[-1])):
            return 0.0
        return _label_fit(label, path[-1] if path else "", asked)

    return fit


@lru_cache(maxsize=1 << 13)
def _label_fit(label: str, head: str, phrases: tuple[str, ...]) -> float:
    if _is_other_item(label, phrases):
        return 0.0
    names = [label] if label and not _GENERIC.match(label) else []
    names += _shorten_label(label) if names else []
    if head and (not names or len(label_terms(label)) < 3):
        names.append(f"{head} {label or 'total'}")
    known = [(label_terms(name), name is label) for name in names]
    is_owned = bool(_WHOSE.search(label))
    if not any(_phrase_terms(phrases) & set(terms) for terms, _ in known):
        return 0.0
    best = 0.0
    for rank, (wanted, says_whose) in enumerate(_list_wordings(phrases)):
        fit = max(_measure_fit(wanted, found, whole=whole) for found, whole in known)
        owned = OWNED_SHADE if is_owned != says_whose else 1.0
        best = max(best, fit * owned * (1.0 - 0.004 * min(rank, 12)))
    return best + SUMMING_BONUS if best > 0.9 and _sums_up(label, phrases) else best


def _strip_owner(phrase: str) -> str:
    """A wording without its "attributable to ..."."""
    whose = _WHOSE.search(phrase)
    return phrase[: whose.start()] if whose and not _MINORITY.search(phrase) and whose.start() > 2 else phrase


def _is_other_item(label: str, phrases: Sequence[str]) -> bool:
    """Whether a label says of itself that it is not the item: the minority's share, what was not paid, a number of."""
    name = phrases[0] if phrases else ""
    return any(pattern.search(label) and not pattern.search(name) for pattern in (_MINORITY, _NOT, _COUNT))


def _shorten_label(label: str) -> list[str]:
    """The label up to where it says whose the item is, or what was taken off it: still the same item."""
    cuts = [match.start() for pattern in (_WHOSE, _NET_OF) if (match := pattern.search(label)) and match.start() > 2]
    return [label[:cut] for cut in cuts]


def _sums_up(label: str, phrases: Sequence[str]) -> bool:
    """ "Inventories" and "Total inventories", gross and net may stand side by side: the summing row is meant."""
    said = {word.lower() for word in _SUMMING.findall(label)}
    return any(said & {word.lower() for word in _SUMMING.findall(phrase)} for phrase in phrases)


def _measure_fit(wanted: tuple[str, ...], found: tuple[str, ...], *, whole: bool) -> float:
    if not wanted or not found:
        return 0.0
    extra = [term for term in found if term not in wanted and term not in NEUTRAL]
    hits = sum(term in found for term in wanted)
    if hits == len(wanted):
        base = 1.0 if not extra else 0.4 + 0.55 * len(wanted) / (len(wanted) + len(extra))
        return base if whole else base * 0.95
    if not extra and len(found) >= 2 and wanted[: len(found)] == found:
        return _SHORTER
    coverage = hits / len(wanted)
    if coverage < 0.6 or hits < 2:
        return 0.0
    return coverage * _WEAK_PRECISION * (hits / (hits + len(extra)) + 1.0)
