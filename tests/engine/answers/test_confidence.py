"""The confidence of a model's answer, from what its checks found, and that of an offline one, from its signals."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.engine_documents import Part, Shelf, compiled, paragraph
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.orchestrator import Orchestrator
from vectorless_web.engine.answers.claims import Signal, Strength
from vectorless_web.engine.answers.confidence import (
    AGREED,
    CHECKED,
    OF_USE_ALONE,
    Calibration,
    ModelChecks,
    _stems_named,
    calibration_of,
    is_other_case,
    share_pictured,
    weigh_checks,
)
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.questions.understand import understand
from vectorless_web.engine.finding.ranking.finder import Finder

RIGHT = ModelChecks(held=1.0, mended=0.0, fuzzy=0.0, parts=1.0, says_missing=False, agrees=False)


def test_an_answer_whose_every_check_passed_at_once_stands_firm():
    assert weigh_checks(RIGHT).value == pytest.approx(CHECKED)


def test_the_offline_figure_is_a_bonus_only():
    assert weigh_checks(replace(RIGHT, agrees=True)).value == pytest.approx(AGREED)
    assert CHECKED < AGREED


@pytest.mark.parametrize(
    "worse", [{"held": 0.5}, {"mended": 1.0}, {"fuzzy": 1.0}, {"parts": 0.0}, {"says_missing": True}], ids=str
)
def test_each_finding_of_a_check_lowers_the_figure(worse):
    assert weigh_checks(replace(RIGHT, **worse)).value < weigh_checks(RIGHT).value


def test_the_figure_is_the_product_of_three_shares_whatever_was_found():
    worst = weigh_checks(ModelChecks(held=0.1, mended=1.0, fuzzy=1.0, parts=0.0, says_missing=True, agrees=False))
    for share in (worst.claims_held, worst.parts_covered, worst.evidence_fit):
        assert 0 < share <= 1
    assert worst.value < 0.05


def test_what_only_the_model_has_judged_or_counted_is_never_strong():
    judged = weigh_checks(replace(RIGHT, agrees=True, is_judged=True))
    assert (judged.strength, weigh_checks(RIGHT).strength) == (Strength.MODERATE, Strength.STRONG)


def test_words_of_its_own_never_make_a_right_answer_look_doubtful():
    assert weigh_checks(replace(RIGHT, parts=0.0)).value > 0.5


PLAIN = Calibration(intercept=-1.0, weights={"words": 3.0, "is_quote": -1.0}, strong=0.8, moderate=0.5)


@given(shares=st.lists(st.floats(0, 1), min_size=2, max_size=2), more=st.floats(0, 1))
def test_a_chance_lies_between_none_and_certain_and_rises_with_what_speaks_for_it(shares, more):
    words, quoted = shares
    low, high = sorted((words, more))
    chances = [PLAIN.chance((Signal("words", share), Signal("is_quote", quoted))) for share in (low, high)]
    assert 0 < chances[0] <= chances[1] < 1


def test_a_signal_that_was_not_fitted_changes_nothing():
    assert PLAIN.chance((Signal("unheard", 1.0),)) == PLAIN.chance(())


@pytest.mark.parametrize(
    "value,word", [(0.8, Strength.STRONG), (0.79, Strength.MODERATE), (0.5, Strength.MODERATE), (0.49, Strength.WEAK)]
)
def test_the_word_follows_the_cuts(value, word):
    assert PLAIN.name_strength(value) is word


@pytest.mark.parametrize("engine", ["offline", "nearness", "model"])
def test_the_calibrations_that_come_with_the_program_put_strong_above_moderate(engine):
    calibration = calibration_of(engine)
    assert 0 < calibration.moderate < calibration.strong <= 1


def signals_of(question: str, document: CompiledDocument) -> dict[str, float]:
    """The signals of the answer that is given or held back."""
    events = list(Orchestrator().run(question, Shelf({"a": document}), Limits()))
    held = next((e.observation["withheld"] for e in events if "withheld" in getattr(e, "observation", {})), None)
    end = events[-1]
    return {s.name: s.share for s in end.confidence.signals} if end.confidence else held["signals"]


FERRY = compiled(
    "Ferry rules",
    paragraph("The Skua sails from the north quay and takes forty bicycles."),
    paragraph("Dogs travel below deck in the company of their owners. A muzzle is worn during the crossing."),
    *(paragraph(f"Rule {number} of the harbour concerns the lamps, ropes and buoys.") for number in range(20)),
)


def test_a_name_that_no_quote_says_is_told():
    whole = signals_of("How many bicycles does the Skua take?", FERRY)
    half = signals_of("How many bicycles do the Skua and the Petrel take?", FERRY)
    assert (whole["names_said"], half["names_said"]) == (1.0, 0.5)


def test_a_name_that_the_document_never_says_is_told():
    assert signals_of("How many bicycles do the Skua and the Petrel take?", FERRY)["names_known"] == 0.5
    assert signals_of("Where does the Skua travel with dogs?", FERRY)["names_known"] == 1.0


def test_a_name_that_the_document_spells_out_is_known_and_days_name_nobody():
    lab = compiled("Lab rules", paragraph("No sample is used to train artificial intelligence, nor on the sabbath."))
    assert signals_of("Is a sample used to train AI?", lab)["names_known"] == 1.0
    assert signals_of("Is a sample used on Saturday?", lab)["names_known"] == 1.0


def test_a_part_that_leans_on_another_is_covered_by_two_things_of_its_kind():
    asked = "How many trees does the park plant by 2030, and how many was it before?"
    pair = compiled("Park", paragraph("By 2030 the park plants 2,250 trees where it planted 1,684 trees."))
    alone = compiled("Park", paragraph("By 2030 the park plants many trees."), paragraph("Before noon it is shut."))
    assert (signals_of(asked, pair)["parts"], signals_of(asked, alone)["parts"]) == (1.0, 0.5)


@pytest.mark.parametrize(
    "question,signal",
    [
        ("Must a dog wear a muzzle during the crossing?", "is_verdict"),
        ("Why is a muzzle worn during the crossing?", "is_cause"),
        ("How many more bicycles than dogs does the Skua take?", "is_not_worked_out"),
    ],
)
def test_it_is_told_what_words_answer_that_may_be_read_into_them(question, signal):
    assert signals_of(question, FERRY)[signal] == 1.0
    assert signals_of("How many bicycles does the Skua take?", FERRY)[signal] == 0.0


@pytest.mark.parametrize(
    "question,sentence,is_other",
    [
        ("What does a tenant pay?", "Tenants that receive state help pay 30 euros.", True),
        ("What does a tenant with state help pay?", "Tenants that receive state help pay 30 euros.", False),
        ("How soon do I report a burst pipe?", "If the home stands empty, the owner tells us before.", True),
        ("What if I leave the home empty?", "If the home stands empty, the owner tells us before.", False),
        ("What was the surplus in 2022?", "There was a surplus of 92,000 euros after a deficit in 2023.", True),
        ("What was the surplus in 2023?", "There was a surplus of 92,000 euros in 2024, and none in 2023.", False),
        ("What was the surplus?", "There was a surplus of 92,000 euros in 2024.", False),
    ],
)
def test_a_sentence_on_a_case_or_year_that_is_not_asked_about_is_told(question, sentence, is_other):
    assert is_other_case(understand(question), sentence) is is_other


def test_the_share_of_pages_with_a_picture_is_told():
    pages = (paragraph("The harbour."), Part(NodeKind.FIGURE, "Ships by year", page=1), paragraph("The end.", page=3))
    assert share_pictured(compiled("Harbour", *pages)) == 0.25


def test_the_heaviest_word_that_no_quote_says_in_any_wording_is_told():
    assert signals_of("How many bicycles does the Skua take?", FERRY)["heaviest"] == 1.0
    assert signals_of("How many bicycles does the Skua take in winter?", FERRY)["heaviest"] == 0.0


def test_words_are_firm_where_every_check_of_them_passed():
    assert signals_of("How many bicycles does the Skua take?", FERRY)["is_firm"] == 1.0
    assert signals_of("How many bicycles do the Skua and the Petrel take?", FERRY)["is_firm"] == 0.0
    assert signals_of("How many bicycles does the Skua take in winter?", FERRY)["is_firm"] == 0.0


def test_a_verdict_that_is_read_from_a_sentence_is_never_firm():
    assert signals_of("Must a dog wear a muzzle during the crossing?", FERRY)["is_firm"] == 0.0


def test_rare_words_prove_more_than_common_ones():
    rare = signals_of("How many bicycles sail from the quay?", FERRY)["evidence"]
    common = signals_of("Which lamps does a rule concern?", FERRY)["evidence"]
    assert rare > common


def test_an_answer_that_ends_where_something_should_follow_is_told():
    rules = compiled(
        "Rules", paragraph("The fees of the harbour are as follows (in euros):"), paragraph("Nothing else.")
    )
    assert signals_of("What are the fees of the harbour?", rules)["is_open"] == 1.0
    assert signals_of("How many bicycles does the Skua take?", FERRY)["is_open"] == 0.0


def _survey() -> CompiledDocument:
    return compiled(
        "Views on the ferry",
        paragraph("Some 61 percent of Norwegians approve of the night ferry, and 22 percent disapprove of it."),
        paragraph("The survey was conducted from March 3 to March 9 among 1,204 adults in Norway and in Denmark."),
    )


def _ends(question: str) -> str:
    return str(list(Orchestrator().run(question, Shelf({"a": _survey()}), Limits()))[-1].outcome)


def test_what_is_said_of_one_people_answers_nothing_about_another():
    assert _ends("What percentage of Norwegians approve of the night ferry?") == "answered"
    assert _ends("What percentage of Portuguese approve of the night ferry?") == "passages"


@pytest.mark.parametrize(
    "question",
    [
        "What Percentage Of Norwegians Like The Night Ferry?",
        "What share of Norwegian adults was asked about the ferry?",
        "What did the Company's survey say about the ferry?",
        "Please tell me what percentage of Norwegians approve of the night ferry.",
    ],
)
def test_titles_and_other_forms_of_a_name_are_no_foreign_names(question):
    finder = Finder(_survey(), understand(question))
    assert all(finder.has_stem(stem) for stem in _stems_named(understand(question)))


def test_what_is_said_of_one_side_does_not_decide_between_two():
    weighed = compiled(
        "Ways across",
        paragraph("A crossing with the night ferry takes five hours and is booked by most families."),
        paragraph("Travellers with the coach are told to bring food."),
    )
    question = "Which crossing takes more hours to make, the night ferry or the helicopter?"
    end = list(Orchestrator().run(question, Shelf({"a": weighed}), Limits()))[-1]
    assert end.outcome == "passages"


def test_a_sentence_that_only_announces_what_follows_is_worth_little():
    text = "The fees for mooring a boat in the harbour at night are as follows:"
    others = (paragraph(f"Other matter {number}: boats, ropes and nets.") for number in range(30))
    shelf = Shelf({"a": compiled("Harbour report", paragraph(text), *others)})
    events = Orchestrator().run("What are the fees for mooring a boat in the harbour at night?", shelf, Limits())
    held = next(e.observation["withheld"] for e in events if "withheld" in getattr(e, "observation", {}))
    assert held["confidence"] <= OF_USE_ALONE


def test_a_year_is_no_name_that_a_quote_would_have_to_say():
    document = compiled("Holm Pumps", paragraph("Holm Pumps repaid its loan of 4 million in the year."))
    assert signals_of("How much of its loan did Holm Pumps repay in FY2023?", document)["names_said"] == 1.0
