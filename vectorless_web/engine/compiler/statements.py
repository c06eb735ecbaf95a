"""Recognises primary financial statements by the title they stand under and the rows they have."""

import re
from collections.abc import Iterable

from vectorless_web.engine.compiler.patterns import statement_kind

_ROWS: dict[str, tuple[re.Pattern[str], ...]] = {
    kind: tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)
    for kind, patterns in {
        "income": (
            r"^(?:total )?(?:net )?(?:sales|revenues?)\b|^total (?:net )?revenues?",
            r"^(?:operating )?(?:income|profit|loss)\b.*|^operating (?:income|profit|loss)|income from operations",
            r"^(?:income|earnings|loss|profit).{0,30} before .{0,40}tax",
            r"^(?:provision|benefit).{0,20} (?:for|from) (?:income )?tax|income tax(?:es)? expense|^income taxes",
            r"^(?:consolidated )?net (?:income|earnings|loss|profit)",
            r"per (?:common )?share|^basic\b|^diluted\b",
            r"^cost of (?:sales|revenues?|goods|products)",
        ),
        "balance": (
            r"^total assets",
            r"^total current assets|^cash and (?:cash )?(?:equivalents|due from banks)",
            r"^total (?:current )?liabilities",
            r"^retained earnings|^accumulated deficit",
            r"^total .{0,60}(?:equity|deficit|investment)",
            r"^total liabilities(?:,| and)",
        ),
        "cash_flow": (
            r"operating activities",
            r"investing activities",
            r"financing activities",
            r"^(?:net )?(?:increase|decrease|change).{0,40} cash",
            r"^depreciation",
            r"cash.{0,60}(?:end|beginning) of",
        ),
        "equity": (
            r"^balances?,? .{0,30}\d{4}|^balances? (?:at|as of)"
            r"|^(?:beginning|ending|opening|closing) balance|^(?:balance )?(?:beginning|end) of",
            r"dividends",
            r"^net (?:income|earnings|loss)",
            r"repurchase|treasury|stock[- ]based|share[- ]based|issu",
            r"comprehensive",
        ),
        "comprehensive_income": (
            r"^(?:consolidated )?net (?:income|earnings|loss)",
            r"other comprehensive (?:income|loss|\()",
            r"^(?:total )?comprehensive (?:income|loss|\()",
            r"translation|hedg|pension|available[- ]for[- ]sale|unrealized",
        ),
    }.items()
}
_LEAST_UNDER_TITLE = {"income": 3, "balance": 3, "cash_flow": 2, "equity": 2, "comprehensive_income": 2}
_LEAST_AMONG_EXCERPTS = {"income": 5, "balance": 5, "cash_flow": 5, "equity": 4, "comprehensive_income": 4}
_WHOLE = 20
"""Rows from which a table in a discussion is a statement carried over pages and no summary."""
_LEAST_ALONE = {"balance": 5, "cash_flow": 5}


def recognise(title: str, labels: Iterable[str], *, excerpts: bool) -> str:
    """The kind of statement a table is, or "".

    A title must agree with the rows; without one the rows must be complete. `excerpts`: the table
    stands in a discussion, where the same titles head excerpts; then the rows must be many.
    """
    rows = [" ".join(label.split()) for label in labels if label]
    kind = statement_kind(title)
    if kind:
        brief = excerpts and len(rows) < _WHOLE
        least = (_LEAST_AMONG_EXCERPTS if brief else _LEAST_UNDER_TITLE)[kind]
        return kind if _matches(kind, rows) >= least else ""
    if excerpts:
        return ""
    return next((kind for kind, least in _LEAST_ALONE.items() if _matches(kind, rows) >= least), "")


def _matches(kind: str, rows: list[str]) -> int:
    return sum(any(pattern.search(row) for row in rows) for pattern in _ROWS[kind])
