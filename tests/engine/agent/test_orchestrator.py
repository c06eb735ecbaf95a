"""Whole runs without a model: every run ends in a stated outcome, every step is what was done."""

import json
from itertools import count

import pytest

from tests.support.engine_documents import Shelf, annual_report, compiled, paragraph, section
from vectorless_web.engine.agent.events import CompleteEvent, Outcome, StepEvent, StepKind
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.orchestrator import Orchestrator
from vectorless_web.engine.answers.claims import Check, ClaimEvent, Support
from vectorless_web.engine.answers.confidence import calibration_of
from vectorless_web.engine.documents.card import TypedFields


@pytest.fixture
def shelf():
    return Shelf({"a": annual_report()})


def run(question, corpus, *, limits=None, **options):
    return list(Orchestrator().run(question, corpus, limits or Limits(), **options))


def steps(events):
    return [event for event in events if isinstance(event, StepEvent)]


def claims(events):
    return [event for event in events if isinstance(event, ClaimEvent) and event.state == "checked"]


def test_a_figure_is_answered_in_a_sentence_with_its_row_as_quote(shelf):
    events = run("What were Norrvik's net sales in 2019?", shelf)
    end = events[-1]
    assert end.outcome is Outcome.ANSWERED
    first = end.answer.splitlines()[0]
    assert first.startswith("Net sales came to $5,400 million in 2019 (Norrvik Annual Report 2019).")
    assert end.value == "$5,400 million"
    quote = claims(events)[0].citations[0]
    assert (quote.quote, quote.page_index, quote.check) == ("Net sales\t$ 5,400\t$ 5,000", 4, Check.EXACT)


def test_the_unit_asked_for_is_the_unit_given(shelf):
    assert run("What were net sales in 2018, in USD billions?", shelf)[-1].value == "$5 billion"


def test_capital_expenditure_is_positive_though_printed_in_parentheses(shelf):
    assert run("What was capital expenditure in 2019 (in USD millions)?", shelf)[-1].value == "$210 million"


@pytest.mark.parametrize(
    "question,value",
    [
        ("What was the gross margin in FY2019?", "30.0%"),
        ("What was the growth of net sales in 2019, in percent with two decimal places?", "8.00%"),
        ("What was free cash flow in 2019?", "$410 million"),
        (
            "What is the FY2019 inventory turnover ratio? Inventory turnover ratio is defined as: FY2019 COGS / "
            "(average inventory between FY2018 and FY2019). Round your answer to two decimal places.",
            "4.73",
        ),
    ],
)
def test_calculations_are_worked_out_and_shown(shelf, question, value):
    events = run(question, shelf)
    assert events[-1].value == value
    claim = claims(events)[0]
    assert claim.support is Support.DERIVED
    assert all(operand.marker for operand in claim.calculation.operands)


@pytest.mark.parametrize(
    "question,word",
    [
        ("Does Norrvik have an improving gross margin as of FY2019?", "No"),
        ("Did net sales increase between 2018 and 2019?", "Yes"),
        ("Did operating income decline between 2018 and 2019?", "Yes"),
        ("Does Norrvik have positive working capital based on FY2019 data?", "Yes"),
    ],
)
def test_yes_or_no_comes_first_when_figures_decide(shelf, question, word):
    assert run(question, shelf)[-1].answer.startswith(word)


def test_a_reason_is_quoted_not_calculated(shelf):
    events = run("Why did gross margin decline in 2019?", shelf)
    assert "higher steel prices" in events[-1].answer
    assert claims(events)[0].citations[0].page_index == 2


def test_a_fact_in_words_is_quoted_from_its_page(shelf):
    assert "1,204 people" in run("How many people does Norrvik employ?", shelf)[-1].answer


def test_the_steps_are_route_scan_navigate_retrieve_extract_synthesize_verify_finalize(shelf):
    kinds = [step.kind for step in steps(run("What were net sales in 2019?", shelf))]
    assert kinds == list(
        map(StepKind, ["route", "scan", "navigate", "retrieve", "extract", "synthesize", "verify", "finalize"])
    )


def test_steps_are_numbered_inside_their_walk_and_outside(shelf):
    events = steps(run("What were net sales in 2019?", shelf))
    assert [(step.walk, step.index) for step in events] == [(0, 0), *[(1, i) for i in range(5)], (0, 1), (0, 2)]


def test_every_step_has_a_sentence_and_json_values(shelf):
    for step in steps(run("Why did gross margin decline in 2019?", shelf)):
        assert step.say and step.say[0].isupper() and not step.say.endswith("!")
        json.dumps([step.arguments, step.observation])


def test_confidence_is_the_calibrated_chance_of_what_was_measured(shelf):
    end = run("What were net sales in 2019?", shelf)[-1]
    factors = end.confidence
    assert factors.value == calibration_of("offline").chance(factors.signals)
    assert {"held", "parts", "fit", "words", "page", "ahead"} <= {signal.name for signal in factors.signals}
    assert all(0 <= signal.share <= 1 for signal in factors.signals)
    assert 0 < factors.evidence_fit <= 1


def test_equal_runs_give_equal_events(shelf):
    ticks = [lambda: 0.0] * 2
    first, second = (
        list(Orchestrator(clock=clock).run("What was the gross margin in 2019?", shelf, Limits())) for clock in ticks
    )
    assert first == second


@pytest.mark.parametrize("most", range(1, 8))
def test_any_number_of_steps_ends_in_an_outcome_and_is_kept(shelf, most):
    events = run("What were net sales in 2019?", shelf, limits=Limits(max_steps=most))
    assert events[-1].outcome is Outcome.ANSWERED
    assert sum(step.walk == 1 for step in steps(events)) <= most


def test_the_limit_of_a_run_ends_the_walks_not_the_answer():
    corpus = Shelf({name: annual_report(name) for name in "abc"})
    events = run("What were net sales in 2019?", corpus, limits=Limits(max_run_steps=4))
    assert isinstance(events[-1], CompleteEvent)
    assert sum(step.walk > 0 for step in steps(events)) <= 4


def test_a_spent_wall_clock_still_ends_in_an_outcome(shelf):
    clock = count(0, 40)
    events = list(Orchestrator(clock=lambda: next(clock)).run("What were net sales in 2019?", shelf, Limits()))
    assert events[-1].outcome in (Outcome.NOT_FOUND, Outcome.PASSAGES, Outcome.ANSWERED)


@pytest.mark.parametrize("after", range(1, 9))
def test_cancelling_before_any_step_ends_cancelled_and_keeps_the_steps(shelf, after):
    asked = count(1)
    events = run("What were net sales in 2019?", shelf, cancelling=lambda: next(asked) >= after)
    assert events[-1].outcome is Outcome.CANCELLED
    assert events[-1].answer == ""


@pytest.mark.parametrize(
    "question,code", [("", "question_empty"), ("  \n ", "question_empty"), ("a" * 10_000, "question_too_long")]
)
def test_an_unusable_question_fails_with_a_sentence_and_a_code(shelf, question, code):
    end = run(question, shelf)[-1]
    assert (end.outcome, end.error_code) == (Outcome.FAILED, code)
    assert end.reason.endswith(".")


def test_an_empty_scope_fails_with_a_sentence():
    assert run("What were net sales?", Shelf({}))[-1].error_code == "no_documents"


def test_a_question_in_a_script_of_no_terms_here_is_not_answered_with_the_first_nodes(shelf):
    end = run("この会社の売上高はいくらですか", shelf)[-1]
    assert end.outcome is Outcome.NOT_FOUND


def test_multi_byte_text_is_never_cut_inside_a_character():
    text = "Die Gesellschaft zahlte 500 € für Büromöbel. " * 60
    corpus = Shelf({"a": compiled("Bericht", section("Aufwand", paragraph(text)))})
    assert run("Was zahlte die Gesellschaft für Büromöbel?", corpus)[-1].outcome is Outcome.ANSWERED


def test_a_section_title_alone_is_never_evidence():
    corpus = Shelf({"a": compiled("Report", section("Dividends"), section("Other", paragraph("Nothing here.")))})
    end = run("What dividends were paid?", corpus)[-1]
    assert "Dividends" not in end.answer


def test_only_walked_documents_are_opened():
    corpus = Shelf({f"{n}": annual_report(f"Company{n}") for n in range(9)})
    run("What were Company3's net sales in 2019?", corpus, limits=Limits(max_walks=2))
    assert "3" in corpus.opened and len(set(corpus.opened)) <= 2


def test_a_document_that_cannot_be_opened_fails_the_run_with_its_code():
    class Broken(Shelf):
        def open(self, document):
            from vectorless_web.engine.errors import ArtefactDamaged

            raise ArtefactDamaged("The compiled document cannot be read.")

    end = run("What were net sales?", Broken({"a": annual_report()}))[-1]
    assert (end.outcome, end.error_code) == (Outcome.FAILED, "artefact_damaged")


def test_what_was_checked_is_listed_when_nothing_is_found():
    corpus = Shelf(
        {
            "a": compiled(
                "Handbook",
                section("Leave", paragraph("Staff get 25 days of leave a year.")),
                fields=TypedFields(entities=("acme",)),
            )
        }
    )
    end = run("Which turbine did the harbour authority commission in Bergen?", corpus)[-1]
    assert end.outcome is Outcome.NOT_FOUND
    assert end.answer == "" and end.value == ""
