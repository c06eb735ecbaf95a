"""What the words of a question weigh, piece by piece."""

from vectorless_web.engine.questions.lexicon import default_lexicon
from vectorless_web.engine.questions.understand import understand
from vectorless_web.engine.ranking.finder import aspects_of

RARITY = {"free": 0.1, "cash": 0.2, "flow": 0.3}
"""Added from the left these give 0.6000000000000001, from the right 0.6."""


def test_a_concept_weighs_the_same_in_whatever_order_its_words_are_added():
    plan = understand("How much free cash flow was there?")
    aspects = aspects_of(plan, default_lexicon(), lambda term: RARITY.get(term, 0.0))
    assert [(piece.kind, piece.weight) for piece in aspects.pieces] == [("concept", 0.6)]


def test_what_stands_around_and_near_a_text_counts_less_than_the_text():
    plan = understand("How much free cash flow was there?")
    aspects = aspects_of(plan, default_lexicon(), lambda term: RARITY.get(term, 0.0))
    inside = aspects.measure_cover("Free cash flow was 5.")
    around = aspects.measure_cover("It was 5.", "Free cash flow")
    near = aspects.measure_cover("It was 5.", "", "Free cash flow fell. It was 5.")
    assert inside == 1.0 > around > near > aspects.measure_cover("It was 5.") == 0.0
