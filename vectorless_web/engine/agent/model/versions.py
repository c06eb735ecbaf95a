"""The tool `changes`: what differs between two versions of a document, with the ids of the words of both."""

from dataclasses import dataclass

from vectorless_web.engine.agent.model.view import DocumentView, LibraryView, clean_text, count_tokens
from vectorless_web.engine.documents.changes import VersionChange, VersionSentence, find_changes
from vectorless_web.engine.errors import InvalidInput

CHANGES_TOKENS = 1500
"""Tokens of the differences that one call shows."""
MOST_SENTENCES = 3000
"""Sentences of each version that are compared, those of about 150 pages; matching takes a second or two for as many."""


@dataclass(frozen=True, slots=True)
class ToldChanges:
    """The differences as text, how many there are of each kind, and the keys shown of the older and newer document."""

    words: str
    text: str
    older: tuple[int, ...]
    newer: tuple[int, ...]


def compare_documents(library: LibraryView, older: DocumentView, newer: DocumentView, part: str = "") -> ToldChanges:
    """Compare two documents, or the part of that heading in both; InvalidInput when one has no such part."""
    first, second = list_sentences(older, _find_part(older, part)), list_sentences(newer, _find_part(newer, part))
    changes = find_changes(first[:MOST_SENTENCES], second[:MOST_SENTENCES])
    lines: list[str] = []
    left = CHANGES_TOKENS
    for change in changes:
        line = _write_change(library, older, newer, change)
        left -= count_tokens(line)
        if left < 0 and lines:
            break
        lines.append(line)
    counts = (
        (sum(c.older is not None and c.newer is not None for c in changes), "put otherwise"),
        (sum(c.older is None for c in changes), "new"),
        (sum(c.newer is None for c in changes), "gone"),
    )
    words = f"From {older.name} to {newer.name}: " + ", ".join(f"{number} {kind}" for number, kind in counts) + "."
    if len(lines) < len(changes):
        words += f" The first {len(lines)} are shown; name a part to see others."
    if max(len(first), len(second)) > MOST_SENTENCES:
        words += f" Only the first {MOST_SENTENCES} sentences of each were compared."
    shown = changes[: len(lines)]
    return ToldChanges(
        words,
        "\n".join(lines),
        tuple(dict.fromkeys(change.older.key for change in shown if change.older)),
        tuple(dict.fromkeys(change.newer.key for change in shown if change.newer)),
    )


def list_sentences(view: DocumentView, key: int) -> list[VersionSentence]:
    """The sentences, items and rows below a node, in reading order."""
    return [
        VersionSentence(clean_text(piece.text.replace("\t", " | ")), leaf, piece.start, piece.end)
        for leaf in view.list_leaves(key)
        for piece in view.list_pieces(leaf)
    ]


def _find_part(view: DocumentView, part: str) -> int:
    """The section of that heading, or the first whose heading holds the words; the whole document for ""."""
    wanted = clean_text(part).casefold()
    titles = {key: clean_text(view.tree.columns.titles[key]).casefold() for key in view.tree.sections()}
    found = [key for key, title in titles.items() if title == wanted] or [k for k, t in titles.items() if wanted in t]
    if wanted and not found:
        raise InvalidInput(f"{view.name} has no section called {part!r}; outline lists its sections.")
    return found[0] if wanted else 0


def _write_change(library: LibraryView, older: DocumentView, newer: DocumentView, change: VersionChange) -> str:
    before = _write_sentence(library, older, change.older)
    after = _write_sentence(library, newer, change.newer)
    if before and after:
        return f"put otherwise: {before}\n  now: {after}"
    return f"new: {after}" if after else f"gone: {before}"


def _write_sentence(library: LibraryView, view: DocumentView, sentence: VersionSentence | None) -> str:
    return f"[{library.write_id_at(view.id, sentence.key, sentence.start)}] {sentence.text}" if sentence else ""
