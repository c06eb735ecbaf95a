"""Reads a model's reply field by field, and weighs its final words against the document's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.llm.model import Reply
from vectorless_web.engine.llm.schema import parse_object
from vectorless_web.engine.navigation.pilots.decision import (
    Backtrack,
    ExploreSiblings,
    FoundAnswer,
    GoDeeper,
    InterventionPoint,
    JumpTo,
    NodeId,
    PilotDecision,
    RankedCandidate,
    SearchDirection,
    SearchState,
    as_share,
)
from vectorless_web.engine.navigation.pilots.lexical import LexicalPilot
from vectorless_web.engine.navigation.pilots.prompts import KeyBook

_LONGEST_REASON = 160
"""Characters kept of a model's reason; bound by two lines of the trace."""


@dataclass(frozen=True, slots=True)
class ReplyContext:
    """What a reply answers: the point, the names given out, the number of candidates shown, the current node."""

    point: InterventionPoint
    book: KeyBook
    here: NodeId | None = None


def read_decision(reply: Reply, asked: ReplyContext) -> PilotDecision | None:
    """The decision in a reply to START, FORK, BACKTRACK or EVALUATE; None when nothing in it can be used."""
    content = read_object(reply)
    if content is None:
        return None
    if asked.point is InterventionPoint.EVALUATE:
        return _evaluation(content, asked)
    if asked.point is InterventionPoint.BACKTRACK:
        return _alternatives(content, asked)
    return _choice(content, asked)


def read_kept(reply: Reply, book: KeyBook) -> list[NodeId] | None:
    """The nodes a PRUNE reply keeps; None when it names none that were shown."""
    content = read_object(reply)
    kept = content.get("keep") if content is not None else None
    if not isinstance(kept, list):
        return None
    nodes = [node for node in map(book.node, kept) if node is not None]
    return list(dict.fromkeys(nodes)) or None


def read_object(reply: Reply) -> Mapping[str, Any] | None:
    """The reply's object as parsed, else as its text gives it; None for prose, lists and broken JSON."""
    if isinstance(reply.parsed, Mapping):
        return reply.parsed
    return parse_object(reply.text) if isinstance(reply.text, str) else None


def _choice(content: Mapping[str, Any], asked: ReplyContext) -> PilotDecision | None:
    ranked, unknown = _read_ranking(content.get("ranking"), asked.book)
    direction = _direction(content, asked.book)
    if not ranked and isinstance(direction, GoDeeper):
        return None
    return PilotDecision(
        ranked_candidates=ranked,
        direction=direction,
        confidence=_read_share(content.get("confidence")),
        reasoning=_read_reason(content.get("reasoning")),
        intervention_point=asked.point,
        note=_unknown_note(unknown),
    )


def _alternatives(content: Mapping[str, Any], asked: ReplyContext) -> PilotDecision | None:
    ranked, unknown = _read_ranking(content.get("alternatives"), asked.book)
    if not ranked:
        return None
    return PilotDecision(
        ranked_candidates=ranked,
        confidence=_read_share(content.get("confidence")),
        reasoning=_read_reason(content.get("why_failed")),
        intervention_point=asked.point,
        note=_unknown_note(unknown),
    )


def _evaluation(content: Mapping[str, Any], asked: ReplyContext) -> PilotDecision | None:
    share, reason = as_share(content.get("relevance")), _read_reason(content.get("reason"))
    if share is None or asked.here is None:
        return None
    is_answer = content.get("is_answer") is True and share >= 0.5
    return PilotDecision(
        ranked_candidates=(RankedCandidate(asked.here, share, reason),),
        direction=FoundAnswer(share) if is_answer else GoDeeper(),
        confidence=share if is_answer else 0.5,
        reasoning=reason,
        intervention_point=asked.point,
    )


def _read_ranking(items: object, book: KeyBook) -> tuple[tuple[RankedCandidate, ...], int]:
    """The known candidates, first mention counts, and how many names were unknown."""
    found: dict[NodeId, RankedCandidate] = {}
    unknown = 0
    for item in items if isinstance(items, Sequence) and not isinstance(items, str) else ():
        if not isinstance(item, Mapping):
            continue
        node = book.node(item.get("id"))
        if node is None:
            unknown += 1
        elif (score := as_share(item.get("score"))) is not None:
            found.setdefault(node, RankedCandidate(node, score, _read_reason(item.get("reason"))))
    return tuple(sorted(found.values(), key=lambda candidate: (-candidate.score, candidate.node))), unknown


def _direction(content: Mapping[str, Any], book: KeyBook) -> SearchDirection:
    match content.get("direction"):
        case "explore_siblings":
            return ExploreSiblings()
        case "backtrack":
            return Backtrack()
        case "found_answer":
            return FoundAnswer(_read_share(content.get("confidence")))
        case "jump_to":
            target = book.node(content.get("target"))
            return JumpTo(target) if target is not None else GoDeeper()
    return GoDeeper()


def _unknown_note(unknown: int) -> str:
    if not unknown:
        return ""
    return f"The model named {unknown} section{'s' if unknown > 1 else ''} that it was not shown; they were left out."


def _read_share(value: object) -> float:
    return as_share(value) or 0.0


def _read_reason(value: object) -> str:
    return " ".join(value.split())[:_LONGEST_REASON] if isinstance(value, str) else ""


ANSWER_COVERAGE = 0.6
"""Share of the question's words that must stand in a section for "found" to end the search ..."""
ANSWER_STANDING = 0.5
"""... and how near its best passage must come to the document's best."""
LEAVING_STANDING = 0.8
"""A branch whose best passage comes so near to the document's best is not left on the model's word alone."""


def check_direction(decision: PilotDecision, state: SearchState, words: LexicalPilot) -> PilotDecision:
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
    coverage, standing = words.coverage(place), words.measure_standing(place)
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
    standing = words.measure_standing(here) if here is not None else None
    if here is None or standing is None or standing < LEAVING_STANDING:
        return ""
    return f"The model would leave {_title(state.tree, here)}, but the words point there; the walk goes on."


def _title(tree: Tree, key: NodeId) -> str:
    return tree.node(key).title or "this section"
