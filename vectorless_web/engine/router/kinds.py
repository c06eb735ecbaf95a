"""Kinds of document that are one thing under several names."""

import re
from enum import StrEnum


class Span(StrEnum):
    """What stretch of time a kind of document reports on."""

    YEAR = "year"
    QUARTER = "quarter"
    EVENT = "event"
    UNKNOWN = ""


_FAMILIES = (
    ("annual report", Span.YEAR, {"10k", "20f", "40f", "annualreport", "form10k", "universalregistrationdocument"}),
    ("quarterly report", Span.QUARTER, {"10q", "quarterlyreport", "form10q", "interimreport"}),
    ("current report", Span.EVENT, {"8k", "6k", "currentreport", "form8k"}),
    (
        "earnings release",
        Span.QUARTER,
        {"earnings", "earningsrelease", "earningsreport", "earningscall", "pressrelease"},
    ),
    ("proxy statement", Span.EVENT, {"def14a", "proxystatement", "proxy"}),
    ("prospectus", Span.EVENT, {"s1", "s3", "s4", "f1", "prospectus", "offeringmemorandum"}),
    ("contract", Span.UNKNOWN, {"contract", "agreement", "leaseagreement", "licenseagreement", "serviceagreement"}),
    ("manual", Span.UNKNOWN, {"manual", "usermanual", "userguide", "guide", "handbook", "ownersmanual"}),
)
_BY_NAME = {name: family for family, _, names in _FAMILIES for name in names}
SPANS: dict[Span, tuple[str, ...]] = {
    span: tuple(family for family, of, _ in _FAMILIES if of is span) for span in (Span.YEAR, Span.QUARTER, Span.EVENT)
}
"""Families of documents by the stretch of time they report on."""


def family_of(form: str) -> str:
    """The family of a kind of document ("10-K" and "annual report" are one), or its own name, lower case."""
    plain = re.sub(r"[\W_]+", "", form.casefold())
    return _BY_NAME.get(plain, form.casefold().strip())
