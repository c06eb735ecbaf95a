"""The supervisor keeps processes alive and stops them in order."""

import os
import signal
import subprocess
import sys

import pytest

from tests.conftest import wait_until
from tests.support.network import is_alive
from vectorless_web.infra.site.supervisor import NotReady, Service, Supervisor, backoff

SLEEPER = [sys.executable, "-c", "import time; time.sleep(60)"]


@pytest.fixture
def supervisor():
    said: list[str] = []
    made = Supervisor(say=said.append)
    made.said = said
    yield made
    made.stop()


def pids(supervisor):
    return [child.process.pid for child in supervisor._children]


def test_a_service_that_dies_waits_longer_each_time_and_is_named_while_starting(supervisor):
    assert [backoff(n) for n in (1, 2, 3, 4)] == [0.5, 1, 2, 4]
    assert backoff(50) == 30

    with pytest.raises(NotReady, match="broken"):
        supervisor.start(Service("broken", [sys.executable, "-c", "raise SystemExit(1)"], ready=lambda: False))


def test_a_killed_process_is_started_again_after_the_first_wait(supervisor):
    supervisor.start(Service("sleeper", SLEEPER))
    (first,) = pids(supervisor)
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: supervisor.tend() or pids(supervisor) != [first])
    assert supervisor.said == ["sleeper ended with -9; starting it again in 0.5 s"]


def test_stop_ends_every_process_and_the_last_down_one_last(supervisor, tmp_path):
    note = tmp_path / "order"
    script = (
        "import signal, sys, time\n"
        "def end(*_): open(sys.argv[1], 'a').write(sys.argv[2]); raise SystemExit\n"
        "signal.signal(signal.SIGTERM, end); open(sys.argv[3], 'w').close(); time.sleep(60)"
    )
    for name, last in (("redis", True), ("web", False)):
        up = tmp_path / name
        command = [sys.executable, "-c", script, str(note), f"{name} ", str(up)]
        supervisor.start(Service(name, command, ready=up.exists, last_down=last))
    supervisor.stop()
    assert note.read_text() == "web redis "


def test_a_killed_supervisor_leaves_no_process_behind(tmp_path):
    script = (
        "import sys, time\n"
        "from vectorless_web.infra.site.supervisor import Service, Supervisor\n"
        "s = Supervisor(say=print)\n"
        "s.start(Service('sleeper', [sys.executable, '-c', 'import time; time.sleep(60)']))\n"
        "print(s._children[0].process.pid, flush=True); time.sleep(60)"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    wait_until(lambda: not is_alive(child), seconds=5)
    assert not is_alive(child)
