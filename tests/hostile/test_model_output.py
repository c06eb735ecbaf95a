"""A model that never ends, cites what is not there, or writes links: it costs its budget and shows nothing untrue.

Markup, orders in documents and giant replies are tested with the pages of answers (tests/runs/test_model_answers.py).
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


def test_ids_that_do_not_exist_hold_nothing_up(led_by):  # noqa: F811
    cited = ("D9.99", "D1.999999", "D1.-1", "D0.0", "D1.1.r9c9", "../../etc/passwd", "", "D" * 5000)
    run = led_by(Script(turn=lambda _p: answer(*[claim(f"Profit was {n} million.", c) for n, c in enumerate(cited)])))
    assert run.status in run.CONCLUDED
    told = run.claims.filter(text__startswith="Profit was")
    assert not told.filter(support__in=("supported", "derived", "partly", "quoted")).exists()


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
