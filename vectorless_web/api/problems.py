"""Errors as programs read them: problem+json (RFC 9457) with a stable code, a plain sentence and the right status."""

import logging
from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.forms import BaseForm
from django.http import Http404, HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.http.multipartparser import MultiPartParserError
from django.http.response import HttpResponseBase
from django.urls import resolve
from django.views.decorators.csrf import csrf_exempt
from ninja import NinjaAPI, Schema
from ninja.errors import AuthenticationError, HttpError, ValidationError
from pydantic import Field

from vectorless_web.engine.errors import ArtefactDamaged, EngineError, InvalidInput
from vectorless_web.infra.outages import outage_of
from vectorless_web.infra.web.problems import Problem, tell_damage, tell_outage

logger = logging.getLogger(__name__)
TYPE = "application/problem+json"
NOTHING = "nothing"
"""The name of every address that has no operation."""


class FieldError(Schema):
    """What is wrong with one field of a request."""

    field: str
    message: str


class ProblemOut(Schema):
    """The body of every error: `detail` is its cause, `remedy` what to do about it."""

    type: str = "about:blank"
    title: str
    status: int
    code: str
    detail: str = Field(alias="cause")
    remedy: str
    retryable: bool = False
    errors: list[FieldError] = []

    @staticmethod
    def resolve_title(problem: Problem) -> str:
        """The code in words."""
        return problem.code.replace("_", " ").capitalize()


def refuse(problem: Problem) -> HttpResponse:
    """The problem as the body of a reply, with its status and headers."""
    response = problem.mark(HttpResponse(ProblemOut.from_orm(problem).model_dump_json(), content_type=TYPE))
    if problem.status == 401:
        response["WWW-Authenticate"] = 'Bearer realm="Vectorless Web"'
    return response


class Missing(Problem):
    """Something that the address or the body names is not there (404)."""

    def __init__(self, cause: str, *, remedy: str) -> None:
        super().__init__(cause, remedy=remedy, code="not_found", status=404)


class FieldsProblem(Problem):
    """Fields that a form of the pages refused."""

    def __init__(self, errors: list[dict[str, str]]) -> None:
        told = "; ".join(f"{row['field']}: {row['message']}" for row in errors[:3])
        super().__init__(f"Some fields cannot be used. {told}", remedy="Correct them.", code="invalid_fields")
        self.errors = errors


def refuse_fields(form: BaseForm) -> FieldsProblem:
    """The problem of a form that is not valid, by its fields."""
    rows = [{"field": field, "message": " ".join(map(str, told))} for field, told in form.errors.items()]
    return FieldsProblem(rows)


def add_headers(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """The response with how much of its minute the token has left; nothing of it is kept by a cache."""
    response.headers.setdefault("Cache-Control", "private, no-store")
    for name, value in getattr(request, "api_rate", {}).items():
        response[name] = value
    return response


@login_not_required
@csrf_exempt
def refuse_address(request: HttpRequest, rest: str) -> HttpResponse:
    """There is no operation at this address; with a slash too much, the way to the one without (308)."""
    if rest.endswith("/") and resolve(request.path.rstrip("/")).url_name != NOTHING:
        path, _, query = request.get_full_path().partition("?")
        return HttpResponsePermanentRedirect(path.rstrip("/") + ("?" + query if query else ""), preserve_request=True)
    return refuse(Missing("There is nothing at this address.", remedy="The page /api/v1/docs lists all addresses."))


def answer_errors(api: NinjaAPI) -> None:
    """Register what the API answers to each kind of error."""
    for kind, tell in TOLD.items():
        answer: Any = partial(_answer, tell)
        api.add_exception_handler(kind, answer)
    api.add_exception_handler(Exception, _answer_fault)


def _answer(tell: Callable[[Any], Problem], _request: HttpRequest, error: object) -> HttpResponse:
    return refuse(tell(error))


def _tell(cause: str, remedy: str, code: str, status: int) -> Callable[[Any], Problem]:
    """The problem of an error that says itself what is wrong, and perhaps what to do, or leaves that to these words."""

    def tell(error: Any) -> Problem:
        own = (error.cause, error.remedy) if isinstance(error, EngineError) else (str(error), "")
        return Problem(own[0] or cause, remedy=own[1] or remedy, code=code, status=status)

    return tell


def _tell_fields(error: ValidationError) -> Problem:
    return FieldsProblem([{"field": ".".join(map(str, row["loc"])), "message": row["msg"]} for row in error.errors])


NO_TOKEN = Problem(
    "No open token was sent.", remedy="Send one: Authorization: Bearer vlw_…", code="unauthorised", status=401
)
TOLD: dict[type[Exception], Callable[[Any], Problem]] = {
    Problem: lambda error: error,
    AuthenticationError: lambda _error: NO_TOKEN,
    HttpError: lambda error: Problem(
        str(error), remedy="Compare it with the page /api/v1/docs.", code="bad_request", status=error.status_code
    ),
    ValidationError: _tell_fields,
    ArtefactDamaged: tell_damage,
    Http404: _tell(
        "There is no such thing, or you may not see it.", "Take names and numbers from a list.", "not_found", 404
    ),
    PermissionDenied: _tell(
        "The person or token may not do this.",
        "Ask an owner of the workspace, or take a token of a wider scope.",
        "forbidden",
        403,
    ),
    InvalidInput: _tell("The request cannot be used.", "Change it as /api/v1/docs says.", "invalid_input", 422),
    MultiPartParserError: _tell("The form that was sent cannot be read.", "Send it once more.", "bad_request", 400),
}
"""The problem of each kind of error."""


def _answer_fault(request: HttpRequest, error: Any) -> HttpResponse:
    """An outage by its name; anything else is a fault of the program, which is logged and told without its text."""
    outage = outage_of(error)
    if outage is None:
        logger.exception("%s %s failed", request.method, request.path)
        remedy = "It was noted; trying the same again is unlikely to help."
        return refuse(Problem("Something went wrong in the program.", remedy=remedy, code="internal_error", status=500))
    return refuse(tell_outage(outage))
