"""Figures that sentences, list items and records state of one thing after another, ranked by what they are of."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.figures.figure import format_number
from vectorless_web.engine.passages.passage import cut_pieces
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.relations.ranks import (
    PER_CENT,
    Ranked,
    asks_which,
    difference_between,
    name_operands,
    of_kind,
    read_ranked,
)
from vectorless_web.engine.relations.rows import RowsRead, RowTask, TableRow, Terms, WorkedCell, terms_of
from vectorless_web.engine.text.quantities import UNIT_OF, Quantity, quantities_in


@dataclass(frozen=True, slots=True)
class Statement:
    """A number that a sentence, an item or a record states: what it is of, and the words that say by what measure.

    `name` is what the statement is of where it says so ahead ("Filter: €12"), else "". `words` are its own terms,
    `around` those of what announces it and of the headings above. `told` is the number with its unit.
    """

    name: str
    value: Decimal
    told: str
    unit: str
    words: Terms
    around: Terms
    key: int
    page_index: int
    quote: str
    start: int
    field: str = ""
    """The name of the field of a record."""


_FIELD = re.compile(r"^\W{0,3}(?P<name>[A-Z][^:\n]{1,50}?)\s*:\s+(?P<value>\S[^\n]*)$", re.MULTILINE)
_MARK = re.compile(r"^(?:[-–—•*▪◦]|\(?[a-z0-9]{1,3}[.)])\s+", re.IGNORECASE)
_INLINE_ITEM = re.compile(r"(?:(?<=:)|(?<=;)|(?<=; and))\s+(?:[-–•*▪]\s+)?(?=\S)")
_NAMED_ITEM = re.compile(r"^(?P<name>[^:;.]{2,80}?)\s*[:–—]\s+(?P<value>.*\d.*)$")

LONGEST_STATEMENT = 500
"""Characters of a sentence that states one thing's figure; a longer one states many."""

FEWEST_RECORDS = 2
"""Records of the same fields that make a list of things."""


def _terms(text: str) -> Terms:
    return terms_of(PER_CENT.sub(" percentage ", text))


def _amounts(text: str) -> list[Quantity]:
    """The quantities of a text that may be ranked: no years, ordinals, parts or codes."""
    found = []
    for quantity in quantities_in(text):
        is_year = not quantity.unit and re.fullmatch(r"(?:19|20)\d\d", quantity.text.strip())
        is_digit = any(character.isdigit() for character in quantity.text)
        if is_digit and not (is_year or quantity.is_ordinal or quantity.is_code or quantity.is_part):
            found.append(quantity)
    return found


def _told(text: str, quantity: Quantity) -> str:
    """The number with the unit that stands at it."""
    own, behind = quantity.text.strip(), re.match(r"\s?(?:%|[A-Za-zµ°²³]{1,12}\b)", text[quantity.end :])
    word = behind.group().strip() if behind else ""
    is_unit = bool(quantity.unit) and UNIT_OF.get(word.lower(), word) in (quantity.unit, "%")
    return f"{own}{behind.group()}" if behind and is_unit and not own.endswith(word) else own


def _unit(quantity: Quantity) -> str:
    return quantity.currency or quantity.unit


def _around(tree: Tree, key: int) -> Terms:
    return _terms(" ".join(tree.path(key)[-2:]))


def rank_statements(document: str, tree: Tree, opened: Collection[int], plan: QueryPlan) -> RowsRead | None:
    """The winner among things of which the text states one figure each; None where any of them is in doubt."""
    asked = read_ranked(plan.focus, plan)
    if asked is None or asked.planned or not asks_which(plan.focus):
        return None
    keys = sorted(key for key in opened if tree.is_leaf(key))
    if asked.names:
        return _rank_named(document, tree, keys, asked)
    for group in (_records, _items, _named_alike):
        found = [read for section in _sections(tree, keys) if (read := group(document, tree, section, asked))]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _sections(tree: Tree, keys: Sequence[int]) -> Iterator[list[int]]:
    """The leaves of each section of which any was opened; only sections that were opened whole."""
    known = set(keys)
    for section in dict.fromkeys(tree.parent(key) for key in keys):
        leaves = [key for key in tree.children(section) if tree.is_leaf(key)]
        if set(leaves) <= known:
            yield leaves


def _fields(text: str) -> list[tuple[str, str]]:
    return [(match["name"].strip(), match["value"].strip()) for match in _FIELD.finditer(text)]


def _records(document: str, tree: Tree, keys: Sequence[int], asked: Ranked) -> RowsRead | None:
    """Records of the same fields, one below the other, by the field that the question names."""
    series: dict[str, list[Statement]] = {}
    records = [key for key in keys if len(_fields(tree.node(key).text)) >= FEWEST_RECORDS]
    for key in records:
        for statement in _record_statements(tree, key):
            series.setdefault(statement.field.casefold(), []).append(statement)
    whole = {name: told for name, told in series.items() if len(told) == len(records) >= FEWEST_RECORDS}
    if asked.change:
        pair = [told for name, told in whole.items() if _terms(name) <= asked.said]
        return _order_changes(document, tree, pair[0], pair[1], asked) if len(pair) == FEWEST_RECORDS else None
    measured = asked.superlative.measured
    fits = {name: len(asked.words.hits(_terms(name))) + bool(measured & _terms(name)) for name in whole}
    best = [name for name in whole if fits[name] == max(fits.values()) > 0]
    if len(best) != 1:
        return None
    told = whole[best[0]]
    said = frozenset().union(*(each.words | each.around for each in told))
    left = asked.words.left_over(said)
    if asked.noun and not asked.noun & said:
        return None
    return None if len(left) * LEFT > len(asked.words.terms) else _order(document, tree, told, asked)


LEFT = 3
"""One content word of so many may stay unsaid."""


def _record_statements(tree: Tree, key: int) -> Iterator[Statement]:
    node = tree.node(key)
    fields = _fields(node.text)
    name = next((value for _, value in fields if not _amounts(value) and re.search(r"[A-Za-z]", value)), "")
    if not name:
        name = tree.path(key)[-1] if tree.path(key) else ""
    start, quote = _trimmed(node.text)
    for field, value in fields:
        amounts = _amounts(value)
        if len(amounts) == 1 and amounts[0].start <= LONGEST_LEAD:
            percent = "%" if PER_CENT.search(f"{name} {field}") and not amounts[0].unit else ""
            yield Statement(name, amounts[0].value, _told(value, amounts[0]) + percent, _unit(amounts[0]) or percent,
                            _terms(f"{name} {field} {value}"), _around(tree, key), key, node.page_start, quote, start,
                            field)  # fmt: skip


LONGEST_LEAD = 3
"""Characters ahead of the number of a field; behind a longer lead it is part of a sentence."""


def _trimmed(text: str) -> tuple[int, str]:
    quote = text.strip()
    return text.index(quote) if quote else 0, quote


def _items(document: str, tree: Tree, keys: Sequence[int], asked: Ranked) -> RowsRead | None:
    """The items of one list, each with one figure of one kind, that what announces it or its heading names."""
    found = []
    for key in keys:
        told = list(_item_statements(tree, key))
        if terms_of("number") <= asked.said:
            # How many there are of each is compared, whatever they are.
            told = [replace(each, unit="") for each in told]
        if len(told) < FEWEST_RECORDS or len({each.unit for each in told}) != 1:
            continue
        around = told[0].around
        shared = frozenset.intersection(*(each.words for each in told))
        every = frozenset().union(*(each.words for each in told))
        spoken = asked.noun & (around | shared)
        measured = asked.superlative.measured & (around | shared) or (asked.words.hits(around | shared) - asked.noun)
        left = asked.words.left_over(around | every)
        told = of_kind(told, [each.name for each in told], asked.noun)
        is_told = measured or not (asked.words.terms or asked.superlative.measured)
        if spoken and is_told and len(left) * LEFT <= len(asked.words.terms):
            found.append(told)
    return _order(document, tree, found[0], asked) if len(found) == 1 else None


def _item_statements(tree: Tree, key: int) -> Iterator[Statement]:
    """A statement for each item of a list, in lines or in one paragraph; none where an item has not just one figure."""
    node = tree.node(key)
    lead, items = "", [(piece.start, piece.text) for piece in cut_pieces(node.text, by_line=True)]
    if node.kind is NodeKind.PARAGRAPH:
        cuts = [match.end() for match in _INLINE_ITEM.finditer(node.text)]
        if len(cuts) < FEWEST_RECORDS:
            return
        lead = node.text[: cuts[0]]
        ends = [*cuts[1:], len(node.text)]
        items = [(start, node.text[start:end].rstrip(" ;-–•*▪")) for start, end in zip(cuts, ends, strict=True)]
    elif node.kind is not NodeKind.LIST:
        return
    elif items and items[0][1].endswith(":"):
        lead, items = items[0][1], items[1:]
    before = tree.node(key - 1) if key else node
    if before.kind is NodeKind.PARAGRAPH and before.text.rstrip().endswith(":"):
        lead = f"{before.text} {lead}"
    around = _around(tree, key) | _terms(lead)
    told = []
    for start, text in items:
        amounts = _amounts(text)
        if len(amounts) != 1:
            return
        bare = _MARK.sub("", text).rstrip(" .;")
        named = _NAMED_ITEM.match(bare)
        name = named["name"].strip() if named else bare
        told.append(Statement(name, amounts[0].value, _told(text, amounts[0]), _unit(amounts[0]), _terms(text), around,
                              key, node.page_start, text, start))  # fmt: skip
    yield from told


def _named_alike(document: str, tree: Tree, keys: Sequence[int], asked: Ranked) -> RowsRead | None:
    """Things of one kind by their names ("The Harbour Division"), each with one figure of what all have figures of."""
    if len(asked.noun) != 1:
        return None
    told: dict[str, list[Statement]] = {}
    for key in keys:
        for name, statements in _named_statements(tree, key, asked):
            told.setdefault(name, []).extend(statements)
    counted = [[each.unit for each in statements] for statements in told.values()]
    shared = set.intersection(*map(set, counted)) if len(told) >= FEWEST_RECORDS else set()
    once = [unit for unit in shared if all(units.count(unit) == 1 for units in counted)]
    if len(once) != 1:
        return None
    return _order(document, tree, [each for own in told.values() for each in own if each.unit == once[0]], asked)


_PROPER = re.compile(r"\b(?P<name>(?:[A-Z][\w’'&-]*\s+){1,4}(?P<noun>[A-Z][\w-]+))\b")
_COMMON = re.compile(r"\b[Tt]he\s+(?P<name>[a-z][\w-]*\s+(?P<noun>[a-z][\w-]+))\b")
"""Things of a kind by proper names, "the Harbour Division", and by common ones, "the north ward"."""


def _named_statements(tree: Tree, key: int, asked: Ranked) -> Iterator[tuple[str, list[Statement]]]:
    """Each thing of the noun asked for that a sentence names alone, with what the sentence counts or measures of it."""
    node = tree.node(key)
    if node.kind not in (NodeKind.PARAGRAPH, NodeKind.LIST):
        return
    for piece in cut_pieces(node.text, by_line=node.kind is NodeKind.LIST):
        names = {
            match["name"].strip().removeprefix("The ")
            for pattern in (_PROPER, _COMMON)
            for match in pattern.finditer(piece.text)
            if terms_of(match["noun"]) == asked.noun
        }
        is_said = bool(asked.words.hits(_terms(piece.text) | _around(tree, key)))
        for name in names if len(piece.text) <= LONGEST_STATEMENT else ():
            alone = is_said and len(names) == 1
            yield (
                name,
                [
                    replace(
                        _tell(tree, key, piece.text, piece.start, amount), name=name, unit=amount.unit or amount.noun
                    )
                    for amount in (_amounts(piece.text) if alone else ())
                ],
            )


def _statement_of(tree: Tree, key: int, text: str, start: int, asked: Ranked) -> Statement | None:
    """The one figure of a sentence that is in the measure asked for; None for none, and for several."""
    amounts = _amounts(text)
    if asked.asks_share:
        amounts = [amount for amount in amounts if amount.unit == "percent"]
    fitting = [amount for amount in amounts if asked.words.hits(_counted(text, amount))]
    if not fitting and asked.words.terms and asked.words.hits(_terms(text)):
        fitting = amounts
    if len({(amount.value, _unit(amount)) for amount in fitting}) != 1:
        return None
    return _tell(tree, key, text, start, fitting[0])


def _tell(tree: Tree, key: int, text: str, start: int, amount: Quantity) -> Statement:
    told, page = _told(text, amount), tree.node(key).page_start
    if told == amount.text.strip() and amount.noun and (noun := re.match(r"\s+[a-z-]+\b", text[amount.end :])):
        told += noun.group()
    return Statement("", amount.value, told, _unit(amount), _terms(text), _around(tree, key), key, page, text, start)


def _counted(text: str, amount: Quantity) -> Terms:
    """The words behind a number that say what it counts: "1,036 people", "2,115 hours of service"."""
    behind = re.match(r"\s*(?:[a-z-]+\s+){0,3}?[a-z-]+", text[amount.end :])
    return _terms(f"{amount.unit} {amount.noun} {behind.group() if behind else ''}")


def _rank_named(document: str, tree: Tree, keys: Sequence[int], asked: Ranked) -> RowsRead | None:
    """The things that the question names, each by the one statement that says its name and most of the measure."""
    pool = [each for key in keys for each in _statements_in(tree, key, asked)]
    chosen = [_choose(pool, name, [other for other in asked.names if other != name], asked) for name in asked.names]
    told = [replace(each, name=name) for each, name in zip(chosen, asked.names, strict=True) if each is not None]
    places = {(each.key, each.start, each.field) for each in told}
    return _order(document, tree, told, asked) if len(told) == len(places) == len(asked.names) else None


def _statements_in(tree: Tree, key: int, asked: Ranked) -> list[Statement]:
    """What a leaf states: the fields of a record, else sentences, those in the cells of tables among them."""
    node = tree.node(key)
    if node.kind is NodeKind.TABLE:
        cells = [cell.text for row in (node.table.rows if node.table else ()) for cell in row.cells]
        texts = [(text, node.text.find(text)) for text in cells if len(text.split()) >= SENTENCE]
    else:
        if records := list(_record_statements(tree, key)):
            return records
        texts = [(piece.text, piece.start) for piece in cut_pieces(node.text, by_line=node.kind is NodeKind.LIST)]
    found = (
        _statement_of(tree, key, text, start, asked)
        for text, start in texts
        if start >= 0 and len(text) <= LONGEST_STATEMENT
    )
    return [each for each in found if each is not None]


SENTENCE = 6
"""Words of a cell that states something."""


def _choose(pool: Sequence[Statement], name: str, others: Sequence[str], asked: Ranked) -> Statement | None:
    """The statement of a thing: it says the name, no other one, and most of the measure; None where two do."""
    own, apart = _terms(name), [_terms(other) for other in others]
    fits: list[tuple[float, Statement]] = []
    for statement in pool:
        if not own <= statement.words or any(other <= statement.words and other - own for other in apart):
            continue
        hits = asked.words.hits(statement.words | statement.around)
        field = asked.words.hits(_terms(statement.field)) if statement.field else frozenset[str]()
        fits.append((len(hits) + len(field), statement))
    fits.sort(key=lambda pair: -pair[0])
    if not fits or fits[0][0] < LEAST_SAID * len(asked.words.terms):
        return None
    best = {statement.value for fit, statement in fits if fit == fits[0][0]}
    return fits[0][1] if len(best) == 1 else None


LEAST_SAID = 0.5
"""Share of the measure's words that a statement says, at least."""


_COUNTED = re.compile(
    r"^\W*how many\s+(?:of (?:the|our|its)\s+)?(?P<noun>[\w’'-]+)\s+(?:are|is|were|was|have|has|had)\s+(?:been\s+)?"
    r"(?:(?P<verb>[a-z]{3,}(?:ed|n))\s+)?(?:(?:as|at|to|with)\s+)?(?:an?\s+|the\s+)?(?P<value>[^?]{2,40}?)[\s?.]*$",
    re.IGNORECASE,
)
_INLINE_FIELD = re.compile(
    r"(?:^|(?<=[.;|\s]))(?P<name>[A-Z][\w-]+(?: [a-z][\w-]*){0,2}):\s*(?P<value>[^.;:\n\t]{1,60})(?=[.;\n\t]|$)"
)


def count_records(document: str, tree: Tree, opened: Collection[int], question: str) -> RowsRead | None:
    """Items of one section of which a field says what is asked: "How many risks are rated high?" of "Rating: high".

    Every item of the section has to have the field, so that none is left out of the count.
    """
    match = _COUNTED.match(question)
    if match is None:
        return None
    noun, value = terms_of(match["noun"]), terms_of(match["value"])
    found = []
    for section in tree.sections():
        if not noun or not noun <= terms_of(tree.node(section).title):
            continue
        items = _list_records(tree, section)
        for field in dict.fromkeys(name for _, fields in items for name in fields):
            values = [terms_of(fields.get(field, "")) for _, fields in items]
            is_meant = match["verb"] is None or _is_alike(match["verb"], field)
            if len(items) >= FEWEST_RECORDS and all(values) and is_meant and value in values:
                found.append((section, field, [(row, own) for (row, _), own in zip(items, values, strict=True)]))
    if len(found) != 1 or not {row.key for row, _ in found[0][2]} <= set(opened):
        return None
    section, field, told = found[0]
    rows = tuple(replace(row, cells=(match["value"],)) for row, own in told if own == value)
    return RowsRead(RowTask.COUNT, document, tree.node(section).title, ("", field), rows, STATEMENTS_FIT,
                    len(told), measure=match["value"], is_table=False)  # fmt: skip


def _is_alike(verb: str, field: str) -> bool:
    """Whether a field is named by what a verb does: "Rating" of what is rated."""
    return verb.casefold()[:SAME_START] == field.casefold()[:SAME_START]


SAME_START = 3
"""Letters in which a verb and the field that it fills begin alike: "rated" and "Rating"."""


def _list_records(tree: Tree, section: int) -> list[tuple[TableRow, dict[str, str]]]:
    """The items right below a heading, paragraphs or sections of their own, each with its fields."""
    found = []
    for child in tree.children(section):
        leaves = [child] if tree.is_leaf(child) else [key for key in tree.leaves(child) if tree.is_leaf(key)]
        texts = [(key, tree.node(key).text) for key in leaves]
        fields = {
            match["name"].strip(): match["value"].strip() for _, text in texts for match in _INLINE_FIELD.finditer(text)
        }
        if not fields:
            continue
        key, text = next((key, text) for key, text in texts if _INLINE_FIELD.search(text))
        title = tree.node(child).title or _INLINE_FIELD.split(text)[0]
        start, quote = _trimmed(text)
        found.append((TableRow(" ".join(title.split()), (), key, tree.node(key).page_start, quote, start), fields))
    return found


def _order(document: str, tree: Tree, told: Sequence[Statement], asked: Ranked) -> RowsRead | None:
    """The statements in order, the winner first; None for a tie at the top, names that are the same, or two units."""
    order = sorted(told, key=lambda each: each.value, reverse=asked.most)
    is_mixed = len({each.unit for each in told}) > 1 or len({each.name.casefold() for each in told}) < len(told)
    if is_mixed or order[0].value == order[1].value:
        return None
    rows = tuple(TableRow(each.name, (each.told,), each.key, each.page_index, each.quote, each.start) for each in order)
    worked = (difference_between(rows),) if asked.difference and len(rows) == FEWEST_RECORDS else ()
    return _read_of(document, tree, rows, asked, worked)


def _read_of(
    document: str, tree: Tree, rows: tuple[TableRow, ...], asked: Ranked, worked: tuple[WorkedCell, ...]
) -> RowsRead:
    path = tree.path(rows[0].key)
    rank = asked.superlative.text.lower()
    side = rank if asked.measured_next and rank.endswith("est") else ""
    return RowsRead(RowTask.RANK, document, path[-1] if path else "", ("", asked.measure), rows, STATEMENTS_FIT,
                    total=len(rows), measure=asked.measure, rank=rank, worked=worked, is_table=False, side=side,
                    lines=tuple({(row.key, row.start): row for row in rows}.values()))  # fmt: skip


STATEMENTS_FIT = 0.87
"""Fit of a rank over what the text states: a little below one over a table's column."""


def _order_changes(
    document: str, tree: Tree, first: Sequence[Statement], last: Sequence[Statement], asked: Ranked
) -> RowsRead | None:
    """What each record came to more or less in the later of two fields, which the question names first and last."""
    if asked.text.casefold().find(first[0].field.casefold()) > asked.text.casefold().find(last[0].field.casefold()):
        first, last = last, first
    made: list[tuple[Decimal, TableRow, WorkedCell]] = []
    for before, after in zip(first, last, strict=True):
        if before.unit != after.unit or before.key != after.key:
            return None
        names = name_operands([f"{after.name} {after.field}", f"{before.name} {before.field}"])
        value = after.value - before.value
        points = " percentage points" if before.unit in ("%", "percent") else ""
        cell = WorkedCell(f"{format_number(value)}{points}", f"{names[0]} - {names[1]}",
                          ((names[0], after.told.rstrip("%")), (names[1], before.told.rstrip("%"))))  # fmt: skip
        row = TableRow(after.name, (cell.result,), after.key, after.page_index, after.quote, after.start)
        made.append((value, row, cell))
    made.sort(key=lambda each: each[0], reverse=asked.most)
    if made[0][0] == made[1][0]:
        return None
    rows = tuple(row for _, row, _ in made)
    read = _read_of(document, tree, rows, asked, tuple(cell for *_, cell in made))
    sides = ("", last[0].field, first[0].field)
    return replace(read, heads=sides, measure=f"change from {first[0].field} to {last[0].field}", rank="highest")
