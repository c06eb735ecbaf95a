"""The lexicon's packs and what the questions room knows of words: data files beside this module."""

import tomllib
from functools import cache
from importlib import resources
from typing import Any

PACKS = ("financial", "ratios", "statements", "legal", "technical", "general")


@cache
def read_pack(name: str) -> dict[str, Any]:
    """One data file as plain data; it is read once and not to be changed."""
    return tomllib.loads(resources.files(__name__).joinpath(f"{name}.toml").read_text(encoding="utf-8"))


@cache
def read_words(name: str) -> frozenset[str]:
    """One list of `words.toml`, in small letters."""
    return frozenset(word.lower() for word in read_pack("words")[name])
