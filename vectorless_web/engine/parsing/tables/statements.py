"""Tells which primary financial statement a table is, by its title and the labels of its rows; see statements.toml."""

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from vectorless_web.engine.parsing.patterns import is_statement_title

_WHOLE = 20
"""Rows from which a table in a discussion is a statement carried over pages and no summary."""
_BETWEEN = r"(?:\W+\w+){0,8}?"
"""Words that ".." stands for."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A kind of statement: words of its titles, a pattern of its rows, and the rows that a table has at least."""

    kind: str
    titles: Sequence[str]
    not_titles: Sequence[str]
    row: re.Pattern[str]
    under_title: int
    among_excerpts: int
    alone: int

    def is_named(self, title: str) -> bool:
        """Whether a title in small letters names this statement."""
        named = any(words in title for words in self.titles)
        return named and not any(words in title for words in self.not_titles)

    def count_rows(self, labels: Sequence[str]) -> int:
        """How many labels are those of this statement."""
        return sum(self.row.search(label) is not None for label in labels)


def _read_statements() -> tuple[Statement, ...]:
    told = tomllib.loads(resources.files(__package__).joinpath("statements.toml").read_text(encoding="utf-8"))
    return tuple(_read_statement(entry, "|".join(told["before"])) for entry in told["statement"])


def _read_statement(entry: dict[str, Any], before: str) -> Statement:
    begun = [_write_pattern(row) for row in entry["rows"] if not row.startswith("* ")]
    anywhere = [_write_pattern(row[2:]) for row in entry["rows"] if row.startswith("* ")]
    row = re.compile(
        rf"^\W*(?:(?:{before})\W+)*(?:{'|'.join(begun)})|\b(?:{'|'.join(anywhere or begun)})", re.IGNORECASE
    )
    return Statement(entry["kind"], entry["titles"], entry.get("not_titles", ()), row, **entry["least"])


def _write_pattern(row: str) -> str:
    """The words of a row one after the other, each as the beginning of a word."""
    parts = row.split(" .. ")
    return rf"{_BETWEEN}\W+".join(r"\W+".join(rf"{word}\w*" for word in part.split()) for part in parts)


_STATEMENTS = _read_statements()


def statement_kind(title: str) -> str:
    """The statement a title names: income, balance, cash_flow, equity, comprehensive_income, or ""."""
    if not is_statement_title(title):
        return ""
    words = " ".join(title.casefold().split())
    return next((statement.kind for statement in _STATEMENTS if statement.is_named(words)), "")


def recognise_statement(title: str, labels: Iterable[str], *, excerpts: bool) -> str:
    """The kind of statement a table is, or "".

    A title must agree with the rows; without one the rows must be complete. `excerpts`: the table
    is in a discussion, where the same titles head excerpts; then the rows must be many.
    """
    rows = [" ".join(label.split()) for label in labels if label]
    kind = statement_kind(title)
    if kind:
        brief = excerpts and len(rows) < _WHOLE
        named = next(statement for statement in _STATEMENTS if statement.kind == kind)
        least = named.among_excerpts if brief else named.under_title
        return kind if named.count_rows(rows) >= least else ""
    if excerpts:
        return ""
    complete = (own.kind for own in _STATEMENTS if own.alone and own.count_rows(rows) >= own.alone)
    return next(complete, "")
