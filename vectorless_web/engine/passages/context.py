"""Sentences in context: a list's lead-in, the sentences that complete a rule, what a reference points to."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import takewhile

from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.passages.passage import TextPiece, pieces_of
from vectorless_web.engine.text.analyser import analyse

LONGEST_RULE = 900
"""Characters of a rule with what completes it."""

CLAUSE = 360
"""Characters of a paragraph that is one clause: what follows a sentence in it belongs to the same rule."""

LONGEST_BEFORE = 240
"""Characters of a sentence that is taken along because the next one leans on it."""

LEAST_WORDS = 5
"""Words of a sentence that makes a point."""

MOST_BEFORE = 2
"""Sentences taken along because one leans on the other."""

MOST_NODES = 40
"""Nodes over which a list is followed."""

MOST_AFTER = 3
"""Sentences behind the one found that may complete it."""

_CONTINUES = re.compile(
    r"(?:\(?[a-z0-9]{1,3}(?:\.\d+)*[.)]?\s+)?(?:"
    r"however\b|the (?:main |only |chief )?reasons? (?:is|are|for this)\b"
    r"|but\b|except\b|unless\b|provided\b|in no (?:event|case)\b"
    r"|otherwise\b|nevertheless\b|notwithstanding\b"
    r"|this (?:does|do|is|shall|rule|limit|period|right|also|only|applies|includes|excludes)\b|these\b"
    r"|that (?:limit|period|sum)\b"
    r"|(?:he|she|it|they|such|those|both|neither|either)\b|the same\b|if (?:it|they|he|she|this|not|no|so)\b"
    r"|only\b|even\b|also\b"
    r"|(?:at|the) (?:most|least|maximum|minimum|total|limit|cap)\b|any (?:longer|later|higher|further)\b"
    r"|for (?:a )?(?:longer|larger|smaller)\b"
    r"|no (?:more|less|later|such)\b)",
    re.IGNORECASE,
)
"""How a sentence begins that cannot be understood, or only bends the rule, without the one before it."""
_LATER = re.compile(r"^[^.;]{0,60}\b(?:however|may not exceed|does not apply|nevertheless|instead)\b", re.IGNORECASE)
_LEANS = re.compile(
    r"(?:he|she|it|they|this|these|those|such|however|but|otherwise|in (?:this|that|such an?) (?:case|event)"
    r"|if (?:it|they|he|she|this|not|so))\b",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"\b(?:at (?:most|least)|up to|no (?:more|less|later|fewer) than|not (?:more|less|later|exceed\w*)|may not"
    r"|must not|only|unless|except)\b",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[.!?:;。！？][\"'”’)\]]*\s*$")
_ITEM = re.compile(r"\s*(?:[•▪●◦o–-]\s|\(?(?:[a-z]|\d{1,2}|[ivx]{1,4})[.)]\s)")
_MARKED = re.compile(r"\s*(?:[•▪●◦*–-]\s|\(?(?:[a-z]|\d{1,2}|[ivx]{1,4})[.)]\s)")
_CLAUSE_TITLE = re.compile(r"\s*\d+(?:\.\d+)*[.)]?\s+[A-Z][^\n.:;]{2,80}$")
_NUMBERED = re.compile(r"\s*(?:(?:article|section|clause|§)\s*)?\(?(\d+(?:\.\d+)*|[a-z])[.)]?\s", re.IGNORECASE)
_POINTS_TO = re.compile(
    r"\b(?:subject to|except as|as (?:set out|provided|described|stated|defined) in|under|in accordance with|see)\s+"
    r"(?P<name>(?:clause|section|article|paragraph)s?\s+(?P<number>\d+(?:\.\d+)*))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Span:
    """Words of a node, by their characters."""

    key: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Rule:
    """A sentence, list item or row, with what belongs to it: `before` announces it, `after` completes it."""

    sentence: Span
    before: tuple[Span, ...] = ()
    after: tuple[Span, ...] = ()
    rest: tuple[Span, ...] = ()
    """What else stands in a paragraph that is one clause ..."""
    completing: tuple[Span, ...] = ()
    """... and which of it completes the sentence."""

    @property
    def beside(self) -> tuple[Span, ...]:
        """What belongs to the sentence by its words."""
        return (*self.before, *self.completing, *self.after)

    @property
    def spans(self) -> tuple[Span, ...]:
        """All of it in reading order; neighbours in one node are one span."""
        joined: list[Span] = []
        for span in (*self.before, self.sentence, *self.rest, *self.after):
            last = joined[-1] if joined else None
            if last is not None and last.key == span.key and 0 <= span.start - last.end <= 2:
                joined[-1] = Span(last.key, last.start, span.end)
            else:
                joined.append(span)
        return tuple(joined)


_NOTE_MARK = re.compile(r"\s*(?:\([a-z1-9*]\)|[*†‡])\s")


class Reading:
    """Reads the sentences of one document in their context; of the nodes `within` alone, when they are given."""

    def __init__(self, tree: Tree, within: Collection[int] | None = None) -> None:
        self._tree, self._within = tree, within
        self._numbers: dict[str, int] | None = None
        self._pieces: dict[int, list[TextPiece]] = {}
        self._is_item: dict[int, bool] = {}
        self._inner: dict[int, tuple[Span, list[Span]] | None] = {}

    def pieces(self, key: int) -> list[TextPiece]:
        """The sentences, items or rows of a node, cut once."""
        if key not in self._pieces:
            self._pieces[key] = pieces_of(self._tree.node(key))
        return self._pieces[key]

    def reach(self, key: int) -> list[int]:
        """The other nodes of which a rule or a list of the node may quote words, in reading order."""
        if self._tree.kind(key) in (NodeKind.CODE, NodeKind.SECTION, NodeKind.DOCUMENT):
            return []
        heading = stating_heading(self._tree, key)
        return sorted({*self._reach_beside(key), *(() if heading is None else (heading,))})

    def _reach_beside(self, key: int) -> list[int]:
        if self._tree.kind(key) is NodeKind.TABLE:
            announcing = self.lead_in(key)
            return [announcing.key] if announcing else []
        spans = [span for place in range(len(self.pieces(key))) for span in self.rule(key, place).spans]
        listed = self.find_announced(key)
        if listed is not None:
            lead = self.lead_in(key)
            spans += [*((lead,) if lead else ()), *self.items(listed)]
        below = self._neighbour(key, 1) if self._tree.node(key).text.rstrip().endswith(":") else None
        return sorted({*(span.key for span in spans), *(() if below is None else (below,))} - {key})

    def rule(self, key: int, place: int) -> Rule:
        """The piece of that place in a node, with its lead-in, what it leans on and what completes it."""
        pieces = self.pieces(key)
        sentence = _span(key, pieces[place])
        if self._tree.kind(key) is NodeKind.TABLE:
            announcing = self.lead_in(key)
            return Rule(sentence, (announcing,) if announcing else ())
        if self._tree.kind(key) in (NodeKind.CODE, NodeKind.SECTION):
            return Rule(sentence)
        before = self._before(key, pieces, place)
        after = self._bound_spans(self._after(key, pieces, place), pieces[place])
        is_clause = self._tree.kind(key) is NodeKind.PARAGRAPH and pieces[-1].end - pieces[0].start <= CLAUSE
        rest = [_span(key, piece) for piece in _same_clause(pieces[place + 1 :])] if is_clause else []
        return Rule(
            sentence,
            before,
            tuple(s for s in after if s not in rest),
            tuple(rest),
            tuple(s for s in after if s in rest),
        )

    def causes_beside(self, key: int, place: int) -> Rule:
        """A sentence that answers why or how, with what else gives a cause right beside it in its paragraph.

        Before it stands what was done to come to what it states, after it what adds to it ("It also ...").
        """
        rule, pieces = self.rule(key, place), self.pieces(key)
        if self._tree.kind(key) is not NodeKind.PARAGRAPH:
            return rule
        taken = {span.start for span in rule.spans}
        before, after = list(rule.before), list(rule.after)
        if place and not before and _ESTABLISHED.search(pieces[place].text) and _METHOD.search(pieces[place - 1].text):
            before = [_span(key, pieces[place - 1])]
        for piece in pieces[place + 1 : place + 1 + MOST_AFTER]:
            if not _ADDS.search(piece.text):
                break
            after += [] if piece.start in taken else [_span(key, piece)]
        room = LONGEST_RULE - sum(span.end - span.start for span in (*before, *rule.spans, *after))
        return rule if room < 0 else replace(rule, before=tuple(before), after=tuple(after))

    def steps_beside(self, key: int, place: int) -> Rule:
        """A sentence of what to do, with all that its paragraph says before it, where that is one clause."""
        rule, pieces = self.rule(key, place), self.pieces(key)
        is_clause = self._tree.kind(key) is NodeKind.PARAGRAPH and pieces[-1].end - pieces[0].start <= CLAUSE
        if not place or not is_clause:
            return rule
        return replace(rule, before=tuple(_span(key, piece) for piece in pieces[:place]))

    def words(self, spans: tuple[Span, ...]) -> str:
        """The words of spans, in their order, on one line."""
        return " ".join(" ".join(self._tree.node(span.key).text[span.start : span.end].split()) for span in spans)

    def lead_in(self, key: int) -> Span | None:
        """The sentence that announces a list: it ends in a colon before it, or before the page on which it began."""
        if (inner := self._inner_list(key)) is not None:
            return inner[0]
        first = self._first_of_list(key) if self.is_item(key) else key
        before = self._neighbour(first, -1)
        pieces = self.pieces(before) if before is not None and not self.is_item(before) else []
        return _span(before, pieces[-1]) if before is not None and pieces and pieces[-1].text.endswith(":") else None

    def items(self, key: int) -> list[Span]:
        """All items of the list that a node belongs to, also when a page parts it into several nodes.

        Of a clause that announces a list of its own, the items of that list.
        """
        if (inner := self._inner_list(key)) is not None:
            return inner[1]
        keys = [self._first_of_list(key)]
        while len(keys) < MOST_NODES and (below := self._neighbour(keys[-1], 1)) is not None and self.is_item(below):
            keys.append(below)
        return [span for k in keys for span in self._items_of(k)]

    def _inner_list(self, key: int) -> tuple[Span, list[Span]] | None:
        """A line of a node that ends in a colon, and the marked lines that follow it, at least two; looked for once."""
        if key not in self._inner:
            self._inner[key] = self._find_inner_list(key) if self._tree.kind(key) is NodeKind.LIST else None
        return self._inner[key]

    def _find_inner_list(self, key: int) -> tuple[Span, list[Span]] | None:
        pieces = self.pieces(key)
        for place, piece in enumerate(pieces[:-2]):
            if not piece.text.endswith(":"):
                continue
            items = list(takewhile(lambda other: bool(_MARKED.match(other.text)), pieces[place + 1 :]))
            if len(items) > 1:
                return _span(key, piece), [_span(key, item) for item in items]
        return None

    def title_within(self, key: int) -> str:
        """The first line of a clause that has its title on a line of its own, else ""."""
        first = self._tree.node(key).text.partition("\n")[0]
        return first if _CLAUSE_TITLE.match(first) else ""

    def _is_titled_clause(self, key: int) -> bool:
        """Whether a node is a clause with its title on a line of its own and prose below, which is no list."""
        lines = self._tree.node(key).text.split("\n")
        return len(lines) > 1 and bool(_CLAUSE_TITLE.match(lines[0])) and not any(map(_MARKED.match, lines[1:]))

    def _first_of_list(self, key: int) -> int:
        """The node in which the list of an item begins."""
        for _ in range(MOST_NODES):
            above = self._neighbour(key, -1)
            if above is None or not self.is_item(above):
                break
            key = above
        return key

    def find_announced(self, key: int) -> int | None:
        """The list that a node is, or that its last words announce."""
        if self.is_item(key):
            return key
        pieces, below = self.pieces(key), self._neighbour(key, 1)
        announces = pieces and pieces[-1].text.endswith(":") and below is not None and self.is_item(below)
        return below if announces else None

    def is_item(self, key: int) -> bool:
        """Whether a node is a list, or a paragraph that begins as a list item does."""
        if key not in self._is_item:
            kind = self._tree.kind(key)
            is_text = kind in (NodeKind.PARAGRAPH, NodeKind.FOOTNOTE)
            is_list = kind is NodeKind.LIST and not self._is_titled_clause(key)
            self._is_item[key] = is_list or (is_text and bool(_ITEM.match(self._tree.node(key).text)))
        return self._is_item[key]

    def explains_table(self, key: int) -> bool:
        """Whether a list stands right under a table, lettered as its notes are: "(a) Includes leases"."""
        first = self._first_of_list(key)
        above = self._neighbour(first, -1)
        is_under = above is not None and self._tree.kind(above) is NodeKind.TABLE
        return is_under and bool(_NOTE_MARK.match(self._tree.node(first).text))

    def section_points(self, section: int, most: int) -> list[Span]:
        """The first sentence or item of each text of a section, in order, at most so many."""
        found: list[Span] = []
        for key in self._tree.leaves(section):
            if self._tree.kind(key) in (NodeKind.PARAGRAPH, NodeKind.LIST) and self._may_read(key):
                pieces = [piece for piece in self.pieces(key) if len(piece.text.split()) >= LEAST_WORDS]
                found.extend(_span(key, piece) for piece in pieces[:1])
        return found[:most]

    def _items_of(self, key: int) -> list[Span]:
        pieces = self.pieces(key)
        if self._tree.kind(key) is NodeKind.LIST or len(pieces) < 2:
            return [_span(key, piece) for piece in pieces]
        return [Span(key, pieces[0].start, pieces[-1].end)]

    def _before(self, key: int, pieces: list[TextPiece], place: int) -> tuple[Span, ...]:
        if self._tree.kind(key) is NodeKind.LIST:
            lead = self.lead_in(key)
            is_before = lead is not None and (lead.key != key or lead.end <= pieces[place].start)
            return (lead,) if lead is not None and is_before else ()
        if place == 0:
            return self._begun_before(key)
        first = place
        while first and place - first < MOST_BEFORE and _leans(pieces[first].text, pieces[first - 1].text):
            first -= 1
        return tuple(_span(key, piece) for piece in pieces[first:place])

    def _begun_before(self, key: int) -> tuple[Span, ...]:
        """The first part of a sentence that a page or column parts."""
        before = self._neighbour(key, -1)
        first = self._tree.node(key).text.lstrip()[:1]
        if before is None or not first.islower() or self._tree.kind(before) is not NodeKind.PARAGRAPH:
            return ()
        pieces = self.pieces(before)
        return (_span(before, pieces[-1]),) if pieces and not _ENDS.search(pieces[-1].text) else ()

    def _after(self, key: int, pieces: list[TextPiece], place: int) -> Iterator[Span]:
        text = pieces[place].text
        following = pieces[place + 1 :]
        if self._tree.kind(key) is not NodeKind.LIST:
            for piece in following[:MOST_AFTER]:
                if not _completes(text, piece.text):
                    break
                yield _span(key, piece)
            else:
                yield from self._next_node(key, text if not following else following[-1].text)
        yield from self._pointed_to(key, text)

    def _next_node(self, key: int, last: str) -> Iterator[Span]:
        """What the next paragraph adds: the rest of a parted sentence, the list announced, an exception."""
        below = self._neighbour(key, 1)
        pieces = self.pieces(below) if below is not None else []
        if below is None or not pieces:
            return
        kind = self._tree.kind(below)
        if last.rstrip().endswith(":") and kind is NodeKind.LIST:
            yield from (_span(below, piece) for piece in pieces)
        elif kind is NodeKind.PARAGRAPH and (_is_cut(last, pieces[0].text) or _bends(pieces[0].text)):
            yield _span(below, pieces[0])

    def _pointed_to(self, key: int, text: str) -> Iterator[Span]:
        """The first sentence of the clause that a rule is subject to."""
        for match in _POINTS_TO.finditer(text):
            target = self._clause(match["number"])
            if target is not None and target != key and self._may_read(target) and (pieces := self.pieces(target)):
                yield _span(target, pieces[0])
                return

    def _clause(self, number: str) -> int | None:
        """The first text of the clause of that number: its own paragraph, or the first below its heading."""
        if self._numbers is None:
            self._numbers = {}
            for key in range(1, len(self._tree)):
                node = self._tree.node(key)
                match = _NUMBERED.match(node.text)
                if match and node.kind in (NodeKind.SECTION, NodeKind.PARAGRAPH, NodeKind.LIST):
                    leaf = key if node.is_leaf else next(iter(self._tree.leaves(key)), None)
                    if leaf is not None:
                        self._numbers.setdefault(match[1], leaf)
        return self._numbers.get(number)

    def _bound_spans(self, spans: Iterator[Span], head: TextPiece) -> tuple[Span, ...]:
        room, kept = LONGEST_RULE - len(head.text), list[Span]()
        for span in spans:
            room -= span.end - span.start
            if room < 0:
                break
            kept.append(span)
        return tuple(kept)

    def _neighbour(self, key: int, step: int) -> int | None:
        """The leaf beside a node in its section; running heads are passed over."""
        other = key + step
        while 0 < other < len(self._tree) and self._tree.kind(other) is NodeKind.RUNNING:
            other += step
        is_beside = 0 < other < len(self._tree) and self._tree.is_leaf(other)
        is_near = is_beside and self._tree.parent(other) == self._tree.parent(key)
        return other if is_near and self._may_read(other) else None

    def _may_read(self, key: int) -> bool:
        return self._within is None or key in self._within


def stating_heading(tree: Tree, key: int) -> int | None:
    """The section of a leaf whose heading states something, as key findings of reports do; None for a mere title."""
    section = tree.section_of(key)
    return section if section and states_something(tree.node(section).text) else None


def states_something(heading: str) -> bool:
    """Whether a heading is a statement or says how somebody is reached, and does not only name what stands below it."""
    words = [word for word in _LONG_WORD.findall(heading)[1:] if not word.isupper()]
    small = sum(word[0].islower() for word in words)
    is_said = len(heading.split()) >= SHORTEST_STATEMENT and 2 * small > len(words) and not _ASKING.search(heading)
    return is_said or bool(_REACHED_BY.search(heading))


SHORTEST_STATEMENT = 8
"""Words of a heading, at least, that states something. Chosen by hand."""

_LONG_WORD = re.compile(r"[^\W\d_]{4,}")
_ASKING = re.compile(r"^\W*(?:how|what|which|who|when|where|why|whether)\b|\?\W*$", re.IGNORECASE)
_REACHED_BY = re.compile(r"[A-Za-z]\w*\.?:\s*(?:\+?[\d(][\d ()./-]{5,}\d|\S+@\S+\.\w|(?:www\.|https?:)\S)")
"""A telephone number, or an address of mail or web, behind its name: "Tel: 020 7946 0000"."""


_ADDS = re.compile(
    r"^(?:moreover|furthermore|further|in addition|additionally|besides|also|likewise|similarly|another"
    r"|a (?:second|third|further)|second(?:ly)?|third(?:ly)?|finally|what is more)\b"
    r"|^(?:[\w’'-]+[ ,]+){1,7}(?:also|further|additionally)\b",
    re.IGNORECASE,
)
"""How a sentence adds a further cause to the one before it."""
_ESTABLISHED = re.compile(
    r"\b(?:was|were|is|are|has been|have been) (?:therefore |thus |then )?(?:deemed|found|needed|necessary|required"
    r"|calculated|computed|estimated|set|chosen|selected|determined|obtained|derived|considered|judged|fixed|agreed)\b",
    re.IGNORECASE,
)
"""How a sentence states what was come to without saying how."""
_METHOD = re.compile(
    r"\b(?:determin|calculat|comput|estimat|analy[sz]|measur|compar|assum|survey|test|weigh|count|model|simulat|deriv"
    r"|review|formula|method|based (?:up)?on)\w*",
    re.IGNORECASE,
)
"""What says how it was come to."""


def _same_clause(pieces: list[TextPiece]) -> Iterator[TextPiece]:
    """The pieces up to the next numbered clause ("4.2 ..."), which is a rule of its own."""
    return takewhile(lambda piece: not _CLAUSE_BEGINS.match(piece.text), pieces)


_CLAUSE_BEGINS = re.compile(r"\s*(?:§\s*)?\d{1,2}\.\d{1,2}(?:\.\d{1,2})?[.)]?\s+(?=[A-Z\"“(])")


def _completes(rule: str, text: str) -> bool:
    """Whether a sentence completes the rule before it: by how it begins, by what it takes back, by its own limit."""
    continues = _CONTINUES.match(text) or _LATER.search(text) or _LABELLED.match(text)
    return bool(continues) or _limits_too(rule, text)


def _limits_too(rule: str, text: str) -> bool:
    """Whether a sentence sets a limit for what the rule before it is about, too: two words in common."""
    return bool(_LIMIT.search(text)) and len(set(analyse(rule)) & set(analyse(text))) > 1


def _leans(text: str, before: str) -> bool:
    """Whether a sentence cannot be understood without the one before it, which is short enough to be taken along."""
    leans = _LEANS.match(text) or _POINTS_BACK.search(text) or _LABELLED.match(text)
    return bool(leans) and len(before) <= LONGEST_BEFORE


_POINTS_BACK = re.compile(
    r"\b(?:on|by|after|before|until|from|within|for|of|to|in) (?:that|this|the same|such an?) "
    r"(?:date|day|time|period|limit|sum|amount|rate|deadline|month|year)\b",
    re.IGNORECASE,
)
"""What names a date or a limit that an earlier sentence states: "do not lapse on that date"."""
_LABELLED = re.compile(
    r"(?:action|actions|owners?|responsible|responsibility|assigned to|assignee|lead|deadline|due(?: date| by)?"
    r"|to be done by|contact|status)\s*:\s",
    re.IGNORECASE,
)
"""What minutes and task lists put behind the task: "Owner: Ann Lee, by 3 May"."""


def _is_cut(last: str, first: str) -> bool:
    """Whether a sentence goes on in the next paragraph; of lines such as "Telephone: 0400 55 12" each is its own."""
    return not _ENDS.search(last) and not (NAMED_VALUE.match(last) and NAMED_VALUE.match(first))


NAMED_VALUE = re.compile(r"[A-Z][\w ’'/&-]{1,40}:\s+\S")
"""A line that names something and states it."""


def _bends(text: str) -> bool:
    """Whether a paragraph begins by bending the rule before it: "2.3 The Buyer may however ..."."""
    first = _NUMBERED.sub("", text, count=1)
    return bool(re.match(r"(?:however|but|except|unless|provided|in no event|notwithstanding)\b", first, re.I)) or bool(
        re.search(r"^[^.;]{0,40}\bhowever\b", first, re.I)
    )


def _span(key: int, piece: TextPiece) -> Span:
    return Span(key, piece.start, piece.end)
