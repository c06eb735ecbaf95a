"""Making sets and golden questions, evaluating a set, and scoring each run as it ends."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from datetime import timedelta
from functools import partial
from typing import Any, TypedDict, Unpack

from django.db import transaction
from django.db.models import Count, F, Q
from django.utils import timezone

from vectorless_web.documents.models import Document, DocumentVersion
from vectorless_web.engine.errors import ModelAuth, ModelRateLimited, ModelUnreachable
from vectorless_web.engine.llm.budget import BUDGET_SHORT
from vectorless_web.evaluations.models import Evaluation, GoldenQuestion, GoldenSet, Result
from vectorless_web.evaluations.reading import Resolved, Resolver, Typed
from vectorless_web.evaluations.scoring import Given, Place, score_answer
from vectorless_web.evaluations.selectors import compare_evaluations
from vectorless_web.infra import happenings
from vectorless_web.infra.limits import TITLE_MAX
from vectorless_web.infra.queues.jobs import STARTING_SECONDS, enqueue, find_lost_jobs
from vectorless_web.infra.web.problems import Problem
from vectorless_web.notices.models import Kind
from vectorless_web.notices.services import notify
from vectorless_web.runs.line import BACKGROUND_QUEUE
from vectorless_web.runs.models import Citation, Run
from vectorless_web.runs.selectors import Answerer, answerers_of, is_unrestricted
from vectorless_web.runs.services import cancel_run, program_digest, start_background_run
from vectorless_web.workspaces.models import Role, Workspace
from vectorless_web.workspaces.selectors import User, lexicon_rows, role_in
from vectorless_web.workspaces.services import delete_and_record, record

AT_ONCE = 8
"""Questions of one evaluation that wait or run at once: enough for all workers, few enough to stop quickly."""
SETS_MAX, QUESTIONS_MAX = 200, 20_000
"""Sets of a workspace and questions of a set."""
JUDGE_JOB, JUDGE_SECONDS = "vectorless_web.evaluations.jobs.judge_result", 300
"""The job that has one answer judged, and the seconds that it may take."""
SILENT = (ModelUnreachable.code, ModelAuth.code, ModelRateLimited.code)
"""Errors of a model that tell nothing of what it would have answered."""
EVERY = {GoldenSet.Schedule.DAY: timedelta(days=1), GoldenSet.Schedule.WEEK: timedelta(weeks=1)}


def make_set(*, user: User, workspace: Workspace, name: str) -> GoldenSet:
    """A new, empty set. Problem (422) when its name is empty or taken."""
    name = " ".join(name.replace("\0", "").split())[:TITLE_MAX]
    if not name:
        raise Problem("The set has no name.", remedy="Give it one first.", code="name_empty")
    if workspace.golden_sets.count() >= SETS_MAX:
        raise Problem(f"A workspace has at most {SETS_MAX} sets.", remedy="Delete one first.", code="too_many_sets")
    made, is_new = GoldenSet.objects.get_or_create(workspace=workspace, name=name, defaults={"created_by_id": user.pk})
    if not is_new:
        raise Problem("There is a set of this name already.", remedy="Choose another.", code="name_taken")
    record(actor=user, verb="golden_set.made", workspace=workspace, target=made, name=name)
    return made


@transaction.atomic
def delete_set(*, user: User, golden_set: GoldenSet) -> None:
    """Delete a set with its questions and evaluations; the runs of those go too."""
    runs = Run.objects.filter(result__evaluation__golden_set=golden_set)
    if runs.filter(status__in=Run.OPEN).exists():
        raise Problem(
            "An evaluation of this set is running.", remedy="Stop it first.", code="still_running", status=409
        )
    runs.delete()
    delete_and_record(golden_set, actor=user, verb="golden_set.deleted", workspace=golden_set.workspace)


def set_schedule(*, user: User, golden_set: GoldenSet, schedule: str) -> None:
    """When the set is evaluated by itself."""
    if schedule not in GoldenSet.Schedule.values:
        raise Problem("That is none of the times offered.", remedy="Choose one of them.", code="invalid_input")
    GoldenSet.objects.filter(pk=golden_set.pk).update(schedule=schedule)
    record(
        actor=user,
        verb="golden_set.scheduled",
        workspace=golden_set.workspace,
        target=golden_set,
        details={"schedule": schedule or "never"},
    )


def add_questions(
    *, user: User, golden_set: GoldenSet, rows: Sequence[Typed], run: Run | None = None
) -> list[GoldenQuestion]:
    """Store questions that were typed or imported, all or none. Problem (422) names the row at fault.

    `run` is the one that they were made from.
    """
    resolver = Resolver(golden_set.workspace, user)
    if golden_set.questions.count() + len(rows) > QUESTIONS_MAX:
        raise Problem(
            f"A set holds at most {QUESTIONS_MAX:,} questions.",
            remedy="Make another set for the rest.",
            code="too_many_questions",
        )
    found: list[Resolved] = []
    for number, typed in enumerate(rows, 1):
        try:
            found.append(resolver.resolve(typed))
        except Problem as problem:
            place = f"Question {number}: " if len(rows) > 1 else ""
            raise Problem(f"{place}{problem.cause}", remedy=problem.remedy, code=problem.code) from problem
    with transaction.atomic():
        made = GoldenQuestion.objects.bulk_create(
            GoldenQuestion(golden_set=golden_set, run=run, created_by_id=user.pk, **each.values) for each in found
        )
        pairs = list(zip(made, found, strict=True))
        _link(GoldenQuestion.documents.through, ((golden, each.documents) for golden, each in pairs))
        _link(GoldenQuestion.named.through, ((golden, each.named) for golden, each in pairs))
        record(
            actor=user,
            verb="golden_questions.added",
            workspace=golden_set.workspace,
            target=golden_set,
            details={"questions": len(made)},
        )
    return made


def _link(links: Any, rows: Iterable[tuple[GoldenQuestion, Iterable[Document]]]) -> None:
    """Store the documents of many questions, in the table `links`, at once."""
    links.objects.bulk_create(
        links(goldenquestion_id=golden.pk, document_id=document.pk) for golden, each in rows for document in each
    )


def change_question(*, user: User, golden: GoldenQuestion, typed: Typed) -> None:
    """Store what is expected anew. Results that were scored do not change."""
    resolved = Resolver(golden.golden_set.workspace, user).resolve(typed)
    with transaction.atomic():
        GoldenQuestion.objects.filter(pk=golden.pk).update(**resolved.values)
        golden.documents.set(resolved.documents)
        golden.named.set(resolved.named)
        workspace = golden.golden_set.workspace
        record(actor=user, verb="golden_question.changed", workspace=workspace, target=golden)


def delete_question(*, user: User, golden: GoldenQuestion) -> None:
    """Delete a golden question with its results."""
    golden_set = golden.golden_set
    delete_and_record(golden, actor=user, verb="golden_question.deleted", workspace=golden_set.workspace)


def type_from_run(run: Run) -> Typed:
    """A finished run as a golden question: what it answered is what is expected, until somebody changes it.

    Problem (422) for a run that has not ended, and for one that not every member may see.
    """
    if run.status not in Run.CONCLUDED:
        raise Problem("This run has no result to keep.", remedy="Ask it again first.", code="no_result")
    if run.private or not is_unrestricted(run):
        sentence = "Not every member may see this run, and golden questions are everybody's."
        raise Problem(sentence, remedy="Share it first.", code="run_not_open")
    names = () if run.whole_workspace else tuple(run.documents.values_list("name", flat=True))
    if not run.has_answer:
        return Typed(run.question, names, is_absent=True)
    given = read_given(run)
    rows = run.citations.exclude(claim=None).exclude(version=None).values_list("version__document__name", "page_index")
    pages = tuple(dict.fromkeys(f"{name}: {page + 1}" for name, page in rows.order_by("marker")))
    sentences = run.claims.exclude(support="unsupported").order_by("order").values_list("text", flat=True)
    return Typed(run.question, names, text=" ".join(sentences), value=given.value, pages=pages)


def keep_run(*, user: User, golden_set: GoldenSet, run: Run) -> GoldenQuestion:
    """Add a finished run to a set. Problem (422) as `type_from_run` and `add_questions` raise it."""
    return add_questions(user=user, golden_set=golden_set, rows=[type_from_run(run)], run=run)[0]


class Setting(TypedDict, total=False):
    """What a set is asked under; what is left out is as the workspace has it. `judge` is "" for nobody."""

    answerer: str
    max_steps: int | None
    expand: bool
    judge: str


def start_evaluation(
    *, user: User, golden_set: GoldenSet, trigger: str = Evaluation.Trigger.HAND, **setting: Unpack[Setting]
) -> Evaluation:
    """Ask all questions of a set, under one setting, behind everything that people ask.

    Problem (422) for an empty set or a model that is not offered, 409 while one of the set is running.
    """
    workspace = golden_set.workspace
    chosen = _find_offered(workspace, setting.get("answerer", ""))
    judge = _find_offered(workspace, setting["judge"]) if setting.get("judge") else None
    with transaction.atomic():
        GoldenSet.objects.select_for_update().get(pk=golden_set.pk)
        if golden_set.evaluations.filter(state=Evaluation.State.RUNNING).exists():
            sentence = "This set is being evaluated."
            raise Problem(sentence, remedy="Wait for its end, or stop it.", code="still_running", status=409)
        questions = list(golden_set.questions.values_list("pk", flat=True))
        if not questions:
            raise Problem("This set has no question yet.", remedy="Add one first.", code="set_empty")
        made = Evaluation.objects.create(
            golden_set=golden_set,
            answerer=chosen.value,
            label=chosen.label,
            max_steps=setting.get("max_steps"),
            expand=setting.get("expand", True),
            judge=judge.value if judge and judge.model else "",
            judge_label=judge.label if judge and judge.model else "",
            trigger=trigger,
            setting=digest_setting(workspace, chosen.label),
            asked_by_id=user.pk,
        )
        Result.objects.bulk_create(Result(evaluation=made, golden_id=pk) for pk in questions)
        details = {"set": golden_set.name, "questions": len(questions), "answerer": chosen.label}
        record(actor=user, verb="evaluation.started", workspace=workspace, target=made, details=details)
        transaction.on_commit(lambda: ask_next(made.pk))
    return made


def _find_offered(workspace: Workspace, value: str) -> Answerer:
    offered = answerers_of(workspace)
    chosen = next((row for row in offered if row.value == value), None if value else offered[0])
    if chosen is None:
        raise Problem(
            "The model that was chosen is no longer offered.", remedy="Choose another.", code="unknown_answerer"
        )
    return chosen


def digest_setting(workspace: Workspace, label: str) -> str:
    """What answers depend on, in 64 characters: the program, who answers, the lexicon, the newest documents."""
    ready = DocumentVersion.objects.filter(document__workspace=workspace, document__deleted_at=None)
    versions = ready.filter(status=DocumentVersion.Status.READY, document__current_version=F("pk"))
    facts = [program_digest(), label, lexicon_rows(workspace), sorted(versions.values_list("pk", flat=True))]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def ask_next(evaluation_id: int) -> int:
    """Ask as many waiting questions of an evaluation as may run at once; end it when none is left. How many.

    Each question is taken by a conditional UPDATE together with its run, so that none is asked twice, whoever calls.
    """
    evaluation = Evaluation.objects.select_related("golden_set__workspace", "asked_by").get(pk=evaluation_id)
    if evaluation.state != Evaluation.State.RUNNING:
        return 0
    asked, under_way = 0, evaluation.results.filter(state__in=Result.UNDER_WAY)
    while under_way.count() < AT_ONCE:
        waiting = evaluation.results.filter(state=Result.State.WAITING).select_related("golden").first()
        if waiting is None:
            break
        asked += _ask(evaluation, waiting)
    if not evaluation.results.filter(state__in=(Result.State.WAITING, *Result.UNDER_WAY)).exists():
        _end(evaluation)
    return asked


@transaction.atomic
def _end(evaluation: Evaluation) -> None:
    """End it and tell the event evaluation.finished, once, whoever comes here."""
    open_still = Evaluation.objects.filter(pk=evaluation.pk, state=Evaluation.State.RUNNING)
    if open_still.update(state=Evaluation.State.ENDED, ended_at=timezone.now()):
        rows = evaluation.results.order_by()
        counts = rows.aggregate(questions=Count("pk"), right=Count("pk", filter=Q(right=True)))
        about = {"evaluation": evaluation.pk, "golden_set": evaluation.golden_set_id, **counts}
        happenings.tell("evaluation.finished", workspace_id=evaluation.golden_set.workspace_id, about=about)
        _tell_when_worse(evaluation)


def _tell_when_worse(evaluation: Evaluation) -> None:
    """Notify who asks when the same answerer lost more questions than it won since its last evaluation of the set."""
    ended = evaluation.golden_set.evaluations.filter(state=Evaluation.State.ENDED, pk__lt=evaluation.pk)
    before = ended.filter(answerer=evaluation.answerer).order_by("-pk").first()
    if before is None or evaluation.asked_by is None:
        return
    change = compare_evaluations(before, evaluation, evaluation.asked_by)
    if len(change.broken) > len(change.fixed):
        notify(
            people=[evaluation.asked_by.pk],
            kind=Kind.EVALUATION_WORSE,
            workspace_id=evaluation.golden_set.workspace_id,
            about=evaluation.pk,
            more={"details": {"broken": len(change.broken), "fixed": len(change.fixed)}},
        )


def _ask(evaluation: Evaluation, result: Result) -> bool:
    """Ask one question; false when somebody else has taken it or it cannot be asked."""
    user, workspace = evaluation.asked_by, evaluation.golden_set.workspace
    row = Result.objects.filter(pk=result.pk, state=Result.State.WAITING)
    documents = list(result.golden.documents.values_list("pk", flat=True))
    try:
        if user is None or not may_evaluate(workspace, user):
            sentence = "Whoever started this evaluation may not ask here any more."
            raise Problem(sentence, remedy="Start another.", code="asker_gone")
        with transaction.atomic():
            if not row.update(state=Result.State.ASKED):
                return False
            run = start_background_run(
                user=user,
                workspace=workspace,
                purpose=Run.Purpose.EVALUATION,
                question=result.golden.question,
                documents=documents or None,
                answerer=evaluation.answerer,
                max_steps=evaluation.max_steps,
                expand=evaluation.expand,
                restricted=bool(documents),
            )
            Result.objects.filter(pk=result.pk).update(run=run)
    except Problem as problem:
        row.update(state=Result.State.FAILED, problem=problem.message)
        return False
    return True


def may_evaluate(workspace: Workspace, user: User) -> bool:
    """Whether a user may start evaluations here: editors and owners."""
    role = role_in(workspace, user)
    return bool(role) and Role(role).covers(Role.EDITOR)


def take_end(run: Run) -> None:
    """Score a run that has ended. Called in the transaction that ends it; the next question follows its commit."""
    result = Result.objects.select_related("golden", "evaluation").filter(run=run, state=Result.State.ASKED).first()
    if result is None:
        return
    held = Result.objects.filter(pk=result.pk, state=Result.State.ASKED)
    problem = _find_silence(run)
    if problem or run.status == Run.Status.CANCELLED:
        held.update(state=Result.State.WAITING, run=None)
    elif run.status not in Run.CONCLUDED:
        held.update(state=Result.State.FAILED, problem=run.reason)
    else:
        values = _score(run, result)
        if result.evaluation.judge and values["is_answer"] and result.golden.is_prose:
            values["state"] = Result.State.JUDGING
            enqueue_judging(result.pk)
        held.update(**values)
    act = partial(stop_for, result.evaluation, problem) if problem else partial(ask_next, result.evaluation_id)
    transaction.on_commit(act)


def _find_silence(run: Run) -> str:
    """Why the model was not heard in this run, which says nothing of its answers then; "" when it was."""
    last = run.model_calls.order_by("pk").last()
    return last.error if last is not None and is_silence(last.error_code, last.error) else ""


def is_silence(code: str, message: str) -> bool:
    """Whether an error means that no model was asked: it is away, or the budget does not pay for it."""
    return code in SILENT or message == BUDGET_SHORT


def enqueue_judging(result_id: int) -> None:
    """Have an answer judged, once the transaction commits."""
    enqueue(JUDGE_JOB, result_id, queue=BACKGROUND_QUEUE, job_id=f"judge-{result_id}", seconds=JUDGE_SECONDS)


def _score(run: Run, result: Result) -> dict[str, Any]:
    given = read_given(run)
    score = score_answer(given, result.golden.expectation())
    seconds = (run.finished_at - run.started_at).total_seconds() if run.finished_at and run.started_at else 0.0
    return {
        "state": Result.State.SCORED,
        "is_answer": given.is_answer,
        "right": score.right,
        "value_right": score.value_right,
        "words_right": score.words_right,
        "page_right": score.page_right,
        "precision": score.precision,
        "recall": score.recall,
        "verdict": given.verdict,
        "tokens": run.tokens,
        "cost_usd": run.cost_usd,
        "seconds": seconds,
    }


def read_given(run: Run) -> Given:
    """What a run that has ended shows: its answer with citations, else its closest passages."""
    answer = getattr(run, "answer", None)
    shown = Citation.objects.filter(run=run, version__isnull=False).exclude(claim__support="unsupported")
    rows = shown.filter(Q(claim__isnull=False) if run.has_answer else Q(claim__isnull=True)).order_by("marker", "pk")
    places = dict.fromkeys(rows.values_list("version__document", "page_index", "quote"))
    cited = tuple(Place(str(document), page, quote) for document, page, quote in places)
    if answer is None or not run.has_answer:
        return Given(False, cited=cited)
    return Given(True, answer.markdown, answer.value, answer.verdict, cited)


def stop_for(evaluation: Evaluation, problem: str) -> None:
    """Stop an evaluation whose model is not heard, in the name of who started it."""
    if evaluation.asked_by is not None:
        stop_evaluation(user=evaluation.asked_by, evaluation=evaluation, problem=problem)


def stop_evaluation(*, user: User, evaluation: Evaluation, problem: str = "") -> None:
    """Stop asking. What was scored is kept, and the evaluation can go on later. `problem` is why, unless by hand."""
    running = Evaluation.objects.filter(pk=evaluation.pk, state=Evaluation.State.RUNNING)
    if not running.update(state=Evaluation.State.STOPPED, problem=problem):
        return
    open_runs = Run.objects.filter(result__evaluation=evaluation, status__in=Run.OPEN)
    for run in open_runs.select_related("workspace"):
        cancel_run(user=user, run=run)
    workspace = evaluation.golden_set.workspace
    record(actor=user, verb="evaluation.stopped", workspace=workspace, target=evaluation, details={"problem": problem})


def resume_evaluation(*, user: User, evaluation: Evaluation) -> None:
    """Go on with a stopped evaluation, and ask again what failed; nothing that was scored is asked twice."""
    golden_set = evaluation.golden_set
    others = golden_set.evaluations.filter(state=Evaluation.State.RUNNING).exclude(pk=evaluation.pk)
    if others.exists():
        raise Problem(
            "Another evaluation of this set is running.", remedy="Stop it first.", code="still_running", status=409
        )
    with transaction.atomic():
        evaluation.results.filter(state=Result.State.FAILED).update(state=Result.State.WAITING, run=None, problem="")
        values = {"state": Evaluation.State.RUNNING, "ended_at": None, "asked_by": user.pk, "problem": ""}
        Evaluation.objects.filter(pk=evaluation.pk).exclude(state=Evaluation.State.RUNNING).update(**values)
        record(actor=user, verb="evaluation.resumed", workspace=golden_set.workspace, target=evaluation)
        for pk in evaluation.results.filter(state=Result.State.JUDGING).values_list("pk", flat=True):
            enqueue_judging(pk)
        transaction.on_commit(lambda: ask_next(evaluation.pk))


def recover_evaluations() -> int:
    """Called by the sweep: go on where a process died between two questions; how many were asked."""
    running = Evaluation.objects.filter(state=Evaluation.State.RUNNING)
    # A run that was deleted, or ended while nobody could be told, leaves its question to be asked.
    lost = Result.objects.filter(evaluation__in=running, state=Result.State.ASKED)
    lost.filter(run=None).update(state=Result.State.WAITING)
    for result in lost.filter(run__status__in=Run.ENDED).select_related("run"):
        if result.run is not None:
            take_end(result.run)
    # One that has just begun to wait may be about to get its job.
    since = timezone.now() - timedelta(seconds=STARTING_SECONDS)
    judging = Result.objects.filter(evaluation__in=running, state=Result.State.JUDGING, run__finished_at__lt=since)
    named = {f"judge-{pk}": pk for pk in judging.values_list("pk", flat=True)}
    for name in find_lost_jobs(list(named), queue=BACKGROUND_QUEUE):
        enqueue_judging(named[name])
    return sum(ask_next(pk) for pk in running.values_list("pk", flat=True))


def evaluate_on_schedule() -> int:
    """Called every hour: evaluate the sets whose time has come or whose setting changed; how many."""
    started = 0
    rows = GoldenSet.objects.exclude(schedule="").exclude(created_by=None)
    for golden_set in rows.filter(workspace__deleted_at=None).select_related("workspace", "created_by"):
        trigger = _find_trigger(golden_set)
        if trigger and golden_set.created_by is not None:
            try:
                start_evaluation(user=golden_set.created_by, golden_set=golden_set, trigger=trigger)
            except Problem:
                continue
            started += 1
    return started


def _find_trigger(golden_set: GoldenSet) -> str:
    last = golden_set.evaluations.first()
    if last is not None and last.state == Evaluation.State.RUNNING:
        return ""
    if golden_set.schedule == GoldenSet.Schedule.CHANGE:
        label = answerers_of(golden_set.workspace)[0].label
        is_new = last is None or last.setting != digest_setting(golden_set.workspace, label)
        return Evaluation.Trigger.CHANGE if is_new else ""
    every = EVERY[GoldenSet.Schedule(golden_set.schedule)]
    return Evaluation.Trigger.SCHEDULE if last is None or last.created_at <= timezone.now() - every else ""
