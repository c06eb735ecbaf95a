"""What may be done with notices: giving, reading, muting and tidying them."""

from collections.abc import Collection, Iterable, Mapping
from datetime import timedelta
from functools import partial
from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.db import transaction
from django.db.models import Count, QuerySet
from django.utils import timezone

from vectorless_web.infra.live import publish
from vectorless_web.infra.queues import jobs
from vectorless_web.infra.web.request_limits import reads_alone
from vectorless_web.notices.models import Kind, Mute, Notice

MAIL_PAUSE = timedelta(minutes=5)
"""A notice that was read within this time is not mailed, and those that come within it go in one mail. Half of it mails
what people are about to read; twice makes a mail late for who is away."""
KEPT = timedelta(days=90)
KEPT_OF_PERSON = 500
"""Notices are kept so long, and so many of one person: some weeks of somebody who asks all day."""
QUEUE, MAIL_JOB, MAIL_JOB_SECONDS = "documents", "vectorless_web.notices.mail.send_due", 120
"""Mails go with the uploads: a mail server that hangs holds up no question."""
MOST_MAILS_AT_ONCE = 100
"""People whose mail is queued in one pass of the sweep."""


@transaction.atomic
def notify(
    *,
    people: Iterable[int | None],
    kind: Kind,
    workspace_id: int | None,
    about: int,
    actor_id: int | None = None,
    more: Mapping[str, Any] | None = None,
) -> int:
    """Give notices to these accounts, but for who did it and who does not want them; how many.

    `more` holds further columns: `details`, and `once`, by which a second call of the same name gives nothing.
    """
    wanted = {person for person in people if person is not None and person != actor_id}
    if not wanted:
        return 0
    mutes = Mute.objects.filter(user__in=wanted, kind=kind).values_list("user", "channel")
    muted = {channel: {user for user, of in mutes if of == channel} for channel in Mute.Channel}
    mailed = _select_mailable(wanted) - muted[Mute.Channel.MAIL]
    given = (wanted - muted[Mute.Channel.BELL]) | mailed
    rows = [
        Notice(
            user_id=person,
            kind=kind,
            workspace_id=workspace_id,
            about=about,
            actor_id=actor_id,
            listed=person not in muted[Mute.Channel.BELL],
            mail_after=timezone.now() + MAIL_PAUSE if person in mailed else None,
            **(more or {}),
        )
        for person in sorted(given)
    ]
    Notice.objects.bulk_create(rows, ignore_conflicts=True)
    _announce(given)
    return len(rows)


@transaction.atomic
def add_to_notice(*, user_id: int, kind: Kind, workspace_id: int, beside: Collection[int], about: int) -> bool:
    """Have a notice about one of `beside` tell of `about` too, in its details as "also"; whether there was one.

    Only a notice that is neither read nor mailed yet takes more.
    """
    rows = _select_unread(user_id).filter(kind=kind, workspace=workspace_id, about__in=beside, mailed_at=None)
    notice = rows.select_for_update().first()
    if notice is None:
        return False
    also = notice.details.get("also", [])
    if about not in (notice.about, *also):
        notice.details = {**notice.details, "also": [*also, about]}
        notice.save(update_fields=["details"])
        _announce({user_id})
    return True


def _select_mailable(people: Collection[int]) -> set[int]:
    """Those of the accounts to which mail may go: an address that was never confirmed may be anybody's."""
    if not settings.MAIL_ON:
        return set()
    rows = EmailAddress.objects.filter(user__in=people, verified=True, primary=True, user__is_active=True)
    return set(rows.values_list("user", flat=True))


def mark_read(*, user_id: int | None, only: Collection[int]) -> int:
    """Mark some of a person's notices as read, by their numbers; how many were not."""
    return _end(_select_unread(user_id).filter(pk__in=only), user_id)


def mark_all_read(*, user_id: int | None) -> int:
    """Mark all of a person's notices as read; how many were not."""
    return _end(_select_unread(user_id), user_id)


def mark_seen(*, user_id: int | None, kinds: Collection[Kind], about: int) -> int:
    """Mark what a page has just shown as read; how many notices were not. Costs one query when there is none."""
    rows = _select_unread(user_id).filter(kind__in=kinds, about=about)
    found = list(rows.values_list("pk", flat=True))
    return mark_read(user_id=user_id, only=found) if found else 0


def forget(*, user_id: int | None, kind: Kind, about: int) -> int:
    """Take back an unread notice of what its reader saw happen on an open page; how many."""
    removed, _ = _select_unread(user_id).filter(kind=kind, about=about).delete()
    if removed:
        _announce({user_id or 0})
    return removed


@transaction.atomic
def save_mutes(*, user_id: int, channel: Mute.Channel, kinds: Iterable[str]) -> None:
    """Set the kinds that a person does not want in one place, instead of those set before."""
    Mute.objects.filter(user_id=user_id, channel=channel).delete()
    unwanted = [kind for kind in Kind if kind in set(kinds)]
    Mute.objects.bulk_create([Mute(user_id=user_id, channel=channel, kind=kind) for kind in unwanted])


def tidy_notices(most: int = KEPT_OF_PERSON) -> int:
    """Delete old notices, and the oldest of people who have more than `most`; how many."""
    removed, _ = Notice.objects.filter(created_at__lt=timezone.now() - KEPT).delete()
    many = Notice.objects.order_by().values("user").annotate(n=Count("pk")).filter(n__gt=most)
    for user_id in many.values_list("user", flat=True):
        rows = Notice.objects.filter(user=user_id).order_by("-pk")
        last = rows.values_list("pk", flat=True)[most - 1 : most].get()
        removed += rows.filter(pk__lt=last).delete()[0]
    return removed


def queue_mail() -> int:
    """Have the mails made that are due, one job for each person; how many. None while this site sends no mail."""
    if not settings.MAIL_ON:
        return 0
    due = Notice.objects.filter(mail_after__lte=timezone.now()).order_by().values_list("user", flat=True).distinct()
    people = list(due[:MOST_MAILS_AT_ONCE])
    waiting = jobs.find_lost_jobs([_job_id(pk) for pk in people], queue=QUEUE, alive=jobs.ALIVE) if people else set()
    lost = [pk for pk in people if _job_id(pk) in waiting]
    for pk in lost:
        jobs.enqueue(MAIL_JOB, pk, queue=QUEUE, job_id=_job_id(pk), seconds=MAIL_JOB_SECONDS)
    return len(lost)


def _job_id(user_id: int) -> str:
    return f"notices-{user_id}"


def group_of(user_id: int) -> str:
    """The channel group that the bells of a person's open pages listen to."""
    return f"notices-{user_id}"


def _select_unread(user_id: int | None) -> QuerySet[Notice]:
    return Notice.objects.filter(user=user_id or 0, read_at=None)


def _end(rows: QuerySet[Notice], user_id: int | None) -> int:
    if reads_alone.get()():
        return 0
    count = rows.update(read_at=timezone.now(), mail_after=None)
    if count:
        _announce({user_id or 0})
    return count


def _announce(people: Iterable[int]) -> None:
    """Tell the bells of these people to read their rows again, after the commit; a lost notification costs a minute."""
    for user_id in people:
        transaction.on_commit(partial(publish, group_of(user_id), {"type": "notices.changed"}), robust=True)
