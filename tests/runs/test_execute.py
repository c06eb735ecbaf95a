"""Working on a run: every event stored once, in order, before it is announced; every end stated."""

import re
from dataclasses import replace

import pytest
from django.utils import timezone

from tests.runs.conftest import work
from tests.support.engines import (
    TestEngine,
    build_broken,
    claim,
    complete,
    long_story,
    passages_story,
    step,
)
from tests.support.page_text import visible_text
from vectorless_web.documents.models import Document
from vectorless_web.engine.agent.events import Outcome
from vectorless_web.engine.agent.state import CitedPassage
from vectorless_web.engine.answers.claims import ClaimEvent, Support
from vectorless_web.runs import jobs
from vectorless_web.runs.models import Claim, Run, Step
from vectorless_web.runs.services import claim_run, execute_run

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]


def test_a_run_is_worked_on_until_it_is_answered(make_run, report):
    run = work(make_run(), long_story)

    assert (run.status, run.lease, run.lease_until) == ("answered", "", None)
    assert run.finished_at >= run.started_at
    assert run.answer.markdown == "Revenue was 412 million. [1]"
    assert (run.answer.verdict, run.claims.first().maker) == ("exact", "lookup")
    assert {tuple(step.documents) for step in run.steps.all()} == {(str(report.pk),)}
    assert run.step_count == run.steps.count() == 13
    assert list(run.claims.values_list("order", "state")) == [(0, "checked"), (1, "checked")]
    # Each of the two claims was stored as a draft first: two numbers of the seventeen were used up by that.
    numbers = [*run.steps.values_list("sequence", flat=True), *run.claims.values_list("sequence", flat=True)]
    assert (len(numbers), len(set(numbers)), max(numbers)) == (15, 15, 17)
    cited, version = run.citations.order_by("marker").first(), report.current_version
    assert (cited.quote, cited.page, cited.version) == ("Revenue was 412 million", 1, version)
    assert (cited.sha256, run.citations.count()) == (version.sha256, 2)


@pytest.mark.parametrize(
    ("end", "status", "code", "retryable"),
    [
        ([complete(Outcome.PARTIAL)], "partial", "", False),
        ([complete(Outcome.NOT_FOUND)], "not_found", "", False),
        ([complete(Outcome.CANCELLED)], "cancelled", "", False),
        ([complete(Outcome.FAILED, error_code="provider_timeout", retryable=True)], "failed", "provider_timeout", True),
        ([], "failed", "internal_error", True),
    ],
)
def test_every_end_is_written_with_its_code_and_advice(make_run, end, status, code, retryable):
    run = work(make_run(), [step(0), *end])

    assert (run.status, run.error_code, run.retryable, run.steps.count()) == (status, code, retryable, 1)
    assert run.reason == "It is in the documents." or not end


def test_a_bug_is_written_to_the_run_and_raised(make_run, settings, html, alice):
    settings.ENGINE_FACTORY = f"{build_broken.__module__}.build_broken"
    run = make_run()

    with pytest.raises(RuntimeError):
        jobs.execute_run(run.pk)

    run.refresh_from_db()
    assert (run.status, run.error_code) == ("failed", "internal_error")
    assert "a bug" not in run.reason, "people are not shown the program's inside"
    assert run.steps.count() == 1
    page = visible_text(html(alice, f"/w/{run.workspace.slug}/runs/{run.pk}/"))
    assert re.findall(r"\w+ kept|\w+ again\b", page.split("Something went wrong")[1]) == [
        "are kept",
        "Trying again",
        "Try again",
    ]


def test_a_worker_whose_lease_was_taken_writes_nothing_more(make_run):
    run = make_run()

    def story(document):
        yield step(0, document)
        Run.objects.filter(pk=run.pk).update(lease="somebody else's")
        yield step(1, document)
        yield claim(0, "checked", document)
        yield complete()

    work(run, story)

    run.refresh_from_db()
    assert (run.status, run.lease) == ("running", "somebody else's")
    assert run.steps.count() == 1
    assert not Claim.objects.exists()


def interrupted(run: Run, *told) -> None:
    """An attempt that stores these events and dies."""

    def dies(document):
        yield from told
        Run.objects.filter(pk=run.pk).update(lease="", status="queued", attempt=2)
        yield step(99, document)

    work(run, dies)


def test_a_second_attempt_keeps_the_steps_that_match_and_goes_on(make_run, report):
    """Killed after four steps: the second attempt stores the rest, each step once."""
    run = make_run()
    interrupted(run, *long_story(str(report.pk))[:4])
    kept = list(Step.objects.values_list("pk", "sequence"))
    assert len(kept) == 4

    finished = work(run, long_story)

    assert finished.status == "answered"
    places = list(finished.steps.values_list("walk", "index", "kind"))
    assert len(places) == len(set(places)) == 13
    assert list(finished.steps.values_list("pk", "sequence"))[:4] == kept
    assert finished.step_count == 13


def test_a_second_attempt_that_says_something_else_leaves_nothing_stale(make_run, report):
    run, name = make_run(), str(report.pk)
    interrupted(
        run,
        step(0, name),
        replace(step(1, name), say="Read the wrong note"),
        step(2, name),
        claim(0, "checked", name),
        claim(1, "checked", name, "It grew by 3 %."),
    )
    kept = Step.objects.get(index=0).pk

    work(run, [step(0, name), step(1, name), claim(0, "checked", name), complete()])

    assert list(Step.objects.values_list("index", "say")) == [(0, "Read note 0"), (1, "Read note 1")]
    assert Step.objects.get(index=0).pk == kept
    assert list(Claim.objects.values_list("order", flat=True)) == [0]
    assert Run.objects.get().step_count == 2


def test_what_no_database_takes_is_left_out_of_texts(make_run):
    told = ClaimEvent(0, "Nul \0 and half a pair \ud83d.", "checked", Support.SUPPORTED)

    work(make_run(), [told, complete()])

    assert Claim.objects.get().text == "Nul  and half a pair ?."


def test_closest_passages_are_stored_whole_with_words_that_stand_nowhere(make_run):
    run = work(make_run(), passages_story)

    first, second = run.citations.order_by("marker")
    assert (first.claim, first.quote) == (None, "Revenue was 412 million.")
    shown = first.passage
    assert shown["text"][shown["lit_start"] : shown["lit_end"]] == first.quote
    assert (shown["kind"], shown["path"], shown["holds"]) == ("paragraph", ["Report", "Revenue"], ["revenue"])
    assert (second.passage["rows"], second.passage["lit_row"]) == ([["Year", "Revenue"], ["2024", "412"]], 1)
    assert (run.status, run.answer.unknown_words, run.answer.verdict) == ("passages", ["penalty"], "")


class TestFollowUps:
    def told_to(self, run: Run):
        """Work on a run with an engine that notes the conversation it was given."""
        told = []

        class Noting:
            def run(self, question, corpus, limits, *, cancelling, conversation):
                told.append(conversation)
                yield complete()

        execute_run(claim_run(run.pk), engine=TestEngine(Noting()))
        return told[0]

    def test_a_follow_up_gets_questions_answers_and_what_was_cited_in_order(self, make_run, report):
        first = work(make_run(question="What was revenue in 2024?"), long_story)
        second = work(make_run(question="And in 2023?", thread=first.thread), passages_story)
        make_run(question="And costs?", thread=first.thread, status="failed")
        Claim.objects.filter(run=first, order=1).update(support="unsupported")

        third = make_run(question="And in 2022?", thread=first.thread)
        told = self.told_to(third)

        assert [row.question for row in told.exchanges] == ["What was revenue in 2024?", "And in 2023?"]
        assert [row.answer for row in told.exchanges] == ["Revenue was 412 million. [1]", ""]
        cited = CitedPassage(str(report.pk), 1, 0, "Revenue was 412 million")
        assert [row.cited for row in told.exchanges] == [(cited,), ()]
        assert told.documents == (str(report.pk),)
        assert report in third.named.all()
        assert second.inputs.previous["exchanges"][0]["question"] == first.question

    def test_what_a_deleted_document_said_is_not_passed_on(self, make_run, report):
        first = work(make_run(question="What was revenue?"), long_story)
        Document.objects.filter(pk=report.pk).update(deleted_at=timezone.now())

        assert self.told_to(make_run(thread=first.thread)).exchanges[0].cited == ()
