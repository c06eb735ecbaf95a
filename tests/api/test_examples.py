"""Against a live server: the examples of docs/api.md, word for word, and what schemathesis makes of the schema."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.api.conftest import REPORT
from tests.support.compiled import compiled_document
from tools.fuzz_api import fuzz, lay_out
from vectorless_web.api.services import make_token

pytestmark = [pytest.mark.one_database, pytest.mark.django_db(transaction=True)]
RUN = '"$SITE/api/v1/workspaces/$WORKSPACE/runs/$run"'
PAGE = Path(__file__).parents[2] / "docs" / "api.md"


def example(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    assert found
    return found[1]


@pytest.mark.parametrize(("language", "program"), [("sh", ["bash", "-euo", "pipefail", "-c"]), ("python", None)])
def test_the_example_runs_as_it_stands(server, bob, workspace, alice, language, program, work_off):
    compiled_document(workspace, alice, REPORT, "harbour.md")
    _token, text = make_token(user=bob, name="example", scope="ask", days=1)
    command = [*(program or [sys.executable, "-c"]), example(language).replace("wait=30", "wait=0")]
    if language == "sh":
        # Nobody works on the queue here, so that the run is stopped before it is followed.
        command[-1] = command[-1].replace(
            "# Follow",
            f"curl -sX POST {RUN}/cancel -H 'Content-Type: text/plain' -H \"Authorization: Bearer $TOKEN\"\n# Follow",
        )
    environment = {**os.environ, "SITE": server, "WORKSPACE": workspace.slug, "TOKEN": text}
    done = subprocess.run(command, check=False, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert ("event: reasoning/complete" if language == "sh" else "Berths") in done.stdout


@pytest.mark.slow
def test_what_the_schema_allows_and_forbids_is_answered_as_it_says(server, bob, workspace, alice):
    compiled_document(workspace, alice, REPORT, "harbour.md")
    alice.is_staff = alice.is_superuser = True
    alice.save()
    _token, text = make_token(user=alice, name="fuzz", scope="admin", days=1)
    assert fuzz(server, text, each=1, places=lay_out(server, text), phases="fuzzing") == 0
