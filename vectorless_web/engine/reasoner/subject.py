"""Whom a question is about, and whether a document is about the same."""

from collections.abc import Iterable, Sequence
from pathlib import PurePath

from vectorless_web.engine.document.card import Card
from vectorless_web.engine.query.plan import QueryPlan
from vectorless_web.engine.reasoner.corpus import DocumentEntry
from vectorless_web.engine.router.names import folded_words, glued, spellings

SHORTEST_PART = 4
"""Letters of a name that may stand inside a longer one ("tarvi" in "tarvico2022")."""


def foreign_names(plan: QueryPlan, entry: DocumentEntry, card: Card) -> tuple[str, ...]:
    """Names of the question when none of them is the document's own subject; empty when one is, or none is named.

    Evidence from such a document must name one of them itself.
    """
    names = [name for name in plan.entities if any(character.isalpha() for character in name)]
    if not names:
        return ()
    keys = _keys((*card.fields.entities, card.title, entry.title))
    texts = [glued(folded_words(PurePath(entry.name).stem.replace("_", " ").replace("-", " "))), *keys]
    return () if any(_is_subject(name, keys, texts) for name in names) else tuple(names)


def names_any(text: str, names: Sequence[str]) -> bool:
    """Whether a text speaks of one of the names, in any of their spellings that are sure."""
    words = folded_words(text)
    run = glued(words)
    wanted = [key for name in names for key, certainty in spellings(name).items() if certainty >= 1.0]
    return any(key in words or (len(key) >= SHORTEST_PART and key in run) for key in wanted)


def _keys(names: Iterable[str]) -> set[str]:
    return {key for name in names if name for key in spellings(name)}


def _is_subject(name: str, keys: set[str], texts: Sequence[str]) -> bool:
    wanted = {key for key, certainty in spellings(name).items() if certainty >= 1.0}
    if wanted & keys:
        return True
    return any(len(key) >= SHORTEST_PART and key in text for key in wanted for text in texts) or any(
        text.startswith(key) for key in wanted if key for text in texts[:1]
    )
