"""Decides which printed lines are headings, and gives them their levels."""

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from vectorless_web.engine.parsing.lines import Layout, Line, Page, Style
from vectorless_web.engine.parsing.outline.contents import letters_of
from vectorless_web.engine.parsing.outline.heading import (
    CAPTION,
    SENTENCE_END,
    Heading,
    heading_of,
    is_caps,
    is_unfinished,
    may_open_title,
    reads_like_title,
)
from vectorless_web.engine.parsing.patterns import (
    CHAPTER,
    ITEM,
    NAMED,
    NOTE,
    NUMBERED,
    PART,
    PLAIN,
    STATEMENT,
    Form,
    closes_soon,
    form_of,
    is_contents_title,
    is_statement_title,
)
from vectorless_web.engine.parsing.tables.regions import PERIOD, UNITS_LINE

_MAX_LINES, _MAX_SENTENCE_LINES = 4, 6
"""Lines of a title, and of an emphasised sentence that heads a text, at most."""
_RUN_IN_WORDS, _PLAIN_WORDS, _COLON_WORDS, _NAMED_WORDS = 12, 9, 9, 24
"""Words, at most, of a title at the start of a paragraph, of a numbered title without emphasis, of a weakly emphasised
title that ends in a colon, and of the first line of a title that names its place ("Item 4.")."""
_LONE_WORD = 12
"""Characters below which one word may be such a title by itself."""
_SENTENCE_WORDS, _SENTENCE_CHARACTERS = 7, 600
"""Words, at least, and characters, at most, of an emphasised sentence that heads a text."""
_PROSE, _RUN_ON, _RUN_ON_COLUMN = 45, 50, 30
"""Characters above which a line is running text and no title; above which a line without a full stop at its end runs on
in the next; and the same where it reaches at least as far to the right, as lines of a narrow column do."""
_LARGER, _SMALLER = 0.9, 1.1
"""Points of type size: a line is larger than the body from the first on, too small for a title below the body less the
second."""
_BLOCK, _CLOSE, _RUNS_ON, _NO_GAP, _TIGHT = 1.3, 1.15, 1.25, 1.12, 1.25
"""Distances between the tops of two lines, in usual distances of lines of that size, below which: an emphasised block
goes on, two lines stand close, a sentence runs on, no white space parts them, a full line of a title runs on."""
_TITLE_GAP, _LABEL_GAP = 1.9, 3.0
"""The same in heights of a line: below it a title may run on in the next line, and below a label its title follows."""
_CENTRED, _SHORT = 0.03, 0.5
"""Shares of the page's width: how far the middle of a centred line may lie beside the page's, and how wide a numbered
title without emphasis may be."""
_FULL_SHARE, _FULL_WIDTH = 0.55, 220
"""A line is full, so that a title runs on below it, when it is wider than this share of the next and than so many
points."""
_SAME_LEFT = 3
"""Points by which left edges of a bare "NOTE 10" and its title may differ."""
_MORE_LETTERS = 3
"""Letters by which a printed heading may be longer than its entry in the contents."""
_NOTE_MARK = re.compile(r"^\(\d{1,2}\)")
_MONEY = re.compile(r"[$€£¥]\s?\d|\d{1,3}(?:,\d{3})+")


def rate_emphasis(line: Line, body: Style) -> int:
    """How strongly a line stands out from the body: 0 not, 1 by slant or colour, 2 by weight or capitals, 3 by size."""
    style = line.style
    if line.lead > line.start and (style.weight == body.weight or not line.even):
        return 0
    if style.size >= body.size + _LARGER:
        return 3
    if (style.bold and not body.bold) or is_caps(line.text):
        return 2
    return 1 if (style.italic and not body.italic) or (style.accent and not body.accent) else 0


def _is_in_index(lines: Sequence[Line], position: int) -> bool:
    """Whether the neighbouring lines name statements too: then the line is an entry of an index and no title."""
    beside = [lines[number] for number in (position - 1, position + 1) if 0 <= number < len(lines)]
    return any(form_of(line.text).family == STATEMENT for line in beside)


_FEWEST_NUMBERED = 3
"""Numbered headings, at least, that show what the missing ones of their run look like."""


def mark_bare(shown: Sequence[object]) -> None:
    """Tell the headings that another one follows at once. `shown` is what stands on the pages, in order."""
    for one, other in itertools.pairwise(shown):
        if isinstance(one, Heading) and isinstance(other, Heading):
            one.is_bare = _touches(one, other)


def find_empty(headings: Sequence[Heading]) -> list[Heading]:
    """What looks like headings and heads nothing, as most of that look do: lines of covers, labels, lists of names."""
    bare = _share_bare(headings, _describe_looks)
    return [
        one
        for one, other in itertools.pairwise(headings)
        if one.is_bare and one.is_plain and other.level <= one.level and bare[_describe_looks(one)] > _BARE_SHARE
    ]


def find_missing_numbers(headings: Sequence[Heading], lines: Sequence[Line]) -> set[int]:
    """The ids of lines that fill the gaps of a document's one run of headings "1." to "n." and look like these.

    `lines` are the standing lines that are no headings. A document that numbers anything else in the same look, such as
    lists, is left as it is: its lines cannot be told apart.
    """
    run = [(int(own.form.label), own) for own in headings if _is_top_number(own.form) and len(own.lines) == 1]
    numbers = [number for number, _ in run]
    if len(run) < _FEWEST_NUMBERED or any(after <= before for before, after in itertools.pairwise(numbers)):
        return set()
    looks = {_number_look(own.lines[0]) for _, own in run}
    places = {number: (own.page, own.lines[0].start) for number, own in run}
    found: dict[int, list[Line]] = defaultdict(list)
    for line in lines:
        form = form_of(line.text)
        if _is_top_number(form) and _number_look(line) in looks:
            found[int(form.label)].append(line)
    if len(looks) > 1 or found.keys() & places.keys() or any(len(own) > 1 for own in found.values()):
        return set()
    places |= {number: (own[0].page, own[0].start) for number, own in found.items()}
    in_order = [places[number] for number in sorted(places)]
    whole = sorted(places) == list(range(min(places), max(places) + 1)) and in_order == sorted(in_order)
    fits = all(_reads_like_numbered_title(own[0]) for own in found.values())
    return {id(own[0]) for own in found.values()} if whole and fits else set()


def _is_top_number(form: Form) -> bool:
    return form.family == NUMBERED and form.depth == 0 and form.label.isdecimal()


def _number_look(line: Line) -> tuple[object, ...]:
    """The size and weight of type and the left edge, which numbered headings of one run share."""
    return round(line.style.size), line.style.weight, round(line.left / _SAME_LEFT)


def _reads_like_numbered_title(line: Line) -> bool:
    short = len(line.text.split()) <= _PLAIN_WORDS and not SENTENCE_END.search(line.text)
    return short and reads_like_title(line.text) and not _MONEY.search(line.text)


class Headings:
    """Finds the headings among the standing lines of a page."""

    def __init__(self, layout: Layout, listed: dict[tuple[int, int], str]) -> None:
        self._layout = layout
        self._listed = listed

    def find(self, page: Page, lines: Sequence[Line], position: int) -> Heading | None:
        """The heading that starts at `lines[position]`, with the lines it runs over; None if there is none."""
        line = lines[position]
        if CAPTION.match(line.text):
            return None
        letters = self._listed.get((line.page, line.start))
        if letters is not None:
            return self._listed_heading(lines, position, letters)
        body = self._layout.body_of(line.page)
        if line.style.size < body.size - _SMALLER and form_of(line.text).family not in NAMED:
            return None
        run_in = self._run_in(page, line)
        if run_in is not None:
            return run_in
        strength = rate_emphasis(line, body)
        if not self._may_start(page, lines, position, strength):
            return None
        return self._title(lines, position, strength) or self._sentence(lines, position, strength)

    def _run_in(self, page: Page, line: Line) -> Heading | None:
        """A numbered title set off at the start of a paragraph ("1.1 **Definitions.** In this ...")."""
        if line.lead <= line.start or not self._stands_like_title(page, line):
            return None
        title = line.text[: line.lead - line.start].rstrip()
        form = form_of(title)
        if form.family not in (CHAPTER, NUMBERED) or not 1 < len(title.split()) <= _RUN_IN_WORDS:
            return None
        if not reads_like_title(title) or is_unfinished(title) or _MONEY.search(title):
            return None
        end = line.start + len(title)
        own = replace(line, end=end, text=title, style=replace(line.style, bold=True), lead=line.start)
        after = line.text[len(title) :].lstrip()
        heading = heading_of([own])
        heading.rest = replace(line, start=line.end - len(after), text=after, lead=line.end - len(after))
        return heading

    def _listed_heading(self, lines: Sequence[Line], position: int, letters: str) -> Heading:
        """A heading the contents name: it runs on as long as the entry's letters do."""
        taken = [lines[position]]
        for following in lines[position + 1 : position + _MAX_LINES]:
            joined = letters_of("".join(own.text for own in taken) + following.text)
            if len(joined) > len(letters) + _MORE_LETTERS or not letters.startswith(joined):
                break
            taken.append(following)
        heading = heading_of(taken)
        heading.listed = True
        return heading

    def _title(self, lines: Sequence[Line], position: int, strength: int) -> Heading | None:
        line = lines[position]
        taken = [line]
        for following in lines[position + 1 : position + _MAX_LINES + 1]:
            if not self._continues(taken, following):
                break
            taken.append(following)
        text = " ".join(" ".join(own.text.split()) for own in taken)
        if len(taken) > _MAX_LINES or not reads_like_title(text) or is_unfinished(text):
            return None
        if text.endswith(":") and (strength < 2 or len(text.split()) > _COLON_WORDS):
            return None
        heading = heading_of(taken)
        ends = text.endswith((".", "!", "?")) and len(text.split()) >= _SENTENCE_WORDS
        heading.sentence = ends and heading.form.family == PLAIN
        return heading

    def _sentence(self, lines: Sequence[Line], position: int, strength: int) -> Heading | None:
        """An emphasised sentence over plain prose, as risk factors have them."""
        first = lines[position]
        if strength == 0 or form_of(first.text).family != PLAIN or first.lead > first.start:
            return None
        if not may_open_title(first.text):
            return None
        end = self._find_block_end(lines, position)
        taken = lines[position:end]
        text = " ".join(own.text for own in taken)
        if len(taken) > _MAX_SENTENCE_LINES or len(text) > _SENTENCE_CHARACTERS or len(text.split()) < _SENTENCE_WORDS:
            return None
        if not self._prose_follows(lines, end, taken[-1]) or not text[:1].isupper() or _MONEY.search(text):
            return None
        heading = heading_of(list(taken))
        heading.sentence = True
        return heading

    def _find_block_end(self, lines: Sequence[Line], position: int) -> int:
        most = min(len(lines), position + _MAX_SENTENCE_LINES + 1)
        return next(
            (end for end in range(position + 1, most) if not self._same_block(lines[end - 1], lines[end])), most
        )

    def _same_block(self, last: Line, following: Line) -> bool:
        near = 0 < following.top - last.top < _BLOCK * max(last.height, self._layout.line_pitch(last.style))
        return near and last.looks_like(following) and following.lead == following.start

    def _prose_follows(self, lines: Sequence[Line], end: int, last: Line) -> bool:
        if end >= len(lines):
            return True
        following = lines[end]
        close = 0 < following.top - last.top < _CLOSE * self._layout.line_pitch(last.style)
        if close and (following.lead > following.start or not SENTENCE_END.search(last.text.rstrip())):
            return False  # the emphasis ends in the midst of a paragraph
        body = self._layout.body_of(following.page)
        return rate_emphasis(following, body) == 0 and len(following.text) > _PROSE and not last.looks_like(following)

    def _may_start(self, page: Page, lines: Sequence[Line], position: int, strength: int) -> bool:
        line = lines[position]
        if not self._stands_like_title(page, line):
            return False
        before = lines[position - 1] if position else None
        if before and (self._runs_on(before, line) or (before.looks_like(line) and self._continues([before], line))):
            return False
        if strength >= 2:
            return not _MONEY.search(line.text) and not (strength == 3 and _NOTE_MARK.match(line.text))
        form = form_of(line.text)
        if form.family < NUMBERED:
            return self._stands_apart(lines, position)
        if form.family == NUMBERED and strength == 0:
            return not _NOTE_MARK.match(line.text) and self._is_numbered_alone(page, lines, position)
        return strength == 1 and self._alone(lines, position)

    def _stands_like_title(self, page: Page, line: Line) -> bool:
        """At a margin of the prose, where this document puts titles, or centred on the page."""
        centre = (line.left + line.right) / 2
        if self._layout.at_title_edge(line) or (line.style.bold and form_of(line.text).family in NAMED):
            return True
        return self._layout.at_margin(line) or abs(centre - page.width / 2) < _CENTRED * page.width

    def _runs_on(self, before: Line, line: Line) -> bool:
        """Whether the line continues the sentence of the line before it, be it in another weight or colour."""
        near = 0 < line.top - before.top < _RUNS_ON * self._layout.line_pitch(line.style)
        if not near or not before.is_as_large_as(line) or SENTENCE_END.search(before.text.rstrip()):
            return False
        if before.looks_like(line):
            return len(before.text) > _RUN_ON
        is_text = rate_emphasis(before, self._layout.body_of(line.page)) == 0
        return is_text and len(before.text) > (_RUN_ON if before.right < line.right else _RUN_ON_COLUMN)

    def _stands_apart(self, lines: Sequence[Line], position: int) -> bool:
        """For titles that name their place ("Item 4."): a gap above, and a title's length."""
        line = lines[position]
        pitch = self._layout.line_pitch(line.style)
        before = lines[position - 1] if position else None
        if form_of(line.text).family == STATEMENT and _is_in_index(lines, position):
            return False
        if (
            before is not None
            and 0 < line.top - before.top < _NO_GAP * pitch
            and form_of(before.text).family not in NAMED
        ):
            return False
        words = line.text.split()
        if len(words) < 2 and form_of(line.text).family != CHAPTER:
            return len(line.text) < _LONE_WORD
        return len(words) <= _NAMED_WORDS and (words[0][:1].isupper() or words[0][:1] == "§")

    def _is_numbered_alone(self, page: Page, lines: Sequence[Line], position: int) -> bool:
        """A short numbered line without emphasis, parted from what is above and below, and no item of a list."""
        line, pitch = lines[position], self._layout.line_pitch(lines[position].style)
        short = len(line.text.split()) <= _PLAIN_WORDS and line.right - line.left < _SHORT * page.width
        if not short or SENTENCE_END.search(line.text) or _MONEY.search(line.text) or position + 1 == len(lines):
            return False
        following = lines[position + 1]
        gaps = [following.top - line.top] + ([line.top - lines[position - 1].top] if position else [])
        form, next_form = form_of(line.text), form_of(following.text)
        same_list = next_form.family == NUMBERED and next_form.depth <= form.depth
        return not same_list and len(following.text) > _PROSE and not any(0 < gap < _NO_GAP * pitch for gap in gaps)

    def _alone(self, lines: Sequence[Line], position: int) -> bool:
        """Whether white space or the page's edge parts a weakly set off line from the one above, and it ends early."""
        line = lines[position]
        pitch = self._layout.line_pitch(line.style)
        if position and 0 < line.top - lines[position - 1].top < _CLOSE * pitch:
            return False
        if position + 1 == len(lines):
            return True
        following = lines[position + 1]
        if line.looks_like(following) and 0 < following.top - line.top < _CLOSE * pitch:
            end = self._find_block_end(lines, position)
            return self._prose_follows(lines, end, lines[end - 1])
        return line.right < following.right - 2 * line.style.size or following.style != line.style

    def _titles(self, last: Line, following: Line) -> bool:
        """Whether a line is the title of the label above it: "ARTICLE V." """
        stands_out = rate_emphasis(following, self._layout.body_of(following.page)) >= 2
        is_kept = form_of(f"{last.text} {following.text}") == form_of(last.text)
        return stands_out and is_kept and _is_aligned(last, following) and form_of(following.text).family == PLAIN

    def _continues(self, taken: Sequence[Line], following: Line) -> bool:
        last = taken[-1]
        gap = following.top - last.top
        text, form = following.text.strip(), form_of(taken[0].text)
        is_label = len(taken) == 1 and form.label != "" and form.family != NUMBERED and len(last.text.split()) == 2
        widest = (_LABEL_GAP if is_label else _TITLE_GAP) * max(last.height, following.height)
        if following.page != last.page or not 0 < gap < widest:
            return False
        if is_label and self._titles(last, following):
            return True
        if not last.looks_like(following) or following.lead > following.start:
            return False
        if form_of(text).family != PLAIN or UNITS_LINE.match(text) or PERIOD.match(text):
            return False
        if SENTENCE_END.search(last.text.rstrip()) and not last.text.rstrip().endswith(":"):
            bare = form.family in NAMED and len(last.text.split()) <= 2
            return bare and is_caps(last.text) == is_caps(text)
        unfinished = is_unfinished(last.text.rstrip()) or text[:1].islower()
        width = last.right - last.left
        full = width > _FULL_SHARE * (following.right - following.left) and width > _FULL_WIDTH
        tight = gap < _TIGHT * max(last.height, self._layout.line_pitch(last.style))
        bare = form.label != "" and len(last.text.split()) <= 2
        is_title = last.style.size > self._layout.body_of(last.page).size + _LARGER or not self._layout.at_margin(last)
        joined = is_title and gap < _BLOCK * last.style.size and _is_aligned(last, following)
        return unfinished or bare or (((full and tight) or joined) and is_caps(last.text) == is_caps(text))


def _is_aligned(one: Line, other: Line) -> bool:
    """Whether two lines begin at the same edge or have one middle, as those of one title do."""
    middles = abs(one.left + one.right - other.left - other.right) / 2
    return min(abs(one.left - other.left), middles) < _SAME_LEFT


_TITLE_OF_EXHIBIT = (CHAPTER - 0.5, 0)
_BOOKMARK, _TITLE = -1, (-0.5,)
_LISTED_SHARE = 0.4
"""Share of the headings of one look that the contents must name, if the look is one of listed headings."""
_BARE_SHARE, _MOSTLY_BARE = 0.34, 0.5
"""Share of the headings of one look, at most, that another one follows at once, if these are above it; and the same of
the headings of one title, at least."""
_SAME_LEVEL_SIZE = 0.6
"""Points within which type sizes are compared by which heading is above which."""
_MORE_WINS = 2
"""Times more often that a look must stand above another one of its size than below it, to count as higher."""
_FEWEST_NUMBERED = 2
"""A look shows the depth of numbered headings when more of them than this agree on it."""
_LEVEL_GAP = 2.2
"""Heights of a line below which two headings may be one title over two lines."""
# A note stands below the notes' own title but never below a statement; a statement may be discussed inside a note.
_NOTES, _NOTE, _STATEMENT = (STATEMENT, 0), (STATEMENT, 1), (STATEMENT, 2)
_INNER_CONTENTS = (PLAIN, 0, 0)
Order = tuple[float, ...]
Looks = tuple[float, ...]
_Key = TypeVar("_Key")


def assign_levels(headings: Sequence[Heading]) -> None:
    """Set `level` (from 0): a heading is below the nearest one before it that ranks higher."""
    ranks = _Ranks(headings)
    stack: list[_OpenHeading] = []
    before: Heading | None = None
    contents_seen = False
    for heading, following in itertools.zip_longest(headings, headings[1:]):
        order = ranks.order(heading)
        if following is not None and ranks.stands_above(heading, following):
            *family, depth = ranks.order(following)
            order = (*family, depth - 0.5)
        is_exhibit = before is not None and before.form.label.startswith("Exhibit") and len(before.title.split()) == 2
        if is_exhibit and heading.form.family == PLAIN:
            order = _TITLE_OF_EXHIBIT
        if before is None and ranks.is_title(heading):
            order = _TITLE
        if is_contents_title(heading.title):
            order = _INNER_CONTENTS if contents_seen else order
            contents_seen = True
        notes = next((depth for depth, place in enumerate(stack) if place.order == _NOTES), None)
        if order == _STATEMENT and notes is not None and any(p.order[0] == NUMBERED for p in stack[notes:]):
            order = (PLAIN, 1, 0)  # a statement discussed inside a numbered note
        while stack and (stack[-1].order >= order or stack[-1].is_over(heading)):
            stack.pop()
        if order == _STATEMENT and stack and stack[-1].order == _NOTES:
            stack.pop()  # a report, or notes that are only announced: statements follow it and do not belong to it
        heading.level = len(stack)
        stack.append(_OpenHeading(order, heading))
        before = heading


@dataclass(frozen=True, slots=True)
class _OpenHeading:
    order: Order
    heading: Heading

    def is_over(self, following: Heading) -> bool:
        """Contents and signatures end with their page."""
        return closes_soon(self.heading.title) and following.page > self.heading.page


def _describe_looks(heading: Heading) -> Looks:
    """Size, tone, capitals, weight, slant: smaller is higher where nothing else is known."""
    style = heading.style
    return (-style.size, -style.tone, not heading.caps, not style.bold, style.italic, heading.sentence)


def _describe_title(heading: Heading) -> tuple[Looks, str]:
    return _describe_looks(heading), letters_of(heading.title)


def _share_bare(headings: Sequence[Heading], key: Callable[[Heading], _Key]) -> dict[_Key, float]:
    """For each kind of heading the share of those that another one follows at once."""
    members, bare = Counter(map(key, headings)), Counter(key(heading) for heading in headings if heading.is_bare)
    return {own: bare[own] / count for own, count in members.items()}


class _Ranks:
    def __init__(self, headings: Sequence[Heading]) -> None:
        self._numbered = _numbered_looks(headings)
        sizes = Counter(heading.style.size for heading in headings)
        self._largest_alone = max(sizes, default=0.0) if sizes and sizes[max(sizes)] == 1 else None
        self._reports = any(heading.form.family in (PART, ITEM) and heading.form.label for heading in headings)
        self._places = _order_looks(headings)
        members, listed = (
            Counter(map(_describe_looks, headings)),
            Counter(_describe_looks(h) for h in headings if h.listed),
        )
        self._listed = {looks for looks, count in listed.items() if count >= _LISTED_SHARE * members[looks]}
        self._bare = _share_bare(headings, _describe_looks)
        self._bare_titles = _share_bare(headings, _describe_title)
        self._inner = _find_inner(headings)

    def order(self, heading: Heading) -> Order:
        """Where a heading ranks."""
        if heading.bookmark is not None:
            return (_BOOKMARK, heading.bookmark)
        form, looks = heading.form, _describe_looks(heading)
        if form.family == STATEMENT:
            # An auditor's report ends the notes before it, as their own title does.
            return _STATEMENT if is_statement_title(heading.title) else _NOTES
        if form.family == NOTE:
            return _NOTE
        if form.family != PLAIN:
            return (form.family, form.depth)
        if looks in self._numbered:
            return (*self._numbered[looks], *((1,) if id(heading) in self._inner else ()))
        return (PLAIN, looks not in self._listed, self._places[looks])

    def stands_above(self, heading: Heading, following: Heading) -> bool:
        """Whether a heading right over another one, nothing between them, is above it, though it ranks no higher.

        It must look as strong; where it looks the same, most headings of that look must have a text of their own. A
        title that comes again is above others if it mostly stands right over one.
        """
        if not heading.is_bare or not heading.is_plain or following.bookmark is not None:
            return False
        own, other = _describe_looks(heading), _describe_looks(following)
        fits = own < other or (own == other and self._bare[own] <= _BARE_SHARE)
        fits = fits and self._bare_titles[_describe_title(heading)] >= _MOSTLY_BARE
        return fits and following.form.family >= NUMBERED and self.order(heading) >= self.order(following)

    def is_title(self, heading: Heading) -> bool:
        """Whether a first heading is the title: larger than all others, in a work without parts and items."""
        return self._largest_alone == heading.style.size and not self._reports


def _find_inner(headings: Sequence[Heading]) -> set[int]:
    """Ids of unnumbered headings between numbers n and n + 1 that look like these: they are below n, not beside it."""
    inner: set[int] = set()
    since: dict[Looks, tuple[str, list[int]]] = {}
    for heading in headings:
        looks = _describe_looks(heading)
        if heading.form.family == NUMBERED:
            label, found = since.get(looks, ("", []))
            inner.update(found if _is_next(label, heading.form.label) else ())
            since[looks] = heading.form.label, []
        elif looks in since:
            since[looks][1].append(id(heading))
    return inner


def _is_next(label: str, following: str) -> bool:
    """Whether one number follows another: "3" and "4", "2.1" and "2.2"."""
    (*above, own), (*above_following, other) = label.split("."), following.split(".")
    return above == above_following and own.isdecimal() and other.isdecimal() and int(other) == int(own) + 1


def _numbered_looks(headings: Sequence[Heading]) -> dict[Looks, Order]:
    """Looks shared by numbered headings of one depth: an unnumbered heading that looks the same ranks with them."""
    depths: dict[Looks, Counter[int]] = defaultdict(Counter)
    for heading in headings:
        if heading.form.family == NUMBERED:
            depths[_describe_looks(heading)][heading.form.depth] += 1
    return {
        looks: (NUMBERED, next(iter(found)))
        for looks, found in depths.items()
        if len(found) == 1 and found.total() > _FEWEST_NUMBERED
    }


def _order_looks(headings: Sequence[Heading]) -> dict[Looks, int]:
    """Places of all looks: by size, then by which of them directly heads the other in this document, then by looks."""
    above: Counter[tuple[Looks, Looks]] = Counter()
    for one, other in itertools.pairwise(headings):
        if _touches(one, other):
            above[_describe_looks(one), _describe_looks(other)] += 1
    ranked = sorted({_describe_looks(heading) for heading in headings})
    for end, _ in enumerate(ranked):
        for place in range(len(ranked) - 1 - end):
            upper, lower = ranked[place : place + 2]
            if lower[0] - upper[0] < _SAME_LEVEL_SIZE and above[lower, upper] - above[upper, lower] > _MORE_WINS:
                ranked[place : place + 2] = [lower, upper]
    return {own: place for place, own in enumerate(ranked)}


def _touches(one: Heading, other: Heading) -> bool:
    if not one.lines or not other.lines:
        return False
    last, first = one.lines[-1], other.lines[0]
    return last.page == first.page and 0 < first.top - last.bottom < _LEVEL_GAP * first.height
