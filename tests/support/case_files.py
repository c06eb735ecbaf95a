"""Files of cases: a sentence behind a sign, what is given, and behind => what is expected of it, in lines."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest


def read_cases(path: Path, sign: str = "# ") -> Iterator[tuple[str, list[str], list[str]]]:
    """The sentence of each case, the lines before => and those behind it."""
    for written in re.split(f"^{sign}", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        name, body = written.split("\n", 1)
        given, expected = body.rstrip("\n").split("\n=>\n")
        yield name, given.split("\n"), expected.split("\n")


def each_line(path: Path) -> list:
    """Parameters of a test: the lines before =>, and each line behind it by itself."""
    return [
        pytest.param(given, line, id=f"{name}: {line}") for name, given, lines in read_cases(path) for line in lines
    ]
