"""What the session of somebody signed in holds beside the sign-in: the zone of their times, and when it was seen."""

import time
from collections.abc import Callable
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from allauth.usersessions.models import UserSession
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from vectorless_web.profiles.models import Profile
from vectorless_web.workspaces.site import is_read_only

TIME_ZONE = "time_zone"
SEEN = "seen"
SEEN_EVERY = 600
"""Seconds between two notes of when a browser was seen: a page more often than that costs no write."""


class OwnSessionMiddleware:
    """Shows times in the reader's own zone, kept in the session so that no page asks the database for it.

    It also notes now and then that the browser was seen, for the list of open sessions.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.session.session_key:
            return self.get_response(request)
        _note_seen(request)
        with timezone.override(_read_zone(request)):
            return self.get_response(request)


def _read_zone(request: HttpRequest) -> ZoneInfo | None:
    """The person's zone; None, the site's, also when theirs is gone from the machine's database since."""
    name = request.session.get(TIME_ZONE, "")
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError):
        return None


def _note_seen(request: HttpRequest) -> None:
    now = int(time.time())
    if request.user.is_authenticated and now - request.session.get(SEEN, 0) >= SEEN_EVERY and not is_read_only():
        request.session[SEEN] = now
        UserSession.objects.create_from_request(request)


@receiver(user_logged_in)
def remember_time_zone(sender: object, request: HttpRequest, user: Any, **_more: Any) -> None:
    """Put the person's zone into the session that begins, and count it as seen now."""
    chosen = Profile.objects.filter(user_id=user.pk).values_list("time_zone", flat=True).first()
    request.session[SEEN] = int(time.time())
    if chosen:
        request.session[TIME_ZONE] = chosen
