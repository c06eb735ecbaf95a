"""The lexicon's packs: data files beside this module."""

import tomllib
from importlib import resources
from typing import Any

PACKS = ("financial", "ratios", "statements", "legal", "technical", "general")


def read_pack(name: str) -> dict[str, Any]:
    """One pack as plain data."""
    return tomllib.loads(resources.files(__name__).joinpath(f"{name}.toml").read_text(encoding="utf-8"))
