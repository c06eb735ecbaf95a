"""The child that reads a file cannot harm the worker that started it, and leaves no folder behind."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import wait_until
from tests.support.children import MISBEHAVING
from tests.support.files import REPORT
from tests.support.network import children, is_alive
from vectorless_web.documents.compiling import process
from vectorless_web.documents.compiling.process import (
    CHILD,
    CompileFailed,
    Finished,
    Order,
    PreparedChildren,
    StageProgress,
    _prefix,
    clear_stale_folders,
    compile_folder,
    prepare_children,
    run_child,
)
from vectorless_web.engine.documents.artefact import open_artefact
from vectorless_web.infra.outages import outage_of

either = pytest.mark.parametrize("starter", ["program", "prepared"], indirect=True)
"""The child is a program of its own, or a fork of the prepared process."""


@pytest.fixture(autouse=True)
def starter(request) -> Iterator[int]:
    """The process whose children the compile children are: this one, or (unless told otherwise) the prepared one."""
    before = list(process._prepared)
    if getattr(request, "param", "prepared") == "program":
        process._prepared.clear()
        yield os.getpid()
    else:
        yield prepare_children(request.getfixturevalue("prepared")).pid
    process._prepared[:] = before


@pytest.fixture(scope="module")
def prepared() -> Iterator[PreparedChildren]:
    made = PreparedChildren(MISBEHAVING, acts=(MISBEHAVING, CHILD))
    yield made
    made.close()


def order(tmp_path: Path, name: str, **limits) -> Order:
    usual = {"memory_bytes": 2**31, "cpu_seconds": 60, "seconds": 30.0, "max_pages": 100, "max_bytes": 10**7}
    return Order(path=tmp_path / "in", name=name, target=tmp_path / "out", **{**usual, **limits})


def failure(tmp_path: Path, name: str, **limits) -> CompileFailed:
    with pytest.raises(CompileFailed) as caught:
        list(run_child(order(tmp_path, name, reading_seconds=0.0, ocr_seconds=0.0, **limits), module=MISBEHAVING))
    assert caught.value.message.endswith(".")
    return caught.value


@either
def test_a_sound_file_is_compiled_with_its_progress(tmp_path):
    (tmp_path / "in").write_bytes(REPORT)
    news = list(run_child(order(tmp_path, "report.pdf")))
    stages = [event.stage for event in news if isinstance(event, StageProgress)]
    assert list(dict.fromkeys(stages)) == ["parsing", "outlining", "indexing"]
    assert isinstance(news[-1], Finished)
    assert news[-1].peak_mb > 1
    assert len(open_artefact(tmp_path / "out").pages) == 3


def test_a_child_that_dies_is_told_as_what_killed_it(tmp_path):
    found = failure(tmp_path, "crash")
    assert (found.code, found.retryable) == ("reader_crashed", True)

    assert failure(tmp_path, "chatter").code == "reader_crashed"

    found = failure(tmp_path, "be_killed")
    assert (found.code, found.retryable) == ("killed_by_system", True)
    assert "memory" in found.message
    assert "minute" not in found.message

    found = failure(tmp_path, "abort_with_much_memory", memory_bytes=2**29)
    assert (found.code, "damaged" in found.message) == ("out_of_memory", False)

    found = failure(tmp_path, "bloat", memory_bytes=2**29)
    assert found.code == "out_of_memory"
    assert "512 MB" in found.message


def test_a_child_over_its_time_is_killed_and_told_by_the_limit_it_met(tmp_path):
    started = time.monotonic()
    assert "1 minute " in failure(tmp_path, "hang", seconds=1.0, cpu_seconds=600).message
    assert time.monotonic() - started < 10

    assert failure(tmp_path, "spin", cpu_seconds=1).code == "compile_timeout"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs the device that is always full")
def test_a_full_disk_under_the_child_is_a_full_disk(tmp_path):
    (tmp_path / "in").write_bytes(REPORT)
    (tmp_path / "out").symlink_to("/dev/full")
    with pytest.raises(OSError) as caught:
        list(run_child(order(tmp_path, "report.pdf")))
    assert outage_of(caught.value).code == "disk_full"


@either
def test_the_child_sees_no_secret_descriptor_or_other_file(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "hidden")
    monkeypatch.setenv("OPENAI_API_KEY", "hidden")
    with pytest.raises(CompileFailed) as caught:
        list(run_child(order(tmp_path, "secrets"), module=MISBEHAVING))
    assert "SECRET_KEY" not in caught.value.message
    assert "OPENAI_API_KEY" not in caught.value.message

    assert failure(tmp_path, "tell_descriptors").message == "0 1 2."

    assert [failure(tmp_path, "remember").message for _ in range(2)] == ["1 file.", "1 file."]


def test_where_the_prepared_process_is_gone_a_program_is_started(tmp_path):
    gone = prepare_children()
    gone.close()
    (tmp_path / "in").write_bytes(REPORT)
    assert isinstance(list(run_child(order(tmp_path, "report.pdf")))[-1], Finished)


def test_a_file_whose_prepared_process_is_killed_can_be_tried_again(tmp_path):
    short = prepare_children(PreparedChildren(MISBEHAVING, acts=(MISBEHAVING,)))
    news = run_child(order(tmp_path, "hang"), module=MISBEHAVING)
    while not isinstance(next(news), StageProgress):
        pass
    left = children(short.pid)
    short.close()
    with pytest.raises(CompileFailed) as caught:
        list(news)
    assert caught.value.code == "killed_by_system"
    assert left
    wait_until(lambda: not any(map(is_alive, left)))


@either
def test_closing_the_news_kills_the_child(tmp_path, starter):
    before = children(starter)
    news = run_child(order(tmp_path, "hang"), module=MISBEHAVING)
    while not isinstance(next(news), StageProgress):
        pass
    assert children(starter) - before
    news.close()
    assert children(starter) == before


def test_a_folder_is_there_while_it_is_used_and_is_never_cleared_meanwhile():
    with compile_folder() as folder:
        (folder / "artefact").write_bytes(b"x")
        os.utime(folder, (0, 0))
        clear_stale_folders()
        assert (folder / "artefact").exists()
    assert not folder.exists()


def test_what_a_killed_process_left_is_cleared_and_nothing_of_others(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left = killed_in_the_middle(tmp_path)
    young = tmp_path / f"{_prefix()}young"
    foreign = tmp_path / "compile-somebody-else"
    for folder in (young, foreign):
        folder.mkdir()
    for folder in (left, foreign):
        os.utime(folder, (time.time() - 300,) * 2)
    assert clear_stale_folders() == 1
    assert not left.exists() and young.exists() and foreign.exists()


def killed_in_the_middle(temporary: Path) -> Path:
    code = (
        "import django, os, signal; django.setup()\n"
        "from vectorless_web.documents.compiling.process import compile_folder\n"
        "with compile_folder() as folder:\n"
        "    print(folder, flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    environment = {**os.environ, "TMPDIR": str(temporary), "DJANGO_SETTINGS_MODULE": "vectorless_web.settings"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    return Path(done.stdout.strip())
