"""Runs that grids and evaluations make: they wait behind nobody's questions, and no list of questions shows them."""

import django_rq
import pytest
from django.urls import reverse

from tests.runs.conftest import work
from tests.support.engines import long_story, passages_story
from vectorless_web.notices.models import Notice
from vectorless_web.runs.line import BACKGROUND_QUEUE, QUEUE, is_waited_behind
from vectorless_web.runs.models import Run, Step
from vectorless_web.runs.selectors import asked_runs
from vectorless_web.runs.services import start_background_run, start_run

pytestmark = pytest.mark.django_db(transaction=True)

ended: list[tuple[int, str]] = []


def note_end(run: Run) -> None:
    ended.append((run.pk, run.status))


@pytest.fixture
def cell(workspace, bob, report) -> Run:
    return start_background_run(
        user=bob, workspace=workspace, purpose=Run.Purpose.CELL, question="What was revenue?", documents=[report.pk]
    )


def waiting(queue: str) -> list[int]:
    return [job.args[0] for job in django_rq.get_queue(queue).jobs]


def test_a_cell_waits_in_a_line_of_its_own(cell, workspace, bob):
    asked = start_run(user=bob, workspace=workspace, question="And the costs?")

    assert (waiting(QUEUE), waiting(BACKGROUND_QUEUE)) == ([asked.pk], [cell.pk])


def test_a_turn_of_cells_ends_for_another_person_alone(cell, workspace, bob, alice, report):
    def ask(user) -> Run:
        purpose = Run.Purpose.CELL
        return start_background_run(user=user, workspace=workspace, purpose=purpose, question="And the costs?")

    ask(bob)
    assert not is_waited_behind(cell.pk)
    ask(alice)
    assert is_waited_behind(cell.pk)


def test_the_steps_of_a_cell_are_stored_together_and_those_of_a_question_as_they_come(cell, workspace, bob, report):
    asked = start_run(user=bob, workspace=workspace, question="And the costs?")
    seen: dict[int, list[int]] = {}

    def tell(run: Run):
        def story(document: str):
            for event in passages_story(document):
                seen.setdefault(run.pk, []).append(Step.objects.filter(run=run).count())
                yield event

        return story

    for run in (cell, asked):
        work(run, tell(run))

    assert (seen[cell.pk], seen[asked.pk]) == ([0, 0, 0], [0, 1, 2])
    assert (cell.steps.count(), asked.steps.count()) == (2, 2)


def test_a_cell_is_in_no_list_and_its_page_opens(cell, workspace, bob, client):
    client.force_login(bob)

    assert not asked_runs(bob.pk, [workspace.pk]).exists()
    assert cell.question not in client.get(reverse("runs:list", args=[workspace.slug])).content.decode()
    assert client.get(reverse("runs:detail", args=[workspace.slug, cell.pk])).status_code == 200


def test_the_end_of_a_cell_is_told_to_its_app_and_not_to_its_asker(cell, settings, bob, client):
    settings.RUN_ENDED = {"cell": f"{__name__}.note_end"}
    client.force_login(bob)
    ended.clear()

    work(cell, long_story)

    assert ended == [(cell.pk, "answered")]
    assert not Notice.objects.exists()
