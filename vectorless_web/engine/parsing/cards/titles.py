"""Chooses the title of a document."""

import re
from collections.abc import Sequence

from vectorless_web.engine.documents.node import Node, NodeKind
from vectorless_web.engine.parsing.cards.fields import split_name
from vectorless_web.engine.parsing.terms import any_of

_JUNK_TITLE = re.compile(
    rf"^(?:{any_of('program_title')}.*|document\d*|[\W\d_]*|{any_of('no_name')}"
    r"|.*\.(?:docx?|pptx?|xlsx?|pdf|indd|qxd|htm?l))$",
    re.I,
)
_NO_TITLE = re.compile(
    rf"{_JUNK_TITLE.pattern}"
    rf"|^(?:{any_of('title_of_all_filings')}\b.*|{any_of('cover')}|{any_of('sheet')}\s?\d{{1,2}})$",
    re.I,
)
"""Headings that name no document: those of every filing, and what programs call a sheet until somebody names it."""
_TITLE_CHARACTERS = (3, 200)
"""Characters between which a title in the file's metadata is believed."""
_FIRST_NODES = 12
"""Nodes at the beginning among which the heading that serves as title is looked for."""
_AGREEING = 0.5
"""Share of a stored title's words that the first pages or the file's name must say. Titles of a template, or of the
document that a file was made from, share at most a word with it; a third would let them pass, all would refuse a title
whose spelling differs from the print."""


def choose_title(
    *, metadata: str, nodes: Sequence[Node], name: str, printed: str | None = None, shown: str = ""
) -> str:
    """The title: metadata unless it is a converter's leftover, else a heading of the first page, else the file name.

    `shown` is what the first slide or sheet says that the whole file is; it goes before its headings.
    `printed` is what the first pages say; a stored title that neither they nor the name agree with is of another
    document. None where the title is written together with the text, as of a web page.
    """
    metadata = " ".join(metadata.split())
    if (
        _TITLE_CHARACTERS[0] < len(metadata) < _TITLE_CHARACTERS[1]
        and not _JUNK_TITLE.match(metadata)
        and " " in metadata
        and (printed is None or _agrees(metadata, f"{printed} {split_name(name)}"))
    ):
        return metadata
    if shown and not _NO_TITLE.match(shown):
        return shown
    first = next(
        (
            node
            for node in nodes[1:_FIRST_NODES]
            if node.kind is NodeKind.SECTION and node.page_start == 0 and node.depth == 1
        ),
        None,
    )
    if first is not None and _only_top(nodes, first) and not _NO_TITLE.match(first.title):
        return first.title
    return split_name(name) or "Untitled document"


def _agrees(title: str, said: str) -> bool:
    """Whether enough words of a title stand in `said`; True where that has too few words to tell."""
    said = said.casefold()
    words, there = set(_TITLE_WORD.findall(title.casefold())), set(_TITLE_WORD.findall(said))
    # Scripts without spaces have no words to compare: there the letters must follow each other somewhere.
    agreeing = sum(word in there or (not word.isascii() and word in said) for word in words)
    return not words or len(there) < _FEW_WORDS or agreeing >= _AGREEING * len(words)


_TITLE_WORD = re.compile(r"[^\W_]{3,}")
_FEW_WORDS = 12
"""Words below which a first page, as one that is a picture, cannot speak against a title."""


def _only_top(nodes: Sequence[Node], first: Node) -> bool:
    """Whether the first heading holds the whole document, as a title does."""
    return first.subtree_end >= len(nodes) - 2
