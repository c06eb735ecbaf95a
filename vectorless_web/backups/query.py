"""Queries over a copy of the database, in SQL that both kinds of database understand."""

from collections.abc import Callable
from typing import Any

from django.db.models import Field

from vectorless_web.documents.storage.rows import STORED, NamedBy

Query = Callable[[str], list[tuple[Any, ...]]]
"""Rows of a statement without parameters, all of one state of the database."""


def count_rows(query: Query, tables: list[str]) -> dict[str, int]:
    """How many rows each table has."""
    return {table: query(f'SELECT count(*) FROM "{table}"')[0][0] for table in sorted(tables)}  # noqa: S608 - our names


def list_named_files(query: Query) -> dict[str, str]:
    """Each stored file that a row names, with the SHA-256 that the row expects."""
    found: dict[str, str] = {}
    for kind in STORED:
        table = kind.model._meta.db_table
        name, sha256 = _column(kind, kind.field), _column(kind, kind.sha256)
        found |= dict(query(f'SELECT "{name}", "{sha256}" FROM "{table}" WHERE "{name}" <> \'\''))  # noqa: S608
    return found


def applied_migrations(query: Query) -> list[list[str]]:
    """[app, name] of each migration that the database has."""
    return sorted([app, name] for app, name in query("SELECT app, name FROM django_migrations"))


def _column(kind: NamedBy, name: str) -> str:
    field = kind.model._meta.get_field(name)
    assert isinstance(field, Field) and field.column
    return field.column
