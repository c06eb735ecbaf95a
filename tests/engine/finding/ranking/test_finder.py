import pytest

from vectorless_web.engine.finding.ranking.finder import Finder
from vectorless_web.engine.questions.understand import understand


@pytest.fixture(scope="module")
def finder(document):
    return Finder(document, understand("Which supplier sued over an unpaid invoice?"))


def test_leaves_come_best_first(finder, document):
    assert "unpaid invoice" in document.tree.node(finder.ranked[0].key).text
    scores = [candidate.score for candidate in finder.ranked]
    assert scores == sorted(scores, reverse=True) and scores[0] == 1.0


def test_a_section_counts_as_its_best_node(finder, document):
    best = finder.ranked[0]
    assert finder.best_below(document.tree.section_of(best.key)) == finder.best_below(0) == best.score
    assert finder.fits([best.key, 0]) == {best.key: 1.0, 0: 1.0}


def test_coverage_is_a_share_and_words_around_a_text_count_less(finder):
    inside = finder.coverage("A supplier sued over an unpaid invoice.")
    around = finder.coverage("Nothing.", context="A supplier sued over an unpaid invoice.")
    near = finder.coverage("Nothing.", near="A supplier sued over an unpaid invoice.")
    assert 1.0 >= inside > around > near > finder.coverage("Nothing.") == 0.0
    assert inside > 0.99


def test_pages_are_shares_of_the_best(finder):
    assert max(finder.page_fits.values()) == 1.0
    assert all(0.0 < fit <= 1.0 for fit in finder.page_fits.values())


def test_a_question_without_words_finds_nothing(document):
    finder = Finder(document, understand("?"))
    assert finder.ranked == () and finder.page_fits == {} and finder.coverage("anything") == 0.0
