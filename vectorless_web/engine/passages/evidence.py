"""A passage as a reader is shown it: a whole node with its best sentence lit."""

from dataclasses import dataclass

from vectorless_web.engine.documents.node import NodeKind


@dataclass(frozen=True, slots=True)
class Passage:
    """A node that comes close to the question, shown whole.

    `text` is what is shown; of it the characters `lit_start` to `lit_end` (of `text`) are the best sentence, list item
    or table row. `start` and `end` are the same in the node's own text, which the highlight on the page needs. Of a
    table, `rows` are the rows shown as cells, the first one the column names; `lit_row` is the index of the lit one.
    `lead_in` announces a list. `path` are the headings above, outermost first. `holds` and `lacks` are words of the
    question, as asked, that the passage (with what is above it) says and does not say. `score` orders passages.
    """

    document: str
    key: int
    page_index: int
    kind: NodeKind
    path: tuple[str, ...]
    text: str
    lit_start: int
    lit_end: int
    start: int
    end: int
    score: float
    rows: tuple[tuple[str, ...], ...] = ()
    lit_row: int = -1
    lead_in: str = ""
    holds: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()

    @property
    def lit(self) -> str:
        """The best sentence, list item or row, verbatim."""
        return self.text[self.lit_start : self.lit_end]
