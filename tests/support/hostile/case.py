"""One hostile file: how it is made, and what has to become of it."""

from collections.abc import Callable
from dataclasses import dataclass

READY = "ready"
SECRET = "the canary sings at noon"
"""What stands in a file of the machine that some of them try to take in."""


@dataclass(frozen=True)
class Bait:
    """What a hostile file may reach for: an address where somebody listens, and a file with SECRET in it."""

    url: str
    file: str


@dataclass(frozen=True)
class Hostile:
    """`ends` is `ready`, or the code it is refused with, at the door or when it is read.

    A ready document has the words `keeps` in its text and nothing of `leaves`; one of its remarks has `told`.
    """

    make: Callable[[Bait], bytes]
    name: str
    ends: str = READY
    keeps: str = ""
    leaves: tuple[str, ...] = ()
    told: str = ""
    seconds: float = 30
    """Seconds it may take on a machine that does other things as well; quiet, all take less than 4."""
