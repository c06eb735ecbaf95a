"""A whole site of its own, started as an operator starts it, and a browser to use it."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.conftest import ROOT, end_group, free_port
from tests.faults.conftest import FOREIGN, BrokenSite
from tests.support.network import Network

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or "/usr/bin/chromium"
REPORT = ROOT / "docs" / "demo" / "thornbury-annual-report-2024.pdf"


EXPECTED = ("status of 422", "status of 413", "htmx:afterRequest", "htmx:sendAbort")
"""What the console calls an error and is none: a refused form, whose test checks its status, and a request that the
next one replaced. One that failed is told by htmx:sendError too."""


@dataclass
class Site(BrokenSite):
    """The site of all browser tests."""

    model_port: int = 0
    """The one port at which the site looks for a model on this machine; nothing answers there of itself."""
    answered: dict[str, str] = field(default_factory=dict)
    """Questions that were answered, and the addresses of their runs."""

    @property
    def password(self) -> str:
        return (self.var / "demo_password").read_text()

    def pause(self, seconds: float) -> None:
        """How long the reasoner waits before each event from now on."""
        self._pace(str(seconds))

    def gate(self, count: int) -> None:
        """The first events of a run pass at once from now on, the others wait for another word."""
        self._pace(f"gate {count}")

    def _pace(self, rule: str) -> None:
        """In one step: the reasoner never reads half a word."""
        fresh = self.var / "pause.new"
        fresh.write_text(rule)
        fresh.replace(self.var / "pause")

    def sequences(self, run: int) -> list[int]:
        """The stored steps of a run, in order."""
        return [row[0] for row in self.rows("select sequence from runs_step where run_id = ? order by sequence", run)]

    def claims(self, run: int) -> list[str]:
        """The stored sentences of a run's answer, in order."""
        return [row[0] for row in self.rows('select text from runs_claim where run_id = ? order by "order"', run)]

    def status(self, run: int) -> str:
        """What has become of a run."""
        return self.rows("select status from runs_run where id = ?", run)[0][0]


@pytest.fixture(scope="session")
def site(migrated_database) -> Iterator[Site]:
    """`manage.py up` over a database without rows."""
    var = Path(tempfile.mkdtemp(prefix="vw-site-"))
    made = Site(var, free_port(), {}, model_port=free_port())
    made.pause(0)
    (var / "demo_loaded").touch()  # The tests bring their own documents.
    shutil.copy(migrated_database, var / "db.sqlite3")
    made.environment = {
        **{name: value for name, value in os.environ.items() if name not in FOREIGN},
        "VECTORLESS_VAR": str(var),
        "VECTORLESS_TEST_PAUSE": str(var / "pause"),
        "VECTORLESS_RUN_LEASE_SECONDS": "4",  # A killed worker is noticed soon.
        "VECTORLESS_STOP_SECONDS": "3",
        "VECTORLESS_ENGINE_FACTORY": "tests.support.slow_engine.build_engine",
        "VECTORLESS_MODEL_PORTS": str(made.model_port),
        "VECTORLESS_REQUEST_MAX_BYTES": str(20 * 2**20),
    }
    made.start("--run-workers", "1")
    made.await_ready()
    yield made
    made.stop(seconds=30)
    end_group(made.process)
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


@pytest.fixture(scope="session")
def cookies(browser, site) -> list[dict]:
    """What keeps a browser signed in as the owner of the demo workspace."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{site.address}/accounts/login/")
    page.fill("input[name=login]", "demo")
    page.fill("input[name=password]", site.password)
    page.click("button[type=submit]")
    page.wait_for_url(f"{site.address}/")
    kept = context.cookies()
    context.close()
    return kept


@pytest.fixture
def owner(page, site, cookies):
    """A browser page of the owner, on a site that does not wait."""
    site.pause(0)
    page.set_default_timeout(20_000)
    page.context.add_cookies(cookies)
    return page


@pytest.fixture
def signed_in(owner):
    """A browser page of the owner; anything the console calls an error fails the test."""
    errors: list[str] = []
    owner.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    owner.on("pageerror", lambda error: errors.append(str(error)))
    yield owner
    assert [error for error in errors if not any(known in error for known in EXPECTED)] == []


@pytest.fixture
def network(site) -> Iterator[Network]:
    """A line to the site that can be cut."""
    line = Network(site.port)
    yield line
    line.close()
