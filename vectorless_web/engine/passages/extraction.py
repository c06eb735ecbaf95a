"""Copies the sentences, list items and table rows that answer a question in words, with what belongs to them."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from vectorless_web.engine.documents.node import Cell, Node, NodeKind, Row
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.passages.causes import find_effect, names_reason
from vectorless_web.engine.passages.checks import is_met, names_holder, names_office, tells_decision
from vectorless_web.engine.passages.context import (
    NAMED_VALUE,
    Reading,
    Rule,
    Span,
    announced_noun,
    states_something,
)
from vectorless_web.engine.passages.fields import names_value, tell_field
from vectorless_web.engine.passages.overview import (
    ASKS_END,
    find_conclusion,
    find_contact,
    find_listed,
    find_message_lines,
    find_parties,
    find_points,
    find_purpose,
    find_registered,
    find_term,
    find_wording,
    topic_of,
)
from vectorless_web.engine.passages.passage import Part, Passage, Standing, TextPiece, is_form, pieces_of
from vectorless_web.engine.questions.plan import Intent, QueryPlan
from vectorless_web.engine.questions.requirements import (
    Requirement,
    Wanted,
    alternatives_in,
    asks_changes,
    asks_for,
    asks_manner,
    find_must_show,
    requirements_of,
    without_changes,
)
from vectorless_web.engine.questions.wordings import other_wordings
from vectorless_web.engine.ranking.finder import Finder
from vectorless_web.engine.text.analyser import analyse
from vectorless_web.engine.text.bands import bounds_in
from vectorless_web.engine.text.quantities import quantities_in

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
    if len(_join_words(row.cells[0]).split()) >= SENTENCE and row.label not in row.cells[0].text:
        # "35,000: Target, Number" keeps back the sentence with which the row begins.
        return ""
    said = [(finder.said_terms(column.header), place) for place, column in enumerate(table.columns)]
    ranked = sorted(((share, place) for share, place in said if place and _has_cell(row, place)), reverse=True)
    if not ranked or ranked[0][0] <= 0 or (len(ranked) > 1 and ranked[1][0] == ranked[0][0]):
        return ""
    header = " ".join(table.columns[ranked[0][1]].header.split())
    if any(character.isdigit() for character in header) or set(analyse(header)) <= set(analyse(row.label)):
        return ""
    return f"{_join_words(row.cells[ranked[0][1]])}: {' '.join(row.label.split())}, {header}."


def tell_row(node: Node, start: int) -> str:
    """ "Ines Falk – Office: Chair; Since: 2019" for the row that starts there; "" where columns have no headers."""
    table = node.table
    row = next((row for row in table.rows if row.offset <= start < row.offset + row.length), None) if table else None
    if table is None or row is None or row.is_header or not row.label or len(table.columns) > MOST_TOLD:
        return ""
    heads = [" ".join(column.header.split()) for column in table.columns[1 : len(row.cells)]]
    # A form's boxes read as a table have fields, not headers, in their first row.
    is_form = row.label.rstrip().endswith(":") or any(":" in head for head in heads)
    if is_form or not heads or not all(heads) or any(len(head) > LONGEST_HEAD for head in heads):
        return ""
    cells = [f"{head}: {text}" for head, cell in zip(heads, row.cells[1:], strict=False) if (text := _join_words(cell))]
    return f"{' '.join(row.label.split())} – {'; '.join(cells)}" if cells else ""


MOST_TOLD, LONGEST_HEAD, SENTENCE = 5, 40, 8
"""Columns of a row that is told with its headers, characters of a header, and words that make a cell a sentence."""


def _has_cell(row: Row, place: int) -> bool:
    return place < len(row.cells) and any(character.isalnum() for character in row.cells[place].text)


def _join_words(cell: Cell) -> str:
    return " ".join(cell.text.split())


PER_NODE, PER_FORM = 4, 16
"""Pieces taken from one node at most, and fields of a form, each of which is about something else."""

NODE_SHARE, PAGE_SHARE, KIND_SHARE = 0.15, 0.2, 0.15
"""Shares of a piece's fit: its node's rank, its page's, the kind asked for; the rest is what it says."""

KIND_SHARES = {Wanted.CAUSE: 0.25, Wanted.DATE: 0.3, Wanted.SPAN: 0.25, Wanted.DEFINITION: 0.25, Wanted.PERSON: 0.2}
"""Kinds without which a piece is hardly an answer."""

BRIEF, HALF_BRIEF = 0.5, 12
"""What a piece that says nothing of the question by its words loses of its fit for being short, as a share, and the
distinct terms at which it loses half of that: few words that match say less than many around them. Measured on everyday
questions, 40 of 84 gold pieces come first where 35 do without it; of questions on financial texts 139 of 188 where
136 do, on privacy policies 69 of 144 where 68 do. At .25 and .8 everyday questions stay at 38 and 40."""

SHORTEST = 25
"""A shorter piece of running text is a heading or a scrap."""

SHORTEST_ROW = 6
"""A shorter row or list item holds no fact."""


def find_passages(
    document: str,
    nodes: Iterable[tuple[Node, float, str]],
    finder: Finder,
    nearness: Mapping[str, float] | None = None,
    within: Collection[int] | None = None,
) -> list[Passage]:
    """Pieces of the given nodes that say something of the question, best first.

    `nodes` are (node, its retrieval fit, where it stands in words). `nearness` are shares in [0, 1]
    by the text of a piece, which raise its fit; without any the words decide. What belongs to a piece is
    looked for in the nodes `within`, when they are given.
    """
    reading, requirements = Reading(finder.document.tree, within), requirements_of(finder.plan)
    asks = Asked(document, finder, reading, requirements)
    found: list[Passage] = []
    for node, fit, where in nodes:
        found.extend(_of_node(asks, node, fit, where))
    found.extend(_read_by_place(asks, within))
    found.extend(_read_sections(asks))
    if nearness:
        found = weigh_nearness(found, nearness)
    if nearness is not None:
        # What is only measured is measured piece by piece.
        found = _gather_lists(asks, [_weigh_announced(asks, passage) for passage in found])
    once = {
        (passage.key, passage.start, passage.is_list): passage for passage in sorted(found, key=_order, reverse=True)
    }
    return sorted(once.values(), key=_order)


NEARNESS_SHARE = 0.5
"""What nearness in meaning counts beside a fit by words that counts 1. The gold piece comes first for 47 of 78 everyday
questions (40 by words), 94 of 144 on privacy policies (85), 40 of 64 on reports and papers (31), 186 of 218 of our own
(173); .3 gives 45, 92, 36 and 182, and 1 gives 45, 92, 40 and 187."""


def mix_nearness(fit: float, near: float) -> float:
    """A fit in [0, 1] by words and a nearness in [0, 1], 0 for what was not measured, as one fit in [0, 1]."""
    return (min(1.0, fit) + NEARNESS_SHARE * near) / (1.0 + NEARNESS_SHARE)


def words_measured(passage: Passage) -> str:
    """The words by which a passage's nearness is measured: a list's lead-in and items, else its sentence."""
    return " ".join(part.quote for part in passage.parts) if passage.is_list else passage.quote


def weigh_nearness(passages: Sequence[Passage], nearness: Mapping[str, float]) -> list[Passage]:
    """The passages with their nearness in meaning in their fit; what was not measured counts as far."""
    weighed = [_weigh(passage, nearness.get(words_measured(passage))) for passage in passages]
    level = find_level(nearness.values())
    best = max((passage.words_fit for passage in weighed), default=0.0)
    near, fits = _best_by_node(weighed, lambda p: p.nearness or 0.0), _best_by_node(weighed, lambda p: p.fit)
    return [
        passage
        if passage.nearness is None
        else replace(
            passage,
            standing=Standing(
                passage.nearness - _best_elsewhere(near, passage),
                passage.nearness - level,
                passage.fit - _best_elsewhere(fits, passage),
                passage.words_fit >= best - ROUNDING,
            ),
        )
        for passage in weighed
    ]


LEVEL = 0.4
"""The share of all that was measured above which a passage's nearness is told. Only what fits best by its words is
measured, so that this is where the middle of half as many more lies: 0.00 apart on everyday questions, .02 on
privacy policies."""


def find_level(shares: Collection[float]) -> float:
    """The nearness below which LEVEL of the shares lie, by a straight line between two; of one or more in [0, 1]."""
    ordered = sorted(shares)
    place = LEVEL * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


ROUNDING = 1e-9
"""What two fits may differ by and count as equal."""


def _weigh(passage: Passage, near: float | None) -> Passage:
    fit = mix_nearness(passage.fit, near or 0.0)
    return replace(passage, fit=fit, nearness=near, raised=fit - passage.fit)


def _best_by_node(passages: Sequence[Passage], measure: Callable[[Passage], float]) -> list[tuple[float, int]]:
    """The best measure of each node's passages, highest first."""
    best: dict[int, float] = {}
    for passage in passages:
        best[passage.key] = max(measure(passage), best.get(passage.key, 0.0))
    return sorted(((share, key) for key, share in best.items()), reverse=True)


def _best_elsewhere(best: Sequence[tuple[float, int]], passage: Passage) -> float:
    """The best of nodes that the passage quotes nothing of."""
    own = {passage.key, *(part.key for part in passage.parts)}
    return next((share for share, key in best if key not in own), 0.0)


def leads_by_meaning(passage: Passage, passages: Sequence[Passage]) -> bool:
    """Whether it comes nearer to the question than any other node, and none has a better fit by words and meaning."""
    is_nearest = passage.standing is not None and passage.standing.ahead > 0.0
    return is_nearest and all(passage.fit >= other.fit for other in passages)


def _order(passage: Passage) -> tuple[bool, float, int, int]:
    return (not passage.place, -round(passage.fit, 9), passage.key, passage.start)


@dataclass(frozen=True, slots=True)
class Asked:
    """A document, what is asked of it, and how it is read."""

    document: str
    finder: Finder
    reading: Reading
    requirements: tuple[Requirement, ...]


_ASKS_OPENLY = re.compile(
    r"(?:^|[.!?;,]\s+)(?:and |but |so )?(?:(?:for|from|of|in|under|on) )?"
    r"(?:what|which)(?:['’]s)?\b(?! (?:if|time|date)\b)",
    re.IGNORECASE,
)
"""A question that may have several answers: "What may be taken out of my pay?\""""

_TURNS_ROUND = re.compile(
    r"\b(?:no|not|none|never|neither|nor|cannot|nothing|nobody|exclud\w+|exclusions?|except\w*|exempt\w*|forbid\w*"
    r"|forbidden|prohibit\w*|bann?\w*|bar(?:s|red)|refus\w+|reject\w*|den(?:y|ies|ied)|ineligible|disqualif\w*"
    r"|void|lapses?|stops?|stopped|prevent\w*|ruled? out|rules out|discounted|left out|avoid\w*|without|unless"
    r"|off limits"
    r"|out of bounds|un(?:able|acceptable|safe|covered|insured|suitable)|illegal|unlawful|wrong|fails?|failed|lack\w*"
    r"|miss\w*|lose|loses|lost|instead|keep\w* (?:\w+ )?(?:from|out|off|away))\b|n['’]t\b|\bnon-?(?=[a-z])",
    re.IGNORECASE,
)
"""What may turn round what is listed, by its own words or in a question: "are not covered", "What rules me out?\""""

_DENIES_LISTED = re.compile(
    r"\b(?:no|none|never|neither|cannot|nothing|not|discounted|ruled out)\b"
    r"(?! (?:later|longer|less|more|fewer|earlier|only|limited|exceed\w*)\b)"
    r"|n['’]t\b",
    re.IGNORECASE,
)
_OF_CASE = re.compile(r"^\W*(?:[\d.]+\s+)?(?:if|when|where|unless|once)\b[^,:]*[,:]|\b(?:if|unless|who|which)\b[^,:]*")
"""The case that a lead-in puts, or whom it is for: what this denies is not what is listed."""
_ASKED_OF_CASE = re.compile(r"\b(?:if|when|where|unless|in case)\b[^,:]*[,:]?", re.IGNORECASE)


def _is_turned_round(question: str, lead: str) -> bool:
    """Whether a lead-in denies of its items what a question asks, or asks what it grants.

    "Nothing showed that any of these played a part:" lists no causes, "These are paid back:" nothing that is not paid.
    """
    own = _OF_CASE.sub(" ", lead)
    if _TURNS_ROUND.search(question):
        return bool(_DENIES_LISTED.search(_ASKED_OF_CASE.sub(" ", question))) and not _TURNS_ROUND.search(lead)
    return bool(_DENIES_LISTED.search(own))


def _lead_of(passage: Passage) -> str:
    """The words that announce what a passage tells, up to their colon; "" for none."""
    lead = passage.parts[0].quote.rstrip() if passage.parts and not passage.place else ""
    return lead if lead.endswith(":") else ""


def _weigh_announced(asked: Asked, passage: Passage) -> Passage:
    """A passage; where several things are asked for and its lead-in turns them round, as one on something else."""
    question, lead = asked.finder.plan.focus, _lead_of(passage)
    if not lead or not _wants_list(asked) or not _is_turned_round(question, lead):
        return passage
    unmet = tuple(requirement.describe() for requirement in asked.requirements)
    return replace(passage, fit=passage.fit * OTHER_EFFECT, unmet=unmet, suffices=False)


def _gather_lists(asked: Asked, passages: Sequence[Passage]) -> list[Passage]:
    """The passages, a whole list in place of its lead-in and of items that say nothing asked which this does not.

    Where it is the lead-in that answers, all that it announces is the answer.
    """
    wanted = {requirement.wanted for requirement in asked.requirements}
    question = asked.finder.plan.focus
    if not wanted & {Wanted.MEMBERS, Wanted.STEPS} and not (_wants_list(asked) and _ASKS_OPENLY.search(question)):
        return list(passages)
    kept = list(passages)
    for whole in [passage for passage in passages if passage.is_list and _lead_of(passage)]:
        told = [passage for passage in kept if _is_told_by(asked, passage, whole)]
        best = max(told, key=lambda passage: passage.fit, default=None)
        if best is not None and whole in kept:
            kept = [passage for passage in kept if passage not in told]
            kept[kept.index(whole)] = _raise_to(whole, best)
    return kept


def _is_told_by(asked: Asked, passage: Passage, whole: Passage) -> bool:
    """Whether a list tells all that one of its items, or its lead-in, says of the question."""
    if passage.is_list or not _lead_of(passage) or passage.parts[0].quote != whole.parts[0].quote:
        return False
    is_in = any(
        part.key == passage.key and part.start <= passage.start < part.start + len(part.quote) for part in whole.parts
    )
    said = asked.finder.question_terms & set(analyse(passage.quote))
    return is_in and said <= set(analyse(whole.parts[0].quote))


def _raise_to(whole: Passage, best: Passage) -> Passage:
    """A list with the fit of what it takes the place of, where that is better."""
    if best.fit <= whole.fit:
        return whole
    return replace(
        whole,
        fit=best.fit + ROUNDING,
        said=max(whole.said, best.said),
        suffices=whole.suffices or (best.suffices and not whole.unmet),
        nearness=best.nearness,
        standing=best.standing,
        raised=best.raised,
    )


_LEADS_ELSEWHERE = re.compile(r"(?:\. ?){6,}\s*\w{0,5}\s*$")
"""How a line of a table of contents ends, which names what stands elsewhere: dots up to a page number."""


def _of_node(asked: Asked, node: Node, node_fit: float, where: str) -> list[Passage]:
    plan = asked.finder.plan
    if plan.intent is Intent.EXPLAIN and node.kind is NodeKind.TABLE and not _find_reasons(node):
        return []
    pieces = asked.reading.pieces(node.key)
    found = [
        _read_sentence(asked, node, place, node_fit, where)
        for place, piece in enumerate(pieces)
        if (len(piece.text) >= _least_length(node, piece.text) or _holds_office(asked, node, piece.text))
        and not _is_header(node, piece.start)
        and not _LEADS_ELSEWHERE.search(piece.text)
    ]
    found = [passage for passage in found if passage.fit > 0]
    found.sort(key=lambda passage: (-round(passage.fit, 9), passage.start))
    whole = _read_counted(asked, node, node_fit, where) or _read_list(asked, node, node_fit, where)
    if whole and found and _is_step(asked, whole, found[0]):
        # One step is no answer without the others.
        best = found[0]
        found = [passage for passage in found if not _is_step(asked, whole, passage)]
        return [replace(whole, fit=max(whole.fit, best.fit), said=max(whole.said, best.said)), *found[:PER_NODE]]
    if whole and found and node.kind is NodeKind.LIST and not _wants_list(asked):
        # One of several causes announced together is no answer without the others.
        return [replace(whole, fit=max(whole.fit, found[0].fit), said=max(whole.said, found[0].said))]
    if whole and _speak_together(found):
        whole = replace(whole, fit=max(whole.fit, found[0].fit + ROUNDING), said=max(whole.said, found[0].said))
    kept = found[: PER_FORM if is_form(node) else PER_NODE]
    return [*([whole] if whole else ()), *(_add_lead(asked, node, passage) for passage in kept)]


def _add_lead(asked: Asked, node: Node, passage: Passage) -> Passage:
    lead = _find_lead(node, passage.start, asked.finder, is_announced=bool(passage.parts))
    plan, document = asked.finder.plan, asked.finder.document
    told = "" if passage.parts else tell_field(passage.quote, plan)
    around = " ".join((*document.tree.path(node.key), document.title)) if told else ""
    is_value = bool(told) and not passage.unmet and names_value(passage.quote, plan, around)
    lead = (told if is_value else "") or lead or passage.lead or told
    return replace(passage, lead=lead, is_value=is_value) if lead else passage


def _find_reasons(node: Node) -> list[int]:
    """The places of a table's columns below which reasons stand."""
    columns = node.table.columns if node.table else ()
    return [place for place, column in enumerate(columns) if place and names_reason(column.header)]


def _tells_reason(node: Node, start: int) -> bool:
    """Whether the row that starts there has words in a column of reasons."""
    rows = node.table.rows if node.table else ()
    row = next((row for row in rows if row.offset <= start < row.offset + row.length), None)
    return row is not None and any(_has_cell(row, place) for place in _find_reasons(node))


def _is_step(asked: Asked, whole: Passage, passage: Passage) -> bool:
    """Whether a passage is one item of a list, or what announces it, where steps or consequences are asked for."""
    is_asked = any(each.wanted in (Wanted.STEPS, Wanted.CONSEQUENCE) for each in asked.requirements)
    places = [(part.key, part.start, part.start + len(part.quote)) for part in whole.parts]
    return is_asked and any(key == passage.key and a <= passage.start < b for key, a, b in places)


TOGETHER, FEWEST_TOGETHER = 0.8, 3
"""Share of the best item's fit that others of its list have, and how many must have it, for the list to be what is
asked for though its lead-in says little of the question. Chosen by hand."""


def _speak_together(items: Sequence[Passage]) -> bool:
    """Whether several items of one list fit as well as the best of them, so that not one but all are asked for."""
    return sum(item.fit >= TOGETHER * items[0].fit for item in items) >= FEWEST_TOGETHER


def _least_length(node: Node, text: str) -> int:
    """Characters that a piece has at least: a line "Telephone: 0400 55 12" says as much as a row."""
    is_text = node.kind is NodeKind.PARAGRAPH and not NAMED_VALUE.match(text)
    return SHORTEST if is_text else SHORTEST_ROW


def _is_header(node: Node, start: int) -> bool:
    """Whether a table's row names its columns: it says what stands below and answers nothing itself."""
    rows = node.table.rows if node.table else ()
    return len(rows) > 1 and any(row.is_header and row.offset <= start < row.offset + row.length for row in rows)


_EXPLAINS = re.compile(
    r"^\W*(?:why|how (?:come|did|was|were|is|are|does|do)|what (?:makes|made|explains|drove|caused))\b",
    re.IGNORECASE,
)
"""Questions for causes and ways, of which a text often gives several, a sentence each."""


_ASKS_MANNER = re.compile(
    r"^\W*how (?:is|are|was|were|will|must|should)\b.*\b\w+(?:ed|en|set|put|made|cut|done)\b", re.I
)
"""Questions for how something is done, which a text may tell in several sentences."""


def _rule_of(asked: Asked, key: int, place: int) -> Rule:
    """The rule that a piece belongs to: of steps all that leads up to it, of causes those beside it."""
    if any(requirement.wanted is Wanted.STEPS for requirement in asked.requirements):
        return asked.reading.steps_beside(key, place)
    if _ASKS_MANNER.search(asked.finder.plan.focus) and asked.reading.is_step(key, place):
        return asked.reading.steps_beside(key, place)
    if _EXPLAINS.search(asked.finder.plan.focus) or find_must_show(asked.finder.plan) is Wanted.CAUSE:
        return asked.reading.causes_beside(key, place)
    if sides := alternatives_in(asked.finder.plan.focus):
        return asked.reading.alternatives_beside(key, place, [own for _, own in sides])
    rule = asked.reading.rule(key, place)
    return _with_other_part(asked, key, place, rule) if len(asked.requirements) > 1 else rule


def _with_other_part(asked: Asked, key: int, place: int, rule: Rule) -> Rule:
    """A rule that answers one part of a question, with the sentence beside it that answers another one.

    It holds what that part asks for, which the rule does not, and says a word of it.
    """
    node = asked.finder.document.tree.node(key)
    if node.kind is not NodeKind.PARAGRAPH or rule.before or rule.rest or rule.after:
        return rule
    told = asked.reading.words(rule.spans)
    open_parts = [r for r in asked.requirements if r.wanted is not Wanted.LIMIT and not is_met(r, told)]
    if not open_parts or len(open_parts) == len(asked.requirements):
        return rule
    for beside, is_ahead in ((place - 1, True), (place + 1, False)):
        piece = asked.reading.pieces(key)[beside] if 0 <= beside < len(asked.reading.pieces(key)) else None
        if piece is not None and any(is_met(r, piece.text) and _says_word(r.part, piece.text) for r in open_parts):
            span = (Span(key, piece.start, piece.end),)
            return replace(rule, before=span) if is_ahead else replace(rule, after=span)
    return rule


def _says_word(part: str, text: str) -> bool:
    return not set(analyse(part)).isdisjoint(analyse(text))


def _read_sentence(asked: Asked, node: Node, place: int, node_fit: float, where: str) -> Passage:
    """One piece of a node with the rule it belongs to, measured against the question."""
    rule = _rule_of(asked, node.key, place)
    if any(requirement.wanted is Wanted.MEMBERS for requirement in asked.requirements):
        # What else stands in the clause may list something else.
        rule = replace(rule, rest=rule.completing)
    span = rule.sentence
    text = node.text[span.start : span.end]
    is_of_another = _is_of_another(asked, node, rule, where)
    is_unsaid = _prices_unsaid(asked)
    if is_of_another:
        rule = replace(rule, rest=rule.completing)
    beside = asked.reading.words(rule.beside)
    where, told = _part_statement(asked, node, where)
    around = f"{where} {_headers(node)}" if node.table else f"{where} {beside}"
    paragraph = node.text if node.kind is NodeKind.PARAGRAPH else ""
    near = f"{told} {paragraph[: span.end] if is_of_another else paragraph}".strip()
    # "An interest in item 8" is one in what the heading of item 8 names.
    around = f"{around} {asked.reading.titles_named(text)}".rstrip()
    said = _measure_said(asked.finder, text, around, near)
    whole = f"{beside} {text}" if beside else text
    if beside:
        said = (said + _measure_said(asked.finder, whole, where, near)) / 2
    # A column of prices says that its numbers are money.
    priced = f"{whole} {_headers(node)}" if node.table and any(map(str.isdigit, text)) else whole
    # What stands ahead of a sentence may be its cause, what stands behind it is none that it follows from.
    in_order = asked.reading.words((*rule.before, span, *rule.completing, *rule.after))
    held = {Wanted.AMOUNT: priced, Wanted.CAUSE: in_order}
    unmet = tuple(
        r
        for r in asked.requirements
        if (is_of_another and r.wanted in _OF_A_THING)
        or (is_unsaid and r.wanted is Wanted.AMOUNT)
        or (
            not is_met(r, held.get(r.wanted, whole), heading=where)
            and not (r.wanted is Wanted.CAUSE and _tells_reason(node, span.start))
        )
    )
    if _bounds_case(asked, text):
        said += BOUNDS_CASE * (1.0 - said)
    if not _tells_effect_asked(asked, f"{node.text[: span.start]} {find_effect(in_order)}", where):
        unmet = asked.requirements
    is_announcement = rule.spans[-1] == span and bool(_ANNOUNCES.search(text)) and not tells_decision(text)
    if is_announcement:
        unmet = asked.requirements
    parts = _copy(asked, rule.spans) if len(rule.spans) > 1 or rule.spans[0] != span else ()
    fit = _measure_fit(asked, text, node, said, node_fit, len(unmet)) * _period_worth(asked, f"{whole} {around}")
    is_holder = _holds_office(asked, node, text)
    is_empty = _is_index_entry(asked, node) or _only_repeats(asked, rule.spans)
    fit *= SAYS_NOTHING if is_empty else 1.0
    fit *= 1.0 if _tells_effect_asked(asked, find_effect(in_order), where) else OTHER_EFFECT
    return Passage(
        asked.document,
        node.key,
        node.page_start,
        text,
        span.start,
        span.end,
        where,
        min(1.0, fit * _measure_substance(whole, said) + (HOLDER if is_holder else 0.0)),
        said,
        lead=f"{_heading_of(asked, node)}: {' '.join(text.split())}" if is_holder and not parts else "",
        parts=parts,
        unmet=tuple(requirement.describe() for requirement in unmet),
        lacks_thing=_lacks_thing(asked),
        suffices=not (is_announcement or is_empty or is_of_another or is_unsaid)
        and _suffices(asked, said, unmet)
        and (said >= SAID_BY_ITSELF or _accounts_for_rarest(asked, said, f"{whole} {around}", near)),
    )


def _prices_unsaid(asked: Asked) -> bool:
    """Whether a number is asked for, of a thing the document never names: of a cabin where there are only tents."""
    finder = asked.finder
    if not any(each.wanted is Wanted.AMOUNT for each in asked.requirements):
        return False
    heaviest = max((piece.weight for piece in finder.aspects.pieces), default=0.0)
    things = {term for match in _THING_NAMED.finditer(finder.plan.focus) for term in analyse(match["thing"])}
    return any(p.weight >= AS_HEAVY * heaviest and p.ways[0] <= things - _SAID_BY_A_SUM for p in finder.unsaid)


def _lacks_thing(asked: Asked) -> bool:
    """Whether a yes or no is asked of a thing that the document never names: of a cabin where there are only tents."""
    finder = asked.finder
    if not any(each.wanted is Wanted.VERDICT for each in asked.requirements):
        return False
    heaviest = max((piece.weight for piece in finder.aspects.pieces), default=0.0)
    # What stands ahead of the question tells the case.
    question = re.split(r"[.!?]\s+", finder.plan.focus.strip())[-1]
    things = {term for match in _THING_ASKED.finditer(question) for term in analyse(match["thing"])}
    things -= {term for term in things if any(map(str.isdigit, term))}
    return any(p.weight >= AS_HEAVY * heaviest and p.ways[0] <= things for p in finder.unsaid)


_THING_ASKED = re.compile(r"\b(?:an?|the|my|our|your|any)\s+(?P<thing>[\w’'-]+(?:\s[\w’'-]+)?)", re.IGNORECASE)
"""How a question for yes or no names a thing, with a word that describes it: "an open fire"."""

_THING_NAMED = re.compile(
    r"\b(?:an?|the|my|our|your|per|each|every)\s+(?P<thing>[\w’'-]+)"
    r"(?=\s*[?.,;]|\s*$|\s+(?:of|in|on|at|for|from|by|with|per|if|when|costs?|charges?|earns?|weighs?|gets?|holds?)\b)",
    re.IGNORECASE,
)
"""How a question names the one thing that it is about."""

_OF_A_THING = frozenset({Wanted.AMOUNT, Wanted.DATE, Wanted.SPAN})
"""Kinds of which a paragraph may state several, each of another thing."""


def _is_of_another(asked: Asked, node: Node, rule: Rule, where: str) -> bool:
    """Whether a number or a date is of something else: the thing asked about is named only behind its sentence.

    In "The roof was renewed for £84,600. A lift will be installed." the sum is none of the lift.
    """
    if node.kind is not NodeKind.PARAGRAPH or not any(each.wanted in _OF_A_THING for each in asked.requirements):
        return False
    pieces = [piece for piece in asked.finder.aspects.pieces if piece.kind != "period"]
    pieces = [piece for piece in pieces if not piece.ways[0] <= _SAID_BY_A_SUM]
    if not pieces:
        return False
    until = node.text[: rule.sentence.end]
    held = asked.reading.words(rule.beside)
    left = asked.finder.aspects.left_over(f"{until} {held}", f"{where} {asked.finder.document.title}")
    heaviest = max(piece.weight for piece in pieces)
    behind = set(analyse(node.text[rule.sentence.end :]))
    main = [piece for piece in pieces if piece.weight >= AS_HEAVY * heaviest and piece in left]
    return any(way <= behind for piece in main for way in piece.ways)


AS_HEAVY = 0.95
"""Share of the weight of a question's weightiest word from which another tells as well what it is about."""


OTHER_EFFECT = 0.6
"""What the cause of another measure is worth, as a share: below what comes near the best (`NEAR_BEST`), so that it is
told beside no cause of the measure asked about. Chosen by hand."""


def _tells_effect_asked(asked: Asked, words: str, where: str) -> bool:
    """Whether words on an effect name the measure of which the cause is asked; true where no known one is asked about.

    "Gross margin fell due to freight" tells nothing of the operating margin, nor "Operating margin fell because of
    the lower gross margin" of the gross one.
    """
    if asked.finder.plan.intent is not Intent.EXPLAIN or find_must_show(asked.finder.plan) is not Wanted.CAUSE:
        return True
    return asked.finder.aspects.words_concept(words, where)


BOUNDS_CASE = 0.35
"""What a rule says of a case, as a share of what its words leave unsaid, that bounds the kind of number which the case
brings. Chosen by hand: more than a word of near meaning, less than the case in its own words."""

RULED = frozenset({Wanted.VERDICT, Wanted.STATEMENT, Wanted.STEPS, Wanted.CONSEQUENCE})
"""What is asked for where a case is told and a rule for it is looked for."""

_YEARS_OLD = re.compile(r"(?<![\w-])(?:\d{1,3}|[a-z]{3,9})[\s-]years?[\s-]old\b|\baged? \d{1,3}\b", re.IGNORECASE)
_AGE_BOUND = re.compile(
    r"\b(?:under|over|below|above|older than|younger than|aged?(?: of)?|turned|from)\s+"
    r"(?:(?:the )?age of\s+)?(?:\d{1,2}|ten|eleven|twelve|\w+teen|twenty-one)\b(?!\s?(?:[%°/:.-]|[a-z]+(?<!year)s\b))"
    r"|\b(?:\d{1,2}|\w+teen)\s+(?:years (?:old|of age)|(?:or|and) (?:over|older|under|younger|above))\b",
    re.IGNORECASE,
)


def _bounds_case(asked: Asked, text: str) -> bool:
    """Whether a rule bounds what the case asked about measures: the age of a child, the litres of a jug."""
    question = asked.finder.plan.question
    if not any(requirement.wanted in RULED for requirement in asked.requirements):
        return False
    if _YEARS_OLD.search(question):
        return bool(_AGE_BOUND.search(text))
    kinds = {quantity.dimension for quantity in quantities_in(question) if quantity.dimension}
    return bool(kinds) and any(bound.dimension in kinds for bound in bounds_in(text))


HOLDER = 0.25
"""What a name gains, as a difference of fits, that stands below a heading which is the office asked for. By hand."""

SAYS_NOTHING = 0.5
"""What words are worth, as a share, that only say where something stands, or nothing but what the question says."""

_ENTRY = re.compile(r"[^.!?:;$€£%]*[a-z)]\s\d{1,3}(?:,\s\d{1,3})*\s*")
_WHERE_ASKED = re.compile(r"\bpages?\b|\bwhere\b|\bindex\b", re.IGNORECASE)
INDEX_BEGINS, FEWEST_PAGES = 0.9, 20
"""The share of a document's pages behind which its index stands, and how many pages one with an index has, at least."""


def _holds_office(asked: Asked, node: Node, text: str) -> bool:
    """Whether a person is asked for by an office, and a name stands below a heading that says this and no more."""
    if not any(requirement.wanted is Wanted.PERSON for requirement in asked.requirements) or not names_holder(text):
        return False
    heading = _heading_of(asked, node)
    office = set(analyse(heading))
    return names_office(heading) and office <= set(analyse(asked.finder.plan.focus))


def _heading_of(asked: Asked, node: Node) -> str:
    tree = asked.finder.document.tree
    return " ".join(tree.node(tree.section_of(node.key)).title.split())


def _only_repeats(asked: Asked, spans: Sequence[Span]) -> bool:
    """Whether words say nothing that the question does not say itself, as a heading or a source line it names."""
    if any(requirement.wanted is Wanted.VERDICT for requirement in asked.requirements):
        return False
    said = set(analyse(asked.reading.words(tuple(spans))))
    return bool(said) and said <= asked.finder.question_terms


def _is_index_entry(asked: Asked, node: Node) -> bool:
    """Whether a paragraph at the end of a book is words and page numbers alone."""
    pages = len(asked.finder.document.pages)
    is_late = pages >= FEWEST_PAGES and node.page_start >= INDEX_BEGINS * pages and node.kind is NodeKind.PARAGRAPH
    return is_late and bool(_ENTRY.fullmatch(node.text)) and not _WHERE_ASKED.search(asked.finder.plan.focus)


def _part_statement(asked: Asked, node: Node, where: str) -> tuple[str, str]:
    """Where a node stands without the headings that state something by themselves, and those of them above it.

    What a heading states is said there: the text below may be about anything that bears it out.
    """
    stated = [
        title for title in asked.finder.document.tree.path(node.key) if title in where and states_something(title)
    ]
    for title in stated:
        where = where.replace(title, "")
    return where, " ".join(title for title in stated if title != node.title)


_ANNOUNCES = re.compile(
    r":\W*$|^\W*sources?: |^\W*% (?:of|who|saying)\b|\b__+\s"
    r"|^\W*(?:the )?(?:following|below) (?:table|chart|list|schedule|figure|graph)s? (?:[a-z]+ ){0,2}?"
    r"(?:sets?|shows?|presents?|summari[sz]es?|lists?|provides?|gives?|details?|contains?|illustrates?|represents?)\b",
    re.IGNORECASE,
)
"""What says that something follows, or what a chart beside it shows and where that is from, and does not say it."""


def _accounts_for_rarest(asked: Asked, said: float, text: str, near: str) -> bool:
    """Whether the weightiest word is not left over, where little is said or the kind asked for tells nothing."""
    is_open = bool({requirement.wanted for requirement in asked.requirements} & READ_INTO)
    is_told_by_form = any(requirement.wanted in TOLD_BY_FORM for requirement in asked.requirements)
    if is_told_by_form or said >= (READ_SAFELY if is_open else SAID_SAFELY):
        return True
    # A sum of money says that something is paid.
    told = _SAID_BY_A_SUM if any(each.wanted is Wanted.AMOUNT for each in asked.requirements) else frozenset()
    # Names in a row are members without being called so.
    told |= _SAID_BY_A_LIST if any(each.wanted is Wanted.MEMBERS for each in asked.requirements) else frozenset()
    pieces = [p for p in asked.finder.aspects.pieces if p.kind in ("word", "name") and not p.ways[0] <= told]
    heaviest = max((piece.weight for piece in pieces), default=0.0)
    left = [piece for piece in asked.finder.aspects.left_over(text, "", near) if not piece.ways[0] <= told]
    return all(piece.weight < heaviest for piece in left)


_SAID_BY_A_SUM = frozenset(analyse("pay pays paid cost costs price charge charged spend spent money"))
"""Words of which those on a price say the sum instead."""
_SAID_BY_A_LIST = frozenset(analyse("member members item items thing things kinds types"))
"""Words for what a list says one by one."""


SAID_SAFELY = 0.45
"""Share of the question from which its weightiest word may be missing ..."""

TOLD_BY_FORM = frozenset({Wanted.DEFINITION})
"""Kinds whose form tells an answer from anything else."""

READ_INTO, READ_SAFELY = frozenset({Wanted.VERDICT, Wanted.STATEMENT}), 0.55
"""... and of kinds that can be read into any sentence."""


def _measure_said(finder: Finder, text: str, around: str, near: str) -> float:
    """The share of the question that a piece says; of a question that is only a name, whether it names it."""
    if finder.aspects.pieces:
        return finder.coverage(text, around, near)
    terms = {term.term for term in finder.plan.terms}
    return len(terms & set(analyse(text))) / len(terms) if terms else 0.0


ENOUGH_SAID = 0.28
"""Least share of the question that an answer says."""

ENOUGH_OF_KIND = {Wanted.DEFINITION: 0.28, Wanted.VERDICT: 0.45, Wanted.CAUSE: 0.3, Wanted.STATEMENT: 0.3}
"""The same by what is asked for: the words of a definition tell it, while a verdict can be read into any sentence."""


SAID_BY_ITSELF = 0.62
"""Share of the question from which a passage answers though it does not look like the kind of thing asked for ..."""

HARD_KINDS = frozenset(
    {Wanted.MEMBERS, Wanted.AMOUNT, Wanted.CONTACT, Wanted.DATE, Wanted.SPAN, Wanted.PERSON, Wanted.SUM}
    | {Wanted.CONTENT, Wanted.VERDICT, Wanted.STATEMENT, Wanted.EXTREME, Wanted.DEFINITION, Wanted.STEPS}
)
"""... but for kinds that show in the words."""


def list_hard_kinds(plan: QueryPlan) -> frozenset[Wanted]:
    """The kinds that a passage shows or lacks beyond doubt; how somebody does a thing is told without steps, too."""
    return HARD_KINDS - {Wanted.STEPS} if asks_manner(plan) else HARD_KINDS


def _suffices(asked: Asked, said: float, unmet: Sequence[Requirement]) -> bool:
    """Whether a passage may stand as the answer: it holds a thing asked for, and accounts for enough of the words."""
    least = max(ENOUGH_OF_KIND.get(requirement.wanted, ENOUGH_SAID) for requirement in asked.requirements)
    if any(requirement.wanted is Wanted.EXTREME for requirement in unmet):
        return False
    holds = [r for r in asked.requirements if r.wanted is not Wanted.LIMIT and r not in unmet]
    hard = list_hard_kinds(asked.finder.plan) | {find_must_show(asked.finder.plan)}
    is_hard = all(requirement.wanted in hard for requirement in unmet)
    return said >= least and (bool(holds) or (said >= SAID_BY_ITSELF and not is_hard))


MOST_ITEMS = 24
"""Items of a list that are read out; a longer one is no answer to a question."""


_OFFSET = re.compile(r"\boffset\s+by\W*$", re.I)
"""How a lead-in ends that announces what worked against the effect, not its causes."""


def _wants_list(asked: Asked) -> bool:
    wanted = {requirement.wanted for requirement in asked.requirements}
    return bool(wanted & {Wanted.MEMBERS, Wanted.STEPS, Wanted.STATEMENT})


def _read_list(asked: Asked, node: Node, node_fit: float, where: str) -> Passage | None:
    """A whole list as one passage, where members or steps are asked for: what its heading and lead-in say counts.

    Causes and consequences are one, too, where the lead-in says that they follow.
    """
    causes = [r for r in asked.requirements if r.wanted in (Wanted.CAUSE, Wanted.CONSEQUENCE)]
    is_wanted = _wants_list(asked)
    listed = asked.reading.find_announced(node.key) if is_wanted or causes else None
    items = asked.reading.items(listed) if listed is not None else []
    if not 2 <= len(items) <= MOST_ITEMS:
        return None
    lead = asked.reading.lead_in(items[0].key)
    told = asked.reading.words((lead,)) if lead else ""
    if not is_wanted and (not _announces_kind(causes[0], told) or _OFFSET.search(told)):
        return None
    if lead is None and asked.reading.explains_table(node.key):
        return None
    return _build_list(asked, lead, items, node_fit, where)


def _announces_kind(requirement: Requirement, lead: str) -> bool:
    """Whether a lead-in says that causes follow, or puts the case of which the consequences follow."""
    if requirement.wanted is Wanted.CONSEQUENCE:
        return bool(_CASE.match(lead)) and is_met(requirement, f"{lead} it must")
    return is_met(requirement, lead)


_CASE = re.compile(
    r"\W*(?:\d[\d.]*\s+)?(?:[\w’'-]+\s+){0,2}?(?:if|when|where|once|on|upon|after|in case|in the event|at the end)\b",
    re.I,
)
"""How a lead-in puts a case: "On termination the licensee shall:"."""


def _read_counted(asked: Asked, node: Node, node_fit: float, where: str) -> Passage | None:
    """What a sentence of the node announces by its number alone, under that sentence, where members are asked for."""
    if not any(requirement.wanted is Wanted.MEMBERS for requirement in asked.requirements):
        return None
    focus = set(analyse(asked.finder.plan.focus))
    for place, piece in enumerate(asked.reading.pieces(node.key)):
        noun = announced_noun(piece.text)
        if noun and focus & set(analyse(noun)) and (spans := asked.reading.counted(node.key, place)):
            return _build_list(asked, Span(node.key, piece.start, piece.end), spans, node_fit, where)
    return None


def _read_sections(asked: Asked) -> Iterator[Passage]:
    """What stands side by side below the heading that is what the question asks for."""
    for section, spans in _list_sections(asked.finder, asked.reading):
        tree = asked.finder.document.tree
        heading = Span(section, 0, len(tree.node(section).text.rstrip()))
        fit = max(
            (asked.finder.fits([span.key]).get(span.key, 0.0) for span in spans if tree.is_leaf(span.key)), default=0.0
        )
        yield _build_list(asked, heading, spans, fit, ", ".join(tree.path(section)[-2:]))


def _list_sections(finder: Finder, reading: Reading) -> Iterator[tuple[int, list[Span]]]:
    """The sections whose heading calls their members what the question asks for, and little else, with these."""
    tree, match = finder.document.tree, _MEMBERS_ASKED.match(finder.plan.focus)
    if match is None or not asks_for(finder.plan, Wanted.MEMBERS):
        return
    noun, asked = set(analyse(match["noun"])), set(analyse(finder.plan.focus))
    known = set(analyse(finder.document.title))
    for section in tree.sections():
        said = set(analyse(tree.node(section).title))
        if section and noun and noun <= said and asked <= said | known and len(said - asked) <= 1:
            spans = reading.members_of(section)
            if 1 < len(spans) <= MOST_ITEMS:
                yield section, spans


def _build_list(asked: Asked, lead: Span | None, items: Sequence[Span], node_fit: float, where: str) -> Passage:
    """A list as one passage, measured against the question by its heading, its lead-in and its items."""
    wanted = {requirement.wanted for requirement in asked.requirements}
    node = asked.finder.document.tree.node(items[0].key)
    words = asked.reading.words(tuple(items))
    title = asked.reading.title_within(node.key)
    announced = f"{where.rpartition(', ')[2]} {title} {asked.reading.words((lead,)) if lead else ''}"
    # Each step is part of what is done, while an item is no word for the list.
    is_done = bool(wanted & {Wanted.STEPS, Wanted.CONSEQUENCE})
    share = (
        1.0 if Wanted.MEMBERS not in wanted or _names_members(asked.finder.plan.focus, announced, where) else UNNAMED
    )
    said = asked.finder.coverage(announced, f"{where} {words}" if is_done else where, words)
    unmet = [r for r in asked.requirements if not is_met(r, f"{announced} {words}", members=len(items))]
    if not _tells_effect_asked(asked, find_effect(announced), where):
        unmet, share = list(asked.requirements), share * OTHER_EFFECT
    first = items[0]
    return Passage(
        asked.document,
        node.key,
        node.page_start,
        node.text[first.start : first.end],
        first.start,
        first.end,
        where,
        share * _measure_fit(asked, words, node, said, node_fit, len(unmet)) * _measure_substance(words, said),
        share * said,
        parts=_copy(asked, ((lead, *items) if lead else tuple(items))),
        is_list=True,
        unmet=tuple(requirement.describe() for requirement in unmet),
        suffices=_suffices(asked, share * said, unmet)
        and (is_done or _accounts_for_rarest(asked, said, f"{announced} {where} {words}", "")),
    )


UNNAMED = 0.6
"""What a list counts, as a share, that nothing above it calls what is asked for: the answer may be another list."""

_MEMBERS_ASKED = re.compile(
    r"^\W*(?:(?:which|what)(?: (?:are|were) (?:all |the )?)?|(?:please )?(?:list|name|give|enumerate)(?: me)?"
    r"(?: all| every| the)*)\s+(?P<noun>(?:[\w’'-]+\s+){0,3}?[\w’'-]{3,}s)\b",
    re.IGNORECASE,
)


def _names_members(question: str, *texts: str) -> bool:
    """Whether a list's lead-in or heading calls its items what the question asks for; true where none is named."""
    match = _MEMBERS_ASKED.match(question)
    if match is None:
        return True
    noun = match["noun"].split()[-1]
    said = set(analyse(" ".join(texts)))
    others = [set(wording.terms) for wording in other_wordings(noun)]
    return set(analyse(noun)) <= said or any(other <= said for other in others)


def _read_by_place(asked: Asked, within: Collection[int] | None) -> Iterator[Passage]:
    """What stands where documents say such things, if all of it may be read."""
    reading = asked.reading if within is None else Reading(asked.finder.document.tree)
    for spans, said, place in _spans_by_place(asked.finder, reading):
        if within is None or all(span.key in within for span in spans):
            yield _read_whole(asked, spans, said, place)


def _spans_by_place(finder: Finder, reading: Reading) -> Iterator[tuple[list[Span], float, str]]:
    """The points of a section, the parties, how long a contract runs, with how well it is named and what it is."""
    tree, wanted = finder.document.tree, {requirement.wanted for requirement in requirements_of(finder.plan)}
    points, said = find_points(tree, reading, finder.plan.focus) if Wanted.POINTS in wanted else ([], 0.0)
    if len(points) > 1:
        yield points, said, POINTS
    yield from _spans_announced(tree, reading, finder.plan.focus)
    if asks_changes(finder.plan):
        topic = topic_of(without_changes(finder.plan.focus)).without(finder.document.title)
        wording, said = find_wording(tree, reading, topic)
        if wording:
            yield wording, said, CHANGES
    if Wanted.PARTIES in wanted and (lines := find_parties(tree, reading)):
        yield lines, 1.0, "parties"
    if Wanted.MESSAGE in wanted and (lines := find_message_lines(tree, finder.plan.focus)):
        yield lines, 1.0, "message"
    if Wanted.CONTACT in wanted and (lines := find_contact(tree, reading, finder.plan.focus)):
        yield lines, 1.0, "contact"
    if rows := find_registered(tree, reading, finder.plan.focus):
        yield rows, 1.0, "registered"
    asks_end = ASKS_END.search(finder.plan.focus)
    kind = set(analyse(asks_end["kind"])) if asks_end else set()
    is_named = kind <= set(analyse(finder.document.title))
    if (Wanted.TERM in wanted or (asks_end and is_named)) and (lines := find_term(tree, reading)):
        yield lines, 1.0, "term"


def _spans_announced(tree: Tree, reading: Reading, question: str) -> Iterator[tuple[list[Span], float, str]]:
    """What a document says in words of its own kind: what it is for, how it went on the whole, a list of risks."""
    for find, place in ((find_purpose, "purpose"), (find_conclusion, "purpose"), (find_listed, "listed")):
        if lines := find(tree, reading, question):
            yield lines, 1.0, place


POINTS = "points"
"""The place of what a section or a document says in short."""

CHANGES = "changes"
"""The place of a text that is compared with another version of it."""


def places_asked(finder: Finder, reading: Reading) -> list[int]:
    """The nodes in which documents say what is asked for: the section to be summed up, the parties, the term."""
    by_place = [spans for spans, _, _ in _spans_by_place(finder, reading)]
    by_heading = [[Span(section, 0, 0), *spans] for section, spans in _list_sections(finder, reading)]
    return list(dict.fromkeys(span.key for spans in (*by_place, *by_heading) for span in spans))


def _read_whole(asked: Asked, spans: Sequence[Span], said: float, place: str) -> Passage:
    """A list that answers by its place in the document, not by its words."""
    tree, first = asked.finder.document.tree, spans[0]
    node = tree.node(first.key)
    quote = node.text[first.start : first.end]
    where = ", ".join(tree.path(node.key)[-2:])
    place_of = (asked.document, node.key, node.page_start, quote, first.start, first.end, where)
    return Passage(
        *place_of, fit=max(said, 0.5), said=max(said, 0.5), parts=_copy(asked, spans), is_list=True, place=place
    )


def _copy(asked: Asked, spans: Sequence[Span]) -> tuple[Part, ...]:
    tree = asked.finder.document.tree
    nodes = {span.key: tree.node(span.key) for span in spans}
    return tuple(
        Part(s.key, nodes[s.key].page_start, nodes[s.key].text[s.start : s.end], s.start, tree.is_section(s.key))
        for s in spans
    )


def _find_lead(node: Node, start: int, finder: Finder, *, is_announced: bool) -> str:
    if not node.table:
        return ""
    told = (tell_row(node, start), cell_first(node, start, finder))
    return (told[0] or told[1]) if is_announced else (told[1] or told[0])


def _headers(node: Node) -> str:
    return " ".join(column.header for column in node.table.columns) if node.table else ""


def _measure_fit(asked: Asked, text: str, node: Node, said: float, node_fit: float, unmet: int) -> float:
    """What the piece says of the question, its node's and page's rank and the kind asked for, in fixed shares."""
    worth = 1.0 if node.kind is not NodeKind.TABLE else _row_worth(text, asked)
    share = max(KIND_SHARES.get(requirement.wanted, KIND_SHARE) for requirement in asked.requirements)
    met = 1.0 - unmet / len(asked.requirements)
    page_fit = asked.finder.page_fits.get(node.page_start, 0.0)
    own = 1.0 - NODE_SHARE - PAGE_SHARE - share
    return worth * (own * said + NODE_SHARE * node_fit + PAGE_SHARE * page_fit + share * met)


def _measure_substance(text: str, said: float) -> float:
    """What a text's fit is worth, as a share, by how many distinct terms it has, and how much it says."""
    return 1.0 - BRIEF * (1.0 - min(1.0, said)) / (1.0 + len(set(analyse(text))) / HALF_BRIEF)


OTHER_PERIOD = 0.88
"""What a passage is worth, as a share, that does not name a year which the question names."""


def _period_worth(asked: Asked, text: str) -> float:
    years = {str(period.year) for period in asked.finder.plan.periods}
    about = f"{text} {asked.finder.document.title}"
    return 1.0 if not years or any(year in about for year in years) else OTHER_PERIOD


def _row_worth(text: str, asked: Asked) -> float:
    """A row without a number is a heading; where words are asked for, a row says less than a sentence."""
    wanted = {requirement.wanted for requirement in asked.requirements}
    if wanted & {Wanted.PERSON, Wanted.STATEMENT} and not any(character.isdigit() for character in text):
        return 0.85
    if not any(character.isdigit() for character in text):
        return 0.6
    return 1.0 if asked.finder.plan.intent is Intent.FIGURE or wanted & {Wanted.AMOUNT} else 0.85


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
