"""Copies the sentences, list items and table rows that answer a question in words."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from vectorless_web.engine.document.node import Node, NodeKind
from vectorless_web.engine.query.plan import Intent, QueryPlan
from vectorless_web.engine.reasoner.finder import Finder
from vectorless_web.engine.reasoner.planner import Passage
from vectorless_web.engine.reasoner.sentences import Piece, pieces_of
from vectorless_web.engine.text.numbers import numbers_in

PER_NODE = 4
"""Pieces taken from one node at most."""

NODE_SHARE, PAGE_SHARE, FORM_SHARE, CAUSE_SHARE = 0.15, 0.2, 0.15, 0.25
"""Shares of a piece's fit: its node's rank, its page's, the form asked for, and that form when a reason is."""

SHORTEST = 25
"""A shorter piece is a heading or a scrap."""

_CAUSE = re.compile(
    r"\b(?:due to|because|driven by|drove|driver|primarily|mainly|reflect\w*|result(?:ed|ing) (?:from|in)|as a result"
    r"|attributable to|owing to|offset by|caused)\b",
    re.I,
)
_DATE = re.compile(
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\s+\d|\b(?:19|20)\d\d\b"
)
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][\w&.'’-]+(?:\s+[A-Z][\w&.'’-]+)*")
_ASKS_WHEN = re.compile(r"\bwhen\b|\bwhat (?:date|year|day)\b", re.I)
_ASKS_WHO = re.compile(r"\bwho\b|\bwhom\b|\bwhose\b", re.I)
_ASKS_AMOUNT = re.compile(
    r"\bhow (?:much|many|long|often|large|high)\b"
    r"|\bwhat (?:is|was|were|are) the (?:amount|number|percentage|total|value)\b",
    re.I,
)


def find_passages(document: str, nodes: Iterable[tuple[Node, float, str]], finder: Finder) -> list[Passage]:
    """Pieces of the given nodes that say something of the question, best first.

    `nodes` are (node, its retrieval fit, where it stands in words).
    """
    found: list[Passage] = []
    for node, fit, where in nodes:
        found.extend(_of_node(document, node, fit, where, finder))
    return sorted(found, key=lambda passage: (-round(passage.fit, 9), passage.key, passage.start))


def _of_node(document: str, node: Node, node_fit: float, where: str, finder: Finder) -> list[Passage]:
    if finder.plan.intent is Intent.EXPLAIN and node.kind is NodeKind.TABLE:
        return []
    pieces = [piece for piece in pieces_of(node) if len(piece.text) >= SHORTEST]
    scored = [(_fit(piece, node, node_fit, where, finder), piece) for piece in pieces]
    best = sorted(scored, key=lambda pair: (-round(pair[0], 9), pair[1].start))[:PER_NODE]
    return [
        Passage(document, node.key, node.page_start, piece.text, piece.start, piece.end, where, fit)
        for fit, piece in best
        if fit > 0
    ]


def _fit(piece: Piece, node: Node, node_fit: float, where: str, finder: Finder) -> float:
    """Half what the piece itself says of the question, the rest its node's rank and the form asked for."""
    said = finder.coverage(piece.text, where)
    form = form_bonus(piece.text, finder.plan)
    worth = 1.0 if node.kind is not NodeKind.TABLE else _row_worth(piece.text, finder.plan)
    form_share = CAUSE_SHARE if finder.plan.intent is Intent.EXPLAIN else FORM_SHARE
    page_fit = finder.page_fits.get(node.page_start, 0.0)
    own = 1.0 - NODE_SHARE - PAGE_SHARE - form_share
    return worth * (own * said + NODE_SHARE * node_fit + PAGE_SHARE * page_fit + form_share * form)


def _row_worth(text: str, plan: QueryPlan) -> float:
    """A row without a number is a heading; where words are asked for, a row says less than a sentence."""
    if not any(character.isdigit() for character in text):
        return 0.6
    return 1.0 if plan.intent is Intent.FIGURE else 0.85


def form_bonus(text: str, plan: QueryPlan) -> float:
    """1 when the piece has the form the question asks for (a reason, a date, a name, an amount), else less."""
    question = plan.question
    if plan.intent is Intent.EXPLAIN:
        return 1.0 if _CAUSE.search(text) else 0.0
    if _ASKS_WHEN.search(question):
        return 1.0 if _DATE.search(text) else 0.0
    if _ASKS_WHO.search(question):
        return 1.0 if _NAME.search(text) else 0.2
    if plan.intent is Intent.FIGURE or _ASKS_AMOUNT.search(question):
        return 1.0 if numbers_in(text) else 0.0
    return 0.5


def best_passages(passages: Sequence[Passage], *, most: int, share: float) -> list[Passage]:
    """The best passages that differ: at most `most`, each at least `share` of the best one's fit, no text twice."""
    kept: list[Passage] = []
    texts: set[str] = set()
    for passage in passages:
        text = " ".join(passage.quote.lower().split())
        if kept and passage.fit < share * kept[0].fit:
            continue
        if text in texts:
            _prefer_earlier(kept, passage, text)
            continue
        texts.add(text)
        kept.append(passage)
        if len(kept) == most:
            break
    return kept


def _prefer_earlier(kept: list[Passage], twin: Passage, text: str) -> None:
    """Words that stand twice are quoted from their first place."""
    for place, passage in enumerate(kept):
        if twin.key < passage.key and " ".join(passage.quote.lower().split()) == text:
            kept[place] = replace(twin, fit=passage.fit)
