"""The page of one's own API tokens."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from vectorless_web.api import services
from vectorless_web.api.forms import TokenForm
from vectorless_web.api.models import ApiToken
from vectorless_web.infra.web.problems import Problem


@require_GET
def tokens(request: HttpRequest) -> HttpResponse:
    """One's own open tokens, and a form for another."""
    return _page(request, TokenForm(user=request.user))


@require_POST
@never_cache
def make(request: HttpRequest) -> HttpResponse:
    """Make a token; its text is on the page that comes back, and never again."""
    form = TokenForm(request.POST, user=request.user)
    if not form.is_valid():
        return _page(request, form, status=422)
    chosen = form.cleaned_data
    try:
        _token, text = services.make_token(
            user=request.user,
            name=chosen["name"],
            scope=chosen["scope"],
            days=chosen["days"] or None,
            workspaces=chosen["workspaces"],
        )
    except Problem as problem:
        form.add_error(None, problem.message)
        return _page(request, form, status=problem.status)
    return _page(request, TokenForm(user=request.user), made=text)


@require_POST
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    """Close one of one's own tokens for good."""
    token = ApiToken.objects.filter(user=request.user.pk, pk=pk).first()
    if token is None:
        messages.info(request, "You have no such token.")
        return redirect("api:tokens")
    services.revoke_token(user=request.user, token=token)
    messages.info(request, f"“{token.name}” lets nobody in any more.")
    return redirect("api:tokens")


def _page(request: HttpRequest, form: TokenForm, *, made: str = "", status: int = 200) -> HttpResponse:
    rows = ApiToken.objects.filter(user=request.user.pk, revoked_at=None).prefetch_related("workspaces")
    context = {"form": form, "made": made, "tokens": rows, "tab": "tokens"}
    return render(request, "api/tokens.html", context, status=status)
