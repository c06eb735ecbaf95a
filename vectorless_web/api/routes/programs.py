"""What owners set up for programs: service accounts with their tokens, webhooks with their deliveries, sources."""

from typing import Annotated, Any, Literal

from django.http import HttpRequest
from ninja import ModelSchema, Router, Schema
from pydantic import Field

from vectorless_web.api import services
from vectorless_web.api.authentication import Bearer
from vectorless_web.api.models import ApiToken, Delivery, EventKind, Scope, Webhook
from vectorless_web.api.replies import Number, Paged, PageOut, PageQuery, take_page
from vectorless_web.api.routes.places import ForOwner
from vectorless_web.api.routes.schemas import NO_NUL, PRINTED
from vectorless_web.api.webhooks import services as webhooks
from vectorless_web.documents.selectors import folder_in
from vectorless_web.infra.limits import NAME_MAX
from vectorless_web.infra.lookups import one_or_404
from vectorless_web.infra.places import Access
from vectorless_web.sources import selectors
from vectorless_web.sources import services as sources
from vectorless_web.sources.models import Kind, Source, SourceFile
from vectorless_web.workspaces.selectors import service_account_in, service_accounts_of
from vectorless_web.workspaces.services import add_service_account, remove_service_account

router = Router(tags=["Programs"], auth=Bearer(Scope.ADMIN))
ACCOUNTS = "/workspaces/{slug:slug}/service-accounts"
ACCOUNT = ACCOUNTS + "/{account}"
HOOKS = "/workspaces/{slug:slug}/webhooks"
HOOK = HOOKS + "/{webhook}"
SOURCES = "/workspaces/{slug:slug}/sources"
SOURCE = SOURCES + "/{source}"


class AccountIn(Schema):
    """A program's name, and its role, which is never that of an owner."""

    name: Annotated[str, Field(min_length=1, max_length=60, pattern=PRINTED)]
    role: Literal["viewer", "member", "editor"] = "member"


class AccountOut(Schema):
    """A service account. `user` is how the record names it."""

    id: int
    name: str = Field(alias="user.first_name")
    user: str = Field(alias="user.username")
    role: str


class TokenIn(Schema):
    """A token's name, scope and days until it ends; null for one that does not end by itself."""

    name: Annotated[str, Field(min_length=1, max_length=NAME_MAX, pattern=PRINTED)]
    scope: Literal["read", "ask", "write", "admin"] = "read"
    days: Annotated[int | None, Field(ge=1, le=3650)] = 90


class TokenOut(ModelSchema):
    """A token by its first characters."""

    id: int

    class Meta:
        model = ApiToken
        fields = ("name", "prefix", "scope", "expires_at", "last_used_at")


class TokenMadeOut(TokenOut):
    """A token that was made just now, with its text."""

    token: str


class HookIn(Schema):
    """An address, and the events that it is told of."""

    address: Annotated[str, Field(min_length=1, max_length=500, pattern=PRINTED)]
    events: Annotated[list[EventKind], Field(min_length=1, max_length=len(EventKind))]


class SwitchIn(Schema):
    """Whether a webhook is told of events."""

    enabled: bool


class HookOut(ModelSchema):
    """A webhook. `failing_since` is null when its last delivery was taken."""

    id: int
    events: list[str]

    class Meta:
        model = Webhook
        fields = ("address", "enabled", "failing_since")


class HookMadeOut(HookOut):
    """A webhook with the secret that signs for it from now on."""

    secret: str


class DeliveryOut(ModelSchema):
    """An event on its way; `message` is the webhook-id, `reply` the status of the last reply, 0 for none."""

    id: int

    class Meta:
        model = Delivery
        fields = ("message", "kind", "status", "attempts", "reply", "error", "created_at")


class AccessIn(Schema):
    """Who enters a place."""

    account: Annotated[str, Field(max_length=200, pattern=NO_NUL)] = ""
    secret: Annotated[str, Field(max_length=500, pattern=NO_NUL)] = ""


class SourceIn(AccessIn):
    """A place that documents come from: a folder of the server, or the address of a bucket or of a WebDAV folder."""

    kind: Kind
    address: Annotated[str, Field(min_length=1, max_length=500, pattern=PRINTED)]
    region: Annotated[str, Field(max_length=40, pattern=NO_NUL)] = ""
    folder: Number | None = None
    every_minutes: Annotated[int, Field(ge=5, le=7 * 24 * 60)] = 60


class SourceOut(ModelSchema):
    """A source. `files` and `bytes` are what the last look found; `error` says why one found nothing out."""

    id: int
    is_looking: bool

    class Meta:
        model = Source
        fields = (
            "kind",
            "address",
            "account",
            "folder",
            "every_minutes",
            "enabled",
            "looked_at",
            "files",
            "bytes",
            "error",
        )


class SourceFileOut(ModelSchema):
    """A file of a source, and the document that it became."""

    id: int
    document: int | None = Field(None, alias="document.pk")

    class Meta:
        model = SourceFile
        fields = ("path", "size", "state", "error", "at")


@router.get(ACCOUNTS, response=list[AccountOut])
def list_accounts(request: HttpRequest, workspace: ForOwner) -> Any:
    """The programs that belong to the workspace."""
    return service_accounts_of(workspace)


@router.post(ACCOUNTS, response={201: AccountOut})
def add_account(request: HttpRequest, workspace: ForOwner, asked: AccountIn) -> Any:
    """Add a program as a member."""
    made = add_service_account(actor=request.user, workspace=workspace, **asked.dict())
    return service_account_in(workspace, made.pk)


@router.delete(ACCOUNT, response={204: None})
def remove_account(request: HttpRequest, workspace: ForOwner, account: Number) -> None:
    """End a service account with its tokens; what it added and asked stays."""
    remove_service_account(actor=request.user, account=service_account_in(workspace, account))


@router.get(ACCOUNT + "/tokens", response=list[TokenOut])
def list_tokens(request: HttpRequest, workspace: ForOwner, account: Number) -> Any:
    """The tokens of a service account that were not revoked."""
    return services.open_tokens(service_account_in(workspace, account).user)


@router.post(ACCOUNT + "/tokens", response={201: TokenMadeOut})
def make_token(request: HttpRequest, workspace: ForOwner, account: Number, asked: TokenIn) -> dict[str, Any]:
    """Make a token of a service account; its text is in this reply alone."""
    made, text = services.make_token(user=request.user, account=service_account_in(workspace, account), **asked.dict())
    return {**TokenOut.from_orm(made).dict(), "token": text}


@router.delete(ACCOUNT + "/tokens/{token}", response={204: None})
def revoke_token(request: HttpRequest, workspace: ForOwner, account: Number, token: Number) -> None:
    """Close a token for good."""
    row = service_account_in(workspace, account)
    found = one_or_404(services.open_tokens(row.user), "There is no such token.", pk=token)
    services.revoke_token(user=request.user, token=found)


@router.get(HOOKS, response=list[HookOut])
def list_webhooks(request: HttpRequest, workspace: ForOwner) -> Any:
    """The webhooks of the workspace."""
    return webhooks.webhooks_of(workspace)


@router.post(HOOKS, response={201: HookMadeOut})
def add_webhook(request: HttpRequest, workspace: ForOwner, asked: HookIn) -> dict[str, Any]:
    """Add a webhook; its secret is in this reply alone."""
    made, secret = webhooks.add_webhook(actor=request.user, workspace=workspace, **asked.dict())
    return {**HookOut.from_orm(made).dict(), "secret": secret}


@router.get(HOOK, response=HookOut)
def show_webhook(request: HttpRequest, workspace: ForOwner, webhook: Number) -> Webhook:
    """One webhook."""
    return webhooks.webhook_in(workspace, webhook)


@router.patch(HOOK, response=HookOut)
def switch_webhook(request: HttpRequest, workspace: ForOwner, webhook: Number, asked: SwitchIn) -> Webhook:
    """Switch a webhook on or off; what waits while it is off is given up."""
    webhooks.switch_webhook(actor=request.user, webhook=webhooks.webhook_in(workspace, webhook), on=asked.enabled)
    return webhooks.webhook_in(workspace, webhook)


@router.post(HOOK + "/secret", response=HookMadeOut)
def rotate_secret(request: HttpRequest, workspace: ForOwner, webhook: Number) -> dict[str, Any]:
    """Make a new secret, which is in this reply alone; the one before signs beside it for a day."""
    found = webhooks.webhook_in(workspace, webhook)
    return {**HookOut.from_orm(found).dict(), "secret": webhooks.rotate_secret(actor=request.user, webhook=found)}


@router.delete(HOOK, response={204: None})
def remove_webhook(request: HttpRequest, workspace: ForOwner, webhook: Number) -> None:
    """Remove a webhook with its log."""
    webhooks.remove_webhook(actor=request.user, webhook=webhooks.webhook_in(workspace, webhook))


@router.get(HOOK + "/deliveries", response=PageOut[DeliveryOut])
def list_deliveries(request: HttpRequest, workspace: ForOwner, webhook: Number, asked: PageQuery = Paged) -> Any:
    """What a webhook was told, the newest first."""
    return take_page(webhooks.webhook_in(workspace, webhook).deliveries.all(), asked)


@router.post(HOOK + "/deliveries/{delivery}/again", response={202: None})
def redeliver(request: HttpRequest, workspace: ForOwner, webhook: Number, delivery: Number) -> None:
    """Send one event again, with the id that it had."""
    found = webhooks.delivery_of(webhooks.webhook_in(workspace, webhook), delivery)
    webhooks.redeliver(actor=request.user, delivery=found)


@router.get(SOURCES, response=list[SourceOut])
def list_sources(request: HttpRequest, workspace: ForOwner) -> Any:
    """The places that documents come from by themselves."""
    return selectors.sources_of(workspace, request.user)


@router.post(SOURCES, response={201: SourceOut})
def add_source(request: HttpRequest, workspace: ForOwner, asked: SourceIn) -> Source:
    """Add a source, switched off, and look what would come."""
    access = Access(asked.kind, asked.address, asked.account, asked.secret, asked.region)
    folder = folder_in(workspace, request.user, asked.folder) if asked.folder else None
    return sources.add_source(
        actor=request.user, workspace=workspace, access=access, folder=folder, every_minutes=asked.every_minutes
    )


@router.get(SOURCE, response=SourceOut)
def show_source(request: HttpRequest, workspace: ForOwner, source: Number) -> Source:
    """One source, and what its last look found."""
    return selectors.source_in(workspace, request.user, source)


@router.patch(SOURCE, response=SourceOut)
def switch_source(request: HttpRequest, workspace: ForOwner, source: Number, asked: SwitchIn) -> Source:
    """Switch a source on, in the name of the token's person, or off."""
    sources.switch_source(actor=request.user, source=show_source(request, workspace, source), on=asked.enabled)
    return show_source(request, workspace, source)


@router.put(SOURCE + "/secret", response=SourceOut)
def change_secret(request: HttpRequest, workspace: ForOwner, source: Number, asked: AccessIn) -> Source:
    """Replace account and secret of a source, and look whether they are right."""
    sources.change_secret(actor=request.user, source=show_source(request, workspace, source), **asked.dict())
    return show_source(request, workspace, source)


@router.post(SOURCE + "/look", response={202: SourceOut})
def look_again(request: HttpRequest, workspace: ForOwner, source: Number) -> Source:
    """Look now, and try what failed once more."""
    sources.look_again(actor=request.user, source=show_source(request, workspace, source))
    return show_source(request, workspace, source)


@router.get(SOURCE + "/files", response=PageOut[SourceFileOut])
def list_files(request: HttpRequest, workspace: ForOwner, source: Number, asked: PageQuery = Paged) -> dict[str, Any]:
    """What became of the files of a source, the newest first; documents closed to the person are not named."""
    return take_page(selectors.files_of(show_source(request, workspace, source), request.user), asked)


@router.delete(SOURCE, response={204: None})
def remove_source(request: HttpRequest, workspace: ForOwner, source: Number) -> None:
    """Remove a source; its documents stay."""
    sources.remove_source(actor=request.user, source=show_source(request, workspace, source))
