"""States of what is read: what has not changed is not sent again, and only what was seen is changed."""

import hashlib
import json
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.http import parse_etags
from ninja import Schema
from ninja.responses import NinjaJSONEncoder

from vectorless_web.infra.web.problems import Problem


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
        message = "This has changed since you read it. Read it again, then repeat your change."
        raise Problem(message, code="changed", status=412)


def _tag_of(body: bytes) -> str:
    return f'"{hashlib.sha256(body).hexdigest()[:32]}"'
