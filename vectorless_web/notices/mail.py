"""Notices by mail: one mail for all that a person has not read, by a job."""

import logging
from datetime import timedelta
from smtplib import SMTPException
from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import ngettext

from vectorless_web.notices.models import Notice
from vectorless_web.notices.selectors import ShownNotice, show_notices

logger = logging.getLogger(__name__)

TRY_AGAIN = timedelta(minutes=10)
GIVE_UP = timedelta(days=1)
"""A mail server that is away is asked again so long after the notice was given; later news is none."""
MOST_IN_MAIL = 30
"""Notices that one mail tells; the others are in the bell."""


def has_confirmed_address(user_id: int) -> bool:
    """Whether mail may go to the person: an address that was never confirmed may be somebody else's."""
    return _address_of(user_id) != ""


def send_due(user_id: int) -> None:
    """Mail a person the notices that are due and still unread; quiet when there are none.

    They are taken before they are sent: a job that is killed in between costs a mail, and none comes twice.
    """
    user = get_user_model()._default_manager.filter(pk=user_id, is_active=True).first()
    now = timezone.now()
    rows = Notice.objects.filter(user=user_id, mail_after__lte=now, read_at=None).select_related("actor", "workspace")
    due = list(rows.order_by("pk"))
    Notice.objects.filter(user=user_id, mail_after__lte=now).update(mail_after=None)
    address = _address_of(user_id)
    shown = show_notices(user, due) if user is not None and address and settings.MAIL_ON else []
    if not shown:
        return
    taken = Notice.objects.filter(pk__in=[each.notice.pk for each in shown])
    try:
        _send(user, address, shown)
    except (SMTPException, OSError) as error:
        logger.warning("a mail with %d notices waits: %s", len(shown), error)
        taken.filter(created_at__gt=now - GIVE_UP).update(mail_after=now + TRY_AGAIN)
        return
    taken.update(mailed_at=timezone.now())


def _send(user: Any, address: str, shown: list[ShownNotice]) -> None:
    subject = ngettext("%(n)d notice", "%(n)d notices", len(shown)) % {"n": len(shown)}
    if len(shown) == 1:
        subject = shown[0].told.sentence
    context = {"user": user, "shown": shown[:MOST_IN_MAIL], "site": settings.SITE_ADDRESS.rstrip("/")}
    text = render_to_string("notices/mail.txt", {**context, "left_out": max(0, len(shown) - MOST_IN_MAIL)})
    send_mail(" ".join(subject.split()), text, settings.DEFAULT_FROM_EMAIL, [address])


def _address_of(user_id: int) -> str:
    """The person's own address if it was confirmed, else ""."""
    rows = EmailAddress.objects.filter(user=user_id, verified=True, primary=True)
    return rows.values_list("email", flat=True).first() or ""
