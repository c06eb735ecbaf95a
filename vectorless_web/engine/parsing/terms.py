"""Words that documents print as furniture (names of parts, units, periods), as pieces of patterns; see terms.toml."""

import re
import tomllib
from collections.abc import Sequence
from importlib import resources

_LISTS: dict[str, list[str]] = tomllib.loads(
    resources.files(__package__).joinpath("terms.toml").read_text(encoding="utf-8")
)


def words_of(name: str) -> Sequence[str]:
    """The words of a list, in its order."""
    return _LISTS[name]


def any_of(*names: str) -> str:
    """A group that matches any word of these lists, the longest first; for patterns that ignore case."""
    words = {word for name in names for word in _LISTS[name]}
    ordered = sorted(words, key=lambda word: (-len(word), word))
    return "(?:" + "|".join(_write_pattern(word) for word in ordered) + ")"


def _write_pattern(word: str) -> str:
    return re.escape(word).replace(r"\ ", r"\s+").replace("'", "['’‘]")
