"""In what unit, scale and rounding a question wants its number."""

import re
from collections.abc import Iterable, Sequence

from vectorless_web.engine.questions.plan import UnitRequest
from vectorless_web.engine.text.numbers import number_word
from vectorless_web.engine.text.units import LEADS, PLACES, WHOLE, UnitMention, units_in

Span = tuple[int, int]


def _choose(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_PLACES = re.compile(rf"(?P<count>\w+)\s+(?:{_choose(PLACES)})\b|\b(?P<whole>{_choose(WHOLE)})\b", re.IGNORECASE)
_BEHIND_NUMBER = re.compile(r"\d[\s\-]?$")
_BETWEEN = re.compile(r"[\s\-]*(?:\w{2}\s+)?")
"""Between the words of one unit: nothing but white space and one small word ("millions of dollars")."""
_LAST_WORD = re.compile(r"([^\W\d_]+)\W*(?:\w{3}\s+)?$|\($")


def find_asked_unit(text: str) -> tuple[UnitRequest | None, tuple[Span, ...]]:
    """The unit, scale and rounding asked for and where they stand; None when the question leaves them open.

    Percent is asked for wherever it does not stand behind a number. A scale or currency is when a lead ("in", "as")
    or a bracket is before it; behind a number it belongs to that number.
    """
    mentions = [mention for mention in units_in(text) if not _BEHIND_NUMBER.search(text, 0, mention.start)]
    percent = [mention for mention in mentions if mention.is_percent]
    money = _find_led_run(text, [mention for mention in mentions if mention.scale != 1 or mention.currency])
    places = _PLACES.search(text)
    decimals = _read_places(places) if places else None
    if not (percent or money or decimals is not None):
        return None, ()
    scale = next((float(mention.scale) for mention in money if mention.scale != 1), None)
    currency = next((mention.currency for mention in money if mention.currency), "")
    spans = [(_find_begin(text, mention, mentions), mention.end) for mention in (*percent, *money)]
    told = [text[money[0].start : money[-1].end]] if money else []
    if places and decimals is not None:
        spans.append(places.span())
        told.append(places.group())
    return UnitRequest(scale, currency, bool(percent), decimals, "; ".join(told)), tuple(spans)


def _find_begin(text: str, mention: UnitMention, mentions: Sequence[UnitMention]) -> int:
    """Where the words of a unit begin: with another unit's name right before it, as in "units of percent"."""
    before = (m for m in mentions if m.measure and m.end < mention.start)
    return next((m.start for m in before if _BETWEEN.fullmatch(text, m.end, mention.start)), mention.start)


def _find_led_run(text: str, mentions: Sequence[UnitMention]) -> list[UnitMention]:
    """The first mentions beside one another that a lead or a bracket introduces: "in USD millions"."""
    for place, mention in enumerate(mentions):
        before = _LAST_WORD.search(text, 0, mention.start)
        if before is None or (before[1] or "in").lower() not in LEADS:
            continue
        run = [mention]
        for following in mentions[place + 1 :]:
            if not _BETWEEN.fullmatch(text, run[-1].end, following.start):
                break
            run.append(following)
        return run
    return []


def _read_places(match: re.Match[str]) -> int | None:
    return 0 if match["whole"] else number_word(match["count"])
