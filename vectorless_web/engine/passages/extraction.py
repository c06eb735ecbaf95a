"""Cuts nodes into sentences, list items and table rows, and copies those that answer a question in words."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from vectorless_web.engine.documents.node import Cell, Node, NodeKind, Row
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.passages.passage import Passage
from vectorless_web.engine.questions.plan import Intent, QueryPlan
from vectorless_web.engine.ranking.finder import Finder
from vectorless_web.engine.text.analyser import analyse
from vectorless_web.engine.text.numbers import numbers_in

LONGEST = 900
"""Characters of the longest piece; a longer one is cut at a clause."""

_END = re.compile(r"[.!?]+[\"'”’)\]]*(?=\s)|[。！？]+[」』”]?|\n{2,}")
_ABBREVIATION = re.compile(
    r"(?:\b(?:Inc|Corp|Co|Ltd|LLC|Mr|Mrs|Ms|Dr|Prof|St|No|Nos|vs|etc|e\.g|i\.e|approx|Fig|Sec|Art|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|pp?|cf|al)"
    r"|\b[A-Z]|\b(?:[A-Za-z]\.)+[A-Za-z])\.$"
)
_CLAUSE = re.compile(r"[;:]\s|,\s")
_LINE = re.compile(r"[^\n]+")


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A piece of a node's text, by its characters."""

    text: str
    start: int
    end: int


def pieces_of(node: Node) -> list[TextPiece]:
    """The quotable pieces of a node in reading order; a table's are its rows, a list's its items."""
    return cut_pieces(node.text, by_line=node.kind in (NodeKind.TABLE, NodeKind.LIST, NodeKind.CODE))


def cut_pieces(text: str, *, by_line: bool) -> list[TextPiece]:
    """The lines of a text, else its sentences, in reading order; very long ones are cut at a clause."""
    spans = _lines(text) if by_line else _sentences(text)
    return [piece for start, end in spans if (piece := _piece(text, start, end)) is not None]


def _lines(text: str) -> Iterator[tuple[int, int]]:
    for match in _LINE.finditer(text):
        yield from _cut_long(text, match.start(), match.end())


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _END.finditer(text):
        if _continues_sentence(text, start, match):
            continue
        yield from _cut_long(text, start, match.end())
        start = match.end()
    yield from _cut_long(text, start, len(text))


def _continues_sentence(text: str, start: int, match: re.Match[str]) -> bool:
    """An abbreviation or a following small letter means that the sentence has not ended."""
    if match.group()[0] != ".":
        return False
    following = text[match.end() : match.end() + 3].strip()
    return bool(_ABBREVIATION.search(text, start, match.end())) or following[:1].islower()


def _cut_long(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > LONGEST:
        cuts = [match.end() for match in _CLAUSE.finditer(text, start + LONGEST // 3, start + LONGEST)]
        cut = cuts[-1] if cuts else start + LONGEST
        yield start, cut
        start = cut
    if start < end:
        yield start, end


def _piece(text: str, start: int, end: int) -> TextPiece | None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return TextPiece(text[start:end], start, end) if end > start else None


ITEMS = 4
"""List items taken along, in their order; of a table only the best row."""

NEARLY = 0.98
"""What follows fits nearly as well as what announces it."""


def with_what_follows(passages: Sequence[Passage], tree: Tree, finder: Finder) -> list[Passage]:
    """The passages, each that ends in a colon followed by what it announces."""
    found: list[Passage] = []
    for passage in passages:
        found.append(passage)
        if passage.quote.rstrip().endswith(":"):
            found.extend(_find_following(passage, tree, finder))
    return found


def _find_following(passage: Passage, tree: Tree, finder: Finder) -> list[Passage]:
    key = _next_leaf(tree, passage)
    if key is None:
        return []
    node = tree.node(key)
    pieces = pieces_of(node)
    if node.kind is NodeKind.TABLE:
        pieces = _best_row(pieces, finder)
    elif node.kind is not NodeKind.LIST:
        pieces = pieces[:1]
    return [
        replace(
            passage,
            key=key,
            page_index=node.page_start,
            quote=p.text,
            start=p.start,
            end=p.end,
            fit=passage.fit * NEARLY,
        )
        for p in pieces[:ITEMS]
    ]


def _next_leaf(tree: Tree, passage: Passage) -> int | None:
    """The leaf after the passage's own, when the passage ends its node; running heads are passed over."""
    if tree.node(passage.key).text[passage.end :].strip():
        return None
    for key in range(passage.key + 1, min(passage.key + 6, len(tree))):
        kind = tree.kind(key)
        if kind in (NodeKind.SECTION, NodeKind.DOCUMENT):
            return None
        if kind is not NodeKind.RUNNING:
            return key
    return None


def _best_row(rows: Sequence[TextPiece], finder: Finder) -> list[TextPiece]:
    """The row that says most of the question, if it says anything and has a number."""
    numbered = [row for row in rows if any(character.isdigit() for character in row.text)]
    said = [(finder.coverage(row.text), row) for row in numbered]
    best = max(said, key=lambda pair: pair[0], default=(0.0, None))
    return [best[1]] if best[1] is not None and best[0] > 0 else []


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
