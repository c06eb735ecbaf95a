"""Links between documents that share discriminating keywords."""

from collections.abc import Iterable

import numpy as np

from vectorless_web.engine.documents.card import Card
from vectorless_web.engine.index.snapshot import Snapshot
from vectorless_web.engine.index.snapshot_rows import key_hash
from vectorless_web.engine.routing.card_keys import KEYWORD, keyword_units
from vectorless_web.engine.routing.lexical import idf

MIN_SHARED = 2
"""Telling keywords that two documents share at least to be linked: one may be chance."""
MAX_LINKS = 20
"""Links stored for a document, the strongest; bounds the size of a snapshot."""
_MOST_KEYWORDS = 60
"""Keywords of a card, the most telling ones, that make links. Chosen by hand: it bounds the postings read for each new
document."""
_COMMON_SHARE = 0.2
"""Share of the documents above which a keyword is filler and makes no link. Chosen by hand."""
_MANY = 2000
"""Documents above which a keyword makes no link, however large the workspace: it tells no two of them apart. Chosen by
hand."""
_FEW = 5
"""Documents up to which a keyword is not filler, whatever their share: in a small workspace every share is large.
Chosen by hand."""


def links_for(
    card: Card, snapshot: Snapshot, *, doc_id: int, keywords: Iterable[str] = ()
) -> list[tuple[int, float, list[str]]]:
    """Links of one document: (document id, weight in (0, 1], shared keywords), strongest first, at most MAX_LINKS.

    The weight is the idf of the shared keywords over that of all the card's telling ones.
    Costs as much as the postings of those keywords, not of the corpus.
    """
    telling = _find_rare_keywords(card, snapshot, keywords)
    if not telling:
        return []
    rows = [np.unique(snapshot.postings(key_hash(KEYWORD, keyword)).rows) for keyword in telling]
    weights = np.concatenate(
        [np.full(len(found), telling[keyword]) for keyword, found in zip(telling, rows, strict=True)]
    )
    owners, place, shared = np.unique(np.concatenate(rows), return_inverse=True, return_counts=True)
    totals = np.bincount(place, weights=weights) / sum(telling.values())
    ids = snapshot.row_ids(owners)
    kept = np.flatnonzero((shared >= MIN_SHARED) & (ids != doc_id))
    order = kept[np.lexsort((ids[kept], -np.round(totals[kept], 9)))][:MAX_LINKS]
    return [
        (
            int(ids[i]),
            min(float(totals[i]), 1.0),
            [k for k, found in zip(telling, rows, strict=True) if owners[i] in found],
        )
        for i in order
    ]


def _find_rare_keywords(card: Card, snapshot: Snapshot, keywords: Iterable[str]) -> dict[str, float]:
    """The card's most discriminating keywords with their idf, by falling idf."""
    units = dict.fromkeys([*card.topics, *(u for k in (*card.topic_tags, *keywords) for u in keyword_units(k))])
    most = min(max(_FEW, _COMMON_SHARE * len(snapshot)), _MANY)
    known = {unit: idf(snapshot, key_hash(KEYWORD, unit)) for unit in units}
    rare = [
        unit for unit, weight in known.items() if weight > 0 and snapshot.frequency(key_hash(KEYWORD, unit)) <= most
    ]
    rare.sort(key=lambda unit: (-known[unit], unit))
    return {unit: known[unit] for unit in rare[:_MOST_KEYWORDS]}
