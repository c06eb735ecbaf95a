"""The name a server gives its model, as rows and pages can hold it."""

LONGEST_NAME = 120
"""Characters of a model's name that are kept."""


def clean_name(said: object, *, otherwise: str = "") -> str:
    """The printable characters of a name, at most LONGEST_NAME; `otherwise` when nothing of it is left.

    A server may send anything: null characters and lone surrogates, which no database takes, or megabytes.
    """
    if not isinstance(said, str):
        return otherwise
    printable = "".join(mark for mark in said[: 2 * LONGEST_NAME] if mark.isprintable())
    return printable.strip()[:LONGEST_NAME] or otherwise
