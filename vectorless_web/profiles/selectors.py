"""What a person may see of their own account: sessions, and everything that is kept under their name."""

import base64
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import AbstractBaseUser, AbstractUser, AnonymousUser

from vectorless_web.documents.models import Document, DocumentVersion
from vectorless_web.documents.selectors import open_to
from vectorless_web.infra.limits import parse_whole_number
from vectorless_web.notices.selectors import notices_of
from vectorless_web.notices.services import KEPT_OF_PERSON
from vectorless_web.profiles.models import Portrait, Profile
from vectorless_web.runs.models import Feedback, Run
from vectorless_web.runs.selectors import visible_runs
from vectorless_web.sharing.models import ShareLink
from vectorless_web.workspaces.models import AuditEvent, Membership, Workspace
from vectorless_web.workspaces.selectors import workspaces_of

BROWSERS = ("Edg", "OPR", "Firefox", "Chrome", "Safari")
NAMES = {"Edg": "Edge", "OPR": "Opera"}
SYSTEMS = ("Android", "iPhone", "iPad", "Windows", "Mac OS X", "CrOS", "Linux")
SHOWN = {"Mac OS X": "macOS", "CrOS": "ChromeOS"}


@dataclass(frozen=True)
class OpenSession:
    """One browser that is signed in. `device` is a guess from what the browser says of itself."""

    pk: int
    device: str
    address: str
    since: datetime
    seen: datetime
    is_this_one: bool


def describe_device(agent: str) -> str:
    """ "Firefox on Linux" of a browser's User-Agent; its first 60 characters when it names neither."""
    browser = next((name for name in BROWSERS if f"{name}/" in agent), "")
    system = next((name for name in SYSTEMS if name in agent), "")
    if not browser:
        return agent[:60] or "Unknown device"
    said = NAMES.get(browser, browser)
    return f"{said} on {SHOWN.get(system, system)}" if system else said


def sessions_of(user: AbstractUser, current_key: str | None) -> list[OpenSession]:
    """The person's open sessions, this browser's first, then the one seen last."""
    rows = UserSession.objects.purge_and_list(user)
    found = [
        OpenSession(
            pk=row.pk,
            device=describe_device(row.user_agent),
            address=row.ip,
            since=row.created_at,
            seen=row.last_seen_at,
            is_this_one=row.session_key == current_key,
        )
        for row in rows
    ]
    return sorted(found, key=lambda each: (not each.is_this_one, -each.seen.timestamp()))


def find_session(user: AbstractUser, pk: str) -> UserSession | None:
    """One of the person's own sessions; None for one that has ended, or was never theirs."""
    found: UserSession | None = UserSession.objects.filter(user_id=user.pk, pk=parse_whole_number(pk) or 0).first()
    return found


def time_zone_of(user: AbstractUser) -> str:
    """The zone that the person chose; "" for the site's own."""
    return Profile.objects.filter(user_id=user.pk).values_list("time_zone", flat=True).first() or ""


def has_portrait(user: AbstractUser) -> bool:
    """Whether the person has a picture."""
    return Portrait.objects.filter(user_id=user.pk).exists()


def portrait_for(viewer: AbstractUser, account: int, digest: str) -> bytes | None:
    """Somebody's picture for who shares a workspace with them, for themselves and for site staff; else None."""
    row = Portrait.objects.select_related("user").filter(user=account, digest=digest).first()
    if row is None:
        return None
    if account != viewer.pk and not viewer.is_staff:
        theirs = {workspace.pk for workspace in workspaces_of(row.user)}
        if theirs.isdisjoint(workspace.pk for workspace in workspaces_of(viewer)):
            return None
    return bytes(row.jpeg)


def was_removed(workspace: Workspace, user: AbstractBaseUser | AnonymousUser) -> bool:
    """Whether the person was a member once and was taken out, or left."""
    removals = AuditEvent.objects.filter(workspace=workspace, verb="member.removed", details__user=user.pk)
    return removals.exists()


def collect_own_data(user: AbstractUser) -> dict[str, Any]:
    """Everything that is kept under the person's name, as JSON holds it. No password, key, secret or token is in it.

    Nor is anything of a document that lies in a folder which is closed to them by now.
    """
    own = Run.objects.filter(asked_by_id=user.pk)
    places = own.order_by().values_list("workspace", flat=True).distinct()
    runs = visible_runs(user.pk, places).filter(asked_by_id=user.pk).select_related("workspace", "answer")
    versions = DocumentVersion.objects.filter(open_to(user, "document__folder"), added_by_id=user.pk)
    versions = versions.select_related("document__workspace")
    documents = set(Document.objects.filter(open_to(user)).values_list("pk", flat=True).iterator())
    made = ShareLink.objects.filter(created_by_id=user.pk)
    linked = visible_runs(user.pk, made.order_by().values_list("run__workspace", flat=True).distinct())
    links = made.filter(run__in=linked).select_related("run")
    events = AuditEvent.objects.filter(actor_id=user.pk).select_related("workspace")
    return {
        "account": {
            "user_name": user.get_username(),
            "name": user.get_full_name(),
            "address": user.email,
            "made_at": user.date_joined,
            "last_sign_in": user.last_login,
            "time_zone": time_zone_of(user),
            "picture": _describe_portrait(user),
        },
        "addresses": list(EmailAddress.objects.filter(user_id=user.pk).values("email", "verified", "primary")),
        "two_step": list(Authenticator.objects.filter(user_id=user.pk).values("type", "created_at", "last_used_at")),
        "sessions": list(
            UserSession.objects.filter(user_id=user.pk).values("ip", "user_agent", "created_at", "last_seen_at")
        ),
        "workspaces": list(
            Membership.objects.filter(user_id=user.pk).values("workspace__name", "role", "joined_at").order_by("pk")
        ),
        "questions": [_describe_run(run) for run in runs.iterator(chunk_size=500)],
        "feedback": list(
            Feedback.objects.filter(user_id=user.pk).values("run_id", "good", "reason", "comment", "created_at")
        ),
        "uploads": [
            {
                "workspace": version.document.workspace.name,
                "title": version.document.title,
                "version": version.number,
                "at": version.created_at,
            }
            for version in versions.iterator(chunk_size=500)
        ],
        "notices": [
            {
                "at": each.notice.created_at,
                "what": each.told.sentence,
                "of": each.told.name,
                "read": each.notice.read_at,
            }
            for each in notices_of(user, limit=KEPT_OF_PERSON)[0]
        ],
        "share_links": [
            {"question": link.run.question, "made_at": link.created_at, "ends_at": link.expires_at} for link in links
        ],
        "record": [
            {
                "at": event.at,
                "what": event.verb,
                "of": event.object_name if _is_told(event, documents) else "",
                "workspace": event.workspace.name if event.workspace else "",
            }
            for event in events.iterator(chunk_size=500)
        ],
    }


def _describe_portrait(user: AbstractUser) -> str:
    """The person's picture as a data address; "" without one."""
    row = Portrait.objects.filter(user_id=user.pk).first()
    return f"data:image/jpeg;base64,{base64.b64encode(bytes(row.jpeg)).decode()}" if row is not None else ""


def _is_told(event: AuditEvent, documents: set[int]) -> bool:
    """Whether the record may name what an act was done to: a document only while it is there for the person."""
    return event.object_type != "document" or (event.object_id.isdecimal() and int(event.object_id) in documents)


def _describe_run(run: Run) -> dict[str, Any]:
    answer = getattr(run, "answer", None)
    return {
        "workspace": run.workspace.name,
        "asked_at": run.created_at,
        "question": run.question,
        "outcome": run.status,
        "answer": answer.markdown if answer is not None else "",
    }
