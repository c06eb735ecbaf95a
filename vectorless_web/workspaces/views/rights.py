"""Who may open a view, and by which method: said in one line above it, and looked up before it begins."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET, require_POST

from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.selectors import workspace_for

View = Callable[..., Any]


def opens_with(method: Callable[[View], View], find: Callable[..., Any], *names: str) -> Callable[..., Any]:
    """A decorator of views that answer to one method and get what `find` gives of these parts of their address.

    `find` is called with the user, those parts and the role that the decorator names; it refuses a lower one. The page
    `refused`, if the decorator names one, shows a Problem of the view in place of what was asked for.
    """

    def for_role(role: str, *, refused: Callable[..., HttpResponse] | None = None) -> Callable[[View], View]:
        def decorate(view: View) -> View:
            @wraps(view)
            def opened(request: HttpRequest, **address: Any) -> Any:
                found = find(request.user, *(address.pop(name) for name in names), role)
                try:
                    return view(request, found, **address)
                except Problem as problem:
                    if refused is None:
                        raise
                    return problem.mark(refused(request, found, problem=problem))

            return method(opened)

        return decorate

    return for_role


shown_to, done_by = opens_with(require_GET, workspace_for, "slug"), opens_with(require_POST, workspace_for, "slug")
"""Above a page of a workspace, and above an act there: the role they need. The view gets the workspace."""
