"""Redis goes away under a running site: pages say so, questions and files are kept, and go on when it is back."""

import pytest

from tests.conftest import PASSWORD, answers, free_port, wait_until
from tests.support.browser import Browser
from tests.support.files import HANDBOOK
from tests.support.testredis import start_redis
from vectorless_web.documents.models import DocumentVersion
from vectorless_web.runs.models import Run

pytestmark = pytest.mark.django_db(transaction=True)

AWAY = "The queue is not reachable"


@pytest.fixture
def site(tmp_path_factory, spawn, settings):
    """A web server on this test's files with a Redis of its own that can be taken away and brought back."""
    folder = tmp_path_factory.mktemp("r")
    address, redis = f"{folder}/r.sock", []

    def bring_back() -> None:
        redis.append(start_redis(address, str(folder)))

    def take_away() -> None:
        process = redis.pop()
        process.terminate()
        process.wait(5)

    bring_back()
    environment = {"REDIS_URL": f"unix://{address}?db=0", "SECRET_KEY": settings.SECRET_KEY}
    environment["VECTORLESS_VAR"] = str(settings.MEDIA_ROOT.parent)
    port = free_port()
    spawn("web", "--port", str(port), **environment)
    server = f"http://127.0.0.1:{port}"
    wait_until(lambda: answers(f"{server}/health/live"), seconds=30)
    yield Browser(server), take_away, bring_back, environment
    if redis:
        take_away()


def test_what_is_asked_and_sent_while_redis_is_away_is_kept_and_goes_on_when_it_is_back(
    site, workspace, alice, report, spawn
):
    browser, take_away, bring_back, environment = site
    place = f"/w/{workspace.slug}/"
    browser.sign_in(PASSWORD, alice.username)
    assert AWAY not in browser.get(place).text

    take_away()
    page = browser.post(f"{place}ask/", question="What was revenue?", scope="all")

    run = Run.objects.get()
    assert run.status == "queued"
    assert AWAY in page.text, "the run's own page says it"
    assert AWAY in browser.get(f"{place}documents/").text
    assert browser.upload(f"{place}documents/upload/", "handbook.md", HANDBOOK).status == 200
    assert DocumentVersion.objects.get(document__title="handbook").status == "queued"

    bring_back()
    engine = {"VECTORLESS_ENGINE_FACTORY": "tests.support.engines.build_slow", "STORY_PAUSE": "0.01"}
    spawn("work", "runs", **environment, **engine)
    spawn("sweep", "--loop", **environment)
    wait_until(lambda: Run.objects.get().status == "answered", seconds=30)
    assert AWAY not in browser.get(f"{place}runs/{run.pk}/").text
