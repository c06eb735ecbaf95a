"""Errors as programs read them: problem+json (RFC 9457) with a stable code, a plain sentence and the right status."""

import logging
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.forms import BaseForm
from django.http import Http404, HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.http.multipartparser import MultiPartParserError
from django.urls import resolve
from django.views.decorators.csrf import csrf_exempt
from ninja import Schema
from ninja.errors import AuthenticationError, HttpError, ValidationError
from pydantic import Field

from vectorless_web.engine.errors import ArtefactDamaged, InvalidInput
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


class FieldsProblem(Problem):
    """Fields that a form of the pages refused."""

    def __init__(self, errors: list[dict[str, str]]) -> None:
        told = "; ".join(f"{row['field']}: {row['message']}" for row in errors[:3])
        super().__init__(f"Some fields cannot be used. {told}", remedy="Correct them.", code="invalid_fields")
        self.errors = errors


def read_form(form: BaseForm) -> dict[str, Any]:
    """What a form of the pages holds; the problem of its fields where it is not valid."""
    if not form.is_valid():
        rows = [{"field": field, "message": " ".join(map(str, told))} for field, told in form.errors.items()]
        raise FieldsProblem(rows)
    return form.cleaned_data


@login_not_required
@csrf_exempt
def refuse_address(request: HttpRequest, rest: str) -> HttpResponse:
    """There is no operation at this address; with a slash too much, the way to the one without (308)."""
    if rest.endswith("/") and resolve(request.path.rstrip("/")).url_name != NOTHING:
        path, _, query = request.get_full_path().partition("?")
        return HttpResponsePermanentRedirect(path.rstrip("/") + ("?" + query if query else ""), preserve_request=True)
    remedy = "The page /api/v1/docs lists all addresses."
    return refuse(Problem("There is nothing at this address.", remedy=remedy, code="not_found", status=404))


WORDED: dict[type[Exception], tuple[str, str, str, int]] = {
    AuthenticationError: ("No open token was sent.", "Send one: Authorization: Bearer vlw_…", "unauthorised", 401),
    HttpError: ("The request cannot be read.", "Compare it with the page /api/v1/docs.", "bad_request", 400),
    Http404: (
        "There is no such thing, or you may not see it.",
        "Take names and numbers from a list.",
        "not_found",
        404,
    ),
    PermissionDenied: (
        "The person or token may not do this.",
        "Ask an owner of the workspace, or take a token of a wider scope.",
        "forbidden",
        403,
    ),
    InvalidInput: ("The request cannot be used.", "Change it as /api/v1/docs says.", "invalid_input", 422),
    MultiPartParserError: ("The form that was sent cannot be read.", "Send it once more.", "bad_request", 400),
}
"""Cause, remedy, code and status of errors; a cause or a remedy that the error itself states goes first."""


def problem_of(request: HttpRequest, error: Exception) -> Problem:
    """What a program is told of an error: of an outage its name, of a fault of the program, which is logged, no more
    than that there is one."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, ArtefactDamaged):
        return tell_damage(error)
    if isinstance(error, ValidationError):
        return FieldsProblem([{"field": ".".join(map(str, row["loc"])), "message": row["msg"]} for row in error.errors])
    for kind, (cause, remedy, code, status) in WORDED.items():
        if isinstance(error, kind):
            own = "" if kind is AuthenticationError else getattr(error, "cause", str(error))
            advice = getattr(error, "remedy", "") or remedy
            return Problem(own or cause, remedy=advice, code=code, status=getattr(error, "status_code", status))
    if (outage := outage_of(error)) is not None:
        return tell_outage(outage)
    logger.error("%s %s failed", request.method, request.path, exc_info=error)
    remedy = "It was noted; trying the same again is unlikely to help."
    return Problem("Something went wrong in the program.", remedy=remedy, code="internal_error", status=500)
