"""Limits of a compilation; the application sets them and tells users before an upload."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CompileLimits:
    """`pages` counts PDF pages; `bytes` is the size of the file; `characters` of all text together."""

    pages: int = 5_000
    bytes: int = 200 * 1024 * 1024
    characters: int = 60_000_000
