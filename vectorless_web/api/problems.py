"""Errors as programs read them: problem+json (RFC 9457) with a stable code, a plain sentence and the right status."""

import json
import logging
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.forms import BaseForm
from django.http import Http404, HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt
from ninja import NinjaAPI, Schema
from ninja.errors import AuthenticationError, HttpError, ValidationError

from vectorless_web.engine.errors import ArtefactDamaged, InvalidInput
from vectorless_web.infra.outages import outage_of
from vectorless_web.infra.web.problems import Problem

logger = logging.getLogger(__name__)
TYPE = "application/problem+json"


class FieldError(Schema):
    """What is wrong with one field of a request."""

    field: str
    message: str


class ProblemOut(Schema):
    """The body of every error."""

    type: str = "about:blank"
    title: str
    status: int
    code: str
    detail: str
    retryable: bool = False
    errors: list[FieldError] = []


def refuse_request(request: HttpRequest, problem: Problem) -> HttpResponse:
    """The problem as the body of a reply, with its status and headers."""
    body = {
        "type": "about:blank",
        "title": problem.code.replace("_", " ").capitalize(),
        "status": problem.status,
        "code": problem.code,
        "detail": problem.message,
        "retryable": problem.retryable,
        "errors": getattr(problem, "errors", []),
    }
    response = problem.mark(HttpResponse(json.dumps(body), content_type=TYPE))
    if problem.status == 401:
        response["WWW-Authenticate"] = 'Bearer realm="Vectorless Web"'
    return response


class FieldsProblem(Problem):
    """Fields that a form of the pages refused."""

    def __init__(self, errors: list[dict[str, str]]) -> None:
        told = "; ".join(f"{row['field']}: {row['message']}" for row in errors[:3])
        super().__init__(f"Some fields cannot be used. {told}", code="invalid_fields", status=422)
        self.errors = errors


def refuse_fields(form: BaseForm) -> FieldsProblem:
    """The problem of a form that is not valid, by its fields."""
    rows = [{"field": field, "message": " ".join(map(str, told))} for field, told in form.errors.items()]
    return FieldsProblem(rows)


def add_headers(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """The response with how much of its minute the token has left; nothing of it is kept by a cache."""
    response.headers.setdefault("Cache-Control", "private, no-store")
    if rate := getattr(request, "api_rate", None):
        response["RateLimit-Limit"] = str(rate.limit)
        response["RateLimit-Remaining"] = str(rate.remaining)
        response["RateLimit-Reset"] = str(rate.reset)
    return response


@login_not_required
@csrf_exempt
def refuse_address(request: HttpRequest, rest: str) -> HttpResponse:
    """There is no operation at this address."""
    return refuse_request(request, Problem("There is nothing at this address.", code="not_found", status=404))


def answer_errors(api: NinjaAPI) -> None:
    """Register what the API answers to each kind of error."""
    plain: list[tuple[type[Exception], str, int, str]] = [
        (Http404, "not_found", 404, "There is no such thing, or you may not see it."),
        (PermissionDenied, "forbidden", 403, "The person or token may not do this."),
        (AuthenticationError, "unauthorised", 401, "Send a valid API token: Authorization: Bearer vlw_…"),
        (InvalidInput, "invalid_input", 422, "The request cannot be used."),
        (MultiPartParserError, "bad_request", 400, "The form that was sent cannot be read."),
    ]
    for kind, code, status, message in plain:
        api.add_exception_handler(kind, _answer_plainly(code, status, message))
    told: list[tuple[type[Exception], Any]] = [
        (Problem, refuse_request),
        (ValidationError, _answer_fields),
        (HttpError, _answer_http),
        (ArtefactDamaged, _answer_damage),
        (Exception, _answer_fault),
    ]
    for kind, answer in told:
        api.add_exception_handler(kind, answer)


def _answer_plainly(code: str, status: int, message: str) -> Any:
    def answer(request: HttpRequest, error: Exception) -> HttpResponse:
        said = "" if isinstance(error, AuthenticationError) else str(error)
        return refuse_request(request, Problem(said or message, code=code, status=status))

    return answer


def _answer_fields(request: HttpRequest, error: ValidationError) -> HttpResponse:
    errors = [{"field": ".".join(map(str, row["loc"])), "message": row["msg"]} for row in error.errors]
    return refuse_request(request, FieldsProblem(errors))


def _answer_http(request: HttpRequest, error: HttpError) -> HttpResponse:
    return refuse_request(request, Problem(str(error), code="bad_request", status=error.status_code))


def _answer_damage(request: HttpRequest, error: ArtefactDamaged) -> HttpResponse:
    message = f"{error.message} The document is being read again; try again in a moment."
    return refuse_request(request, Problem(message, code=error.code, status=503, retryable=True, retry_after=5))


def _answer_fault(request: HttpRequest, error: Exception) -> HttpResponse:
    """An outage by its name; anything else is a fault of the program, which is logged and told without its text."""
    outage = outage_of(error)
    if outage is not None:
        problem = Problem(
            outage.message, code=outage.code, status=outage.status, retryable=True, retry_after=outage.retry_after
        )
        return refuse_request(request, problem)
    logger.exception("%s %s failed", request.method, request.path)
    message = "Something went wrong in the program. It was noted; trying the same again is unlikely to help."
    return refuse_request(request, Problem(message, code="internal_error", status=500))
