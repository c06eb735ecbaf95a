"""A token's workspaces: folders, tags, search and lexicon, and what owners govern: settings, budgets, usage, record."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

from django.db import transaction
from django.http import HttpRequest
from ninja import ModelSchema, Query, Router, Schema
from pydantic import Field

from vectorless_web.api.authentication import Bearer, may_reach
from vectorless_web.api.models import ApiToken, Scope
from vectorless_web.api.problems import FieldsProblem, read_form
from vectorless_web.api.replies import Number, check_state
from vectorless_web.api.routes.places import ForEditor, ForOwner, ForViewer
from vectorless_web.api.routes.schemas import NO_NUL, PRINTED, NamedOut, ShortText
from vectorless_web.console.subjects.audit import AuditQuery, page_of_workspace
from vectorless_web.console.subjects.usage import UsageReport, report_usage
from vectorless_web.documents.models import Folder
from vectorless_web.documents.selectors import folder_in, folders_of, tags_of
from vectorless_web.documents.services import create_folder, delete_folder
from vectorless_web.documents.services import rename_folder as rename
from vectorless_web.infra.limits import NAME_MAX, PHRASE_MAX, SEARCH_MAX
from vectorless_web.infra.web.problems import Problem
from vectorless_web.runs.search import Found, SearchQuery, search_workspace
from vectorless_web.workspaces import selectors, services
from vectorless_web.workspaces.forms import LexiconEntryForm, SettingsForm
from vectorless_web.workspaces.models import AuditEvent, Budget, LexiconEntry, Workspace

router, governing = Router(tags=["Workspaces"]), Router(tags=["Governing"])
ONE = "/workspaces/{slug:slug}"
ENTRY, FOLDER = ONE + "/lexicon/{entry}", ONE + "/folders/{folder}"
editors, owners = Bearer(Scope.WRITE), Bearer(Scope.ADMIN)
Words = Annotated[str, Field(min_length=1, max_length=SEARCH_MAX, pattern=NO_NUL)]
FoundPage = Annotated[int, Query(ge=1, le=1000)]
Days = Annotated[int, Query(ge=1, le=366)]
Phrase = Annotated[str, Field(max_length=PHRASE_MAX, pattern=NO_NUL)]


class MeOut(Schema):
    """Who the token acts for."""

    user: str = Field(alias="user.username")
    token: str = Field(alias="name")
    scope: str
    expires_at: datetime | None


class WorkspaceOut(Schema):
    """A workspace, and the role of the token's person in it."""

    slug: str
    name: str
    description: str
    role: str


class FolderIn(Schema):
    """A folder's name."""

    name: Annotated[str, Field(min_length=1, max_length=NAME_MAX, pattern=PRINTED)]


class PassageOut(Schema):
    """A passage of a result, and its page."""

    page: int
    text: str


class FoundDocumentOut(Schema):
    """A document of the results with its best passages."""

    document: int = Field(alias="document.pk")
    title: str = Field(alias="document.title")
    passages: list[PassageOut]


class FoundOut(Schema):
    """One page of results; `pages` counts them all."""

    documents: list[FoundDocumentOut]
    total: int
    page: int
    pages: int


class SettingsIn(Schema):
    """What is to change of a workspace; what is left out stays."""

    name: Annotated[str, Field(min_length=1, max_length=NAME_MAX, pattern=PRINTED)] | None = None
    description: Annotated[str, Field(max_length=2000, pattern=NO_NUL)] | None = None
    settings: Annotated[dict[str, bool | int | float | ShortText | None], Field(max_length=50)] = {}


class SettingsOut(Schema):
    """Name, description, and every setting of the settings' page by its name."""

    name: str
    description: str
    settings: dict[str, bool | int | float | str | None]


class UsageOut(Schema):
    """What was used within some days."""

    days: int
    totals: dict[str, Any]
    by_day: list[dict[str, Any]]


class EventOut(ModelSchema):
    """An event of the record."""

    id: int
    actor: str = Field("", alias="actor.username")

    class Meta:
        model = AuditEvent
        fields = ("at", "verb", "object_type", "object_id", "object_name", "details")


class EventPageOut(Schema):
    """A page of the record. `next` is null on the last."""

    items: list[EventOut] = Field(alias="events")
    next: int | None = Field(alias="older")


class BudgetIn(Schema):
    """What may be spent in a period, by the workspace or by one member."""

    limit_usd: Annotated[float, Field(gt=0, le=10_000_000, allow_inf_nan=False)]
    period: Literal["day", "month"] = "month"
    warn_percent: Annotated[int, Field(ge=1, le=100)] = 80
    user: Annotated[str, Field(max_length=150, pattern=NO_NUL)] = ""


class BudgetOut(Schema):
    """A limit, and what of it is spent and put aside. `by_staff` is one that owners cannot change."""

    id: int
    user: str | None = Field(None, alias="user.username")
    period: str
    limit_usd: float
    warn_percent: int
    spent_usd: float
    reserved_usd: float
    by_staff: bool


class EntryIn(Schema):
    """Words of a workspace: what people ask for under `concept`, documents say in one of the `phrases`."""

    concept: Annotated[Phrase, Field(min_length=1)]
    phrases: Annotated[list[Phrase], Field(min_length=1)]
    statement: Annotated[str, Field(max_length=40, pattern=NO_NUL)] = ""
    note: Annotated[str, Field(max_length=300, pattern=NO_NUL)] = ""


class EntryOut(Schema):
    """An entry of the lexicon."""

    id: int
    concept: str
    phrases: list[str]
    statement: str
    note: str


@router.get("/me", response=MeOut)
def me(request: HttpRequest) -> ApiToken:
    """Who the token acts for, and how far it goes."""
    token: ApiToken = request.auth  # type: ignore[attr-defined]
    return token


@router.get("/workspaces", response=list[WorkspaceOut])
def list_workspaces(request: HttpRequest) -> list[Workspace]:
    """The workspaces that the token reaches, by name."""
    return [row for row in selectors.workspaces_of(request.user) if may_reach(me(request), row.slug)]


@router.get(ONE, response=WorkspaceOut)
def show_workspace(request: HttpRequest, workspace: ForViewer) -> Workspace:
    """One workspace."""
    return workspace


@router.get(ONE + "/folders", response=list[NamedOut])
def list_folders(request: HttpRequest, workspace: ForViewer) -> Any:
    """The folders that the person may see."""
    return folders_of(workspace, request.user)


@router.post(ONE + "/folders", response=NamedOut, auth=editors)
def add_folder(request: HttpRequest, workspace: ForEditor, asked: FolderIn) -> Any:
    """The folder of that name, made when there is none."""
    return create_folder(actor=request.user, workspace=workspace, name=" ".join(asked.name.split()))


@router.patch(FOLDER, response=NamedOut, auth=editors)
def rename_folder(request: HttpRequest, workspace: ForEditor, folder: Number, asked: FolderIn) -> Folder:
    """Give a folder another name."""
    found = folder_in(workspace, request.user, folder)
    rename(actor=request.user, folder=found, name=" ".join(asked.name.split()))
    return found


@router.delete(FOLDER, response={204: None}, auth=editors)
def remove_folder(request: HttpRequest, workspace: ForEditor, folder: Number) -> None:
    """Delete a folder that is open to all; its documents stay, in no folder."""
    delete_folder(actor=request.user, folder=folder_in(workspace, request.user, folder))


@router.get(ONE + "/tags", response=list[str])
def list_tags(request: HttpRequest, workspace: ForViewer) -> list[str]:
    """The tags in use, by name."""
    return [tag for tag, _count in tags_of(workspace, request.user)]


@router.get(ONE + "/search", response=FoundOut)
def search(request: HttpRequest, workspace: ForViewer, text: Words, page: FoundPage = 1) -> Found:
    """The documents that hold the words, best first, each with its best passages: what the search page shows."""
    return search_workspace(workspace, request.user, SearchQuery(text=text, page=page))


def _show_settings(workspace: Workspace) -> dict[str, Any]:
    stored = {name: workspace.setting(name) for name in Workspace.DEFAULTS}
    return {"name": workspace.name, "description": workspace.description, "settings": stored}


@governing.get(ONE + "/settings", response=SettingsOut, auth=owners)
def show_settings(request: HttpRequest, workspace: ForOwner) -> dict[str, Any]:
    """Name, description, the limits of runs, and how documents are chosen and searched."""
    return _show_settings(workspace)


@governing.patch(ONE + "/settings", response=SettingsOut, auth=owners)
def change_settings(request: HttpRequest, workspace: ForOwner, asked: SettingsIn) -> dict[str, Any]:
    """Change some of them; with the header If-Match only as long as they are as they were read."""
    with transaction.atomic():
        stored = Workspace.objects.select_for_update().get(pk=workspace.pk)
        shown = _show_settings(stored)
        check_state(request, SettingsOut, shown)
        if unknown := asked.settings.keys() - shown["settings"].keys():
            raise FieldsProblem([{"field": f"settings.{name}", "message": "No such setting."} for name in unknown])
        plain = asked.dict(exclude={"settings"}, exclude_none=True)
        typed = {**shown, **plain, **shown["settings"], **asked.settings}
        form = SettingsForm(typed, instance=workspace)
        read = read_form(form)
        named = {name: read[name] for name in ("name", "description")}
        changed = services.update_workspace(actor=request.user, workspace=stored, settings=form.limits(), **named)
    return _show_settings(changed)


@governing.get(ONE + "/usage", response=UsageOut, auth=owners)
def show_usage(request: HttpRequest, workspace: ForOwner, days: Days = 30) -> UsageReport:
    """What was asked, read and spent within the last days: sums, and a row for each day."""
    return report_usage(days=days, group="person", workspace=workspace.pk)


@governing.get(ONE + "/audit", response=EventPageOut, auth=owners)
def list_events(request: HttpRequest, workspace: ForOwner, before: Annotated[Number | None, Query()] = None) -> Any:
    """The record of the workspace, the newest first; `before` takes the `next` of the page before."""
    return page_of_workspace(workspace, request.user, AuditQuery(), before=before)


@governing.get(ONE + "/budgets", response=list[BudgetOut], auth=owners)
def list_budgets(request: HttpRequest, workspace: ForOwner) -> Any:
    """What may be spent on models, and what was."""
    return selectors.budgets_of(workspace)


@governing.put(ONE + "/budgets", response=BudgetOut, auth=owners)
def set_budget(request: HttpRequest, workspace: ForOwner, asked: BudgetIn) -> Budget:
    """Limit the workspace, or one member of it, in place of the limit there is."""
    person = selectors.people_in(workspace).filter(username=asked.user).first() if asked.user else None
    if asked.user and person is None:
        remedy = "Take a user name from the list of members."
        raise Problem("Nobody of that name belongs to the workspace.", remedy=remedy, code="unknown_person")
    limit = Decimal(str(asked.limit_usd)).quantize(Decimal("0.0001"))
    given = asked.dict(include={"period", "warn_percent"})
    budget = Budget(workspace=workspace, user=person, limit_usd=limit, **given)
    return services.set_budget(actor=request.user, budget=budget)


@governing.delete(ONE + "/budgets/{budget}", response={204: None}, auth=owners)
def remove_budget(request: HttpRequest, workspace: ForOwner, budget: Number) -> None:
    """Lift a limit that an owner set."""
    services.remove_budget(actor=request.user, budget=selectors.budget_in(workspace, budget))


@governing.get(ONE + "/lexicon", response=list[EntryOut])
def list_entries(request: HttpRequest, workspace: ForViewer) -> Any:
    """The workspace's own words, by concept."""
    return selectors.entries_of(workspace)


@governing.get(ENTRY, response=EntryOut)
def show_entry(request: HttpRequest, workspace: ForViewer, entry: Number) -> LexiconEntry:
    """One of them."""
    return selectors.entry_in(workspace, entry)


@governing.post(ONE + "/lexicon", response={201: EntryOut}, auth=editors)
def add_entry(request: HttpRequest, workspace: ForEditor, asked: EntryIn) -> LexiconEntry:
    """Add what people ask for and how documents word it."""
    entry = _read_entry(asked, LexiconEntry(workspace=workspace))
    return services.add_entry(actor=request.user, entry=entry)


@governing.put(ENTRY, response=EntryOut, auth=editors)
def change_entry(request: HttpRequest, workspace: ForEditor, entry: Number, asked: EntryIn) -> LexiconEntry:
    """Change an entry; with the header If-Match only as long as it is as it was read."""
    with transaction.atomic():
        LexiconEntry.objects.select_for_update().filter(workspace=workspace, pk=entry).first()
        found = selectors.entry_in(workspace, entry)
        check_state(request, EntryOut, found)
        return services.change_entry(actor=request.user, entry=_read_entry(asked, found))


@governing.delete(ENTRY, response={204: None}, auth=editors)
def remove_entry(request: HttpRequest, workspace: ForEditor, entry: Number) -> None:
    """Remove an entry."""
    services.remove_entry(actor=request.user, entry=selectors.entry_in(workspace, entry))


def _read_entry(asked: EntryIn, entry: LexiconEntry) -> LexiconEntry:
    form = LexiconEntryForm({**asked.dict(), "phrases": "\n".join(asked.phrases)}, instance=entry)
    read_form(form)
    return form.save(commit=False)
