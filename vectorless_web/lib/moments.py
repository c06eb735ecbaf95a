"""Moments as people say them."""

from datetime import datetime, timedelta

from django.utils import formats
from django.utils.translation import gettext as _


def said(local: datetime, now: datetime) -> str:
    """ "just now", "today, 14:05", "yesterday, 14:05", "3 May", "3 May 2023"; both times are in the reader's zone."""
    clock = local.strftime("%H:%M")
    if timedelta() <= now - local < timedelta(minutes=1):
        return _("just now")
    if local.date() == now.date():
        return _("today, %(clock)s") % {"clock": clock}
    if local.date() == now.date() - timedelta(days=1):
        return _("yesterday, %(clock)s") % {"clock": clock}
    return formats.date_format(local, "j M" if local.year == now.year else "j M Y")
