"""What differs between two versions of a document: sentences put otherwise, new or gone, under their headings."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from vectorless_web.documents.models import DocumentVersion
from vectorless_web.documents.rendering.page import page_url
from vectorless_web.documents.rendering.text import replace_control_characters
from vectorless_web.documents.storage.files import open_version
from vectorless_web.engine.documents.changes import VersionChange, VersionSentence, find_changes
from vectorless_web.engine.documents.node import Node, NodeKind
from vectorless_web.engine.passages.sentences import cut_node
from vectorless_web.engine.text.similarity import DifferencePiece, word_differences

MOST_NODES = 20_000
"""Paragraphs, lists, tables and headings of each version that are compared, from its beginning: those of about 1,500
pages."""
PATH_PARTS = 3
"""Headings that are told of where a change is, the innermost ones."""


@dataclass(frozen=True, slots=True)
class VersionChanges:
    """All differences, how many there are of each kind (changed, new, gone), and whether the versions were too long."""

    found: tuple[VersionChange, ...]
    counts: Counter[str]
    is_cut: bool


@dataclass(frozen=True, slots=True)
class ShownWords:
    """What one version says: its pieces, shared with the other or not, its page (from 1) and the page's address."""

    pieces: tuple[DifferencePiece, ...]
    page: int
    url: str


@dataclass(frozen=True, slots=True)
class ShownChange:
    """A difference as it is shown; `older` or `newer` is None where a version does not say it."""

    kind: str
    older: ShownWords | None
    newer: ShownWords | None


@dataclass(frozen=True, slots=True)
class ChangedSection:
    """Differences that follow each other under one heading, "" before the first."""

    name: str
    changes: tuple[ShownChange, ...]


def compare_versions(older: DocumentVersion, newer: DocumentVersion) -> VersionChanges:
    """The differences between two ready versions, in the order of the newer one."""
    first, second = list(_list_sentences(older)), list(_list_sentences(newer))
    found = tuple(find_changes(first, second))
    is_cut = any(len(open_version(version).tree) > MOST_NODES for version in (older, newer))
    return VersionChanges(found, Counter(map(_name_kind, found)), is_cut)


def _list_sentences(version: DocumentVersion) -> Iterator[VersionSentence]:
    """Headings, sentences, items and rows in reading order; what runs along the edge of every page is none of them."""
    tree = open_version(version).tree
    for key in range(1, min(len(tree), MOST_NODES)):
        if tree.kind(key) is NodeKind.RUNNING:
            continue
        node = tree.node(key)
        for start, end in _cut(node):
            yield VersionSentence(_clean(node.text[start:end]), key, start, end)


def _cut(node: Node) -> list[tuple[int, int]]:
    """The stretches of a node's text that are compared; a table's headers count like its other rows."""
    if node.table is not None:
        return [(row.offset, row.offset + row.length) for row in node.table.rows if row.length]
    if node.kind is NodeKind.SECTION:
        return [(0, len(node.text))] if node.text.strip() else []
    return [(piece.start, piece.end) for piece in cut_node(node)]


def show_changes(
    older: DocumentVersion, newer: DocumentVersion, changes: Sequence[VersionChange]
) -> list[ChangedSection]:
    """Some of the differences, those that follow each other under one heading together."""
    grouped = groupby(changes, key=lambda change: _name_section(older, newer, change))
    return [ChangedSection(name, tuple(_show(older, newer, change) for change in group)) for name, group in grouped]


def _name_section(older: DocumentVersion, newer: DocumentVersion, change: VersionChange) -> str:
    version, sentence = (newer, change.newer) if change.newer else (older, change.older)
    assert sentence is not None, "a change has words in one version at least"
    return " › ".join(_clean(title) for title in open_version(version).tree.path(sentence.key)[-PATH_PARTS:])


def _show(older: DocumentVersion, newer: DocumentVersion, change: VersionChange) -> ShownChange:
    before, after = (sentence.text if sentence else "" for sentence in (change.older, change.newer))
    left, right = word_differences(before, after)
    return ShownChange(
        _name_kind(change),
        _show_words(older, change.older, left) if change.older else None,
        _show_words(newer, change.newer, right) if change.newer else None,
    )


def _show_words(version: DocumentVersion, sentence: VersionSentence, pieces: tuple[DifferencePiece, ...]) -> ShownWords:
    page_index = open_version(version).tree.node(sentence.key).page_start
    return ShownWords(pieces, page_index + 1, page_url(version, page_index))


def _name_kind(change: VersionChange) -> str:
    if change.older is None:
        return "new"
    return "gone" if change.newer is None else "changed"


def _clean(text: str) -> str:
    return " ".join(replace_control_characters(text.replace("\t", " | ")).split())
