"""An engine whose events come as slowly as a file says: for tests that must catch a run under way.

VECTORLESS_ENGINE_FACTORY names `build_engine`; the file named by VECTORLESS_TEST_PAUSE
holds the seconds to wait before each event and may change at any time.
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
        for event in self._reasoner.run(*arguments, **options):
            deadline = time.monotonic() + float(Path(os.environ["VECTORLESS_TEST_PAUSE"]).read_text())
            while time.monotonic() < deadline and not cancelling():
                time.sleep(0.02)
            yield event


def build_engine(settings, calls=None):
    engine = wiring.build_engine(settings, calls)
    return replace(engine, reasoner=PausingReasoner(engine.reasoner))
