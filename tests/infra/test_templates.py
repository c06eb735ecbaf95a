import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.template.loader import get_template

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = sorted(path.relative_to(ROOT / "templates").as_posix() for path in (ROOT / "templates").rglob("*.html"))
SPRITE = set(re.findall(r'id="i-([a-z]+)"', (ROOT / "static/icons.svg").read_text()))
STYLES = (ROOT / "static/app.css").read_text()


def text_of(name: str) -> str:
    return (ROOT / "templates" / name).read_text()


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_template_compiles(name):
    get_template(name)


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_strict_content_policy_has_nothing_to_refuse(name):
    text = text_of(name)
    assert not re.search(r"\sstyle=|\son[a-z]+=\"|javascript:|<style", text)
    assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", text))


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_icon_and_static_file_exists(name):
    text = text_of(name)
    assert set(re.findall(r'{% icon "([a-z]+)"', text)) <= SPRITE
    for path in re.findall(r"{% static '([^']+)' %}", text):
        assert finders.find(path), path


@pytest.mark.parametrize("name", TEMPLATES)
def test_numbers_in_ids_and_addresses_are_not_localised(name):
    for value in re.findall(
        r'(?:id|href|value|data-[a-z]+)="[^"]*{{ ([a-z_.]+(?:pk|sequence|order|marker)) }}', text_of(name)
    ):
        assert value in ("segment.marker", "hit.marker", "flag.marker"), value


def test_every_kind_of_step_has_its_icon():
    assert {"route", "scan", "retrieve", "navigate", "extract", "synthesize", "verify", "finalize"} <= SPRITE


def test_colours_are_named_once():
    rules = STYLES[STYLES.index("/* 2 ") :]
    named = re.findall(r"(?<!-)color: (#[0-9a-f]{3,8})", rules)
    assert set(named) <= {"#1b1e17", "#3a6410"}, "paper keeps its colours in the dark; all others are tokens"


def test_scripts_stay_small():
    assert sum(path.stat().st_size for path in (ROOT / "static/js").glob("*.js")) < 150_000
