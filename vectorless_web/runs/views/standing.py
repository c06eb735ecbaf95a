"""A run among people: who sees it, who verified it, what they say of it."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from vectorless_web.infra.limits import parse_whole_number
from vectorless_web.infra.web.pages import go_saying, go_to, is_htmx
from vectorless_web.infra.web.problems import Problem
from vectorless_web.notices.models import Kind
from vectorless_web.notices.services import mark_seen
from vectorless_web.runs import selectors, services
from vectorless_web.runs.models import Run
from vectorless_web.workspaces.models import Role
from vectorless_web.workspaces.selectors import people_in, workspace_context


@require_GET
def people(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    run = selectors.run_for(request.user, slug, pk)
    kinds = (Kind.MENTIONED, Kind.COMMENTED, Kind.VERIFIED)
    mark_seen(user_id=request.user.pk, kinds=kinds, about=run.pk)
    return _people_page(request, run)


@require_POST
def share(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    run = selectors.run_for(request.user, slug, pk, Role.MEMBER)
    services.set_private(user=request.user, run=run, is_private=False)
    said = "Everyone in the workspace who may see its documents sees this question now."
    return go_saying(request, said, "runs:people", slug=slug, pk=pk)


@require_POST
def keep(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    run = selectors.run_for(request.user, slug, pk, Role.MEMBER)
    services.set_private(user=request.user, run=run, is_private=True)
    said = "This question is yours alone now, and theirs with whom you share it."
    return go_saying(request, said, "runs:people", slug=slug, pk=pk)


@require_POST
def share_named(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    run = selectors.run_for(request.user, slug, pk, Role.MEMBER)
    named = [number for text in request.POST.getlist("people") if (number := parse_whole_number(text)) is not None]
    services.share_with_members(user=request.user, run=run, people=named)
    return go_saying(request, "Saved with whom this question is shared.", "runs:people", slug=slug, pk=pk)


@require_POST
def favour(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    services.set_favourite(user=request.user, run=selectors.run_for(request.user, slug, pk), is_one=True)
    return go_to(request, "runs:detail", slug=slug, pk=pk)


@require_POST
def unfavour(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    services.set_favourite(user=request.user, run=selectors.run_for(request.user, slug, pk), is_one=False)
    return go_to(request, "runs:detail", slug=slug, pk=pk)


@require_POST
def verify(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    run = selectors.run_for(request.user, slug, pk, Role.MEMBER)
    return _do_or_say_why(request, run, lambda: services.verify_run(user=request.user, run=run))


@require_POST
def withdraw(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    run = selectors.run_for(request.user, slug, pk, Role.MEMBER)
    return _do_or_say_why(request, run, lambda: services.withdraw_verification(user=request.user, run=run))


@require_POST
def comment(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    run = selectors.run_for(request.user, slug, pk, Role.MEMBER)
    text, sentence = request.POST.get("text", ""), parse_whole_number(request.POST.get("sentence"))

    def add() -> object:
        return services.add_comment(user=request.user, run=run, text=text, sentence=sentence)

    return _do_or_say_why(request, run, add, text=text)


@require_POST
def remove_comment(request: HttpRequest, slug: str, pk: int, comment: int) -> HttpResponse:
    run = selectors.run_for(request.user, slug, pk, Role.MEMBER)
    services.remove_comment(user=request.user, run=run, comment=selectors.comment_of(run, comment))
    return go_to(request, "runs:people", slug=slug, pk=pk)


def _do_or_say_why(request: HttpRequest, run: Run, act: Callable[[], object], *, text: str = "") -> HttpResponse:
    """Act and show the page afresh; the page with the problem, and what was typed, when it cannot be done."""
    try:
        act()
    except Problem as problem:
        if is_htmx(request):
            raise  # The page shows a message and stays as it is.
        return problem.mark(_people_page(request, run, problem=problem, text=text))
    return go_to(request, "runs:people", slug=run.workspace.slug, pk=run.pk)


def _people_page(request: HttpRequest, run: Run, *, problem: Problem | None = None, text: str = "") -> HttpResponse:
    mine = run.asked_by_id == request.user.pk
    context = {
        **workspace_context(request.user, run.workspace, "runs"),
        "run": run,
        "mine": mine,
        "members": people_in(run.workspace).exclude(pk=request.user.pk) if mine else [],
        "shared_with": set(run.shared_with.values_list("pk", flat=True)) if mine else set(),
        "folders": run.folders.filter(restricted=True),
        "standing": selectors.standing_of(run, request.user),
        "comments": selectors.comments_of(run),
        "claims": selectors.claims_of(run),
        "mentionable": selectors.mentionable_in(run, request.user),
        "sentence": parse_whole_number(request.POST.get("sentence") or request.GET.get("sentence")),
        "problem": problem,
        "text": text,
    }
    return render(request, "runs/people.html", context)
