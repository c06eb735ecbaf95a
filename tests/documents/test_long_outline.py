"""A document with thousands of headings: its pages stay small, and every heading can be reached."""

import re

import pytest

from vectorless_web.documents.selectors import OUTLINE_ROWS, OUTLINE_WHOLE

pytestmark = [pytest.mark.one_database, pytest.mark.django_db]

PARTS, POINTS = 20, 99
MANUAL = "".join(
    f"# Part {part}\n\n" + "".join(f"## Point {part}.{point}\n\nText.\n\n" for point in range(POINTS))
    for part in range(PARTS)
).encode()
TOTAL = PARTS * (POINTS + 1)


@pytest.fixture
def document(ready):
    made = ready(MANUAL, "manual.md")
    assert made.current_version.sections.count() == TOTAL > OUTLINE_WHOLE
    return made


@pytest.fixture
def look(client, workspace, dora, document):
    client.force_login(dora)

    def ask(rest=""):
        answer = client.get(f"/w/{workspace.slug}/documents/{document.pk}/{rest}")
        assert answer.status_code == 200
        return answer

    return ask


def titles(answer) -> list[str]:
    return [section.title for section in answer.context["outline"]]


@pytest.mark.parametrize("place", ["", "outline/"])
def test_every_heading_can_be_reached_from_part_to_part(look, place):
    seen, address = [], place
    while address is not None:
        answer = look(address)
        page = answer.content.decode()
        assert len(page) < 400_000
        seen += titles(answer)
        following = re.search(r'<a[^>]*href="(\?[^"]*)"\s+rel="next"\s+title="Later headings"', page)
        address = place + following[1].replace("&amp;", "&") if following else None
    assert len(set(seen)) == TOTAL
    assert len(seen) <= TOTAL + TOTAL // OUTLINE_ROWS  # the part that a heading stands in is shown above it


def test_a_page_or_heading_opens_its_part_of_the_outline(look, document):
    last = look("?page=9999")
    assert titles(last)[-1] == f"Point {PARTS - 1}.{POINTS - 1}"
    assert last.context["current_key"] in {section.key for section in last.context["outline"]}
    assert f"1,501 to 2,000 of {TOTAL:,}" in " ".join(last.content.decode().split())

    assert titles(look("?headings=1502"))[:2] == ["Part 15", "Point 15.0"]
    assert titles(look("?headings=1510"))[:3] == ["Part 15", "Point 15.8", "Point 15.9"]

    section = document.current_version.sections.get(title="Point 15.5")
    answer = look(f"outline/?section={section.key}")
    assert answer.context["chosen"] == section
    assert "Point 15.5" in titles(answer)

    assert look("outline/?section=999999999").context["chosen"] is None
    assert look("?headings=999999").context["outline"][-1].title == "Point 19.98"
