"""Compiling a version: claimed once, fenced by its lease, ended in a stated way; and questions to begin with."""

import pytest

from tests.documents.conftest import stored_files
from tests.engine.parsing.conftest import compiled  # noqa: F401 - a fixture
from tests.support.files import HANDBOOK, REPORT, upload
from vectorless_web.documents import services
from vectorless_web.documents.compiling.process import Order, run_child
from vectorless_web.documents.models import Card, DocumentVersion, Section
from vectorless_web.documents.services.compiled_rows import card_row
from vectorless_web.documents.services.compiling import compile_version
from vectorless_web.documents.services.starters import answered_questions
from vectorless_web.documents.storage.files import open_version
from vectorless_web.engine.documents.card import Card as DocumentCard
from vectorless_web.engine.documents.card import card_from
from vectorless_web.workspaces.services import create_workspace

pytestmark = pytest.mark.django_db

Status = DocumentVersion.Status


def test_the_rows_agree_with_the_artefact(ready):
    version = ready().current_version
    document = open_version(version)
    keys = list(document.tree.sections())
    rows = list(Section.objects.filter(version=version))
    assert [row.key for row in rows] == keys
    assert [row.title for row in rows] == [document.tree.node(key).title for key in keys]
    assert card_from(version.card.data) == document.card
    assert set(version.card.question_hints) <= set(document.card.question_hints)
    assert version.report["sections"] == len(keys)
    assert version.report["peak_mb"] > 0


def test_the_document_takes_the_title_found_inside_unless_it_was_named(ready, workspace, alice):
    document = ready(HANDBOOK, "hb-2024-final.md")
    assert document.title == "Handbook"
    added = services.add_document(
        workspace=workspace, user=alice, upload=upload(REPORT, "report.pdf"), title="The report of 2023"
    )
    compile_version(added.version.pk)
    added.document.refresh_from_db()
    assert added.document.title == "The report of 2023"


def test_null_characters_are_dropped_from_cards_and_text_that_looks_like_them_is_not():
    for found, kept in (("A\\u0000zero", "A\\u0000zero"), ("A\0b", "Ab"), ("\\\0", "\\")):
        card = DocumentCard(title=found, overview="", topic_tags=(found,))
        row = card_row(DocumentVersion(), card)
        assert (row.title, row.topic_tags, row.data["title"]) == (kept, [kept], kept)


def test_a_worker_that_lost_its_lease_writes_nothing(add):
    version = add()

    def overtaken(order: Order):
        DocumentVersion.objects.filter(pk=version.pk).update(lease="another worker")
        yield from run_child(order)

    compile_version(version.pk, compile_with=overtaken)
    version.refresh_from_db()
    assert (version.status, version.lease) == (DocumentVersion.Status.PARSING, "another worker")
    assert not Section.objects.exists()
    assert not Card.objects.exists()
    assert len(stored_files()) == 1


@pytest.mark.django_db(transaction=True)
def test_equal_files_of_two_workspaces_have_an_artefact_each_that_goes_with_its_document(ready, alice):
    first = ready(HANDBOOK, "handbook.md")
    other = create_workspace(user=alice, name="Other")
    added = services.add_document(workspace=other, user=alice, upload=upload(HANDBOOK, "handbook.md"))
    compile_version(added.version.pk)
    second = DocumentVersion.objects.get(pk=added.version.pk)
    assert second.sha256 == first.current_version.sha256
    assert second.artefact != first.current_version.artefact
    services.purge_document(first)
    assert second.artefact in stored_files()
    assert first.current_version.artefact not in stored_files()
    services.purge_document(added.document)
    assert stored_files() == []


BOOK = """# Harbour book

## Bells of the keeper

The keeper winds the bells every evening. The keeper rings them in fog. Nobody else may touch the bells.

## Traffic of the year

| Ships by kind | 2023 | 2024 |
|---|---|---|
| Ferries that called | 40 | 44 |
| Ships in all | 90 | 97 |

## Fees of the year

| Fees | 2024 |
|---|---|
| Ships in all | 1,200 |
| Boats in all | 3,000 |
"""


def test_starters_are_whole_questions_that_the_document_answers_with_what_they_ask_for(compiled):  # noqa: F811
    assert list(answered_questions(compiled(BOOK, "book.md"))) == [
        "What figure is given for “Boats in all” in 2024?",
        "What does the section “Bells of the keeper” say?",
    ], "“Ships in all” has two figures, and a section of tables says nothing"
