"""What owners govern: members, budgets, usage and the record; and the lexicon, which editors write."""

from decimal import Decimal
from typing import Annotated, Any

from django.db import transaction
from django.http import HttpRequest
from ninja import Query, Router, Status

from vectorless_web.api.authentication import Bearer
from vectorless_web.api.etags import check_state
from vectorless_web.api.models import Scope
from vectorless_web.api.paging import Number
from vectorless_web.api.problems import refuse_fields
from vectorless_web.api.routes.schemas import (
    BudgetIn,
    BudgetOut,
    EntryIn,
    EntryOut,
    EventPageOut,
    MemberOut,
    UsageOut,
)
from vectorless_web.console.subjects.audit import AuditQuery, page_of_workspace
from vectorless_web.console.subjects.usage import report_usage
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces import services
from vectorless_web.workspaces.forms import LexiconEntryForm
from vectorless_web.workspaces.models import Budget, LexiconEntry, Role
from vectorless_web.workspaces.selectors import (
    budget_in,
    budgets_of,
    entries_of,
    entry_in,
    members_of,
    people_in,
    workspace_for,
)

router = Router(tags=["Governing"])
PLACE = "/workspaces/{slug:slug}"
ENTRY = PLACE + "/lexicon/{entry}"


@router.get(PLACE + "/members", response=list[MemberOut], auth=Bearer(Scope.ADMIN))
def list_members(request: HttpRequest, slug: str) -> list[dict[str, Any]]:
    """Who belongs to the workspace by themselves, and with which role."""
    rows = members_of(workspace_for(request.user, slug, Role.OWNER))
    return [{"user": row.user.get_username(), "role": row.role, "joined_at": row.joined_at} for row in rows]


@router.get(PLACE + "/usage", response=UsageOut, auth=Bearer(Scope.ADMIN))
def show_usage(request: HttpRequest, slug: str, days: Annotated[int, Query(ge=1, le=366)] = 30) -> dict[str, Any]:
    """What was asked, read and spent within the last days: sums, and a row for each day."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    report = report_usage(days=days, group="person", workspace=workspace.pk)
    return {"days": report.days, "totals": report.totals, "by_day": report.by_day}


@router.get(PLACE + "/audit", response=EventPageOut, auth=Bearer(Scope.ADMIN))
def list_events(request: HttpRequest, slug: str, before: Annotated[Number | None, Query()] = None) -> dict[str, Any]:
    """The record of the workspace, the newest first; `before` takes the `next` of the page before."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    page = page_of_workspace(workspace, request.user, AuditQuery(), before=before)
    names = ("verb", "object_type", "object_id", "object_name", "details", "at")
    items = [
        {
            "id": row.pk,
            "actor": row.actor.get_username() if row.actor else "",
            **{name: getattr(row, name) for name in names},
        }
        for row in page.events
    ]
    return {"items": items, "next": page.older}


@router.get(PLACE + "/budgets", response=list[BudgetOut], auth=Bearer(Scope.ADMIN))
def list_budgets(request: HttpRequest, slug: str) -> list[dict[str, Any]]:
    """What may be spent on models, and what was."""
    return [_show_budget(row) for row in budgets_of(workspace_for(request.user, slug, Role.OWNER))]


@router.put(PLACE + "/budgets", response=BudgetOut, auth=Bearer(Scope.ADMIN))
def set_budget(request: HttpRequest, slug: str, asked: BudgetIn) -> dict[str, Any]:
    """Limit the workspace, or one member of it, in place of the limit there is."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    person = people_in(workspace).filter(username=asked.user).first() if asked.user else None
    if asked.user and person is None:
        raise Problem("Nobody of that name belongs to the workspace.", code="unknown_person", status=422)
    budget = Budget(
        workspace=workspace,
        user=person,
        period=asked.period,
        limit_usd=Decimal(str(asked.limit_usd)).quantize(Decimal("0.0001")),
        warn_percent=asked.warn_percent,
    )
    return _show_budget(services.set_budget(actor=request.user, budget=budget))


@router.delete(PLACE + "/budgets/{budget}", response={204: None}, auth=Bearer(Scope.ADMIN))
def remove_budget(request: HttpRequest, slug: str, budget: Number) -> Status[None]:
    """Lift a limit that an owner set."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    services.remove_budget(actor=request.user, budget=budget_in(workspace, budget))
    return Status(204, None)


def _show_budget(row: Budget) -> dict[str, Any]:
    return {
        "id": row.pk,
        "user": row.user.get_username() if row.user else None,
        "period": row.period,
        "limit_usd": float(row.limit_usd),
        "warn_percent": row.warn_percent,
        "spent_usd": float(row.spent_usd),
        "reserved_usd": float(row.reserved_usd),
        "by_staff": row.by_staff,
    }


@router.get(PLACE + "/lexicon", response=list[EntryOut])
def list_entries(request: HttpRequest, slug: str) -> Any:
    """The workspace's own words, by concept."""
    return entries_of(workspace_for(request.user, slug))


@router.get(ENTRY, response=EntryOut)
def show_entry(request: HttpRequest, slug: str, entry: Number) -> LexiconEntry:
    """One of them."""
    return entry_in(workspace_for(request.user, slug), entry)


@router.post(PLACE + "/lexicon", response={201: EntryOut}, auth=Bearer(Scope.WRITE))
def add_entry(request: HttpRequest, slug: str, asked: EntryIn) -> Status[LexiconEntry]:
    """Add what people ask for and how documents word it."""
    workspace = workspace_for(request.user, slug, Role.EDITOR)
    entry = _read_entry(asked, LexiconEntry(workspace=workspace))
    return Status(201, services.add_entry(actor=request.user, entry=entry))


@router.put(ENTRY, response=EntryOut, auth=Bearer(Scope.WRITE))
def change_entry(request: HttpRequest, slug: str, entry: Number, asked: EntryIn) -> LexiconEntry:
    """Change an entry; with the header If-Match only as long as it is as it was read."""
    workspace = workspace_for(request.user, slug, Role.EDITOR)
    with transaction.atomic():
        LexiconEntry.objects.select_for_update().filter(workspace=workspace, pk=entry).first()
        found = entry_in(workspace, entry)
        check_state(request, EntryOut, found)
        return services.change_entry(actor=request.user, entry=_read_entry(asked, found))


@router.delete(ENTRY, response={204: None}, auth=Bearer(Scope.WRITE))
def remove_entry(request: HttpRequest, slug: str, entry: Number) -> Status[None]:
    """Remove an entry."""
    workspace = workspace_for(request.user, slug, Role.EDITOR)
    services.remove_entry(actor=request.user, entry=entry_in(workspace, entry))
    return Status(204, None)


def _read_entry(asked: EntryIn, entry: LexiconEntry) -> LexiconEntry:
    form = LexiconEntryForm({**asked.dict(), "phrases": "\n".join(asked.phrases)}, instance=entry)
    if not form.is_valid():
        raise refuse_fields(form)
    return form.save(commit=False)
