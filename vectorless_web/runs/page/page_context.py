"""What the run page and its fragments are rendered from: one builder for the page and for the socket."""

from collections.abc import Sequence
from typing import Any

from django.urls import reverse

from vectorless_web.runs import selectors
from vectorless_web.runs.models import Citation, Run
from vectorless_web.runs.page import rendering, sheets
from vectorless_web.runs.page.again import find_ways
from vectorless_web.runs.page.maps import maps_of
from vectorless_web.runs.page.spending import spending_of
from vectorless_web.runs.page.threads import later_tries
from vectorless_web.workspaces.selectors import May


def state_context(run: Run, may: May, *, mine: bool = False) -> dict[str, Any]:
    """What the small live fragments show: what is going on, the totals, the outcome; `mine` for who asked."""
    ended = not run.is_open
    return {
        "run": run,
        "workspace": run.workspace,
        "may": may,
        "now": rendering.now_of(run, mine=mine),
        "answer": selectors.answer_of(run) if ended else None,
        "claims": selectors.claims_of(run) if ended else [],
        "engine_line": _engine_line(run, rendering.takeover_of(run)),
        "spending": spending_of(run) if run.is_open else None,
    }


def around_context(run: Run, may: May, *, mine: bool = False) -> dict[str, Any]:
    """What the parts around the steps show while a run is under way: maps, source, acts."""
    steps, citations = selectors.steps_of(run), rendering.citations_in(selectors.claims_of(run))
    return {
        "run": run,
        "workspace": run.workspace,
        "may": may,
        "may_stop": selectors.may_stop(may, mine=mine),
        "citations": citations,
        "sheets": sheets.sheets_of(run, citations, steps),
        "maps": maps_of(run, steps, citations),
    }


def run_context(run: Run, may: May, *, mine: bool = False) -> dict[str, Any]:
    """Everything the run page shows that is the same for all who may do the same."""
    after = selectors.last_sequence(run.pk)
    steps, claims = selectors.steps_of(run), selectors.claims_of(run)
    citations = rendering.citations_in(claims)
    cards = rendering.step_cards(run, steps, citations)
    _name_steps(citations, cards)
    _place_checked(run)
    takeover = rendering.takeover_of(run)
    return {
        "run": run,
        "workspace": run.workspace,
        "may": may,
        "may_stop": selectors.may_stop(may, mine=mine),
        "answer": selectors.answer_of(run),
        "after": after,
        "steps": cards,
        "claims": claims,
        "citations": citations,
        "sheets": sheets.sheets_of(run, citations, steps),
        "maps": maps_of(run, steps, citations),
        "now": rendering.now_of(run, mine=mine),
        "scope_line": rendering.scope_line(run, selectors.scope_size(run)),
        "engine_line": _engine_line(run, takeover),
        "takeover": takeover,
        "spending": spending_of(run) if run.is_open else None,
        "again": find_ways(run) if may.ask and not run.is_open else None,
        "tries": later_tries(run),
        "thread_size": selectors.count_in_thread(run),
        "newer": selectors.newer_documents(run) if citations else [],
        "replay": None if run.is_open else selectors.replay_of(run),
        "my_feedback": None,
        "links": [],
        "ask": None,
    }


def _engine_line(run: Run, takeover: rendering.TakeoverView | None) -> str:
    """Who answered, which is not a model of which no call was answered."""
    return rendering.engine_line("offline" if takeover and takeover.whole else run.engine, run.model)


def _name_steps(citations: Sequence[Citation], cards: Sequence[rendering.StepView]) -> None:
    """Give each citation the step that found its quote, as `step_sequence` and `step_number`."""
    finder = {marker: card for card in cards for marker in card.markers}
    for citation in citations:
        card = finder.get(citation.marker)
        citation.step_sequence = card.sequence if card else None  # type: ignore[attr-defined]
        citation.step_number = card.number if card else None  # type: ignore[attr-defined]


def _place_checked(run: Run) -> None:
    """Give each section that was checked in vain the address of its page."""
    if not run.checked:
        return
    versions = {str(version.document_id): version for version in selectors.versions_read(run)}
    for row in run.checked:
        version = versions.get(str(row.get("document")))
        if version is None:
            continue
        row["document_title"] = version.document.title
        if "page_start" in row:
            slug, page = run.workspace.slug, row["page_start"] + 1
            row["url"] = reverse("documents:detail", args=[slug, version.document_id]) + f"?page={page}"
            row["sheet_url"] = reverse("runs:sheet", args=[slug, run.pk, version.pk, page])
