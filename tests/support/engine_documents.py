"""Small compiled documents made by hand: sections, paragraphs and tables with known places."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from vectorless_web.engine.agent.corpus import Corpus, DocumentEntry
from vectorless_web.engine.documents.artefact import ArtefactParts, CompiledDocument, write_artefact
from vectorless_web.engine.documents.card import Card, PageInfo, SectionLine, TreeReport, TypedFields
from vectorless_web.engine.documents.node import Cell, Column, GlyphRun, Node, NodeKind, Reference, Row, Table
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.errors import NotFound
from vectorless_web.engine.index.segment import build_segment


@dataclass(frozen=True)
class Part:
    """A node to be: kind, title, text, page, table, and what stands below it."""

    kind: NodeKind
    title: str = ""
    text: str = ""
    page: int = 0
    label: str = ""
    table: Table | None = None
    parts: tuple["Part", ...] = ()


def section(title: str, *parts: Part, page: int = 0, label: str = "") -> Part:
    return Part(NodeKind.SECTION, title, title, page, label, parts=parts)


def paragraph(text: str, *, page: int = 0) -> Part:
    return Part(NodeKind.PARAGRAPH, "", text, page)


def table(
    title: str,
    rows: Sequence[Sequence[str]],
    *,
    columns: Sequence[str],
    units: str = "",
    statement: str = "",
    page: int = 0,
    heads: int = 1,
    paths: Mapping[int, tuple[str, ...]] = MappingProxyType({}),
) -> Part:
    """A table whose first column holds row labels; `columns` are the headers of all columns.

    The first `heads` rows, that of the columns among them, are taken for headers; `paths` are the labels above a row.
    """
    made, text = [], ""
    for number, cells in enumerate([columns, *rows]):
        line = "\t".join(cells)
        row = _row(cells, len(text), page, is_header=number < heads)
        made.append(replace(row, path=paths.get(number, ())))
        text += line + "\n"
    levels = [
        tuple(cells[place] for cells in [columns, *rows][:heads] if cells[place]) for place in range(len(columns))
    ]
    names = [" / ".join(path) for path in levels]
    heads_read = tuple(
        Column(name, name if name.isdigit() else "", levels=path) for name, path in zip(names, levels, strict=True)
    )
    return Part(NodeKind.TABLE, title, text, page, table=Table(heads_read, tuple(made), units, statement))


def _row(cells: Sequence[str], offset: int, page: int, *, is_header: bool) -> Row:
    made, position = [], offset
    for text in cells:
        made.append(Cell(text, position, len(text)))
        position += len(text) + 1
    label = cells[0]
    return Row(label, tuple(made), offset, position - offset - 1, page, is_header=is_header)


def compiled(
    title: str, *parts: Part, fields: TypedFields | None = None, references: Sequence[tuple[int, str, int]] = ()
) -> CompiledDocument:
    """A document of these parts. `references` are (source key, words in its text, target key)."""
    nodes = number_parts(title, parts)
    pages = max(node.page_end for node in nodes) + 1
    texts = [""] * pages
    placed = []
    for node in nodes:
        start = len(texts[node.page_start])
        texts[node.page_start] += node.text + "\n"
        runs = (GlyphRun(0, node.page_start, start, len(node.text)),) if node.text else ()
        placed.append(replace(node, runs=runs))
    return _written(title, placed, texts, fields or TypedFields(), _references(placed, references))


def _written(title, nodes, texts, fields, references) -> CompiledDocument:
    tree = Tree(nodes)
    card = Card(
        title,
        overview=title,
        sections=tuple(
            SectionLine(k, nodes[k].title, "", nodes[k].page_start, nodes[k].page_end) for k in tree.sections()
        ),
        fields=fields,
    )
    return CompiledDocument(
        write_artefact(
            ArtefactParts(
                title=title,
                media_type="text/plain",
                sha256="0" * 64,
                nodes=nodes,
                references=references,
                pages=[PageInfo(595, 842, len(text)) for text in texts],
                page_texts=texts,
                card=card,
                report=TreeReport(len(texts), 0, 0, 0, 0, 0, 1.0, "headings"),
                segment=build_segment(
                    ((n.key, _row_fields(tree, n)) for n in nodes[1:]), fields=("title", "path", "text", "table")
                ),
            )
        )
    )


def _row_fields(tree: Tree, node: Node) -> dict[str, str]:
    labels = " ".join(row.label for row in node.table.rows) if node.table else ""
    text = "" if node.kind in (NodeKind.SECTION, NodeKind.DOCUMENT) else node.text
    return {"title": node.title, "path": " ".join(tree.path(node.key)[:-1]), "text": text, "table": labels}


def number_parts(title: str, parts: Sequence[Part]) -> list[Node]:
    """The nodes of these parts below a document of that title, by key."""
    root = Part(NodeKind.DOCUMENT, title, "", 0, parts=tuple(parts))
    nodes: list[Node] = []
    _place(root, -1, 0, nodes)
    return nodes


def _place(part: Part, parent: int, depth: int, nodes: list[Node]) -> int:
    key = len(nodes)
    nodes.append(Node(key, parent, 0, depth, part.kind, part.title, part.text, part.page, part.page, 0, str(key)))
    for child in part.parts:
        _place(child, key, depth + 1, nodes)
    below = nodes[key:]
    nodes[key] = replace(
        nodes[key],
        subtree_end=len(nodes),
        page_start=part.page if not part.parts else min(n.page_start for n in below),
        page_end=max(n.page_end for n in below),
        token_count=sum(len(n.text) // 4 for n in below),
        label=part.label,
        table=part.table,
    )
    return key


def _references(nodes: Sequence[Node], wanted: Sequence[tuple[int, str, int]]) -> list[Reference]:
    return [Reference(source, nodes[source].text.index(words), len(words), target) for source, words, target in wanted]


@dataclass
class Shelf(Corpus):
    """A corpus of compiled documents; counts what is opened."""

    documents: dict[str, CompiledDocument]
    fingerprint: str = "shelf"
    opened: list[str] = field(default_factory=list)

    def entries(self) -> list[DocumentEntry]:
        return [
            DocumentEntry(name, f"{name}.pdf", document.title, len(document.pages))
            for name, document in self.documents.items()
        ]

    def card(self, document: str) -> Card:
        return self._document(document).card

    def open(self, document: str) -> CompiledDocument:
        self.opened.append(document)
        return self._document(document)

    def peek(self, document: str) -> CompiledDocument | None:
        return self.documents.get(document)

    def _document(self, document: str) -> CompiledDocument:
        if document not in self.documents:
            raise NotFound(f"There is no document {document}.")
        return self.documents[document]


def annual_report(name: str = "Norrvik") -> CompiledDocument:
    """A report with three statements, a legal section and prose, on eight pages."""
    return compiled(
        f"{name} Annual Report 2019",
        section(
            "Business",
            paragraph(f"{name} makes pumps and valves for water works in Scandinavia.", page=0),
            paragraph("The company employs 1,204 people, most of them in Gothenburg.", page=1),
        ),
        section("Management's discussion and analysis", paragraph(DISCUSSION, page=2)),
        section("Financial statements", *(_statement(*parts) for parts in STATEMENTS)),
        section("Legal proceedings", paragraph(LEGAL, page=7)),
        fields=TypedFields(entities=(name.lower(),), years=(2019,)),
    )


def _statement(title: str, statement: str, page: int, units: str, rows: Sequence[str]) -> Part:
    cells = [row.split("|") for row in rows]
    return table(title, cells, columns=["", "2019", "2018"], units=units, statement=statement, page=page)


DISCUSSION = (
    "Revenue grew in 2019, driven by orders from municipal water works. "
    "Gross margin declined primarily due to higher steel prices and a strike at the Lund plant."
)
LEGAL = (
    "The company is not a party to any material legal proceedings. A claim over a pump failure in Oslo "
    "was settled in March 2019 for $3 million."
)
STATEMENTS = (
    (
        "Consolidated Statements of Income",
        "income",
        4,
        "(Dollars in millions, except per share amounts)",
        (
            "Net sales|$ 5,400|$ 5,000",
            "Cost of sales|3,780|3,400",
            "Gross profit|1,620|1,600",
            "Operating income|540|600",
            "Net income|405|450",
            "Earnings per share|4.05|4.50",
        ),
    ),
    (
        "Consolidated Balance Sheets",
        "balance",
        5,
        "(Dollars in millions)",
        (
            "Inventories|900|700",
            "Total current assets|2,700|2,400",
            "Property, plant and equipment, net|1,250|1,150",
            "Total assets|6,000|5,500",
            "Accounts payable|350|300",
            "Total current liabilities|1,800|1,500",
        ),
    ),
    (
        "Consolidated Statements of Cash Flows",
        "cash_flow",
        6,
        "(Dollars in millions)",
        ("Net cash provided by operating activities|620|580", "Purchases of property, plant and equipment|(210)|(190)"),
    ),
)
