"""An evaluation as CSV, JSON and Markdown, and a set as JSON Lines that can be imported again."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _

from vectorless_web.evaluations.models import Evaluation, GoldenQuestion, Result
from vectorless_web.evaluations.reading import write_row
from vectorless_web.evaluations.scoring import Tally
from vectorless_web.evaluations.selectors import Summary, file_names
from vectorless_web.infra.web.csv_files import csv_line

SCORES = ("is_answer", "right", "value_right", "words_right", "page_right", "precision", "recall", "verdict")
JUDGED = ("judged", "judged_why")
SPENT = ("tokens", "cost_usd", "seconds")


def result_row(result: Result) -> dict[str, Any]:
    """A result as JSON holds it."""
    answer = getattr(result.run, "answer", None) if result.run else None
    return {
        "question": result.golden.question,
        "expected": result.golden.value or result.golden.text,
        "is_absent": result.golden.is_absent,
        "state": result.state,
        "outcome": result.run.status if result.run else "",
        "answer": answer.markdown if answer else "",
        "value": answer.value if answer else "",
        **{name: getattr(result, name) for name in (*SCORES, *JUDGED)},
        "tokens": result.tokens,
        "cost_usd": float(result.cost_usd),
        "seconds": round(result.seconds, 3),
        "problem": result.problem,
        "run": result.run_id,
    }


def as_json(evaluation: Evaluation, summary: Summary, results: Iterable[Result]) -> str:
    """The evaluation with its figures and rows."""
    figures = {figure.name: _number(figure.value) for figure in list_figures(summary)}
    head = {"set": evaluation.golden_set.name, "answered_by": evaluation.label, "begun": evaluation.created_at}
    whole = {**head, "figures": figures, "results": [result_row(row) for row in results]}
    return json.dumps(whole, ensure_ascii=False, indent=1, default=str)


def figures_of(summary: Summary) -> dict[str, Any]:
    """The figures by the names of their fields, which no translation changes; a tally as {right, of}."""
    figures = {field.name: _number(getattr(summary, field.name)) for field in fields(summary)}
    return {**figures, "verdicts": {str(name): _number(tally) for name, tally in summary.verdicts}}


def as_csv(results: Iterable[Result]) -> Iterator[str]:
    """The rows as lines of CSV."""
    rows = [result_row(row) for row in results]
    names = list(rows[0]) if rows else ["question"]
    yield csv_line(names)
    for row in rows:
        yield csv_line(row[name] for name in names)


def as_markdown(evaluation: Evaluation, summary: Summary) -> str:
    """The figures as a Markdown table."""
    lines = [f"# {evaluation.golden_set.name}", "", f"Answered by {evaluation.label}.", "", "| Score | Figure |"]
    lines += ["| --- | --- |", *(f"| {figure.name} | {figure.text} |" for figure in list_figures(summary))]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of an evaluation, and in one sentence what it counts."""

    name: str
    value: Any
    definition: str = ""

    @property
    def text(self) -> str:
        """The figure in words: "36 of 40 (90 %)"."""
        if isinstance(self.value, Tally):
            return f"{self.value.right} of {self.value.total} ({100 * self.value.share:.0f} %)"
        if isinstance(self.value, Decimal):
            return f"{self.value:,.4f}"
        return f"{self.value:.2f}" if isinstance(self.value, float) else f"{self.value:,}"


def list_figures(summary: Summary) -> list[Figure]:
    """The figures of a summary, those that nothing was scored for left out."""
    rows = [
        Figure(
            _("Right"), summary.right, _("Says what is expected, or gives no answer where the documents have none.")
        ),
        Figure(_("Answered"), summary.answered, _("Of the questions that the documents answer.")),
        Figure(_("Value right"), summary.value, _("Within half a percent, at its scale and in its unit.")),
        Figure(
            _("Words right"),
            summary.words,
            _("Holds all that must be said; where nothing must, two thirds of the expected words."),
        ),
        Figure(_("Page right"), summary.page, _("One of the first five quotes or passages is on an expected page.")),
        Figure(_("Rightly not answered"), summary.abstained, _("Of the questions that the documents do not answer.")),
        Figure(_("Citation precision"), summary.precision, _("Share of quotes that are on an expected page.")),
        Figure(_("Citation recall"), summary.recall, _("Share of the expected pages that are quoted.")),
        *(
            Figure(_("Right when “%(verdict)s”") % {"verdict": name}, tally, _("Of the answers with this verdict."))
            for name, tally in summary.verdicts
        ),
        Figure(_("Tokens"), summary.tokens),
        Figure(_("Cost in US dollars"), summary.cost_usd),
        Figure(_("Seconds a question"), summary.seconds),
        *_list_judged(summary),
    ]
    return [row for row in rows if row.value is not None and row.value != Tally(0, 0)]


def _list_judged(summary: Summary) -> list[Figure]:
    """What the judge said, and what it cost: beside the scores, and no part of them."""
    if not summary.judge_tokens:
        return []
    return [
        Figure(_("Right by the judge"), summary.judged, _("Of the prose that a model compared with what is expected.")),
        Figure(_("Judge and score agree"), summary.agreed, _("Of the answers that the judge looked at.")),
        Figure(_("Tokens of the judge"), summary.judge_tokens),
        Figure(_("Cost of the judge in US dollars"), summary.judge_cost_usd),
    ]


def _number(value: Any) -> Any:
    return {"right": value.right, "of": value.total} if isinstance(value, Tally) else value


def set_as_lines(questions: Iterable[GoldenQuestion]) -> str:
    """A set as JSON Lines."""
    rows = list(questions)
    names = file_names(rows)
    return "".join(f"{json.dumps(write_row(golden, names), ensure_ascii=False)}\n" for golden in rows)
