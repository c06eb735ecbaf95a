"""Templates, sheets and scripts are laid out for the people who read them."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WIDTH = 120
"""Characters of a line, at most."""
HEIGHT = 150
"""Lines of a template, at most: a longer one is split along its topics."""
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
STATIC = sorted(path for path in (ROOT / "static").rglob("*") if path.suffix in (".css", ".js", ".svg"))


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", [*TEMPLATES, *STATIC], ids=name)
def test_no_line_is_too_long_to_be_read(path):
    lines = path.read_text().splitlines()
    assert [number for number, line in enumerate(lines, 1) if len(line) > WIDTH] == []


@pytest.mark.parametrize("path", TEMPLATES, ids=name)
def test_a_template_fits_its_topic(path):
    assert len(path.read_text().splitlines()) <= HEIGHT


@pytest.mark.parametrize("path", TEMPLATES, ids=name)
def test_no_line_has_a_tab_or_ends_in_a_space(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        assert line == line.rstrip() and "\t" not in line, number


@pytest.mark.parametrize("path", TEMPLATES, ids=name)
def test_no_line_begins_with_the_end_of_a_sentence(path):
    """White space would stand before the comma or full stop."""
    assert [
        line for line in path.read_text().splitlines() if line.lstrip().startswith((",", ".", ";", ":", "!", "?"))
    ] == []


def nested(selector: str) -> bool:
    """Whether a :has stands within the brackets of another."""
    open_brackets: list[bool] = []
    for part in re.findall(r":has\(|\(|\)", selector):
        if part == ")":
            open_brackets.pop()
        elif part == ":has(" and any(open_brackets):
            return True
        else:
            open_brackets.append(part == ":has(")
    return False


def test_no_has_stands_in_another():
    """A browser drops the whole rule of a nested :has."""
    sheet = re.sub(r"/\*.*?\*/", "", (ROOT / "static" / "app.css").read_text(), flags=re.DOTALL)
    assert [selector for selector in re.findall(r"[^{}]+(?=\{)", sheet) if nested(selector)] == []
