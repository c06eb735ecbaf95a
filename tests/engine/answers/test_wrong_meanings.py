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


TEXTS = read_toml("documents.toml") | read_toml("fresh_documents.toml") | read_toml("told_documents.toml")
PAIRS, UNSEEN, FRESH, TOLD, WRONG, RIGHT = (
    read_toml(f"{name}.toml")["case"] for name in ("pairs", "unseen", "fresh", "told", "wrong", "right")
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
    for key in range(1, len(document.tree)):
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


@pytest.mark.parametrize(
    "cases", [PAIRS, UNSEEN, FRESH, TOLD, WRONG], ids=["pairs", "other styles", "fresh", "told", "mixed"]
)
def test_wrong_replies_are_objected_to(cases, objections_to):
    assert passed(cases, objections_to) == []


@pytest.mark.parametrize("cases", [PAIRS, UNSEEN, FRESH, TOLD], ids=["pairs", "other styles", "fresh", "told"])
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


@pytest.fixture
def is_open(document_of):
    """Whether a right reply is left to its reader to judge."""

    def is_open(name, question, text, *quotes):
        document = document_of(name)
        grounder = Grounder(documents={"a": document}, periods=(question,), question=question)
        claim = DraftClaim(text, tuple(placed(document, words) for words in quotes))
        assert grounder.objections(claim) == ()
        return grounder.is_left_to_the_reader(claim)

    return is_open


CAPEX, SALES = "Capital expenditure | (44.5) | (51.3)", "Net sales | 1,482.6 | 1,365.4"
GERMANY, POLAND = "Germany | 2,140 | 4", "Poland | 1,312 | 2"


@pytest.mark.parametrize(
    "question,text,quotes",
    [
        (
            "Is Kestrel a capital-intensive business?",
            "No, capital expenditure was only 3.0% of net sales (44.5 / 1,482.6).",
            (CAPEX, SALES),
        ),
        ("How many countries have several plants?", "Two countries have several plants.", (GERMANY, POLAND)),
        (
            "Is its liquidity healthy?",
            "Yes, it held EUR 212.4 million.",
            ("Cash and cash equivalents | 212.4 | 187.9",),
        ),
        ("Which has more plants, Germany or Poland?", "Germany, with 4.", (GERMANY, POLAND)),
    ],
)
def test_a_judgement_or_count_that_no_check_works_out_is_left_to_the_reader(is_open, question, text, quotes):
    assert is_open("kestrel.html", question, text, *quotes)


@pytest.mark.parametrize(
    "name,question,text,quotes",
    [
        ("kestrel.html", "What were net sales in 2023?", "Net sales were EUR 1,482.6 million in 2023.", (SALES,)),
        (
            "kestrel.html",
            "Did net sales grow?",
            "Yes, net sales grew from EUR 1,365.4 million to EUR 1,482.6 million.",
            (SALES,),
        ),
        (
            "kestrel.html",
            "Which has more plants, Germany or Poland?",
            "Germany has more plants: 4, against 2 in Poland.",
            (GERMANY, POLAND),
        ),
        ("kestrel.html", "Which country has the most employees?", "Germany has the most employees, 2,140.", (GERMANY,)),
        (
            "ferry.md",
            "May dogs travel in the lounge?",
            "Yes, if they wear a muzzle.",
            ("Dogs may travel in the lounge if they wear a muzzle.",),
        ),
        (
            "trial.md",
            "Was the difference in coughs significant?",
            "Yes, it was significant.",
            ("The difference between the groups in the change of coughs a day was significant (p = 0.003).",),
        ),
        (
            "ferry.md",
            "Are muzzles or leads used in the lounge?",
            "Yes, dogs may travel in the lounge if they wear a muzzle.",
            ("Dogs may travel in the lounge if they wear a muzzle.",),
        ),
        (
            "kestrel.html",
            "What were sales of Most Best Kestrel in 2022?",
            "Net sales were EUR 1,365.4 million.",
            (SALES,),
        ),
        (
            "trial.md",
            "In how many countries are the sites?",
            "The sites are in three countries.",
            ("Up to 240 patients are planned at 18 sites in Spain, Italy and Norway.",),
        ),
    ],
)
def test_what_figures_or_a_sentence_settle_is_not(is_open, name, question, text, quotes):
    assert not is_open(name, question, text, *quotes)
