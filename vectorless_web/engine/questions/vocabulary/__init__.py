"""The everyday vocabulary: data files beside this module.

`forms.toml` and `families.txt` hold forms of one word, the other files words that mean nearly the same, by field.
"""

import tomllib
from importlib import resources
from typing import Any

FIELDS = ("everyday", "work", "agreements", "health", "software", "travel", "public")
FAMILIES = "families.txt"
"""Word families from WordNet, one to a line; written by tools/word_families.py."""


def read_field(name: str) -> dict[str, Any]:
    """One file of words that mean nearly the same, as plain data."""
    return tomllib.loads(_read(f"{name}.toml"))


def read_forms() -> dict[str, list[str]]:
    """Families of words by kind (`inflections`, `families`, `spellings`, `compounds`), words parted by spaces."""
    forms = tomllib.loads(_read("forms.toml"))
    lines = [line for line in _read(FAMILIES).splitlines() if not line.startswith("#")]
    return {**forms, "families": [*forms["families"], *lines]}


def _read(name: str) -> str:
    return resources.files(__name__).joinpath(name).read_text(encoding="utf-8")
