"""What stands in the log: no secret of an address, and one line for a refusal."""

import io
import logging

import pytest
from django.conf import settings

from vectorless_web.infra.log_lines import LineFormatter, OneLineRefusals, redact

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

    from django.test import Client

    client.get(f"/s/{TOKEN}/")
    client.get(f"/s/{TOKEN}/nothing/here/")
    Client(enforce_csrf_checks=True).post(f"/s/{TOKEN}/unlock/", {"password": "x"})
    assert "/s/***" in log.getvalue()
    assert TOKEN not in log.getvalue()
