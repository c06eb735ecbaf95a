"""Groups of people, who must sign in in two steps, and the identity providers by which people sign in."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from vectorless_web.console.forms import PeopleGroupForm, SignOnForm
from vectorless_web.console.subjects import people
from vectorless_web.console.views import show_page, staff_act, staff_page
from vectorless_web.infra.lookups import one_or_404
from vectorless_web.infra.web.pages import go_saying, go_to
from vectorless_web.infra.web.problems import Problem
from vectorless_web.profiles.models import SignOnProvider
from vectorless_web.profiles.services import remove_sign_on, save_sign_on
from vectorless_web.workspaces import services

SEE, CHANGE = "workspaces.view_peoplegroup", "workspaces.change_peoplegroup"
SEE_SIGN_ON = "profiles.view_signonprovider"
RULES = "auth.change_user"


@staff_page(SEE)
def groups(request: HttpRequest) -> HttpResponse:
    """The groups of the site."""
    return _groups_page(request, PeopleGroupForm())


def _groups_page(request: HttpRequest, form: PeopleGroupForm) -> HttpResponse:
    return show_page(request, "groups", {"groups": people.list_groups(), "form": form})


@staff_act(CHANGE)
def add_group(request: HttpRequest) -> HttpResponse:
    """Make a group."""
    form = PeopleGroupForm(request.POST)
    if not form.is_valid():
        return _groups_page(request, form)
    group = services.save_group(actor=request.user, group=form.save(commit=False))
    return go_to(request, "console:group", pk=group.pk)


@staff_page(SEE)
def group(request: HttpRequest, pk: int) -> HttpResponse:
    """One group: its people, and where it is a member."""
    return _group_page(request, pk)


def _group_page(
    request: HttpRequest, pk: int, form: PeopleGroupForm | None = None, problem: Problem | None = None
) -> HttpResponse:
    found = people.find_group(pk)
    context = {"group": found, "form": form or PeopleGroupForm(instance=found), "problem": problem}
    return show_page(request, "groups", context, template="console/group.html")


@staff_act(CHANGE)
def change_group(request: HttpRequest, pk: int) -> HttpResponse:
    """Give a group another name or description."""
    form = PeopleGroupForm(request.POST, instance=people.find_group(pk))
    if not form.is_valid():
        return _group_page(request, pk, form)
    services.save_group(actor=request.user, group=form.save(commit=False))
    return go_saying(request, "The group was saved.", "console:group", pk=pk)


@staff_act(CHANGE)
def delete_group(request: HttpRequest, pk: int) -> HttpResponse:
    """Delete a group; its people keep what they were given by themselves."""
    found = people.find_group(pk)
    services.delete_group(actor=request.user, group=found)
    return go_saying(request, f"{found.name} was deleted.", "console:groups")


@staff_act(CHANGE)
def add_to_group(request: HttpRequest, pk: int) -> HttpResponse:
    """Take somebody into a group."""
    found = people.find_group(pk)
    try:
        person = people.find_by_name(request.POST.get("name", "").strip())
    except Problem as problem:
        return _group_page(request, pk, problem=problem)
    services.set_people(actor=request.user, group=found, people=[*found.people.all(), person])
    return go_saying(request, f"{person} belongs to {found.name}.", "console:group", pk=pk)


@staff_act(CHANGE)
def take_from_group(request: HttpRequest, pk: int, person: int) -> HttpResponse:
    """Take somebody out of a group."""
    found = people.find_group(pk)
    services.set_people(actor=request.user, group=found, people=found.people.exclude(pk=person))
    return go_saying(request, f"They no longer belong to {found.name}.", "console:group", pk=pk)


@staff_act(RULES)
def require_of_all(request: HttpRequest) -> HttpResponse:
    """Ask everyone for two steps at sign-in."""
    services.require_two_steps(actor=request.user)
    return go_saying(request, "Whoever has not set up two steps is led to the page that does.", "console:sign_on")


@staff_act(RULES)
def waive_for_all(request: HttpRequest) -> HttpResponse:
    """Ask no longer everyone."""
    services.waive_two_steps(actor=request.user)
    return go_to(request, "console:sign_on")


@staff_act(RULES)
def require_of_group(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask the people of a group."""
    services.require_two_steps(actor=request.user, group=people.find_group(pk))
    return go_to(request, "console:group", pk=pk)


@staff_act(RULES)
def waive_for_group(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask the people of a group no longer."""
    services.waive_two_steps(actor=request.user, group=people.find_group(pk))
    return go_to(request, "console:group", pk=pk)


@staff_page(SEE_SIGN_ON)
def sign_on(request: HttpRequest) -> HttpResponse:
    """How people sign in: two steps, and identity providers."""
    return _sign_on_page(request, SignOnForm())


@staff_page(SEE_SIGN_ON, superusers=True)
def edit_provider(request: HttpRequest, pk: int) -> HttpResponse:
    """The form of one provider; its secret is never shown."""
    row = _find_provider(pk)
    return _sign_on_page(request, SignOnForm(instance=row), row)


@staff_act(SEE_SIGN_ON, superusers=True)
def add_provider(request: HttpRequest) -> HttpResponse:
    """Add an identity provider."""
    return _save_provider(request, SignOnForm(request.POST))


@staff_act(SEE_SIGN_ON, superusers=True)
def change_provider(request: HttpRequest, pk: int) -> HttpResponse:
    """Change an identity provider, or switch it off."""
    return _save_provider(request, SignOnForm(request.POST, instance=_find_provider(pk)), _find_provider(pk))


@staff_act(SEE_SIGN_ON, superusers=True)
def remove_provider(request: HttpRequest, pk: int) -> HttpResponse:
    """Forget an identity provider and its secret."""
    remove_sign_on(actor=request.user, provider=_find_provider(pk))
    return go_saying(request, "The provider and its secret were removed.", "console:sign_on")


def _find_provider(pk: int) -> SignOnProvider:
    return one_or_404(SignOnProvider.objects, "There is no such provider.", pk=pk)


def _save_provider(request: HttpRequest, form: SignOnForm, editing: SignOnProvider | None = None) -> HttpResponse:
    if not form.is_valid():
        return _sign_on_page(request, form, editing)
    row = save_sign_on(actor=request.user, provider=form.save(commit=False), secret=form.cleaned_data["secret"])
    return go_saying(request, f"{row.name} was saved.", "console:sign_on")


def _sign_on_page(request: HttpRequest, form: SignOnForm, editing: SignOnProvider | None = None) -> HttpResponse:
    context: dict[str, Any] = {"form": form, "editing": editing, "rules": people.list_two_step_rules()}
    context |= {"providers": SignOnProvider.objects.select_related("workspace"), "fixed": settings.SIGN_ON}
    return show_page(request, "sign_on", context)
