"""Searching a workspace: documents by title and content with their passages, facets, runs and threads."""

import re

import pytest
from django.urls import reverse

from tests.support.compiled import compiled_document
from vectorless_web.documents.models import Document, Folder
from vectorless_web.runs.models import Run, Thread
from vectorless_web.runs.search import SearchQuery, search_workspace

pytestmark = pytest.mark.django_db

BODY = (
    "# {title}\n\nThe house opens at eight. Visitors sign in at the desk. {fact}\n\n## Waste\n\nBins stand outside.\n"
)


@pytest.fixture
def add(workspace, alice):
    def add(title: str, fact: str) -> Document:
        return compiled_document(workspace, alice, BODY.format(title=title, fact=fact).encode(), f"{title}.md")

    return add


@pytest.fixture
def page(client, alice, workspace):
    client.force_login(alice)

    def fetch(**values) -> str:
        response = client.get(reverse("runs:search", args=[workspace.slug]), values)
        assert response.status_code == 200
        return response.content.decode()

    return fetch


def titles(found) -> list[str]:
    return [each.document.title for each in found.documents]


def test_a_document_is_found_by_what_it_says_with_the_passage_marked_and_opened(add, page, client):
    add("Gate rules", "The gate is closed on Sundays.")
    add("Locker rules", "Replacing a lost locker key costs 9 pounds.")
    shown = page(q="lost locker key")

    first = shown.split("found-documents")[1]
    assert first.index("rules") and "<mark>Locker</mark> rules" in first
    assert "Replacing a <mark>lost</mark> <mark>locker</mark> <mark>key</mark> costs 9 pounds." in first
    assert "<mark>Gate</mark>" not in shown
    address = re.search(r'<a class="serif" href="([^"]+)"', shown)
    assert address is not None

    reader = client.get(address[1].replace("&amp;", "&")).content.decode()
    assert "does not occur" not in reader and "lost locker key costs" in reader


def test_facets_count_and_narrow(add, workspace, alice, page):
    documents_here = [add(f"Travel Policy v{number}", f"Meals up to {number}0 pounds.") for number in (1, 2, 3)]
    folder = Folder.objects.create(workspace=workspace, name="Old")
    Document.objects.filter(pk=documents_here[0].pk).update(folder=folder, tags=["money"])
    found = search_workspace(workspace, alice, SearchQuery("meals pounds"))

    assert found.total == 3
    assert [(each.label, each.count) for each in found.facets["folder"]] == [("Old", 1)]
    assert [(each.label, each.count) for each in found.facets["tag"]] == [("money", 1)]
    assert ("policy", 3) in [(each.label, each.count) for each in found.facets["kind"]]
    assert titles(search_workspace(workspace, alice, SearchQuery("meals pounds", folder=folder.pk))) == [
        "Travel Policy v1"
    ]
    assert search_workspace(workspace, alice, SearchQuery("meals pounds", tag="money")).total == 1
    assert search_workspace(workspace, alice, SearchQuery("meals pounds", kind="minutes")).total == 0
    assert f'href="?q=meals&amp;folder={folder.pk}"' in page(q="meals")


def test_editions_of_one_series_are_told_and_shown_together(add, workspace, alice):
    for number in (1, 2):
        add(f"Travel Policy v{number}", f"Meals up to {number}0 pounds.")
    add("Canteen notice", "Meals are served at noon for 3 pounds.")
    found = search_workspace(workspace, alice, SearchQuery("meals pounds"))
    policy = next(each for each in found.documents if each.document.title == "Travel Policy v2")

    assert (policy.edition, policy.editions) == ("version 2", 2)
    series = search_workspace(workspace, alice, SearchQuery("meals pounds", series=policy.series))
    assert sorted(titles(series)) == ["Travel Policy v1", "Travel Policy v2"]


def test_runs_and_threads_are_found(workspace, alice, page):
    thread = Thread.objects.create(workspace=workspace, title="Lighthouse questions", created_by=alice)
    Run.objects.create(workspace=workspace, thread=thread, question="Who painted the lighthouse?", asked_by=alice)
    shown = page(q="lighthouse")

    assert "Lighthouse questions" in shown and "Who painted the lighthouse?" in shown


def test_a_stranger_finds_nothing(add, workspace, charlie):
    add("Locker rules", "Replacing a lost locker key costs 9 pounds.")

    assert search_workspace(as_stored(workspace), charlie, SearchQuery("locker")).documents == ()


def as_stored(workspace):
    """The workspace as nobody's selector gave it: without anybody's role."""
    return type(workspace).objects.get(pk=workspace.pk)


def test_nonsense_in_the_address_does_no_harm(add, page):
    add("Locker rules", "Replacing a lost locker key costs 9 pounds.")
    for values in ({"q": "\0"}, {"page": "999"}, {"series": "zz"}, {"q": "?!"}, {"year": "a"}):
        assert "results" in page(**{"q": "x", **values})
