"""A model that never ends or writes links: it costs its budget and leads nowhere.

Markup, orders in documents and giant replies are tested with the pages of answers (tests/runs/test_model_answers.py),
ids that do not exist with the conversation (tests/engine/agent/test_loop.py).
"""

import itertools

import pytest

from tests.runs.conftest import _own_files, make_run  # noqa: F401
from tests.runs.test_model import Script, id_of, led_by, report  # noqa: F401
from tests.support.conversing import answer, call, claim, turn

pytestmark = [pytest.mark.one_database, pytest.mark.django_db(transaction=True)]


def test_endless_calls_of_tools_end_with_the_budget(led_by):  # noqa: F811
    numbers = itertools.count()
    script = Script(turn=lambda _p: turn(*[call("search", queries=[f"revenue {next(numbers)}"]) for _ in range(40)]))
    run = led_by(script)
    assert run.status in run.CONCLUDED
    assert script.calls < 40 and run.steps.count() < 400


LINKS = [
    "[a](javascript:alert(1))",
    "[see](https://evil.example/?q=412)",
    "![x](https://evil.example/p.png)",
    "<https://evil.example>",
]


@pytest.mark.parametrize("link", LINKS)
def test_a_link_in_a_claim_leads_nowhere(led_by, client, alice, link):  # noqa: F811
    run = led_by(Script(turn=lambda prompt: answer(claim(f"Revenue was 412 million in 2024. {link}", id_of(prompt)))))
    client.force_login(alice)
    page = client.get(f"/w/{run.workspace.slug}/runs/{run.pk}/").content.decode()
    assert 'href="javascript:' not in page
    assert 'href="https://evil' not in page and 'src="https://evil' not in page
