"""Works out an expression over ids of cells and lines in exact decimals, with the unit and period of each operand."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from vectorless_web.engine.agent.model.view import (
    ID_INSIDE,
    DocumentView,
    LibraryView,
    Pointer,
    clean_text,
    shorten_text,
)
from vectorless_web.engine.answers.claims import Calculation, Operand
from vectorless_web.engine.errors import InvalidInput
from vectorless_web.engine.tables.arithmetic import evaluate, evaluate_steps, round_half_up
from vectorless_web.engine.tables.measures import Measure, measure_expression
from vectorless_web.engine.tables.relation import Relation, RelationLine
from vectorless_web.engine.tables.units import units_currency
from vectorless_web.engine.text.numbers import numbers_in

MOST_OPERANDS = 60
"""Ids in one expression; a sum over a longer column is the table tool's."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A number that an id names: as printed, its measure, and what it is in words."""

    pointer: Pointer
    id: str
    printed: Decimal
    measure: Measure
    words: str

    def write(self) -> str:
        """The number with its scale and unit: "5,400 million USD"."""
        return f"{format_decimal(self.printed)} {self.measure.words}".strip()


@dataclass(frozen=True, slots=True)
class WorkedOut:
    """An expression worked out: its exact value, the unit in words, and the amounts in it, each once.

    `steps` are the values of its operations, in the scale of the amounts, and its constants.
    """

    expression: str
    value: Decimal
    unit: str
    amounts: tuple[Amount, ...]
    steps: tuple[Decimal, ...] = ()

    @property
    def result(self) -> str:
        """The value with its unit."""
        return f"{format_decimal(self.value)} {self.unit}".strip()

    def as_calculation(self, markers: Mapping[Pointer, int]) -> Calculation:
        """The account as a reader sees it: figures in the place of ids; `markers` number the operands' citations."""
        figures = {a.id: format_decimal(a.printed) for a in _level_scales(self.amounts)}
        figures = {said: f"({figure})" if figure.startswith("-") else figure for said, figure in figures.items()}
        operands = tuple(
            Operand(_name_operand(a.words), format_decimal(a.printed), a.measure.words, markers.get(a.pointer, 0))
            for a in self.amounts
        )
        shown = ID_INSIDE.sub(lambda match: figures.get(match[0], match[0]), self.expression)
        return Calculation(shown, operands, format_decimal(self.value), self.unit)


def _level_scales(amounts: Sequence[Amount]) -> list[Amount]:
    """The amounts as they are worked with: as printed while all have one scale, else in units."""
    if len({amount.measure.scale for amount in amounts if amount.measure.unit != "%"}) <= 1:
        return list(amounts)
    return [replace(a, printed=a.printed * a.measure.scale, measure=Measure(a.measure.unit)) for a in amounts]


def _name_operand(words: str) -> str:
    """A row and its column as a reader names them, without the groups above: "Net sales, 2019"."""
    row, _, column = words.partition(" | ")
    return ", ".join(filter(None, (row.rsplit(" > ", 1)[-1], column.replace(" / ", " "))))


def evaluate_ids(expression: str, library: LibraryView) -> WorkedOut:
    """The value of an expression of ids, numbers, + - * / ** and the calls of `evaluate`.

    InvalidInput says what is wrong and what to do: an unknown id, a line with several numbers, mixed units in a sum.
    """
    plain = _normalise_expression(expression)
    ids = list(dict.fromkeys(ID_INSIDE.findall(plain)))
    if len(ids) > MOST_OPERANDS:
        raise InvalidInput(f"An expression may name {MOST_OPERANDS} ids at most; sum a column with the tool table.")
    amounts = [_read_amount(said, library) for said in ids]
    names = {said: f"x{number}" for number, said in enumerate(ids)}
    renamed = ID_INSIDE.sub(lambda match: names[match[0]], plain)
    level = {names[amount.id]: amount for amount in _level_scales(amounts)}
    printed = {name: amount.printed for name, amount in level.items()}
    value, steps = evaluate(renamed, printed), evaluate_steps(renamed, printed)
    measure = measure_expression(renamed, {name: amount.measure for name, amount in level.items()})
    return WorkedOut(expression.strip(), value, measure.words, tuple(amounts), steps)


def _read_amount(said: str, library: LibraryView) -> Amount:
    """The number of a cell, or of a line that states just one; InvalidInput with a remedy."""
    pointer = library.resolve(said)
    if pointer is None or pointer.key < 0:
        raise InvalidInput(f"There is no cell or line {said}.")
    view = library[pointer.document]
    if pointer.column >= 0:
        return _read_cell(view, pointer, said)
    text = view.tree.node(pointer.key).text[pointer.start : pointer.end]
    found = numbers_in(text, view.tree.decimal_mark)
    if len(found) != 1:
        listed = ", ".join(number.text for number in found[:8]) or "none"
        raise InvalidInput(f"{said} states not one number but {listed}: name a cell, or write the number itself.")
    number = found[0]
    if number.two_ways and not view.tree.decimal_mark:
        raise _refuse_two_ways(said, number.text)
    measure = Measure("%") if number.percent else Measure(number.currency, number.scale)
    return Amount(pointer, said, number.value / number.scale, measure, shorten_text(text, 60))


def _read_cell(view: DocumentView, pointer: Pointer, said: str) -> Amount:
    relation = view.find_relation(pointer.key)
    assert relation is not None, "a cell is one of a table"
    row = relation.view.table.rows[pointer.row]
    line = next((line for line in relation.lines if line.row.offset == row.offset), None)
    entries = relation.entries(line) if line else ()
    entry = next((entry for entry in entries if entry.axis.index == pointer.column), None)
    if line is None or entry is None:
        text = clean_text(row.cells[pointer.column].text)
        if any(number.two_ways for number in numbers_in(text)) and not relation.find_mark(pointer.column):
            raise _refuse_two_ways(said, text)
        raise InvalidInput(f"{said} holds no number: {text or 'it is empty'}.")
    # A row without a path is under no other; the label-only row before it heads the rows of its own level alone.
    path = " > ".join((*row.path, line.label))
    words = " | ".join(filter(None, (path, view.name_columns(pointer.key)[pointer.column])))
    unit = entry.measure if entry.measure != entry.currency or _states_money(relation, line) else ""
    measure = Measure(unit, Decimal(1) if unit == "%" else entry.scale * entry.number.scale)
    return Amount(pointer, said, entry.number.value / entry.number.scale, measure, words)


def _refuse_two_ways(said: str, text: str) -> InvalidInput:
    return InvalidInput(
        f"{said} can be read in two ways, {text} with thousands or with decimals, and the numbers around it do not "
        "tell which: write the number itself."
    )


def _states_money(relation: Relation, line: RelationLine) -> bool:
    """Whether the units line names a currency, it is a primary statement, or a cell of the same group has a sign."""
    group = (other for other in relation.lines if other.groups == line.groups)
    cells = (number for other in group for cell in other.row.cells[1:] for number in numbers_in(cell.text))
    return bool(units_currency(relation.units) or relation.view.statement) or any(number.currency for number in cells)


_SIGNS = str.maketrans({"×": "*", "÷": "/", "−": "-", "–": "-"})


def _normalise_expression(expression: str) -> str:
    plain = expression.replace("^", "**").translate(_SIGNS).replace("[", "").replace("]", "").strip().rstrip("=")
    # A comma between digits parts thousands: 5,400.
    return re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", plain)


def format_decimal(value: Decimal, most: int = 2) -> str:
    """A number with thousands parted, to `most` decimals; below one to as many significant digits and two more."""
    decimals = most if abs(value) >= 1 or not value else most + 1 - value.adjusted()
    rounded = round_half_up(value, min(12, decimals))
    text = f"{rounded:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
