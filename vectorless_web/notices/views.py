"""A person's notices: the panel, the page, following one to what it is about, and what they want to be told."""

from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import AbstractUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from vectorless_web.infra.limits import parse_whole_number
from vectorless_web.infra.web.pages import go_saying, is_htmx
from vectorless_web.notices import selectors, services
from vectorless_web.notices.mail import has_confirmed_address
from vectorless_web.notices.models import Kind, Mute


@require_GET
def notices(request: HttpRequest) -> HttpResponse:
    """All notices of the person, newest first."""
    before = parse_whole_number(request.GET.get("before"))
    shown, following = selectors.notices_of(request.user, before=before)
    return render(request, "notices/list.html", {"shown": shown, "following": following, "before": before})


@require_GET
def panel(request: HttpRequest) -> HttpResponse:
    """What the bell opens: the newest notices."""
    return render(request, "notices/_panel.html", panel_context(request.user))


def panel_context(user: Any) -> dict[str, Any]:
    """What the bell and its panel show."""
    shown, _following = selectors.notices_of(user, limit=selectors.PANEL)
    return {
        "shown": shown,
        "unread_notices": selectors.count_unread(user),
        "most_counted": selectors.MOST_COUNTED,
        "is_panel": True,
    }


@require_GET
def follow(request: HttpRequest, pk: int) -> HttpResponse:
    """Go to what a notice is about, which is read by that. One that is there no more leads to the others."""
    found = selectors.find_notice(request.user, pk)
    if found is None:
        messages.info(request, _("What this notice was about was removed, or is closed to you now."))
        return redirect("notices:list")
    services.mark_read(user_id=request.user.pk, only=[pk])
    return redirect(str(found.told.url))


@require_POST
def read(request: HttpRequest, pk: int) -> HttpResponse:
    """Mark one notice as read."""
    services.mark_read(user_id=request.user.pk, only=[pk])
    return _show_again(request)


@require_POST
def read_all(request: HttpRequest) -> HttpResponse:
    """Mark all notices as read."""
    services.mark_all_read(user_id=request.user.pk)
    return _show_again(request)


def _show_again(request: HttpRequest) -> HttpResponse:
    """The panel for the bell's own buttons; for those of the page the page."""
    if is_htmx(request):
        return render(request, "notices/_panel.html", panel_context(request.user))
    return redirect("notices:list")


@require_GET
def choices(request: HttpRequest) -> HttpResponse:
    """Which kinds the person wants, where."""
    muted = selectors.mutes_of(request.user.pk or 0)
    rows = [
        {"kind": kind, "bell": (kind, Mute.Channel.BELL) not in muted, "mail": (kind, Mute.Channel.MAIL) not in muted}
        for kind in Kind
    ]
    context = {"tab": "notices", "rows": rows, "confirmed": has_confirmed_address(request.user.pk or 0)}
    return render(request, "notices/choices.html", context)


@require_POST
def save_choices(request: HttpRequest) -> HttpResponse:
    """Save them. While the site sends no mail its boxes are not on the page, and what was chosen of them stays."""
    user = cast(AbstractUser, request.user)
    channels = [Mute.Channel.BELL, *([Mute.Channel.MAIL] if settings.MAIL_ON else [])]
    for channel in channels:
        wanted = set(request.POST.getlist(channel))
        services.save_mutes(user_id=user.pk, channel=channel, kinds=set(Kind.values) - wanted)
    return go_saying(request, _("Saved what you are told."), "notices:choices")
