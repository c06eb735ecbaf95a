"""What an answer consists of: claims with their citations and calculations, and the passages that come closest."""

from dataclasses import dataclass
from enum import StrEnum

from vectorless_web.engine.documents.node import GlyphSpan
from vectorless_web.engine.passages.find import Passage


class Support(StrEnum):
    """What holds a claim up.

    SUPPORTED: quoted, and the verifier says that the quotes support it. DERIVED: the result of a calculation whose
    operands are cited. PICTURED: seen in a picture of a page. PARTLY: the verifier supports a part of it. QUOTED:
    quoted, but no verifier was asked. ABSENT: it says that something does not stand in documents that were searched;
    no quote can show that. UNSUPPORTED: nothing holds it up; it is shown struck.
    """

    SUPPORTED = "supported"
    DERIVED = "derived"
    PICTURED = "pictured"
    PARTLY = "partly"
    QUOTED = "quoted"
    ABSENT = "absent"
    UNSUPPORTED = "unsupported"


HELD = (Support.SUPPORTED, Support.DERIVED, Support.PICTURED)
"""Supports that give a claim its tick."""


class Check(StrEnum):
    """How a quote was found in its node.

    EXACT: copied by the program from an id. PICTURE: a page that was looked at, of which no word was compared.
    NORMALISED, FUZZY and MISSING stand in runs of earlier versions only.
    """

    EXACT = "exact"
    NORMALISED = "normalised"
    FUZZY = "fuzzy"
    PICTURE = "picture"
    MISSING = "missing"


class Maker(StrEnum):
    """Who made a claim: a look-up of one cell, a formula of the lexicon, an operation over cells, or a model."""

    LOOKUP = "lookup"
    FORMULA = "formula"
    OPERATION = "operation"
    MODEL = "model"


class Verdict(StrEnum):
    """The word for how far an answer was checked; the help page defines each.

    EXACT: a worked figure, every part of it checked by the program. VERIFIED: every claim has its tick and every part
    of the question is answered. PARTLY: some have. NOT_VERIFIED: none has.
    """

    EXACT = "exact"
    VERIFIED = "verified"
    PARTLY = "partly"
    NOT_VERIFIED = "not"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A quote and where it is. `start`/`end` are characters in the node's text; `spans` its glyphs on the page.

    `where` says in words where it is ("Consolidated Statement of Cash Flows, 2018 column"). `marker` numbers citations
    from 1 through the whole answer. Of a picture (`check`) the quote is "": the whole page stands for it. `passage` is
    the whole passage around the quote, where one is shown (closest passages).
    """

    marker: int
    document: str
    key: int
    page_index: int
    quote: str
    check: Check = Check.EXACT
    start: int = 0
    end: int = 0
    spans: tuple[GlyphSpan, ...] = ()
    where: str = ""
    passage: Passage | None = None


@dataclass(frozen=True, slots=True)
class Operand:
    """One line of a calculation's account: its name, the figure as used, its unit, and the citation it came from."""

    name: str
    value: str
    unit: str = ""
    marker: int = 0


@dataclass(frozen=True, slots=True)
class Calculation:
    """A shown calculation, computed in Decimal: `expression` over operand names gives `result`."""

    expression: str
    operands: tuple[Operand, ...]
    result: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class ClaimEvent:
    """One sentence of the answer, first as a draft (`state` "draft"), then "checked".

    `because` says in a sentence why it is not, or only partly, supported. `marks` are remarks of the program that
    strike nothing ("not traced: 4.1"). `is_absence`: it says that something does not stand in the documents; `because`
    then says what was searched.
    """

    order: int
    text: str
    state: str
    support: Support | None = None
    citations: tuple[Evidence, ...] = ()
    calculation: Calculation | None = None
    because: str = ""
    marks: tuple[str, ...] = ()
    maker: Maker | None = None
    is_absence: bool = False


def is_supported(claim: ClaimEvent) -> bool:
    """Whether a checked claim has its tick."""
    return claim.support in HELD
