"""What changed between two versions of a document."""

import pytest

from tests.support.page_text import visible_text
from vectorless_web.documents.models import DocumentVersion

pytestmark = [pytest.mark.one_database, pytest.mark.django_db]

LEASE = b"""# Lease

## Rent

The rent is 900 euros a month. It is due on the first day.

## House rules

No pets are allowed in the house. Bikes stay outside.
"""
RAISED = b"""# Lease

## Rent

The rent is 950 euros a month. It is due on the first day.

## House rules

Bikes stay outside. Keys are handed over at noon.
"""


@pytest.fixture
def lease(ready, revise):
    document = ready(LEASE, "lease.md")
    revise(document, RAISED, "lease.md")
    return document


def test_changes_stand_under_their_headings_with_old_and_new_words(lease, look):
    response = look(lease, "changes/")
    rent, rules = response.context["sections"]
    assert (rent.name, rules.name) == ("Lease › Rent", "Lease › House rules")
    assert [change.kind for change in rent.changes] == ["changed"]
    assert sorted(change.kind for change in rules.changes) == ["gone", "new"]
    page = response.content.decode()
    assert "The rent is <del>900</del> euros a month." in page
    assert "The rent is <ins>950</ins> euros a month." in page
    assert "<ins>Keys are handed over at noon.</ins>" in page
    assert "<del>No pets are allowed in the house.</del>" in page
    assert "1 reworded, 1 new, 1 removed." in visible_text(page)


def test_two_versions_are_compared_in_any_order_unless_one_was_not_read(lease, look, revise):
    assert "The words are the same" in visible_text(look(lease, "changes/", **{"from": 2, "to": 2}).content.decode())

    revise(lease, RAISED + b"\nSmoking is allowed on the balcony.\n", "lease.md")
    assert "<ins>Smoking is allowed on the balcony.</ins>" in look(lease, "changes/").content.decode()
    assert "The rent is <ins>900</ins> euros" in look(lease, "changes/", **{"from": 2, "to": 1}).content.decode()
    assert look(lease, "changes/", **{"from": 1, "to": 3}).context["counts"].total() == 4

    DocumentVersion.objects.filter(document=lease, number=1).update(status=DocumentVersion.Status.FAILED)
    assert look(lease, "changes/", **{"from": 1, "to": 2}).status_code == 422


def test_versions_that_are_not_there_are_refused_in_words(lease, look):
    for query in ({"from": 9}, {"to": "x"}, {"from": -1, "to": 2}, {"from": "1" * 40}):
        response = look(lease, "changes/", **query)
        assert response.status_code == 422
        assert visible_text(response.content.decode()).count("Choose two versions that have been read.") == 1


def test_many_changes_come_in_pages(ready, revise, look):
    text = "# Terms\n\n" + "\n\n".join(f"Clause {number} is about matter {number * 7}." for number in range(150))
    document = ready(text.encode(), "terms.md")
    revise(document, text.replace("is about", "concerns").encode(), "terms.md")
    first = look(document, "changes/")
    assert sum(len(section.changes) for section in first.context["sections"]) == 100
    assert "?page=2" in first.content.decode()
    rest = look(document, "changes/", page=2, htmx=True)
    assert sum(len(section.changes) for section in rest.context["sections"]) == 50
    assert rest.content.decode().lstrip().startswith('<section class="stack changed" id="changes"')


def test_the_page_asks_the_database_no_more_for_more_changes(lease, look, django_assert_max_num_queries):
    look(lease, "changes/")
    with django_assert_max_num_queries(9):
        assert look(lease, "changes/").context["counts"].total() == 3
