"""Tools of a model's walk: search by words, read what is named, work a sum out, keep a fact."""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from vectorless_web.engine.agent.context.outline import (
    SHORT_TITLE_CHARACTERS,
    on_pages,
    pages_of,
    pages_words,
    say_count,
    shorten_title,
)
from vectorless_web.engine.agent.context.reader import SAYING_WORDS
from vectorless_web.engine.agent.context.vector_lane import lane_query
from vectorless_web.engine.agent.events import NodeRef, StepResult, refuse_step
from vectorless_web.engine.agent.steps.packing import EvidenceCollection, describe_retrieval, observed_nodes
from vectorless_web.engine.agent.walk import Walk
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.errors import InvalidInput, PictureUnavailable
from vectorless_web.engine.figures.arithmetic import evaluate
from vectorless_web.engine.llm.budget import expected_message_tokens
from vectorless_web.engine.llm.picture import Picture
from vectorless_web.engine.ranking.finder import Candidate
from vectorless_web.engine.retrieval import Retriever
from vectorless_web.engine.text.similarity import token_set_ratio

HITS = 8
"""Passages that one search brings."""

READ_TOKENS = 2200
"""Tokens that one reading brings of a section or of pages; of a single passage a prompt cuts what is longer."""

PAGES_AT_ONCE = 8
"""Pages read in one step."""

LONGEST_NOTE = 300
"""Characters of a kept fact."""

TITLE_LIKENESS = 80.0
"""Least likeness (0..100) of a title that is taken for the one asked for."""

AFTER_PICTURE = 4500
"""Tokens that a walk keeps for the turn after a picture: its results and the reply; without them nothing would come
of the picture."""

BESIDE = 12
"""Headings without a text of their own that are read before and behind the one named."""

_OWN_NUMBER = re.compile(r"\s*(?:§\s*|(?:section|clause|article|chapter|item)\s+)?(\d+(?:\.\d+)*)\.?(?=\s|$)", re.I)
_NUMBERS = re.compile(r"\d+(?:\.\d+)*")
_SIGNS = str.maketrans({"×": "*", "÷": "/", "−": "-", "–": "-", "·": "*", "[": "(", "]": ")", "^": "*"})
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*%")


def look_up(walk: Walk, query: str) -> StepResult:
    """Find the passages whose words come nearest to the query; nothing is counted as read in full."""
    lane = lane_query(walk.lane, query)
    vectors = walk.lane.vectors if walk.lane else None
    corpus = EvidenceCollection(walk.entry, walk.finder, space=walk.number, vectors=vectors)
    builder = Retriever(corpus).text(query)
    structure = [(walk.address(c.key), c.score) for c in walk.structure if c.score > 0]
    result = lane.on(builder.structure(structure) if structure else builder).limit(HITS + 4).execute()
    found = [leaf for item in result.items for leaf in _leaves(walk, item.node.id.key)[:2]]
    keys = [key for key in dict.fromkeys(found) if not walk.reader.is_empty(key)][:HITS]
    _open(walk, keys)
    if not keys:
        say = f"Searched {shorten_title(walk.entry.title)} for “{shorten_title(query)}” and found nothing"
        return lane.add_account(StepResult(say=say, observation=describe_retrieval(walk, result), confidence=0.0))
    pages = on_pages(list(dict.fromkeys(walk.document.tree.node(key).page_start for key in keys))[:3])
    told = StepResult(
        say=f"Searched for “{shorten_title(query)}” and found {say_count(len(keys), 'passage')}; "
        f"the best stand on {pages}",
        observation=describe_retrieval(walk, result),
        refs=tuple(walk.ref(key, "looked") for key in keys),
        confidence=round(max(walk.finder.node_coverage(key) for key in keys), 4),
    )
    return lane.add_account(told)


def read_named(walk: Walk, arguments: Mapping[str, Any]) -> StepResult:
    """Read a node (`read`), a heading (`heading`) or pages (`pages`, first and last from 1) in reading order.

    `around` brings what stands before and after the node, too. `picture` looks at a page (from 1).
    """
    if "picture" in arguments:
        return look_at_page(walk, arguments["picture"])
    if "pages" in arguments:
        return _read_pages(walk, arguments["pages"])
    key = arguments.get("read")
    if "heading" in arguments:
        key = _find_heading(walk, str(arguments["heading"]))
        if key is None:
            return refuse_step(f"Found no heading “{shorten_title(str(arguments['heading']))}”; a search may find it.")
    if not isinstance(key, int) or key not in walk.document.tree:
        return refuse_step(f"Looked for node {key}, which this document does not have.")
    leaves = _around(walk, key) if arguments.get("around") else _list_readable(walk, key)
    title, node = shorten_title(walk.title_of(key)), walk.document.tree.node(key)
    walk.position = key
    if any(key == target for _, target in walk.references()):
        walk.followed.add(key)
    return _read(walk, leaves, f"{title}, {pages_of(node)}")


def _list_readable(walk: Walk, key: int) -> list[int]:
    """What stands below a node, and below the sections behind it whose numbers go on from its own (4.2, 4.2.1).

    A heading with nothing below it is read with the others of its kind beside it: rules set as headings.
    """
    tree, reader = walk.document.tree, walk.reader
    if reader.is_lone_heading(key):
        family = [other for other in reader.lone_headings if tree.parent(other) == tree.parent(key)]
        place = family.index(key)
        own = [key]
        if len(tree.node(key).text.split()) >= SAYING_WORDS:
            own = family[max(0, place - BESIDE) : place + BESIDE + 1]
        return sorted({*own, *_list_continued(walk, key)})
    leaves = _leaves(walk, key)
    return sorted({*(leaves if tree.is_leaf(key) else reader.list_telling(key)), *_list_continued(walk, key)})


def _list_continued(walk: Walk, key: int) -> list[int]:
    """Leaves of the sections right behind a numbered one, at its level, whose numbers begin with its own."""
    tree = walk.document.tree
    number = _OWN_NUMBER.match(tree.node(key).title) if tree.is_section(key) else None
    found: list[int] = []
    for sibling in tree.child_sections(tree.parent(key)) if number else ():
        other = _OWN_NUMBER.match(tree.node(sibling).title)
        if sibling > key and other and number and other[1].startswith(f"{number[1]}."):
            found += walk.reader.list_telling(sibling)
        elif sibling > key:
            break
    return found


def look_at_page(walk: Walk, page: object) -> StepResult:
    """Show the model a page (from 1) as a picture, as long as pictures and tokens are left."""
    pages, title = len(walk.document.pages), shorten_title(walk.entry.title or walk.entry.name)
    if walk.pictures is None:
        return refuse_step(f"{title} has no pictures of pages to look at.")
    if not isinstance(page, int) or not 1 <= page <= pages:
        return refuse_step(f"Looked for page {page}; the document has {say_count(pages, 'page')}.")
    if len(walk.seen) >= walk.most_pictures:
        return refuse_step(f"Only {say_count(walk.most_pictures, 'page')} may be looked at as pictures.")
    try:
        picture = walk.pictures.picture(walk.entry.id, page - 1)
    except PictureUnavailable as error:
        kept = {"document": walk.entry.id, "page": page, "refused": error.message}
        say = f"Could not look at p. {page} of {title} as a picture. {error.message}"
        return StepResult(say=say, observation={"error": say, "picture": kept})
    if not _pays_for(walk, picture):
        say = f"Did not look at p. {page} of {title} as a picture: the run's tokens do not cover it."
        return StepResult(say=say, observation={"error": say, "picture": picture.reference()})
    walk.seen.append(picture)
    section = walk.document.tree.section_on(page - 1)
    return StepResult(
        say=f"Looked at p. {page} of {title} as a picture",
        observation={"picture": picture.reference()},
        refs=(NodeRef(walk.entry.id, section, walk.title_of(section), page - 1, page - 1, "read"),),
    )


def _pays_for(walk: Walk, picture: Picture) -> bool:
    """Whether the walk's tokens cover the conversation with the picture, and the answer after it."""
    left = walk.limits.model_tokens // walk.turn[1] - sum(step.tokens for step in walk.steps)
    return sum(map(expected_message_tokens, walk.dialogue)) + picture.tokens + AFTER_PICTURE <= left


def keep_note(walk: Walk, note: str, node: object) -> StepResult:
    """Keep a fact with the node it stands in; what it stands in is shown first when the answer is written."""
    text = shorten_title(" ".join(note.split())[:LONGEST_NOTE])
    if isinstance(node, int) and node in walk.document.tree:
        walk.open([node])
        walk.noted.append(node)
        return StepResult(say=f"Noted: {text}", observation={"node": node}, refs=(walk.ref(node, "read"),))
    return StepResult(say=f"Noted: {text}")


def calculate(expression: str) -> StepResult:
    """Work an expression of numbers out; what cannot be worked out is told."""
    plain = _PERCENT.sub(r"(\1/100)", _THOUSANDS.sub("", expression.replace("^", "**").translate(_SIGNS)))
    plain = re.sub(r"[$€£¥=\s]+$|[$€£¥]", "", plain)
    try:
        value = evaluate(plain, {})
    except InvalidInput as error:
        return refuse_step(f"Could not work out {shorten_title(expression)}. {error.message}")
    shown = _number(value)
    percent = f" ({_number(value * 100)} %)" if abs(value) < 10 else ""
    return StepResult(say=f"Worked out {shorten_title(expression)} = {shown}{percent}", observation={"result": shown})


def _number(value: Decimal) -> str:
    digits = 6 if abs(value) < 1 else 4
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _read_pages(walk: Walk, pages: Sequence[int]) -> StepResult:
    tree, last_page = walk.document.tree, len(walk.document.pages)
    first = max(1, min(pages))
    last = min(max(pages), last_page, first + PAGES_AT_ONCE - 1)
    if first > last:
        return refuse_step(f"Looked for page {first}; the document has {say_count(last_page, 'page')}.")
    on_them = [
        key for key in tree.leaves() if tree.node(key).page_start < last and tree.node(key).page_end >= first - 1
    ]
    return _read(walk, on_them, pages_words(first - 1, last - 1))


def _read(walk: Walk, leaves: Sequence[int], where: str) -> StepResult:
    """Take the leaves in reading order, of too many those that fit the question best."""
    tree = walk.document.tree
    telling = [key for key in leaves if not walk.reader.is_empty(key) or walk.reader.is_lone_heading(key)]
    kept = _choose_fitting(walk, telling)
    if not kept:
        return refuse_step(f"Read {where}: there is no text.")
    _open(walk, kept)
    walk.queue = [Candidate(key, 1.0, 1.0) for key in kept] + walk.queue
    extent = "in full" if len(kept) == len(telling) else f"{len(kept)} of {len(telling)} passages"
    left = [key for key in telling if key not in kept]
    return StepResult(
        say=f"Read {where}, {extent}",
        observation={**observed_nodes(walk, kept), **({"not_read": left[:12]} if left else {})} | _long_heading(walk),
        refs=tuple(walk.ref(key, "read") for key in dict.fromkeys([tree.section_of(kept[0]), *kept]))[:12],
        confidence=round(max((walk.finder.node_coverage(key) for key in kept[:8]), default=0.0), 4),
    )


def _long_heading(walk: Walk) -> dict[str, str]:
    """The heading of the section that the walk stands at, when it is too long to be told above its passages."""
    tree = walk.document.tree
    title = " ".join(tree.node(walk.position).title.split()) if tree.is_section(walk.position) else ""
    return {"heading": title} if len(title) > SHORT_TITLE_CHARACTERS else {}


def _choose_fitting(walk: Walk, keys: Sequence[int]) -> list[int]:
    """Keys whose texts fit READ_TOKENS together, in reading order; the best for the question go first, one at least."""
    tree = walk.document.tree
    fits = walk.finder.fits(keys)
    total = sum(tree.node(key).token_count for key in keys)
    order = list(keys) if total <= READ_TOKENS else sorted(keys, key=lambda key: (-round(fits[key], 9), key))
    kept: list[int] = []
    left = READ_TOKENS
    for key in order:
        size = min(tree.node(key).token_count, READ_TOKENS // 2)
        if kept and size > left:
            continue
        kept.append(key)
        left -= size
    return sorted(kept)


def _open(walk: Walk, keys: Sequence[int]) -> None:
    walk.open(keys)
    walk.packed.extend(walk.packed_node(key) for key in keys)
    walk.read.extend(key for key in keys if key not in walk.read)


def _leaves(walk: Walk, key: int) -> list[int]:
    return walk.document.tree.leaves(key)


def _around(walk: Walk, key: int) -> list[int]:
    """The node's leaves with two before and two after them."""
    tree = walk.document.tree
    own, every = tree.leaves(key), tree.leaves()
    if not own:
        return []
    first, last = every.index(own[0]), every.index(own[-1])
    return every[max(0, first - 2) : last + 3]


def _find_heading(walk: Walk, heading: str) -> int | None:
    """The section, table or label that is called so; of several equally like the first."""
    wanted = heading.strip().lower()
    numbers = _NUMBERS.findall(wanted)
    best: tuple[float, int] | None = None
    for key, name in _names(walk):
        if _NUMBERS.findall(name)[: len(numbers)] != numbers:
            continue
        likeness = 101.0 if name.lower() == wanted else token_set_ratio(wanted, name.lower())
        if likeness >= TITLE_LIKENESS and (best is None or likeness > best[0]):
            best = (likeness, key)
    return best[1] if best else None


def _names(walk: Walk) -> Iterator[tuple[int, str]]:
    """What sections and tables are called, in reading order."""
    tree = walk.document.tree
    for key in range(1, len(tree)):
        if tree.is_section(key) or tree.kind(key) is NodeKind.TABLE:
            node = tree.node(key)
            yield from ((key, name) for name in (node.label, node.title) if name)
