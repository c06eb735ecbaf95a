"""What replies have in common: pages of lists by falling number, states of what is read, replies to repeated keys."""

import hashlib
import json
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Annotated, Any, Generic, TypeVar

from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.http import parse_etags
from ninja import Query, Schema, Status
from ninja.responses import NinjaJSONEncoder
from pydantic import Field

from vectorless_web.api.models import ApiToken, KeptReply
from vectorless_web.infra.limits import LARGEST
from vectorless_web.infra.web.problems import Problem

MOST, USUAL = 200, 50
"""Rows of one page at most, and unless asked otherwise."""
Row = TypeVar("Row")
Number = Annotated[int, Field(ge=1, le=LARGEST)]
"""The number of a row, as an address holds it."""


def answers(kind: str, shape: Mapping[str, Any] | None = None, empty: str = "") -> dict[str, Any]:
    """An operation's `openapi_extra` where it answers this kind of content and not JSON; `shape` is its schema, `empty`
    says what a reply without content means."""
    told: dict[int, Any] = {200: {"content": {kind: {"schema": shape or {"type": "string"}}}}}
    return {"responses": told | ({204: {"description": empty}} if empty else {})}


class PageQuery(Schema):
    """Which part of a list is asked for: rows numbered below `before`, `limit` of them."""

    before: Annotated[int | None, Field(ge=1, le=LARGEST, description="The `next` of the page before.")] = None
    limit: Annotated[int, Field(ge=1, le=MOST)] = USUAL


Paged = Query(...)


class PageOut(Schema, Generic[Row]):
    """A page of a list, newest first. `next` is the cursor of the following page; null on the last."""

    items: list[Row]
    next: int | None = None


def take_page(rows: QuerySet[Any], asked: PageQuery, show: Callable[[Any], Any] = lambda row: row) -> dict[str, Any]:
    """The page of these rows that was asked for, each as `show` writes it, else as the reply's schema reads it."""
    rows = rows.order_by("-pk") if asked.before is None else rows.filter(pk__lt=asked.before).order_by("-pk")
    found = list(rows[: asked.limit + 1])
    shown = found[: asked.limit]
    return {"items": [show(row) for row in shown], "next": shown[-1].pk if len(found) > len(shown) else None}


def once(act: Callable[..., Status[Any]]) -> Callable[..., Status[Any]]:
    """The operation, which answers a request with an Idempotency-Key what it answered the same request before.

    Problem (409) while the first request is under way, (422) when the key was used for another request.
    """

    @wraps(act)
    def reply(request: HttpRequest, **given: Any) -> Status[Any]:
        key = request.headers.get("Idempotency-Key", "").strip()
        return _reply_once(request, key, given, act) if key else act(request, **given)

    return reply


def _reply_once(request: HttpRequest, key: str, given: dict[str, Any], act: Callable[..., Status[Any]]) -> Status[Any]:
    if len(key) > 200 or "\0" in key:
        message = "An Idempotency-Key has at most 200 characters."
        raise Problem(message, remedy="Take a shorter one.", code="invalid_key")
    token: ApiToken = request.auth  # type: ignore[attr-defined]
    told = json.dumps([request.path, given], sort_keys=True, default=_tell_given)
    digest = hashlib.sha256(told.encode()).hexdigest()
    try:
        with transaction.atomic():
            kept = KeptReply.objects.create(token=token, key=key, request_hash=digest)
    except IntegrityError:
        return _repeat(KeptReply.objects.get(token=token, key=key), digest)
    try:
        made = act(request, **given)
    except BaseException:
        # Nothing was done, so that the same key may be tried again.
        kept.delete()
        raise
    body = json.loads(json.dumps(made.value, default=str))
    KeptReply.objects.filter(pk=kept.pk).update(status=made.status_code, body=body)
    return made


def _tell_given(value: Any) -> Any:
    """What tells one argument of an operation from another."""
    if isinstance(value, UploadedFile):
        digest = hashlib.file_digest(value, "sha256").hexdigest()
        value.seek(0)
        return [digest, value.name]
    return value.dict() if isinstance(value, Schema) else str(getattr(value, "pk", value))


def _repeat(kept: KeptReply, digest: str) -> Status[Any]:
    if kept.request_hash != digest:
        message = "This Idempotency-Key was used for another request."
        raise Problem(message, remedy="Take a fresh key for each request.", code="key_reused")
    if not kept.status:
        message = "The first request with this Idempotency-Key is still under way."
        raise Problem(message, remedy="Try again in a moment.", code="under_way", status=409, retry_after=2)
    return Status(kept.status, kept.body)


def mark_state(request: HttpRequest, response: HttpResponseBase) -> Any:
    """The reply to a GET with its state as ETag, or 304 without a body where If-None-Match names that state."""
    if request.method != "GET" or response.status_code != 200 or not isinstance(response, HttpResponse):
        return response
    tag = _tag_of(response.content)
    response["ETag"] = tag
    response["Cache-Control"] = "private, no-cache"
    return get_conditional_response(request, etag=tag, response=response) or response


def check_state(request: HttpRequest, shape: type[Schema], shown: Any) -> None:
    """Problem (412) where If-Match names another state than that of `shown`, as a GET would answer it now."""
    wanted = parse_etags(request.headers.get("If-Match", ""))
    if not wanted or wanted == ["*"]:
        return
    body = json.dumps(shape.model_validate(shown).model_dump(), cls=NinjaJSONEncoder).encode()
    if _tag_of(body) not in wanted:
        message = "This has changed since you read it."
        raise Problem(message, remedy="Read it again, then repeat your change.", code="changed", status=412)


def _tag_of(body: bytes) -> str:
    return f'"{hashlib.sha256(body).hexdigest()[:32]}"'
