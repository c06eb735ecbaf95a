"""A router over a handful of cards, built on the spot and kept nowhere."""

from collections.abc import Iterable

from vectorless_web.engine.document.card import Card
from vectorless_web.engine.index.snapshot import Snapshot, build_snapshot
from vectorless_web.engine.router.card_keys import card_row
from vectorless_web.engine.router.config import RouterConfig
from vectorless_web.engine.router.router import DocumentRouter


def router_over(documents: Iterable[tuple[int, str, Card]], config: RouterConfig | None = None) -> DocumentRouter:
    """A router over (id, file name, card) triples, about a millisecond a card; it follows no links."""
    rows = [card_row(doc_id, card, name=name) for doc_id, name, card in documents]
    return DocumentRouter(Snapshot.open(build_snapshot(rows), version="memory"), config)
