"""Redis goes away under a running site: pages say so, questions are kept, and go on when it is back."""

import http.cookiejar
import urllib.parse
import urllib.request

import pytest

from tests.conftest import wait_until
from tests.support.testredis import start_redis
from vectorless_web.runs.models import Run

pytestmark = pytest.mark.django_db(transaction=True)

AWAY = "The queue is not reachable"


class Browser:
    """A signed-in person over plain HTTP."""

    def __init__(self, server: str, session: str) -> None:
        self.server = server
        self.jar = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar))
        self.opener.addheaders = [("Cookie", f"sessionid={session}")]
        self.session = session

    def get(self, path: str) -> str:
        with self.opener.open(f"{self.server}{path}", timeout=30) as response:
            return response.read().decode()

    def post(self, path: str, **data: str) -> str:
        token = next(cookie.value for cookie in self.jar if cookie.name == "csrftoken")
        headers = {
            "X-CSRFToken": token,
            "Cookie": f"sessionid={self.session}; csrftoken={token}",
            "Referer": self.server,
        }
        body = urllib.parse.urlencode(data).encode()
        request = urllib.request.Request(f"{self.server}{path}", body, headers)
        with self.opener.open(request, timeout=30) as response:
            return response.read().decode()


@pytest.fixture
def site(tmp_path_factory, spawn, client, bob):
    """A web server with a Redis of its own that can be taken away and brought back."""
    from tests.conftest import answers, free_port

    folder = tmp_path_factory.mktemp("r")
    address, redis = f"{folder}/r.sock", []

    def bring_back() -> None:
        redis.append(start_redis(address, str(folder)))

    def take_away() -> None:
        process = redis.pop()
        process.terminate()
        process.wait(5)

    bring_back()
    environment = {"REDIS_URL": f"unix://{address}?db=0"}
    port = free_port()
    spawn("web", "--port", str(port), **environment)
    server = f"http://127.0.0.1:{port}"
    wait_until(lambda: answers(f"{server}/health/live"), seconds=30)
    client.force_login(bob)
    browser = Browser(server, client.cookies["sessionid"].value)
    yield browser, take_away, bring_back, environment
    if redis:
        take_away()


def test_a_question_asked_while_redis_is_away_is_kept_and_answered_when_it_is_back(site, workspace, report, spawn):
    browser, take_away, bring_back, environment = site
    assert AWAY not in browser.get(f"/w/{workspace.slug}/")

    take_away()
    page = browser.post(f"/w/{workspace.slug}/ask/", question="What was revenue?", scope="all")

    run = Run.objects.get()
    assert run.status == "queued"
    assert AWAY in page, "the run's own page says it"
    assert AWAY in browser.get(f"/w/{workspace.slug}/")
    browser.get("/")

    bring_back()
    engine = {"VECTORLESS_ENGINE_FACTORY": "tests.support.engines.build_slow", "STORY_PAUSE": "0.01"}
    spawn("work", "runs", **environment, **engine)
    spawn("sweep", "--loop", **environment)
    wait_until(lambda: Run.objects.get().status == "answered", seconds=30)
    assert AWAY not in browser.get(f"/w/{workspace.slug}/runs/{run.pk}/")
