"""Evaluating a set: every question asked once, behind what people ask, and scored as its run ends."""

import django_rq
import pytest

from tests.support.compiled import compiled_document
from vectorless_web.evaluations import services
from vectorless_web.evaluations.models import Evaluation, GoldenSet, Result
from vectorless_web.evaluations.reading import Typed
from vectorless_web.evaluations.selectors import questions_of, results_of, summarise, trust_in
from vectorless_web.infra.web.problems import Problem
from vectorless_web.runs.models import Run
from vectorless_web.runs.services import cancel_run, start_run
from vectorless_web.workspaces.models import LexiconEntry

pytestmark = pytest.mark.django_db(transaction=True)


def start(golden_set: GoldenSet, user, **values) -> Evaluation:
    return services.start_evaluation(user=user, golden_set=golden_set, **values)


def reload(evaluation: Evaluation) -> Evaluation:
    return Evaluation.objects.get(pk=evaluation.pk)


def test_each_question_is_asked_and_scored(golden_set, alice, work_off):
    evaluation = start(golden_set, alice)
    work_off("background")

    summary = summarise(evaluation)
    assert reload(evaluation).state == "ended"
    assert (summary.right.right, summary.right.total, summary.failed) == (2, 2, 0)
    assert (summary.value.right, summary.page.right, summary.abstained.right) == (1, 1, 1)
    assert [(name, tally.right) for name, tally in summary.verdicts] == [("Exact", 1)]
    assert trust_in([golden_set.workspace_id])[0].label == evaluation.label


def test_its_questions_wait_behind_a_person_s(golden_set, alice, workspace):
    start(golden_set, alice)
    asked = start_run(user=alice, workspace=workspace, question="What is the leave?")

    assert [job.args[0] for job in django_rq.get_queue("runs").jobs] == [asked.pk]
    assert Run.objects.filter(purpose="evaluation").count() == 2


def test_no_question_is_asked_twice_after_a_crash(golden_set, alice, work_off):
    evaluation = start(golden_set, alice)
    # As if the process had died before it asked the second question.
    second = evaluation.results.last()
    Result.objects.filter(pk=second.pk).update(state="waiting", run=None)
    Run.objects.get(pk=second.run_id).delete()

    assert (services.recover_evaluations(), services.recover_evaluations()) == (1, 0)
    work_off("background")

    assert reload(evaluation).state == "ended"
    assert Run.objects.filter(purpose="evaluation").count() == 2
    assert set(evaluation.results.values_list("state", flat=True)) == {"scored"}


def test_a_run_that_ended_unseen_is_scored_by_the_sweep(golden_set, alice, work_off, settings):
    evaluation = start(golden_set, alice)
    settings.RUN_ENDED = {"evaluation": "builtins.id"}
    work_off("background")
    assert set(evaluation.results.values_list("state", flat=True)) == {"asked"}

    services.recover_evaluations()
    assert (reload(evaluation).state, summarise(evaluation).right.total) == ("ended", 2)


def test_a_stopped_evaluation_goes_on_where_it_was(golden_set, alice, work_off):
    evaluation = start(golden_set, alice)
    services.stop_evaluation(user=alice, evaluation=evaluation)
    assert set(evaluation.results.values_list("state", flat=True)) == {"waiting"}

    services.resume_evaluation(user=alice, evaluation=evaluation)
    work_off("background")

    assert (reload(evaluation).state, summarise(evaluation).right.total) == ("ended", 2)


def test_a_run_that_is_stopped_by_hand_leaves_its_question_to_be_asked(golden_set, alice, work_off):
    evaluation = start(golden_set, alice)
    cancel_run(user=alice, run=Run.objects.filter(purpose="evaluation").first())
    work_off("background")

    assert (reload(evaluation).state, summarise(evaluation).right.total) == ("ended", 2)


def test_a_question_whose_document_is_gone_fails_with_its_reason(golden_set, alice, report, work_off):
    report.delete()
    start(golden_set, alice)
    work_off("background")

    assert all("document" in problem.lower() for problem in Result.objects.values_list("problem", flat=True))
    assert summarise(Evaluation.objects.get()).failed == 2


def test_one_evaluation_of_a_set_at_a_time_and_none_of_an_empty_set_or_by_an_unknown_answerer(
    workspace, golden_set, alice
):
    empty = services.make_set(user=alice, workspace=workspace, name="Empty")
    with pytest.raises(Problem, match="no question yet"):
        start(empty, alice)
    with pytest.raises(Problem, match="no longer offered"):
        start(golden_set, alice, answerer="provider:99")

    start(golden_set, alice)
    with pytest.raises(Problem, match="being evaluated"):
        start(golden_set, alice)


def test_a_set_that_follows_changes_is_evaluated_when_the_lexicon_changes(golden_set, alice, work_off):
    services.set_schedule(user=alice, golden_set=golden_set, schedule="change")
    assert services.evaluate_on_schedule() == 1
    work_off("background")
    assert services.evaluate_on_schedule() == 0

    LexiconEntry.objects.create(workspace=golden_set.workspace, concept="ships", phrases=["vessels"])
    assert services.evaluate_on_schedule() == 1
    assert Evaluation.objects.first().trigger == "change"


def test_a_golden_question_on_a_closed_folder_is_nobody_else_s(golden_set, alice, bob, report, workspace, work_off):
    from vectorless_web.documents.models import Folder, FolderGrant

    asked = Typed("What was capital expenditure?", value="$31 million", pages=("report.md: 1",))
    services.add_questions(user=alice, golden_set=golden_set, rows=[asked])
    evaluation = start(golden_set, alice)
    work_off("background")
    report.folder = Folder.objects.create(workspace=workspace, name="Board", restricted=True)
    FolderGrant.objects.create(folder=report.folder, user=alice)
    report.save()

    assert results_of(evaluation, alice).count() == 3
    assert results_of(evaluation, bob).count() == 0
    assert (questions_of(golden_set, alice).count(), questions_of(golden_set, bob).count()) == (3, 0)


def test_a_finished_run_becomes_a_golden_question_unless_it_is_private(golden_set, alice, workspace, work_off):
    run = start_run(user=alice, workspace=workspace, question="What was capital expenditure in 2024?")
    work_off("runs")
    golden = services.keep_run(user=alice, golden_set=golden_set, run=Run.objects.get(pk=run.pk))

    assert "31" in golden.value
    assert [place[1] for place in golden.places] == [0]
    assert golden.run_id == run.pk

    run = start_run(user=alice, workspace=workspace, question="What was capital expenditure in 2024?")
    work_off("runs")
    Run.objects.filter(pk=run.pk).update(private=True)
    with pytest.raises(Problem, match="Share it first"):
        services.keep_run(user=alice, golden_set=golden_set, run=Run.objects.get(pk=run.pk))


def test_a_name_that_two_documents_have_is_refused(golden_set, alice, workspace):
    compiled_document(workspace, alice, b"# Another\n\nText of the other one.", name="report.md")
    with pytest.raises(Problem, match="Two documents"):
        services.add_questions(user=alice, golden_set=golden_set, rows=[Typed("What?", ("report.md",), value="1")])
