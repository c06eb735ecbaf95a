"""A compiled file is damaged: questions leave its document out and say so, and nothing that quoted it breaks."""

import re
from pathlib import Path

import pytest
from django.core.files.storage import default_storage
from django.urls import reverse

from tests.documents.test_repair import written_by
from tests.runs.test_route import add, ask
from tests.support.compiled import compile_here
from vectorless_web.documents import services as documents
from vectorless_web.documents.models import Document, DocumentVersion
from vectorless_web.runs.jobs import find_replay_result
from vectorless_web.runs.models import Replay, Run
from vectorless_web.sharing.services import LinkTerms, make_link

pytestmark = pytest.mark.django_db


BOTH = "How many glaciers and orchards are in the valley?"


@pytest.fixture
def shelf(workspace, alice) -> list[Document]:
    return [add(workspace, alice, topic) for topic in ("glaciers", "orchards")]


def path_of(document: Document) -> Path:
    return Path(default_storage.path(DocumentVersion.objects.get(document=document).artefact))


def repair() -> None:
    for pk in DocumentVersion.objects.filter(repair="queued").values_list("pk", flat=True):
        documents.compile_version(pk, compile_with=compile_here)


def test_a_question_leaves_a_damaged_document_out_and_says_so(html, workspace, bob, shelf):
    path_of(shelf[0]).unlink()

    run = ask(workspace, bob, BOTH)

    route = run.steps.get(kind="route")
    assert run.status in ("answered", "passages")
    assert "A report on glaciers is being read again and left out" in route.say
    assert [row["title"] for row in route.observation["left_out"]] == ["A report on glaciers"]
    assert any("being read again" in row["reason"] for row in route.rejected)
    page = html(bob, reverse("runs:detail", args=[workspace.slug, run.pk]))
    assert "A report on glaciers was being read again and was left out." in page
    assert list(run.versions.all()) == [shelf[1].current_version]
    assert DocumentVersion.objects.get(document=shelf[0]).repair == "queued"


def test_a_question_about_damaged_documents_alone_says_when_to_ask_again(workspace, bob, shelf):
    for document in shelf:
        path_of(document).write_bytes(b"")

    run = ask(workspace, bob, "How many orchards are in the valley?")

    assert (run.status, run.error_code, run.retryable) == ("failed", "artefact_damaged", True)
    assert "being read again" in run.reason and run.steps.filter(kind="route").exists()
    repair()
    assert ask(workspace, bob, "How many orchards are in the valley?").status == "passages"


def test_a_replay_leaves_out_what_was_left_out_and_waits_for_what_is_damaged_now(workspace, bob, shelf):
    path_of(shelf[0]).unlink()
    run = ask(workspace, bob, BOTH)
    repair()
    found = find_replay_result(run)
    assert found.verdict == Replay.Verdict.IDENTICAL, found.difference

    path_of(shelf[1]).unlink()
    found = find_replay_result(run)
    assert found.verdict == Replay.Verdict.IMPOSSIBLE
    assert "A report on orchards is being read again" in found.difference


def test_nothing_that_quotes_a_damaged_document_breaks(client, workspace, bob, alice, shelf):
    run = ask(workspace, bob, "How many orchards are in the valley?")
    quote = run.citations.get().quote
    _, token = make_link(user=alice, run=run, terms=LinkTerms(days=7))
    path_of(shelf[1]).unlink()
    client.force_login(alice)
    names = {"slug": workspace.slug, "pk": run.pk}
    addresses = [reverse("runs:detail", kwargs=names), reverse("runs:list", args=[workspace.slug])]
    addresses += [
        reverse("runs:export", kwargs={**names, "form": form}) for form in ("json", "markdown", "bundle", "print")
    ]
    for address in addresses:
        answer = client.get(address)
        assert answer.status_code == 200, address
    assert quote in client.get(addresses[0]).content.decode()
    version = shelf[1].current_version_id
    assert client.get(reverse("runs:sheet", args=[workspace.slug, run.pk, version, 1])).status_code == 503
    client.logout()
    assert quote in client.get(reverse("sharing:view", args=[token])).content.decode()


def test_a_quote_keeps_its_words_and_its_light_after_another_compiler_read_the_document_again(
    html, workspace, bob, shelf
):
    run = ask(workspace, bob, "How many orchards are in the valley?")
    before = list(run.citations.values_list("quote", "page_index", "sha256", "spans"))
    written_by(shelf[1].current_version, "1")
    documents.queue_outdated()
    repair()
    page = html(bob, reverse("runs:detail", args=[workspace.slug, run.pk]))
    assert list(Run.objects.get(pk=run.pk).citations.values_list("quote", "page_index", "sha256", "spans")) == before
    assert re.search(r'class="hit on"\s+id="hit-1"', page)
