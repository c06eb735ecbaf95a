"""Reads JSON: objects as sections with lines of name and value, lists of objects as tables."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.markup.blocks import BlockWriter, remove_invisible
from vectorless_web.engine.parsing.markup.delimited import write_rows
from vectorless_web.engine.parsing.markup.pages import DocumentText
from vectorless_web.engine.parsing.markup.plaintext import text_blocks

_NAMES = (".json", ".jsonl", ".ndjson", ".geojson")
_DEEPEST = 40
"""Objects within objects that are followed; configurations and exports have some ten."""
_DEEPEST_CELL = 3
"""Objects within an object of a list that become columns of their own."""
_MOST_COLUMNS = 64
"""Columns of a table, the widest that can be read; objects with more names stand one below the other."""
_LINE, _LINES = 400, 1_400
"""Characters of a value that is in a line with its name, and of lines that make one paragraph."""
_TITLES = ("title", "name", "label", "id")
"""Names whose value names an object, the first one that it has."""
_WORD_ENDS = re.compile(r"_+|(?<=[a-z0-9])(?=[A-Z])")


class _Number(str):
    """A number as the file writes it: neither rounded nor bounded in its figures."""

    __slots__ = ()


class _Object(list[tuple[str, Any]]):
    """The (name, value) pairs of an object in their order, a name that occurs twice both times."""


def claims_json(text: str, name: str) -> bool:
    """Whether a text is JSON: by its name and first sign, or because it can be parsed as an object or a list."""
    if text.lstrip()[:1] not in ("{", "["):
        return False
    if PurePath(name).suffix.lower() in _NAMES:
        return True
    try:
        return isinstance(_parse(text), list)
    except (ValueError, RecursionError):
        return False


def read_json(text: str) -> DocumentText:
    """Read JSON, or a file of one JSON object a line. UnreadableDocument: `nested_too_deeply`."""
    try:
        content = _parse(text)
    except RecursionError as error:
        raise _too_deep() from error
    except ValueError as error:
        told = f"This file is not valid JSON ({error}), so it was read as plain text."
        return DocumentText(text, text_blocks(text), remarks=[told])
    writer = BlockWriter()
    _write_value(writer, "", content, 0)
    writer.end_list()
    return writer.finish(_name_of(content))


def _parse(text: str) -> Any:
    """The content with numbers as written; of a file with one object a line, the list of them."""
    decoder = json.JSONDecoder(
        object_pairs_hook=_Object, parse_int=_Number, parse_float=_Number, parse_constant=_Number
    )
    try:
        return decoder.decode(text)
    except ValueError:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) < 2 or not all(line.lstrip().startswith("{") for line in lines):
            raise
        return [decoder.decode(line) for line in lines]


def _too_deep() -> UnreadableDocument:
    return UnreadableDocument(
        f"This JSON nests objects more than {_DEEPEST} levels deep, so it was not read.",
        remedy="Export the parts that matter as files of their own.",
        code="nested_too_deeply",
    )


def _write_value(writer: BlockWriter, name: str, value: Any, level: int) -> None:
    if level > _DEEPEST:
        raise _too_deep()
    if name:
        writer.write(NodeKind.SECTION, name, level=level)
    if isinstance(value, _Object):
        _write_object(writer, value, level)
    elif isinstance(value, list):
        _write_list(writer, value, level)
    else:
        writer.write_paragraph(_show(value))


def _write_object(writer: BlockWriter, pairs: _Object, level: int) -> None:
    lines: list[str] = []
    for name, value in pairs:
        flat = _flatten(value)
        line = f"{_words_of(name)}: {flat}".rstrip()
        if flat is not None and len(line) <= _LINE and "\n" not in flat:
            lines.append(line)
            if sum(map(len, lines)) > _LINES:
                lines = _end_lines(writer, lines)
            continue
        lines = _end_lines(writer, lines)
        if flat is not None:
            writer.write_paragraph(line)
        else:
            _write_value(writer, _words_of(name), value, level + 1)
    _end_lines(writer, lines)


def _end_lines(writer: BlockWriter, lines: Sequence[str]) -> list[str]:
    writer.write(NodeKind.PARAGRAPH, "\n".join(lines))
    return []


def _write_list(writer: BlockWriter, values: Sequence[Any], level: int) -> None:
    rows = _tabulate(values)
    if rows:
        write_rows(writer, rows, headers=1)
        return
    for number, value in enumerate(values, start=1):
        if isinstance(value, list):
            _write_value(writer, _name_of(value) or f"{number}", value, level + 1)
        else:
            writer.write_item(_show(value), mark="-")
    writer.end_list()


def _name_of(value: Any) -> str:
    said = dict(value) if isinstance(value, _Object) else {}
    return next((_show(said[name]) for name in _TITLES if isinstance(said.get(name), str) and said[name]), "")


def _tabulate(values: Sequence[Any]) -> list[list[str]]:
    """Objects, or lists of equally many simple values, as rows under a row of names; none when they are no table."""
    if values and all(isinstance(value, _Object) for value in values):
        rows = [dict(_columns_of(value, "", 0)) for value in values]
        names = list(dict.fromkeys(name for row in rows for name in row))
        if any(None in row.values() for row in rows) or not 0 < len(names) <= _MOST_COLUMNS:
            return []
        return [names, *([row.get(name) or "" for name in names] for row in rows)]
    widths = {len(value) if isinstance(value, list) and not isinstance(value, _Object) else 0 for value in values}
    if len(values) > 1 and len(widths) == 1 and 1 < max(widths) <= _MOST_COLUMNS:
        flat = [[_flatten(cell) for cell in value] for value in values]
        return [[cell or "" for cell in row] for row in flat] if all(None not in row for row in flat) else []
    return []


def _columns_of(pairs: _Object, before: str, depth: int) -> Iterator[tuple[str, str | None]]:
    """(name, text) of an object's values, those of inner objects under both names; None if a value is a list."""
    for name, value in pairs:
        said = f"{before}{_words_of(name)}"
        if isinstance(value, _Object) and value and depth < _DEEPEST_CELL:
            yield from _columns_of(value, f"{said} / ", depth + 1)
        else:
            yield said, _flatten(value)


def _flatten(value: Any) -> str | None:
    if not isinstance(value, list):
        return _show(value)
    if isinstance(value, _Object) or any(isinstance(own, list) for own in value):
        return "" if not value else None
    said = ", ".join(map(_show, value))
    return said if len(said) <= _LINE and "\n" not in said else None


def _show(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return remove_invisible(str(value).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")).strip()


def _words_of(name: str) -> str:
    """A name as words, as people ask for it: "net_income" and "netIncome" become "net income"."""
    parts = [part for part in _WORD_ENDS.split(_show(name)) if part]
    return " ".join(parts[:1] + [part.lower() if part[1:].islower() else part for part in parts[1:]])
