import numpy as np
import pytest

from vectorless_web.engine.finding.ranking.ranker import load_weights, node_scores, rank_all
from vectorless_web.engine.questions.understand import understand


def test_few_signals_are_weighed_and_each_is_a_number():
    weights = load_weights()
    names = {name.removeprefix("node_") for part in (weights.page, weights.node, weights.sentence) for name in part}
    assert len(names) <= 20
    assert all(np.isfinite([*weights.page.values(), *weights.node.values(), *weights.sentence.values()]))


def test_every_weight_belongs_to_a_signal_that_is_measured(document):
    ranked = rank_all([document], understand("How much was capex in FY2021?"))[0]
    assert set(load_weights().page) <= set(ranked.page_signals)
    assert set(load_weights().node) <= set(ranked.node_signals)


@pytest.mark.parametrize("question", ["How much was capex in FY2021?", "Are lawsuits pending?", "zzz", "", "widgets"])
def test_signals_and_scores_are_shares(document, question):
    ranked = rank_all([document], understand(question))[0]
    for values in (*ranked.page_signals.values(), *ranked.node_signals.values(), ranked.pages, ranked.rows):
        assert values.min() >= 0.0 and values.max() <= 1.0 + 1e-9


def pages_of(document, question):
    """The pages, the best first."""
    return np.argsort(-rank_all([document], understand(question))[0].pages, kind="stable").tolist()


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How much was capex in FY2021?", "Purchases of property"),
        ("What is the PP&E at the end of 2021?", "Property, plant and equipment, net"),
        ("What were COGS in 2021?", "Cost of sales"),
        ("Which routes lowered freight costs?", "freight costs"),
    ],
)
def test_the_best_page_says_what_is_asked_in_the_documents_own_wording(document, question, said):
    assert said in document.page_text(pages_of(document, question)[0])


def test_all_pages_of_a_ratio_are_found_early(document):
    first = pages_of(document, "What is the inventory turnover of the Widget Company for 2021?")[:3]
    texts = [document.page_text(page) for page in first]
    assert all(any(row in text for text in texts) for row in ("Cost of sales", "Inventories"))


def test_the_best_node_for_a_figure_is_its_table(document):
    scores = node_scores(document, understand("How much was capex in FY2021?"))
    assert "Purchases of property" in document.tree.node(int(scores.argmax())).text


def test_the_best_node_says_what_is_asked(document):
    scores = node_scores(document, understand("Which supplier sued the company?"))
    assert "former supplier" in document.tree.node(int(scores.argmax())).text


def test_a_question_without_known_words_scores_no_node(document):
    assert not node_scores(document, understand("zzz qqq")).any()
    assert not node_scores(document, understand("")).any()


def test_words_are_weighed_by_their_rarity_in_all_documents(compiled):
    common = compiled("\n\n".join(f"The licence of plant {n} is renewed." for n in range(20)))
    rare = compiled("The lease is renewed by letter.\n\nThe plant stands in the town.")
    first, second = rank_all([common, rare], understand("How is the lease of the plant renewed?"))
    assert second.rows.max() == 1.0 > first.rows.max()
