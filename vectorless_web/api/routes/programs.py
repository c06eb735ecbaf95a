"""Webhooks, so that a program which wants to be told can sign itself up; the rest is on their page."""

from typing import Annotated, Any

from django.http import HttpRequest
from ninja import ModelSchema, Router, Schema
from pydantic import Field

from vectorless_web.api.authentication import Bearer
from vectorless_web.api.models import EventKind, Scope, Webhook
from vectorless_web.api.replies import Number
from vectorless_web.api.routes.schemas import PRINTED
from vectorless_web.api.webhooks import services as webhooks
from vectorless_web.workspaces.models import Role, Workspace
from vectorless_web.workspaces.selectors import workspace_alone

router = Router(tags=["Programs"], auth=Bearer(Scope.ADMIN))
HOOKS = "/workspaces/{slug:slug}/webhooks"


class HookIn(Schema):
    """An address, and the events that it is told of."""

    address: Annotated[str, Field(min_length=1, max_length=500, pattern=PRINTED)]
    events: Annotated[list[EventKind], Field(min_length=1, max_length=len(EventKind))]


class HookOut(ModelSchema):
    """A webhook. `failing_since` is null when its last delivery was taken."""

    id: int
    events: list[str]

    class Meta:
        model = Webhook
        fields = ("address", "enabled", "failing_since")


class HookMadeOut(HookOut):
    """A webhook that was added just now, with the secret that signs for it."""

    secret: str


def _govern(request: HttpRequest, slug: str) -> Workspace:
    return workspace_alone(request.user, slug, Role.OWNER)


@router.get(HOOKS, response=list[HookOut])
def list_webhooks(request: HttpRequest, slug: str) -> Any:
    """The webhooks of the workspace."""
    return webhooks.webhooks_of(_govern(request, slug))


@router.post(HOOKS, response={201: HookMadeOut})
def add_webhook(request: HttpRequest, slug: str, asked: HookIn) -> dict[str, Any]:
    """Add a webhook; its secret is in this reply alone."""
    made, secret = webhooks.add_webhook(actor=request.user, workspace=_govern(request, slug), **asked.dict())
    return {**HookOut.from_orm(made).dict(), "secret": secret}


@router.delete(HOOKS + "/{webhook}", response={204: None})
def remove_webhook(request: HttpRequest, slug: str, webhook: Number) -> None:
    """Remove a webhook with its log."""
    webhooks.remove_webhook(actor=request.user, webhook=webhooks.webhook_in(_govern(request, slug), webhook))
