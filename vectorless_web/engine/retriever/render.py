"""The text a model reads of a node: one `key: value` line each, which no content can forge."""

import math
import re
from collections.abc import Sequence
from decimal import Decimal

from vectorless_web.engine.retriever.corpus import CorpusNode, PropertyValue

SUMMARY_CAP = 8192
BUILT_IN = frozenset({"ntype", "id", "context", "summary"})
_LINE_BREAKS = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
_RARE_BREAK = re.compile(r"[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_ESCAPES = {ord(mark): mark.encode("unicode_escape").decode("ascii") for mark in _LINE_BREAKS} | {ord("\\"): "\\\\"}


def render_node(node: CorpusNode, *, cap: int = SUMMARY_CAP) -> str:
    """Lines ntype, id, context, summary, then scalar properties by name in UTF-8 byte order; each ends in a newline.

    Context and summary are cut to `cap` characters. Lists, maps, bytes, links, null,
    NaN and infinities are left out. Backslashes are doubled and everything at which
    `str.splitlines` breaks is escaped, so a value never starts a line of its own; a
    property named like a built-in field is written `prop.<name>`.
    """
    lines = [_line("ntype", node.ntype), _line("id", node.id)]
    if node.context is not None:
        lines.append(_line("context", clip(node.context, cap)))
    if node.summary is not None:
        lines.append(_line("summary", clip(node.summary, cap)))
    for name in sorted(node.properties):
        value = scalar(node.properties[name])
        if value is not None:
            lines.append(_line(_property_name(name), value))
    return "".join(lines)


def render_node_with_adjacency(
    node: CorpusNode,
    *,
    outgoing: Sequence[tuple[str, str]] = (),
    incoming: Sequence[tuple[str, str]] = (),
    cap: int = 10,
    summary_cap: int = SUMMARY_CAP,
) -> str:
    """`render_node` followed by its edges, (type, other id) pairs in the order given, at most `cap` a direction.

    A direction without edges has no header; one with more than `cap` ends in `  ... (+N more)`.
    """
    return (
        render_node(node, cap=summary_cap)
        + _edge_block("Outgoing:", "->", outgoing, cap)
        + _edge_block("Incoming:", "<-", incoming, cap)
    )


def _edge_block(header: str, arrow: str, edges: Sequence[tuple[str, str]], cap: int) -> str:
    if not edges:
        return ""
    shown = max(cap, 0)
    lines = [f"  {escape(kind)} {arrow} {escape(other)}\n" for kind, other in edges[:shown]]
    if len(edges) > shown:
        lines.append(f"  ... (+{len(edges) - shown} more)\n")
    return f"{header}\n{''.join(lines)}"


def clip(text: str, cap: int) -> str:
    """The first `cap` characters, with ` <...+N chars>` after them when N were cut."""
    cap = max(cap, 0)
    return text if len(text) <= cap else f"{text[:cap]} <...+{len(text) - cap} chars>"


def escape(text: str) -> str:
    """The text on one line: a backslash becomes two, each line break its escape."""
    # Nearly all texts have line feeds alone, for which replacing is many times quicker than a table.
    if _RARE_BREAK.search(text):
        return text.translate(_ESCAPES)
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def scalar(value: PropertyValue) -> str | None:
    """A string, integer, float or boolean as text; None for everything that is not shown."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _plain(value) if math.isfinite(value) else None
    return str(value) if isinstance(value, str | int) else None


def _plain(value: float) -> str:
    """The shortest decimal that reads back as this float, without exponent or trailing `.0`."""
    text = format(Decimal(repr(value)), "f")
    return text.removesuffix(".0")


def _line(key: str, value: str) -> str:
    return f"{key}: {escape(value)}\n"


def _property_name(name: str) -> str:
    # What stands before the first colon is what a reader takes for the key.
    reserved = name.split(":", 1)[0].strip() in BUILT_IN
    return escape(f"prop.{name}" if reserved else name)
