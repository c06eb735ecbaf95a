"""Makes the document card from the tree alone: title, overview, tags, question hints, sections, topic map."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from vectorless_web.engine.documents.card import Card, SectionLine, TypedFields
from vectorless_web.engine.documents.node import Node, NodeKind
from vectorless_web.engine.parsing.fields import split_name
from vectorless_web.engine.text.analyser import analyse

_JUNK_TITLE = re.compile(
    r"^(?:microsoft (?:word|powerpoint|excel)\b.*|untitled.*|document\d*|[\W\d_]*|none|null"
    r"|.*\.(?:docx?|pptx?|xlsx?|pdf|indd|qxd|htm?l))$",
    re.I,
)
_NO_TITLE = re.compile(
    rf"{_JUNK_TITLE.pattern}"
    r"|^(?:united states\b.*|(?:table of )?contents|cover(?: page)?|form\s.*|securities and exchange.*)$",
    re.I,
)
_OVERVIEW, _LINE, _LEAD, _PARAGRAPH = 600, 160, 240, 120
_SENTENCES = (30, 400)
_TOPICS, _TOPIC_NODES = 400, 12
_TITLE_WEIGHT, _SUMMARY_WEIGHT = 2.0, 1.5
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+(?=[\"“A-Z0-9À-ÝÀ-ß\u0400-\u042f])")
_SECTION_LINES = 60


def choose_title(*, metadata: str, nodes: Sequence[Node], name: str) -> str:
    """The title: metadata unless it is a converter's leftover, else a heading of the first page, else the file name."""
    metadata = " ".join(metadata.split())
    if 3 < len(metadata) < 200 and not _JUNK_TITLE.match(metadata) and " " in metadata:
        return metadata
    first = next(
        (node for node in nodes[1:12] if node.kind is NodeKind.SECTION and node.page_start == 0 and node.depth == 1),
        None,
    )
    if first is not None and _only_top(nodes, first) and not _NO_TITLE.match(first.title):
        return first.title
    return split_name(name) or "Untitled document"


def _only_top(nodes: Sequence[Node], first: Node) -> bool:
    """Whether the first heading holds the whole document, as a title does."""
    return first.subtree_end >= len(nodes) - 2


def make_card(title: str, nodes: Sequence[Node], fields: TypedFields) -> Card:
    """The card of a document whose nodes are numbered already."""
    topics = _topics(nodes)
    return Card(
        title=title,
        overview=_overview(nodes),
        topic_tags=tuple(_tags(nodes, topics)),
        question_hints=tuple(_hints(nodes)),
        sections=tuple(_section_lines(nodes)),
        fields=fields,
        topics=topics,
    )


def _prose(nodes: Sequence[Node]) -> list[Node]:
    """Paragraphs long enough to say something; in a short document any."""
    found = [node for node in nodes if node.kind is NodeKind.PARAGRAPH]
    return [node for node in found if len(node.text) > _PARAGRAPH] or found


def _overview(nodes: Sequence[Node]) -> str:
    """The most central of the first sentences: those whose words recur most in the document."""
    prose = _prose(nodes)[:40]
    counts = Counter(term for node in prose for term in set(analyse(node.text)))
    sentences = [
        (s, position)
        for position, node in enumerate(prose[:12])
        for s in _SENTENCE.split(node.text)[:2]
        if _SENTENCES[0] < len(s) < _SENTENCES[1]
    ]
    scored = sorted(sentences, key=lambda pair: (-_centrality(pair[0], counts) + 0.05 * pair[1], pair[1]))[:3]
    chosen = [sentence for sentence, _ in sorted(scored, key=lambda pair: pair[1])]
    return _clip_text(" ".join(" ".join(sentence.split()) for sentence in chosen), _OVERVIEW)


def _centrality(sentence: str, counts: Counter[str]) -> float:
    terms = set(analyse(sentence))
    return sum(counts[term] for term in terms) / (len(terms) + 8) if terms else 0.0


def _clip_text(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return text[: text.rfind(" ", 0, limit)].rstrip(" ,;") + " …"


def _section_lines(nodes: Sequence[Node]) -> list[SectionLine]:
    sections = [node for node in nodes if node.kind is NodeKind.SECTION]
    depth = 1
    while sum(node.depth <= depth + 1 for node in sections) <= _SECTION_LINES and depth < 6:
        depth += 1
    return [
        SectionLine(node.key, node.title, _describe(node, nodes), node.page_start, node.page_end)
        for node in sections
        if node.depth <= depth
    ][: 2 * _SECTION_LINES]


def _describe(section: Node, nodes: Sequence[Node]) -> str:
    """One line: the titles of its subsections, else its first sentence."""
    inside = nodes[section.key + 1 : section.subtree_end]
    titles = [node.title for node in inside if node.parent == section.key and node.kind is NodeKind.SECTION]
    if titles:
        return _clip_text("; ".join(titles), _LINE)
    first = next(
        (node for node in inside if node.kind in (NodeKind.PARAGRAPH, NodeKind.LIST) and len(node.text) > 40), None
    )
    return _clip_text(" ".join(_SENTENCE.split(first.text)[0].split()), _LINE) if first else ""


def _topics(nodes: Sequence[Node]) -> dict[str, tuple[tuple[int, float], ...]]:
    """Keyword -> nodes: titles weigh 2, lead sentences 1.5, text 1; rare keywords rank above common ones."""
    weights: dict[str, dict[int, float]] = defaultdict(dict)
    sections = 0
    for node in nodes[1:]:
        if node.kind is NodeKind.SECTION:
            sections += 1
            for term in set(analyse(node.title)):
                _raise_weight(weights[term], node.key, _TITLE_WEIGHT)
        elif node.kind in (NodeKind.PARAGRAPH, NodeKind.LIST, NodeKind.CAPTION):
            lead = node.text[:_LEAD].partition(". ")[0]
            for term in set(analyse(lead)):
                _raise_weight(weights[term], node.key, _SUMMARY_WEIGHT)
    ranked = sorted(weights, key=lambda term: (-_salience(weights[term], len(nodes)), term))
    return {term: _find_heaviest(weights[term]) for term in sorted(ranked[:_TOPICS]) if not term.isdigit()}


def _raise_weight(found: dict[int, float], key: int, weight: float) -> None:
    found[key] = max(weight, found.get(key, 0.0))


def _salience(found: dict[int, float], nodes: int) -> float:
    titles = sum(weight == _TITLE_WEIGHT for weight in found.values())
    return math.sqrt(1 + 3 * titles + len(found)) * math.log(1 + nodes / len(found))


def _find_heaviest(found: dict[int, float]) -> tuple[tuple[int, float], ...]:
    return tuple(sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))[:_TOPIC_NODES])


def _tags(nodes: Sequence[Node], topics: dict[str, tuple[tuple[int, float], ...]]) -> list[str]:
    """Titles of sections that recur in the text, short ones, without structural names."""
    titles = Counter(
        " ".join(node.title.split()).casefold()
        for node in nodes
        if node.kind is NodeKind.SECTION and 1 <= len(node.title.split()) <= 4 and not node.label
    )
    ranked = sorted(
        titles,
        key=lambda title: (-sum(term in topics for term in analyse(title)) * math.log(1 + titles[title] + 1), title),
    )
    return [title for title in ranked if any(character.isalpha() for character in title)][:16]


def _hints(nodes: Sequence[Node]) -> list[str]:
    """Questions the document can answer, from its tables' rows and its headings."""
    hints: list[str] = []
    for node in nodes:
        if node.table is not None and node.table.statement:
            hints.extend(_table_hints(node))
    for node in nodes:
        if node.kind is NodeKind.SECTION and not node.label and 2 <= len(node.title.split()) <= 7:
            hints.append(f"What does the document say about {node.title.strip(' .:')}?")
    return list(dict.fromkeys(hints))[:12]


def _table_hints(node: Node) -> list[str]:
    table = node.table
    if table is None:
        return []
    period = next((column.period for column in table.columns if column.period), "")
    rows = [row for row in table.body if sum(cell.length > 0 for cell in row.cells) > 1 and row.label]
    return [f"What was {row.label} in {period}?" if period else f"What was {row.label}?" for row in rows[:2]]
