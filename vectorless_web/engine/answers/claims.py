"""A claim of an answer with its quotes and its calculation: as drafted, and as checked."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from vectorless_web.engine.documents.node import GlyphSpan, NodeKind
from vectorless_web.engine.figures.figure import Figure
from vectorless_web.engine.llm.model import Message
from vectorless_web.engine.llm.picture import Picture
from vectorless_web.engine.passages.passage import Passage
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.relations.reading import Reading
from vectorless_web.engine.relations.rows import RowsRead

Fact = Figure | Passage | Reading | RowsRead


@dataclass(frozen=True, slots=True)
class DraftQuote:
    """A quote before it is checked: a node and words said to stand in it. `start` is where they were seen, or -1.

    With a `page` (index from 0) it is the picture of that page, and the words are what the model saw there.
    """

    document: str
    key: int
    quote: str
    start: int = -1
    where: str = ""
    page: int = -1


@dataclass(frozen=True, slots=True)
class DraftOperand:
    """An operand of a drafted calculation; `quote` is the index of the claim's quote that states it, -1 for none."""

    name: str
    value: str
    unit: str = ""
    quote: int = -1


@dataclass(frozen=True, slots=True)
class DraftCalculation:
    """A calculation as drafted: the program recomputes `expression` and compares it with `result`.

    `more` are the sentence's other calculations, in order; they may use earlier results.
    """

    expression: str
    operands: tuple[DraftOperand, ...]
    result: str
    unit: str = ""
    more: tuple["DraftCalculation", ...] = ()

    @property
    def all(self) -> tuple["DraftCalculation", ...]:
        """This calculation and the others."""
        return (self, *self.more)


@dataclass(frozen=True, slots=True)
class Signal:
    """Something measured of an answer, as a share in [0, 1], by the name that the calibration knows it by."""

    name: str
    share: float


LISTS_MENTIONS = "lists_mentions"
"""The signal of a list of everything that speaks of a thing: each item is its own evidence."""

LACKS_ASKED = "lacks_asked"
"""The signal of an answer that tells an effect where its cause is asked for, or uses a term where its meaning is."""

READS_ENTRY = "reads_entry"
"""The signal of cells of a row, or of a line of a form, each chosen for the part of the question that asks for it."""

IS_SETTLED = "is_settled"
"""The signal of a yes or no that a rule settles outright: by its form, or by refusing the leave that is asked for."""

NEARNESS = "nearness"
"""The signal of how near the answer comes to the question in meaning: only where a local model measured it."""


@dataclass(frozen=True, slots=True)
class DraftClaim:
    """One sentence of the answer with its quotes.

    A claim read from table rows says how well they agree with the figures needed (`fit`,
    in [0, 1]) and which of those it used (`needs`, indexes). `signals` are what was measured when
    it was drafted, for the confidence of the answer. `asides` are words of the
    text that tell what the program did (a definition taken, a rule of judging, what it did not
    find): they say nothing of the quotes, and are not compared with them.
    """

    text: str
    quotes: tuple[DraftQuote, ...] = ()
    calculation: DraftCalculation | None = None
    fit: float | None = None
    needs: tuple[int, ...] = ()
    signals: tuple[Signal, ...] = ()
    asides: tuple[str, ...] = ()
    table: tuple[tuple[str, ...], ...] = ()
    """A small table that the sentence announces, its header row first; checked with the sentence."""
    source: str = ""
    """The words of the sentence that only say where it stands ("(table “Board”, Report 12)"): they claim nothing."""

    def split_table(self) -> list["DraftClaim"]:
        """The sentence, then each row of its table as a sentence: "Solo: Memory: 2 GB; Disk: 20 GB"."""
        rows = []
        for name, *cells in self.table[1:]:
            told = [f"{head}: {cell}" for head, cell in zip(self.table[0][1:], cells, strict=True) if cell]
            rows += [replace(self, text=f"{name}: {'; '.join(told)}", table=())] if told else []
        return [replace(self, table=()), *rows]


@dataclass(frozen=True, slots=True)
class AnswerDraft:
    """A drafted answer: claims in order, the one number it stands for, and what is still missing."""

    claims: tuple[DraftClaim, ...] = ()
    value: str = ""
    missing: tuple[str, ...] = ()
    engine: str = "offline"
    tokens: int = 0
    cost_usd: float = 0.0
    conversation: tuple[Message, ...] = ()
    """What a model was asked and replied, so that objections can be put to it in one more message."""
    note: str = ""
    """What to tell of the calls that brought it."""


@dataclass(frozen=True, slots=True)
class Objected:
    """A drafted claim that does not hold, with everything that speaks against it, a sentence each."""

    claim: DraftClaim
    objections: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SynthesisContext:
    """What a draft is written from: the packed context of all walks, their facts and the budget for the prompt.

    `left_out` counts the nodes read that did not fit among `passages`.
    """

    plan: QueryPlan
    facts: tuple[Fact, ...]
    passages: tuple["PackedNode", ...]
    names: Mapping[str, str]
    tokens: int
    left_out: int = 0
    drafts: tuple[AnswerDraft, ...] = ()
    """What the model wrote at the end of each walk that it ended with an answer, in the order of the walks."""
    pictures: tuple[Picture, ...] = ()
    """Pages that the walks looked at as pictures."""


@dataclass(frozen=True, slots=True)
class PackedNode:
    """A node as it entered the context.

    `page_index` counts from 0; `path` is the document's title and the headings above the
    node, outermost first; `text` is the node's, a table's rows parted by line feeds. Of a
    table `heads` counts the header rows it begins with, and `units` and `columns` are what is
    known of its figures beside them ("Dollars in millions"; "2018 | 2017"), "" for nothing.
    """

    document: str
    key: int
    page_index: int
    kind: NodeKind
    path: tuple[str, ...]
    text: str
    heads: int = 0
    units: str = ""
    columns: str = ""


class Support(StrEnum):
    """How a claim stands: by its quotes, by a shown calculation, by what was seen in a picture, or not at all."""

    SUPPORTED = "supported"
    DERIVED = "derived"
    PICTURED = "pictured"
    UNSUPPORTED = "unsupported"


class Check(StrEnum):
    """How a quote was found in its node; PICTURE is a page that was looked at, of which no word was compared."""

    EXACT = "exact"
    NORMALISED = "normalised"
    FUZZY = "fuzzy"
    PICTURE = "picture"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A quote and where it stands. `start`/`end` are characters in the node's text; `spans` its glyphs on the page.

    `where` says in words where it is ("Consolidated Statement of Cash Flows, 2018 column").
    `marker` numbers citations from 1 through the whole answer. Of a picture (`check`) the quote is
    "": what stands for it is the whole page.
    """

    marker: int
    document: str
    key: int
    page_index: int
    quote: str
    check: Check
    start: int = 0
    end: int = 0
    spans: tuple[GlyphSpan, ...] = ()
    where: str = ""


@dataclass(frozen=True, slots=True)
class Operand:
    """One line of a calculation's account: its name, the figure as used, its unit, and the citation it came from."""

    name: str
    value: str
    unit: str = ""
    marker: int = 0


@dataclass(frozen=True, slots=True)
class Calculation:
    """A shown calculation, recomputed in Decimal: `expression` over operand names gives `result`.

    `more` are the sentence's other calculations, in order.
    """

    expression: str
    operands: tuple[Operand, ...]
    result: str
    unit: str = ""
    more: tuple["Calculation", ...] = ()


class Strength(StrEnum):
    """The word for a confidence: an answer that is weak is shown without a tick."""

    STRONG = "strong"
    MODERATE = "moderate"
    WEAK = "weak"


@dataclass(frozen=True, slots=True)
class Confidence:
    """How likely an answer is right, in [0, 1], the word for it, and what it was worked out from.

    The first three are shares in [0, 1] that stand among the signals, too: of sentences that
    hold, of the question's parts that are covered, and how well the evidence fits.
    """

    claims_held: float
    parts_covered: float
    evidence_fit: float
    value: float
    strength: Strength
    signals: tuple[Signal, ...] = ()


@dataclass(frozen=True, slots=True)
class ClaimEvent:
    """One sentence of the answer, first as a draft, then checked. `because` says why it is unsupported."""

    order: int
    text: str
    state: str
    support: Support | None = None
    citations: tuple[Evidence, ...] = ()
    calculation: Calculation | None = None
    because: str = ""
    table: tuple[tuple[str, ...], ...] = ()
    """A small table that belongs to the sentence, its header row first."""


HELD = (Support.SUPPORTED, Support.DERIVED, Support.PICTURED)


def write_table(table: tuple[tuple[str, ...], ...]) -> str:
    """A table in Markdown; a blank cell is a dash."""
    rows = [f"| {' | '.join(cell.replace('|', '/') or '–' for cell in row)} |" for row in table]
    head = f"| {' | '.join(cell.replace('|', '/') for cell in table[0])} |"
    return "\n".join((head, "|---" * len(table[0]) + "|", *rows[1:]))


def is_supported(claim: ClaimEvent) -> bool:
    """Whether a checked claim is supported, derived or read from a picture."""
    return claim.support in HELD
