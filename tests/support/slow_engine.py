"""An engine whose events come as a file says: for tests that must catch a run under way.

VECTORLESS_ENGINE_FACTORY names `build_engine`. The file named by VECTORLESS_TEST_PAUSE
holds the seconds to wait before each event, or `gate N`: the first N events of a run pass
and the others wait. It may change at any time. Beside it, `horse` names the process at work
and its parent.
"""

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from vectorless_web import wiring


class PausingReasoner:
    """The real reasoner, waiting before each event."""

    def __init__(self, reasoner) -> None:
        self._reasoner = reasoner

    def __getattr__(self, name: str):
        return getattr(self._reasoner, name)

    def run(self, *arguments, **options) -> Iterator:
        cancelling = options.get("cancelling", lambda: False)
        pause = Path(os.environ["VECTORLESS_TEST_PAUSE"])
        (pause.parent / "horse").write_text(f"{os.getpid()} {os.getppid()}")
        for number, event in enumerate(self._reasoner.run(*arguments, **options)):
            began = time.monotonic()
            while not cancelling() and not _passes(pause.read_text(), number, time.monotonic() - began):
                time.sleep(0.02)
            yield event


def _passes(rule: str, number: int, waited: float) -> bool:
    """Whether the event of this number may come after waiting so long; a file being written says nothing yet."""
    word, _, count = rule.partition(" ")
    if word == "gate":
        return number < int(count or 0)
    return bool(word) and waited >= float(word)


def build_engine(settings, calls=None):
    engine = wiring.build_engine(settings, calls)
    return replace(engine, reasoner=PausingReasoner(engine.reasoner))
