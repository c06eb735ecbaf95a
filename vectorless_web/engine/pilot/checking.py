"""Weighs a model's final words against the document's: a direction that ends or leaves needs the words to agree."""

from dataclasses import replace

from vectorless_web.engine.document.tree import Tree
from vectorless_web.engine.pilot.decision import (
    Backtrack,
    ExploreSiblings,
    FoundAnswer,
    GoDeeper,
    NodeId,
    PilotDecision,
)
from vectorless_web.engine.pilot.lexical import LexicalPilot
from vectorless_web.engine.pilot.state import SearchState

ANSWER_COVERAGE = 0.6
"""Share of the question's words that must stand in a section for "found" to end the search ..."""
ANSWER_STANDING = 0.5
"""... and how near its best passage must come to the document's best."""
LEAVING_STANDING = 0.8
"""A branch whose best passage comes so near to the document's best is not left on the model's word alone."""


def borne_out(decision: PilotDecision, state: SearchState, words: LexicalPilot) -> PilotDecision:
    """The decision, its direction replaced by walking on where the words speak against it.

    A wrong ranking costs a detour; a wrong "found", "go back" or "look beside" costs the
    answer. Without a scorer there is nothing to weigh with, and the model's word stands.
    """
    match decision.direction:
        case FoundAnswer():
            place = next((candidate.node for candidate in decision.ranked_candidates), state.current_node)
            objection = _against_stopping(place, state, words)
        case Backtrack() | ExploreSiblings():
            objection = _against_leaving(state, words)
        case _:
            objection = ""
    if not objection:
        return decision
    note = " ".join(part for part in (decision.note, objection) if part)
    return replace(decision, direction=GoDeeper(), note=note)


def _against_stopping(place: NodeId | None, state: SearchState, words: LexicalPilot) -> str:
    if place is None:
        return "The model believes the answer is found, but names no place; the walk goes on."
    coverage, standing = words.coverage(place), words.standing(place)
    if coverage is None or standing is None:
        return ""
    title = _title(state.tree, place)
    if state.candidates and state.tree.child_sections(place):
        return f"The model believes the answer is found in {title}, which has sections of its own; the walk goes on."
    if coverage < ANSWER_COVERAGE or standing < ANSWER_STANDING:
        return f"The model believes the answer is found in {title}, but too few words say so; the walk goes on."
    return ""


def _against_leaving(state: SearchState, words: LexicalPilot) -> str:
    here = state.current_node
    standing = words.standing(here) if here is not None else None
    if here is None or standing is None or standing < LEAVING_STANDING:
        return ""
    return f"The model would leave {_title(state.tree, here)}, but the words point there; the walk goes on."


def _title(tree: Tree, key: NodeId) -> str:
    return tree.node(key).title or "this section"
