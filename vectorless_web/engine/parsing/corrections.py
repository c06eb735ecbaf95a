"""Corrections of an outline by hand, applied to drafts before they become a tree.

A draft's key is its place in reading order, counted from 1, as `assemble` numbers nodes.
No correction adds, drops or reorders a draft, so keys stay valid from one corrected
version to the next, and no character is lost.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.errors import InvalidInput
from vectorless_web.engine.parsing.drafts import Draft

LONGEST_HEADING = 300
"""Characters of a leaf that may be made a heading."""
_NO_HEADING = (NodeKind.SECTION, NodeKind.TABLE, NodeKind.FIGURE, NodeKind.RUNNING, NodeKind.DOCUMENT)


class CorrectionAct(StrEnum):
    """RENAME a heading; MOVE it with its subtree to another depth; JOIN its section to the one before, as
    ordinary text; SPLIT the section at a leaf, which becomes a heading.
    """

    RENAME = "rename"
    MOVE = "move"
    JOIN = "join"
    SPLIT = "split"


@dataclass(frozen=True, slots=True)
class Correction:
    """One correction of the node `key`: `title` for RENAME and SPLIT, `depth` (0 is outermost) for MOVE and SPLIT."""

    key: int
    act: CorrectionAct
    title: str = ""
    depth: int | None = None


def apply_corrections(drafts: Sequence[Draft], corrections: Iterable[Correction]) -> list[Draft]:
    """Drafts with the corrections applied one after the other. Raises InvalidInput when one does not fit its node."""
    found = list(drafts)
    for correction in corrections:
        found = _apply(_close_level_gaps(found), correction)
    return found


def _apply(drafts: list[Draft], correction: Correction) -> list[Draft]:
    draft = _draft_of(drafts, correction)
    place = correction.key - 1
    if correction.act is CorrectionAct.RENAME:
        drafts[place] = replace(draft, title=_title(correction.title))
    elif correction.act is CorrectionAct.MOVE:
        _move_heading(drafts, place, _depth(correction))
    elif correction.act is CorrectionAct.JOIN:
        drafts[place] = replace(draft, kind=NodeKind.PARAGRAPH, title="", level=-1, label="")
    else:
        level = _level_before(drafts, place) + 1 if correction.depth is None else _depth(correction)
        title = _title(correction.title or " ".join(draft.text.split()))
        drafts[place] = replace(draft, kind=NodeKind.SECTION, title=title, level=level)
    return drafts


def _draft_of(drafts: Sequence[Draft], correction: Correction) -> Draft:
    if not 1 <= correction.key <= len(drafts):
        raise InvalidInput(f"There is no part numbered {correction.key} in this document.", code="unknown_part")
    draft = drafts[correction.key - 1]
    is_heading = draft.kind is NodeKind.SECTION
    if correction.act is CorrectionAct.SPLIT:
        if draft.kind in _NO_HEADING or len(draft.text) > LONGEST_HEADING:
            raise InvalidInput("Only a short paragraph can be made a heading.", code="not_a_heading")
    elif not is_heading:
        raise InvalidInput("This part is not a heading.", code="not_a_heading")
    return draft


def _title(text: str) -> str:
    if not text.strip():
        raise InvalidInput("A heading needs words.", code="empty_heading")
    return text.strip()


def _depth(correction: Correction) -> int:
    if correction.depth is None or correction.depth < 0:
        raise InvalidInput("Say how deep the heading stands; 0 is outermost.", code="bad_depth")
    return correction.depth


def _close_level_gaps(drafts: list[Draft]) -> list[Draft]:
    """Sections with their depth in the tree as level (which may have had gaps); the tree stays the same."""
    stack: list[int] = []
    levelled = list(drafts)
    for place, draft in enumerate(drafts):
        if draft.kind is NodeKind.SECTION:
            while stack and stack[-1] >= draft.level:
                stack.pop()
            levelled[place] = replace(draft, level=len(stack))
            stack.append(draft.level)
    return levelled


def _move_heading(drafts: list[Draft], place: int, depth: int) -> None:
    own = drafts[place].level
    shift = depth - own
    drafts[place] = replace(drafts[place], level=depth)
    for below in range(place + 1, len(drafts)):
        draft = drafts[below]
        if draft.kind is NodeKind.SECTION and draft.level <= own:
            return
        if draft.kind is NodeKind.SECTION:
            drafts[below] = replace(draft, level=draft.level + shift)


def _level_before(drafts: Sequence[Draft], place: int) -> int:
    above = (draft.level for draft in reversed(drafts[:place]) if draft.kind is NodeKind.SECTION)
    return next(above, -1)
