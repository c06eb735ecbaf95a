"""Accounts: the list, one account, and the acts on it."""

from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.models import AbstractUser
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.cache import never_cache

from vectorless_web.console.forms import InviteAnywhereForm
from vectorless_web.console.subjects import people
from vectorless_web.console.views import show_page, staff_act, staff_page
from vectorless_web.infra.web.pages import go_saying, go_to
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces import services

SEE, CHANGE = "auth.view_user", "auth.change_user"


@staff_page(SEE)
def show_all(request: HttpRequest) -> HttpResponse:
    """The accounts of the site."""
    return _list_page(request, InviteAnywhereForm())


def _list_page(request: HttpRequest, form: InviteAnywhereForm, *, link: str = "") -> HttpResponse:
    text, state = request.GET.get("q", "").strip(), request.GET.get("state", "")
    found = people.list_people(text=text, state=state, number=request.GET.get("page", "1"))
    context = {"people": found, "text": text, "state": state, "form": form, "link": link}
    return show_page(request, "people", context)


@staff_page(SEE)
@never_cache
def show(request: HttpRequest, pk: int) -> HttpResponse:
    """One account."""
    return _person_page(request, pk)


def _person_page(request: HttpRequest, pk: int, **more: Any) -> HttpResponse:
    context = {"person": people.find_person(pk), **more}
    return show_page(request, "people", context, template="console/person.html")


@staff_act(CHANGE)
@never_cache
def invite(request: HttpRequest) -> HttpResponse:
    """Make a link by which one person joins a workspace, and shows it once."""
    form = InviteAnywhereForm(request.POST)
    if not form.is_valid():
        return _list_page(request, form)
    _invitation, token = services.invite(actor=request.user, **form.cleaned_data)
    link = request.build_absolute_uri(reverse("workspaces:invitation", kwargs={"token": token}))
    return _list_page(request, InviteAnywhereForm(), link=link)


@staff_act(CHANGE)
def switch_off(request: HttpRequest, pk: int) -> HttpResponse:
    """Let the account sign in no more."""
    person = _changeable(request, pk)
    try:
        orphaned = people.switch_off(actor=request.user, person=person)
    except Problem as problem:
        return _person_page(request, pk, problem=problem)
    messages.success(request, f"{person} can no longer sign in.")
    for sentence in orphaned:
        messages.warning(request, sentence)
    return go_to(request, "console:person", pk=pk)


@staff_act(CHANGE)
def switch_on(request: HttpRequest, pk: int) -> HttpResponse:
    """Let the account sign in again."""
    person = _changeable(request, pk)
    people.switch_on(actor=request.user, person=person)
    return go_saying(request, f"{person} can sign in again.", "console:person", pk=pk)


@staff_act(CHANGE)
@never_cache
def make_reset_link(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a link by which a new password is chosen: this once, good for an hour."""
    try:
        path = services.make_reset_link(actor=request.user, user=_changeable(request, pk))
    except Problem as problem:
        return _person_page(request, pk, problem=problem)
    return _person_page(request, pk, link=request.build_absolute_uri(path))


@staff_act(CHANGE)
def end_sessions(request: HttpRequest, pk: int) -> HttpResponse:
    """Sign every browser of the account out."""
    ended = people.end_all_sessions(actor=request.user, person=_changeable(request, pk))
    return go_saying(request, f"{ended} browser{'' if ended == 1 else 's'} signed out.", "console:person", pk=pk)


@staff_act(CHANGE)
def remove_two_step(request: HttpRequest, pk: int) -> HttpResponse:
    """Let somebody who lost the phone sign in by password alone."""
    person = _changeable(request, pk)
    removed = services.remove_two_step(actor=request.user, user=person)
    sentence = f"Two-step sign-in is off for {person}." if removed else f"{person} has no two-step sign-in."
    return go_saying(request, sentence, "console:person", pk=pk)


@staff_act(CHANGE)
def require_two_step(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask one person for two steps at sign-in."""
    person = _changeable(request, pk)
    services.require_two_steps(actor=request.user, user=person)
    return go_saying(request, f"{person} is led to the page that sets up two steps.", "console:person", pk=pk)


@staff_act(CHANGE)
def waive_two_step(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask one person no longer."""
    services.waive_two_steps(actor=request.user, user=_changeable(request, pk))
    return go_to(request, "console:person", pk=pk)


@staff_act(CHANGE)
def hand_over(request: HttpRequest, pk: int) -> HttpResponse:
    """Make somebody else owner of what the person owns."""
    person = _changeable(request, pk)
    try:
        heir = people.find_by_name(request.POST.get("to", "").strip())
        count = people.hand_over(actor=request.user, person=person, to=heir)
    except Problem as problem:
        return _person_page(request, pk, problem=problem)
    messages.success(request, f"{heir} owns {count} workspace{'' if count == 1 else 's'} of {person} now.")
    return go_to(request, "console:person", pk=pk)


def _changeable(request: HttpRequest, pk: int) -> AbstractUser:
    return people.person_to_change(cast(AbstractUser, request.user), pk)
