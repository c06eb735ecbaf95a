"""What the run page and its fragments are rendered from: one builder for the page, its parts and its thread."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, Prefetch, QuerySet, Sum
from django.utils.formats import localize
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from vectorless_web.documents.models import DocumentVersion
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.infra.templatetags.show import money
from vectorless_web.runs import selectors
from vectorless_web.runs.models import Citation, Claim, Feedback, Run, Step, Thread
from vectorless_web.runs.page import rendering, sheets
from vectorless_web.runs.selectors import Answerer, answerers_of, estimate_of
from vectorless_web.workspaces.selectors import May, User

FREE = ("route", "verify", "finalize")
"""Kinds of steps that count against no limit."""


@dataclass(frozen=True)
class Spending:
    """The share of the tightest limit that is used, from 0 to 1, and what is left of it, in words."""

    share: float
    left: str


def spending_of(run: Run) -> Spending:
    """What is left of the run's budget: of its money, else of its tokens with a model, else of its steps."""
    if usd := float(run.settings.get("money_usd") or 0):
        spent = float(run.cost_usd)
        left_usd = _("%(left)s left of %(most)s") % {"left": money(max(usd - spent, 0)), "most": money(usd)}
        return Spending(min(spent / usd, 1), left_usd)
    if run.tokens:
        most = run.settings.get("model_tokens") or Limits().model_tokens
        # Conversations with single documents have tokens of their own.
        most += run.steps.filter(walk__gt=1).aggregate(tokens=Sum("tokens"))["tokens"] or 0
        left = max(most - run.tokens, 0)
        words = ngettext("%(left)s token left of %(most)s", "%(left)s tokens left of %(most)s", left)
        return Spending(min(run.tokens / most, 1), words % {"left": localize(left), "most": localize(most)})
    taken = run.steps.filter(walk=1).exclude(kind__in=FREE).count()
    most = run.settings.get("max_steps") or Limits().max_steps
    left = max(most - taken, 0)
    words = ngettext("%(left)d step left of %(most)d", "%(left)d steps left of %(most)d", left)
    return Spending(min(taken / most, 1), words % {"left": left, "most": most})


def other_answerers(run: Run) -> list[tuple[Answerer, str]]:
    """Who else can be asked this run's question, and what that costs at most, in words."""
    answerers = answerers_of(run.workspace)
    asked = run.settings.get("answerer") or answerers[0].value
    return [(row, estimate_of(row)) for row in answerers if row.value != asked]


QUESTIONS_SHOWN = 30
"""Questions of a thread on one page."""
CANDIDATES_SHOWN = 30
"""Runs that are offered for a comparison: so many of the same thread, and so many that ask the same elsewhere."""


def questions_of(thread: Thread, user: User, page: int | None = None) -> Page[Run]:
    """The runs of a thread that exist for the user, oldest first, with claims and quotes; else the last page."""
    rows = with_claims(selectors.runs_in(thread, user)).order_by("pk")
    paginator = Paginator(rows, QUESTIONS_SHOWN)
    found = paginator.get_page(page or paginator.num_pages)
    for run in found:
        run.workspace = thread.workspace
    selectors.forget_hidden_origins(user, found)
    return found


def with_claims(rows: QuerySet[Run]) -> QuerySet[Run]:
    """Runs with who asked, answer, origin, claims with quotes, and `quotes` and `pages`, their numbers."""
    cited = Prefetch("citations", queryset=Citation.objects.order_by("marker", "pk"))
    claims = Prefetch("claims", queryset=Claim.objects.order_by("order").prefetch_related(cited))
    related = rows.select_related("asked_by", "answer", "asked_from")
    return related.prefetch_related(claims).annotate(quotes=Count("citations__marker", distinct=True))


def sum_spending(thread: Thread, user: User) -> dict[str, Any]:
    """How many questions the thread has of those that exist for the user, and what they took together."""
    sums = {"tokens": Sum("tokens", default=0), "cost_usd": Sum("cost_usd", default=0)}
    return selectors.runs_in(thread, user).aggregate(questions=Count("pk"), **sums)


def find_known(thread: Thread, user: User) -> dict[str, Any] | None:
    """What a follow-up would start from: the run it follows, and how many passages of how many documents that cited.

    None while no run of the thread has a result.
    """
    run = selectors.last_result_in(thread, user)
    if run is None:
        return None
    cited = selectors.cited_passages(run)
    return {"run": run, "passages": len(cited), "documents": len({row.version_id for row in cited})}


def find_comparable(run: Run, user: User) -> tuple[Sequence[Run], Sequence[Run]]:
    """Runs worth comparing with this one: the others of its thread, and others that ask the same, newest first."""
    rows = selectors.asked_runs(user.pk, [run.workspace_id]).exclude(pk=run.pk)
    rows = rows.select_related("workspace", "asked_by", "answer", "thread", "asked_from").order_by("-pk")
    same = rows.filter(question__iexact=run.question).exclude(thread=run.thread_id)
    return list(rows.filter(thread=run.thread_id)[:CANDIDATES_SHOWN]), list(same[:CANDIDATES_SHOWN])


def later_tries(run: Run, viewer: int | None) -> list[Run]:
    """The runs that ask this one's question once more and exist for an account (None: for every member)."""
    tried = selectors.visible_runs(viewer, [run.workspace_id]).filter(asked_from=run.pk)
    tried = tried.exclude(asked_how__in=["", Run.How.FOLLOW_UP])
    return list(tried.select_related("asked_by", "answer").order_by("-pk")[:CANDIDATES_SHOWN])


def state_context(run: Run, may: May, *, mine: bool = False) -> dict[str, Any]:
    """What the small live fragments show: what is going on, the totals, the outcome; `mine` for who asked."""
    ended = not run.is_open
    answer = selectors.answer_of(run) if ended else None
    return {
        "run": run,
        "workspace": run.workspace,
        "may": may,
        "opened": run.versions.count(),
        "now": rendering.now_of(run, mine=mine),
        "answer": answer,
        "claims": selectors.claims_of(run) if ended else [],
        "engine_line": _engine_line(run, rendering.takeover_of(run, answer)),
        "spending": spending_of(run) if run.is_open else None,
    }


def around_context(run: Run, may: May, *, mine: bool = False) -> dict[str, Any]:
    """What the parts around the steps show while a run is under way: maps, source, acts."""
    citations = rendering.citations_of(run, selectors.claims_of(run))
    return _surround(run, may, mine, selectors.steps_of(run), citations, selectors.versions_read(run))


def _surround(
    run: Run,
    may: May,
    mine: bool,
    steps: Sequence[Step],
    citations: Sequence[Citation],
    versions: Sequence[DocumentVersion],
) -> dict[str, Any]:
    return {
        "run": run,
        "workspace": run.workspace,
        "may": may,
        "may_stop": selectors.may_stop(may, mine=mine),
        "may_delete": selectors.may_delete(may, mine=mine),
        "citations": citations,
        "lit": sheets.find_lit_citation(citations),
        "sheets": sheets.sheets_of(run, citations, steps),
        "maps": sheets.maps_of(run, steps, citations, versions),
        "reading": rendering.describe_reading(steps, versions),
    }


def run_context(run: Run, may: May, *, mine: bool = False, viewer: int | None = None) -> dict[str, Any]:
    """Everything the run page shows that is the same for all who may do the same.

    The other runs that it names are those that exist for the account `viewer`; for None, for every member.
    """
    viewer = run.asked_by_id if mine else viewer
    # Nothing beyond `after`: what a worker stores while the page is made comes over the socket, once.
    after = selectors.last_sequence(run.pk)
    steps, claims = selectors.steps_of(run, upto=after), selectors.claims_of(run, upto=after)
    citations = rendering.citations_of(run, claims)
    versions = selectors.versions_read(run)
    maker = rendering.StepCardMaker(run, versions, citations)
    cards = [maker.card(step, number) for number, step in enumerate(steps, start=1)]
    reader = {marker: card for card in cards for marker in card.markers}
    for citation in citations:
        # The card of the step that read its passage; None where no step tells.
        citation.read_in = reader.get(citation.marker)  # type: ignore[attr-defined]
    rendering.name_documents(claims)
    _place_checked(run, versions)
    answer = selectors.answer_of(run)
    takeover = rendering.takeover_of(run, answer)
    may_ask_again = may.ask and not run.is_open
    return {
        **_surround(run, may, mine, steps, citations, versions),
        "answer": answer,
        "after": after,
        "opened": len(versions),
        "steps": cards,
        "trace": rendering.group_steps(cards, live=run.is_open),
        "claims": claims,
        "quotes": [citation for citation in citations if citation.claim_id],
        "passages": [rendering.show_passage(citation) for citation in citations if not citation.claim_id],
        "closest_line": rendering.closest_line(run),
        "unknown_line": rendering.unknown_line(run, answer),
        "unread_lines": rendering.unread_lines(steps, versions),
        "struck": rendering.struck_of(run, claims),
        "now": rendering.now_of(run, mine=mine),
        "scope_line": rendering.scope_line(run, selectors.scope_size(run)),
        "engine_line": _engine_line(run, takeover),
        "takeover": takeover,
        "spending": spending_of(run) if run.is_open else None,
        "again": may_ask_again,
        "other_answerers": other_answerers(run) if may_ask_again else [],
        "tries": later_tries(run, viewer),
        "thread_size": selectors.count_in_thread(run, viewer),
        "newer": selectors.newer_documents(run) if citations else [],
        "replay": None if run.is_open else selectors.replay_of(run),
        "reasons": Feedback.Reason.choices,
        "my_feedback": None,
        "ask": None,
    }


def _engine_line(run: Run, takeover: rendering.Intervention | None) -> str:
    """Who answered, which is not a model of which no call was answered."""
    return rendering.engine_line("offline" if takeover and takeover.whole else run.engine, run.model)


def _place_checked(run: Run, read: Sequence[DocumentVersion]) -> None:
    """Give each section that was checked in vain the address of its page."""
    versions = {str(version.document_id): version for version in read}
    for row in run.checked:
        version = versions.get(str(row.get("document")))
        if version is None:
            continue
        row["document_title"] = version.document.title
        if "page_start" in row:
            row.update(sheets.page_addresses(run, version, row["page_start"]))
