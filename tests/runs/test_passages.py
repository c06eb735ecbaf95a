"""Closest passages as people see them: whole, the best sentence lit, tables with column names, and what they lack."""

import re
from dataclasses import replace
from functools import partial
from html import unescape

import pytest
from django.test import Client

from tests.runs.conftest import work
from tests.runs.test_model_answers import pages_of
from tests.support.compiled import compiled_document
from tests.support.engines import claim, closest, complete, passages_story, step
from tests.support.page_text import visible_text
from vectorless_web.api.services import make_token
from vectorless_web.engine.agent.events import Outcome
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.runs.export.exports import as_json, as_markdown
from vectorless_web.runs.jobs import execute_run
from vectorless_web.runs.models import Citation

pytestmark = pytest.mark.django_db


@pytest.fixture
def forms(client, alice):
    """A run on its page, printed and shared."""
    client.force_login(alice)
    return partial(pages_of, client)


def test_a_passage_is_shown_whole_with_its_best_sentence_lit_and_the_words_it_has(make_run, forms):
    run = work(make_run(), passages_story)

    for name, page in forms(run).items():
        told = visible_text(page)
        assert "No model is connected. These passages come closest." in told, name
        assert "“penalty” stands in no document here." in told, name
        first, second = re.findall(r'<li\s+id="cite-\d+".*?</li>', page.split('id="passages"')[1], re.DOTALL)
        assert re.search(r"<mark\s*>Revenue was 412 million\.</mark>", first), name
        for part in ("It was a good year.", "Costs fell.", "Holds: revenue", "Lacks: penalty", "Revenue, p. 1"):
            assert part in visible_text(first), name
        assert 'href="#hit-1"' in first, name
        assert re.search(r'<th scope="col" dir="auto">Revenue</th>', second), name
        assert re.search(r'<tr class="lit-row">.*?412', second, re.DOTALL), name
    assert "**Revenue was 412 million.**" in as_markdown(run)
    assert "| **2024** | **412** |" in as_markdown(run)
    assert (as_json(run)["unknown_words"], as_json(run)["verdict"]) == (["penalty"], "")


def test_words_that_stand_nowhere_are_no_matter_once_all_is_answered(make_run, forms):
    run = work(make_run(), [step(0), complete(unknown_words=("penalty",))])

    assert [name for name, page in forms(run).items() if "penalty" in visible_text(page)] == []
    assert "penalty" not in as_markdown(run)


def test_every_door_shows_a_row_of_a_table_under_the_names_of_its_columns(make_run, forms, alice):
    names = ("Item", "Issued to", "Cost")

    def story(document: str) -> list:
        rows, text = (names, ("Hard hat", "person", "$28")), "Item\tIssued to\tCost\nHard hat\tperson\t$28"
        row = replace(closest(1, document), quote="Hard hat\tperson\t$28")
        lit = replace(
            row.passage, kind=NodeKind.TABLE, text=text, lit_start=20, lit_end=len(text), rows=rows, lit_row=1
        )
        return [step(0, document), complete(Outcome.PASSAGES, passages=(replace(row, passage=lit),))]

    run = work(make_run(), story)
    for door, page in forms(run).items():
        table = page.split('id="passages"')[1].split("<thead>")[1].split("</table>")[0]
        assert re.findall(r'<th scope="col" dir="auto">(.*?)</th>', table) == list(names), door
        assert " ".join(visible_text(f"<table>{table}").split()) == "Item Issued to Cost Hard hat person $28", door
    assert "| Item | Issued to | Cost |" in as_markdown(run)
    _, secret = make_token(user=alice, name="reader", scope="read", days=1, workspaces=[run.workspace])
    address = f"/api/v1/workspaces/{run.workspace.slug}/runs/{run.pk}/citations"
    told = Client().get(address, headers={"authorization": f"Bearer {secret}"}).json()
    for cited in (as_json(run)["citations"], told):
        assert cited[0]["passage"]["rows"] == [list(names), ["Hard hat", "person", "$28"]]


def test_a_worked_figure_stands_above_the_passages_and_is_called_exact(make_run, forms):
    def story(document: str) -> list:
        return [step(0, document), claim(0, document=document), complete(passages=(closest(2, document),))]

    run = work(make_run(), story)

    for name, page in forms(run).items():
        assert ">exact<" in page.split('id="outcome"')[1][:900], name
        assert page.index("Revenue was 412 million.") < page.index('id="passages"'), name
        assert "These passages come closest to the question." in visible_text(page), name
    assert list(Citation.objects.order_by("marker").values_list("marker", "claim__order")) == [(1, 0), (2, None)]


@pytest.mark.django_db(transaction=True)
def test_the_way_from_a_quote_of_a_table_to_its_document_opens_the_table(make_run, workspace, alice, client):
    table = b"| | 2024 |\n|---|---|\n| Revenue | 412 |\n| Costs | 90 |"
    compiled_document(workspace, alice, b"# Report\n\n## Figures\n\n" + table + b"\n\n## Leave\n\nLeave is 30 days.\n")
    client.force_login(alice)

    def way_from(question: str) -> str:
        run = make_run(question=question)
        execute_run(run.pk)
        page = client.get(f"/w/{workspace.slug}/runs/{run.pk}/").content.decode()
        return unescape(re.search(r'data-url="([^"]+)"', page)[1])

    address = way_from("What was revenue in 2024?")
    assert re.search(r"[?&]table=(\d+)#table-\1$", address)
    assert re.search(r'<figcaption class="tables">\s*<details open>', client.get(address).content.decode())
    assert "table" not in way_from("How long is leave?")
