"""Makes the document card from the tree alone: overview, tags, starter questions and sections."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from vectorless_web.engine.documents.card import Card, SectionLine, TypedFields
from vectorless_web.engine.documents.node import Node, NodeKind
from vectorless_web.engine.text.analyser import analyse, lower_capitals

_OVERVIEW, _LINE, _LEAD, _PARAGRAPH = 600, 160, 240, 120
"""Characters: of the overview and of a section's line at most, of a paragraph's beginning that counts as its summary,
and of a paragraph long enough to say something. A card is shown to a model in about 200 tokens."""
_SENTENCES = (30, 400)
"""Characters between which a sentence may begin the overview; a further one may be shorter."""
_OVERVIEW_PARAGRAPHS, _OVERVIEW_BEGINNING, _OVERVIEW_SENTENCES = 40, 12, 3
"""Paragraphs whose words say what the document is about; those of them, the first, that the overview is taken from;
sentences of the overview. Chosen by hand, like all values below: bounds of a card."""
_COVERED = 10
"""Pages from which the first one is held to be a cover, whose sentences are those of every such document."""
_LATER = 0.05
"""What each later paragraph costs a sentence, where its words recur in up to all 40."""
_SHORT_SENTENCE = 8
"""Added to a sentence's number of terms, so that a short one of common words does not win."""
_TOPICS, _TOPIC_NODES = 400, 12
"""Keywords of the topic map, and nodes named for each, at most: bounds the size of a card in the index."""
_TITLE_WEIGHT, _SUMMARY_WEIGHT = 2.0, 1.5
"""Weights of a node in the topic map when the keyword is in its title or in the summary; 1 in its text."""
_TITLES_TIMES = 3
"""Nodes without the keyword in their title that one with it is worth, when keywords are ranked."""
_DEEPEST_LINES = 6
"""Depth of sections to which a card's table of contents may go."""
_FIRST_SENTENCE = 40
"""Characters above which a paragraph can describe its section."""
_TAG_WORDS, _HINT_WORDS = 4, (2, 7)
"""Words of a title, at most, that may be a tag, and between which one is made a question."""
_TAGS, _HINTS = 16, 12
"""Tags and questions of a card, at most."""
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+(?=[\"“A-Z0-9À-ÝÀ-ß\u0400-\u042f])")
_SECTION_LINES = 60
"""Sections that a card lists: as many levels as have at most so many together. The first level alone may have twice as
many."""


def make_card(title: str, nodes: Sequence[Node], fields: TypedFields, *, is_outlined: bool = True) -> Card:
    """The card of a document whose nodes are numbered already; `is_outlined`: its headings are its own."""
    topics = _topics(nodes)
    return Card(
        title=title,
        overview=_overview(nodes),
        topic_tags=tuple(_tags(nodes, topics)),
        question_hints=tuple(_hints(nodes)) if is_outlined else (),
        sections=tuple(_section_lines(nodes)),
        fields=fields,
        topics=topics,
    )


def _prose(nodes: Sequence[Node]) -> list[Node]:
    """Paragraphs long enough to say something; in a short document any, in a long one none of its cover."""
    first = 1 if nodes[0].page_end >= _COVERED else 0
    found = [node for node in nodes if node.kind is NodeKind.PARAGRAPH and node.page_start >= first]
    return [node for node in found if len(node.text) > _PARAGRAPH] or found


def _overview(nodes: Sequence[Node]) -> str:
    """The first whole sentences of the paragraph, one of the first, whose words recur most in the document."""
    prose = _prose(nodes)[:_OVERVIEW_PARAGRAPHS]
    counts = Counter(term for node in prose for term in set(analyse(node.text)))
    found = [
        (_LATER * place - _centrality(sentences[0], counts), sentences)
        for place, node in enumerate(prose[:_OVERVIEW_BEGINNING])
        if (sentences := _first_sentences(node.text))
    ]
    return " ".join(min(found)[1]) if found else ""


def _first_sentences(text: str) -> list[str]:
    kept: list[str] = []
    for sentence in _SENTENCE.split(" ".join(text.split()))[:_OVERVIEW_SENTENCES]:
        is_whole = len(sentence) < _SENTENCES[1] and (bool(kept) or len(sentence) > _SENTENCES[0])
        if not is_whole or len(" ".join([*kept, sentence])) > _OVERVIEW:
            break
        kept.append(sentence)
    return kept


def _centrality(sentence: str, counts: Counter[str]) -> float:
    terms = set(analyse(sentence))
    return sum(counts[term] for term in terms) / (len(terms) + _SHORT_SENTENCE) if terms else 0.0


def _clip_text(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return text[: text.rfind(" ", 0, limit)].rstrip(" ,;") + " …"


def _section_lines(nodes: Sequence[Node]) -> list[SectionLine]:
    sections = [node for node in nodes if node.kind is NodeKind.SECTION]
    depth = 1
    while sum(node.depth <= depth + 1 for node in sections) <= _SECTION_LINES and depth < _DEEPEST_LINES:
        depth += 1
    return [
        SectionLine(node.key, node.title, _describe(node, nodes), node.page_start, node.page_end)
        for node in sections
        if node.depth <= depth
    ][: 2 * _SECTION_LINES]


def _describe(section: Node, nodes: Sequence[Node]) -> str:
    inside = nodes[section.key + 1 : section.subtree_end]
    titles = [node.title for node in inside if node.parent == section.key and node.kind is NodeKind.SECTION]
    if titles:
        return _clip_text("; ".join(titles), _LINE)
    first = next(
        (
            node
            for node in inside
            if node.kind in (NodeKind.PARAGRAPH, NodeKind.LIST) and len(node.text) > _FIRST_SENTENCE
        ),
        None,
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
    titles = list(found.values()).count(_TITLE_WEIGHT)
    return math.sqrt(1 + _TITLES_TIMES * titles + len(found)) * math.log(1 + nodes / len(found))


def _find_heaviest(found: dict[int, float]) -> tuple[tuple[int, float], ...]:
    return tuple(sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))[:_TOPIC_NODES])


def _tags(nodes: Sequence[Node], topics: dict[str, tuple[tuple[int, float], ...]]) -> list[str]:
    """Short titles of sections without labels, those first whose words recur most in the document."""
    titles = Counter(
        " ".join(node.title.split()).casefold()
        for node in nodes
        if node.kind is NodeKind.SECTION and 1 <= len(node.title.split()) <= _TAG_WORDS and not node.label
    )
    ranked = sorted(
        titles,
        key=lambda title: (-sum(term in topics for term in analyse(title)) * math.log(1 + titles[title] + 1), title),
    )
    return [title for title in ranked if any(character.isalpha() for character in title)][:_TAGS]


def _hints(nodes: Sequence[Node]) -> list[str]:
    """Questions that a passage answers with all their words: on the headings that prose stands under."""
    told = {node.parent for node in _prose(nodes)}
    headed = [node.title.strip(" .:") for node in nodes if node.key in told and node.kind is NodeKind.SECTION]
    fitting = [title for title in headed if _HINT_WORDS[0] <= len(title.split()) <= _HINT_WORDS[1]]
    return [f"What does the section “{lower_capitals(title)}” say?" for title in dict.fromkeys(fitting)][:_HINTS]
