"""The snapshot of documents that are indexed on the spot: their cards, with editions and links, and their words."""

from collections.abc import Collection
from dataclasses import dataclass

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.card import Card
from vectorless_web.engine.finding.routing.card_keys import card_row, links_for
from vectorless_web.engine.finding.routing.editions import read_edition, read_head
from vectorless_web.engine.finding.routing.router import DocumentRouter
from vectorless_web.engine.index.segment import Segment
from vectorless_web.engine.index.snapshot import Snapshot, build_snapshot
from vectorless_web.engine.index.word_blocks import WordBlock, WordIndex, block_of, encode_words, spread_words


@dataclass(frozen=True, slots=True)
class CardedDocument:
    """A document to be indexed: its number, the name of its file, its title, its card, and its text where it is had."""

    number: int
    name: str
    title: str
    card: Card
    text: CompiledDocument | None


def index_documents(documents: Collection[CardedDocument], *, version: str = "1") -> Snapshot:
    """The snapshot that a router of these documents looks into; words of a single one are not needed to choose it."""
    rows, blocks = [], dict[int, dict[int, bytes]]()
    for one in documents:
        head = read_head(one.text) if one.text is not None else ""
        edition = read_edition(title=one.title, name=one.name, card=one.card, head=head)
        rows.append(card_row(one.number, one.card, name=one.name, edition=edition))
        if len(documents) > 1:
            words = spread_words(Segment(one.text.segment)) if one.text is not None else {}
            blocks.setdefault(block_of(one.number), {})[one.number] = encode_words(words)
    held = [WordBlock.open(WordBlock.empty().with_lists(lists)) for lists in blocks.values()]
    snapshot = Snapshot.open(build_snapshot(rows), version=version).with_words(WordIndex(held))
    links = [
        (one.number, other, weight)
        for one in documents
        for other, weight, _ in links_for(one.card, snapshot, doc_id=one.number)
    ]
    return snapshot.with_changes(DocumentRouter(snapshot).update_graph(links))
