"""A data folder has one site at a time, also while the processes of a killed one still end."""

import os
import signal
import time

import pytest

from tests.conftest import wait_until
from vectorless_web.infra.site.forking import Forked
from vectorless_web.infra.site.supervisor import AlreadyRunning, hold_site


def test_a_site_whose_parent_lives_is_refused_at_once(tmp_path):
    path = tmp_path / "up.lock"
    handle = hold_site(path, seconds=30, say=print)
    began = time.monotonic()
    with pytest.raises(AlreadyRunning, match=f"process {os.getpid()} holds"):
        hold_site(path, seconds=30, say=print)
    assert time.monotonic() - began < 1
    os.close(handle)
    os.close(hold_site(path, seconds=0, say=print))


def test_the_children_of_a_killed_site_are_waited_for(tmp_path):
    path, said = tmp_path / "up.lock", []

    def site() -> None:
        hold_site(path, seconds=0, say=print)
        if os.fork() == 0:
            time.sleep(0.7)
            os._exit(0)
        time.sleep(60)

    up = Forked(site)
    wait_until(lambda: path.exists() and path.read_text(), seconds=5)
    time.sleep(0.2)
    os.kill(up.pid, signal.SIGKILL)
    up.wait(5)
    with pytest.raises(AlreadyRunning):
        hold_site(path, seconds=0, say=said.append)
    os.close(hold_site(path, seconds=10, say=said.append))
    assert said == ["Waiting for the processes of the start before, which are ending ..."]
