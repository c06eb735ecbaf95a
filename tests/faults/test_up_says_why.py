"""A start that cannot go well says why and what to do; one that was cut short before goes well the next time."""

import json
import signal

import pytest

from tests.conftest import wait_until
from tests.faults.visitor import Visitor, processes_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


def test_what_an_outage_left_behind_is_told_or_mended(make_site):
    site = make_site()
    site.start()
    site.await_ready()
    visitor = Visitor(site.port)
    visitor.sign_in((site.var / "demo_password").read_text())
    site.stop(signal.SIGKILL)
    wait_until(lambda: not processes_of(site.var), seconds=20)

    log = site.var / "redis" / "appendonly.aof"
    whole = log.read_bytes()
    # At the start of a command: behind a number Redis would pass over it.
    place = whole.index(b"\r\n*", len(whole) // 2) + 2
    log.write_bytes(whole[:place] + b"\x00garbage\x00" + whole[place:])
    site.start()
    assert site.process.wait(60) == 1
    assert "redis ended with 1 while it was starting." in site.output
    assert "Bad file format reading the append only file" in site.output
    assert f"move the folder {site.var}/redis aside" in site.output

    (site.var / "redis").rename(site.var / "redis.aside")
    manifest = site.var / "static" / "staticfiles.json"
    manifest.write_text(manifest.read_text()[:200])
    site.start("--host", "::")
    site.await_ready()
    wait_until(lambda: "is ready at  http://[::1]:" in site.output, seconds=30)
    assert json.loads(manifest.read_text())["paths"]
    assert visitor.ask("GET", "/").status == 200  # Still signed in.

    taken = make_site(PORT=str(site.port))
    refused = taken.manage("up", check=False)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert f"Port {site.port} is taken" in refused.stderr
    assert site.stop() == 0


def test_a_start_with_a_bad_secret_or_address_is_refused(make_site):
    site = make_site()
    (site.var / "db.sqlite3").unlink()  # with a database, a lost key is not made anew
    (site.var / "secret_key").touch()
    assert site.manage("check").returncode == 0
    assert len((site.var / "secret_key").read_text()) == 96

    for environment, words in (
        ({"SECRET_KEY": "changeme"}, 'SECRET_KEY contains "changeme"'),
        ({"HOST": "203.0.113.9"}, "This machine has no address 203.0.113.9"),
    ):
        refused = make_site(**environment).manage("up", check=False)
        assert refused.returncode == 1
        assert words in refused.stderr
        assert "Traceback" not in refused.stderr
