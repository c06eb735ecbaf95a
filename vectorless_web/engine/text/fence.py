"""Quotes document text inside a prompt so that it can neither end its own quotation nor begin another."""

import re

OPENING, CLOSING = "<<<document", "document>>>"
_MARKS = re.compile(r"<{3,}|>{3,}")


def fence_text(text: str) -> str:
    """`text` between the marks; marks that stand in it, however long, are broken up."""
    quiet = _MARKS.sub(lambda mark: " ".join(mark[0]), text)
    return f"{OPENING}\n{quiet}\n{CLOSING}"
