"""Reads reStructuredText: its sections, lists, tables and code; nothing that it names is included or fetched."""

import io
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING

from vectorless_web.engine.parsing.fences import Fences
from vectorless_web.engine.parsing.figures import PictureShelf
from vectorless_web.engine.parsing.markup.blocks import remove_invisible
from vectorless_web.engine.parsing.markup.html import bound_page, html_text
from vectorless_web.engine.parsing.markup.pages import DocumentText
from vectorless_web.engine.parsing.markup.plaintext import text_blocks

if TYPE_CHECKING:
    from docutils import nodes

_NAMES = (".rst", ".rest")
_DIRECTIVE = re.compile(r"^\.\. [A-Za-z][\w:+.-]*::", re.MULTILINE)
_UNDERLINED = re.compile(r"^(?=\S)(.{3,80})\n([=~^\"'`#*+-])\2{2,}\n", re.MULTILINE)
_FEWEST_DIRECTIVES = 2
"""Directives that a file without the name of one must have, besides an underlined heading."""
_ROLE = re.compile(r"^:[\w:+.-]+:`(.*?)(?:\s*<[^>]*>)?`$", re.DOTALL)
_PAGE = {"output_encoding": "unicode", "embed_stylesheet": False, "stylesheet_path": "", "math_output": "LaTeX"}
_SAFE = {
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "_disable_config": True,
    "report_level": 2,
    "halt_level": 5,
    "smart_quotes": False,
    "input_encoding": "unicode",
    "syntax_highlight": "none",
    "traceback": True,
    "docinfo_xform": False,
}
"""docutils: nothing is inserted, no raw HTML, no configuration of this machine, messages kept, none stops it, and what
fails is raised."""
_LONGEST = 1_500_000
"""Characters that the parser is given: it takes 14 seconds for a million of dense marks. A manual of 500 pages has as
many; at twice that a worker would be held half a minute for one file."""
_DEFINITION = re.compile(r"^\s*\.\. \|([^|\n]{1,200})\|[ \t]+\w+::(.*(?:\n[ \t]+\S.*)*)", re.MULTILINE)
_MOST_MARKS = 1_500
"""Marks of emphasis, code and names in a paragraph: for each, the parser looks through the rest for its end."""
_MOST_DEFINITIONS = 2_000
"""Names that stand for other text; manuals have some fifty."""
_MOST_REPLACED = 2_000_000
"""Characters that may come from what names stand for: each may stand for others twice over."""
_OUTSIDE = re.compile(r"^\.\. (?:include|literalinclude|raw|csv-table)::", re.MULTILINE)


def claims_restructured(text: str, name: str) -> bool:
    """Whether a text is reStructuredText: by its name, or by its directives and underlined headings."""
    suffix = PurePath(name).suffix.lower()
    if suffix in _NAMES:
        return True
    marks = len(_DIRECTIVE.findall(text[:100_000]))
    return suffix in ("", ".txt") and marks >= _FEWEST_DIRECTIVES and bool(_UNDERLINED.search(text[:100_000]))


def read_restructured(text: str) -> DocumentText:
    """Read reStructuredText; what its parser cannot take is read as plain text."""
    # Loading the library takes as long as compiling a short text, so only such texts load it.
    told = _tell_too_much(text)
    if told:
        return DocumentText(text, text_blocks(text), remarks=[told])
    from docutils.core import publish_doctree, publish_from_doctree  # noqa: PLC0415
    from docutils.utils import SystemMessage  # noqa: PLC0415

    try:
        tree = publish_doctree(text, settings_overrides=_SAFE | {"warning_stream": io.StringIO()})
        _keep_written(tree)
        page = publish_from_doctree(tree, writer="html5", settings_overrides=_SAFE | _PAGE)
    except (SystemMessage, RecursionError):
        told = "This text nests deeper than its format allows, so it was read as plain text."
        return DocumentText(text, text_blocks(text), remarks=[told])
    shelf, fences = PictureShelf(), Fences()
    read, blocks = html_text(bound_page(page).source, shelf, fences)
    title = remove_invisible(str(tree.get("title", "")))
    return DocumentText(read, blocks, title, [*_tell_outside(text), *fences.tell()])


def _tell_too_much(text: str) -> str:
    if len(text) > _LONGEST:
        return (
            f"This text has {len(text):,} characters; its marks are read up to {_LONGEST:,}, so it was read as plain"
            " text. Upload its chapters as files of their own to have its headings and tables."
        )
    if _has_endless_marks(text):
        return "A paragraph of this text has too many marks to be taken apart: the text was read as plain text."
    if _measure_replaced(text) > _MOST_REPLACED:
        return "Names in this text stand for too much to be put in: it was read as plain text."
    return ""


def _has_endless_marks(text: str) -> bool:
    """Whether a paragraph has more marks than the parser can read in time; borders of tables do not count."""
    for paragraph in re.split(r"\n[ \t]*\n", text):
        marks = paragraph.count("*") + paragraph.count("`")
        bars = 0 if paragraph.lstrip()[:1] in ("+", "|") else paragraph.count("|") + paragraph.count("_ ")
        if marks + bars > _MOST_MARKS:
            return True
    return False


def _measure_replaced(text: str) -> int:
    """Characters that all substitutions of a text make together; _MOST_REPLACED + 1 for more, or for a loop."""
    told = {" ".join(match[1].lower().split()): match[2] for match in _DEFINITION.finditer(text)}
    if not told:
        return 0
    if len(told) > _MOST_DEFINITIONS:
        return _MOST_REPLACED + 1
    used = {name: Counter(_list_names(said)) for name, said in told.items()}
    sizes: dict[str, int] = {}
    for _ in range(len(told)):
        ready = [
            name for name in told if name not in sizes and all(own in sizes or own not in told for own in used[name])
        ]
        if not ready:
            break
        for name in ready:
            inner = sum(sizes.get(own, 0) * count for own, count in used[name].items())
            sizes[name] = min(len(told[name]) + inner, _MOST_REPLACED + 1)
    if len(sizes) < len(told):
        return _MOST_REPLACED + 1
    return min(sum(sizes.get(name, 0) for name in _list_names(text)), _MOST_REPLACED + 1)


def _list_names(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        parts = line.split("|")[1:-1]
        yield from (" ".join(part.lower().split()) for part in parts)


def _tell_outside(text: str) -> Iterator[str]:
    count = len(_OUTSIDE.findall(text))
    if count:
        were = " was" if count == 1 else "s were"
        yield f"{count} insertion{were} not followed: other files and raw markup are kept as the text that names them."


def _keep_written(tree: "nodes.document") -> None:
    """Put what the parser could not read in place of its messages, terms and numbers of notes before what they name."""
    from docutils.nodes import Text, paragraph  # noqa: PLC0415

    named = ("term", "field_name", "label", "system_message", "problematic")
    for node in [*tree.findall(lambda own: own.__class__.__name__ in named)]:
        kind, parent = node.__class__.__name__, node.parent
        if kind == "problematic":
            role = _ROLE.match(node.astext())
            parent.replace(node, Text(role[1].lstrip("~!") if role else node.astext()))
        elif kind == "system_message":
            parent.replace(node, [own for own in node.children if own.__class__.__name__ == "literal_block"])
        elif said := next(iter(parent.findall(paragraph)), None):
            said.insert(0, Text(f"{node.astext()}: "))
            parent.remove(node)
