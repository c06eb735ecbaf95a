"""Redis accepts connections and never answers: pages stay quick, and afterwards everything goes on by itself."""

import os
import signal
import time

import psutil
import pytest

from tests.conftest import wait_until
from tests.support.browser import Browser
from tests.support.files import HANDBOOK, REPORT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(200)]

LONGEST_PAGE = 3.0
"""Seconds: one time-out of Redis, and as much again for a busy machine."""


def test_a_redis_that_hangs_costs_a_page_a_second_and_loses_nothing(make_site):
    site = make_site(VECTORLESS_UPLOADS_PER_HOUR="50")
    site.start()
    site.await_ready()
    password = (site.var / "demo_password").read_text()
    early, late = Browser(site.address), Browser(site.address)
    early.sign_in(password)
    slug = site.rows("select slug from workspaces_workspace")[0][0]
    early.get(f"/w/{slug}/documents/")
    early.upload(f"/w/{slug}/documents/upload/", "report.pdf", REPORT)
    wait_until(lambda: states(site) == ["ready"], seconds=40)
    redis = redis_of(site.process.pid)

    os.kill(redis, signal.SIGSTOP)
    try:
        pages = {
            "sign-in page": late.get("/accounts/login/"),
            "sign-in": late.sign_in(password),
            "home": early.get("/"),
            "workspace": early.get(f"/w/{slug}/"),
            "upload": early.upload(f"/w/{slug}/documents/upload/", "handbook.md", HANDBOOK),
            "documents": early.get(f"/w/{slug}/documents/"),
            "ask": early.post(f"/w/{slug}/ask/", question="What was revenue?", scope="all"),
            "live": early.get("/health/live"),
        }
        signed_in = late.get("/")
        time.sleep(5)
        pages["after a rest"] = early.get(f"/w/{slug}/")
        away = early.get(f"/w/{slug}/").text
    finally:
        os.kill(redis, signal.SIGCONT)

    seconds = {name: page.seconds for name, page in pages.items()}
    assert max(seconds.values()) < LONGEST_PAGE, seconds
    assert {name: page.status for name, page in pages.items() if page.status != 200} == {}
    assert "/accounts/login/" not in signed_in.url
    assert "The queue is not reachable" in away
    wait_until(lambda: states(site) == ["ready", "ready"], seconds=40)
    wait_until(lambda: site.rows("select status from runs_run")[0][0] not in ("queued", "running"), seconds=40)
    assert len(site.rows("select 1 from runs_run")) == 1
    assert site.rows("select attempt from documents_documentversion") == [(1,), (1,)]
    wait_until(lambda: "The queue is not reachable" not in early.get(f"/w/{slug}/").text, seconds=10)


def states(site) -> list[str]:
    """How every uploaded file stands."""
    return [status for (status,) in site.rows("select status from documents_documentversion")]


def redis_of(supervisor: int) -> int:
    """The process id of the Redis that a site has started."""
    family = psutil.Process(supervisor).children(recursive=True)
    return next(process.pid for process in family if "redis" in process.name())
