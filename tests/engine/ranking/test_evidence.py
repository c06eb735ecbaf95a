import pytest

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.parsing.compile import compile_file
from vectorless_web.engine.questions.understand import understand
from vectorless_web.engine.ranking.evidence import (
    label_quality,
    mix_for,
    node_scores,
    profile_of,
    rank_pages,
    rank_pages_across,
)
from vectorless_web.engine.ranking.profile import page_worth
from vectorless_web.engine.ranking.statements import LabelledRow

FILLER = (
    "The widget business is described here in many words that answer nothing in particular. Widgets are made in"
    " three plants and sold to builders, who use widgets in houses. "
) * 20
INCOME = [
    ("Net sales", "900", "800"),
    ("Cost of sales", "500", "450"),
    ("Gross profit", "400", "350"),
    ("Selling, general and administrative", "150", "140"),
    ("Operating income", "250", "210"),
    ("Interest expense", "20", "20"),
    ("Income before income taxes", "230", "190"),
    ("Provision for income taxes", "50", "40"),
    ("Net income", "180", "150"),
]
BALANCE = [
    ("Cash and cash equivalents", "100", "90"),
    ("Accounts receivable, net", "120", "110"),
    ("Inventories", "80", "70"),
    ("Total current assets", "300", "270"),
    ("Property, plant and equipment, net", "400", "390"),
    ("Goodwill", "50", "50"),
    ("Total assets", "750", "710"),
    ("Accounts payable", "90", "85"),
    ("Total current liabilities", "200", "190"),
    ("Long-term debt", "150", "160"),
    ("Retained earnings", "300", "270"),
    ("Total liabilities and shareholders' equity", "750", "710"),
]
CASH = [
    ("Net income", "180", "150"),
    ("Depreciation and amortization", "60", "55"),
    ("Net cash provided by operating activities", "230", "200"),
    ("Purchases of property, plant and equipment", "(77)", "(66)"),
    ("Net cash used in investing activities", "(80)", "(70)"),
    ("Dividends paid", "(40)", "(35)"),
    ("Net cash used in financing activities", "(60)", "(50)"),
    ("Cash and cash equivalents at end of year", "100", "90"),
]


def table(rows):
    lines = ["| (in millions) | 2021 | 2020 |", "|---|---|---|", *(f"| {a} | {b} | {c} |" for a, b, c in rows)]
    return "\n".join(lines)


def report():
    return "\n\n".join(
        [
            "# Widget Company annual report",
            "## Business",
            FILLER,
            "## Results of operations",
            "Gross margin rose in 2021, driven by lower freight costs, due to new routes, and as a result of better"
            " prices; it was partly offset by wages. " + FILLER,
            "## Legal proceedings",
            "A former supplier sued the company over an unpaid invoice; the lawsuit is pending. " + FILLER,
            "## Consolidated Statements of Income",
            table(INCOME) + "\n\n" + FILLER,
            "## Consolidated Balance Sheets",
            table(BALANCE) + "\n\n" + FILLER,
            "## Consolidated Statements of Cash Flows",
            table(CASH) + "\n\n" + FILLER,
        ]
    )


@pytest.fixture(scope="module")
def document(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "widget.md"
    path.write_text(report(), encoding="utf-8")
    return CompiledDocument(compile_file(path, name=path.name))


def page_with(document, text):
    return next(page for page in range(len(document.pages)) if text in document.page_text(page))


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("How much was capex in FY2021?", "Purchases of property"),
        ("What is the PP&E at the end of 2021?", "Property, plant and equipment, net"),
        ("What were COGS in 2021?", "Cost of sales"),
    ],
)
def test_a_figure_is_found_under_the_documents_own_wording(document, question, row):
    pages = rank_pages(document, understand(question))
    assert pages[0].page_index == page_with(document, row)


def test_all_pages_of_a_ratio_are_found_early(document):
    pages = rank_pages(document, understand("What is the inventory turnover of the Widget Company for 2021?"))
    first = {page.page_index for page in pages[:2]}
    assert first == {page_with(document, "Cost of sales"), page_with(document, "Inventories")}


def test_reasons_are_found_in_prose_and_not_in_a_statement(document):
    pages = rank_pages(document, understand("Why did gross margin rise in 2021?"))
    assert pages[0].page_index == page_with(document, "freight costs")


def test_other_words_for_the_same_thing_find_a_section(document):
    pages = rank_pages(document, understand("Are there any court cases against the company?"))
    assert pages[0].page_index == page_with(document, "former supplier")


def test_the_statement_pages_are_recognised(document):
    statements = profile_of(document).statements
    for name, row in (("income", "Cost of sales"), ("balance", "Inventories"), ("cash_flow", "Purchases of")):
        assert max(range(len(document.pages)), key=statements[name].__getitem__) == page_with(document, row)


def test_the_best_node_for_a_figure_is_its_table(document):
    scores = node_scores(document, understand("How much was capex in FY2021?"))
    assert "Purchases of property" in document.tree.node(int(scores.argmax())).text


def test_rankings_are_limited_repeatable_and_give_their_reasons(document):
    plan = understand("What is the current ratio for 2021?")
    pages = rank_pages(document, plan, limit=2)
    assert pages == rank_pages(document, plan, limit=2)
    assert len(pages) == 2
    assert pages[0].reasons["figures"] > 0
    assert node_scores(document, plan).tolist() == node_scores(document, plan).tolist()


def test_a_question_without_known_words_finds_nothing(document):
    assert rank_pages(document, understand("zzz qqq")) == []
    assert not node_scores(document, understand("")).any()


def test_pages_of_several_documents_come_in_one_order(document, tmp_path):
    path = tmp_path / "other.md"
    path.write_text("# Gardens\n\nRoses and lawsuits have nothing in common.", encoding="utf-8")
    other = CompiledDocument(compile_file(path, name=path.name))
    pages = rank_pages_across([other, document], understand("How much was capex in FY2021?"))
    assert (pages[0].document, pages[0].page_index) == (1, page_with(document, "Purchases of property"))
    assert pages == sorted(pages, key=lambda page: (-page.score, page.document, page.page_index))


def test_what_counts_follows_from_the_form_of_the_answer():
    figure, reason = mix_for(understand("How much was capex in 2021?")), mix_for(understand("Why did sales fall?"))
    assert figure.figures > figure.words
    assert reason.reasons > 0 > reason.statement


def row(label, above=()):
    return LabelledRow(tuple(label.split()), tuple(above), 1, 0, 2)


def test_a_label_fits_best_when_it_is_the_phrase():
    phrase = ("total", "debt")
    qualities = [
        label_quality(row("total debt"), phrase),
        label_quality(row("total debt net"), phrase),
        label_quality(row("our total debt net"), phrase),
        label_quality(row("total", above=("debt",)), phrase),
        label_quality(row("total assets"), phrase),
    ]
    assert qualities == sorted(qualities, reverse=True)
    assert (qualities[0], qualities[-1]) == (1.0, 0.0)


def test_contents_exhibits_and_cautions_are_worth_less():
    contents = "Table of Contents\n" + "\n".join(f"Item {n}. Something {n + 3}" for n in range(1, 16))
    assert page_worth(contents, []) < 0.5
    exhibits = "\n".join(f"10.{n} Agreement, incorporated by reference" for n in range(1, 9))
    assert page_worth(exhibits, ["Exhibit Index"]) < 1
    assert page_worth("Some text.", ["Forward-Looking Statements"]) < 1
    assert page_worth("Some text.", ["Business"]) == 1
