"""Errors that end a request with a plain sentence, a stable code and the right status."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from vectorless_web.engine.errors import ArtefactDamaged
from vectorless_web.lib.htmx import is_htmx

REPAIR_SECONDS = 5
"""When a page is worth asking for again while a document is being repaired: most are read in less."""


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
        if isinstance(exception, ArtefactDamaged):
            exception = _being_repaired(exception)
        if not isinstance(exception, Problem):
            return None
        template = "_problem.html" if is_htmx(request) else "problem.html"
        return exception.mark(render(request, template, {"problem": exception}))


def _being_repaired(error: ArtefactDamaged) -> Problem:
    """Damage is repaired by whoever comes upon it; a page that needs the file now can only be asked for again."""
    return Problem(
        f"{error.message} The document is being read again; try again in a moment.",
        code=error.code,
        status=503,
        retryable=True,
        retry_after=REPAIR_SECONDS,
    )
