"""One's own account: name and time zone, open sessions, a copy of one's data, deleting the account."""

import base64
from typing import Any, cast

from allauth.account.views import SignupView
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth import logout
from django.contrib.auth.models import AbstractUser
from django.core.serializers.json import DjangoJSONEncoder
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from vectorless_web.infra.web.pages import go_saying
from vectorless_web.infra.web.problems import Problem
from vectorless_web.infra.web.request_limits import describe_wait
from vectorless_web.profiles import selectors, services
from vectorless_web.profiles.forms import LeaveForm, ProfileForm
from vectorless_web.profiles.sessions import TIME_ZONE
from vectorless_web.workspaces.accounts.adapters import begin_try, find_followed_invitation, try_of
from vectorless_web.workspaces.services import describe_orphaned_workspaces


@require_GET
def profile(request: HttpRequest) -> HttpResponse:
    """Name, time zone, and how pages look."""
    return _profile_page(request, _profile_form(request))


@require_POST
def save(request: HttpRequest) -> HttpResponse:
    """Change name and time zone."""
    form = ProfileForm(request.POST)
    if not form.is_valid():
        return _profile_page(request, form, status=422)
    services.save_profile(user=_account_of(request), **form.cleaned_data)
    request.session[TIME_ZONE] = form.cleaned_data["time_zone"]
    return go_saying(request, "Your account was saved.", "profiles:profile")


@require_POST
def save_picture(request: HttpRequest) -> HttpResponse:
    """Take a picture of the person. It is drawn anew, and the upload is not kept."""
    upload = request.FILES.get("picture")
    if upload is None:
        raise Problem("No picture was chosen.", remedy="Choose one first.", code="no_picture")
    try:
        services.save_portrait(user=_account_of(request), data=upload.read(services.PORTRAIT_BYTES + 1))
    except Problem as problem:
        return problem.mark(_profile_page(request, _profile_form(request), problem=problem))
    return go_saying(request, "Your picture was saved.", "profiles:profile")


@require_POST
def remove_picture(request: HttpRequest) -> HttpResponse:
    """Show initials again."""
    services.remove_portrait(user=_account_of(request))
    return go_saying(request, "The picture was removed; your initials are shown again.", "profiles:profile")


@require_GET
def picture(request: HttpRequest, pk: int, digest: str) -> HttpResponse:
    """Somebody's picture; for who may not see it a clear point, under which the initials are."""
    found = selectors.portrait_for(_account_of(request), pk, digest)
    answer = HttpResponse(found or CLEAR_POINT, content_type="image/jpeg" if found else "image/gif")
    answer["Cache-Control"] = "private, max-age=86400" if found else "private, no-store"
    return answer


CLEAR_POINT = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
"""A GIF of one clear pixel."""


@require_GET
@never_cache
def sessions(request: HttpRequest) -> HttpResponse:
    """Where the account is signed in."""
    found = selectors.sessions_of(_account_of(request), request.session.session_key)
    return render(request, "profiles/sessions.html", {"tab": "sessions", "sessions": found})


@require_POST
def end_session(request: HttpRequest) -> HttpResponse:
    """Sign one other browser out."""
    user = _account_of(request)
    session = selectors.find_session(user, request.POST.get("session", ""))
    if session is None:
        raise Problem(
            "That browser is signed out already.", remedy="Load the page again.", code="session_ended", status=409
        )
    if session.session_key == request.session.session_key:
        raise Problem("This is the browser you are using.", remedy="Sign out instead.", code="own_session", status=409)
    services.end_sessions(user=user, sessions=[session])
    return go_saying(request, "That browser was signed out.", "profiles:sessions")


@require_POST
def end_other_sessions(request: HttpRequest) -> HttpResponse:
    """Sign every other browser out."""
    user = _account_of(request)
    others = UserSession.objects.filter(user_id=user.pk).exclude(session_key=request.session.session_key)
    ended = services.end_sessions(user=user, sessions=list(others))
    return go_saying(request, f"{ended} other browser{'' if ended == 1 else 's'} signed out.", "profiles:sessions")


@require_GET
def data(request: HttpRequest) -> HttpResponse:
    """A copy of one's own data, and deleting the account."""
    return _data_page(request, LeaveForm(user=_account_of(request)))


@require_GET
@never_cache
def export(request: HttpRequest) -> HttpResponse:
    """Everything that is kept under the person's name, as a JSON file."""
    user = _account_of(request)
    options = {"indent": 1, "ensure_ascii": False}
    answer = JsonResponse(selectors.collect_own_data(user), encoder=DjangoJSONEncoder, json_dumps_params=options)
    answer["Content-Disposition"] = f'attachment; filename="account-{user.pk}.json"'
    return answer


@require_POST
def delete(request: HttpRequest) -> HttpResponse:
    """Delete one's account, once the user name was typed, and the password where there is one."""
    user = _account_of(request)
    form = LeaveForm(request.POST, user=user)
    if wait := begin_try(try_of(request, user.get_username())):
        form.add_error(None, f"Too many wrong passwords. Try again in {describe_wait(wait)}.")
    if not form.is_valid():
        return _data_page(request, form, status=422)
    try:
        services.delete_own_account(user=user)
    except Problem as problem:
        return problem.mark(_data_page(request, form, problem=problem))
    logout(request)
    return redirect("account_login")


class SignUpView(SignupView):
    """Making an account. Who follows an invitation reads what it is for, and finds its address filled in."""

    def get_initial(self) -> dict[str, Any]:
        """The address that the invitation is meant for, if it is for one."""
        initial: dict[str, Any] = super().get_initial()
        invited = find_followed_invitation(self.request)
        return {**initial, "email": invited.email} if invited is not None and invited.email else initial

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """The library's context and the invitation."""
        return {**super().get_context_data(**kwargs), "invitation": find_followed_invitation(self.request)}


def _account_of(request: HttpRequest) -> AbstractUser:
    """Who asks: every page here needs an account."""
    return cast(AbstractUser, request.user)


def _profile_form(request: HttpRequest) -> ProfileForm:
    user = _account_of(request)
    return ProfileForm(initial={"name": user.get_full_name(), "time_zone": selectors.time_zone_of(user)})


def _profile_page(
    request: HttpRequest, form: BaseForm, *, status: int = 200, problem: Problem | None = None
) -> HttpResponse:
    context = {
        "tab": "profile",
        "form": form,
        "problem": problem,
        "languages": settings.LANGUAGES,
        "has_picture": selectors.has_portrait(_account_of(request)),
    }
    return render(request, "profiles/profile.html", context, status=status)


def _data_page(
    request: HttpRequest, form: BaseForm, *, status: int = 200, problem: Problem | None = None
) -> HttpResponse:
    context = {
        "tab": "data",
        "form": form,
        "problem": problem,
        "reasons": describe_orphaned_workspaces(_account_of(request)),
    }
    return render(request, "profiles/data.html", context, status=status)
