"""Limits of a compilation; the application sets them and tells users before an upload."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CompileLimits:
    """`pages` counts PDF pages; `bytes` is the size of the file; `characters` of all text together.

    Of a Word document, which is a ZIP: `members` counts its files, `unpacked` the bytes of all of them,
    `part` those of one that is read, and `ratio` how many times smaller any may be packed.

    `sections` counts the headings of an outline: 20,000 are twice those of the longest filings, and a
    page or a model goes through them in a second; the others become text. `artefact` is the size in bytes
    of what is made of a file; `artefact_ratio` how many times its file it may be (plain text makes 5 to
    15, headings alone 30), unless it is below `artefact_floor` bytes: packed text makes more.
    """

    pages: int = 5_000
    bytes: int = 200 * 1024 * 1024
    characters: int = 60_000_000
    members: int = 10_000
    unpacked: int = 1024 * 1024 * 1024
    part: int = 64 * 1024 * 1024
    ratio: int = 400
    sections: int = 20_000
    artefact: int = 512 * 1024 * 1024
    artefact_ratio: int = 50
    artefact_floor: int = 64 * 1024 * 1024
