"""A finished run as Markdown with footnotes; Markdown or HTML inside texts is escaped."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from vectorless_web.documents.models import DocumentVersion
from vectorless_web.engine.text.numbers import with_unit
from vectorless_web.infra.templatetags.show import check_word, formula, percent
from vectorless_web.runs import selectors
from vectorless_web.runs.models import Answer, Citation, Claim, Run
from vectorless_web.runs.page.rendering import citations_in, engine_line, struck_of, takeover_of

_SPECIAL = re.compile(r"[\\`*_{}\[\]<>#|~@]|(?<=[a-zA-Z]):(?=//)|(?<=\bwww)\.")
"""Signs of Markdown, and those by which its dialects find addresses to link."""
_LEADING = re.compile(r"^(?:([-+=])|(\d+)([.)]))(?=\s|$)")


def as_markdown(run: Run) -> str:
    """The question, how it ended, the answer with footnote marks and calculations, each quote with its place."""
    claims, answer = selectors.claims_of(run), selectors.answer_of(run)
    lines = [f"# {inline(run.question)}", "", _ending(run, answer), *_tell_interventions(run, claims)]
    for claim in claims:
        lines += ["", _sentence(claim), *_table(claim.table), *_calculation(claim.calculation)]
    if passages := selectors.passages_of(run):
        lines += ["", "Closest passages, none of which answers by itself:", "", *map(_passage, passages)]
    if answer and answer.missing and run.has_answer:
        lines += ["", "Still open:", "", *(f"- {inline(part)}" for part in answer.missing)]
    versions = selectors.versions_read(run)
    if run.status == Run.Status.NOT_FOUND and run.checked:
        titles = {str(version.document_id): version.document.title for version in versions}
        lines += ["", "What was checked:", "", *(_format_checked_place(row, titles) for row in run.checked)]
    lines += ["", *_sources(versions), "", *(_footnote(citation) for citation in citations_in(claims))]
    return "\n".join(lines).strip() + "\n"


def inline(text: str) -> str:
    """A text as one line of Markdown that shows exactly its words: nothing in it is markup or HTML."""
    line = _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()).replace("&", "&amp;"))
    return _LEADING.sub(lambda found: f"\\{found[1]}" if found[1] else f"{found[2]}\\{found[3]}", line)


def _ending(run: Run, answer: Answer | None) -> str:
    confidence = answer.confidence if answer and run.has_answer else None
    strength = f"{answer.get_strength_display().lower()}, " if answer and answer.strength else ""
    parts = [run.reason, f"{strength}{percent(confidence)} confidence" if confidence is not None else ""]
    takeover = takeover_of(run)
    who = engine_line("offline" if takeover and takeover.whole else run.engine, run.model)
    parts.append(f"{'read' if run.found_no_answer else 'answered'} by {who}")
    return f"*{run.get_status_display()}*: {inline('; '.join(part for part in parts if part))}"


def _tell_interventions(run: Run, claims: Sequence[Claim]) -> Iterator[str]:
    """What became of the model that was to answer: that another did, that sentences of it were struck."""
    if (takeover := takeover_of(run)) is not None:
        yield ""
        yield inline(f"{takeover.say} {takeover.cause}")
    if (struck := struck_of(run, claims)) is not None:
        yield ""
        yield inline(struck.say)


def _passage(citation: Citation) -> str:
    return f"- “{inline(citation.quote)}” {_where(citation)}"


def _sentence(claim: Claim) -> str:
    marks = "".join(f"[^{citation.marker}]" for citation in claim.citations.all())
    text = inline(claim.text)
    text = f"~~{text}~~" if claim.support == "unsupported" else text
    because = f" ({inline(claim.because)})" if claim.because else ""
    pictured = " (read from a picture)" if claim.support == "pictured" else ""
    return f"{text}{marks}{pictured}{because}"


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """A comparison with a row for each subject; a blank is a dash."""
    for number, row in enumerate(rows):
        if number == 0:
            yield ""
        yield f"| {' | '.join(inline(cell) or ('–' if number else ' ') for cell in row)} |"
        if number == 0:
            yield "|---" * len(row) + "|"


def _calculation(calculation: dict[str, Any] | None) -> Iterator[str]:
    """The operands with their quotes, then what was worked out from them."""
    if not calculation:
        return
    yield ""
    for row in calculation.get("operands", []):
        mark = f"[^{row['marker']}]" if row.get("marker") else ""
        yield f"- {inline(formula(row['name']))}: {_amount(row.get('value'), row.get('unit'))}{mark}"
    result = _amount(calculation.get("result"), calculation.get("unit"))
    yield f"- {inline(formula(calculation.get('expression', '')))} = **{result}**"
    for other in calculation.get("more", []):
        yield from _calculation(other)


def _amount(value: Any, unit: Any) -> str:
    return inline(with_unit(str(value or ""), str(unit or "")))


def _format_checked_place(row: dict[str, Any], titles: Mapping[str, str]) -> str:
    page = f"p. {row['page_start'] + 1}" if row.get("page_start") is not None else ""
    places = (titles.get(str(row.get("document")), ""), row.get("title", ""), page)
    where = ", ".join(dict.fromkeys(inline(part) for part in places if part))
    return f"- {where}: {inline(row.get('reason', ''))}"


def _sources(versions: Sequence[DocumentVersion]) -> Iterable[str]:
    if not versions:
        return []
    rows = [f"- {inline(row.document.title)}, version {row.number}, SHA-256 `{row.sha256}`" for row in versions]
    return ["Documents read:", "", *rows]


def _footnote(citation: Citation) -> str:
    if citation.check_result == "picture":
        return f"[^{citation.marker}]: Read from the picture of a page, without words to compare: {_where(citation)}"
    return f"[^{citation.marker}]: “{inline(citation.quote)}” {_where(citation)} ({check_word(citation.check_result)})"


def _where(citation: Citation) -> str:
    places = (citation.document_title, citation.where, f"p. {citation.page}")
    return ", ".join(dict.fromkeys(inline(part) for part in places if part))
