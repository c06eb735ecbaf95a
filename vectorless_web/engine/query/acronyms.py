"""Acronyms as people build them from a name's initials."""

import re

_LINKS = frozenset({"and", "of", "the", "for", "to", "in", "on", "per", "with"})
_AND = ("", "&", "n", "a")


def acronyms_of(name: str) -> frozenset[str]:
    """Lower-case acronyms of a name of two words or more.

    "property, plant and equipment" gives ppe, pp&e, ppne and ppae; "cost of goods
    sold" gives cgs and cogs. Two letters are too few to be sure of.
    """
    parts = re.findall(r"[a-z]+", name.lower())
    if len(parts) < 2:
        return frozenset()
    every = "".join(part[0] for part in parts)
    found = {every, *(_initials(parts, mark) for mark in _AND)}
    return frozenset(acronym for acronym in found if len(acronym.replace("&", "")) > 2)


def _initials(parts: list[str], mark: str) -> str:
    letters = [mark if part == "and" else part[0] for part in parts if part == "and" or part not in _LINKS]
    return "".join(letters)
