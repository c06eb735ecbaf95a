"""How passages and copied rows look in a prompt: a short name, a place, and the text with one row a line."""

import re
from collections.abc import Iterable, Iterator, Sequence

from vectorless_web.engine.reasoner.naming import NodeNames
from vectorless_web.engine.reasoner.planner import Fact, Figure, PackedNode
from vectorless_web.engine.reasoner.units import plain
from vectorless_web.engine.retriever import pack
from vectorless_web.engine.text.fence import fenced
from vectorless_web.engine.text.tokens import HeuristicEstimator

PATH_PARTS = 2
"""Headings shown above a passage, the innermost ones."""

PLACE, PARTING = "[Z999999] page 9999", 2
"""The longest usual name and page of a passage, and the tokens that part it from the next."""

_ESCAPED = re.compile(r"\\(\\|n|r|x[0-9a-f]{2}|u[0-9a-f]{4})")
_CONTROLS = {"\\": "\\", "n": "\n", "r": "\n"}
_SCALES = {1_000: "thousands", 1_000_000: "millions", 1_000_000_000: "billions"}


def tokens_of(text: str) -> int:
    """Tokens a text is counted with."""
    return HeuristicEstimator().estimate(text)


def passages_block(
    title: str, passages: Sequence[PackedNode], names: NodeNames, tokens: int, *, each: int = 0, left_out: int = 0
) -> str:
    """Passages in the order given, as many as fit, each cut to `each` tokens; those left out are counted.

    `left_out` is how many were left out before. Bare headings are passed over: they stand
    above what is below them. "" when nothing is shown.
    """
    once = {(passage.document, passage.key): passage for passage in passages if not _is_heading(passage)}
    texts = (passage_text(passage, names) for passage in once.values())
    shown, cut = within((_clipped(text, each) if each else text for text in texts), tokens)
    cut += left_out
    note = f"\n({cut} passages that were read are left out here.)" if cut else ""
    return f"{title}\n{fenced(_parted(shown))}{note}" if shown or cut else ""


def _is_heading(passage: PackedNode) -> bool:
    return passage.rendered.startswith("ntype: section\n")


def _clipped(text: str, tokens: int) -> str:
    if tokens_of(text) <= tokens:
        return text
    start = text[: 4 * tokens]
    whole_lines = start.rpartition("\n")[0] or start
    return f"{whole_lines}\n(It goes on; the answer is written from all of it.)"


def passage_text(passage: PackedNode, names: NodeNames) -> str:
    """ "[851] page 70, Consolidated Statements of Operations" and the text below it."""
    path, text = _path_and_text(passage.rendered)
    place = ", ".join([f"page {passage.page_index + 1}", *path])
    return f"[{names.name(passage.document, passage.key)}] {place}\n{readable(text)}"


def _path_and_text(rendered: str) -> tuple[list[str], str]:
    """The innermost headings above a rendered node, and its text."""
    lines = dict(_lines(rendered))
    path = [part.strip() for part in lines.get("context", "").split(" > ") if part.strip()][1:]
    return path[-PATH_PARTS:], lines.get("summary", "" if lines.get("id") else rendered)


class ShownEstimator:
    """Counts a rendered node by what a prompt shows of it, its place included."""

    def estimate(self, text: str) -> int:
        """Tokens in a prompt of the node that the Retriever rendered as `text`."""
        path, shown = _path_and_text(text)
        return tokens_of(", ".join([PLACE, *path, readable(shown)])) + PARTING


def facts_block(title: str, facts: Iterable[Fact], names: NodeNames, tokens: int) -> str:
    """Copied rows and sentences, the first ones kept when not all fit; "" when there are none."""
    shown, cut = within(dict.fromkeys(fact_line(fact, names) for fact in facts), tokens)
    note = f"\n({cut} more were copied and are left out here.)" if cut else ""
    return f"{title}\n{fenced(chr(10).join(shown))}{note}" if shown else ""


def fact_line(fact: Fact, names: NodeNames) -> str:
    """One row or sentence with its node, page and section, and how a figure's column is read."""
    place = f"[{names.name(fact.document, fact.key)}] page {fact.page_index + 1}, {' '.join(fact.where.split())}"
    reading = f" ({_read_as(fact)})" if isinstance(fact, Figure) else ""
    return f"- {place}: {' '.join(readable(fact.quote).split())}{reading}"


def _read_as(figure: Figure) -> str:
    unit = _SCALES.get(int(figure.scale), "")
    value = f"{plain(figure.amount)}{'%' if figure.percent else ''}"
    return f"{figure.period or figure.column or 'value'}: {value}{f' {unit}' if unit else ''}"


def readable(text: str) -> str:
    """Text of a node with its cells parted by " | " and one row or paragraph a line."""
    rows = (_cells(row) for row in text.split("\n"))
    return "\n".join(row for row in rows if row)


def _cells(row: str) -> str:
    if "\t" not in row:
        return " ".join(row.split())
    return " | ".join(" ".join(cell.split()) for cell in row.split("\t")).strip()


def within(texts: Iterable[str], tokens: int) -> tuple[list[str], int]:
    """The texts that fit into so many tokens, greedily in their order, and how many did not."""
    listed = list(texts)
    sizes = [(str(place), tokens_of(text) + PARTING) for place, text in enumerate(listed)]
    packed = pack(sizes, token_budget=max(0, tokens))
    return [listed[int(place)] for place in packed.items], len(packed.dropped)


def _parted(texts: Sequence[str]) -> str:
    return "\n\n".join(texts)


def _lines(rendered: str) -> Iterator[tuple[str, str]]:
    """The `key: value` lines of a rendered node, their values as they were."""
    for line in rendered.split("\n"):
        key, parted, value = line.partition(": ")
        if parted:
            yield key, _ESCAPED.sub(_unescaped, value)


def _unescaped(found: re.Match[str]) -> str:
    code = found.group(1)
    return _CONTROLS.get(code) or " "
