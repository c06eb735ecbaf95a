"""Claims whose quotes and numbers stand: those that mean something else are objected to, right ones are not."""

import tomllib
from functools import cache
from pathlib import Path

import pytest

from vectorless_web.engine.answers.claims import Check, DraftCalculation, DraftClaim, DraftOperand, DraftQuote
from vectorless_web.engine.answers.grounding import Grounder
from vectorless_web.engine.answers.quotes import locate_quote
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.parsing.compile import compile_file

FOLDER = Path(__file__).parent / "meanings"


def read_toml(name):
    return tomllib.loads((FOLDER / name).read_text())


TEXTS = read_toml("documents.toml") | read_toml("fresh_documents.toml")
PAIRS, UNSEEN, FRESH, WRONG, RIGHT = (
    read_toml(f"{name}.toml")["case"] for name in ("pairs", "unseen", "fresh", "wrong", "right")
)


@pytest.fixture(scope="module")
def document_of(tmp_path_factory):
    folder = tmp_path_factory.mktemp("documents")

    @cache
    def document_of(name):
        path = folder / name
        path.write_text(TEXTS[name])
        return CompiledDocument(compile_file(path, name=name))

    return document_of


@pytest.fixture(scope="module")
def objections_to(document_of):
    """The objections to a sentence over words quoted from one of the documents."""

    def objections_to(case, text, quotes):
        document = document_of(case["document"])
        grounder = Grounder(documents={"a": document}, periods=(case["question"],), question=case["question"])
        return grounder.objections(
            DraftClaim(text, tuple(placed(document, words) for words in quotes), calculation_of(case, quotes))
        )

    return objections_to


def placed(document, words):
    for key in document.tree.leaves():
        if locate_quote(document.tree.node(key).text, words, nearly=False).check is not Check.MISSING:
            return DraftQuote("a", key, words)
    raise AssertionError(f"No node holds {words!r}.")


def calculation_of(case, quotes):
    told = dict(case.get("calculation", {}))
    if not told:
        return None
    expression, result = told.pop("expression"), told.pop("result")
    operands = tuple(DraftOperand(name, value, "", 0) for name, value in told.items())
    return DraftCalculation(expression, operands, result)


def passed(cases, objections_to):
    return [case["wrong"] for case in cases if not objections_to(case, case["wrong"], case["quote"])]


def struck(cases, objections_to):
    found = ((case, objections_to(case, case["right"], case.get("right_quote", case["quote"]))) for case in cases)
    return [(case["right"], objections) for case, objections in found if objections]


@pytest.mark.parametrize("cases", [PAIRS, UNSEEN, FRESH, WRONG], ids=["pairs", "other styles", "fresh", "mixed"])
def test_wrong_replies_are_objected_to(cases, objections_to):
    assert passed(cases, objections_to) == []


@pytest.mark.parametrize("cases", [PAIRS, UNSEEN, FRESH], ids=["pairs", "other styles", "fresh"])
def test_the_right_replies_beside_them_are_not(cases, objections_to):
    assert struck(cases, objections_to) == []


def test_an_objection_says_what_to_mend(objections_to):
    case = PAIRS[0]
    assert objections_to(case, case["wrong"], case["quote"]) == (
        "The claim says 2022, but $2,345 million stands in the column “2021” of the row “Net sales”;"
        " 2022 has 2,567 there.",
    )


@pytest.mark.parametrize("case", RIGHT, ids=lambda case: case["text"][:60])
def test_a_right_reply_that_a_careless_check_would_strike_is_not(case, objections_to):
    assert objections_to(case, case["text"], case["quote"]) == ()
