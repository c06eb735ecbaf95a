"""Reads of golden sets, questions and evaluations, reached through the asking user."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from statistics import fmean

from django.db.models import Avg, Count, F, Max, Q, QuerySet, Sum
from django.http import Http404
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from vectorless_web.documents.models import Document
from vectorless_web.documents.selectors import closed_folders
from vectorless_web.evaluations.models import Evaluation, GoldenQuestion, GoldenSet, Result
from vectorless_web.evaluations.scoring import Change, Tally, compare_results
from vectorless_web.infra.lookups import one_or_404
from vectorless_web.infra.web.charts import Bar, draw_bars
from vectorless_web.notices.models import Notice
from vectorless_web.notices.selectors import Told
from vectorless_web.runs.models import Answer, Run
from vectorless_web.runs.selectors import visible_runs
from vectorless_web.workspaces.models import Role, Workspace
from vectorless_web.workspaces.selectors import User, workspace_for, workspaces_of

TREND = 30
"""Evaluations that the trend of a set shows."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of one evaluation. `asked` counts what was scored; means are None where nothing was."""

    questions: int
    asked: int
    failed: int
    right: Tally
    answered: Tally
    """Questions that the documents answer: answered of all."""
    value: Tally
    words: Tally
    page: Tally
    abstained: Tally
    """Questions that the documents do not answer: not answered of all."""
    precision: float | None
    recall: float | None
    judged: Tally
    """Answers that the judge finds right, of those that it judged."""
    agreed: Tally
    """Answers of which judge and score say the same."""
    judge_tokens: int
    judge_cost_usd: Decimal
    tokens: int
    cost_usd: Decimal
    seconds: float | None
    verdicts: tuple[tuple[str, Tally], ...]
    """By verdict, as people read it: how many of the answers that carry it were right."""

    @property
    def waiting(self) -> int:
        """Questions that have not ended."""
        return self.questions - self.asked - self.failed

    @property
    def percent(self) -> int:
        """How much of it has ended, 0 to 100."""
        return round(100 * (self.asked + self.failed) / self.questions) if self.questions else 100


def sets_in(workspace: Workspace) -> Sequence[GoldenSet]:
    """The sets of a workspace with `question_count` and `last`, the newest evaluation or None."""
    rows: list[GoldenSet] = list(
        workspace.golden_sets.annotate(question_count=Count("questions")).select_related("created_by").order_by("name")
    )
    newest = Evaluation.objects.filter(golden_set__in=rows).order_by().values("golden_set").annotate(last=Max("pk"))
    found = Evaluation.objects.in_bulk([row["last"] for row in newest])
    by_set = {evaluation.golden_set_id: evaluation for evaluation in found.values()}
    shares = share_right(found)
    for row in rows:
        row.last = by_set.get(row.pk)  # type: ignore[attr-defined]
        row.last_right = shares.get(row.last.pk) if row.last else None  # type: ignore[attr-defined]
    return rows


def share_right(evaluations: Iterable[int]) -> dict[int, Tally]:
    """How many questions of each evaluation were right, of those that ended; one query."""
    rows = Result.objects.filter(evaluation__in=list(evaluations), state=Result.State.SCORED).order_by()
    counts = rows.values("evaluation").annotate(n=Count("pk"), good=Count("pk", filter=Q(right=True)))
    return {row["evaluation"]: Tally(row["good"], row["n"]) for row in counts}


def set_for(user: User, slug: str, pk: int, needs: str = Role.VIEWER) -> GoldenSet:
    """One golden set; Http404 for a stranger, PermissionDenied below `needs`."""
    return set_in(workspace_for(user, slug, needs), pk)


def set_in(workspace: Workspace, pk: int) -> GoldenSet:
    """One golden set of the workspace; Http404 for any other."""
    return one_or_404(workspace.golden_sets, "There is no such set here.", pk=pk)


def questions_of(golden_set: GoldenSet, user: User) -> QuerySet[GoldenQuestion]:
    """The questions of a set that exist for the user: none that names a document in a folder closed to them."""
    closed = closed_folders(user.pk, [golden_set.workspace_id])
    hidden = GoldenQuestion.named.through.objects.filter(document__folder__in=closed)
    return golden_set.questions.exclude(pk__in=hidden.values("goldenquestion"))


def question_for(user: User, slug: str, pk: int, needs: str = Role.VIEWER) -> GoldenQuestion:
    """One golden question that exists for the user."""
    workspace = workspace_for(user, slug, needs)
    golden = GoldenQuestion.objects.select_related("golden_set").filter(golden_set__workspace=workspace, pk=pk).first()
    if golden is None or not questions_of(golden.golden_set, user).filter(pk=pk).exists():
        raise Http404("There is no such question here.")
    golden.golden_set.workspace = workspace
    return golden


def evaluation_for(user: User, slug: str, pk: int, needs: str = Role.VIEWER) -> Evaluation:
    """One evaluation of the workspace."""
    workspace = workspace_for(user, slug, needs)
    rows = Evaluation.objects.select_related("golden_set", "asked_by")
    found = one_or_404(rows, "There is no such evaluation here.", golden_set__workspace=workspace, pk=pk)
    found.golden_set.workspace = workspace
    return found


def results_of(evaluation: Evaluation, user: User) -> QuerySet[Result]:
    """The results whose questions and runs exist for the user."""
    rows = evaluation.results.filter(golden__in=questions_of(evaluation.golden_set, user))
    return shown_results(rows, user, evaluation.golden_set.workspace_id).select_related("golden")


def shown_results(rows: QuerySet[Result], user: User, workspace: int) -> QuerySet[Result]:
    """Those of the results, with their answers, whose runs exist for the user."""
    runs = visible_runs(user.pk, [workspace])
    return rows.filter(Q(run=None) | Q(run__in=runs)).select_related("run", "run__answer")


FILTERS = {
    "wrong": (_("Wrong"), Q(right=False)),
    "right": (_("Right"), Q(right=True)),
    "page": (_("Other page"), Q(page_right=False)),
    "missing": (_("Not answered"), Q(is_answer=False, golden__is_absent=False, state=Result.State.SCORED)),
    "false": (_("Wrongly answered"), Q(right=False, golden__is_absent=True)),
    "judge": (_("Judge disagrees"), Q(judged__isnull=False) & ~Q(judged=F("right"))),
    "failed": (_("Failed"), Q(state=Result.State.FAILED)),
}
"""What a table of results can be narrowed to, by the name in its address: the words on the page, and which."""


def summarise(evaluation: Evaluation) -> Summary:
    """The figures of an evaluation: two queries, however many its questions."""
    rows = evaluation.results.order_by()
    scored = Q(state=Result.State.SCORED)
    answerable = scored & Q(golden__is_absent=False)

    def tally(name: str, condition: Q, among: Q) -> dict[str, Count]:
        return {f"{name}_good": Count("pk", filter=among & condition), f"{name}_all": Count("pk", filter=among)}

    found = rows.aggregate(
        questions=Count("pk"),
        asked=Count("pk", filter=scored),
        failed=Count("pk", filter=Q(state=Result.State.FAILED)),
        **tally("right", Q(right=True), scored),
        **tally("answered", Q(is_answer=True), answerable),
        **tally("value", Q(value_right=True), scored & Q(value_right__isnull=False)),
        **tally("words", Q(words_right=True), scored & Q(words_right__isnull=False)),
        **tally("page", Q(page_right=True), scored & Q(page_right__isnull=False)),
        **tally("abstained", Q(is_answer=False), scored & Q(golden__is_absent=True)),
        **tally("judged", Q(judged=True), Q(judged__isnull=False)),
        **tally("agreed", Q(judged=F("right")), Q(judged__isnull=False)),
        judge_tokens=Sum("judge_tokens", default=0),
        judge_cost_usd=Sum("judge_cost_usd", default=Decimal(0)),
        precision=Avg("precision"),
        recall=Avg("recall"),
        tokens=Sum("tokens", default=0),
        cost_usd=Sum("cost_usd", default=Decimal(0)),
        seconds=Avg("seconds", filter=scored),
    )
    tallied = [name.removesuffix("_all") for name in found if name.endswith("_all")]
    tallies = {name: Tally(found.pop(f"{name}_good"), found.pop(f"{name}_all")) for name in tallied}
    return Summary(**found | tallies, verdicts=_tally_verdicts(rows))


def _tally_verdicts(rows: QuerySet[Result]) -> tuple[tuple[str, Tally], ...]:
    judged = rows.filter(state=Result.State.SCORED, is_answer=True).exclude(verdict="")
    counts = judged.values("verdict").annotate(n=Count("pk"), good=Count("pk", filter=Q(right=True)))
    by_verdict = {row["verdict"]: Tally(row["good"], row["n"]) for row in counts}
    return tuple((Answer.Verdict(v).label, by_verdict[v]) for v in Answer.Verdict.values if v in by_verdict)


@dataclass(frozen=True, slots=True)
class Trust:
    """What was measured of one answerer's verdicts in a workspace."""

    label: str
    verdicts: tuple[tuple[str, Tally], ...]


def trust_in(workspaces: Sequence[int]) -> list[Trust]:
    """By who answered: how many answers of each verdict were right, over the newest evaluation of each set."""
    newest = Evaluation.objects.filter(golden_set__workspace__in=workspaces, state=Evaluation.State.ENDED).order_by()
    last = newest.values("golden_set", "label").annotate(last=Max("pk"))
    labels: dict[str, list[int]] = {}
    for row in last:
        labels.setdefault(row["label"], []).append(row["last"])
    found = [
        Trust(label, _tally_verdicts(Result.objects.filter(evaluation__in=pks).order_by()))
        for label, pks in sorted(labels.items())
    ]
    return [trust for trust in found if trust.verdicts]


def trend_of(golden_set: GoldenSet) -> list[Bar]:
    """The share of right answers of the last evaluations of a set that ended, the oldest first."""
    rows = list(golden_set.evaluations.filter(state=Evaluation.State.ENDED)[:TREND])[::-1]
    shares = share_right([row.pk for row in rows])
    rated = [(row, shares[row.pk]) for row in rows if row.pk in shares]
    return draw_bars(
        (
            (
                date_format(localtime(row.created_at), "j M H:i"),
                f"{tally.right}/{tally.total}",
                Decimal(str(tally.share)),
            )
            for row, tally in rated
        ),
        most=Decimal(1),
    )


def compare_evaluations(before: Evaluation, after: Evaluation, user: User) -> Change:
    """What `after` fixed and broke of the questions that both asked and that exist for the user."""

    def rights(evaluation: Evaluation) -> list[tuple[int, bool]]:
        rows = results_of(evaluation, user).filter(state=Result.State.SCORED).order_by("golden_id")
        return [(golden, bool(right)) for golden, right in rows.values_list("golden_id", "right")]

    return compare_results(rights(before), rights(after))


def file_names(questions: Iterable[GoldenQuestion]) -> dict[int, str]:
    """File names of all documents that these questions name, by document."""
    rows = list(questions)
    keys = {place[0] for golden in rows for place in golden.places} | {
        document.pk for golden in rows for document in golden.documents.all()
    }
    return dict(Document.objects.filter(pk__in=keys - {0}).values_list("pk", "name"))


def usual_cost(workspace: Workspace) -> tuple[float, float] | None:
    """Tokens and dollars that a question put to a model cost on average here, over the last fifty; None before any."""
    ended = Run.objects.filter(workspace=workspace, status__in=Run.CONCLUDED).exclude(engine="offline")
    newest = list(ended.order_by("-pk").values_list("tokens", "cost_usd")[:50])
    if not newest:
        return None
    tokens, usd = (fmean(column) for column in zip(*newest, strict=True))
    return tokens, usd


def read_notices(user: User, notices: Sequence[Notice]) -> dict[int, Told]:
    """What notices of evaluations that got worse tell a member of their workspace."""
    rows = Evaluation.objects.filter(golden_set__workspace__in=workspaces_of(user))
    found = rows.select_related("golden_set__workspace").in_bulk([notice.about for notice in notices])
    told = {}
    for notice in notices:
        if row := found.get(notice.about):
            sentence = gettext("An evaluation got worse: {broken} broken, {fixed} fixed").format(**notice.details)
            url = reverse("evaluations:evaluation", args=[row.golden_set.workspace.slug, row.pk])
            told[notice.pk] = Told(sentence, row.golden_set.name, url)
    return told
