"""How documents are written out for a model: readings in their order, excerpts out of it, and outlines."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from vectorless_web.engine.agent.model.view import (
    OUTLINE_CHARACTERS,
    DocumentView,
    ShownPiece,
    clean_text,
    count_tokens,
    shorten_text,
)
from vectorless_web.engine.agent.wording import say_pages
from vectorless_web.engine.passages.sentences import find_announced, find_lead_in
from vectorless_web.engine.text.analyser import analyse

HOLDS = 8
"""How many times as large a section counts in an outline that holds what was found."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A text for the model with the keys of its nodes, and of those `whole` in it. `goes_on`: the id to go on from."""

    text: str
    keys: tuple[int, ...] = ()
    goes_on: str = ""
    whole: tuple[int, ...] = ()


def write_nodes(
    view: DocumentView, keys: Sequence[int], *, tokens: int, start: str = "", known: Collection[int] = ()
) -> Shown:
    """Headings and leaves in their order, whole, until the tokens are used; at least one piece is always shown.

    `start` is a piece's id ("3", "r41") of the first node to begin with. Leaves that are `known` are named, and their
    text is not shown again.
    """
    lines, taken, whole, goes_on = list[str](), list[int](), list[int](), ""
    left, page = tokens, -1
    for place, key in enumerate(keys):
        if key in known:
            if not place or keys[place - 1] not in known:
                run = list(takewhile(known.__contains__, keys[place:]))
                last = f" to [{view.name}.{run[-1]}]" if len(run) > 1 else ""
                lines.append(f"([{view.name}.{key}]{last}: shown above)")
            continue
        pieces = view.list_pieces(key) if view.tree.is_leaf(key) else ()
        first = next((at for at, piece in enumerate(pieces) if not place and piece.id == start.lower()), 0)
        fitting = _fit_pieces(view, key, range(first, len(pieces)), left)
        fitting = fitting or ([first] if pieces and not taken else [])
        is_whole = len(fitting) == len(pieces) - first
        text = view.write_leaf(key, None if is_whole and not first else fitting) if pieces else view.write_heading(key)
        if not fitting and taken and (pieces or count_tokens(text) > left):
            goes_on = f"{view.name}.{key}"
            break
        shown_on = view.tree.node(key).page_start
        lines.append(f"(p. {shown_on + 1}) {text}" if pieces and shown_on != page else text)
        page = shown_on
        taken.append(key)
        left -= count_tokens(text) + 1
        if not is_whole:
            goes_on = f"{view.name}.{key}.{pieces[fitting[-1] + 1].id}"
            break
        whole += [key] if pieces and not first else []
    return Shown("\n".join(lines), tuple(taken), goes_on, tuple(whole))


def _fit_pieces(view: DocumentView, key: int, places: Sequence[int], tokens: int) -> list[int]:
    pieces, kept = view.list_pieces(key), []
    left = tokens - (count_tokens(view.write_leaf(key, [])) if view.tree.node(key).table else 0)
    for place in places:
        left -= count_tokens(clean_text(pieces[place].text)) + 3
        if left < 0:
            break
        kept.append(place)
    return kept


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A node out of its order: `head` says document, page and headings, `body` is its text with ids."""

    key: int
    head: str
    body: str
    is_whole: bool = False


LEAD_TOKENS = 60
"""Tokens of what announces a passage, and of what a passage announces at least."""


def write_excerpts(
    view: DocumentView, key: int, *, wanted: frozenset[str], tokens: int, lit: int = -1
) -> list[Excerpt]:
    """The node as a passage, what announces it ("The following are excluded:"), and what it announces, if anything."""
    found = [write_excerpt(view, key, wanted=wanted, tokens=tokens, lit=lit)]
    if find_lead_in(view.tree, key):
        before = view.find_before(key)
        end = len(view.tree.node(before).text.rstrip()) - 1
        found.append(write_excerpt(view, before, wanted=frozenset(), tokens=LEAD_TOKENS, lit=end))
    left = max(LEAD_TOKENS, tokens - count_tokens(found[0].body))
    # What is announced may announce in its turn, as the headings of a list that are no headings by their looks.
    while left > 0 and (key := find_announced(view.tree, key)):
        found.append(write_excerpt(view, key, wanted=wanted, tokens=left))
        left -= count_tokens(found[-1].body)
    return found


def write_excerpt(view: DocumentView, key: int, *, wanted: frozenset[str], tokens: int, lit: int = -1) -> Excerpt:
    """A node as a passage, cut around what is `wanted` (stems) to about so many tokens.

    `lit` is a character of the node's text that must be shown. A table keeps its columns, the header row in its
    middle that holds for a row that is shown, and the notes that its shown rows refer to.
    """
    node, pieces = view.tree.node(key), view.list_pieces(key)
    places = _choose_places(pieces, wanted, tokens, lit)
    path = view.write_path(key)
    # By its id a heading can be cited.
    path += f" [{view.name}.{section}]" if path and (section := view.tree.section_of(key)) else ""
    head = f"{view.name} {say_pages(node.page_start, node.page_end)}{f' | {path}' if path else ''}"
    is_whole = len(places) == len(pieces)
    body = view.write_leaf(key, None if is_whole else places) if pieces else ""
    rest = len(pieces) - 1 - places[-1] if places else 0
    going = f"{view.name}.{key}.{pieces[places[-1] + 1].id}" if rest else ""
    more = f' ({rest} more: read {{"from": "{going}"}})' if rest else ""
    return Excerpt(key, head, body + more + view.write_notes(key, places), is_whole)


Excerpts = dict[tuple[str, int], Excerpt]
"""Excerpts by document and node, in the order in which they were chosen."""


def merge_excerpts(kept: Excerpts, document: str, excerpts: Sequence[Excerpt]) -> Excerpts:
    """The excerpts with others of one document; of a node that two passages show the longer part stays."""
    merged = dict(kept)
    for excerpt in excerpts:
        place = (document, excerpt.key)
        merged[place] = max(merged.get(place, excerpt), excerpt, key=lambda each: len(each.body))
    return merged


def join_excerpts(excerpts: Sequence[Excerpt]) -> str:
    """The excerpts as one text: those of one place together under one head, in reading order, the best place first.

    What stands between two of them and is not shown is told by "(…)".
    """
    places: dict[str, list[Excerpt]] = {}
    for excerpt in excerpts:
        places.setdefault(excerpt.head, []).append(excerpt)
    told = []
    for head, found in places.items():
        lines, last = [head], 0
        for excerpt in sorted(found, key=lambda excerpt: excerpt.key):
            lines += ["(…)"] * (0 < last < excerpt.key - 1) + [excerpt.body]
            last = excerpt.key
        told.append("\n".join(lines))
    return "\n\n".join(told)


def _choose_places(pieces: Sequence[ShownPiece], wanted: frozenset[str], tokens: int, lit: int) -> list[int]:
    """Pieces that hold most of what is wanted, then their neighbours; with each row the header row above it."""
    sizes = [count_tokens(clean_text(piece.text)) + 3 for piece in pieces]
    if sum(sizes) <= tokens or len(pieces) < 2:
        return list(range(len(pieces)))
    scores = [len(wanted & stems_of(piece.text)) + (2 if piece.start <= lit < piece.end else 0) for piece in pieces]
    best = max(range(len(pieces)), key=lambda place: (scores[place], -place))
    order = [
        best,
        *sorted((p for p in range(len(pieces)) if scores[p] * 2 >= max(1, scores[best])), key=lambda p: -scores[p]),
    ]
    order += sorted(range(len(pieces)), key=lambda place: (abs(place - best), place))
    kept: set[int] = set()
    left = tokens
    for place in dict.fromkeys(order):
        above = next((p for p in range(place - 1, -1, -1) if pieces[p].is_header), None)
        both = {place} | ({above} if above is not None and not pieces[place].is_header else set())
        cost = sum(sizes[p] for p in both - kept)
        if kept and cost > left:
            break
        kept |= both
        left -= cost
    return sorted(kept)


@lru_cache(maxsize=1 << 12)
def stems_of(text: str) -> frozenset[str]:
    """The stems of a text's words; kept for the texts seen last, since each turn looks at the same few dozen."""
    return frozenset(analyse(text))


def write_outline(
    view: DocumentView, *, tokens: int, start: int = 0, depth: int = 99, found: Sequence[int] = ()
) -> Shown:
    """Lines "[D3.12] Title | pp. 3-5 | 420" (tokens) below a node, in reading order and by level.

    When not all fit, the larger ones are told, where half as large is as good a level higher, and those that hold what
    was `found` (keys of leaves) count more; the number of the others is told.
    """
    tree, base = view.tree, view.tree.node(start).depth
    # A heading with nothing below it is a line of a cover or a slogan: there is nothing to read.
    sections = [
        k
        for k in tree.sections()
        if start < k < tree.subtree_end(start) and tree.node(k).depth <= base + depth and tree.subtree_end(k) > k + 1
    ]
    lines = {key: _outline_line(view, key, base) for key in sections}
    kept, left = set[int](), tokens

    def rate(key: int) -> float:
        """No section is rated higher than the one above it."""
        node = tree.node(key)
        holds = any(key < leaf < node.subtree_end for leaf in found)
        return float(node.token_count * (HOLDS if holds else 1) * 0.5**node.depth)

    for key in sorted(sections, key=lambda key: (-rate(key), tree.node(key).depth, key)):
        left -= count_tokens(lines[key]) + 1
        if left < 0:
            break
        kept.add(key)
    hidden = len(sections) - len(kept)
    told = [lines[key] for key in sections if key in kept]
    note = [f"({hidden} smaller sections of {view.name} are not listed)"] if hidden else []
    return Shown("\n".join([*told, *note]), tuple(key for key in sections if key in kept))


def _outline_line(view: DocumentView, key: int, base: int) -> str:
    node = view.tree.node(key)
    title = shorten_text(node.title or node.text, OUTLINE_CHARACTERS)
    parts = [title, say_pages(node.page_start, node.page_end), str(node.token_count)]
    parts += [shorten_text(view.summaries[key], OUTLINE_CHARACTERS)] if key in view.summaries else []
    return f"{'  ' * max(0, node.depth - base - 1)}[{view.name}.{key}] {' | '.join(parts)}"
