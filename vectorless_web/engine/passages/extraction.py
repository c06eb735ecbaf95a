"""Copies the sentences, list items and table rows that answer a question in words."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from vectorless_web.engine.documents.node import Node, NodeKind
from vectorless_web.engine.documents.table import Cell, Row
from vectorless_web.engine.passages.passage import Passage
from vectorless_web.engine.passages.sentences import TextPiece, pieces_of
from vectorless_web.engine.questions.plan import Intent, QueryPlan
from vectorless_web.engine.ranking.finder import Finder
from vectorless_web.engine.text.analyser import analyse
from vectorless_web.engine.text.numbers import numbers_in


def cell_first(node: Node, start: int, finder: Finder) -> str:
    """ "2.5 m: Launching a Skua, Wave height" for the row that starts there; "" when no column stands out.

    The column is the one whose header says more of the question than any other; a header
    with figures of its own is never read out.
    """
    table = node.table
    row = next((row for row in table.rows if row.offset <= start < row.offset + row.length), None) if table else None
    if table is None or row is None or row.is_header or not row.label:
        return ""
    said = [(finder.said_terms(column.header), place) for place, column in enumerate(table.columns)]
    ranked = sorted(((share, place) for share, place in said if place and _has_cell(row, place)), reverse=True)
    if not ranked or ranked[0][0] <= 0 or (len(ranked) > 1 and ranked[1][0] == ranked[0][0]):
        return ""
    header = " ".join(table.columns[ranked[0][1]].header.split())
    if any(character.isdigit() for character in header) or set(analyse(header)) <= set(analyse(row.label)):
        return ""
    return f"{_join_words(row.cells[ranked[0][1]])}: {' '.join(row.label.split())}, {header}."


def _has_cell(row: Row, place: int) -> bool:
    return place < len(row.cells) and any(character.isalnum() for character in row.cells[place].text)


def _join_words(cell: Cell) -> str:
    return " ".join(cell.text.split())


PER_NODE = 4
"""Pieces taken from one node at most."""

NODE_SHARE, PAGE_SHARE, FORM_SHARE = 0.15, 0.2, 0.15
"""Shares of a piece's fit: its node's rank, its page's, the form asked for; the rest is what it says."""

FORM_SHARES = {"reason": 0.25, "date": 0.3, "duration": 0.25}
"""Forms without which a piece is hardly an answer."""

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
_DURATION = re.compile(
    r"(?:\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty(?:-\w+)?|half)\b)"
    r"[\s-]*(?:business\s+|calendar\s+|working\s+)?(?:seconds?|minutes?|hours?|days?|weeks?|months?|quarters?|years?)\b"
    r"|\b(?:daily|weekly|monthly|quarterly|annually|yearly|every|each)\b",
    re.I,
)
_ASKS_DURATION = re.compile(
    r"\bhow (?:long|often|soon|quickly)\b|\bhow many (?:\w+ )?(?:days|weeks|months|years|hours|minutes)\b", re.I
)
_ASKS_WHO = re.compile(r"\bwho\b|\bwhom\b|\bwhose\b", re.I)
_ASKS_AMOUNT = re.compile(
    r"\bhow (?:much|many|large|high)\b"
    r"|\bwhat (?:is|was|were|are) the (?:amount|number|percentage|total|value)\b",
    re.I,
)


_FORMS = {"reason": _CAUSE, "date": _DATE, "duration": _DURATION, "name": _NAME}


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
    around = f"{where} {_headers(node)}" if node.table else where
    near = "" if node.table else node.text
    said = [finder.coverage(piece.text, around, near) for piece in pieces]
    fits = [_measure_fit(piece.text, node, share, node_fit, finder) for piece, share in zip(pieces, said, strict=True)]
    order = sorted(range(len(pieces)), key=lambda place: (-round(fits[place], 9), pieces[place].start))[:PER_NODE]
    return [
        Passage(
            document,
            node.key,
            node.page_start,
            p.text,
            p.start,
            p.end,
            where,
            fits[place],
            said[place],
            _find_lead(node, p, finder),
        )
        for place in order
        if fits[place] > 0 and (p := pieces[place])
    ]


def _find_lead(node: Node, piece: TextPiece, finder: Finder) -> str:
    return cell_first(node, piece.start, finder) if node.table else ""


def _headers(node: Node) -> str:
    return " ".join(column.header for column in node.table.columns) if node.table else ""


def _measure_fit(text: str, node: Node, said: float, node_fit: float, finder: Finder) -> float:
    """What the piece says of the question, its node's and page's rank and the form asked for, in fixed shares."""
    worth = 1.0 if node.kind is not NodeKind.TABLE else _row_worth(text, finder.plan)
    form = FORM_SHARES.get(asked_form(finder.plan), FORM_SHARE)
    page_fit = finder.page_fits.get(node.page_start, 0.0)
    own = 1.0 - NODE_SHARE - PAGE_SHARE - form
    return worth * (own * said + NODE_SHARE * node_fit + PAGE_SHARE * page_fit + form * form_bonus(text, finder.plan))


def _row_worth(text: str, plan: QueryPlan) -> float:
    """A row without a number is a heading; where words are asked for, a row says less than a sentence."""
    if not any(character.isdigit() for character in text):
        return 0.6
    return 1.0 if plan.intent is Intent.FIGURE else 0.85


def asked_form(plan: QueryPlan) -> str:
    """The form of the answer: `reason`, `date`, `duration`, `name`, `amount`, or "" for any."""
    if plan.intent is Intent.EXPLAIN:
        return "reason"
    asks = ((_ASKS_WHEN, "date"), (_ASKS_DURATION, "duration"), (_ASKS_WHO, "name"), (_ASKS_AMOUNT, "amount"))
    form = next((form for pattern, form in asks if pattern.search(plan.question)), "")
    return form or ("amount" if plan.intent is Intent.FIGURE else "")


def form_bonus(text: str, plan: QueryPlan) -> float:
    """1 when the piece has the form the question asks for, 0 when not, 0.5 when any form will do."""
    form = asked_form(plan)
    if not form:
        return 0.5
    if form == "amount":
        return 1.0 if numbers_in(text) else 0.0
    return 1.0 if _FORMS[form].search(text) else 0.0


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
