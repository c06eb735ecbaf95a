"""What the words of a question weigh, piece by piece."""

from vectorless_web.engine.questions.lexicon import default_lexicon
from vectorless_web.engine.questions.understand import understand
from vectorless_web.engine.ranking.finder import LIGHT, aspects_of

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


def weights(question):
    plan = understand(question)
    aspects = aspects_of(plan, default_lexicon(), lambda term: 1.0)
    return {" ".join(piece.ways[0]): piece.weight for piece in aspects.pieces}


def test_the_light_words_of_a_spoken_question_weigh_little():
    found = weights("Can I actually take a parrot in?")
    assert found["take"] == found["actual"] == LIGHT * found["parrot"]


def test_an_idiom_is_one_piece_of_which_no_word_is_light():
    plan = understand("Who took over the bakery?")
    aspects = aspects_of(plan, default_lexicon(), lambda term: 1.0)
    found = {piece.ways[0]: piece.weight for piece in aspects.pieces}
    assert found == {frozenset({"took", "over"}): 1.0, frozenset({"bakeri"}): 1.0}


def test_the_words_of_an_idiom_apart_say_nothing_of_it():
    plan = understand("Who took over the bakery?")
    aspects = aspects_of(plan, default_lexicon(), lambda term: 1.0)
    assert aspects.measure_cover("She was succeeded by Ida.") > 2 * aspects.measure_cover("The bread is over there.")


def test_what_a_question_measures_by_weighs_little():
    found = weights("How long is the bakery open?")
    assert found["long"] == LIGHT * found["bakeri"]


def test_a_concept_of_one_word_may_be_worded_otherwise():
    plan = understand("When did the tram hit the road?")
    aspects = aspects_of(plan, default_lexicon(), lambda term: 1.0)
    assert aspects.measure_cover("It entered service in May.") > aspects.measure_cover("It was sold in May.")


def test_what_somebody_pays_is_no_salary():
    plan = understand("What do we have to pay for a canoe?")
    aspects = aspects_of(plan, default_lexicon(), lambda term: 1.0)
    assert aspects.measure_cover("The price is paid.") > aspects.measure_cover("Helpers earn points.")


def test_a_measure_is_worded_by_its_name_or_by_a_part_told_as_a_percentage_and_by_no_figure_alone():
    plan = understand("What drove the gross margin change in 2023?")
    aspects = aspects_of(plan, default_lexicon(), lambda term: 1.0)
    assert aspects.words_concept("Gross margin fell")
    assert aspects.words_concept("Cost of goods sold increased as a percent of sales")
    assert not aspects.words_concept("Cost of goods sold increased")
    assert not aspects.words_concept("Income before tax as a percent of sales fell")
    plan = understand("Why did revenue grow in 2023?")
    assert not aspects_of(plan, default_lexicon(), lambda term: 1.0).words_concept("Costs as a share of revenue fell")
