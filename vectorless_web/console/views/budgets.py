"""Budgets of the site, of workspaces and of people."""

from typing import Any

from django.http import HttpRequest, HttpResponse

from vectorless_web.console.forms import SiteBudgetForm
from vectorless_web.console.subjects import usage
from vectorless_web.console.views import show_page, staff_act, staff_page
from vectorless_web.infra.limits import parse_whole_number
from vectorless_web.infra.lookups import one_or_404
from vectorless_web.infra.web.pages import go_saying
from vectorless_web.workspaces import services
from vectorless_web.workspaces.models import Budget

SEE, CHANGE = "workspaces.view_budget", "workspaces.change_budget"


@staff_page(SEE)
def show(request: HttpRequest) -> HttpResponse:
    """Every budget with what is spent, reserved and forecast, and a form for another one."""
    return _page(request, SiteBudgetForm(initial=_initial(request)))


def _initial(request: HttpRequest) -> dict[str, Any]:
    changed = parse_whole_number(request.GET.get("change"))
    budget = Budget.objects.select_related("user").filter(pk=changed).first() if changed else None
    if budget is not None:
        return SiteBudgetForm.initial_of(budget)
    return {"workspace": request.GET.get("workspace"), "person": request.GET.get("person", "")}


def _page(request: HttpRequest, form: SiteBudgetForm) -> HttpResponse:
    return show_page(request, "budgets", {"budgets": usage.list_budgets(), "form": form})


@staff_act(CHANGE)
def save(request: HttpRequest) -> HttpResponse:
    """Set a limit, in place of the one there is for the same place and person."""
    form = SiteBudgetForm(request.POST)
    if not form.is_valid():
        return _page(request, form)
    services.set_budget(actor=request.user, budget=form.budget())
    return go_saying(request, "The budget was set.", "console:budgets")


@staff_act(CHANGE)
def lift(request: HttpRequest, pk: int) -> HttpResponse:
    """Delete a limit."""
    budget = one_or_404(Budget.objects.select_related("workspace", "user"), "There is no such budget.", pk=pk)
    services.remove_budget(actor=request.user, budget=budget)
    return go_saying(request, "The budget was lifted.", "console:budgets")
