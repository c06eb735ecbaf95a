"""Choosing the documents a question reads: searching for them, paging, keeping what is ticked."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.runs.conftest import say
from vectorless_web.documents.models import Document

pytestmark = pytest.mark.django_db


@pytest.fixture
def address(workspace):
    return f"/w/{workspace.slug}/ask/documents/"


@pytest.fixture
def many(workspace, report):
    """A hundred and twenty documents that are ready."""
    rows = [
        Document(workspace=workspace, title=f"Plan {n:03}", current_version=report.current_version) for n in range(120)
    ]
    return Document.objects.bulk_create(rows)


@pytest.fixture
def read(client, alice):
    client.force_login(alice)

    def reading(address, **query):
        response = client.get(address, query, headers={"HX-Request": "true"})
        assert response.status_code == 200
        return response.content.decode()

    return reading


def test_documents_are_found_by_words_of_their_titles_in_few_queries(read, address, many):
    read(address)
    with CaptureQueriesContext(connection) as queries:
        shown = read(address, q="plan 119")
    assert "Plan 119" in shown
    assert "Plan 118" not in shown
    assert len(queries) <= 10


def test_pages_follow_each_other_until_all_are_shown(read, address, many):
    first, second, third = (read(address, q="plan", page=page) for page in (1, 2, 3))
    assert "Plan 049" in first and "page=2" in first
    assert "Plan 050" in second and "page=3" in second
    assert "Plan 119" in third and "page=" not in third


def test_without_a_script_the_choice_is_a_page_that_leads_to_the_question(
    client, html, alice, workspace, address, many
):
    page = html(alice, address, {"q": "plan 11"})
    assert 'name="q"' in page and f'formaction="/w/{workspace.slug}/"' in page
    asking = client.get(f"/w/{workspace.slug}/", {"documents": many[3].pk, "question": "What is planned?"})
    shown = asking.content.decode()
    assert "What is planned?" in shown
    assert f'value="{many[3].pk}" checked' in shown


def test_a_document_names_the_pages_that_answers_quoted(read, make_run, workspace, report):
    run = make_run()
    run.versions.add(report.current_version)
    say(run, "So it is.", ("so", 4), ("so", 2), ("so", 4))
    shown = read(f"/w/{workspace.slug}/documents/{report.pk}/used/")
    assert shown.index("?page=3") < shown.index("?page=5")
    assert "2 citations" in shown
