"""The API's operations together, its schema and the page that shows it."""

from collections.abc import Callable, Sequence
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern, URLResolver
from ninja import NinjaAPI

from vectorless_web.api.authentication import Bearer
from vectorless_web.api.problems import ProblemOut, problem_of, refuse
from vectorless_web.api.replies import mark_state
from vectorless_web.api.routes import documents, engine, evaluations, grids, members, programs, runs, workspaces
from vectorless_web.infra.web.problems import Problem


class ProgramAPI(NinjaAPI):
    """Every operation answers errors as problems, and tells them in its schema."""

    def on_exception(self, request: HttpRequest, exc: Any) -> HttpResponse:
        """The problem of an error, whichever it is."""
        return refuse(problem_of(request, exc))

    def get_openapi_schema(self, **kwargs: Any) -> Any:
        """The schema, with the errors that any operation may answer."""
        schema = super().get_openapi_schema(**kwargs)
        problem = ProblemOut.model_json_schema(by_alias=False, ref_template="#/components/schemas/{model}")
        schema["components"]["schemas"] |= {**problem.pop("$defs"), "Problem": problem}
        body = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
        for operation in (operation for path in schema["paths"].values() for operation in path.values()):
            for slug in (row for row in operation.get("parameters", ()) if row["name"] == "slug"):
                slug["schema"]["pattern"] = "^[-a-zA-Z0-9_]+$"
            for status, title in ERRORS.items():
                operation["responses"].setdefault(status, {"description": title, "content": body})
        return schema


ERRORS = {
    400: "The request could not be read",
    401: "No open token was sent",
    403: "The person or token may not do this",
    404: "There is no such thing, or it is not yours to see",
    409: "Not possible as things are now",
    412: "It has changed since it was read",
    413: "Too large",
    422: "Some fields cannot be used",
    429: "Too many requests; Retry-After tells when to come again",
    503: "Something that the site needs is away",
    507: "The server's disk is full",
}

api = ProgramAPI(
    title="Vectorless Web",
    version="1",
    description="Ask documents, follow the reasoning, and use the Retriever, the Router and the Pilot on their own.",
    auth=Bearer(),
    docs_url="docs",
    openapi_url="openapi.json",
    urls_namespace="api-1",
)
NO_METHOD = Problem(
    "This address has no such method.",
    remedy="The header Allow names those that it has.",
    code="no_such_method",
    status=405,
)
rooms = (workspaces, documents, runs, engine, grids, evaluations, members, programs)
for router in (*(room.router for room in rooms), workspaces.governing):
    api.add_router("", router)


def make_public(patterns: Sequence[URLPattern | URLResolver]) -> list[URLPattern | URLResolver]:
    """The addresses, of which each asks for a token by itself; the site's sign-in is not theirs."""
    for pattern in patterns:
        assert isinstance(pattern, URLPattern)
        pattern.callback = _finish(pattern.callback)
        pattern.callback.login_required = False  # type: ignore[attr-defined]
    return list(patterns)


def _finish(view: Callable[..., Any]) -> Callable[..., Any]:
    """The view with what all replies have in common, whoever wrote them."""
    if not iscoroutinefunction(view):
        return wraps(view)(lambda request, **parts: _mark(request, view(request, **parts)))

    @wraps(view)
    async def finished(request: HttpRequest, **parts: Any) -> HttpResponseBase:
        return _mark(request, await view(request, **parts))

    return finished


def _mark(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """The response with how much of its minute the token has left; nothing of it is kept by a cache."""
    if response.status_code == 405:
        allowed, response = response["Allow"], refuse(NO_METHOD)
        response["Allow"] = allowed
    response = mark_state(request, response)
    response.headers.setdefault("Cache-Control", "private, no-store")
    for name, value in getattr(request, "api_rate", {}).items():
        response[name] = value
    return response
