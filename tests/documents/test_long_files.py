"""A file that takes long never holds up another: its first pages can be used, and another queue reads all of it."""

import io
from dataclasses import replace
from functools import partial

import django_rq
import pytest
from PIL import Image, ImageDraw

from tests.documents.conftest import stored_files
from tests.documents.test_slow_pages import endless_pattern
from tests.documents.test_upload import AJAX, url
from tests.support.files import REPORT, upload
from tests.support.page_text import visible_text
from vectorless_web.documents.compiling.process import run_child
from vectorless_web.documents.line import queue_repair
from vectorless_web.documents.models import DocumentVersion
from vectorless_web.documents.services import requeue_repairs
from vectorless_web.documents.services.compiling import compile_version

pytestmark = [
    pytest.mark.one_database,
    pytest.mark.django_db(transaction=True),
    pytest.mark.slow,
    pytest.mark.timeout(120),
]

FRAMES = 600
"""Many more than text recognition reads in eight seconds; to write them takes as long as their square."""


@pytest.fixture(autouse=True)
def short_first_reading(settings):
    settings.OCR_PAGES, settings.OCR_SECONDS = 5_000, 2
    settings.COMPILE_FIRST_SECONDS, settings.COMPILE_READING_SECONDS = 1.0, 8.0


def many_frames() -> bytes:
    """A TIFF of small pictures, each of a line of text."""
    frame = Image.new("1", (160, 40), 1)
    ImageDraw.Draw(frame).text((8, 12), "Rent of unit four: 4,200", fill=0)
    file = io.BytesIO()
    frame.save(file, "TIFF", save_all=True, append_images=[frame] * (FRAMES - 1), compression="group4")
    return file.getvalue()


@pytest.fixture
def add(client, workspace):
    def post(user, content: bytes, name: str) -> DocumentVersion:
        client.force_login(user)
        client.post(url(workspace), {"files": [upload(content, name)]}, headers=AJAX)
        return DocumentVersion.objects.get(document__name=name)

    return post


@pytest.mark.parametrize(
    ("make", "name", "at_last"),
    [
        (many_frames, "frames.tiff", "the time limit of 8 seconds was reached."),
        (partial(endless_pattern, words=False), "tiles.pdf", "longer than 2 s"),
    ],
)
def test_a_file_that_takes_long_is_ready_in_part_and_the_next_file_soon_after(
    add, work_off, client, workspace, alice, make, name, at_last
):
    content = make()
    assert len(content) < 2**20
    hostile = add(alice, content, name)
    small = add(alice, REPORT, "report.pdf")
    work_off("documents")

    for version in (hostile, small):
        version.refresh_from_db()
        assert version.status == "ready"
        assert version.report["seconds"] < 20
    sentence = hostile.report["warnings"][0]
    assert sentence.startswith("Text was read ") and "the time limit of 1 second" in sentence
    shown = visible_text(client.get(f"/w/{workspace.slug}/documents/").content.decode())
    assert sentence in shown
    assert "reading the rest" in shown

    read = hostile.recognised_pages
    work_off("long")
    hostile.refresh_from_db()
    assert (hostile.status, hostile.repair) == ("ready", "")
    assert at_last in hostile.report["warnings"][0]
    assert hostile.recognised_pages >= read
    assert requeue_repairs() == 0
    shown = visible_text(client.get(f"/w/{workspace.slug}/documents/{hostile.document_id}/").content.decode())
    assert "found or quoted" in shown


def test_a_second_reading_that_reads_less_does_not_take_the_place_of_the_first(add, work_off, settings, alice):
    settings.COMPILE_FIRST_SECONDS = 60.0
    version = add(alice, REPORT, "report.pdf")
    work_off("documents")
    version.refresh_from_db()
    first = version.artefact
    queue_repair(version, version.RepairReason.LATE)

    compile_version(version.pk, compile_with=lambda order: run_child(replace(order, reading_seconds=0.0)))

    version.refresh_from_db()
    assert (version.artefact, version.unread_pages, version.repair) == (first, 0, "")
    assert [name for name in stored_files() if name.startswith("compiled")] == [first]


def test_the_rest_of_a_long_file_is_read_whole_while_its_beginning_is_used(add, work_off, settings, alice, client):
    settings.COMPILE_FIRST_SECONDS, settings.COMPILE_READING_SECONDS = 0.0, 60.0
    version = add(alice, REPORT, "report.pdf")
    work_off("documents")
    version.refresh_from_db()
    assert (version.status, version.unread_pages, version.repair_reason) == ("ready", 2, "late")
    assert version.report["warnings"][0].startswith("Text was read up to page 1 of 3: ")

    # Its job is lost with an emptied Redis; the sweep gives it another.
    django_rq.get_connection("long").flushdb()
    assert requeue_repairs() == 1
    work_off("long")
    version.refresh_from_db()
    assert (version.status, version.unread_pages, version.repair, version.coverage) == ("ready", 0, "", 1.0)
