"""What the log holds: no secret of an address, one line for a refusal, and what a line belongs to."""

import io
import json
import logging
from threading import Thread

import pytest
from django.conf import settings
from django.test import Client

from vectorless_web.infra.site import log_lines
from vectorless_web.infra.site.log_lines import JsonFormatter, LineFormatter, OneLineRefusals, note_work, redact
from vectorless_web.runs.jobs import execute_run

TOKEN = "Zx9-secret_token"


@pytest.fixture
def log():
    """Everything that the site's own handler would write."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(LineFormatter(settings.LOGGING["formatters"]["line"]["format"]))
    handler.addFilter(OneLineRefusals())
    logging.getLogger().addHandler(handler)
    yield written
    logging.getLogger().removeHandler(handler)


@pytest.fixture
def json_log(log):
    """The lines of the log, from now on as JSON."""
    logging.getLogger().handlers[-1].setFormatter(JsonFormatter())
    return lambda: [json.loads(line) for line in log.getvalue().splitlines()]


@pytest.mark.parametrize(
    "path",
    [
        f"/s/{TOKEN}/",
        f"/s/{TOKEN}",
        f"/s/{TOKEN}/pages/1/2.jpg",
        f"/invitations/{TOKEN}/accept/",
        f"/accounts/password/reset/key/{TOKEN}/",
        f"/accounts/confirm-email/{TOKEN}/",
    ],
)
def test_tokens_of_addresses_are_not_written(path):
    assert TOKEN not in redact(f"Not Found: {path} and ('{path}', 404)")
    assert redact(f"GET {path}").startswith("GET /")


def test_other_addresses_stay_as_they_are():
    assert redact("Not Found: /w/acme/runs/1/ /s/") == "Not Found: /w/acme/runs/1/ /s/"


@pytest.mark.django_db
def test_neither_a_share_that_is_not_found_nor_a_refusal_tells_more_than_a_line(log, client, bob, workspace):
    client.force_login(bob)
    assert client.get(f"/w/{workspace.slug}/settings/").status_code == 403
    assert len(log.getvalue().splitlines()) == 1
    assert "Traceback" not in log.getvalue()

    client.get(f"/s/{TOKEN}/")
    client.get(f"/s/{TOKEN}/nothing/here/")
    Client(enforce_csrf_checks=True).post(f"/s/{TOKEN}/unlock/", {"password": "x"})
    assert "/s/***" in log.getvalue()
    assert TOKEN not in log.getvalue()


@pytest.mark.django_db
def test_a_line_of_json_names_its_request_as_the_proxy_did(json_log, client):
    named = client.get(f"/s/{TOKEN}/", headers={"X-Request-Id": "edge:7f-3"})
    (line,) = json_log()
    assert (line["request"], named["X-Request-Id"]) == ("edge:7f-3", "edge:7f-3")
    assert line["level"] == "WARNING"
    assert line["logger"] == "django.request"
    assert TOKEN not in line["message"]
    assert "/s/***" in line["message"]


@pytest.mark.parametrize("given", ["", "a b", 'x", "level": "INFO', "é", "x" * 129])
def test_a_request_without_a_fit_name_gets_one_of_its_own(client, given):
    names = {client.get("/health/live", headers={"X-Request-Id": given})["X-Request-Id"] for _ in range(2)}
    assert len(names) == 2
    assert given not in names


@pytest.mark.django_db
def test_a_line_of_json_names_its_job_and_run_also_from_a_thread(json_log):
    before = dict(log_lines._work)
    try:
        note_work(job="run-17-1")
        execute_run(17)  # There is no such run: nothing is done, and lines are of it all the same.
        writer = Thread(target=lambda: logging.getLogger("vectorless_web.engine").error("no\nreply %d", 3))
        writer.start()
        writer.join()
        try:
            raise ValueError(f"/s/{TOKEN}/")
        except ValueError:
            logging.getLogger("vectorless_web").exception("it broke")
    finally:
        log_lines._work.clear()
        log_lines._work.update(before)
    one, two = json_log()
    assert (one["message"], one["job"], one["run"]) == ("no\nreply 3", "run-17-1", 17)
    assert "ValueError: /s/***" in two["traceback"]
