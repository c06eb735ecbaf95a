"""A thread's page, and changing a question of it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from vectorless_web.infra.web.whole import parse_whole_number
from vectorless_web.runs import selectors, services
from vectorless_web.runs.forms import ask_box, choices_of, edit_box
from vectorless_web.runs.page import threads
from vectorless_web.runs.page.again import find_ways
from vectorless_web.workspaces.models import Role
from vectorless_web.workspaces.selectors import may_in, workspace_context


@require_GET
def thread(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    shown = selectors.thread_for(request.user, slug, pk)
    newest = selectors.newest_run_of(shown)
    newest.workspace = shown.workspace
    context = {
        **workspace_context(request.user, shown.workspace, "runs"),
        "thread": shown,
        "runs": threads.questions_of(shown, parse_whole_number(request.GET.get("page"))),
        "spent": threads.sum_spending(shown),
        "known": threads.find_known(shown),
        "may_rename": services.may_rename(request.user, shown),
    }
    if may_in(shown.workspace).ask:
        box = ask_box(shown.workspace, request.user, follows=newest)
        context |= {"ask": box, "all_documents": choices_of(shown.workspace, request.user, box.documents)}
    return render(request, "runs/thread.html", context)


@require_POST
def rename(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    shown = selectors.thread_for(request.user, slug, pk, Role.MEMBER)
    services.rename_thread(user=request.user, thread=shown, title=request.POST.get("title", ""))
    return redirect("runs:thread", slug=slug, pk=pk)


@require_GET
def edit(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    run = selectors.run_for(request.user, slug, pk, Role.MEMBER)
    box = edit_box(run, request.user)
    context = {
        **workspace_context(request.user, run.workspace, "runs"),
        "run": run,
        "ask": box,
        "all_documents": choices_of(run.workspace, request.user, box.documents),
        "again": find_ways(run),
    }
    return render(request, "runs/edit.html", context)
