"""Limits of a compilation; the application sets them and tells users before an upload."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CompileLimits:
    """`pages` counts PDF pages; `bytes` is the size of the file; `characters` of all text together.

    Of a Word document, which is a ZIP: `members` counts its files, `unpacked` the bytes of all of them,
    `part` those of one that is read, and `ratio` how many times smaller any may be packed.
    """

    pages: int = 5_000
    bytes: int = 200 * 1024 * 1024
    characters: int = 60_000_000
    members: int = 10_000
    unpacked: int = 1024 * 1024 * 1024
    part: int = 64 * 1024 * 1024
    ratio: int = 400
