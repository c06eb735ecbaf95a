"""Words for what a model's self-test found."""

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

register = template.Library()

CAPABILITIES = {
    "reply": gettext_lazy("Answers"),
    "json_schema": gettext_lazy("JSON schema"),
    "json_object": gettext_lazy("JSON object"),
    "streaming": gettext_lazy("Streaming"),
    "quotes": gettext_lazy("Quotes exactly"),
    "pictures": gettext_lazy("Reads pictures"),
    "context": gettext_lazy("Context"),
    "speed": gettext_lazy("Speed"),
    "usage": gettext_lazy("Counts tokens"),
    "plan": gettext_lazy("Planning steps"),
    "guide": gettext_lazy("Guiding the search"),
    "write": gettext_lazy("Writing answers"),
}


@register.filter
def capability(name: str) -> str:
    """The name of a capability or a job, for people."""
    return str(CAPABILITIES.get(name, name))


@register.filter
def found_word(found: str | bool) -> str:
    """Yes, no or not known."""
    if found in ("yes", True):
        return _("yes")
    return _("no") if found in ("no", False) else _("not known")
