"""Forked processes end with their work, tell how it went, and can be ended."""

import io
import os
import signal
import subprocess
import sys
import time

import pytest

from tests.conftest import wait_until
from vectorless_web.infra.site.forking import Forked


def test_a_process_ends_as_its_work_does():
    assert Forked(lambda: None).wait(5) == 0

    assert Forked(lambda: sys.exit(3)).wait(5) == 3

    def fail():
        sys.stderr = io.StringIO()
        raise ValueError

    assert Forked(fail).wait(5) == 1


def test_a_process_that_sleeps_can_be_ended_and_has_a_session_of_its_own_so_that_ctrl_c_spares_it():
    process = Forked(lambda: time.sleep(60))
    assert process.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.05)
    process.terminate()
    assert process.wait(5) == -signal.SIGTERM

    process = Forked(lambda: time.sleep(60))
    wait_until(lambda: os.getsid(process.pid) != os.getsid(0), seconds=5)
    process.kill()
    assert process.wait(5) == -signal.SIGKILL
