"""Calculations as trees: figures joined by + - * /, and how a tree becomes a formula over figures to find."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from vectorless_web.engine.questions.periods import shift_back
from vectorless_web.engine.questions.plan import FigureNeed, Formula, Period


@dataclass(frozen=True, slots=True)
class FigureLeaf:
    """A figure: the concept, its document phrases, and when it is taken; `offset` periods before the one asked.

    `included_in` is as for a need.
    """

    concept: str
    phrases: tuple[str, ...]
    statement: str = ""
    period: Period | None = None
    offset: int = 0
    included_in: str = ""


@dataclass(frozen=True, slots=True)
class Branch:
    """Two trees joined by an operator: + - * /."""

    operator: str
    left: "Tree"
    right: "Tree"


Tree = FigureLeaf | Branch | float

_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2}


def each_leaf(tree: Tree, change: Callable[[FigureLeaf], Tree]) -> Tree:
    """The tree with every figure replaced."""
    if isinstance(tree, FigureLeaf):
        return change(tree)
    if isinstance(tree, Branch):
        return Branch(tree.operator, each_leaf(tree.left, change), each_leaf(tree.right, change))
    return tree


def at_period(tree: Tree, period: Period) -> Tree:
    """Every figure without a period of its own taken at `period` (less its offset)."""
    return each_leaf(
        tree, lambda leaf: leaf if leaf.period else replace(leaf, period=shift_back(period, leaf.offset), offset=0)
    )


def shift_periods(tree: Tree, offset: int) -> Tree:
    """Every figure taken that many periods earlier."""
    return each_leaf(tree, lambda leaf: _shift_leaf(leaf, offset))


def _shift_leaf(leaf: FigureLeaf, offset: int) -> FigureLeaf:
    if leaf.period is None:
        return replace(leaf, offset=leaf.offset + offset)
    return replace(leaf, period=shift_back(leaf.period, offset))


def average(trees: list[Tree]) -> Tree:
    """The mean of several trees."""
    total = trees[0]
    for tree in trees[1:]:
        total = Branch("+", total, tree)
    return Branch("/", total, float(len(trees))) if len(trees) > 1 else total


def formula_of(
    tree: Tree, name: str, source: str, others: Sequence[tuple[str, Tree]] = ()
) -> tuple[Formula | None, tuple[FigureNeed, ...]]:
    """The formula and the figures it needs, each once; a tree of one figure needs no formula.

    `others` are other ways to work it out, each with how it differs; what they alone need is optional.
    """
    needs: list[FigureNeed] = []
    names: list[str] = []
    expression = _write_expression(tree, needs, names, 0)
    if isinstance(tree, FigureLeaf):
        return None, tuple(needs)
    operands = tuple((operand, index) for index, operand in enumerate(names))
    required = len(needs)
    told = [(how, _write_expression(other, needs, names, 0)) for how, other in others]
    every = tuple(need if index < required else replace(need, optional=True) for index, need in enumerate(needs))
    indexes = {operand: index for index, operand in enumerate(names)}
    ways = tuple(
        Formula(how, written, tuple((n, indexes[n]) for n in names if re.search(rf"\b{n}\b", written)), source)
        for how, written in told
    )
    return Formula(name, expression, operands, source, others=ways), every


def describe_tree(tree: Tree, outer: int = 0) -> str:
    """The calculation as people write it: "365 × average inventories / cost of goods sold"."""
    if isinstance(tree, FigureLeaf):
        return f"{tree.concept} of the year before" if tree.offset else tree.concept
    if not isinstance(tree, Branch):
        return "days of the year" if tree == _DAYS else f"{tree:g}"
    averaged = _averaged_leaf(tree)
    if averaged is not None:
        return f"average {averaged.concept}"
    if tree.operator == "*" and tree.left == _PERCENT:
        return describe_tree(tree.right, outer)
    rank = _PRECEDENCE[tree.operator]
    sign = {"*": "×", "-": "−"}.get(tree.operator, tree.operator)
    text = f"{describe_tree(tree.left, rank - 1)} {sign} {describe_tree(tree.right, rank)}"
    return f"({text})" if rank <= outer else text


_PERCENT, _TWO_BALANCES, _DAYS = 100.0, 2.0, 365.0


def at_year_end(tree: Tree) -> Tree:
    """The same with the closing balance wherever the average of two balances is taken."""
    averaged = _averaged_leaf(tree)
    if averaged is not None:
        return averaged
    if isinstance(tree, Branch):
        return Branch(tree.operator, at_year_end(tree.left), at_year_end(tree.right))
    return tree


def _averaged_leaf(tree: Tree) -> FigureLeaf | None:
    """The closing balance of an average of two balances; None for any other tree."""
    if not isinstance(tree, Branch) or tree.operator != "/" or tree.right != _TWO_BALANCES:
        return None
    total = tree.left
    if not isinstance(total, Branch) or total.operator != "+":
        return None
    first, second = total.left, total.right
    if not isinstance(first, FigureLeaf) or not isinstance(second, FigureLeaf) or first.concept != second.concept:
        return None
    return first if first.offset < second.offset else None


def _write_expression(tree: Tree, needs: list[FigureNeed], names: list[str], outer: int) -> str:
    if isinstance(tree, FigureLeaf):
        return _operand(tree, needs, names)
    if not isinstance(tree, Branch):
        return f"{tree:g}"
    rank = _PRECEDENCE[tree.operator]
    left = _write_expression(tree.left, needs, names, rank - 1)
    right = _write_expression(tree.right, needs, names, rank)
    text = f"{left} {tree.operator} {right}"
    return f"({text})" if rank <= outer else text


def _operand(leaf: FigureLeaf, needs: list[FigureNeed], names: list[str]) -> str:
    need = FigureNeed(
        leaf.concept,
        leaf.phrases,
        leaf.period,
        leaf.statement,
        leaf.offset,
        bool(leaf.included_in),
        leaf.included_in,
    )
    for index, known in enumerate(needs):
        if (known.concept, _sort_by_period(known)) == (need.concept, _sort_by_period(need)):
            return names[index]
    needs.append(need)
    names.append(_operand_name(need, names))
    return names[-1]


def _sort_by_period(need: FigureNeed) -> tuple[int, int | None, int]:
    if need.period is None:
        return (0, None, need.offset)
    return (need.period.year, need.period.quarter, need.offset)


def _operand_name(need: FigureNeed, taken: list[str]) -> str:
    stem = re.sub(r"[^a-z0-9]+", "_", need.concept.lower()).strip("_") or "figure"
    if not stem[0].isalpha():
        stem = f"n_{stem}"
    year, quarter, offset = _sort_by_period(need)
    parts = [stem, str(year) if year else "", f"q{quarter}" if quarter else "", f"earlier_{offset}" if offset else ""]
    name = "_".join(part for part in parts if part)
    return name if name not in taken else f"{name}_{len(taken)}"
