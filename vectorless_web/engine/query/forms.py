"""Kinds of document a question names."""

import re

_FORMS = (
    ("10-k", re.compile(r"\b(?:form\s+)?10-?K\b|\bannual report\b", re.IGNORECASE)),
    ("10-q", re.compile(r"\b(?:form\s+)?10-?Q\b|\bquarterly report\b", re.IGNORECASE)),
    ("8-k", re.compile(r"\b(?:form\s+)?8-?K\b|\bcurrent report\b", re.IGNORECASE)),
    ("20-f", re.compile(r"\b(?:form\s+)?20-?F\b", re.IGNORECASE)),
    ("proxy statement", re.compile(r"\bproxy statement\b|\bDEF 14A\b", re.IGNORECASE)),
    (
        "earnings release",
        re.compile(r"\bearnings (?:release|report|call|presentation)\b|\bpress release\b", re.IGNORECASE),
    ),
    ("prospectus", re.compile(r"\bprospectus\b|\bS-1\b")),
    ("contract", re.compile(r"\b(?:contract|agreement|lease agreement)\b", re.IGNORECASE)),
    ("policy", re.compile(r"\bpolicy document\b", re.IGNORECASE)),
    ("manual", re.compile(r"\b(?:user |owner'?s |operating )?manual\b", re.IGNORECASE)),
)


def forms_in(text: str) -> tuple[str, ...]:
    """Document kinds named, in a fixed order, lower case ("10-k", "earnings release")."""
    return tuple(name for name, pattern in _FORMS if pattern.search(text))
