"""The time between two events, each of which the text dates once: minutes between times of day, days between dates."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.figures.figure import format_number
from vectorless_web.engine.passages.passage import pieces_of
from vectorless_web.engine.relations.rows import RowsRead, RowTask, TableRow, Terms, WorkedCell, terms_of
from vectorless_web.engine.text.dates import dates_in, times_in

_HOW_LONG = (
    r"^\W*(?:by\s+)?how\s+(?:(?:many|much)\s+(?P<unit>minutes?|hours?|days?|weeks?|time)|long)\b"
    r"(?P<verb>[^?]{0,40}?)\s*"
)
_ASKED = tuple(
    re.compile(_HOW_LONG + rest + r"[\s?.]*$", re.IGNORECASE)
    for rest in (
        r"\bbetween\s+(?P<a>.+?)\s+and\s+(?P<b>.+?)",
        r"\bfrom\s+(?P<a>.+?)\s+(?:to|until|till)\s+(?P<b>.+?)",
        r"\bafter\s+(?P<a>.+?),?\s+(?:did|was|were|had)\s+(?P<b>.+?)",
        r"\bbefore\s+(?P<b>.+?),?\s+(?:did|was|were|had)\s+(?P<a>.+?)",
    )
)
_UNDER_WAY = re.compile(
    r"^\W*how\s+(?:(?:many|much)\s+(?P<unit>minutes?|hours?|days?|weeks?|time)|long)"
    r"\s+(?:had|has|have|was|were|is|did)\s+.+?\s+(?:been\s+|be\s+|spend\s+)?"
    r"(?:in the air|airborne|flying|(?:up )?aloft|on (?:its|the|his|her|their) way|under ?way|(?:out )?at sea"
    r"|on the (?:road|move|water)|sailing|travelling|driving|en route)"
    r"\s+(?:when|before|until|till)\s+(?P<b>.+?)[\s?.]*$",
    re.IGNORECASE,
)
"""A question for how long something had been moving when something happened: its first event is the departure."""
_CRASHED = re.compile(r"\b(?:came|went|fell) down\b|\bhit the (?:ground|water|sea|trees)\b", re.IGNORECASE)
_SAME_EVENT = tuple(
    terms_of(words)
    for words in (
        "departure departed depart left leave leaves took off takeoff sailed",
        "arrival arrived arrive arrives landed landing reached docked",
        "start started starts begin began begun beginning commenced opening opened",
        "end ended ends finish finished close closed closing completed completion",
        "publication published publish issued issue released release",
        "accident crash crashed collision collided impact",
        "signing signed signature sign",
        "appointment appointed",
        "call called alarm alarmed raised",
    )
)
"""Words by which one event is told of, as a noun or as a verb."""

_NO_EVENT = terms_of(
    "time date day moment hour event when took place happened passed elapsed lay lie its the first last"
)
_MILITARY = re.compile(
    r"(?<![\d.,:/$€£-])(?P<hour>[01]\d|2[0-3])(?P<minute>[0-5]\d)\s*(?=(?:hours|hrs?|local|[ECMP][SD]T|UTC|GMT"
    r"|(?:eastern|central|mountain|pacific|alaska|hawaii)\b)\b)",
    re.IGNORECASE,
)
_ZONE = re.compile(
    r"^\s*(?P<zone>local|[ECMP][SD]T|UTC|GMT|(?:eastern|central|mountain|pacific)(?: standard| daylight)? time)\b",
    re.IGNORECASE,
)
_DATE_FIELD = re.compile(
    r"^\W*(?:date|time|when|date\s*(?:&|and|/)\s*time|date\s+of\s+\w+|time\s+of\s+\w+)\s*:", re.IGNORECASE
)
_CUT = re.compile(r",\s+(?:and\s+)?|;\s+|\s+and\s+|\s+but\s+", re.IGNORECASE)
_VERBS = r"(?:was|were|is|are|has|had|did|[a-z]{2,}ed|began|left|took|came|went|fell|rose|broke|ran|stood|set)"
_SUBJECT = re.compile(rf"(?P<name>.{{3,80}}?)\s+{_VERBS}\b")
_VERB_FIRST = re.compile(rf"(?:then\s+|finally\s+|again\s+)?{_VERBS}\b")
"""A clause without a subject of its own has that of its sentence: "began on 3 May and was finished on 9 May"."""

LONGEST_CLAUSE = 400
"""Characters of a sentence or field in which an event is dated."""


@dataclass(frozen=True, slots=True)
class Moment:
    """When something was: its words, the time as printed, minutes after midnight or the day's number, and its quote."""

    words: Terms
    told: str
    value: int
    zone: str
    key: int
    page_index: int
    quote: str
    start: int


def read_span(document: str, tree: Tree, opened: Collection[int], question: str, title: str = "") -> RowsRead | None:
    """The time between the two events of the question; None unless each is dated once, and in the same way."""
    match = next((found for pattern in _ASKED if (found := pattern.match(question))), None)
    moving = _UNDER_WAY.match(question) if match is None else None
    if match is None and moving is None:
        return None
    if moving is not None:
        unit, names = (
            (moving["unit"] or "").lower().rstrip("s"),
            ("departure", _CRASHED.sub("crash", moving["b"].strip())),
        )
    elif match is not None:
        unit, names = (match["unit"] or "").lower().rstrip("s"), (match["a"].strip(), match["b"].strip())
    if len(_event_of(names[0])) == 1 and " of " in names[1] and " of " not in names[0]:
        # "the start and the end of the repair": what starts is told with the end.
        names = (f"{names[0]} of {names[1].partition(' of ')[2]}", names[1])
    events = [_event_of(name) for name in names]
    if not all(events) or events[0] == events[1]:
        return None
    keys = sorted(key for key in opened if tree.is_leaf(key))
    kinds = [True] if unit in ("minute", "hour") else [False] if unit in ("day", "week") else [True, False]
    for is_time in kinds:
        moments = [moment for key in keys for moment in _moments(tree, key, title, is_time=is_time)]
        pair = [_choose(moments, event) for event in events]
        if pair[0] is not None and pair[1] is not None:
            return _read_of(document, tree, (pair[0], pair[1]), names, unit, is_time=is_time)
    return None


def _event_of(words: str) -> frozenset[Terms]:
    """What an event is told by: for each of its content words the terms that may stand for it."""
    return frozenset(
        next((same for same in _SAME_EVENT if term in same), frozenset({term})) for term in terms_of(words) - _NO_EVENT
    )


def _moments(tree: Tree, key: int, title: str, *, is_time: bool) -> Iterator[Moment]:
    node = tree.node(key)
    for piece in pieces_of(node):
        if len(piece.text) > LONGEST_CLAUSE:
            continue
        found = list(_times(piece.text) if is_time else _days(piece.text))
        around = terms_of(f"{title} {' '.join(tree.path(key))}") if _DATE_FIELD.match(piece.text) else frozenset()
        if node.kind is NodeKind.TABLE and "\t" in piece.text and len(found) > 1:
            continue
        for place, (start, end, told, value) in enumerate(found):
            left = found[place - 1][1] if place else 0
            right = found[place + 1][0] if place + 1 < len(found) else len(piece.text)
            clause = _clause(piece.text, left, right, start, end, is_first=not place)
            zone = match["zone"].lower() if (match := _ZONE.match(piece.text[end:])) else ""
            yield Moment(terms_of(clause) | around, told, value, zone, key, node.page_start, piece.text, piece.start)


def _clause(text: str, left: int, right: int, start: int, end: int, *, is_first: bool) -> str:
    """The words of a sentence that belong to one of its dates: from the cut before it to the cut behind it."""
    before = 0 if is_first else left + (cut.end() if (cut := _CUT.search(text[left:start])) else 0)
    cut = _CUT.search(text[end:right]) if right < len(text) else None
    clause = text[before : end + cut.start() if cut else right]
    subject = _SUBJECT.match(text) if before and _VERB_FIRST.match(clause) else None
    return f"{subject['name']} {clause}" if subject else clause


def _times(text: str) -> Iterator[tuple[int, int, str, int]]:
    known = [(time.start, time.end, time.text, time.minutes) for time in times_in(text)]
    known += [
        (match.start(), match.end("minute"), text[match.start() : match.end("minute")],
         int(match["hour"]) * 60 + int(match["minute"]))
        for match in _MILITARY.finditer(text)
        if all(not start <= match.start() < end for start, end, *_ in known)
    ]  # fmt: skip
    yield from sorted(known)


def _days(text: str) -> Iterator[tuple[int, int, str, int]]:
    for mention in dates_in(text):
        day = mention.readings[0].date if len(mention.readings) == 1 else None
        if day is not None:
            yield mention.start, mention.end, mention.text, day.toordinal()


def _choose(moments: Sequence[Moment], event: frozenset[Terms]) -> Moment | None:
    """The one moment of which the text says all words of the event; None where two differ."""
    held = [moment for moment in moments if all(_is_said(same, moment.words) for same in event)]
    return held[0] if held and len({(moment.value, moment.zone) for moment in held}) == 1 else None


def _is_said(same: Terms, words: Terms) -> bool:
    """Whether one of the terms is said, or a word of the same beginning: "failure" of what "failed"."""
    if same & words:
        return True
    starts = {term[:LONGEST_START] for term in same if len(term) >= SHORTEST_START}
    return any(
        len(word) >= SHORTEST_START and (start.startswith(word[:LONGEST_START]) or word.startswith(start))
        for word in words
        for start in starts
    )


SHORTEST_START, LONGEST_START = 4, 5
"""Letters by which a verb and its noun begin alike; of three letters too many words do."""


def _read_of(
    document: str, tree: Tree, pair: tuple[Moment, Moment], names: tuple[str, str], unit: str, *, is_time: bool
) -> RowsRead | None:
    first, last = pair
    length = last.value - first.value
    if length <= 0 or (first.zone and last.zone and first.zone != last.zone):
        return None
    rows = tuple(
        TableRow(name.strip(), (moment.told,), moment.key, moment.page_index, moment.quote, moment.start)
        for name, moment in zip(names, pair, strict=True)
    )
    worked = WorkedCell(_tell_minutes(length, unit) if is_time else _tell_days(length, unit), "", ())
    path = tree.path(first.key)
    return RowsRead(RowTask.SPAN, document, path[-1] if path else "", ("", ""), rows, SPAN_FIT, total=len(rows),
                    worked=(worked,), is_table=False)  # fmt: skip


SPAN_FIT = 0.88
"""Fit of a time between two events: each of their words is said beside its date."""


def _count(number: Decimal | int, noun: str) -> str:
    return f"{format_number(Decimal(number))} {noun}{'' if number == 1 else 's'}"


def _tell_minutes(length: int, unit: str) -> str:
    hours, minutes = divmod(length, 60)
    if unit == "minute" or length < 2 * 60:
        return _count(length, "minute")
    return " ".join([_count(hours, "hour"), *([_count(minutes, "minute")] if minutes else [])])


def _tell_days(length: int, unit: str) -> str:
    if unit == "week" and length % 7 == 0:
        return _count(length // 7, "week")
    return _count(length, "day")
