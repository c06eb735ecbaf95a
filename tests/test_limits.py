"""Each limit on what people type is stated once; pages say no other."""

import re
from pathlib import Path

from vectorless_web.engine.parsing.corrections import LONGEST_HEADING
from vectorless_web.infra.limits import NAME_MAX, SEARCH_MAX, TAG_MAX, TITLE_MAX

TEMPLATES = Path(__file__).parents[1] / "templates"
FIELDS = {"title": {TITLE_MAX, LONGEST_HEADING}, "name": {NAME_MAX}, "tag": {TAG_MAX}, "q": {SEARCH_MAX}}


def stated():
    """(template, field, characters) of each text field of the pages that says how much it takes."""
    for path in sorted(TEMPLATES.rglob("*.html")):
        for field in re.findall(r"<(?:input|textarea)\b[^>]*\bmaxlength=[^>]*>", path.read_text(encoding="utf-8")):
            name, most = re.search(r'\bname="(\w+)"', field), re.search(r'\bmaxlength="(\d+)"', field)
            yield path.name, name and name[1], most and int(most[1])


def test_pages_let_people_type_what_the_forms_take():
    found = [(page, name, most) for page, name, most in stated() if name in FIELDS]
    assert {name for _, name, _ in found} == FIELDS.keys()
    assert [(page, name, most) for page, name, most in found if most not in FIELDS[name]] == []


def test_the_question_is_never_cut_by_the_browser():
    assert [page for page, name, _ in stated() if name == "question"] == []
