import pytest

from benchmarks.ranked_pages import rank_pages, rank_pages_across
from vectorless_web.engine.questions.understand import understand


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
    first = {page.page_index for page in pages[:3]}
    assert first >= {page_with(document, "Cost of sales"), page_with(document, "Inventories")}


def test_prose_is_found_by_its_words(document):
    pages = rank_pages(document, understand("Which routes lowered freight costs?"))
    assert pages[0].page_index == page_with(document, "freight costs")


def test_rankings_are_limited_repeatable_and_give_their_signals(document):
    plan = understand("What is the current ratio for 2021?")
    pages = rank_pages(document, plan, limit=2)
    assert pages == rank_pages(document, plan, limit=2)
    assert len(pages) == 2
    assert pages[0].reasons["figures"] > 0
    assert pages[0].score == 1.0


def test_a_question_without_known_words_finds_no_page(document):
    assert rank_pages(document, understand("zzz qqq")) == []
    assert rank_pages(document, understand("")) == []


def test_pages_of_several_documents_come_in_one_order(document, compiled):
    other = compiled("# Gardens\n\nRoses and lawsuits have nothing in common.")
    pages = rank_pages_across([other, document], understand("How much was capex in FY2021?"))
    assert (pages[0].document, pages[0].page_index) == (1, page_with(document, "Purchases of property"))
    assert pages == sorted(pages, key=lambda page: (-page.score, page.document, page.page_index))


def test_the_nodes_named_of_a_page_stand_on_it(document):
    for page in rank_pages(document, understand("How much was capex in FY2021?")):
        nodes = [document.tree.node(key) for key in page.keys]
        assert all(node.page_start <= page.page_index <= node.page_end + 1 for node in nodes)
