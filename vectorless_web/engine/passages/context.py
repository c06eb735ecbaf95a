"""Sentences in context: a list's lead-in, the sentences that complete a rule, what a reference points to."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import takewhile

from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.passages.causes import gives_cause, is_held_up, points_back
from vectorless_web.engine.passages.passage import TextPiece, is_record, pieces_of
from vectorless_web.engine.questions.requirements import says_side
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
_LATER = re.compile(
    r"^[^.;]{0,60}\b(?:however|may not exceed|does not apply|nevertheless|instead"
    r"|ha(?:s|ve) no (?:corresponding|such|similar|equivalent|like) rights?)\b",
    re.IGNORECASE,
)
_LEANS = re.compile(
    r"(?:he|she|it|they|this|these|those|such|however|but|otherwise|in (?:this|that|such an?) (?:case|event)"
    r"|notwithstanding (?:this|that|the (?:above|foregoing))|(?:by way of|as an) exception|exceptionally|nevertheless"
    r"|in exceptional (?:cases|circumstances)|in derogation"
    r"|(?:above|beyond|below|over) (?:that|this) (?:number|amount|limit|figure|quantity|sum)"
    r"|an? (?:further|additional|extra) [$£€]?\d[\d.,]*"
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
_SMALL_ITEM = re.compile(r"\s*(?:[•▪●◦*o–-]\s|\(?(?:[a-z]|\d{1,2}|[ivx]{1,4})[.)]\s)\s*[a-z]")
_MARKED = re.compile(r"\s*(?:[•▪●◦*–-]\s|\(?(?:[a-z]|\d{1,2}|[ivx]{1,4})[.)]\s)")
_CLAUSE_TITLE = re.compile(r"\s*\d+(?:\.\d+)*[.)]?\s+[A-Z][^\n.:;]{2,80}$")
_NUMBERED = re.compile(r"\s*(?:(?:article|section|clause|§)\s*)?\(?(\d+(?:\.\d+)*|[a-z])[.)]?\s", re.IGNORECASE)
_POINTS_TO = re.compile(
    r"\b(?:subject to|notwithstanding|despite|contrary to|as an exception (?:to|from)|except as"
    r"|as (?:set out|provided|described|stated|defined) in|under|in accordance with|see)\s+"
    r"(?P<name>(?:clause|section|article|paragraph)s?\s+(?P<number>\d+(?:\.\d+)*))",
    re.IGNORECASE,
)


_NAMES_SECTION = re.compile(
    r"\b(?:(?:agenda )?item|point|section|clause|chapter)s? (?P<number>\d+(?:\.\d+)*)\b", re.IGNORECASE
)


_GOES_ON_AGAINST = re.compile(r"\boffset by:$", re.IGNORECASE)
"""How an item of a list of causes ends when the next ones worked against them: they are of the same list."""


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


MOST_FOLLOWING = 12
"""Nodes behind a sentence in which what it announces by number is looked for."""

LONGEST_NAME_LINE = 12
"""Words of a line that names a member and is no sentence."""

_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
            "fourteen", "fifteen", "sixteen")  # fmt: skip
_ANNOUNCED = re.compile(
    rf"(?P<count>\b(?:{'|'.join(_NUMBERS)})|(?<=[a-z] )(?:[2-9]|1\d|20))\s+"
    r"(?P<noun>(?!(?:the|an?|this|that|its?|of|per|or|and|to)\b)(?:[\w’'()&/-]+\s+){0,4}?[A-Za-z’'-]{3,}s)\b",
    re.IGNORECASE,
)
"""How a sentence announces members by their number: "nine operating administrations"."""
_ORDINAL = re.compile(
    r"\W*(?:the )?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)(?:ly)?\b", re.IGNORECASE
)
_SHORT_NAMED = re.compile(r"[A-Z][\w&.,’'-]*(?:[ -][\w&.,’'-]+){0,9}? \([A-Z][A-Z&.-]{1,9}\)")
"""A name with its abbreviation: "Federal Rail Office (FRO)"."""
LABELLED = re.compile(r"\W*[A-Z][\w’'&/-]*(?: [\w’'&/-]+){0,6}\s*(?::|\s[–—-])(?=\s|$)")
"""How a text begins that belongs to a name: "Coast Laboratory: studies sand"."""
_COUNTED_HEADING = re.compile(r"\W*(?P<word>[A-Za-z]{3,})\s+(?:\d{1,2}|[IVX]{1,4}|[A-Z])\b[:.\s–—-]*\w")
_ENUMERATION = re.compile(r"(?<![\w(.])\(?(?P<mark>[a-z]|[ivx]{1,4}|\d{1,2})\)\s+(?=[^\s)])")


def announced_noun(text: str) -> str:
    """What a sentence announces by its number: "operating administrations"; "" for nothing."""
    match = _ANNOUNCED.search(text)
    return match["noun"] if match else ""


def count_announced(text: str, about: str) -> int:
    """How many of what a question is about a text announces, at most; 0 where it tells no number of it."""
    asked = set(analyse(about))
    counts = (number_told(match["count"]) for match in _ANNOUNCED.finditer(text) if asked & set(analyse(match["noun"])))
    return max(counts, default=0)


def number_told(words: str) -> int:
    """The number that a word or digits tell; 0 for none."""
    return int(words) if words.isdigit() else _NUMBERS.index(words.lower()) + 2 if words.lower() in _NUMBERS else 0


def enumerate_inside(text: str) -> list[tuple[int, int]]:
    """Where each of what a text counts up by (a), (b) or (i), (ii) or 1), 2) begins and ends; else none."""
    for marks in ("abcdefghijklmnopqrstuvwxyz", _ROMANS, tuple(map(str, range(1, 30)))):
        begins: list[int] = []
        for match in _ENUMERATION.finditer(text):
            if len(begins) < len(marks) and match["mark"] == marks[len(begins)]:
                begins.append(match.start())
        ends = [*begins[1:], len(text.rstrip())][: len(begins)]
        items = [(a, a + len(text[a:b].rstrip())) for a, b in zip(begins, ends, strict=True)]
        if len(items) > 1 and all(len(text[a:b].split()) > 2 for a, b in items):
            return items
    return []


_ROMANS = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")

LEAST_SHARED = 2
"""Terms that a paragraph shares with the one whose procedure it goes on with, at least."""

LONGEST_PROCEDURE = 1200
"""Characters of a procedure told in sentences."""

IN_ORDER = re.compile(
    r"^\W*(?:first(?:ly)?|second(?:ly)?|third(?:ly)?|then|next|after(?:wards)?|once|finally|lastly|at last"
    r"|subsequently|thereafter|following (?:this|that|the)|before|only (?:when|then|after|once)|as soon as"
    r"|when (?:this|that)|(?:up)?on [a-z]+ing"
    r"|to (?:start|begin|finish) with|in the (?:next|last|final|second|third) step)\b"
    r"|\b(?:is|are|was|were|be|been|has|have|will|must|should) (?:then|next|first|afterwards|subsequently|finally)\b"
    r"|\b(?:thereafter|afterwards|subsequently)\b",
    re.IGNORECASE,
)
"""How a sentence says that something is done before or after something else."""
_DONE = re.compile(
    r"\b(?P<form>will be|is|are|was|were|must be|should be|shall be)\s+(?:\w+ly\s+)?(?:\w+ed|\w+en|put|set|read|told"
    r"|sent|made|kept|held|cut|shut|laid|drawn|done)\b",
    re.IGNORECASE,
)
"""How a sentence tells what is done to something."""


_BRANCH = re.compile(r"\W*(?:if|when|where|as soon as)\b", re.IGNORECASE)
"""How a step begins that is taken in one case."""


def _follows_in_order(text: str, after: str) -> bool:
    """Whether a sentence goes on with a procedure: it says when, or tells likewise what is done."""
    if IN_ORDER.search(after) or _BRANCH.match(after):
        return True
    one, other = _DONE.search(text), _DONE.search(after)
    # What "is" done is as often how things are as a step.
    return one is not None and other is not None and _form_of(one) == _form_of(other) != "is"


def _form_of(match: re.Match[str]) -> str:
    form = match["form"].lower()
    return {"are": "is", "were": "was"}.get(form, form)


_BETWEEN = (NodeKind.FOOTNOTE, NodeKind.CAPTION)
"""What may stand between the two parts of a sentence that a page or column parts."""
_RUNNING_TEXT = (NodeKind.PARAGRAPH, NodeKind.LIST)

_NOTE_MARK = re.compile(r"\s*(?:\([a-z1-9*]\)|[*†‡])\s")


class Reading:
    """Reads the sentences of one document in their context; of the nodes `within` alone, when they are given."""

    def __init__(self, tree: Tree, within: Collection[int] | None = None) -> None:
        self._tree, self._within = tree, within
        self._numbers: dict[str, int] | None = None
        self._titles: dict[str, str] | None = None
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
        places = range(len(self.pieces(key)))
        spans = [span for place in places for span in self.rule(key, place).spans]
        spans += [span for place in places for span in self._up_to(key, self.counted(key, place))]
        spans += [span for place in places for span in self.causes_beside(key, place).spans]
        listed = self.find_announced(key)
        if listed is not None:
            lead = self.lead_in(key)
            spans += [*((lead,) if lead else ()), *self.items(listed)]
        below = self._neighbour(key, 1) if self._tree.node(key).text.rstrip().endswith(":") else None
        return sorted({*(span.key for span in spans), *(() if below is None else (below,))} - {key})

    def _up_to(self, key: int, spans: list[Span]) -> list[Span]:
        """The spans, with the leaves that stand between a node and the last of them, over which they are reached."""
        last = max((span.key for span in spans), default=key)
        between = [other for other in range(key + 1, last) if self._tree.is_leaf(other)]
        return [*spans, *(Span(other, 0, 0) for other in between if len(between) <= MOST_FOLLOWING)]

    def rule(self, key: int, place: int) -> Rule:
        """The piece of that place in a node, with its lead-in, what it leans on and what completes it."""
        pieces = self.pieces(key)
        sentence = _span(key, pieces[place])
        if self._tree.kind(key) is NodeKind.TABLE:
            announcing = self.lead_in(key)
            return Rule(sentence, (announcing,) if announcing else ())
        if self._tree.kind(key) in (NodeKind.CODE, NodeKind.SECTION) or is_record(self._tree.node(key)):
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
        if self._tree.kind(key) not in (NodeKind.PARAGRAPH, NodeKind.LIST):
            return rule
        before, after = list(rule.before), [*rule.completing, *rule.after]
        after += [span for span in self._causes_after(key, place) if span not in after]
        if self._tree.kind(key) is NodeKind.PARAGRAPH:
            before = before or self._causes_before(key, place)
            for piece in pieces[place + 1 : place + 1 + MOST_AFTER]:
                if not _ADDS.search(piece.text):
                    break
                after += [] if _span(key, piece) in after else [_span(key, piece)]
        completing = tuple(span for span in after if span in rule.rest)
        beyond = tuple(span for span in after if span not in rule.rest)
        room = LONGEST_RULE - sum(span.end - span.start for span in (*before, rule.sentence, *rule.rest, *beyond))
        told = replace(rule, before=tuple(before), after=beyond, completing=completing)
        return rule if room < 0 else told

    def alternatives_beside(self, key: int, place: int, sides: Sequence[frozenset[str]]) -> Rule:
        """A sentence that says one of two things asked about, with the one beside it that says the other."""
        rule, pieces = self.rule(key, place), self.pieces(key)
        lacking = [own for own in sides if not says_side(own, self.words(rule.spans))]
        if self._tree.kind(key) is not NodeKind.PARAGRAPH or len(lacking) != 1:
            return rule
        if place and not rule.before and says_side(lacking[0], pieces[place - 1].text):
            return replace(rule, before=(_span(key, pieces[place - 1]),))
        if place + 1 < len(pieces) and not rule.rest and says_side(lacking[0], pieces[place + 1].text):
            return replace(rule, after=(_span(key, pieces[place + 1]), *rule.after))
        return rule

    def _causes_before(self, key: int, place: int) -> list[Span]:
        """What stands ahead of a sentence and brings about what it says, in its paragraph or at the end of the last."""
        text = self.pieces(key)[place].text
        ahead = [(key, piece) for piece in self.pieces(key)[:place]]
        if (
            not ahead
            and (above := self._neighbour(key, -1)) is not None
            and self._tree.kind(above) is NodeKind.PARAGRAPH
        ):
            ahead = [(above, piece) for piece in self.pieces(above)]
        taken, adds = list[Span](), None
        for node, piece in reversed(ahead[-MOST_BEFORE:]):
            is_method = _ESTABLISHED.search(text) and _METHOD.search(piece.text)
            is_told = not taken and (points_back(text) or (is_method and node == key))
            if not is_told and not is_held_up(text, piece.text) and not (taken and adds):
                break
            taken.insert(0, _span(node, piece))
            adds = _ADDS.search(piece.text)
        return taken

    def _causes_after(self, key: int, place: int) -> list[Span]:
        """What stands behind a sentence and tells why: the next sentence, or a line "Reason: ..."."""
        pieces = self.pieces(key)
        behind = [(key, piece) for piece in pieces[place + 1 : place + 2]]
        if not behind and (below := self._neighbour(key, 1)) is not None and self._tree.kind(below) in _RUNNING_TEXT:
            behind = [(below, piece) for piece in self.pieces(below)[:1]]
        text = pieces[place].text
        return [
            _span(node, piece)
            for node, piece in behind
            if gives_cause(piece.text) or (node == key and is_held_up(text, piece.text))
        ]

    def steps_beside(self, key: int, place: int) -> Rule:
        """A sentence of what is done, with all that is done before and after it in the same text.

        Sentences are told in order by how they begin ("Then", "After that") or by one form of their verbs ("is read
        out", "is signed"). Without such neighbours, all that its paragraph says before it, where that is one clause.
        """
        rule, pieces = self.rule(key, place), self.pieces(key)
        if self._tree.kind(key) is not NodeKind.PARAGRAPH:
            return rule
        first, last = self._in_sequence(key, place)
        is_clause = pieces[-1].end - pieces[0].start <= CLAUSE
        below = self._sequence_below(key) if last + 1 == len(pieces) else []
        if first == last and not below:
            own = tuple(_span(key, piece) for piece in pieces[:place])
            return replace(rule, before=own) if place and is_clause else rule
        first = 0 if is_clause else first
        others = [span for span in (*rule.rest, *rule.after) if span.key != key or span.start >= pieces[last].end]
        before = [span for span in rule.before if span.key != key or span.end <= pieces[first].start]
        after = [_span(key, piece) for piece in pieces[place + 1 : last + 1]]
        after += below
        return replace(
            rule,
            before=(*before, *(_span(key, piece) for piece in pieces[first:place])),
            rest=(),
            completing=(),
            after=(*after, *(span for span in others if span not in after)),
        )

    def is_step(self, key: int, place: int) -> bool:
        """Whether a sentence of a paragraph says that it comes before or after what is done in a neighbour."""
        pieces = self.pieces(key)
        return any(IN_ORDER.search(piece.text) for piece in pieces[place : place + 2])

    def _in_sequence(self, key: int, place: int) -> tuple[int, int]:
        """The first and the last sentence of the procedure that a sentence of a paragraph is part of; itself alone."""
        pieces, first, last = self.pieces(key), place, place
        room = LONGEST_PROCEDURE - len(pieces[place].text)
        while first and _follows_in_order(pieces[first - 1].text, pieces[first].text):
            room -= len(pieces[first - 1].text)
            if room < 0:
                break
            first -= 1
        while last + 1 < len(pieces) and _follows_in_order(pieces[last].text, pieces[last + 1].text):
            room -= len(pieces[last + 1].text)
            if room < 0:
                break
            last += 1
        return first, last

    def _sequence_below(self, key: int) -> list[Span]:
        """The first sentences of the next paragraph, where it goes on with what is done next.

        It begins by saying when, or tells of the same things in the same form what is done with them.
        """
        below = self._neighbour(key, 1)
        pieces = self.pieces(below) if below is not None and self._tree.kind(below) is NodeKind.PARAGRAPH else []
        if below is None or not pieces:
            return []
        own, first = self.pieces(key)[-1].text, pieces[0].text
        shared = set(analyse(self._tree.node(key).text)) & set(analyse(first))
        forms = {_form_of(match) for match in _DONE.finditer(self._tree.node(key).text)}
        told = _DONE.search(first)
        is_alike = told is not None and _form_of(told) in forms - {"is"} and len(shared) >= LEAST_SHARED
        if own.rstrip().endswith(":") or not (IN_ORDER.match(first) or is_alike):
            return []
        return [_span(below, piece) for piece in pieces[: self._in_sequence(below, 0)[1] + 1]]

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
        return (
            _span(before, pieces[-1]) if before is not None and pieces and self._announces(pieces[-1], first) else None
        )

    def _announces(self, piece: TextPiece, first: int) -> bool:
        """Whether words end in a colon, or are no whole sentence before an item that goes on with a small letter."""
        goes_on = bool(_SMALL_ITEM.match(self._tree.node(first).text)) and self._tree.kind(first) is NodeKind.LIST
        is_open = goes_on and not _ENDS.search(piece.text) and len(piece.text.split()) >= LEAST_WORDS
        return piece.text.endswith(":") or is_open

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
            kind = self._tree.kind(key)
            is_text = kind is NodeKind.PARAGRAPH
            self._inner[key] = self._find_inner_list(key) if kind is NodeKind.LIST else None
            self._inner[key] = self._find_enumerated(key) if is_text else self._inner[key]
        return self._inner[key]

    def _find_enumerated(self, key: int) -> tuple[Span, list[Span]] | None:
        """Words of a paragraph that announce what it counts up itself, and each of it: "shall: (a) pay; (b) leave"."""
        text = self._tree.node(key).text
        items = enumerate_inside(text)
        if not items or not text[: items[0][0]].strip():
            return None
        pieces = self.pieces(key)
        first = max((piece.start for piece in pieces if piece.start <= items[0][0]), default=0)
        lead = text[first : items[0][0]].rstrip()
        return (Span(key, first, first + len(lead)), [Span(key, *item) for item in items]) if lead else None

    def _find_inner_list(self, key: int) -> tuple[Span, list[Span]] | None:
        pieces = self.pieces(key)
        for place, piece in enumerate(pieces[:-2]):
            if not piece.text.endswith(":") or _GOES_ON_AGAINST.search(piece.text):
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
        """The list that a node is or holds, or that its last words announce."""
        if self.is_item(key) or self._inner_list(key) is not None:
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

    def counted(self, key: int, place: int) -> list[Span]:
        """The members of what a sentence announces by their number alone ("oversees nine bureaus"), where they follow.

        They stand in the rest of the paragraph behind "First", "Second", in the next list or table, in the next lines
        or paragraphs, each behind a name, or are the headings that follow. Only just so many are taken.
        """
        announced = _ANNOUNCED.search(self.pieces(key)[place].text)
        if announced is None or self._tree.kind(key) not in (NodeKind.PARAGRAPH, NodeKind.LIST):
            return []
        count = number_told(announced["count"])
        ways = (self._in_order(key, place), *self._in_following(key, count), *self._in_headings(key))
        return next((spans for spans in ways if len(spans) == count), [])

    def _in_order(self, key: int, place: int) -> list[Span]:
        """The sentences of the same paragraph that count up: "First, ... Second, ...", each with what follows it."""
        pieces = self.pieces(key)
        begins = [at for at in range(place + 1, len(pieces)) if _ORDINAL.match(pieces[at].text)]
        ends = [*begins[1:], len(pieces)][: len(begins)]
        return [Span(key, pieces[at].start, pieces[end - 1].end) for at, end in zip(begins, ends, strict=True)]

    def _in_following(self, key: int, count: int) -> Iterator[list[Span]]:
        """The items, rows, names or labelled texts that follow a node in its section."""
        keys: list[int] = []
        below = self._neighbour(key, 1)
        while below is not None and len(keys) < MOST_FOLLOWING:
            keys.append(below)
            below = self._neighbour(below, 1)
        listed = next((each for each in keys if self.is_item(each)), None)
        if listed is not None:
            yield self.items(listed)
        table = next((each for each in keys if self._tree.kind(each) is NodeKind.TABLE), None)
        if table is not None:
            yield self._body_rows(table)
        texts = [each for each in keys if self._tree.kind(each) is NodeKind.PARAGRAPH]
        yield self._find_all(texts, _SHORT_NAMED)
        yield self._labelled(texts)
        # The next lines, each too short for a sentence.
        yield [self._whole(each) for each in takewhile(self._is_line, texts)][:count]

    def _body_rows(self, key: int) -> list[Span]:
        table = self._tree.node(key).table
        rows = [(row.offset, row.offset + row.length) for row in table.body] if table else []
        return [_span(key, piece) for piece in self.pieces(key) if any(a <= piece.start < b for a, b in rows)]

    def _find_all(self, keys: list[int], pattern: re.Pattern[str]) -> list[Span]:
        return [Span(k, *match.span()) for k in keys for match in pattern.finditer(self._tree.node(k).text)]

    def _labelled(self, keys: list[int]) -> list[Span]:
        """The first sentences of those texts that begin with a name: "Safety: we protect ..."."""
        return [_span(k, self.pieces(k)[0]) for k in keys if self.pieces(k) and LABELLED.match(self.pieces(k)[0].text)]

    def _whole(self, key: int) -> Span:
        return Span(key, 0, len(self._tree.node(key).text.rstrip()))

    def _is_line(self, key: int) -> bool:
        text = self._tree.node(key).text
        return len(text.split()) <= LONGEST_NAME_LINE and not _ENDS.search(text)

    def _in_headings(self, key: int) -> Iterator[list[Span]]:
        """The headings below the section of a node, and those after it that begin with the same word: "Goal 1"."""
        section = self._tree.section_of(key)
        yield self._headings_below(section)
        yield self._headings_beside(section)

    def _headings_below(self, section: int) -> list[Span]:
        """The headings right below a section that may be read; none of the whole document."""
        below = self._tree.children(section) if section else []
        return [self._whole(key) for key in below if self._tree.is_section(key) and self._may_read(key)]

    def _headings_beside(self, section: int) -> list[Span]:
        """The next headings of the document that count one word: "Goal 1: Know more", "Goal 2: ..."."""
        found: list[Span] = []
        word = ""
        for key in (other for other in self._tree.sections() if other > section):
            match = _COUNTED_HEADING.match(self._tree.node(key).title)
            if match is None or (word and match["word"].lower() != word) or not self._may_read(key):
                break
            word = match["word"].lower()
            found.append(self._whole(key))
        return found

    def headings_counting(self, section: int) -> list[Span]:
        """The next headings that count a word of a section's own: "Goal 1", "Goal 2" after "Strategic goals"."""
        beside = self._headings_beside(section)
        counted = _COUNTED_HEADING.match(self._tree.node(beside[0].key).title) if beside else None
        is_of = counted and set(analyse(counted["word"])) <= set(analyse(self._tree.node(section).title))
        return beside if is_of else []

    def members_of(self, section: int) -> list[Span]:
        """What a section holds side by side: the headings below it, its labelled texts, or headings that count it."""
        headings = self._headings_below(section)
        texts = [key for key in self._tree.leaves(section) if self._may_read(key)]
        labelled = self._labelled([key for key in texts if self._tree.kind(key) is NodeKind.PARAGRAPH])
        if len(headings) < 2 < 2 * len(labelled) > len(texts):
            return labelled
        return headings or self.headings_counting(section)

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
        if self._tree.kind(key) is NodeKind.LIST:
            return [_span(key, piece) for piece in pieces]
        if enumerated := enumerate_inside(self._tree.node(key).text):
            return [Span(key, *item) for item in enumerated]
        return [Span(key, pieces[0].start, pieces[-1].end)] if pieces else []

    def _before(self, key: int, pieces: list[TextPiece], place: int) -> tuple[Span, ...]:
        if self._tree.kind(key) is NodeKind.LIST:
            lead = self.lead_in(key)
            is_before = lead is not None and (lead.key != key or lead.end <= pieces[place].start)
            return (lead,) if lead is not None and is_before else ()
        if place == 0:
            lead = self.lead_in(key) if self.is_item(key) else None
            if lead is not None and lead.key != key:
                return (lead,)
            return self._begun_before(key) or self._rule_bent(key, pieces[0].text)
        first = place
        while first and place - first < MOST_BEFORE and _leans(pieces[first].text, pieces[first - 1].text):
            first -= 1
        return tuple(_span(key, piece) for piece in pieces[first:place])

    def _rule_bent(self, key: int, text: str) -> tuple[Span, ...]:
        """The rule in the paragraph before one that begins with its exception ("2.3 The Buyer may however ...")."""
        before = self._neighbour(key, -1) if _bends(text) and not _POINTS_TO.search(text) else None
        pieces = self.pieces(before) if before is not None and self._tree.kind(before) is NodeKind.PARAGRAPH else []
        if before is None or not pieces:
            return ()
        is_short = pieces[-1].end - pieces[0].start <= CLAUSE
        return tuple(_span(before, piece) for piece in (pieces if is_short else pieces[-1:]))

    def _begun_before(self, key: int) -> tuple[Span, ...]:
        """The first part of a sentence that a page or column parts."""
        before = self._neighbour(key, -1, past=_BETWEEN)
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
        # A sentence that a column parts goes on behind the notes at its foot and the figure that heads the next.
        below = self._neighbour(key, 1, past=() if _ENDS.search(last) else _BETWEEN)
        pieces = self.pieces(below) if below is not None else []
        if below is None or not pieces:
            return
        kind = self._tree.kind(below)
        if last.rstrip().endswith(":") and kind is NodeKind.LIST:
            yield from (_span(below, piece) for piece in pieces)
            return
        goes_on = below == self._neighbour(key, 1) or pieces[0].text[:1].islower()
        if kind is NodeKind.PARAGRAPH and goes_on and (_is_cut(last, pieces[0].text) or _bends(pieces[0].text)):
            yield _span(below, pieces[0])

    def _pointed_to(self, key: int, text: str) -> Iterator[Span]:
        """The first sentence of the clause that a rule is subject to."""
        for match in _POINTS_TO.finditer(text):
            target = self._clause(match["number"])
            if target is not None and target != key and self._may_read(target) and (pieces := self.pieces(target)):
                yield _span(target, pieces[0])
                return

    def titles_named(self, text: str) -> str:
        """The headings of the numbered sections that a text names: of "interest in item 8" what item 8 is about."""
        numbers = [match["number"] for match in _NAMES_SECTION.finditer(text)]
        if numbers and self._titles is None:
            tree, found = self._tree, dict[str, str]()
            for key in range(1, len(tree)):
                if tree.kind(key) is NodeKind.SECTION and (match := _NUMBERED.match(tree.node(key).text)):
                    found.setdefault(match[1], tree.node(key).text[match.end() :])
            self._titles = found
        return " ".join(title for number in numbers if (title := (self._titles or {}).get(number)))

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

    def _neighbour(self, key: int, step: int, *, past: Collection[NodeKind] = ()) -> int | None:
        """The leaf beside a node in its section; running heads and leaves of the kinds `past` are passed over."""
        other, passed = key + step, (NodeKind.RUNNING, *past)
        while 0 < other < len(self._tree) and self._tree.kind(other) in passed:
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


@lru_cache(maxsize=1 << 10)
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
    leans = _LEANS.match(text) or _POINTS_BACK.search(text) or _LABELLED.match(text) or _bends(text)
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
    bends = r"(?:however|but|except|unless|provided|in no event|notwithstanding|by way of exception)\b(?! for\b)"
    return bool(re.match(bends, first, re.I)) or bool(re.search(r"^[^.;]{0,40}\bhowever\b", first, re.I))


def _span(key: int, piece: TextPiece) -> Span:
    return Span(key, piece.start, piece.end)
