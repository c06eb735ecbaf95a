"""A stand-in for the package of the local model: on the path like the real one, it knows two words of one meaning."""

import sys
from pathlib import Path

from vectorless_web.infra.site import local_model
from vectorless_web.providers import local_nearness

SOURCE = '''
"""Texts lie apart by whether they speak of breaks."""
import numpy as np

BREAKS = ("pause", "break")


class E5:
    def __init__(self, num_threads=None):
        {setup}

    def query(self, texts):
        return self.passage(texts)

    def passage(self, texts):
        return np.array([[1.0, 0.0] if any(w in t for w in BREAKS) else [0.0, 1.0] for t in texts], np.float32)
'''


def put_on_path(folder: Path, monkeypatch, *, setup: str = "pass") -> None:
    """Make the package importable until the test ends; `setup` is what its constructor does."""
    package = folder / "packages" / local_model.PACKAGE
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(SOURCE.format(setup=setup))
    forget_package(monkeypatch)
    monkeypatch.syspath_prepend(str(package.parent))


def forget_package(monkeypatch) -> None:
    """As if nobody had loaded it in this process; what is loaded from now on is forgotten when the test ends."""
    monkeypatch.setitem(sys.modules, local_model.PACKAGE, None)
    del sys.modules[local_model.PACKAGE]
    local_nearness.forget_encoder()


def hide_package(monkeypatch) -> None:
    """As if it were not installed."""
    local_nearness.forget_encoder()
    monkeypatch.setitem(sys.modules, local_model.PACKAGE, None)
