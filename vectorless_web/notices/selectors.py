"""Reads of a person's own notices, and what each may still tell them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import Promise, SimpleLazyObject
from django.utils.module_loading import import_string

from vectorless_web.notices.models import Kind, Mute, Notice

PANEL = 8
"""Notices in the panel of the bell."""
PAGE = 50
MOST_COUNTED = 99
"""Unread notices that the bell counts; beyond them it says so."""
ICONS = {
    Kind.RUN_ENDED: "check",
    Kind.MENTIONED: "quote",
    Kind.COMMENTED: "quote",
    Kind.VERIFIED: "verify",
    Kind.DOCUMENT_FAILED: "fail",
    Kind.BUDGET: "coin",
    Kind.INVITATION_ACCEPTED: "users",
    Kind.ROLE_CHANGED: "key",
    Kind.LINK_EXPIRING: "clock",
    Kind.WEBHOOK_OFF: "warn",
    Kind.EVALUATION_WORSE: "warn",
    Kind.SOURCE_FAILED: "warn",
    Kind.EXPORT_ENDED: "download",
}


@dataclass(frozen=True)
class Told:
    """What a notice tells its reader now: a sentence, the name of what it is about, and the address of that.

    The address may be one that is made when it is followed: of a hundred notices that a page counts none is.
    """

    sentence: str
    name: str
    url: str | Promise


@dataclass(frozen=True)
class ShownNotice:
    """A notice that its reader may see."""

    notice: Notice
    told: Told

    @property
    def icon(self) -> str:
        """The icon of its kind."""
        return ICONS[Kind(self.notice.kind)]


Reader = Callable[[Any, Sequence[Notice]], dict[int, Told]]
"""Given an account and notices of its kinds: what they tell, by their number. What the account may not see is not in
it."""


def show_notices(user: Any, notices: Sequence[Notice]) -> list[ShownNotice]:
    """Those of a person's notices that still tell something, in their order.

    Each kind is read by the app it belongs to (settings.NOTICE_READERS), which asks anew what the person may see.
    """
    told: dict[int, Told] = {}
    by_reader = sorted(notices, key=lambda each: settings.NOTICE_READERS[each.kind])
    for path, rows in groupby(by_reader, key=lambda each: settings.NOTICE_READERS[each.kind]):
        read: Reader = import_string(path)
        told |= read(user, list(rows))
    return [ShownNotice(notice, told[notice.pk]) for notice in notices if notice.pk in told]


def notices_of(user: Any, *, before: int | None = None, limit: int = PAGE) -> tuple[list[ShownNotice], int | None]:
    """A person's listed notices, newest first, and the number from which older ones go on; None at the end."""
    rows = Notice.objects.filter(user=user.pk or 0, listed=True).select_related("actor", "workspace")
    found = list((rows.filter(pk__lt=before) if before else rows)[: limit + 1])
    following = found[limit - 1].pk if len(found) > limit else None
    return show_notices(user, found[:limit]), following


def count_unread(user: Any) -> int:
    """How many unread notices the person may see, of the newest MOST_COUNTED + 1."""
    rows = Notice.objects.filter(user=user.pk or 0, listed=True, read_at=None).prefetch_related("actor")
    rows = rows.only("user", "kind", "workspace", "about", "details", "actor")
    return len(show_notices(user, list(rows[: MOST_COUNTED + 1])))


def find_notice(user: Any, pk: int) -> ShownNotice | None:
    """One of the person's own notices; None for one that is there no more, or tells them nothing any more."""
    rows = Notice.objects.filter(user=user.pk or 0, pk=pk).select_related("actor", "workspace")
    return next(iter(show_notices(user, list(rows))), None)


def mutes_of(user_id: int) -> set[tuple[str, str]]:
    """(kind, channel) of what the person does not want."""
    return set(Mute.objects.filter(user=user_id).values_list("kind", "channel"))


def bell(request: HttpRequest) -> dict[str, Any]:
    """Context processor: how many unread notices the bell of the page counts. Only pages that have one ask."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {}
    return {"unread_notices": SimpleLazyObject(lambda: count_unread(user)), "most_counted": MOST_COUNTED}
