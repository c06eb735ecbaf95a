"""Golden sets and evaluations: list, make, add questions, start, stop, go on, read the scores."""

from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Query, Router, Schema, Status
from pydantic import Field

from vectorless_web.api.authentication import Bearer
from vectorless_web.api.models import Scope
from vectorless_web.api.replies import Number, Paged, PageOut, PageQuery, once, take_page
from vectorless_web.api.routes.places import ForEditor, ForViewer
from vectorless_web.api.routes.schemas import NO_NUL, NamedOut, ShortText
from vectorless_web.engine.questions.plan import QUESTION_MAX
from vectorless_web.evaluations import exports, selectors, services
from vectorless_web.evaluations.models import Evaluation
from vectorless_web.evaluations.reading import PARTS_MAX, TEXT_MAX, Typed, check_typed, write_row
from vectorless_web.infra.limits import STEPS_MAX, STEPS_MIN
from vectorless_web.workspaces.models import Role

router = Router(tags=["Evaluations"])
SETS = "/workspaces/{slug:slug}/golden-sets"
SET = SETS + "/{golden_set}"
ONE = "/workspaces/{slug:slug}/evaluations/{evaluation}"
Parts = Annotated[tuple[ShortText, ...], Field(max_length=PARTS_MAX)]
Only = Annotated[str, Query(max_length=10, pattern=NO_NUL)]
Long = Annotated[str, Field(max_length=TEXT_MAX, pattern=NO_NUL)]


class GoldenIn(Schema):
    """A golden question; documents go by title or file name, pages as "14" or "report.pdf: 14, 15"."""

    question: Annotated[str, Field(min_length=1, max_length=QUESTION_MAX, pattern=NO_NUL)]
    documents: Parts = ()
    text: Long = ""
    value: ShortText = ""
    mentions: Parts = ()
    pages: Parts = ()
    quote: Long = ""
    is_absent: bool = False
    tags: Parts = ()


class QuestionsIn(Schema):
    """Questions that are added together."""

    questions: Annotated[list[GoldenIn], Field(min_length=1, max_length=500)]


class SetIn(Schema):
    """A new set's name."""

    name: ShortText


class SetOut(NamedOut):
    """A set, how many questions it has, and its newest evaluation."""

    questions: int
    last_evaluation: int | None


class StartIn(Schema):
    """Under which setting a set is asked; what is left out is as the workspace has it."""

    answerer: Annotated[str, Field(max_length=60, pattern=NO_NUL)] = ""
    max_steps: Annotated[int | None, Field(ge=STEPS_MIN, le=STEPS_MAX)] = None
    expand: bool = True
    judge: Annotated[str, Field(max_length=60, pattern=NO_NUL)] = ""


class EvaluationOut(Schema):
    """An evaluation: `asked` questions were scored, `failed` ones could not be asked or answered."""

    id: int
    golden_set: int
    label: str
    state: str
    problem: str
    trigger: str
    questions: int
    asked: int
    failed: int
    right: int
    created_at: datetime
    ended_at: datetime | None


class ScoredOut(EvaluationOut):
    """An evaluation with its figures by name; a tally is {right, of}."""

    figures: dict[str, Any]


def show_evaluation(found: Evaluation) -> dict[str, Any]:
    """An evaluation with its figures."""
    summary = selectors.summarise(found)
    names = ("label", "state", "problem", "trigger", "created_at", "ended_at")
    return {
        "id": found.pk,
        "golden_set": found.golden_set_id,
        **{name: getattr(found, name) for name in names},
        **{name: getattr(summary, name) for name in ("questions", "asked", "failed")},
        "right": summary.right.right,
        "figures": exports.figures_of(summary),
    }


@router.get(SETS, response=list[SetOut])
def list_sets(request: HttpRequest, workspace: ForViewer) -> list[dict[str, Any]]:
    """The golden sets of a workspace by name."""
    rows: Any = selectors.sets_in(workspace)
    return [_show_set(row, row.question_count, row.last) for row in rows]


def _show_set(row: Any, questions: int, last: Evaluation | None) -> dict[str, Any]:
    return {"id": row.pk, "name": row.name, "questions": questions, "last_evaluation": last.pk if last else None}


@router.post(SETS, response={201: SetOut}, auth=Bearer(Scope.WRITE))
def make_set(request: HttpRequest, workspace: ForEditor, asked: SetIn) -> dict[str, Any]:
    """Make an empty set."""
    made = services.make_set(user=request.user, workspace=workspace, name=asked.name)
    return _show_set(made, 0, None)


@router.get(SET + "/questions", response=PageOut[dict[str, Any]])
def list_questions(request: HttpRequest, workspace: ForViewer, golden_set: Number, asked: PageQuery = Paged) -> Any:
    """The questions of a set that exist for the person, with what is expected, the newest first."""
    rows = selectors.questions_of(selectors.set_in(workspace, golden_set), request.user).prefetch_related("documents")
    page = take_page(rows, asked)
    names = selectors.file_names(page["items"])
    return {**page, "items": [{"id": row.pk, **write_row(row, names)} for row in page["items"]]}


@router.post(SET + "/questions", response={201: list[int]}, auth=Bearer(Scope.WRITE))
@once
def add_questions(request: HttpRequest, workspace: ForEditor, golden_set: Number, asked: QuestionsIn) -> Status[Any]:
    """Add questions, all or none; their numbers. With Idempotency-Key a repeated request gives the first reply."""
    found = selectors.set_in(workspace, golden_set)
    rows = [Typed(**row.dict()) for row in asked.questions]
    for row in rows:
        check_typed(row)
    made = services.add_questions(user=request.user, golden_set=found, rows=rows)
    return Status(201, [row.pk for row in made])


@router.get(SET + "/evaluations", response=PageOut[EvaluationOut])
def list_evaluations(request: HttpRequest, workspace: ForViewer, golden_set: Number, asked: PageQuery = Paged) -> Any:
    """The evaluations of a set, the newest first."""
    return take_page(selectors.set_in(workspace, golden_set).evaluations.all(), asked, show_evaluation)


@router.post(SET + "/evaluations", response={201: ScoredOut}, auth=Bearer(Scope.ASK))
@once
def start_evaluation(request: HttpRequest, workspace: ForEditor, golden_set: Number, asked: StartIn) -> Status[Any]:
    """Ask all questions of a set. With Idempotency-Key a repeated request gives the first reply."""
    found = selectors.set_in(workspace, golden_set)
    made = services.start_evaluation(user=request.user, golden_set=found, **asked.dict())
    return Status(201, show_evaluation(made))


@router.get(ONE, response=ScoredOut)
def show_one(request: HttpRequest, slug: str, evaluation: Number) -> dict[str, Any]:
    """An evaluation: how far it is, and its figures."""
    return show_evaluation(selectors.evaluation_for(request.user, slug, evaluation))


@router.get(ONE + "/results", response=PageOut[dict[str, Any]])
def list_results(request: HttpRequest, slug: str, evaluation: Number, asked: PageQuery = Paged, only: Only = "") -> Any:
    """Each question with its answer and scores; `only` narrows to wrong, right, page, missing, false or failed."""
    rows = selectors.results_of(selectors.evaluation_for(request.user, slug, evaluation), request.user)
    if only in selectors.FILTERS:
        rows = rows.filter(selectors.FILTERS[only][1])
    return take_page(rows, asked, exports.result_row)


@router.post(ONE + "/stop", response=ScoredOut, auth=Bearer(Scope.ASK))
def stop_evaluation(request: HttpRequest, slug: str, evaluation: Number) -> dict[str, Any]:
    """Stop asking; what was scored stays."""
    found = selectors.evaluation_for(request.user, slug, evaluation, Role.EDITOR)
    services.stop_evaluation(user=request.user, evaluation=found)
    return show_one(request, slug, evaluation)


@router.post(ONE + "/resume", response=ScoredOut, auth=Bearer(Scope.ASK))
def resume_evaluation(request: HttpRequest, slug: str, evaluation: Number) -> dict[str, Any]:
    """Go on where it was stopped, and ask again what failed."""
    found = selectors.evaluation_for(request.user, slug, evaluation, Role.EDITOR)
    services.resume_evaluation(user=request.user, evaluation=found)
    return show_one(request, slug, evaluation)
