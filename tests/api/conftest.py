"""A workspace with a document, and programs that hold tokens of its people."""

import pytest
from django.test import Client

from tests.support.compiled import compiled_document
from vectorless_web.api.services import make_token

REPORT = b"""# Harbour report

## Berths

The harbour has 14 berths for ferries. Two berths are closed in winter.

## Dues

| Ship | Dues in euros |
|---|---|
| Ferry | 120 |
| Trawler | 75 |
"""
ROOT = "/api/v1"


class Program:
    """A client that sends one token, and JSON."""

    def __init__(self, text: str) -> None:
        self.client = Client(headers={"Authorization": f"Bearer {text}"})

    def get(self, path: str, **query):
        return self.client.get(ROOT + path, query)

    def post(self, path: str, body=None, **headers):
        return self.client.post(ROOT + path, body or {}, content_type="application/json", headers=headers)

    def send(self, method: str, path: str, body=None):
        return self.client.generic(method.upper(), ROOT + path, body or "", content_type="application/json")


@pytest.fixture
def program():
    def hold(user, scope="admin", **choices) -> Program:
        return Program(make_token(user=user, name="importer", scope=scope, days=30, **choices)[1])

    return hold


@pytest.fixture
def report(workspace, alice):
    return compiled_document(workspace, alice, REPORT, "harbour.md")
