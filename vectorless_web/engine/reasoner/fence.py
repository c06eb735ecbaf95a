"""Quotes document text inside a prompt so that it cannot end its own quotation."""

OPENING, CLOSING = "<<<document", "document>>>"


def fenced(text: str) -> str:
    """`text` between the marks; marks that stand in it are broken up."""
    quiet = text.replace("<<<", "< < <").replace(">>>", "> > >")
    return f"{OPENING}\n{quiet}\n{CLOSING}"
