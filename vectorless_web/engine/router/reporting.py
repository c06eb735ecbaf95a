"""Which year's report a question is about, when it names several years or looks ahead."""

import re

from vectorless_web.engine.query.plan import Period, QueryPlan

_AS_OF = re.compile(
    r"\b(?:as (?:of|at)|at the (?:end|close) of|year[\s-]?end(?:ed|ing)?)\s*(?:the\s+)?"
    r"(?:FY|fiscal(?:\s+year)?|financial\s+year)?\s*$",
    re.IGNORECASE,
)
_FISCAL = re.compile(r"^(?:FY|fiscal|financial)", re.IGNORECASE)
_AHEAD = re.compile(
    r"\b(?:expect(?:s|ed|ing)?|forecasts?|guidance|outlook|project(?:s|ed)|anticipat(?:e|es|ed|ing)|plan(?:s|ned) to"
    r"|will)\b",
    re.IGNORECASE,
)


def reporting_year(plan: QueryPlan) -> int | None:
    """The year of the report that should hold the answer; None when no year is named.

    A year said to be the vantage point ("as of FY2021") wins, then fiscal years over bare
    ones, and of those left the latest: a report shows earlier years for comparison.
    """
    anchored = [period.year for period in plan.periods if _is_anchored(period, plan.question)]
    if anchored:
        return max(anchored)
    fiscal = [period.year for period in plan.periods if _FISCAL.match(period.text)]
    return max(fiscal or [period.year for period in plan.periods], default=None)


def names_fiscal_year(plan: QueryPlan) -> bool:
    """Whether a year is called fiscal ("FY2022", "fiscal 2022")."""
    return any(period.kind == "year" and _FISCAL.match(period.text) for period in plan.periods)


def looks_ahead(plan: QueryPlan) -> bool:
    """Whether the question asks what was expected of its one year, with no vantage point named."""
    years = {period.year for period in plan.periods}
    anchored = any(_is_anchored(period, plan.question) for period in plan.periods)
    return len(years) == 1 and not anchored and bool(_AHEAD.search(plan.question))


def _is_anchored(period: Period, question: str) -> bool:
    start = question.find(period.text) if period.text else -1
    return start > 0 and bool(_AS_OF.search(question[:start]))
