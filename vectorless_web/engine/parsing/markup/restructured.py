"""Reads reStructuredText: its sections, lists, tables and code; nothing that it names is included or fetched."""

import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING

from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.parsing.markup.blocks import BlockWriter, format_number, remove_invisible
from vectorless_web.engine.parsing.markup.pages import DocumentText
from vectorless_web.engine.parsing.markup.plaintext import text_blocks
from vectorless_web.engine.parsing.tables.spans import SpanCell

if TYPE_CHECKING:
    from docutils import nodes

_NAMES = (".rst", ".rest")
_DIRECTIVE = re.compile(r"^\.\. [A-Za-z][\w:+.-]*::", re.MULTILINE)
_UNDERLINED = re.compile(r"^(?=\S)(.{3,80})\n([=~^\"'`#*+-])\2{2,}\n", re.MULTILINE)
_FEWEST_DIRECTIVES = 2
"""Directives that a file without the name of one must have, besides an underlined heading."""
_ROLE = re.compile(r"^:[\w:+.-]+:`(.*?)(?:\s*<[^>]*>)?`$", re.DOTALL)
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
}
"""docutils: nothing is inserted, no raw HTML, no configuration of this machine, messages kept, none stops it, and what
fails is raised."""
_LONGEST = 1_500_000
"""Characters that the parser is given: it takes 3 seconds for a million of prose and 8 of dense marks, so 12 at most. A
manual of 500 pages has as many; at twice that a worker would be held half a minute for one file."""
_DEFINITION = re.compile(r"^\s*\.\. \|([^|\n]{1,200})\|[ \t]+\w+::(.*(?:\n[ \t]+\S.*)*)", re.MULTILINE)
_MOST_MARKS = 1_500
"""Marks of emphasis, code and names in a paragraph: for each, the parser looks through the rest for its end."""
_MOST_DEFINITIONS = 2_000
"""Names that stand for other text; manuals have some fifty."""
_MOST_REPLACED = 2_000_000
"""Characters that may come from what names stand for: each may stand for others twice over."""
_OUTSIDE = re.compile(r"^\.\. (?:include|literalinclude|raw|csv-table)::", re.MULTILINE)
_FORMS = {"loweralpha": "a", "upperalpha": "A", "lowerroman": "i", "upperroman": "I"}
_PASSED = frozenset(
    ("comment", "substitution_definition", "target", "pending", "meta", "raw", "decoration", "generated", "transition")
)
_CODE = frozenset(("literal_block", "doctest_block", "math_block"))


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
    from docutils.core import publish_doctree  # noqa: PLC0415
    from docutils.utils import SystemMessage  # noqa: PLC0415

    try:
        tree = publish_doctree(text, settings_overrides=_SAFE | {"warning_stream": io.StringIO()})
        reader = _Reader()
        reader.read(tree, 0)
    except (SystemMessage, RecursionError):
        told = "This text nests deeper than its format allows, so it was read as plain text."
        return DocumentText(text, text_blocks(text), remarks=[told])
    writer = reader.writer
    writer.end_list()
    title = remove_invisible(str(tree.get("title", "")))
    return writer.finish(title, _tell_outside(text))


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


@dataclass(slots=True)
class _Reader:
    writer: BlockWriter = field(default_factory=BlockWriter)
    level: int = 0
    caption: str = ""

    def read(self, holder: "nodes.Element", depth: int) -> None:
        """Write what an element holds; `depth` is that of the list it is in."""
        for node in holder.children:
            kind = node.__class__.__name__
            if kind in _PASSED:
                continue
            method = getattr(self, f"_read_{kind}", None)
            if method is not None:
                method(node, depth)
            elif kind in _CODE:
                self.writer.write(NodeKind.CODE, remove_invisible(node.astext()))
            elif kind in ("paragraph", "rubric", "term", "attribution", "line", "classifier", "subtitle"):
                self.writer.write_paragraph(_words(node))
            elif kind in ("footnote", "citation"):
                self.writer.write(NodeKind.FOOTNOTE, " ".join(_words(own) for own in node.children))
            elif kind == "image":
                self.writer.write_paragraph(remove_invisible(node.get("alt", "")))
            elif hasattr(node, "children"):
                self._read_admonition(node, kind, depth)

    def _read_section(self, node: "nodes.Element", depth: int) -> None:
        self.level += 1
        self.read(node, 0)
        self.level -= 1

    def _read_title(self, node: "nodes.Element", depth: int) -> None:
        if node.parent.__class__.__name__ in ("section", "document"):
            self.writer.write(NodeKind.SECTION, _words(node), level=self.level)
        else:
            self.writer.write_paragraph(_words(node))

    def _read_admonition(self, node: "nodes.Element", kind: str, depth: int) -> None:
        if kind in ("note", "warning", "tip", "hint", "important", "caution", "danger", "attention", "error"):
            self.writer.write_paragraph(kind.capitalize())
        self.read(node, depth)

    def _read_system_message(self, node: "nodes.Element", depth: int) -> None:
        """Keep what the parser could not read as it is written, without the parser's message."""
        for own in node.children:
            if own.__class__.__name__ == "literal_block":
                self.writer.write(NodeKind.CODE, remove_invisible(own.astext()))

    def _read_bullet_list(self, node: "nodes.Element", depth: int) -> None:
        for item in node.children:
            self._read_item(item, "-", depth)

    def _read_enumerated_list(self, node: "nodes.Element", depth: int) -> None:
        form = _FORMS.get(node.get("enumtype", ""), "1")
        for number, item in enumerate(node.children, start=node.get("start", 1)):
            mark = f"{node.get('prefix', '')}{format_number(number, form)}{node.get('suffix', '')}"
            self._read_item(item, mark, depth)

    def _read_item(self, item: "nodes.Element", mark: str, depth: int) -> None:
        for node in item.children:
            if node.__class__.__name__ == "paragraph":
                self.writer.write_item(_words(node), mark=mark, depth=depth)
                mark = ""
            else:
                holder = item.__class__()
                holder.children = [node]
                self.read(holder, depth + 1)

    def _read_definition_list(self, node: "nodes.Element", depth: int) -> None:
        for item in node.children:
            terms = [own for own in item.children if own.__class__.__name__ in ("term", "classifier")]
            said = " ".join(_words(own) for own in terms)
            for own in item.children[len(terms) :]:
                first = own.children[0] if own.children else None
                if first is not None and first.__class__.__name__ == "paragraph":
                    self.writer.write_item(f"{said}: {_words(first)}", depth=depth)
                    own.children = own.children[1:]
                else:
                    self.writer.write_item(said, depth=depth)
                self.read(own, depth + 1)

    def _read_docinfo(self, node: "nodes.Element", depth: int) -> None:
        named = [own for own in node.children if own.__class__.__name__ != "field"]
        lines = [f"{own.__class__.__name__.capitalize()}: {_words(own)}" for own in named]
        self.writer.write(NodeKind.PARAGRAPH, "\n".join([*lines, *_fields(node)]))

    def _read_field_list(self, node: "nodes.Element", depth: int) -> None:
        self.writer.write(NodeKind.PARAGRAPH, "\n".join(_fields(node)))

    def _read_option_list(self, node: "nodes.Element", depth: int) -> None:
        for item in node.children:
            options = ", ".join(own.astext() for own in item.children[0].children)
            self.writer.write_item(f"{options}: {_words(item.children[1])}", depth=depth)

    def _read_table(self, node: "nodes.Element", depth: int) -> None:
        rows: list[list[SpanCell]] = []
        headers, title = 0, ""
        for own in node.children:
            if own.__class__.__name__ == "title":
                title = _words(own)
                self.writer.write(NodeKind.CAPTION, title)
        for row in node.findall(lambda own: own.__class__.__name__ == "row"):
            is_header = row.parent.__class__.__name__ == "thead"
            headers += is_header
            rows.append(
                [
                    SpanCell(
                        " ".join(_words(cell).split()),
                        across=cell.get("morecols", 0) + 1,
                        down=cell.get("morerows", 0) + 1,
                        strong=is_header,
                    )
                    for cell in row.children
                ]
            )
        self.writer.write_table(rows, headers=headers, title=title)

    def _read_caption(self, node: "nodes.Element", depth: int) -> None:
        self.writer.write(NodeKind.CAPTION, _words(node))


def _fields(node: "nodes.Element") -> list[str]:
    fields = [own for own in node.children if own.__class__.__name__ == "field"]
    return [": ".join(" ".join(_words(own).split()) for own in field.children) for field in fields]


def _words(node: "nodes.Node") -> str:
    """The text of an element; of a role that docutils does not know, what it marks."""
    parts = []
    for text in node.findall(lambda own: own.__class__.__name__ == "Text"):
        said, holder = text.astext(), text.parent.__class__.__name__
        role = _ROLE.match(said) if holder == "problematic" else None
        parts.append(role[1].lstrip("~!") if role else said)
    lines = remove_invisible("".join(parts)).split("\n")
    return "\n".join(" ".join(line.split()) for line in lines).strip()
