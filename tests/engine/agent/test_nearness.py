"""A local model of meaning in whole runs: what it may change, and what it may not."""

import json

import pytest

from tests.support.engine_documents import Shelf, annual_report, compiled, paragraph, section
from vectorless_web.engine.agent.events import StepEvent, StepKind
from vectorless_web.engine.agent.executor import Walking
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.orchestrator import Orchestrator
from vectorless_web.engine.agent.steps.nearness import FIRST_BY_WORDS, STAY_AMONG, keep_first_pages
from vectorless_web.engine.answers.claims import Signal, Strength
from vectorless_web.engine.answers.confidence import calibration_for, calibration_of
from vectorless_web.engine.errors import ModelUnreachable
from vectorless_web.engine.llm.embedding import NoNearness, RecordedNearness
from vectorless_web.engine.passages.extraction import find_level

QUESTION = "Whom must I tell before shifting the piano upstairs?"
ANSWER = "Heavy instruments are carried to another floor only when Fenella has been told."
OFFICE = ANSWER.replace("Fenella", "the caretaker")
DECOYS = [
    "A lodger may keep a piano in the common room, if the others agree to it.",
    "The piano in the hall is tuned by Harmony Ltd in spring.",
    "The piano is covered after ten in the evening.",
]


def house(answer=ANSWER):
    filler = [paragraph(f"Room {n} has a bed, a desk and a lamp for its lodger.") for n in range(12)]
    return compiled(
        "House rules",
        section("Rooms", *filler),
        section("Music", *map(paragraph, DECOYS), paragraph(answer, page=1)),
    )


class Meaning:
    """Says that some texts are near; the others are far. Or raises."""

    name = "sense"

    def __init__(self, *near, error=None):
        self.near, self.error, self.asked = near, error, []

    def measure(self, question, texts):
        self.asked.append((question, list(texts)))
        if self.error:
            raise self.error
        return [1.0 if text.endswith(self.near) else 0.1 for text in texts]


class Asked:
    """One offline run and what it left behind."""

    def __init__(self, model=None, *, question=QUESTION, shelf=None, stored=()):
        self.records = []
        walking = Walking()
        if model is not None:
            walking.nearness = RecordedNearness(model, on_call=self.records.append, stored=stored)
        shelf = shelf or Shelf({"a": house()})
        self.events = list(Orchestrator(walking=walking).run(question, shelf, Limits()))
        self.steps = [event for event in self.events if isinstance(event, StepEvent)]
        self.end = self.events[-1]

    def one(self, kind):
        return next(step for step in self.steps if step.kind is kind)

    @property
    def told(self):
        steps = [(s.say, s.arguments, s.observation, s.confidence) for s in self.steps]
        return json.dumps([steps, self.end.answer, [quote.quote for quote in self.end.passages]], default=str)

    @property
    def quotes(self):
        return [quote.quote for quote in self.end.passages]


def test_a_passage_near_in_meaning_comes_before_those_that_share_more_words():
    without, with_model = Asked(), Asked(Meaning(ANSWER))
    assert without.quotes[:1] != [ANSWER]
    assert with_model.quotes[:1] == [ANSWER]


def test_a_passage_far_nearer_than_all_others_that_names_an_office_is_given():
    end = Asked(Meaning(OFFICE), shelf=Shelf({"a": house(OFFICE)})).end
    assert end.answer.startswith(OFFICE)
    assert end.confidence.strength is Strength.MODERATE


def test_nearness_is_told_above_two_fifths_of_what_was_measured():
    assert find_level([0.3]) == 0.3
    assert find_level([1.0, 0.0, 0.2, 0.1, 0.4, 0.9]) == pytest.approx(0.2)
    assert find_level([0.0, 1.0]) == pytest.approx(0.4)


def test_only_what_the_words_shortlist_is_measured_and_only_once():
    model = Meaning(ANSWER)
    Asked(model)
    ((question, texts),) = model.asked
    assert question == QUESTION
    assert len(texts) == len(set(texts)) <= 12
    assert {f"Music: {decoy}" for decoy in DECOYS} <= set(texts)


def test_the_steps_say_what_the_model_did():
    asked = Asked(Meaning(ANSWER))
    told = asked.one(StepKind.RETRIEVE).observation["nearness"]
    assert told["model"] == "sense"
    assert told["sentences"] == len(json.loads(asked.records[0].reply)["shares"])


def test_without_a_model_nothing_is_said_of_it():
    assert not any("nearness" in step.observation for step in Asked().steps)


def test_a_model_that_cannot_be_loaded_changes_nothing_but_a_note():
    without, failed = Asked(), Asked(Meaning(error=ModelUnreachable("It could not be loaded.")))
    assert (failed.quotes, failed.end.answer) == (without.quotes, without.end.answer)
    note = failed.one(StepKind.RETRIEVE).observation["nearness"]["note"]
    assert note == "The local model of meaning was left out. It could not be loaded."


def test_a_finished_run_says_the_same_again_from_what_was_stored():
    first = Asked(Meaning(ANSWER))
    again = Asked(NoNearness("sense"), stored=first.records)
    assert again.told == first.told


def test_of_several_documents_each_walk_has_its_part():
    shelf = Shelf({name: house() for name in "ab"})
    model = Meaning(ANSWER)
    Asked(model, shelf=shelf)
    assert [len(texts) <= 8 for _, texts in model.asked] == [True, True]


def test_figures_are_named_by_their_rows_and_not_measured():
    model = Meaning()
    asked = Asked(model, question="What was the revenue in 2019?", shelf=Shelf({"a": annual_report()}))
    assert asked.end.outcome.value == "answered"
    assert model.asked == []


def test_what_is_near_is_shown_beside_what_words_find_and_not_instead():
    assert set(Asked().quotes) <= set(Asked(Meaning(ANSWER)).quotes)


TUNER = "Who tunes the piano in the hall?"


def drafted(asked):
    """The answer that was given or withheld, its confidence and its signals."""
    held = next((s.observation["withheld"] for s in asked.steps if "withheld" in s.observation), None)
    if held:
        return held["answer"], held["confidence"], held["signals"]
    end = asked.end
    return end.answer, end.confidence.value, {signal.name: signal.share for signal in end.confidence.signals}


def test_an_answer_that_is_near_in_meaning_is_surer_than_one_that_is_far():
    near, far = drafted(Asked(Meaning(DECOYS[1]), question=TUNER)), drafted(Asked(Meaning(), question=TUNER))
    assert "Harmony" in near[0] and "Harmony" in far[0]
    assert near[1] > far[1]
    assert (near[2]["nearness"], far[2]["nearness"]) == (1.0, 0.1)
    assert near[2]["nearest"] > far[2]["nearest"] == 0.5


def test_a_measured_answer_is_weighed_by_a_fit_of_its_own():
    _, confidence, shares = drafted(Asked(Meaning(DECOYS[1]), question=TUNER))
    signals = [Signal(name, share) for name, share in shares.items()]
    assert confidence == pytest.approx(calibration_of("nearness").chance(signals), abs=1e-4)
    words = [signal for signal in signals if signal.name != "nearness"]
    assert calibration_for(words) is calibration_of("offline")


def test_what_leads_in_meaning_is_drafted_though_its_words_tell_too_little():
    answer, _, signals = drafted(Asked(Meaning(ANSWER)))
    assert ANSWER in answer
    assert signals["suffices"] == 0.0
    assert signals["first_by_words"] == 0.0


def test_first_pages_by_words_stay_among_the_first_whatever_their_meaning():
    pages = list(range(30))
    by_words, by_both = list(range(30)), list(reversed(range(30)))
    order = keep_first_pages(by_words, by_both, pages)
    assert set(by_words[:FIRST_BY_WORDS]) <= set(order[:STAY_AMONG])
    assert sorted(order) == by_words
    assert order[:FIRST_BY_WORDS] == [29, 28, 27, 26, 25]


def test_an_order_that_keeps_them_anyway_is_not_touched():
    assert keep_first_pages([0, 1, 2], [2, 1, 0], [4, 4, 7]) == [2, 1, 0]
