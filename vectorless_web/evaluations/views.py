"""Pages of golden sets, their questions and their evaluations. Viewers read; editors change and start."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.core.files.uploadedfile import UploadedFile
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRefresh

from vectorless_web.evaluations import exports, selectors, services
from vectorless_web.evaluations.forms import EvaluationForm, QuestionForm, ScheduleForm, SetForm, fill_form
from vectorless_web.evaluations.models import Evaluation, GoldenSet
from vectorless_web.evaluations.reading import read_import, write_row
from vectorless_web.infra.limits import parse_whole_number
from vectorless_web.infra.queues.jobs import find_hold
from vectorless_web.infra.web.csv_files import csv_response, download
from vectorless_web.infra.web.pages import go_saying, go_to, is_htmx
from vectorless_web.infra.web.problems import Problem
from vectorless_web.runs.line import BACKGROUND_QUEUE
from vectorless_web.runs.selectors import run_for
from vectorless_web.workspaces.models import Role, Workspace
from vectorless_web.workspaces.selectors import workspace_context, workspace_for, workspaces_of

QUESTIONS_SHOWN, RESULTS_SHOWN = 50, 50
"""Questions and results on one page."""


@login_not_required
@require_GET
def show_help(request: HttpRequest) -> HttpResponse:
    """The help page; to members it tells what verdicts were worth in their own workspaces."""
    own = [workspace.pk for workspace in workspaces_of(request.user)] if request.user.is_authenticated else []
    return render(request, "help.html", {"trusts": selectors.trust_in(own) if own else []})


@require_GET
def sets(request: HttpRequest, slug: str) -> HttpResponse:
    return _sets_page(request, workspace_for(request.user, slug), SetForm())


@require_POST
def make(request: HttpRequest, slug: str) -> HttpResponse:
    """A set, empty at first; whoever came from a run to keep it goes back to choosing its set."""
    workspace = workspace_for(request.user, slug, Role.EDITOR)
    form = SetForm(request.POST)
    if form.is_valid():
        try:
            made = services.make_set(user=request.user, workspace=workspace, name=form.cleaned_data["name"])
            if asked := form.cleaned_data["asked"]:
                return go_to(request, "evaluations:from_run", slug=slug, asked=asked)
            return go_to(request, "evaluations:set", slug=slug, pk=made.pk)
        except Problem as problem:
            form.add_error("name", problem.message)
    return _sets_page(request, workspace, form, status=422)


def _sets_page(request: HttpRequest, workspace: Workspace, form: SetForm, status: int = 200) -> HttpResponse:
    context = {
        **workspace_context(request.user, workspace, "evaluations"),
        "sets": selectors.sets_in(workspace),
        "trusts": selectors.trust_in([workspace.pk]),
        "form": form,
    }
    return render(request, "evaluations/sets.html", context, status=status)


@require_GET
def detail(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return _set_page(request, selectors.set_for(request.user, slug, pk))


def _set_page(
    request: HttpRequest,
    golden_set: GoldenSet,
    *,
    form: QuestionForm | None = None,
    start_form: EvaluationForm | None = None,
    problem: str = "",
    status: int = 200,
) -> HttpResponse:
    workspace = golden_set.workspace
    rows = selectors.questions_of(golden_set, request.user)
    evaluations = list(golden_set.evaluations.select_related("asked_by")[:20])
    shares = selectors.share_right([row.pk for row in evaluations])
    page = Paginator(rows, QUESTIONS_SHOWN).get_page(request.GET.get("page"))
    context = {
        **workspace_context(request.user, workspace, "evaluations"),
        "golden_set": golden_set,
        "questions": page,
        "evaluations": [(row, shares.get(row.pk)) for row in evaluations],
        "running": next((row for row in evaluations if row.state == Evaluation.State.RUNNING), None),
        "trend": selectors.trend_of(golden_set),
        "form": form or QuestionForm(),
        "start_form": start_form or EvaluationForm(workspace=workspace),
        "schedule_form": ScheduleForm(initial={"schedule": golden_set.schedule}),
        "cost": _describe_cost(workspace, page.paginator.count),
        "problem": problem,
    }
    return render(request, "evaluations/set.html", context, status=status)


def _describe_cost(workspace: Workspace, questions: int) -> str:
    """What asking a set has to cost by what questions cost here lately."""
    usual = selectors.usual_cost(workspace)
    if usual is None:
        return _("No model was asked here yet, so its cost is not known. The offline reasoner costs nothing.")
    tokens, usd = (questions * value for value in usual)
    facts = {"tokens": f"{tokens:,.0f}", "usd": f"{usd:,.2f}"}
    return _("With a model about %(tokens)s tokens and $%(usd)s, by the last questions asked here.") % facts


@require_POST
def add(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    golden_set = selectors.set_for(request.user, slug, pk, Role.EDITOR)
    form = QuestionForm(request.POST)
    if form.is_valid():
        try:
            services.add_questions(user=request.user, golden_set=golden_set, rows=[form.typed()])
            return go_saying(request, _("The question was added."), "evaluations:set", slug=slug, pk=pk)
        except Problem as problem:
            form.add_error(None, problem.message)
    return _set_page(request, golden_set, form=form, status=422)


@require_POST
def take_import(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    golden_set = selectors.set_for(request.user, slug, pk, Role.EDITOR)
    upload = request.FILES.get("file")
    try:
        if not isinstance(upload, UploadedFile):
            raise Problem(_("No file was chosen."), remedy=_("Choose a file first."), code="file_missing")
        rows = read_import(upload.read(), upload.name or "")
        count = len(services.add_questions(user=request.user, golden_set=golden_set, rows=rows))
    except Problem as problem:
        return _set_page(request, golden_set, problem=problem.message, status=422)
    said = ngettext("%(n)d question was imported.", "%(n)d questions were imported.", count) % {"n": count}
    return go_saying(request, said, "evaluations:set", slug=slug, pk=pk)


@require_GET
def export_set(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The questions that exist for the user, as a file that can be imported again."""
    golden_set = selectors.set_for(request.user, slug, pk)
    questions = selectors.questions_of(golden_set, request.user).prefetch_related("documents")
    name, media_type = f"golden-set-{golden_set.pk}.jsonl", "application/x-ndjson; charset=utf-8"
    return download(exports.set_as_lines(questions), media_type, name)


@require_POST
def schedule(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    golden_set = selectors.set_for(request.user, slug, pk, Role.EDITOR)
    services.set_schedule(user=request.user, golden_set=golden_set, schedule=request.POST.get("schedule", ""))
    return go_saying(request, _("The schedule was saved."), "evaluations:set", slug=slug, pk=pk)


@require_POST
def delete(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Delete a set, once its name was typed."""
    golden_set = selectors.set_for(request.user, slug, pk, Role.EDITOR)
    if request.POST.get("name", "").strip() != golden_set.name:
        sentence = _("Type the name of the set to delete it with its questions and evaluations.")
        return _set_page(request, golden_set, problem=sentence, status=422)
    services.delete_set(user=request.user, golden_set=golden_set)
    return go_saying(request, _("%(name)s was deleted.") % {"name": golden_set.name}, "evaluations:sets", slug=slug)


@require_GET
def from_run(request: HttpRequest, slug: str, asked: int) -> HttpResponse:
    """Choose the set that keeps a finished run as a golden question."""
    found = run_for(request.user, slug, asked, Role.EDITOR)
    services.type_from_run(found)
    context = {
        **workspace_context(request.user, found.workspace, "evaluations"),
        "run": found,
        "sets": selectors.sets_in(found.workspace),
        "form": SetForm(initial={"asked": asked}),
    }
    return render(request, "evaluations/from_run.html", context)


@require_POST
def keep_run(request: HttpRequest, slug: str, pk: int, asked: int) -> HttpResponse:
    """Keep a run's answer as what is expected; the page of the new question lets it be corrected."""
    golden_set = selectors.set_for(request.user, slug, pk, Role.EDITOR)
    run = run_for(request.user, slug, asked)
    golden = services.keep_run(user=request.user, golden_set=golden_set, run=run)
    messages.success(request, _("The run was kept. Change what is expected if it is not right."))
    return go_to(request, "evaluations:question", slug=slug, pk=golden.pk)


@require_GET
def question(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    golden = selectors.question_for(request.user, slug, pk)
    row = write_row(golden, selectors.file_names([golden]))
    return _question_page(request, slug, pk, fill_form(row))


@require_POST
def change(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    golden = selectors.question_for(request.user, slug, pk, Role.EDITOR)
    form = QuestionForm(request.POST)
    if form.is_valid():
        try:
            services.change_question(user=request.user, golden=golden, typed=form.typed())
            messages.success(request, _("The question was changed."))
            return go_to(request, "evaluations:set", slug=slug, pk=golden.golden_set_id)
        except Problem as problem:
            form.add_error(None, problem.message)
    return _question_page(request, slug, pk, form, status=422)


def _question_page(request: HttpRequest, slug: str, pk: int, form: QuestionForm, status: int = 200) -> HttpResponse:
    golden = selectors.question_for(request.user, slug, pk)
    seen = selectors.shown_results(golden.results.all(), request.user, golden.golden_set.workspace_id)
    results = seen.select_related("evaluation").order_by("-evaluation_id")[:10]
    context = {
        **workspace_context(request.user, golden.golden_set.workspace, "evaluations"),
        "golden": golden,
        "form": form,
        "results": results,
    }
    return render(request, "evaluations/question.html", context, status=status)


@require_POST
def delete_question(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    golden = selectors.question_for(request.user, slug, pk, Role.EDITOR)
    services.delete_question(user=request.user, golden=golden)
    return go_saying(request, _("The question was deleted."), "evaluations:set", slug=slug, pk=golden.golden_set_id)


@require_POST
def start(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    golden_set = selectors.set_for(request.user, slug, pk, Role.EDITOR)
    form = EvaluationForm(request.POST, workspace=golden_set.workspace)
    if not form.is_valid():
        return _set_page(request, golden_set, start_form=form, status=422)
    try:
        made = services.start_evaluation(user=request.user, golden_set=golden_set, **form.cleaned_data)
    except Problem as problem:
        return _set_page(request, golden_set, start_form=form, problem=problem.message, status=problem.status)
    return go_to(request, "evaluations:evaluation", slug=slug, pk=made.pk)


@require_GET
def evaluation(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One evaluation: its figures and its results, each beside what was expected."""
    found = selectors.evaluation_for(request.user, slug, pk)
    chosen = request.GET.get("only", "")
    rows = selectors.results_of(found, request.user)
    if chosen in selectors.FILTERS:
        rows = rows.filter(selectors.FILTERS[chosen][1])
    context = {
        **_progress_context(request, found),
        "results": Paginator(rows, RESULTS_SHOWN).get_page(request.GET.get("page")),
        "only": chosen,
        "others": found.golden_set.evaluations.exclude(pk=found.pk)[:20],
        "filters": [(name, label) for name, (label, _condition) in selectors.FILTERS.items()],
    }
    return render(request, "evaluations/evaluation.html", context)


@require_GET
def progress(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The figures alone, asked for while the evaluation runs; when it has ended the page is loaded anew."""
    found = selectors.evaluation_for(request.user, slug, pk)
    if is_htmx(request) and found.state != Evaluation.State.RUNNING:
        return HttpResponseClientRefresh()
    return render(request, "evaluations/_progress.html", _progress_context(request, found))


def _progress_context(request: HttpRequest, found: Evaluation) -> dict[str, Any]:
    summary = selectors.summarise(found)
    return {
        **workspace_context(request.user, found.golden_set.workspace, "evaluations"),
        "evaluation": found,
        "summary": summary,
        "hold": find_hold(BACKGROUND_QUEUE) if found.state == Evaluation.State.RUNNING else None,
        "figures": exports.list_figures(summary),
    }


@require_POST
def stop(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    found = selectors.evaluation_for(request.user, slug, pk, Role.EDITOR)
    services.stop_evaluation(user=request.user, evaluation=found)
    return go_to(request, "evaluations:evaluation", slug=slug, pk=pk)


@require_POST
def resume(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    found = selectors.evaluation_for(request.user, slug, pk, Role.EDITOR)
    services.resume_evaluation(user=request.user, evaluation=found)
    return go_to(request, "evaluations:evaluation", slug=slug, pk=pk)


@require_GET
def compare(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """What the later of two evaluations of a set fixed and broke; without a choice, against the one before."""
    found = selectors.evaluation_for(request.user, slug, pk)
    others = found.golden_set.evaluations.select_related("golden_set")
    chosen = parse_whole_number(request.GET.get("with"))
    other = others.filter(pk=chosen).first() if chosen else others.filter(pk__lt=pk).first()
    if other is None and chosen:
        raise Http404("There is no such evaluation of this set.")
    before, after = sorted((other or found, found), key=lambda row: row.pk)
    changed = selectors.compare_evaluations(before, after, request.user)
    page = Paginator([*changed.broken, *changed.fixed], RESULTS_SHOWN).get_page(request.GET.get("page"))
    rows = selectors.results_of(after, request.user).filter(golden__in=page.object_list)
    context = {
        **workspace_context(request.user, found.golden_set.workspace, "evaluations"),
        "before": before,
        "after": after,
        "change": changed,
        "percent": round(100 * changed.chance),
        "fixed": [row for row in rows if row.right],
        "broken": [row for row in rows if not row.right],
        "page": page,
    }
    return render(request, "evaluations/compare.html", context)


@require_GET
def export(request: HttpRequest, slug: str, pk: int, form: str) -> HttpResponse:
    """One evaluation as a file: csv, json or md."""
    found = selectors.evaluation_for(request.user, slug, pk)
    results = selectors.results_of(found, request.user)
    name = f"evaluation-{found.pk}.{form}"
    if form == "csv":
        return csv_response(list(exports.as_csv(results)), name)
    summary = selectors.summarise(found)
    if form == "json":
        text, kind = exports.as_json(found, summary, results), "application/json"
    elif form == "md":
        text, kind = exports.as_markdown(found, summary), "text/markdown; charset=utf-8"
    else:
        raise Http404("There is no such form.")
    return download(text, kind, name)
