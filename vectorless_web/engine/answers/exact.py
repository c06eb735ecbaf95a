"""A worked figure as a claim: checked by the program in every part, so that it carries a tick without a verifier."""

from collections.abc import Sequence

from vectorless_web.engine.answers.claims import Calculation, ClaimEvent, Evidence, Maker, Operand, Support
from vectorless_web.engine.answers.quotes import QuotePlace, Quotes
from vectorless_web.engine.tables.worked import WorkedFigure, Working, amount_words


def state_figure(figure: WorkedFigure, quotes: Quotes) -> ClaimEvent:
    """A worked figure as a checked claim: its rows cited, its operands each with the marker of its row."""
    cited = [quotes.cite(QuotePlace(quote.document, quote.key, quote.start, quote.end)) for quote in figure.quotes]
    return ClaimEvent(
        order=0,
        text=figure.sentence[:1].upper() + figure.sentence[1:],
        state="checked",
        support=Support.DERIVED if figure.calculation else Support.SUPPORTED,
        citations=tuple(dict.fromkeys(cited)),
        calculation=_write_calculation(figure.calculation, cited) if figure.calculation else None,
        maker=Maker(figure.maker),
    )


def _write_calculation(working: Working, cited: Sequence[Evidence]) -> Calculation:
    """The account of a worked figure, each operand with the marker of the row that it is in."""
    operands = tuple(
        Operand(
            operand.label,
            amount_words(operand.value, operand.unit, operand.scale),
            operand.unit,
            cited[operand.quote].marker,
        )
        for operand in working.operands
    )
    return Calculation(working.told, operands, working.result, working.unit)


def write_sentence(claim: ClaimEvent) -> str:
    """A claim's sentence with the markers of its citations behind it."""
    return claim.text + "".join(f"[{citation.marker}]" for citation in claim.citations)
