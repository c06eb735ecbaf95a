"""A whole site of its own, started as an operator starts it, and a browser to use it."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import ROOT, answers, end_group, free_port, wait_until

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or "/usr/bin/chromium"
REPORT = ROOT / "docs" / "demo" / "thornbury-annual-report-2024.pdf"


@dataclass
class Site:
    address: str
    var: Path

    @property
    def password(self) -> str:
        return (self.var / "demo_password").read_text()

    def pause(self, seconds: float) -> None:
        """How long the reasoner waits before each event from now on."""
        (self.var / "pause").write_text(str(seconds))


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    """`manage.py up` in an empty folder."""
    var = Path(tempfile.mkdtemp(prefix="vw-site-"))
    port = free_port()
    made = Site(f"http://127.0.0.1:{port}", var)
    made.pause(0)
    (var / "demo_loaded").touch()  # The tests bring their own documents.
    environment = {
        **{k: v for k, v in os.environ.items() if k not in ("REDIS_URL", "VECTORLESS_STATIC", "DATABASE_URL")},
        "VECTORLESS_VAR": str(var),
        "VECTORLESS_TEST_PAUSE": str(var / "pause"),
        "VECTORLESS_ENGINE_FACTORY": "tests.slow_engine.build_engine",
    }
    command = [sys.executable, "manage.py", "up", "--port", str(port), "--run-workers", "1"]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True)
    wait_until(lambda: process.poll() is not None or answers(f"{made.address}/health/ready"), seconds=90)
    assert process.poll() is None, "the site ended while it was starting"
    yield made
    process.terminate()
    process.wait(30)
    end_group(process)
    shutil.rmtree(var, ignore_errors=True)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic"]
    return {
        **browser_type_launch_args,
        "executable_path": CHROMIUM,
        "args": ["--no-sandbox", "--disable-gpu", "--no-first-run", *quiet],
    }


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args):
    return {**browser_context_args, "viewport": {"width": 1440, "height": 900}}


@pytest.fixture
def signed_in(page, site):
    """A browser page on the demo workspace; anything the console calls an error fails the test."""
    site.pause(0)
    page.set_default_timeout(20_000)
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{site.address}/accounts/login/")
    page.fill("input[name=login]", "demo")
    page.fill("input[name=password]", site.password)
    page.click("button[type=submit]")
    page.wait_for_url(f"{site.address}/")
    yield page
    # The browser itself notes every refused form as an error; the test that refuses one checks its status.
    assert [error for error in errors if "status of 422" not in error] == []
