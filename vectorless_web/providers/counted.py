"""Tokens as a server counts them, believed only as far as they can be true."""

FACTOR = 4
"""A tokenizer may count this many times what is estimated here: scripts that its vocabulary does not know."""

WRAPPING = 4096
"""Tokens that a server may wrap around what it was sent: templates, schemas, instructions of its own."""

UNLIMITED = 32_768
"""Tokens that a model may think unseen when its server takes no limit."""


def check_count(said: object, *, estimate: int, room: int, least: int = 0) -> int | None:
    """The server's count when it is a whole number from `least` to FACTOR x `estimate` + `room`; None otherwise.

    What is booked follows from it, and a server may send any number.
    """
    if not isinstance(said, int) or isinstance(said, bool):
        return None
    return said if least <= said <= FACTOR * estimate + room else None
