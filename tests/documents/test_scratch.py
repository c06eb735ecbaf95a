"""Folders of compiles: gone with the process that made them, however it ended."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from vectorless_web.documents.compiling.process import _prefix, clear_stale_folders, compile_folder


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
