"""What owners see of their workspace: usage, the record without what is hidden from them, and document health."""

import pytest

from tests.console.conftest import ask, text
from tests.support.compiled import compiled_document
from vectorless_web.console.subjects.health import find_doubles, find_superseded
from vectorless_web.console.subjects.usage import count_usage
from vectorless_web.documents.models import Document, DocumentVersion, Folder
from vectorless_web.documents.services import purge_document, restrict_folder
from vectorless_web.documents.storage.snapshots import snapshot_of
from vectorless_web.engine.index.word_blocks import compare_sketches, encode_words, sketch_words
from vectorless_web.workspaces.models import AuditEvent, Workspace
from vectorless_web.workspaces.services import record

pytestmark = pytest.mark.django_db
LETTER = "# Letter on {what}\n\n" + " ".join(f"Clause {n} of the lease binds party {n * 7}." for n in range(80))


@pytest.fixture
def look(client, alice, workspace, settings, tmp_path):
    """A page of the settings as the owner sees it."""
    settings.MEDIA_ROOT, settings.CACHE_ROOT = tmp_path / "media", tmp_path / "cache"
    client.force_login(alice)
    return lambda path: client.get(f"/w/{workspace.slug}/settings/{path}")


def ask_and_record(workspace, person, **more) -> None:
    run = ask(workspace, person, **more)
    record(actor=person, verb="run.asked", workspace=workspace, target=run, name=run.question)


def test_usage_is_that_of_the_workspace_alone(look, workspace, alice, bob):
    other = Workspace.objects.create(name="Other", slug="other")
    ask(workspace, bob, model="small", tokens=5)
    ask(other, bob, model="large", tokens=7000)
    count_usage()
    page = text(look("usage/"))
    assert "bob" in page
    assert "1, of them 1 answered" in page
    lines = text(look("usage/export.csv?by=model")).splitlines()
    assert any(line.startswith("small,1,") for line in lines)
    assert not any("large" in line for line in lines)


def test_the_record_leaves_out_what_is_hidden_from_the_owner(look, workspace, alice, bob):
    ask_and_record(workspace, bob, question="Is the gentian private?", private=True)
    ask_and_record(workspace, bob, question="Is the yarrow for all?")
    secret = compiled_document(workspace, bob, b"# Samphire plan\n\nText.", "samphire.md")
    folder = Folder.objects.create(workspace=workspace, name="Board")
    restrict_folder(actor=alice, folder=folder, people=[bob])
    Document.objects.filter(pk=secret.pk).update(folder=folder)
    details = {"documents": [secret.pk], "tag": "teasel"}
    record(actor=bob, verb="documents.tagged", workspace=workspace, details=details)
    for _moment in ("while it is there", "after it was purged"):
        page = text(look("record/"))
        assert "Is the yarrow for all?" in page
        assert not any(word in page for word in ("gentian", "amphire", "teasel"))
        assert "Is the gentian" not in text(look("record/?q=gentian")).replace('value="gentian"', "")
        if Document.objects.filter(pk=secret.pk).exists():
            purge_document(Document.objects.select_related("workspace", "folder").get(pk=secret.pk))


def test_documents_that_need_a_look_are_listed_and_read_again(look, client, workspace, alice):
    good = compiled_document(workspace, alice, b"# Fine\n\nText.", "fine.md")
    assert "No document needs a look" in text(look("health/"))
    version = DocumentVersion.objects.filter(document=good)
    version.update(engine_version="0.1", report={"unread": [1, 2]}, pages=9)
    broken = Document.objects.create(workspace=workspace, title="Broken", name="b.pdf")
    DocumentVersion.objects.create(document=broken, bytes=1, sha256="x", status="failed", error_message="No pages.")
    page = text(look("health/"))
    for words in ("Broken", "No pages.", "2 of 9 pages", "0.1", "Compile all again"):
        assert words in page
    client.post(f"/w/{workspace.slug}/settings/health/recompile/")
    assert version.get().repair == "queued"
    event = AuditEvent.objects.get(verb="documents.recompiled")
    assert (event.workspace, event.details) == (workspace, {"versions": 1})


def test_nearly_the_same_documents_and_earlier_editions_are_told(look, workspace, alice):
    compiled_document(workspace, alice, LETTER.format(what="rent").encode(), "one.md")
    compiled_document(workspace, alice, LETTER.format(what="repairs").encode(), "two.md")
    compiled_document(workspace, alice, b"# Menu\n\nSoup, bread and cheese for the guests.", "menu.md")
    page = text(look("health/"))
    assert "Nearly the same" in page
    assert page.count("Letter on") >= 2
    assert "the guests" not in page and ">Menu<" not in page.partition("<main")[2]

    for year in (2022, 2024):
        words = f"# Travel policy {year}\n\nEffective 1 March {year}. Trains are paid."
        compiled_document(workspace, alice, words.encode(), f"travel-policy-{year}.md")
    found = find_superseded(snapshot_of(workspace.pk))
    *_others, first, second = Document.objects.order_by("pk").values_list("pk", flat=True)
    assert [(one, later) for one, later, _ in found] == [(first, second)]
    assert "A later edition is here" in text(look("health/"))


def test_sketches_estimate_how_many_words_two_documents_share():
    def sketch(words) -> bytes:
        return sketch_words(encode_words({word: (1, 1) for word in words}))

    words = [f"w{n}" for n in range(1000)]
    alike, other = sketch(words[:960]), sketch(words[500:])
    whole = sketch(words)
    assert compare_sketches(whole, whole) == 1.0
    assert compare_sketches(whole, alike) > 0.85
    assert 0.3 < compare_sketches(whole, other) < 0.7
    assert compare_sketches(whole, b"") == 0.0
    assert find_doubles({1: whole, 2: sketch(words[:990]), 3: other}) == [(1, 2)]
