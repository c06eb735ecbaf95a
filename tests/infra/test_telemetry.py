"""What is told of the inside when a setting asks for it, and what is never told."""

import logging
import sys
from types import SimpleNamespace

import pytest
from django.db import connection

from vectorless_web.infra.site.telemetry import log_slow_queries, send_errors


@pytest.mark.django_db
def test_a_slow_query_is_logged_without_its_values(caplog):
    log_slow_queries(connection, 0)
    try:
        with connection.cursor() as cursor, caplog.at_level(logging.WARNING):
            cursor.execute("SELECT %s\n  AS word", ["net debt"])
    finally:
        connection.execute_wrappers.pop()
    [line] = caplog.messages
    assert "slow query" in line and "AS word" in line and "net debt" not in line


def test_errors_are_sent_without_texts_and_tokens():
    told = {}
    send_errors(
        "https://key@sentry.example/1", load=lambda _name: SimpleNamespace(init=lambda **more: told.update(more))
    )
    kept_back = {"send_default_pii": False, "include_local_variables": False, "max_request_body_size": "never"}
    assert told.items() >= kept_back.items()
    masked = told["before_send"](
        {"request": {"url": "https://docs.example/s/abcdef0123/"}, "message": "sessionid=xyz;"}, None
    )
    assert masked == {"request": {"url": "https://docs.example/s/***/"}, "message": "sessionid=***;"}


def test_a_site_that_asks_for_neither_imports_neither():
    assert [name for name in sys.modules if name.startswith(("sentry", "opentelemetry.sdk"))] == []
