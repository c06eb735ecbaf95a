"""A run's page and acts, the parts of it that are fetched on their own, and two runs side by side."""

from collections.abc import Callable
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from vectorless_web.documents.selectors import card_context, document_for, readable_documents
from vectorless_web.documents.services.uploads import describe_uploads
from vectorless_web.engine.parsing.sniff import DOCX
from vectorless_web.infra.limits import SEARCH_MAX, parse_whole_number
from vectorless_web.infra.web.csv_files import download
from vectorless_web.infra.web.pages import go_to, is_htmx, offer_undo
from vectorless_web.infra.web.problems import Problem
from vectorless_web.notices.models import Kind
from vectorless_web.notices.services import forget, mark_seen
from vectorless_web.runs import selectors, services
from vectorless_web.runs.compare.comparison import comparison_of
from vectorless_web.runs.demo import first_question
from vectorless_web.runs.export import exports
from vectorless_web.runs.export.word import as_word
from vectorless_web.runs.forms import (
    OPEN_ALONE,
    AskBox,
    AskedForm,
    choices_of,
    documents_meant,
    read_prefill,
    refill_form,
)
from vectorless_web.runs.live.consumers import Audience, Feed
from vectorless_web.runs.models import Feedback, Run, Thread
from vectorless_web.runs.page import page_context, rendering, sheets
from vectorless_web.runs.selectors import Answerer
from vectorless_web.runs.views.lists import list_page
from vectorless_web.workspaces.models import Role, Workspace
from vectorless_web.workspaces.selectors import may_in, workspace_context, workspace_for
from vectorless_web.workspaces.services.settings import Nearby, describe_nearby

EXPORTS: dict[str, tuple[str, str, Callable[[Run], str | bytes]]] = {
    "json": ("json", "application/json", lambda run: DjangoJSONEncoder(indent=2).encode(exports.as_json(run))),
    "markdown": ("md", "text/markdown; charset=utf-8", exports.as_markdown),
    "word": ("docx", DOCX, as_word),
    "bundle": ("zip", "application/zip", exports.bundle_of),
}
"""Files of a run by their name in the address: ending, type, and what writes them."""
TOO_MANY = 429
"""HTTP status of a question asked too soon after the others."""


@require_GET
def home(request: HttpRequest) -> HttpResponse:
    workspaces = selectors.home_workspaces(request.user)
    only = workspaces[0] if len(workspaces) == 1 else None
    context = {
        "workspaces": workspaces,
        "recent_runs": selectors.runs_of(request.user),
        "only": only,
        "first_question": first_question(only) if only else "",
    }
    return render(request, "runs/home.html", context)


@require_GET
def workspace(request: HttpRequest, slug: str) -> HttpResponse:
    place = workspace_for(request.user, slug)
    documents = card_context(place, request.user)
    is_new = not any(documents.values())
    asked = _ask_context(request, place, sent=read_prefill(request.GET, place))
    context = {
        **workspace_context(request.user, place, "ask"),
        **documents,
        **asked,
        "recent": selectors.recent_runs(place, request.user),
        "month": selectors.month_of(place, request.user),
        "engine_line": _describe_answerer(asked["ask"].usual),
        "nearby": _find_nearby(place, asked["ask"].usual) if is_new else None,
        "is_new": is_new,
        "uploads": describe_uploads(place),
        "demo_run": selectors.demo_run(request.user) if is_new else None,
    }
    return render(request, "runs/workspace.html", context)


@require_POST
def ask(request: HttpRequest, slug: str) -> HttpResponse:
    place = workspace_for(request.user, slug, Role.MEMBER)
    form = AskedForm.read(request.POST)
    try:
        if not form.search.is_valid():
            raise Problem(
                "One of the options of the search cannot be used.",
                remedy="Choose among those that are offered.",
                code="invalid_fields",
            )
        run = services.start_run(
            user=request.user,
            workspace=place,
            question=form.question,
            documents=documents_meant(form, place, request.user),
            follows=_find_origin(request, slug, form),
            max_steps=form.max_steps,
            expand=form.expand,
            answerer=form.answerer,
            money_usd=form.money_usd,
            restricted=form.scope != OPEN_ALONE,
            private=form.private,
            search=form.search.chosen(),
        )
    except Problem as problem:
        if problem.status == TOO_MANY and is_htmx(request):
            raise  # The page shows a message and keeps its form as it is.
        return _render_refused_question(request, place, form, problem)
    return go_to(request, "runs:detail", slug=slug, pk=run.pk)


@require_GET
def detail(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    run = selectors.run_for(request.user, slug, pk)
    mark_seen(user_id=request.user.pk, kinds=(Kind.RUN_ENDED, Kind.VERIFIED), about=run.pk)
    may = may_in(run.workspace)
    context = {
        **workspace_context(request.user, run.workspace, "runs"),
        **page_context.run_context(run, may, mine=run.asked_by_id == request.user.pk, viewer=request.user.pk),
        "my_feedback": selectors.feedback_by(request.user, run),
        "standing": selectors.standing_of(run, request.user),
    }
    if may.ask:
        context |= _ask_context(request, run.workspace, follows=run)
    return render(request, "runs/detail.html", context)


@require_POST
def stop(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    run = selectors.run_for(request.user, slug, pk, Role.MEMBER)
    services.stop_run(user=request.user, run=run)
    if is_htmx(request):
        return HttpResponse(status=204)
    return redirect("runs:detail", slug=slug, pk=pk)


@require_POST
def again(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    run = selectors.run_for(request.user, slug, pk, Role.MEMBER)
    fresh = services.ask_again(
        user=request.user,
        run=run,
        max_steps=parse_whole_number(request.POST.get("max_steps")),
        max_walks=parse_whole_number(request.POST.get("max_walks")),
        answerer=request.POST.get("answerer", ""),
    )
    return go_to(request, "runs:detail", slug=slug, pk=fresh.pk)


@require_POST
def feedback(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    run = selectors.run_for(request.user, slug, pk, Role.MEMBER)
    given = services.give_feedback(
        user=request.user,
        run=run,
        good=request.POST.get("good") == "1",
        reason=request.POST.get("reason", ""),
        comment=request.POST.get("comment", ""),
    )
    if not is_htmx(request):
        return redirect("runs:detail", slug=slug, pk=pk)
    citations = rendering.citations_of(run, selectors.claims_of(run))
    context = {"run": run, "workspace": run.workspace, "may": may_in(run.workspace), "my_feedback": given}
    return render(
        request, "runs/_feedback.html", {**context, "reasons": Feedback.Reason.choices, "citations": citations}
    )


@require_POST
def delete(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    run = selectors.run_for(request.user, slug, pk, Role.MEMBER)
    services.delete_run(user=request.user, run=run)
    undo = reverse("runs:restore", args=[slug, pk])
    offer_undo(request, _("“{question}” was deleted. It goes for good in an hour.").format(question=run), undo)
    return go_to(request, "runs:list", slug=slug)


@require_POST
def restore(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Undo a deletion."""
    run = selectors.removed_run(request.user, slug, pk)
    services.restore_run(user=request.user, run=run)
    return go_to(request, "runs:detail", slug=slug, pk=pk)


@require_GET
def sheet(request: HttpRequest, slug: str, pk: int, version: int, page: int) -> HttpResponse:
    run = selectors.run_for(request.user, slug, pk)
    shown = selectors.read_version(run, version)
    if not 1 <= page <= shown.pages:
        raise Http404("This document has no such page.")
    citations = rendering.citations_of(run, selectors.claims_of(run))
    context = {"sheet": sheets.sheet_of(run, citations, shown, page - 1), "workspace": run.workspace, "run": run}
    return render(request, "documents/_page.html", context)


@require_GET
def raw_step(request: HttpRequest, slug: str, pk: int, sequence: int) -> HttpResponse:
    step = selectors.step_of(selectors.run_for(request.user, slug, pk), sequence)
    shown = rendering.raw_step(step)
    if not is_htmx(request):
        return HttpResponse(shown, content_type="text/plain; charset=utf-8")
    return render(request, "runs/_raw.html", {"sequence": sequence, "raw": shown})


@require_GET
def export(request: HttpRequest, slug: str, pk: int, form: str) -> HttpResponse:
    run = selectors.run_for(request.user, slug, pk)
    if form == "print":
        context = workspace_context(request.user, run.workspace, "runs")
        shown = page_context.run_context(run, may_in(run.workspace), viewer=request.user.pk)
        return render(request, "runs/print.html", {**context, **shown})
    if form not in EXPORTS:
        raise Http404("A run can be exported as word, markdown, json, print or bundle.")
    suffix, media_type, write = EXPORTS[form]
    return download(write(run), media_type, exports.file_name(run, suffix))


def _find_origin(request: HttpRequest, slug: str, form: AskedForm) -> Thread | Run | None:
    """What the question comes from: a run that is asked once more, a thread that goes on, or nothing."""
    if form.again:
        return selectors.run_for(request.user, slug, form.again)
    return selectors.thread_for(request.user, slug, form.thread) if form.thread else None


def _render_refused_question(request: HttpRequest, place: Workspace, form: AskedForm, problem: Problem) -> HttpResponse:
    """The form again with what was wrong, as fragment or page, under the problem's status."""
    context = {
        **workspace_context(request.user, place, "ask"),
        **_ask_context(request, place, sent=form, error=problem.message),
        "large": request.POST.get("large") == "1",
    }
    template = "runs/_ask.html" if is_htmx(request) else "runs/ask.html"
    return problem.mark(render(request, template, context))


def _ask_context(request: HttpRequest, place: Workspace, **box: Any) -> dict[str, Any]:
    asked = AskBox(place, request.user, **box)
    return {"ask": asked, "all_documents": choices_of(place, request.user, asked.documents)}


def _find_nearby(place: Workspace, usual: Answerer) -> Nearby | None:
    """The models on this machine, for an owner whose questions no model answers yet; None where none may be asked."""
    if not place.allows(Role.OWNER) or usual.model:
        return None
    nearby = describe_nearby(place)
    return None if nearby.refusal else nearby


def _describe_answerer(usual: Answerer) -> str:
    if not usual.model:
        return "The offline reasoner answers: it quotes, and writes nothing of its own."
    return f"{usual.label} answers. If it is away, the offline reasoner does, and the page says so."


@require_GET
def thread(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    shown = selectors.thread_for(request.user, slug, pk)
    newest = selectors.newest_run_of(shown, request.user)
    newest.workspace = shown.workspace
    context = {
        **workspace_context(request.user, shown.workspace, "runs"),
        "thread": shown,
        "runs": page_context.questions_of(shown, request.user, parse_whole_number(request.GET.get("page"))),
        "spent": page_context.sum_spending(shown, request.user),
        "known": page_context.find_known(shown, request.user),
        "may_rename": services.may_rename(request.user, shown),
    }
    if may_in(shown.workspace).ask:
        context |= _ask_context(request, shown.workspace, follows=newest)
    return render(request, "runs/thread.html", context)


@require_POST
def rename(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    shown = selectors.thread_for(request.user, slug, pk, Role.MEMBER)
    services.rename_thread(user=request.user, thread=shown, title=request.POST.get("title", ""))
    return redirect("runs:thread", slug=slug, pk=pk)


@require_GET
def edit(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    run = selectors.run_for(request.user, slug, pk, Role.MEMBER)
    context = {**workspace_context(request.user, run.workspace, "runs"), "run": run}
    return render(request, "runs/edit.html", context | _ask_context(request, run.workspace, sent=refill_form(run)))


@require_GET
def choices(request: HttpRequest, slug: str) -> HttpResponse:
    """Documents to tick: the rows alone for the ask box, a page of its own without a script."""
    place = workspace_for(request.user, slug, Role.MEMBER)
    chosen = AskedForm.read(request.GET).chosen
    ticked = readable_documents(place, request.user).filter(pk__in=chosen).order_by("title", "pk")
    search, page = request.GET.get("q", "").replace("\0", ""), parse_whole_number(request.GET.get("page"))
    found = choices_of(place, request.user, ticked, search=search[:SEARCH_MAX], page=page or 1)
    if is_htmx(request):
        return render(request, "runs/_choices.html", {"workspace": place, "choices": found})
    context = workspace_context(request.user, place, "ask")
    return render(request, "runs/choose.html", {**context, "choices": found})


@require_GET
def used_pages(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    document = document_for(request.user, slug, pk)
    used = selectors.used_pages(document, request.user)
    context = {"workspace": document.workspace, "document": document, "used_pages": used}
    return render(request, "runs/_used_pages.html", context)


STATE, ENDED = "X-Run-State", "X-Run-Ended"


@require_GET
@never_cache
def news(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """What the socket would send beyond `?after=`: fragments, or 204 while the page's `?state=` still stands."""
    run = selectors.run_for(request.user, slug, pk)
    audience = Audience(may_in(run.workspace), get_language() or "", run.asked_by_id == request.user.pk)
    after = parse_whole_number(request.GET.get("after")) or 0
    state, html = Feed(run, after).render_news(after, request.GET.get("state", ""), audience)
    if state.ended:
        forget(user_id=request.user.pk, kind=Kind.RUN_ENDED, about=run.pk)
    headers = {STATE: state.token, ENDED: str(int(state.ended))}
    return HttpResponse(html, headers=headers) if html else HttpResponse(status=204, headers=headers)


@require_POST
def replay(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    run = selectors.run_for(request.user, slug, pk, Role.MEMBER)
    services.start_replay(user=request.user, run=run)
    return _render_replay(request, run) if is_htmx(request) else redirect("runs:detail", slug=slug, pk=pk)


@require_GET
def replay_state(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return _render_replay(request, selectors.run_for(request.user, slug, pk))


def _render_replay(request: HttpRequest, run: Run) -> HttpResponse:
    context = {"run": run, "workspace": run.workspace, "may": may_in(run.workspace), "replay": selectors.replay_of(run)}
    return render(request, "runs/_replay.html", context)


@require_GET
def compare(request: HttpRequest, slug: str, pk: int, other: int) -> HttpResponse:
    first, second = (selectors.run_for(request.user, slug, number) for number in (pk, other))
    if first == second:
        raise Http404("A run cannot be compared with itself.")
    context = workspace_context(request.user, first.workspace, "runs")
    return render(request, "runs/compare.html", {**context, **comparison_of(first, second)})


@require_GET
def choose(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    run = selectors.run_for(request.user, slug, pk)
    in_thread, same_question = page_context.find_comparable(run, request.user)
    context = {
        **workspace_context(request.user, run.workspace, "runs"),
        "run": run,
        "in_thread": in_thread,
        "same_question": same_question,
    }
    return render(request, "runs/compare_choose.html", context)


@require_GET
def compare_ticked(request: HttpRequest, slug: str) -> HttpResponse:
    """From the boxes of a list to the page of the two; the list again when not exactly two are ticked."""
    ticked = sorted({number for text in request.GET.getlist("run") if (number := parse_whole_number(text))})
    if len(ticked) != 2:
        return list_page(request, slug, refused=True)
    return redirect("runs:compare", slug=slug, pk=ticked[0], other=ticked[1])
