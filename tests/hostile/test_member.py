"""A member who sends giant and strange forms gets a sentence, quickly, and changes nothing.

Many questions at a time are tested in tests/runs/test_ask_limits.py, thousands of fields in
tests/infra/test_bad_forms.py, bodies of hundreds of megabytes in tests/infra/test_request_limits.py.
"""

import time

import pytest

from vectorless_web.documents.models import Folder
from vectorless_web.runs.models import Run

pytestmark = [pytest.mark.one_database, pytest.mark.django_db]

GIANT = "What was net debt? " * 50_000
STRANGE = [
    "\0",
    "\ud83d".encode("utf-16", "surrogatepass").decode("utf-16", "replace"),
    "\u202e" * 100,
    "%s%n{0}{{7*7}}",
    "'; DROP TABLE runs_run; --",
]


@pytest.fixture
def member(client, bob):
    client.force_login(bob)
    return client


@pytest.mark.parametrize("question", [GIANT, "", " " * 1000])
def test_a_question_too_long_or_empty_is_no_run(member, workspace, question):
    began = time.monotonic()
    answer = member.post(f"/w/{workspace.slug}/ask/", {"question": question})
    assert answer.status_code in (400, 413, 422) and not Run.objects.exists()
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("field", STRANGE)
def test_strange_letters_are_words_like_others(client, alice, workspace, field):
    client.force_login(alice)
    for place, data in (
        (f"/w/{workspace.slug}/ask/", {"question": f"What is {field}?"}),
        (f"/w/{workspace.slug}/settings/sources/add/", {"kind": "webdav", "address": field, "every_minutes": field}),
        (f"/w/{workspace.slug}/settings/lexicon/add/", {"concept": field, "phrases": field}),
    ):
        assert client.post(place, data).status_code < 500, place
    assert client.get(f"/w/{workspace.slug}/documents/", {"q": field, "folder": field, "page": field}).status_code < 500
    assert not Folder.objects.exists()
