"""The tool `changes`: what differs between two versions of a document, with the ids of the words of both."""

from vectorless_web.engine.agent.model.prompts import Told
from vectorless_web.engine.agent.model.view import DocumentView, LibraryView, clean_text, count_tokens
from vectorless_web.engine.documents.changes import VersionSentence, find_changes
from vectorless_web.engine.errors import InvalidInput

CHANGES_TOKENS = 1500
"""Tokens of the differences that one call shows."""
MOST_SENTENCES = 3000
"""Sentences of each version that are compared, those of about 150 pages; matching takes a second or two for as many."""


def compare_documents(
    library: LibraryView, older: DocumentView, newer: DocumentView, part: str
) -> tuple[Told, list[int], list[int]]:
    """What differs between two documents, or the part of that heading in both, and the nodes shown of each.

    InvalidInput when one has no such part.
    """
    first, second = _list_sentences(older, part), _list_sentences(newer, part)
    changes = find_changes(first[:MOST_SENTENCES], second[:MOST_SENTENCES])
    lines: list[str] = []
    left = CHANGES_TOKENS
    for change in changes:
        before, after = (_write_sentence(library, *side) for side in ((older, change.older), (newer, change.newer)))
        both = f"put otherwise: {before}\n  now: {after}"
        lines.append(both if before and after else f"new: {after}" if after else f"gone: {before}")
        left -= count_tokens(lines[-1])
        if left < 0 and len(lines) > 1:
            lines.pop()
            break
    new, gone = sum(change.older is None for change in changes), sum(change.newer is None for change in changes)
    words = f"From {older.name} to {newer.name}: {len(changes) - new - gone} put otherwise, {new} new, {gone} gone."
    if len(lines) < len(changes):
        words += f" The first {len(lines)} are shown; name a part to see others."
    if max(len(first), len(second)) > MOST_SENTENCES:
        words += f" Only the first {MOST_SENTENCES} sentences of each were compared."
    shown = changes[: len(lines)]
    told = Told(words, "\n".join(lines))
    return told, [c.older.key for c in shown if c.older], [c.newer.key for c in shown if c.newer]


def _list_sentences(view: DocumentView, part: str) -> list[VersionSentence]:
    """The sentences, items and rows of the section of that heading, else the first whose heading holds the words."""
    wanted = clean_text(part).casefold()
    titles = {key: clean_text(view.tree.columns.titles[key]).casefold() for key in view.tree.sections()}
    found = [key for key, title in titles.items() if title == wanted] or [k for k, t in titles.items() if wanted in t]
    if wanted and not found:
        raise InvalidInput(f"{view.name} has no section called {part!r}; outline lists its sections.")
    return [
        VersionSentence(clean_text(piece.text.replace("\t", " | ")), leaf, piece.start, piece.end)
        for leaf in view.list_leaves(found[0] if wanted else 0)
        for piece in view.list_pieces(leaf)
    ]


def _write_sentence(library: LibraryView, view: DocumentView, sentence: VersionSentence | None) -> str:
    return f"[{library.write_id_at(view.id, sentence.key, sentence.start)}] {sentence.text}" if sentence else ""
