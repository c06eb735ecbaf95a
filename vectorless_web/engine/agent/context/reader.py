"""What a model is shown of a document: its passages with what belongs to them, its outline with summaries."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain

from vectorless_web.engine.agent.context.outline import outline_keys, outline_line
from vectorless_web.engine.agent.corpus import DocumentEntry
from vectorless_web.engine.answers.claims import PackedNode
from vectorless_web.engine.documents.node import Node, NodeKind, Table
from vectorless_web.engine.figures.periods import years_in
from vectorless_web.engine.figures.tables import TableView
from vectorless_web.engine.passages.passage import cut_pieces
from vectorless_web.engine.questions.focus import covers_page, find_places, page_asked
from vectorless_web.engine.ranking.finder import Finder
from vectorless_web.engine.text.tokens import HeuristicEstimator

NEAREST = 24
"""Passages that a model is offered before it first chooses; about a dozen of them fit its first prompt."""

ALWAYS, FAR = 14, 0.15
"""Passages that are shown however little they say, and the share of the best one's fit that the others must have: a
long report offers whole statements for one word of the question. Measured on 60 questions over reports, papers and
everyday documents: no passage that a reader quoted is missed; at 0.2 one is, at 10 and 0.4 five pages."""

WITH_NEIGHBOURS = 3
"""Passages, the best ones, that bring the one before and the one after them in their section."""

MOST_OF_PLACE = 8
"""Leaves of a section, note or table named in the question that come before all others: a third of NEAREST."""

LEAD_CHARACTERS = 110
"""Characters of a section's one-line summary: about twenty words."""

PLAIN_SHARE = 0.65
"""Share of the outline's tokens that titles may fill; summaries get the rest."""

SAYING_WORDS = 5
"""Words from which on a heading with nothing below it is a passage: a rule may be set as one, a name says nothing."""

BARE_CHARACTERS = 40
"""Characters of the longest text that counts as a label alone."""

RUNNING_WORDS = 4
"""Words of a line that repeats from page to page but for a number; "Chapter 3" and "Step 4 of 9" are none."""

BLANK_WORDS = 6
"""Words to each line to write on in a form, its label."""

REPEATED = 4
"""Places at which the same short text must stand to count as a running head."""

_LETTERS = re.compile(r"[^\W\d_]{2,}|[^\W\d_a-zA-Z]")
_MARK = re.compile(r"\([a-z\d]{1,4}\)|[a-z\d]{1,2}[).]|\d+[).]?|[*†‡§•–—-]+", re.I)
_UNITS_ALONE = re.compile(r"^[ \t]*\([^()\n]{3,80}\)[ \t]*$", re.M)
"""A line that states the units alone, which one of two equal tables may lack."""
_URL = re.compile(r"(?:https?://|www\.|doi:?\s*10\.|doi\.org)\S*", re.I)
_LEADERS = re.compile(r"\.{4,}\s*\d{1,4}\s*$|(?:\.\s){4,}\s*\d{1,4}\s*$", re.M)
_CITED_WORK = re.compile(r"\bet al\b|\bdoi\b|\b(?:19|20)\d\d\s?;\s?\d+|\b\d+\s?\(\d+\)\s?[:,]\s?\d+\s?[-–]\s?\d+", re.I)
_IDENTIFIER = re.compile(
    r"(?<![^\W_])_*(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{24,})\b", re.I
)
_CODE_WORD = re.compile(r"(?=\S*\d)(?:[A-Z\d]+[-_/:.]){1,}[A-Z\d]+|(?=\S*\d)(?=\S*[A-Z])[A-Z\d]{6,}", re.I)
"""A number of a file or document: "VV-TMF-0012345", "NCT01234567"; no date, which has only digits or a month's name."""
_DATE_LIKE = re.compile(r"\d{1,4}[-/.:]\d{1,2}(?:[-/.:]\d{1,4})?|\d[\d,.]*%?")
_BLANK = re.compile(r"_{3,}|\.{6,}|…{2,}|[☐□▢]|\b(?:MM|DD)[/.-](?:MM|DD)[/.-]YYYY\b|:\s*(?=(?:[A-Z][\w’']*\s?){1,3}:)")
"""A place to fill in; a label right behind a label has one between them."""
_NUMBERED_LABEL = re.compile(r"\d+(?:\.\d+)+\.?(?:\s(?:[A-Z][\w’'-]*|and|of|the|for|to|in|&)){1,5}")
_FIGURE = re.compile(r"\W*\d|\W*$")
_RUNNING_LINK = re.compile(r".{1,80}\btable\s+of\s+contents\W*|\W*page\s+\d+(?:\s*(?:of|/)\s*\d+)?\W*", re.I)
"""A running head that links back to the contents, or counts the pages; it differs from page to page."""
_REFERENCES = re.compile(r"^\W*(?:\d+\W+)?(?:references?|bibliography|literature(?: cited)?|works cited)\W*$", re.I)
_ASKS_REFERENCES = re.compile(
    r"\b(?:referenc|bibliograph|literature|cited|citation|publication|doi|url|link|web)", re.I
)


class WalkReader:
    """One document for one question. Pure: the same document and question give the same texts."""

    def __init__(self, entry: DocumentEntry, finder: Finder, summaries: Mapping[int, str] | None = None) -> None:
        self._entry, self._finder, self._summaries = entry, finder, summaries or {}
        self._tree = finder.document.tree
        self.tokens = self._tree.root.token_count

    def packed_node(self, key: int, *, joined: bool = True) -> PackedNode:
        """The node with its headings; a table with its units and periods; a heading with nothing below as a paragraph.

        `joined`: a sentence that a page's end or a footnote cuts in two is given whole.
        """
        node = self._tree.node(key)
        path = (self._entry.title or self._entry.name, *self._tree.path(key))
        if self.is_lone_heading(key):
            return PackedNode(self._entry.id, key, node.page_start, NodeKind.PARAGRAPH, path[:-1], node.text)
        heads, units, columns = self._table_facts(node)
        text = self._joined_text(node) if joined else node.text
        return PackedNode(self._entry.id, key, node.page_start, node.kind, path, text, heads, units, columns)

    def whole(self) -> tuple[PackedNode, ...]:
        """Every passage in reading order; page numbers and lone marks are left out."""
        keys = self.list_telling(0)
        return tuple(self.packed_node(key, joined=False) for key in keys)

    def list_telling(self, key: int) -> list[int]:
        """The leaves of a subtree that say something, and headings that stand alone, in reading order."""
        lone = [key for key in self.lone_headings if len(self._tree.node(key).text.split()) >= SAYING_WORDS]
        leaves = [leaf for leaf in self._tree.leaves(key) if not self.is_empty(leaf)]
        return sorted([*leaves, *(one for one in lone if key <= one < self._tree.subtree_end(key))])

    @cached_property
    def lone_headings(self) -> tuple[int, ...]:
        """Sections with no text below them: whatever they say stands in their heading."""
        return tuple(key for key in self._tree.sections() if self.is_lone_heading(key))

    def is_lone_heading(self, key: int) -> bool:
        """Whether a node is a section without any text below its heading."""
        return key > 0 and self._tree.is_section(key) and not self._tree.leaves(key)

    def nearest(self) -> tuple[PackedNode, ...]:
        """The passages nearest to the question, best first; the best ones bring what stands beside them."""
        asked = [*self.best_of_places(), *(self.asked if self.page else ())]
        ranked = [key for key in self._rank_with_headings() if not self.is_filler(key)]
        beside = [key for best in ranked[:WITH_NEIGHBOURS] for key in self._beside(best)]
        keys = dict.fromkeys([*asked, *ranked[: WITH_NEIGHBOURS + 1], *beside, *ranked])
        told = [key for key in self._add_announced(keys) if not self.is_empty(key)]
        # What hardly says anything stands last, where it takes the room of nothing else.
        told.sort(key=lambda key: key not in asked and self.is_bare(key))
        return tuple(self.packed_node(key) for key in self._drop_far(self._once(told)[:NEAREST], asked))

    def _rank_with_headings(self) -> list[int]:
        """The best leaves, and headings that stand alone, best first."""
        scores = {candidate.key: candidate.score for candidate in self._finder.ranked}
        lone = [key for key in self.lone_headings if len(self._tree.node(key).text.split()) >= SAYING_WORDS]
        scores |= {key: score for key, score in self._finder.fits(lone).items() if score > 0}
        return sorted(scores, key=lambda key: (-round(scores[key], 12), key))

    @cached_property
    def page(self) -> int | None:
        """The page, counted from 1, that the question names."""
        return page_asked(self._finder.plan.question, len(self._finder.document.pages))

    @cached_property
    def places(self) -> tuple[int, ...]:
        """The leaves of the sections, notes and tables that the question names."""
        return find_places(self._finder.plan.question, self._tree)

    @cached_property
    def asked(self) -> tuple[int, ...]:
        """The leaves of the page that the question names, else those of the places."""
        if self.page is None:
            return self.places
        return tuple(key for key in self._tree.leaves() if covers_page(self._tree.node(key), self.page))

    def best_of_places(self) -> list[int]:
        """The leaves of the places named; of many those that hold most of the question, best first."""
        keys = [key for key in self.places if not self.is_empty(key)]
        if len(keys) <= MOST_OF_PLACE:
            return keys
        fits = self._finder.fits(keys)
        return sorted(keys, key=lambda key: (-fits[key], key))[:MOST_OF_PLACE]

    def outline(self, tokens: int) -> str:
        """Lines "[key] title | pages | what it says" in reading order; summaries for the best as far as they fit."""
        estimate = HeuristicEstimator().estimate
        tree, best_below = self._tree, self._finder.best_below
        keys, best, cut = outline_keys(tree, best_below, max_tokens=int(tokens * PLAIN_SHARE))
        lines = {key: outline_line(tree, key) for key in keys}
        left = tokens - sum(estimate(line) + 1 for line in lines.values())
        shown = set(keys)
        for key in (key for key in dict.fromkeys([*best, *keys]) if key in shown):
            lead = self._lead(key)
            cost = estimate(lead) + 1
            if lead and cost <= left:
                lines[key] += f" | {lead}"
                left -= cost
        note = [f"({cut} more sections are not listed here.)"] if cut else []
        return "\n".join([*(lines[key] for key in keys), *note])

    def is_empty(self, key: int) -> bool:
        """Whether a leaf says nothing: a page number, a lone mark, a line that stands on many pages."""
        node = self._tree.node(key)
        if node.kind is NodeKind.TABLE:
            return not node.text.strip()
        text = " ".join(node.text.split())
        words = text.split()
        if not _LETTERS.search(_IDENTIFIER.sub(" ", text)) or all(_MARK.fullmatch(word) for word in words):
            return True
        return self._repeats.get(_without_page(text), 0) >= REPEATED or bool(_RUNNING_LINK.fullmatch(text))

    def is_bare(self, key: int) -> bool:
        """Whether a leaf is a label alone: one word, "11.2 Review Board", or "Name:" with nothing that it announces."""
        node = self._tree.node(key)
        text = " ".join(node.text.split())
        if node.kind is NodeKind.TABLE or len(text) > BARE_CHARACTERS:
            return False
        if _NUMBERED_LABEL.fullmatch(text):
            return True
        if any(c.isdigit() for c in text):
            return False
        if text.endswith(":"):
            return key + 1 >= len(self._tree) or not self._tree.is_leaf(key + 1)
        is_announced = self._tree.is_leaf(key - 1) and self._tree.node(key - 1).text.rstrip().endswith(":")
        return len(text.split()) == 1 and not is_announced

    def is_filler(self, key: int) -> bool:
        """Whether a leaf is no evidence: it says nothing, or lists contents, addresses or works cited."""
        if self.is_empty(key):
            return True
        node = self._tree.node(key)
        if _is_form(node) or _is_code(node.text):
            return True
        if node.kind is NodeKind.TABLE or _ASKS_REFERENCES.search(self._finder.plan.question):
            return False
        text = node.text
        if len(_LEADERS.findall(text)) >= max(1, text.count("\n") // 2) or not _LETTERS.search(_URL.sub(" ", text)):
            return True
        if len("".join(_IDENTIFIER.findall(text))) * 2 > len(text):
            return True
        is_listed = any(_REFERENCES.match(title) for title in self._tree.path(key)[-2:])
        return is_listed or len(_CITED_WORK.findall(text)) * 200 > len(text)

    @cached_property
    def _repeats(self) -> Counter[str]:
        leaves = (self._tree.node(key) for key in self._tree.leaves())
        texts = ((" ".join(node.text.split()), node.page_start) for node in leaves if len(node.text) <= LEAD_CHARACTERS)
        return Counter(_without_page(text) for text, _ in set(texts))

    def _add_announced(self, keys: Iterable[int]) -> list[int]:
        """The keys, each that ends with a colon followed by what it announces."""
        found: dict[int, None] = {}
        for key in keys:
            found[key] = None
            following = key + 1
            is_lead = self._tree.node(key).text.rstrip().endswith(":")
            if is_lead and following < len(self._tree) and self._tree.is_leaf(following):
                found[following] = None
        return list(found)

    def _joined_text(self, node: Node) -> str:
        """A paragraph with the other halves of the sentences that it begins and ends in the middle of."""
        if node.kind is not NodeKind.PARAGRAPH:
            return node.text
        before, after = self._half(node.key, -1), self._half(node.key, 1)
        lead = [cut_pieces(self._tree.node(before).text, by_line=False)[-1].text] if before is not None else []
        rest = [cut_pieces(self._tree.node(after).text, by_line=False)[0].text] if after is not None else []
        return " ".join([*lead, node.text.strip(), *rest]) if lead or rest else node.text

    def _half(self, key: int, step: int) -> int | None:
        """The paragraph on the page before or after, or beyond a footnote, in which a sentence begins or goes on."""
        beside = key + step
        while 0 < beside < len(self._tree) and (self._is_margin(beside)):
            beside += step
        if not 0 < beside < len(self._tree) or not self._tree.is_leaf(beside):
            return None
        first, second = (self._tree.node(place) for place in ((beside, key) if step < 0 else (key, beside)))
        is_parted = first.page_end < second.page_start or abs(beside - key) > 1
        are_prose = first.kind is NodeKind.PARAGRAPH is second.kind and is_parted
        is_open = first.text.rstrip()[-1:].isalpha() or first.text.rstrip()[-1:] == ","
        return beside if are_prose and is_open and second.text.lstrip()[:1].islower() else None

    def _is_margin(self, key: int) -> bool:
        """Whether a leaf may stand between the halves of a sentence: a running head, a footnote, a page number."""
        if not self._tree.is_leaf(key):
            return False
        return self._tree.kind(key) in (NodeKind.RUNNING, NodeKind.FOOTNOTE) or self.is_empty(key)

    def _once(self, keys: Iterable[int]) -> list[int]:
        """The keys, those left out whose words were there before: reports repeat whole paragraphs."""
        texts: dict[str, int] = {}
        for key in keys:
            texts.setdefault(" ".join(_UNITS_ALONE.sub(" ", self._tree.node(key).text.lower()).split()), key)
        return list(texts.values())

    def _drop_far(self, keys: Sequence[int], asked: Sequence[int]) -> list[int]:
        """The keys without those behind the first few that say far less of the question than the best one."""
        fits = self._finder.fits(keys)
        bar = FAR * max(fits.values(), default=0.0)
        return [key for place, key in enumerate(keys) if place < ALWAYS or key in asked or fits[key] >= bar]

    def _beside(self, key: int) -> Iterator[int]:
        """The leaf before and the leaf after, when they stand in the same section and say something."""
        section = self._tree.section_of(key)
        for neighbour in (key - 1, key + 1):
            known = 0 < neighbour < len(self._tree) and self._tree.is_leaf(neighbour)
            if known and self._tree.section_of(neighbour) == section and not self.is_filler(neighbour):
                yield neighbour

    def _table_facts(self, node: Node) -> tuple[int, str, str]:
        """Header rows that the text begins with; the units line and the columns' periods that they do not state.

        Periods are told only when every column behind the labels has one, and figures stand in them.
        """
        if node.table is None:
            return 0, "", ""
        view, rows = TableView(node, node.table, self._tree), node.table.rows
        heads = next((place for place, row in enumerate(rows) if not row.is_header), len(rows))
        head = node.text[: rows[heads].offset] if heads < len(rows) else node.text
        units = " ".join((view.units or node.table.units).split())
        periods = [str(period.year) if period.year else "" for period in view.periods]
        # Headers of which some have no year would say that a figure of one column stands in another.
        is_told = bool(years_in(head)) or len(periods) < 2 or not all(periods[1:]) or not _states_figures(node.table)
        return heads, "" if units in " ".join(head.split()) else units, "" if is_told else " | ".join(periods)

    def _lead(self, key: int) -> str:
        """What a model wrote of a section; else the first sentence, or the captions, of what stands in it before its
        own sections begin."""
        if key in self._summaries:
            return self._summaries[key]
        for leaf in self._tree.children(key):
            if not self._tree.is_leaf(leaf):
                return ""
            node = self._tree.node(leaf)
            if node.kind is NodeKind.RUNNING or self.is_filler(leaf):
                continue
            return cut_at_word(_first_words(node), LEAD_CHARACTERS)
        return ""


_PAGE_NUMBER = re.compile(r"^\d{1,4}\s+(?=\D{3,}(?:\s+\S+){2})|(?<=\D{3})\s+\d{1,4}$")
"""A number ahead of or behind a line of several words, which may be the page's."""


def _without_page(text: str) -> str:
    """A short line without the number of its page: "6 Harbour report 2015" stands on other pages with theirs."""
    return _PAGE_NUMBER.sub("", text) if len(text.split()) > RUNNING_WORDS else text


def _is_form(node: Node) -> bool:
    """Whether a leaf is a form that nobody filled in: lines to write on, or a table of labels beside blank cells."""
    if node.table is not None:
        cells = [_BLANK.sub("", cell.text).strip() for row in node.table.body for cell in row.cells[1:]]
        return len(cells) > 1 and not any(cells)
    blanks, said = _BLANK.findall(node.text), _BLANK.sub(" ", node.text).split()
    return bool(blanks) and len(said) <= BLANK_WORDS * len(blanks)


def _is_code(text: str) -> bool:
    """Whether numbers of files and documents make up most of a text."""
    words = text.split()
    codes = [word for word in words if _CODE_WORD.fullmatch(word.strip("(),;")) and not _DATE_LIKE.fullmatch(word)]
    return bool(codes) and len("".join(codes)) * 2 > len("".join(words))


def _states_figures(table: Table) -> bool:
    """Whether half of the cells behind the labels that say anything begin with a figure."""
    cells = [cell.text for row in table.body for cell in row.cells[1:] if cell.text.strip()]
    return sum(bool(_FIGURE.match(text)) for text in cells) * 2 >= len(cells)


def _first_words(node: Node) -> str:
    if node.table is not None:
        labels = dict.fromkeys(row.label for row in node.table.body if row.label)
        return f"table: {'; '.join(chain([node.title] if node.title else [], list(labels)[:6]))}"
    pieces = cut_pieces(node.text, by_line=node.kind is NodeKind.LIST)
    return pieces[0].text if pieces else ""


def cut_at_word(text: str, characters: int) -> str:
    """The text on one line, cut at a word."""
    line = " ".join(text.split())
    return line if len(line) <= characters else line[:characters].rsplit(" ", 1)[0].rstrip(",;: ") + " …"
