"""Hostile files: each is refused with its reason, or read without what is hostile in it, and leaves nothing behind."""

import os
import re
import time
import unicodedata
from pathlib import Path

import pytest

from tests.documents.conftest import stored_files
from tests.support.files import upload
from tests.support.hostile import HOSTILE, Bait
from tests.support.hostile.case import READY, SECRET
from tests.support.network import children
from vectorless_web.documents import services
from vectorless_web.documents.compiling.process import _prefix
from vectorless_web.documents.models import DocumentVersion, Section
from vectorless_web.documents.storage.files import open_version
from vectorless_web.infra.web.problems import Problem

pytestmark = [pytest.mark.one_database, pytest.mark.django_db, pytest.mark.slow, pytest.mark.timeout(60)]

MEMORY = 640 * 2**20
"""Bytes that the child may take up here: what passes under it is far below the limit of a site, 2 GB."""


@pytest.fixture
def bait(httpserver, tmp_path) -> Bait:
    """An address of this machine at which nobody may ask, and a file that nobody may read."""
    secret = tmp_path / "secret.txt"
    secret.write_text(SECRET)
    return Bait(httpserver.url_for("/bait"), str(secret))


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_file_does_no_harm(workspace, alice, settings, httpserver, bait, what):
    settings.COMPILE_MEMORY_BYTES, settings.COMPILE_CPU_SECONDS = MEMORY, 30
    case = HOSTILE[what]
    content, before = case.make(bait), children(os.getpid())
    began, version = time.monotonic(), None

    try:
        version = services.add_document(workspace=workspace, user=alice, upload=upload(content, case.name)).version
    except Problem as refused:
        sentence, code = refused.message, refused.code
    else:
        services.compile_version(version.pk)
        version.refresh_from_db()
        sentence, code = version.error_message, version.error_code or version.status

    assert time.monotonic() - began < case.seconds
    assert code == case.ends, sentence
    if code == READY:
        check_what_was_read(version, case)
    else:
        assert len(re.findall(r"\.(?:\s|$)", sentence)) >= 2, (
            f"one sentence for the cause, one for the remedy: {sentence}"
        )
        # What may be tried again, perhaps under a higher limit, is kept for it.
        assert stored_files() == ([version.file.name] if version is not None and version.retryable else [])
        assert not Section.objects.exists()
    assert httpserver.log == []
    assert children(os.getpid()) == before
    assert not list(Path("/tmp").glob(f"{_prefix()}*")), "a folder of the compiler is left"
    assert not list(Path("/tmp").glob("door-was-here*"))


def check_what_was_read(version: DocumentVersion, case) -> None:
    """The words are there, what is hostile is not, and it is told where it is left out."""
    read = open_version(version)
    text = "\n".join(read.page_text(number) for number in range(len(read.pages)))
    assert case.keeps in " ".join(text.split())
    assert [words for words in case.leaves if words in text] == []
    assert SECRET not in text
    assert case.told in " ".join(version.report["warnings"])
    assert version.coverage == 1.0
    assert version.report["peak_mb"] < MEMORY / 2**20
    # What came within it is kept as an upload of its own.
    assert set(stored_files()) == {each.file.name for each in DocumentVersion.objects.all()} | {version.artefact}
    assert re.fullmatch(r"uploads/\d{4}/\d\d/[0-9a-f]{32}\.\w+", version.file.name)
    for shown in (version.document.name, version.document.title):
        assert 0 < len(shown) <= 300
        assert not re.search(r"[/\\\x00-\x1f]", shown)
        assert not [char for char in shown if unicodedata.category(char) in ("Cc", "Cf", "Cs")]
