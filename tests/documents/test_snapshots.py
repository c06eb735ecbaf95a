"""The cards of a workspace as every process reads them: whole, newest, and never proportional to the workspace."""

import os
import subprocess
import sys
import time

import pytest
from django.core.files.storage import default_storage
from django.db import transaction

from tests.conftest import ROOT, database_url
from vectorless_web.documents import services
from vectorless_web.documents.models import Document, Edge, SnapshotRow, SnapshotState, WaitingWords, WordBlock
from vectorless_web.documents.services import compiled_rows
from vectorless_web.documents.storage import snapshots
from vectorless_web.engine.documents.card import Card
from vectorless_web.engine.finding.routing import DocumentRouter, card_row
from vectorless_web.engine.index.snapshot import Snapshot, build_snapshot
from vectorless_web.engine.questions.understand import understand
from vectorless_web.workspaces.services import create_workspace

pytestmark = pytest.mark.django_db(transaction=True)

SECONDS = float(os.environ.get("VECTORLESS_ROUTE_SECONDS", "1.5"))
"""How long one process writes while another reads; 60 for the long version."""


@pytest.fixture(autouse=True)
def _fresh_process(monkeypatch):
    """Each test begins as a process that has mapped nothing."""
    monkeypatch.setattr(snapshots, "_kept", type(snapshots._kept)())


def text(title: str, *words: str) -> bytes:
    return f"# {title}\n\n{' '.join(words)} are described here.\n".encode()


def found(workspace, question: str) -> list[int]:
    """Documents with anything of the question on their card, best first."""
    result = DocumentRouter(snapshots.snapshot_of(workspace.pk)).route(understand(question))
    return [candidate.doc_id for candidate in result.candidates if candidate.score > 0]


def held(workspace) -> int:
    return len(snapshots.snapshot_of(workspace.pk))


def many(workspace, count: int, *, start: int = 1) -> None:
    """Write `count` cards at once, as uploads would one by one."""
    rows = {
        pk: card_row(pk, Card(title=f"Report {pk}", overview=f"About word{pk}.")) for pk in range(start, start + count)
    }
    compiled_rows._write(workspace.pk, rows)


def test_a_document_that_became_ready_can_be_routed_to_in_its_workspace_alone(workspace, ready, alice):
    assert held(workspace) == 0

    document = ready(text("Cold stores", "freezers", "compressors"), "cold.md")

    assert found(workspace, "Which freezers are there?") == [document.pk]
    assert snapshots.snapshot_of(workspace.pk).version == "1"

    ready(text("Cold stores", "freezers"), "cold.md")

    assert held(create_workspace(user=alice, name="Other")) == 0


def test_links_follow_documents_that_come_and_go(ready, workspace, alice):
    many(workspace, 10, start=1000)
    one, two, three = (ready(text(name, *["ammonia compressor evaporator"] * 4), f"{name}.md") for name in "abc")
    around = lambda: set(snapshots.snapshot_of(workspace.pk).neighbours(one.pk))  # noqa: E731
    assert around() == {two.pk, three.pk}

    services.delete_document(actor=alice, document=two)
    assert around() == {three.pk}

    services.restore_document(actor=alice, document=Document.objects.get(pk=two.pk))
    assert around() == {two.pk, three.pk}


def test_the_first_documents_are_linked_once_the_workspace_tells_what_is_rare(ready, workspace):
    one, two = (ready(text(name, "ammonia", "evaporator", "larch"), f"{name}.md") for name in "ab")
    others = [ready(text(f"Memo {number}", f"word{number}", "larch"), f"{number}.md") for number in range(5)]
    assert snapshots.snapshot_of(workspace.pk).neighbours(one.pk) == {}

    ready(text("Memo 8", "word8", "larch"), "eighth.md")
    assert services.refresh_rows() == 8

    around = snapshots.snapshot_of(workspace.pk).neighbours
    assert set(around(one.pk)) == {two.pk} and around(others[0].pk) == {}
    assert set(Edge.objects.get(source=one).keywords) == {"ammonia", "evapor"}
    assert services.refresh_rows() == 0


def test_a_document_deleted_while_its_row_is_read_anew_stays_gone(ready, workspace, alice):
    one, two = (ready(text(name, "ammonia", "evaporator", "larch"), f"{name}.md") for name in "ab")
    read = compiled_rows._read_again([one, two], link=True)
    services.delete_document(actor=alice, document=one)
    assert compiled_rows._write_refreshed(read) == {two.pk}
    assert held(workspace) == 1


def test_the_compacted_file_answers_as_one_built_from_all_rows(workspace):
    many(workspace, 30)
    before = snapshots.snapshot_of(workspace.pk).compact_rows()
    services.compact_snapshot(workspace.pk)
    snapshots._kept.clear()

    kept = snapshots.current(workspace.pk)
    rows = [bytes(data) for data in SnapshotRow.objects.values_list("data", flat=True)]
    assert kept.snapshot.compact_rows() == before == build_snapshot(rows)
    assert (kept.number, kept.snapshot.changes) == (30, 0)


def test_a_process_that_slept_through_two_compactions_wakes_to_the_truth(workspace):
    many(workspace, 3)
    kept = snapshots.current(workspace.pk)
    compiled_rows._write(workspace.pk, {2: b""})
    for start in (4, 5):
        snapshots._kept.clear()
        services.compact_snapshot(workspace.pk)
        many(workspace, 1, start=start)
    services.compact_snapshot(workspace.pk)
    assert not SnapshotRow.objects.filter(document=2).exists()

    snapshots._kept[workspace.pk] = kept
    awake = snapshots.snapshot_of(workspace.pk)
    assert awake.row_ids(awake.all_rows()).tolist() == [1, 3, 4, 5]


def test_a_lost_file_is_made_up_for_by_the_rows(workspace):
    many(workspace, 5)
    services.compact_snapshot(workspace.pk)
    default_storage.delete(SnapshotState.objects.get().file)
    snapshots._kept.clear()

    assert held(workspace) == 5


def test_a_change_that_is_rolled_back_was_never_there(ready, workspace, alice):
    ready(text("Cold stores", "freezers"), "cold.md")
    before = snapshots.snapshot_of(workspace.pk)
    with pytest.raises(RuntimeError), transaction.atomic():
        many(workspace, 1, start=99)
        raise RuntimeError

    assert snapshots.snapshot_of(workspace.pk) is before


def test_one_process_writes_while_another_routes(workspace, tmp_path, settings):
    """Every result equals one of the versions, and the newest is seen within a second, or three on a busy machine."""
    many(workspace, 20)
    told = tmp_path / "written"
    with told.open("w") as output:
        told_to = [str(workspace.pk), str(SECONDS), str(settings.MEDIA_ROOT)]
        command = [sys.executable, "-m", "tests.support.card_writer", *told_to]
        environment = {**os.environ, "DATABASE_URL": database_url()}
        writer = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output)
    seen: dict[int, float] = {}
    asked = understand("Where is the lighthouse of report 7?")
    while writer.poll() is None:
        snapshot = snapshots.snapshot_of(workspace.pk)
        at = time.time()
        seen.setdefault(int(snapshot.version), at)
        assert_whole(snapshot, DocumentRouter(snapshot).route(asked))
    written = {int(line.split()[0]): float(line.split()[1]) for line in told.read_text().splitlines()}

    assert writer.returncode == 0
    assert int(snapshots.snapshot_of(workspace.pk).version) == max(written)
    assert len(written) > 20 and len(seen) > 5
    assert not set(seen) - set(written) - {20}
    assert max(first_seen(number, seen) - at for number, at in written.items() if number <= max(seen)) < 3.0


def first_seen(number: int, seen: dict[int, float]) -> float:
    return min(at for version, at in seen.items() if version >= number)


def assert_whole(snapshot: Snapshot, result) -> None:
    """Each change of the writer puts one wave on both documents it writes; a torn read would show two waves."""
    titles = snapshot.titles(snapshot.rows_of([7, 8]))
    waves = {title.rpartition(" ")[2] for title in titles if "wave" in title}
    assert len(titles) == 2 and len(waves) <= 1
    assert result.index_version == snapshot.version
    assert not waves or {7, 8} <= {candidate.doc_id for candidate in result.candidates}


FACT = "# Site handbook {n}\n\nThe site opens at eight. Visitors sign in at the desk. {fact}\n"


def handbook(ready, number: int, fact: str) -> Document:
    return ready(FACT.format(n=number, fact=fact).encode(), f"handbook-{number}.md")


def test_words_in_blocks_are_found_like_words_that_wait(ready, workspace, django_assert_num_queries):
    pages = [handbook(ready, number, f"The alarm is tested by unit{number}.") for number in range(1, 6)]
    before = [found(workspace, f"What does unit{number} test?") for number in range(1, 6)]
    services.compact_words(workspace.pk)

    assert not WaitingWords.objects.exists()
    assert [found(workspace, f"What does unit{number} test?") for number in range(1, 6)] == before
    snapshots._kept.clear()
    assert [found(workspace, f"What does unit{number} test?")[:1] for number in range(1, 6)] == [[p.pk] for p in pages]
    with django_assert_num_queries(1):
        snapshots.snapshot_of(workspace.pk)


def test_a_block_forgets_what_was_deleted_and_replaced(ready, revise, workspace, alice):
    one, two = handbook(ready, 1, "Ask for the lantern."), handbook(ready, 2, "Ask for the compass.")
    services.compact_words(workspace.pk)
    revise(one, FACT.format(n=1, fact="Ask for the sextant.").encode(), "a.md")
    services.delete_document(actor=alice, document=two)

    for _ in range(2):
        assert found(workspace, "lantern") == [] and found(workspace, "compass") == []
        assert found(workspace, "sextant") == [one.pk]
        services.compact_words(workspace.pk)
        snapshots._kept.clear()
    services.restore_document(actor=alice, document=Document.objects.get(pk=two.pk))
    assert found(workspace, "compass")[0] == two.pk
    assert len(default_storage.listdir(f"words/{workspace.pk}")[1]) == 1


def test_many_lists_that_wait_queue_one_block(ready, workspace, work_off, monkeypatch):
    monkeypatch.setattr(compiled_rows, "BLOCK_AFTER", 3)
    for number in range(1, 4):
        handbook(ready, number, f"The alarm is tested by unit{number}.")
    work_off("documents")

    assert (WaitingWords.objects.count(), WordBlock.objects.count()) == (0, 1)
