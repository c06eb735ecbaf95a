from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

import pytest
from django.template import Context, Template
from django.utils import timezone

from vectorless_web.infra.templatetags import show


@dataclass
class Heading:
    title: str
    depth: int


def outline(*depths: int) -> str:
    template = Template(
        "{% load show %}<ul>{% for row in sections|nested %}<li>{{ row.section.title }}"
        "{% if row.opens %}<ul>{% else %}</li>{% endif %}"
        "{% for _ in row.closes %}</ul></li>{% endfor %}{% endfor %}</ul>"
    )
    headings = [Heading(str(number), depth) for number, depth in enumerate(depths)]
    return template.render(Context({"sections": headings}))


@pytest.mark.parametrize("depths", [(1,), (1, 1), (1, 2, 2, 1), (1, 2, 3, 1), (1, 3, 2, 1), (2, 2, 3, 2), (2, 1, 3)])
def test_a_nested_outline_closes_every_list_it_opens(depths):
    html = outline(*depths)
    assert html.count("<ul>") == html.count("</ul>")
    assert html.count("<li>") == html.count("</li>") == len(depths)


def test_a_child_stands_in_its_parents_list():
    assert outline(1, 2, 1) == "<ul><li>0<ul><li>1</li></ul></li><li>2</li></ul>"


@pytest.mark.parametrize(("value", "shown"), [(0.04, "0.04 s"), (1.24, "1.2 s"), (18.4, "18.4 s"), (125, "2 min 05 s")])
def test_durations_read_as_people_write_them(value, shown):
    assert show.seconds(value).replace(show.SPACE, " ") == shown


@pytest.mark.parametrize(("value", "shown"), [(512, "512 bytes"), (96_000, "96 KB"), (9_100_000, "9.1 MB")])
def test_sizes_have_their_unit(value, shown):
    assert show.size(value).replace(show.SPACE, " ") == shown


def test_sums_ids_widths_and_pages_read_as_people_write_them():
    assert show.pages_of({"page_start": 46, "page_end": 46}) == "p. 47"
    assert show.pages_of({"page_start": 110, "page_end": 112}) == "pp. 111–113"

    assert show.money(0.0112) == "$0.011"
    assert show.money(3.1) == "$3.10"

    assert show.plain(1234) == "1234"
    assert show.plain(1234.5) == "1234.5"

    assert show.share(1.7) == "100"
    assert show.of_total(1, 0) == "0"

    assert show.of_total(Decimal("5"), Decimal("20")) == "25"

    assert show.formula("100 * (revenue_2024 - revenue_2023) / revenue_2023") == (
        "100 × (revenue 2024 − revenue 2023) ÷ revenue 2023"
    )


def test_a_moment_shows_the_day_and_carries_the_whole_in_its_title():
    html = show.when(timezone.now() - timedelta(seconds=5))
    assert "just now" in html
    assert "title=" in html


def test_lines_that_only_kept_short_are_joined_and_paragraphs_stay():
    text = "A Party that is prevented by events beyond its control is excused\nfrom it.\n\nARTICLE 2\nNext line."
    assert show.unwrap_lines(text) == text.replace("excused\nfrom", "excused from")


@pytest.mark.parametrize("shown", [show.seconds, show.percent, show.factor, show.initials, show.share, show.when])
@pytest.mark.parametrize("missing", [None, ""])
def test_what_is_missing_is_shown_as_nothing_rather_than_an_error(shown, missing):
    assert isinstance(shown(missing), str)


def test_a_figure_says_its_unit_once():
    assert show.unless_worded("USD million", "$220 million") == ""
    assert show.unless_worded("%", "11.8%") == ""
    assert show.unless_worded("USD million", "220") == "USD million"
    assert show.unless_worded("USD million", "220 million") == "USD"

    assert show.bare("$220 million", "USD million") == "220"
    assert show.bare("$220 million", "million") == "$220 million"
    assert show.bare("€220 million", "USD million") == "€220 million"
    assert show.bare("-$38 million", "USD million") == "-38"
    assert show.bare("($38) million", "USD million") == "(38)"


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("ANNUAL REPORT, Best Buy", "Annual Report, Best Buy"),
        ("PART II > Item 8. Financial Statements", "Part II > Item 8. Financial Statements"),
        ("Item 8 <b>", "Item 8 <b>"),
    ],
)
def test_capitals_are_brought_down_in_each_part_of_a_title_and_of_a_place(title, shown):
    assert show.readable(title) == shown
