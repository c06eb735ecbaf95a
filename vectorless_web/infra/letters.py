"""Searching without regard to capitals, for every letter and alike on both databases.

PostgreSQL knows the capital of every letter, SQLite's LIKE those from A to Z alone. So on
SQLite `icontains` asks a function of this program.
"""

import json
from sqlite3 import Connection
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import CharField, Func, TextField
from django.db.models.functions import Cast
from django.db.models.lookups import IContains

FOLDED, UNESCAPED = "VECTORLESS_FOLDED", "VECTORLESS_UNESCAPED"


class FoldedContains(IContains):
    """`icontains` that knows the capitals of all letters on SQLite too."""

    def as_sqlite(self, compiler: Any, connection: BaseDatabaseWrapper) -> tuple[str, Any]:
        """`INSTR(folded column, folded text)`; nothing in the text is a pattern."""
        if not self.rhs_is_direct_value():
            return self.as_sql(compiler, connection)
        column, values = self.process_lhs(compiler, connection)
        return f"INSTR({FOLDED}({column}), %s) > 0", [*values, fold_letters(str(self.rhs))]


class JSONText(Func):
    """The text of a JSON column with its letters as they are; SQLite keeps Python's escapes for those beyond ASCII."""

    template = "%(expressions)s"
    output_field = TextField()

    def __init__(self, column: str) -> None:
        super().__init__(Cast(column, TextField()))

    def as_sqlite(self, compiler: Any, connection: BaseDatabaseWrapper, **_context: Any) -> tuple[str, Any]:
        """The same as on PostgreSQL, by a function of this program."""
        return self.as_sql(compiler, connection, template=f"{UNESCAPED}(%(expressions)s)")


def fold_letters(text: str) -> str:
    """The text in capitals, each letter by itself as PostgreSQL does it: one that has no single capital stays."""
    capitals = text.upper()
    if len(capitals) == len(text):
        return capitals
    return "".join(capital if len(capital := letter.upper()) == 1 else letter for letter in text)


def add_functions(connection: BaseDatabaseWrapper, **_signal: Any) -> None:
    """Give a new connection to SQLite the functions that its statements use."""
    if connection.vendor == "sqlite":
        database: Connection = connection.connection
        database.create_function(FOLDED, 1, _fold_column, deterministic=True)
        database.create_function(UNESCAPED, 1, _unescape_column, deterministic=True)


def search_all_letters() -> None:
    """Make every `icontains` of the project one that knows all letters."""
    CharField.register_lookup(FoldedContains)
    TextField.register_lookup(FoldedContains)


def _fold_column(value: object) -> str | None:
    return None if value is None else fold_letters(str(value))


def _unescape_column(value: object) -> str | None:
    return None if value is None else json.dumps(json.loads(str(value)), ensure_ascii=False)
