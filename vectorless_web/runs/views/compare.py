"""Two runs side by side, and choosing which."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET

from vectorless_web.infra.limits import parse_whole_number
from vectorless_web.runs import selectors
from vectorless_web.runs.compare.comparison import comparison_of
from vectorless_web.runs.page import page_context
from vectorless_web.runs.views.lists import list_page
from vectorless_web.workspaces.selectors import workspace_context


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
    in_thread, same_question = page_context.find_comparable(run)
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
