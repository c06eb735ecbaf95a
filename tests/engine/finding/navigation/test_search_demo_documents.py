"""On real compiled reports each search enters the page that answers among its first three sections."""

import json
from pathlib import Path

import pytest

from vectorless_web.engine.documents.artefact import open_artefact
from vectorless_web.engine.finding.navigation import LexicalPilot, beam, greedy, mcts, report
from vectorless_web.engine.finding.ranking.ranker import DocumentScorer
from vectorless_web.engine.parsing.compile import compile_file
from vectorless_web.engine.questions.understand import understand

DEMO = Path(__file__).resolve().parents[4] / "docs" / "demo"
REPORTS = [entry for entry in json.loads((DEMO / "truth.json").read_text()) if entry["document"].endswith(".pdf")]


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compiled")
    found = {}
    for entry in REPORTS:
        path = folder / entry["document"]
        path.write_bytes(compile_file(DEMO / entry["document"], name=entry["document"]))
        found[entry["document"]] = open_artefact(path)
    return found


def pages_entered(document, question, algorithm):
    plan = understand(question)
    scorer = DocumentScorer(document, plan)
    told = report(algorithm(document.tree, plan, scorer, LexicalPilot(scorer)))
    read = [document.tree.node(leaf) for section in told.ranked[:3] for leaf in section.leaves]
    return {page for leaf in read for page in range(leaf.page_start, leaf.page_end + 1)}


@pytest.mark.parametrize("algorithm", [greedy, beam, mcts])
def test_the_page_that_answers_is_entered(documents, algorithm):
    missed = [
        question["question"]
        for entry in REPORTS
        for question in entry["questions"]
        if question["page_indexes"]
        and not pages_entered(documents[entry["document"]], question["question"], algorithm)
        & set(question["page_indexes"])
    ]
    assert missed == []
