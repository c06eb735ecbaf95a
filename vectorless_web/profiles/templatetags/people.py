"""`{% avatar person %}`: the picture of a person, or the initials that stand for them."""

from typing import Any

from django import template
from django.template import Context
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from vectorless_web.infra.templatetags.show import initials, person
from vectorless_web.profiles.models import Portrait

register = template.Library()

KEPT = "_portraits"
"""Where a request keeps who has a picture: a page may show a hundred people."""


@register.simple_tag(takes_context=True)
def avatar(context: Context, who: Any, size: str = "", *, named: bool = True) -> SafeString:
    """A round place for a person; `size` may be "large". With named=False the name is beside it already.

    The initials lie under the picture, for who may not see it.
    """
    digest = _portraits(context).get(who.pk, "") if who else ""
    picture = ""
    if digest:
        picture = format_html('<img src="{}" alt="">', reverse("profiles:picture", args=[who.pk, digest]))
    told = format_html(' role="img" aria-label="{0}" title="{0}"', person(who)) if named else ' aria-hidden="true"'
    return format_html(
        '<span class="{}"{}>{}{}</span>', f"avatar {size}".strip(), SafeString(told), initials(who), picture
    )


def _portraits(context: Context) -> dict[int, str]:
    """Who has a picture, asked once for a page. Whoever holds a share link has no account, and is shown initials."""
    if context.get("shared"):
        return {}
    request = context.get("request")
    found: dict[int, str] | None = getattr(request, KEPT, None)
    if found is None:
        found = dict(Portrait.objects.values_list("user", "digest"))
        if request is not None:
            setattr(request, KEPT, found)
    return found
