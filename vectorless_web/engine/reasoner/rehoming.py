"""Finds where a quote really stands when it does not stand in the node it was said to stand in."""

from collections.abc import Iterator, Mapping, Sequence

from vectorless_web.engine.document.artefact import CompiledDocument
from vectorless_web.engine.document.node import NodeKind
from vectorless_web.engine.document.tree import Tree
from vectorless_web.engine.reasoner.events import Check
from vectorless_web.engine.reasoner.planner import DraftQuote
from vectorless_web.engine.reasoner.quotes import locate_quote

LEAST_LETTERS, LEAST_CHARACTERS = 4, 8
"""Letters, and letters and digits, of a quote that says by itself where it belongs."""

MOST_NODES = 400
"""Nodes looked into for one quote."""

AROUND = 60
"""Nodes before and behind that may stand on the same page."""

Place = tuple[str, int]


class Homes:
    """Looks for a quote below the node named, on its page, then in the nodes that were read; word for word only."""

    def __init__(self, *, documents: Mapping[str, CompiledDocument], read: Sequence[Place] = ()) -> None:
        self._documents = documents
        self._read = tuple(dict.fromkeys(read))

    def elsewhere(self, quote: DraftQuote) -> Place | None:
        """Another node that holds the quote; None when there is none, or the quote is too short to tell."""
        letters = sum(character.isalpha() for character in quote.quote)
        if letters < LEAST_LETTERS or sum(character.isalnum() for character in quote.quote) < LEAST_CHARACTERS:
            return None
        return next((place for place in self._candidates(quote) if self.holds(place, quote)), None)

    def holds(self, place: Place, quote: DraftQuote) -> bool:
        """Whether the words stand in that node, as they are or after normalisation."""
        text = self._documents[place[0]].tree.node(place[1]).text
        return locate_quote(text, quote.quote, nearly=False).check is not Check.MISSING

    def _candidates(self, quote: DraftQuote) -> list[Place]:
        named = (quote.document, quote.key)
        tree = self._documents[quote.document].tree if quote.document in self._documents else None
        near = [(quote.document, key) for key in _near(tree, quote.key)] if tree and quote.key in tree else []
        found = dict.fromkeys([*near, *self._leaves_read()])
        return [place for place in found if place != named][:MOST_NODES]

    def _leaves_read(self) -> Iterator[Place]:
        for document, key in self._read:
            tree = self._documents[document].tree if document in self._documents else None
            if tree is None or key not in tree:
                continue
            if tree.kind(key) in (NodeKind.SECTION, NodeKind.DOCUMENT):
                yield from ((document, leaf) for leaf in tree.leaves(key)[:AROUND])
            yield document, key


def _near(tree: Tree, key: int) -> Iterator[int]:
    """Leaves below the node, then the nodes around it on its page."""
    if tree.kind(key) in (NodeKind.SECTION, NodeKind.DOCUMENT):
        yield from tree.leaves(key)[: MOST_NODES // 2]
    page = tree.node(key).page_start
    for other in range(max(1, key - AROUND), min(len(tree), key + AROUND)):
        if other != key and tree.node(other).page_start == page:
            yield other
