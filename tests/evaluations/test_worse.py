"""In the demo's report a broken lexicon and a model that lies are told apart from chance, and by name."""

import re
from pathlib import Path

import pytest

from tests.runs.test_model import Script
from tests.support.compiled import compiled_document
from tests.support.conversing import answer, claim
from vectorless_web.evaluations import services
from vectorless_web.evaluations.models import Evaluation, GoldenSet
from vectorless_web.evaluations.reading import Typed
from vectorless_web.evaluations.selectors import compare_evaluations, summarise
from vectorless_web.notices.selectors import notices_of
from vectorless_web.workspaces.models import LexiconEntry, ModelProvider
from vectorless_web.workspaces.selectors import provider_choice

pytestmark = [pytest.mark.one_database, pytest.mark.django_db(transaction=True)]
REPORT = "thornbury-annual-report-2024.pdf"
DEMO = Path(__file__).parents[2] / "docs" / "demo" / REPORT
FIGURES = {
    "turnover": ("2024", "$1,402 million", "cost of revenue"),
    "capex": ("2024", "$94 million", "depreciation and amortisation"),
    "R&D": ("2024", "$104 million", "general and administrative"),
    "EBIT": ("2022", "$222 million", "gross profit"),
    "net profit": ("2023", "$164 million", "income tax"),
    "cash flow from operations": ("2024", "$314 million", "capital expenditure"),
    "net worth": ("2024", "$1,169 million", "total assets"),
}
"""Word of the question, year, figure of the report, and the row to which the broken lexicon sends it."""


@pytest.fixture
def figures(workspace, alice) -> GoldenSet:
    compiled_document(workspace, alice, DEMO.read_bytes(), REPORT)
    made = services.make_set(user=alice, workspace=workspace, name="Figures")
    rows = [Typed(f"What was {word} in {year}?", (REPORT,), value=value) for word, (year, value, _) in FIGURES.items()]
    services.add_questions(user=alice, golden_set=made, rows=rows)
    return made


@pytest.fixture
def evaluate(figures, alice, work_off):
    """Evaluate the figures to the end."""

    def act(answerer: str = "") -> Evaluation:
        made = services.start_evaluation(user=alice, golden_set=figures, answerer=answerer)
        work_off("background")
        return Evaluation.objects.get(pk=made.pk)

    return act


def test_a_model_that_lies_and_a_broken_lexicon_are_flagged_as_worse(evaluate, alice, workspace, html, httpserver):
    """The model quotes a true line beside a figure of its own, and says of itself that all is supported."""

    def lie(prompt: str) -> dict:
        return answer(
            claim("It was $9,876 million.", re.search(r"\[(D\d+\.[\w.]+)\]", prompt)[1]), value="$9,876 million"
        )

    def agree(prompt: str) -> dict:
        count = len(re.findall(r"^\d+\. ", prompt, re.MULTILINE)) or 1
        rows = [{"claim": number, "verdict": "supported", "why": "It says so."} for number in range(1, count + 1)]
        return {"claims": rows, "answers_all": True, "missing": []}

    sound = evaluate()
    script = Script(turn=lie, verify=agree)
    httpserver.expect_request("/v1/chat/completions", method="POST").respond_with_handler(script)
    row = ModelProvider.objects.create(
        workspace=workspace, name="Liar", base_url=httpserver.url_for("/v1"), model="liar"
    )
    lying = evaluate(provider_choice(row))

    change, summary = compare_evaluations(sound, lying, alice), summarise(lying)
    assert script.calls >= len(FIGURES)
    assert (summary.right.right, summary.failed) == (0, 0)
    assert (len(change.broken), change.fixed, change.is_telling) == (len(FIGURES), (), True)
    assert {tally.right for _name, tally in summary.verdicts} <= {0}

    for word, (_year, _value, wrong) in FIGURES.items():
        LexiconEntry.objects.create(workspace=workspace, concept=word, phrases=[wrong])
    broken = evaluate("offline")

    change = compare_evaluations(sound, broken, alice)
    assert summarise(sound).right.right == len(FIGURES)
    assert (len(change.broken), change.fixed, change.is_telling) == (len(FIGURES), (), True)
    told = [(each.told.sentence, each.told.name) for each in notices_of(alice)[0]]
    assert (f"An evaluation got worse: {len(FIGURES)} broken, 0 fixed", "Figures") in told
    page = html(alice, f"/w/{workspace.slug}/evaluations/{broken.pk}/compare/?with={sound.pk}")
    assert page.count("What was") >= len(FIGURES)
