"""Whether a claim means what its quotes say: column, row, period, unit, sign, yes and no, subject, rank and bound.

Doubt is silence: a claim is objected to only where quote and claim plainly differ.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal

from vectorless_web.engine.answers.claims import DraftCalculation
from vectorless_web.engine.answers.meaning.cells import (
    QuotedCell,
    TableClaim,
    find_period_mismatches,
    find_table_mismatches,
    quoted_rows,
)
from vectorless_web.engine.answers.meaning.polarity import find_contrary_mismatches, find_polarity_mismatches
from vectorless_web.engine.answers.meaning.prose import (
    ROLES,
    find_bound_mismatches,
    find_bracket_mismatches,
    find_direction_mismatches,
    find_name_mismatches,
    find_owner_mismatches,
    find_role_mismatches,
    find_swapped_comparison,
    find_unit_mismatches,
    find_year_mismatches,
    named_unit,
    unit_of,
)
from vectorless_web.engine.answers.meaning.ranking import (
    find_comparison_mismatches,
    find_own_contradiction,
    find_wrong_counts,
    settles_comparison,
)
from vectorless_web.engine.answers.meaning.strength import find_strength_mismatches
from vectorless_web.engine.answers.meaning.wording import content_stems, figures_in, numbers_told, quote_label
from vectorless_web.engine.answers.quotes import PlacedQuote
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.figures.tables import TableView
from vectorless_web.engine.figures.units import is_per_share, units_currency
from vectorless_web.engine.text.numbers import Number

_PERCENT_LABEL = re.compile(r"\(\s*(?:in\s+)?%\s*\)|(?<!\d)(?<!\d\s)%\s*$|^\s*%")

LONGEST_UNITS_LINE = 60
"""Characters of a line above a table that may name the unit of its figures."""

LONGEST_QUOTE = 600
"""Characters of a quote whose strength is compared with a claim's; a longer one holds more than one statement."""

_HEADS = re.compile(r"\b(?:employees|headcount|staff|workforce|pupils|students|patients|visitors|members)\b", re.I)
_SCALE_SAID = re.compile(r"thousand|million|billion|'000|\b\d[\d.,]*\s?(?:k|m|mn|bn)\b", re.I)
_SCALED = re.compile(r"thousand|million|billion|'000|cost|expense|benefit|pay|compensation", re.I)

TreeOf = Callable[[str], Tree]
"""The tree of a document by its id."""


def find_mismatches(
    text: str,
    places: Sequence[PlacedQuote],
    *,
    tree_of: TreeOf,
    question: str = "",
    calculations: Sequence[DraftCalculation] = (),
) -> list[str]:
    """What the quotes say otherwise than the claim `text`: sentences that tell what to mend, each once.

    `calculations` are those by which its numbers were worked out.
    """
    found = [place for place in places if place.node is not None and place.located.end]
    views: dict[int, TableView] = {}
    rows = tuple(row for place in found for row in quoted_rows(tree_of(place.draft.document), place, views))
    prose = [place.text for place in found if place.node is not None and place.node.table is None]
    claim = TableClaim(text, question, rows, tuple(number for quote in prose for number in figures_in(quote)))
    told = [*find_table_mismatches(claim), *find_comparison_mismatches(claim), *_wrong_cell_units(claim)]
    told += find_period_mismatches(claim, calculations)
    told += [*find_own_contradiction(text), *find_wrong_counts(text)]
    told += _prose_mismatches(text, prose, question, is_alone=not rows)
    told += _heading_mismatches(text, found, tree_of)
    return list(dict.fromkeys(told))


_VERDICT_WORDS = """
intensive healthy strong weak good bad poor adequate sufficient reasonable consistent stable significant material large
high low risky diversified efficient liquid profitable useful meaningful relevant improving conservative attractive
sustainable concentrated leveraged solid sound excessive favourable favorable severe serious likely prudent volatile
"""
_VERDICTS = frozenset(_VERDICT_WORDS.split())
_IS_VERDICT = re.compile(r"^\W*(?:yes|no)\b", re.I)
_ASKS_COMPARISON = re.compile(
    r"\b(?:faster|slower|more|less|fewer|higher|lower|larger|smaller|bigger|greater|better|worse|stronger|weaker|highest"
    r"|lowest|most|least|largest|smallest|biggest|greatest|best|worst|fastest|slowest|fewest|exceed\w*|outpac\w*)\b"
    r"(?!\s+(?:than\s+)?\d)"
)
"""Words that ask for a comparison; with a capital they are part of a name, "Best Buy"."""
_BOUND_ASKED = re.compile(r"\bat\s+(?:the\s+)?(?:most|least)\b|\bhow\s+(?:many|much)\s+more\b|\bmore\s+about\b", re.I)


def is_left_to_the_reader(text: str, places: Sequence[PlacedQuote], *, tree_of: TreeOf, question: str) -> bool:
    """Whether a claim judges or compares in a way that no check works out again.

    A comparison is settled by two figures of the claim, by the rows of one table, or by a
    sentence that compares; a yes or no by a comparison, or by a sentence, unless the question
    asks for a judgement ("is it capital intensive?") in a word that no quote says.
    """
    found = [place for place in places if place.node is not None and place.located.end]
    views: dict[int, TableView] = {}
    rows = tuple(row for place in found for row in quoted_rows(tree_of(place.draft.document), place, views))
    worded = [place.text for place in found if place.node is not None and place.node.table is None]
    worded += [place.text for place in found if place.node is not None and place.node.table and not _has_figures(place)]
    said = " ".join(worded)
    compares = _ASKS_COMPARISON.search(_BOUND_ASKED.sub(" ", question))
    is_verdict = bool(_IS_VERDICT.match(text))
    if not compares and not is_verdict:
        return False
    if settles_comparison(TableClaim(text, question, rows)):
        return False
    if compares and not is_verdict:
        return not _ASKS_COMPARISON.search(said)
    judged = _VERDICTS & frozenset(re.findall(r"[a-z]+", question.lower()))
    return not said or bool(judged - frozenset(re.findall(r"[a-z]+", said.lower())))


def _has_figures(place: PlacedQuote) -> bool:
    return bool(numbers_told(place.text))


def _prose_mismatches(text: str, prose: Sequence[str], question: str, *, is_alone: bool) -> Iterator[str]:
    joined = "\n".join(prose)
    if not joined:
        return
    if is_alone:
        yield from find_unit_mismatches(text, joined)
        yield from find_owner_mismatches(text, joined, question)
        yield from find_year_mismatches(text, joined)
        yield from find_bracket_mismatches(text, joined, question)
    yield from find_bound_mismatches(text, joined)
    yield from find_direction_mismatches(text, joined)
    yield from find_swapped_comparison(text, joined)
    yield from find_polarity_mismatches(text, prose, question)
    yield from find_role_mismatches(text, joined)
    yield from find_name_mismatches(text, joined)
    if len(prose) == 1 and is_alone and len(joined) <= LONGEST_QUOTE:
        yield from find_strength_mismatches(text, joined)
        yield from find_contrary_mismatches(text, joined)


def _wrong_cell_units(claim: TableClaim) -> Iterator[str]:
    """A figure told in another unit than its table, column or label gives it."""
    views = {id(row.view): row.view for row in claim.rows}
    lines = {place: tuple(_lines_above(view)) for place, view in views.items()}
    for number, cells in claim.cells:
        objection = _other_unit(claim, number, cells[0], lines[id(cells[0].view)]) if len(cells) == 1 else ""
        objection = objection or _other_scale(claim, number, cells[0])
        if objection:
            yield objection


def _other_scale(claim: TableClaim, number: Number, cell: QuotedCell) -> str:
    """Money told as printed in a table of thousands without saying so; millions told of a count or of a share."""
    header = cell.view.table.columns[cell.column].header if cell.column < len(cell.view.table.columns) else ""
    label = f"{cell.row.label} {header}"
    is_plain = is_per_share(label) or "(number)" in label.lower()
    if number.scale != 1:
        return f"The row {quote_label(cell.row.label)} has {cell.text.strip()} without a scale." if is_plain else ""
    scale = next((row.scale for row in claim.rows if row.row is cell.row), Decimal(1))
    is_counted = is_plain or _is_count(label) or (_HEADS.search(label) and not _SCALED.search(label))
    if scale == 1 or is_counted or number.percent or _SCALE_SAID.search(claim.text):
        return ""
    # A cell copied as it stands, "$ 5,400", tells no amount yet.
    is_copied = len(re.findall(r"[A-Za-z]{2,}", claim.text)) < 2
    if is_copied or abs(number.value) != abs(cell.value):
        return ""
    told = next(told for told in numbers_told(claim.text) if told.start == number.start)
    if unit_of(claim.text, told)[0] != "currency":
        return ""
    return (
        f"The claim leaves out the scale of its table: {number.text} there stands for {abs(cell.value * scale):,.0f}."
    )


def _other_unit(claim: TableClaim, number: Number, cell: QuotedCell, lines: Sequence[str]) -> str:
    if number.scale != 1 and _HEADS.search(cell.row.label) and not _SCALED.search(cell.row.label):
        return f"The row {quote_label(cell.row.label)} counts heads: it has {cell.text.strip()}, not {number.text}."
    told = next(told for told in numbers_told(claim.text) if told.start == number.start)
    family, unit = unit_of(claim.text, told)
    theirs, stated = _cell_unit(cell, lines)
    if unit and stated and unit != stated and {family, theirs} != {"currency", "time"}:
        return f"The claim gives {number.text} in {_show_unit(unit)}; its table gives it in {_show_unit(stated)}."
    return ""


def _show_unit(unit: str) -> str:
    return unit if unit in ("percent", "celsius", "fahrenheit") or unit.isupper() else f"{unit}s"


def _cell_unit(cell: QuotedCell, lines: Sequence[str]) -> tuple[str, str]:
    """The unit of a cell: its own, else its column's, its label's, its caption's, that of the lines above."""
    own = numbers_told(cell.text)
    if own and (unit := unit_of(cell.text, own[0]))[1]:
        return unit
    header = cell.view.table.columns[cell.column].header if cell.column < len(cell.view.table.columns) else ""
    for text in (header, cell.row.label, cell.view.node.title, *lines):
        if (unit := _parenthetical_unit(text))[1]:
            return unit
    currency = units_currency(cell.view.units)
    return (
        ("currency", currency) if currency and "%" not in cell.row.label and not _is_count(cell.row.label) else ("", "")
    )


def _lines_above(view: TableView) -> Iterator[str]:
    """Short lines just above the table; none for a table whose rows or columns have units of their own."""
    texts = [*(row.label for row in view.table.body), *(column.header for column in view.table.columns)]
    if any("(" in text or "%" in text or is_per_share(text) for text in texts):
        return
    for key in range(view.node.key - 1, max(0, view.node.key - 3), -1):
        text = view.tree.node(key).text
        if len(text) <= LONGEST_UNITS_LINE and re.match(r"\W*(?:all\s+)?(?:\w+\s+)?in\s", text, re.I):
            yield text


def _is_count(label: str) -> bool:
    lowered = label.lower()
    return any(
        word in lowered for word in ("number", "shares", "percent", "rate", "ratio", "employees", "count", "margin")
    )


def _parenthetical_unit(text: str) -> tuple[str, str]:
    """The unit that a header or label names in parentheses or as a sign: "(minutes)", "Change %"."""
    if _PERCENT_LABEL.search(text):
        return "percent", "percent"
    inside = text[text.find("(") + 1 : text.find(")")] if "(" in text and ")" in text else ""
    word = inside.split()[0] if inside.split() else ""
    return named_unit(word) if word else ("", "")


MOST_BESIDE = 40
"""Sections beside a heading that are compared with it; a catalogue may have thousands."""

LONGEST_TITLE = 6
"""Words of a heading that names a thing or party; a longer one tells something."""

_PLACE_WORDS = content_stems(
    "chapter section part article clause appendix annex page note item table schedule item step"
)
_GENERAL = content_stems("general other all overview introduction summary total common further")
_PEOPLE = (
    content_stems(" ".join(name for pair in ROLES for names in pair for name in names.split()))
    | content_stems("child adult woman man infant staff visitor member resident pensioner volunteer")
) - content_stems("operator operation provider school company publisher")
_CAPITAL = re.compile(
    r"(?<=\s)[A-Z][\w-]+|\w*\d\w*|^[A-Z]\w+(?=\s+(?:Ltd|plc|AG|Inc|GmbH|LLC|SA|SE|Corp|Bank|Group)\b)"
)
_NUMBERED = re.compile(
    r"^\W*(?:(?:chapter|section|part|article|clause|note|item|step)\s+)?(?:\d[\d.]*|[ivx]+\.)\W+", re.I
)


def _heading_mismatches(text: str, places: Sequence[PlacedQuote], tree_of: TreeOf) -> Iterator[str]:
    """What a claim says of "Plant Malmo" when its only quote stands below "Plant Gdansk", the heading beside it."""
    place = places[0] if len(places) == 1 else None
    node = place.node if place is not None else None
    if place is None or node is None:
        return
    tree = tree_of(place.draft.document)
    said = content_stems(text)
    around = content_stems(" ".join([place.text, *tree.path(node.key)]))
    for section in [key for key in (*tree.ancestors(node.key), node.key) if key and tree.is_section(key)]:
        own = _name_of(tree, section)
        for other in _beside(tree, section):
            name = _name_of(tree, other)
            theirs, mine = name - own, own - name
            if not theirs or not mine or not _are_parallel(own, name) or theirs & around or mine & said:
                continue
            if theirs <= said and (name & own & said or _is_named(tree.columns.titles[other], theirs)):
                title, beside = tree.node(section).title, tree.node(other).title
                yield f"The claim tells of {quote_label(beside)} what stands below {quote_label(title)}."
                return


def _beside(tree: Tree, section: int) -> list[int]:
    siblings = [key for key in tree.children(tree.parent(section)) if key != section and tree.is_section(key)]
    return sorted(siblings, key=lambda key: abs(key - section))[:MOST_BESIDE]


def _name_of(tree: Tree, section: int) -> frozenset[str]:
    """Stems of a short heading without its number."""
    title = _NUMBERED.sub("", tree.columns.titles[section])
    return content_stems(title) - _PLACE_WORDS if len(title.split()) <= LONGEST_TITLE else frozenset()


def _are_parallel(own: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two headings name things of one kind: they differ in a word or two of their common frame."""
    shared, mine, theirs = own & other, own - other, other - own
    if (mine | theirs) & _GENERAL or len(mine) > 2 or len(theirs) > 2:
        return False
    return bool(shared)


def _is_named(title: str, stems: frozenset[str]) -> bool:
    """Whether words of a heading are a name, or people: then the claim names them without the rest of the heading."""
    names = content_stems(" ".join(_CAPITAL.findall(title)))
    return bool(stems & (names | _PEOPLE))
