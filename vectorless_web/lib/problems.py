"""Errors that end a request with a plain sentence, a stable code and the right status."""

import logging
import sys
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.defaults import server_error

from vectorless_web.lib.context import common
from vectorless_web.lib.htmx import is_htmx
from vectorless_web.lib.outages import outage_of

logger = logging.getLogger(__name__)


class Problem(Exception):
    """Raised anywhere below a view. `message` names cause and remedy; `code` is stable; `status` is HTTP's.

    `retry_after` says in how many seconds it is worth trying again.
    """

    def __init__(
        self, message: str, *, code: str, status: int = 400, retryable: bool = False, retry_after: int | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.status = status
        self.retryable = retryable
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
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Django calls this for what a view raises; other exceptions go their usual way."""
        if not isinstance(exception, Problem):
            return None
        template = "_problem.html" if is_htmx(request) else "problem.html"
        return exception.mark(render(request, template, {"problem": exception}))


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
    problem = Problem(
        outage.message, code=outage.code, status=outage.status, retryable=True, retry_after=outage.retry_after
    )
    # What the middleware of htmx would have noted may not be there yet.
    template = "_problem.html" if "HX-Request" in request.headers else "problem.html"
    context = {**common(request), "problem": problem, "request": request}
    return problem.mark(HttpResponse(render_to_string(template, context)))
