"""Every template compiles, keeps to the content policy, and is laid out for the people who read it."""

import re
from pathlib import Path

from django.contrib.staticfiles import finders
from django.template.loader import get_template

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = {str(path.relative_to(ROOT / "templates")): path.read_text() for path in ROOT.glob("templates/**/*.html")}
STATIC = [path for path in (ROOT / "static").rglob("*") if path.suffix in (".css", ".js", ".svg")]
SPRITE = set(re.findall(r'id="i-([a-z]+)"', (ROOT / "static/icons.svg").read_text()))
STYLES = (ROOT / "static/app.css").read_text()
WIDTH = 120
"""Characters of a line, at most."""
HEIGHT = 150
"""Lines of a template, at most: a longer one is split along its topics."""


def test_every_template_compiles_and_finds_its_icons_and_files():
    for name, text in TEMPLATES.items():
        get_template(name)
        assert set(re.findall(r'{% icon "([a-z]+)"', text)) <= SPRITE, name
        for path in re.findall(r"{% static '([^']+)' %}", text):
            assert finders.find(path), (name, path)


def test_a_strict_content_policy_has_nothing_to_refuse():
    for name, text in TEMPLATES.items():
        assert not re.search(r"\sstyle=|\son[a-z]+=\"|javascript:|<style", text), name
        assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", text)), name


def test_numbers_in_ids_and_addresses_are_not_localised():
    number = r'(?:id|href|value|data-[a-z]+)="[^"]*{{ ([a-z_.]+(?:pk|sequence|order|marker)) }}'
    found = {value for text in TEMPLATES.values() for value in re.findall(number, text)}
    assert found <= {"segment.marker", "hit.marker", "flag.marker"}


def test_lines_and_templates_are_short_and_clean():
    """No line begins with the end of a sentence either: white space would stand before the comma or full stop."""
    texts = TEMPLATES | {path.name: path.read_text() for path in STATIC}
    assert not [(name, line) for name, text in texts.items() for line in text.splitlines() if len(line) > WIDTH]
    for name, text in TEMPLATES.items():
        assert len(text.splitlines()) <= HEIGHT, name
        for line in text.splitlines():
            assert line == line.rstrip() and "\t" not in line, (name, line)
            assert not line.lstrip().startswith((",", ".", ";", ":", "!", "?")), (name, line)


def test_templates_and_rules_of_style_keep_to_their_bounds():
    assert {"route", "scan", "retrieve", "navigate", "extract", "synthesize", "verify", "finalize"} <= SPRITE

    rules = STYLES[STYLES.index("/* 2 ") :]
    named = re.findall(r"(?<!-)color: (#[0-9a-f]{3,8})", rules)
    assert set(named) <= {"#1b1e17", "#3a6410"}, "paper keeps its colours in the dark; all others are tokens"

    assert sum(path.stat().st_size for path in (ROOT / "static/js").glob("*.js")) < 150_000

    sheet = re.sub(r"/\*.*?\*/", "", (ROOT / "static" / "app.css").read_text(), flags=re.DOTALL)
    assert [selector for selector in re.findall(r"[^{}]+(?=\{)", sheet) if nested(selector)] == []


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
