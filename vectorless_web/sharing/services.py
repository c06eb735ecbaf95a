"""What may be done with share links: find, make, revoke, open; members by workspace and run, others by token alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.hashers import check_password, make_password
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Count, F, Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from vectorless_web.infra.lookups import one_or_404
from vectorless_web.infra.web.problems import Problem
from vectorless_web.infra.web.request_limits import count_or_refuse, give_back, network_of, reads_alone, seconds_to_wait
from vectorless_web.notices.models import Kind, Notice
from vectorless_web.notices.selectors import Told
from vectorless_web.notices.services import notify
from vectorless_web.runs.models import Run
from vectorless_web.runs.selectors import is_unrestricted, run_for, visible_runs
from vectorless_web.sharing.models import ShareLink, ShareView
from vectorless_web.workspaces.models import Role, Workspace
from vectorless_web.workspaces.selectors import User, belongs, workspaces_of
from vectorless_web.workspaces.services import record
from vectorless_web.workspaces.storage import hash_token, new_token

DAYS_MAX = 365
"""Days that a link may be open."""
PASSWORD_MIN = 6
"""Characters of a link's password. Requests are limited by network (VECTORLESS_SHARE_REQUESTS_PER_MINUTE), so six are
enough."""
VIEWS_NOTED = 120
"""Openings of one link from one network that are kept in an hour: a row each, which a program could make at will."""
PAGES_SECONDS = 3600
"""For so long after an opening pictures of pages count as looked at in it, and are still shown after the last one."""
PAGES_NOTED = 200
"""Pages kept of one opening."""
VIEWS_SHOWN = 500
"""Openings that the owner's list of one link holds."""
VIEWS_MAX = 10_000
"""Openings to which a link may be limited."""
TRIES, TRIES_SECONDS = 10, 600
"""Wrong passwords for one link from one network, and the time after which they are forgotten."""


LABEL_MAX = 60
"""Characters of a link's label: it must fit across a page."""


@dataclass(frozen=True)
class LinkTerms:
    """What a link shows, to whom, and when it closes."""

    days: int
    password: str = ""
    redact: bool = False
    hide_trace: bool = False
    label: str = ""
    views_max: int | None = None
    """Openings after which it closes; None for any number."""


def end_after(days: int) -> datetime:
    """When a link ends that is open for so many days; Problem (422) for too few and too many."""
    if not 1 <= days <= DAYS_MAX:
        cause = f"A link can be open for 1 to {DAYS_MAX} days."
        raise Problem(cause, remedy="Choose another number of days.", code="invalid_input")
    return timezone.now() + timedelta(days=days)


@transaction.atomic
def make_link(*, user: User, run: Run, terms: LinkTerms) -> tuple[ShareLink, str]:
    """A link to a finished run and its token, returned this once. Problem for what makes no sense."""
    days, password, views = terms.days, terms.password, terms.views_max
    if run.is_open:
        raise Problem(
            "The run is still under way.",
            remedy="Wait until it has ended; then it can be shared.",
            code="still_running",
            status=409,
        )
    if run.private and run.asked_by_id != user.pk:
        raise PermissionDenied("Only who asked can make links to a private question.")
    if not is_unrestricted(run):
        sentence = "This run has read a restricted folder, or names a document of one: no link can show it."
        remedy = "Ask again without those documents, and share that."
        raise Problem(sentence, remedy=remedy, code="restricted_folder", status=403)
    end = end_after(days)
    if password and len(password) < PASSWORD_MIN:
        raise Problem(
            "The password is too short.", remedy=f"Take one of {PASSWORD_MIN} characters or more.", code="weak_password"
        )
    if views is not None and not 1 <= views <= VIEWS_MAX:
        raise Problem(
            f"A link can be limited to 1 to {VIEWS_MAX:,} openings.",
            remedy="Choose another number.",
            code="invalid_input",
        )
    token = new_token()
    link = ShareLink.objects.create(
        run=run,
        token_hash=hash_token(token),
        password_hash=make_password(password) if password else "",
        redact=terms.redact,
        hide_trace=terms.hide_trace,
        label=" ".join(terms.label.split())[:LABEL_MAX],
        views_max=views,
        created_by_id=user.pk,
        expires_at=end,
    )
    details = {"days": days, "password": bool(password), "without_names": terms.redact, "views": views}
    record(actor=user, verb="run.shared", target=run, details=details)
    return link, token


@transaction.atomic
def revoke_link(*, user: User, link: ShareLink) -> None:
    """Close a link for good; closing it twice changes nothing."""
    if ShareLink.objects.filter(pk=link.pk, revoked_at=None).update(revoked_at=timezone.now()):
        record(actor=user, verb="run.unshared", target=link.run)


def count_request(address: str) -> None:
    """Count a request for whatever link, before it is looked up: Problem (429), alike for links that exist and not."""
    cause, most = "Too many requests from your network.", settings.SHARE_REQUESTS_PER_MINUTE
    count_or_refuse(f"share-{address}", cause, limit=most, seconds=60, code="too_many_requests")


@transaction.atomic
def take_view(*, link: ShareLink, address: str, agent: str) -> bool:
    """Count one opening of the link; false when it was opened as often as it may be.

    Beyond VIEWS_NOTED an hour from one network openings are shown and not counted, unless they are limited; nor are
    they while the site is read-only.
    """
    if link.views_max is None and reads_alone.get()():
        return True
    if link.views_max is not None:
        # Two at the same moment must not both take the last opening.
        locked = ShareLink.objects.select_for_update().get(pk=link.pk)
        if locked.views.count() >= link.views_max:
            return False
    name = f"share-views-{link.pk}-{network_of(address)}"
    if seconds_to_wait(name, amount=1, limit=VIEWS_NOTED, seconds=3600) and link.views_max is None:
        return True
    ShareView.objects.create(link=link, ip_prefix=network_of(address), agent=agent.replace("\0", "")[:200])
    return True


@transaction.atomic
def take_page(*, link: ShareLink, address: str, version: int, page: int) -> bool:
    """Note a picture of a page with the opening it belongs to; false when a limited link was not opened lately."""
    if link.views_max is None and reads_alone.get()():
        return True
    since = timezone.now() - timedelta(seconds=PAGES_SECONDS)
    opened = link.views.select_for_update().filter(ip_prefix=network_of(address), at__gte=since)
    view = opened.order_by("-pk").first()
    if view is None:
        return link.views_max is None
    if [version, page] not in view.pages and len(view.pages) < PAGES_NOTED:
        view.pages = [*view.pages, [version, page]]
        view.save(update_fields=["pages"])
    return True


def password_fits(*, link: ShareLink, password: str, address: str) -> bool:
    """Whether the password opens the link. Problem (429) after too many wrong ones from one network.

    A try counts before the password is looked at, so that tries at the same moment cannot pass as one.
    """
    name = f"share-tries-{link.pk}-{network_of(address)}"
    count_or_refuse(name, "Too many wrong passwords.", limit=TRIES, seconds=TRIES_SECONDS, code="too_many_tries")
    fits = check_password(password, link.password_hash)
    if fits:
        give_back(name, amount=1, seconds=TRIES_SECONDS)
    return fits


def shareable_run(user: User, slug: str, pk: int) -> Run:
    """A run that the user may share: a member their own, an editor any. Http404 or PermissionDenied otherwise."""
    run = run_for(user, slug, pk, Role.MEMBER)
    if run.asked_by_id != user.pk and not run.workspace.allows(Role.EDITOR):
        raise PermissionDenied("A member can share the questions they asked themselves.")
    return run


def links_of(run: Run) -> QuerySet[ShareLink]:
    """The links of a run that are still open, newest first, each with its `view_count`."""
    rows = ShareLink.objects.filter(_maker_belongs(), run=run, revoked_at=None, expires_at__gt=timezone.now())
    return rows.annotate(view_count=_views())


def links_in(workspace: Workspace, user: User) -> QuerySet[ShareLink]:
    """All links to runs that exist for the user, newest first, each with its `view_count` and `maker_belongs`."""
    rows = ShareLink.objects.filter(run__in=visible_runs(user.pk, [workspace.pk])).select_related("run", "created_by")
    return rows.annotate(view_count=_views(), maker_belongs=_maker_belongs())


def link_in(workspace: Workspace, user: User, pk: int) -> ShareLink:
    """One link to a run that exists for the user, open or closed; Http404 for any other."""
    return one_or_404(links_in(workspace, user), "There is no such link here.", pk=pk)


def views_of(link: ShareLink) -> list[ShareView]:
    """The openings of a link, newest first; those of the last VIEWS_SHOWN."""
    return list(link.views.order_by("-pk")[:VIEWS_SHOWN])


def link_of(run: Run, pk: int) -> ShareLink:
    """One link of a run; Http404 for any other."""
    return one_or_404(ShareLink.objects, "There is no such link here.", run=run, pk=pk)


def open_link(token: str) -> ShareLink | None:
    """The link with this token; None alike when it expired, was revoked, or never existed.

    It ends, too, with the membership of who made it, and while their account is switched off or the
    run names what lies in a restricted folder.
    The token is looked up by its hash, so the time this takes says nothing about stored ones.
    """
    rows = ShareLink.objects.select_related("run", "run__workspace", "run__asked_by", "run__answer", "created_by")
    link = rows.filter(_maker_belongs(), token_hash=hash_token(token)).first()
    return link if link is not None and link.is_open and is_unrestricted(link.run) else None


EXPIRING = timedelta(days=1)
"""A link's maker is told so long before it ends; of one that was made for two days or less not at all."""


def tell_of_expiring_links() -> int:
    """Tell the makers of links that end within a day, once each; how many were told."""
    now = timezone.now()
    rows = ShareLink.objects.filter(_maker_belongs(), revoked_at=None, expires_at__range=(now, now + EXPIRING))
    rows = rows.filter(expires_at__gt=F("created_at") + 2 * EXPIRING).select_related("run")
    known = set(Notice.objects.filter(kind=Kind.LINK_EXPIRING).values_list("about", flat=True))
    return sum(
        notify(
            people=[link.created_by_id],
            kind=Kind.LINK_EXPIRING,
            workspace_id=link.run.workspace_id,
            about=link.pk,
            more={"once": f"link-{link.pk}"},
        )
        for link in rows
        if link.pk not in known
    )


def read_notices(user: User, notices: Sequence[Notice]) -> dict[int, Told]:
    """What notices of share links tell the user: of open ones, to runs that exist for them."""
    visible = visible_runs(user.pk, [workspace.pk for workspace in workspaces_of(user)])
    rows = ShareLink.objects.filter(run__in=visible, pk__in=[row.about for row in notices], created_by=user.pk)
    links = {link.pk: link for link in rows.select_related("run__workspace") if link.is_open}
    told = {}
    for notice in notices:
        if link := links.get(notice.about):
            url = reverse("sharing:menu", args=[link.run.workspace.slug, link.run_id])
            told[notice.pk] = Told(_("A share link of yours ends within a day"), link.run.question, url)
    return told


def _views() -> Count:
    return Count("views", distinct=True)


def _maker_belongs() -> Q:
    """Whether who made the link belongs to the workspace still and can sign in."""
    return belongs("run__workspace", "created_by")
