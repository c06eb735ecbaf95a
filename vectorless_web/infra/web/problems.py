"""Errors that end a request with a plain sentence, a stable code and the right status."""

import logging
import sys
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.multipartparser import MultiPartParserError
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import is_valid_path
from django.utils.translation import gettext as _
from django.views.defaults import server_error

from vectorless_web.engine.errors import ArtefactDamaged
from vectorless_web.infra.outages import Outage, outage_of
from vectorless_web.infra.web.pages import common, is_htmx

logger = logging.getLogger(__name__)

REPAIR_SECONDS = 5
"""When a page is worth asking for again while a document is being repaired: most are read in less."""


class Problem(Exception):
    """Raised anywhere below a view: `cause` says what is wrong, `remedy` what to do about it, `message` both.

    `code` is stable; `status` is HTTP's; `retry_after` says in how many seconds it is worth trying again.
    """

    def __init__(
        self,
        cause: str,
        *,
        remedy: str,
        code: str,
        status: int = 422,
        retryable: bool = False,
        retry_after: int | None = None,
    ) -> None:
        self.cause, self.remedy = cause, remedy
        self.message = f"{cause} {remedy}".rstrip()
        super().__init__(self.message)
        self.code = code
        self.status = status
        self.retryable = retryable or retry_after is not None
        self.retry_after = retry_after

    def mark(self, response: HttpResponse) -> HttpResponse:
        """The response, with the problem's status and headers."""
        response.status_code = self.status
        if self.retry_after is not None:
            response["Retry-After"] = str(self.retry_after)
        return response


class ProblemMiddleware:
    """Turns a Problem into its page, or into a fragment when htmx asked."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.method != "GET" or not isinstance(response, HttpResponseNotAllowed) or response.content:
            return response
        # The address of a form stays in the browser's bar after it was sent; opened again it would be an empty page.
        sentence = _("This address only takes what a form sends, and opening it has changed nothing.")
        problem = Problem(sentence, remedy=_("Go back to the page of the form."), code="form_only", status=405)
        page = show_problem(request, problem, above=page_above(request.path))
        page["Allow"] = response["Allow"]
        return page

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Django calls this for what a view raises; other exceptions go their usual way."""
        if isinstance(exception, ArtefactDamaged):
            exception = tell_damage(exception)
        if not isinstance(exception, Problem):
            return None
        above = "" if request.method == "GET" else page_before(request)
        return show_problem(request, exception, above=above)


def show_problem(request: HttpRequest, problem: Problem, **more: Any) -> HttpResponse:
    """The problem as a page, or as a fragment when htmx asked; `more` are further values of its template."""
    template = "_problem.html" if is_htmx(request) else "problem.html"
    return problem.mark(render(request, template, {"problem": problem, **more}))


def page_before(request: HttpRequest) -> str:
    """The page of this site that a form was sent from; where no browser says, the nearest above the form's address."""
    own = f"{request.scheme}://{request.get_host()}/"
    sent_from = request.headers.get("Referer", "")
    page = "/" + sent_from.removeprefix(own).partition("#")[0]
    path = page.partition("?")[0]
    is_known = sent_from.startswith(own) and path != request.path and is_valid_path(path)
    return page if is_known else page_above(request.path)


def page_above(path: str) -> str:
    """The nearest address above a path at which something is."""
    while path != "/":
        path = path.rstrip("/").rpartition("/")[0] + "/"
        if is_valid_path(path):
            break
    return path


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler of status 400: a form that was not even read gets its sentence too."""
    problem = _form_problem(exception)
    if problem is None:
        return render(request, "400.html", status=400)
    return show_problem(request, problem)


def _form_problem(exception: Exception) -> Problem | None:
    """What was wrong with a form's body; None for any other bad request."""
    if isinstance(exception, TooManyFilesSent):
        most = settings.DATA_UPLOAD_MAX_NUMBER_FILES
        return Problem(
            "These are too many files.",
            remedy=f"Upload at most {most} files at a time.",
            code="too_many_files",
            status=413,
        )
    if isinstance(exception, TooManyFieldsSent):
        most = settings.DATA_UPLOAD_MAX_NUMBER_FIELDS
        message = f"The form has more than {most:,} fields."
        return Problem(message, remedy="Send fewer at a time.", code="too_many_fields", status=413)
    if isinstance(exception, RequestDataTooBig):
        most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 2**20
        message = f"The form's text is longer than {most} MB."
        return Problem(message, remedy="Send less at a time, or send it as a file.", code="form_too_large", status=413)
    if isinstance(exception, MultiPartParserError):
        message, remedy = (
            "The form arrived damaged, so nothing was stored.",
            "Load the page again and send it once more.",
        )
        return Problem(message, remedy=remedy, code="form_damaged", status=400)
    return None


def tell_of_outage(request: HttpRequest) -> HttpResponse:
    """The handler of uncaught errors (`handler500`): an outage's own page, else the page of a fault in the program.

    Sessions, sign-in and other middlewares meet an outage before any view does; Django
    brings all of them here, with the error being handled. The other context processors are not run: they
    would ask the database.
    """
    error = sys.exc_info()[1]
    outage = outage_of(error) if error is not None else None
    if outage is None:
        return server_error(request)
    logger.warning("%s %s: %s (%s)", request.method, request.path, outage.code, error)
    problem = tell_outage(outage)
    # What the middleware of htmx would have noted may not be there yet.
    template = "_problem.html" if "HX-Request" in request.headers else "problem.html"
    context = {**common(request), "problem": problem, "request": request}
    return problem.mark(HttpResponse(render_to_string(template, context)))


def tell_outage(outage: Outage) -> Problem:
    """The problem of something that the site lacks."""
    told = {name: getattr(outage, name) for name in ("code", "remedy", "status", "retry_after")}
    return Problem(outage.cause, retryable=True, **told)


def tell_damage(error: ArtefactDamaged) -> Problem:
    """Damage is repaired by anybody who comes upon it; a page that needs the file now can only be asked for again."""
    return Problem(
        error.message,
        remedy="The document is being read again; try again in a moment.",
        code=error.code,
        status=503,
        retry_after=REPAIR_SECONDS,
    )
