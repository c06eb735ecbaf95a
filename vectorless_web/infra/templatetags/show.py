"""How values are shown: icons, durations, money, sizes, pages, people, moments, headings, what a self-test found."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any

from django import template
from django.forms import BoundField, CheckboxInput, RadioSelect
from django.templatetags.static import static
from django.utils import formats, timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from vectorless_web.engine.answers.claims import HELD, Support
from vectorless_web.engine.text.analyser import lower_capitals as readable_case
from vectorless_web.engine.text.numbers import missing_unit, numbers_in, unit_word

register = template.Library()

CAPABILITIES = {
    "reply": gettext_lazy("Answers"),
    "objects": gettext_lazy("JSON and tools"),
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


@dataclass(frozen=True, slots=True)
class OutlineRow:
    """One heading of a nested list: whether a list opens below it, and how many lists close after it."""

    section: Any
    opens: bool
    closes: range


@register.filter("nested")
def nest_sections(sections: Iterable[Any]) -> Iterator[OutlineRow]:
    """Headings in pre-order, each with a `depth`, as rows of a nested list."""
    rows = list(sections)
    base = min((row.depth for row in rows), default=0)
    level = 0
    for row, following in zip(rows, [*rows[1:], None], strict=True):
        opens = following is not None and following.depth > row.depth
        deeper = level + 1 if opens else level
        level = deeper if opens else min(level, following.depth - base if following is not None else 0)
        yield OutlineRow(row, opens, range(0 if opens else deeper - level))


def describe_time(local: datetime, now: datetime) -> str:
    """ "just now", "today, 14:05", "yesterday, 14:05", "3 May", "3 May 2023"; both times are in the reader's zone."""
    clock = local.strftime("%H:%M")
    if timedelta() <= now - local < timedelta(minutes=1):
        return _("just now")
    if local.date() == now.date():
        return _("today, %(clock)s") % {"clock": clock}
    if local.date() == now.date() - timedelta(days=1):
        return _("yesterday, %(clock)s") % {"clock": clock}
    return formats.date_format(local, "j M" if local.year == now.year else "j M Y")


SPACE = "\N{NO-BREAK SPACE}"

CHECKS = {
    "exact": ("exact", "good", "check"),
    "normalised": ("exact after joining lines", "good", "check"),
    "fuzzy": ("close", "warn", "half"),
    "picture": ("read from a picture", "warn", "eye"),
    "missing": ("not found", "bad", "cross"),
}
SUPPORTS = {
    "supported": (gettext_lazy("Supported by its quotes"), "check"),
    "derived": (gettext_lazy("Derived by a shown calculation"), "equals"),
    "pictured": (gettext_lazy("Read from a picture"), "eye"),
    "partly": (gettext_lazy("Supported in part"), "half"),
    "quoted": (gettext_lazy("Quoted, not verified"), "quote"),
    "absent": (gettext_lazy("Not found where it was searched"), "minus"),
    "unsupported": (gettext_lazy("Unsupported"), "cross"),
}
VERDICTS = {
    "exact": gettext_lazy("exact"),
    "verified": gettext_lazy("verified"),
    "partly": gettext_lazy("partly verified"),
    "not": gettext_lazy("not verified"),
}
NOT_CHECKED = (gettext_lazy("Not checked yet"), "")
OUTCOMES = {
    "queued": ("", "clock"),
    "running": ("", "clock"),
    "answered": ("good", "check"),
    "partial": ("warn", "half"),
    "passages": ("", "quote"),
    "not_found": ("", "minus"),
    "failed": ("bad", "fail"),
    "cancelled": ("", "stop"),
}


HARD_WRAP = re.compile(r"(?<=[^\n]{40})\n(?=[a-z(])|(?<=[^\n]{60})(?<![.:;!?|])\n(?=\w)")
"""A line end after a long line that goes on: in lower case, or with no sentence ended before it."""


@register.simple_tag
@cache
def icon(name: str, size: str = "") -> SafeString:
    """An icon of the sprite, hidden from screen readers; `size` is "", "small" or "large".

    A page shows a hundred of some fifty that there are, so each is written out once.
    """
    kind = f"i {size}".strip()
    return format_html(
        '<svg class="{}" aria-hidden="true"><use href="{}#i-{}"/></svg>', kind, static("icons.svg"), name
    )


TITLE_PARTS = re.compile("(, | > )")
"""What parts a title, or the headings above a place."""
TITLES_KEPT = 4096
"""Titles whose readable form is kept, about 1 MB: a page of a list has some fifty, and the next page of it the same."""


@register.inclusion_tag("_act.html")
def act(to: str, words: str, **shown: str) -> dict[str, Any]:
    """One press that posts to an address: a form with a button of these words.

    `shown` may hold what is read aloud besides (`about`), the button's `look` and `mark` (an icon), the form's `place`
    (classes of both), and the `target` that htmx puts the answer in place of.
    """
    return {"to": to, "words": words, **shown}


@register.filter
def plain(value: Any) -> str:
    """The value without locale formatting: for ids, addresses, form values and SVG numbers."""
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return "" if value is None else str(value)


@register.filter
@lru_cache(maxsize=TITLES_KEPT, typed=True)  # Typed: a text that is safe as HTML is never answered for one that is not.
def readable(title: Any) -> str:
    """A title of a document or a section, or its place; what is in capitals alone with most of them brought down."""
    text = str(title or "")
    whole = readable_case(text)
    return "".join(map(readable_case, TITLE_PARTS.split(text))) if whole == text else whole


@register.filter
def seconds(value: Any) -> str:
    """A duration: "0.04 s", "1.2 s", "18 s", "2 min 05 s"; nothing for what is no number, as a missing row is."""
    if not isinstance(value, int | float):
        return ""
    if value >= 60:
        return f"{int(value // 60)}{SPACE}min {int(value % 60):02d}{SPACE}s"
    digits = 2 if value < 0.095 else 1 if value < 100 else 0
    return f"{formats.number_format(round(value, digits), digits)}{SPACE}s"


@register.filter
def until(start: datetime | None, end: datetime | None) -> str:
    """The time from start to end, or to now when it has not ended."""
    if not isinstance(start, datetime):
        return ""
    return seconds(((end if isinstance(end, datetime) else timezone.now()) - start).total_seconds())


@register.filter("elapsed")
def count_elapsed_seconds(start: datetime | None) -> str:
    """Seconds since then, for a clock that the browser runs on."""
    return plain(max((timezone.now() - start).total_seconds(), 0.0)) if isinstance(start, datetime) else "0"


@register.filter
def percent(value: Any) -> str:
    """A share of 1 as a whole percentage: "96 %"."""
    return f"{round(value * 100)}{SPACE}%" if isinstance(value, int | float) else ""


@register.filter
def share(value: Any) -> str:
    """A share of 1 as the width of a 100-wide bar."""
    return plain(max(0.0, min(1.0, float(value or 0))) * 100)


@register.filter
def of_total(done: Any, total: Any) -> str:
    """`done` of `total` as the width of a 100-wide bar; 0 when nothing is known."""
    return share(float(done) / float(total) if done and total else 0)


@register.filter
def factor(value: Any) -> str:
    """A number between 0 and 1 with two digits."""
    return formats.number_format(round(value, 2), 2) if isinstance(value, int | float) else ""


@register.filter
def money(value: Decimal | float | None) -> str:
    """An amount of US dollars, with as many digits as small sums need."""
    amount = float(value or 0)
    digits = 2 if amount >= 0.1 or amount == 0 else 3
    return f"${formats.number_format(round(amount, digits), digits)}"


@register.filter
def size(value: int | None) -> str:
    """A file size: "96 KB", "9.1 MB"."""
    amount = float(value or 0)
    unit = "bytes"
    for larger in ("KB", "MB", "GB"):
        if amount >= 1000:
            amount, unit = amount / 1000, larger
    digits = 1 if amount < 10 and unit in ("MB", "GB") else 0
    return f"{formats.number_format(round(amount, digits), digits)}{SPACE}{unit}"


@register.filter
def in_words(code: str) -> str:
    """A code as words: "golden set scheduled" of "golden_set.scheduled"."""
    return " ".join(re.findall(r"[^\W_]+", code))


@register.filter
def person(user: Any) -> str:
    """A person's name as others read it."""
    if not user:
        return _("Someone who left")
    name: str = user.get_full_name() or user.get_username()
    return name


@register.filter
def initials(user: Any) -> str:
    """Two letters that stand for a person."""
    words = person(user).replace(".", " ").replace("@", " ").replace("_", " ").split()
    letters = words[0][:1] + words[-1][:1] if len(words) > 1 else (words or ["?"])[0][:2]
    return letters.upper()


@register.filter
def pages_of(reference: Any) -> str:
    """ "p. 47" or "pp. 111-113" of anything with `page_start` and `page_end`, which count from 0."""
    if not isinstance(reference, dict):
        reference = {"page_start": reference.page_start, "page_end": reference.page_end}
    first, last = reference["page_start"] + 1, reference["page_end"] + 1
    if last <= first:
        return _("p. %(page)s") % {"page": formats.localize(first)}
    return _("pp. %(first)s–%(last)s") % {"first": formats.localize(first), "last": formats.localize(last)}


@register.filter
def check_word(result: str) -> str:
    """How a quote was found, in words."""
    return _(CHECKS.get(result, CHECKS["missing"])[0])


@register.filter
def check_tone(result: str) -> str:
    """The badge class of a quote's check."""
    return CHECKS.get(result, CHECKS["missing"])[1]


@register.filter
def check_icon(result: str) -> str:
    """The icon of a quote's check."""
    return CHECKS.get(result, CHECKS["missing"])[2]


@register.filter
def outcome_tone(status: str) -> str:
    """The class of a run's verdict."""
    return OUTCOMES.get(status, ("", "minus"))[0]


@register.filter
def outcome_icon(status: str) -> str:
    """The icon of a run's verdict."""
    return OUTCOMES.get(status, ("", "minus"))[1]


@register.filter
def support_word(support: str) -> str:
    """What the check found of a claim, for people."""
    return str(SUPPORTS.get(support, NOT_CHECKED)[0])


@register.filter
def support_icon(support: str) -> str:
    """The icon of a claim's support; "" for one that is not checked yet."""
    return SUPPORTS.get(support, NOT_CHECKED)[1]


@register.filter
def verdict_line(answer: Any) -> str:
    """The word for how far an answer was checked; of an earlier version its number, said as such; "" for none."""
    verdict, number = getattr(answer, "verdict", ""), getattr(answer, "confidence", None)
    if verdict or number is None:
        return str(VERDICTS.get(verdict, ""))
    return _("%(share)s confidence, as an earlier version measured it") % {"share": percent(number)}


@register.filter
def with_support(claims: Iterable[Any]) -> int:
    """How many claims hold: supported by quotes, derived by a shown calculation, or read from a picture."""
    return sum(claim.support in HELD for claim in claims)


@register.filter
def from_pictures(claims: Iterable[Any]) -> int:
    """How many of the claims that hold were read from pictures, which no program can check."""
    return sum(claim.support == Support.PICTURED for claim in claims)


@register.filter
def is_pictured(claims: Iterable[Any]) -> bool:
    """Whether all claims that hold were read from pictures: such an answer bears no tick."""
    return 0 < from_pictures(claims) == with_support(claims)


@register.filter
def is_quoted(claim: Any) -> bool:
    """Whether a claim's words are those of one of its quotes."""
    supported = " ".join(claim.text.split())
    return any(supported in " ".join(citation.quote.split()) for citation in claim.citations.all())


@register.filter
def formula(text: str) -> str:
    """Arithmetic with the signs people write: "a_b * c / d - e" as "a b × c ÷ d − e"."""
    for typed, written in ((" * ", " × "), (" / ", " ÷ "), (" - ", " − "), ("_", " ")):
        text = text.replace(typed, written)
    return text


@register.filter
def cells(text: str) -> str:
    """A quote with its table cells set apart by a wide space instead of a tab."""
    return text.replace("\t", "\N{EM SPACE}")


@register.filter("unwrapped")
def unwrap_lines(text: str) -> str:
    """Plain text without the line ends that only kept its lines short; paragraphs, lists and tables stay."""
    return HARD_WRAP.sub(" ", text)


@register.filter("lit")
def light_segments(segments: Iterable[Any]) -> SafeString:
    """Segments of a page's text as HTML: quotes and finds are marks, the first of a quote has its id and number."""
    return format_html_join("", "{}", ((_light_segment(segment),) for segment in segments))


def _light_segment(segment: Any) -> str:
    text = unwrap_lines(segment.text)
    if not segment.marker:
        return format_html("<mark>{}</mark>", text) if segment.found else text
    look = "hit on" if segment.on else "hit"
    if not segment.first:
        return format_html('<mark class="{}" data-marker="{}">{}</mark>', look, segment.marker, text)
    return format_html(
        '<mark class="{}" id="hit-{}" data-marker="{}"><span class="tab" aria-hidden="true">{}</span>{}</mark>',
        look, segment.marker, segment.marker, segment.marker, text,
    )  # fmt: skip


@register.filter("marked")
def mark_pieces(pieces: Iterable[Any]) -> SafeString:
    """Pieces of a text as HTML, those that a search asked for marked; nothing is between them."""
    marked = (format_html("<mark>{}</mark>", piece.text) if piece.marked else piece.text for piece in pieces)
    return format_html_join("", "{}", ((piece,) for piece in marked))


@register.filter("differing")
def mark_differences(pieces: Iterable[Any], tag: str) -> SafeString:
    """Pieces of a text as HTML, those that the other text has not in `del` or `ins`; nothing is between them."""
    whole = {"del": "<del>{}</del>", "ins": "<ins>{}</ins>"}[tag]
    marked = (piece.text if piece.same else format_html(whole, piece.text) for piece in pieces)
    return format_html_join("", "{}", ((piece,) for piece in marked))


@register.filter("styled")
def style_field(field: BoundField, kind: str = "") -> SafeString:
    """A form field's widget in the site's look, tied to its hint and its errors for screen readers."""
    widget = field.field.widget
    plain_widget = isinstance(widget, CheckboxInput | RadioSelect)
    attributes: dict[str, str | bool] = {} if plain_widget else {"class": f"input {kind}".strip()}
    notes = [f"{field.auto_id}-hint"] if field.help_text else []
    if field.errors:
        attributes["aria-invalid"] = "true"
        notes.append(f"{field.auto_id}-wrong")
    if notes:
        attributes["aria-describedby"] = " ".join(notes)
    return field.as_widget(attrs=attributes)


@register.filter
def is_checkbox(field: BoundField) -> bool:
    """Whether the label belongs behind the box."""
    return isinstance(field.field.widget, CheckboxInput)


@register.filter
def pages_around(paginator: Any, number: int) -> list[int]:
    """Page numbers for a pager: the ends and the neighbours, with 0 where numbers are left out."""
    last = paginator.num_pages
    shown = sorted({1, last, *range(max(1, number - 1), min(last, number + 1) + 1)})
    gaps = [[0] if following - current > 1 else [] for current, following in pairwise(shown)]
    return [page for current, gap in zip(shown, [*gaps, []], strict=True) for page in (current, *gap)]


@register.simple_tag
def when(moment: datetime | None) -> str:
    """A moment as a `time` element in short words, the full time as its title; the browser converts the time zone."""
    if not isinstance(moment, datetime):
        return ""
    local = timezone.localtime(moment)
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        moment.isoformat(),
        local.strftime("%-d %B %Y, %H:%M %Z"),
        describe_time(local, timezone.localtime()),
    )


BARE = re.compile(r"([-−(]?)(?:[$€£¥]|[A-Z]{3}\s)?([\d.,]+\)?)\s?(thousand|million|billion|trillion|%)?")


@register.filter
def bare(figure: str, unit: str) -> str:
    """The number alone when the unit says the rest: "220" of "$220 million" in "USD million"; else the whole."""
    match = BARE.fullmatch(figure)
    if match is None or not unit or not unit.endswith(match[3] or ""):
        return figure
    currencies = {unit_word(word).currency for word in unit.split()}
    if any(number.currency and number.currency not in currencies for number in numbers_in(figure)):
        return figure
    return f"{match[1]}{match[2]}"


@register.filter
def unless_worded(unit: str, figure: str) -> str:
    """What the unit adds to a figure that may say some of it itself: nothing for "$220 million" or "11.8%"."""
    return missing_unit(figure, unit)
