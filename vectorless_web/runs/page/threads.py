"""What a thread's page shows: its questions in order, and what a follow-up starts from."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import Count, Prefetch, QuerySet, Sum

from vectorless_web.runs import selectors
from vectorless_web.runs.models import Citation, Claim, Run, Thread
from vectorless_web.runs.services.threads import list_read_nodes

QUESTIONS_SHOWN = 30
CANDIDATES_SHOWN = 30


@dataclass(frozen=True)
class Known:
    """What a follow-up in a thread starts from: the run it leans on, and how much that read."""

    run: Run
    passages: int
    documents: int


@dataclass(frozen=True)
class Spent:
    """What all questions of a thread took."""

    questions: int
    tokens: int
    cost_usd: float


def questions_of(thread: Thread, page: int | None = None) -> Page[Run]:
    """The runs of a thread, oldest first, with their claims and quotes; without a number the last page."""
    rows = with_claims(Run.objects.filter(thread=thread)).order_by("pk")
    paginator = Paginator(rows, QUESTIONS_SHOWN)
    found = paginator.get_page(page or paginator.num_pages)
    for run in found:
        run.workspace = thread.workspace
    return found


def with_claims(rows: QuerySet[Run]) -> QuerySet[Run]:
    """Runs with who asked, answer, origin, claims with quotes, and `quotes` and `pages`, their numbers."""
    cited = Prefetch("citations", queryset=Citation.objects.order_by("marker", "pk"))
    claims = Prefetch("claims", queryset=Claim.objects.order_by("order").prefetch_related(cited))
    related = rows.select_related("asked_by", "answer", "asked_from")
    return related.prefetch_related(claims).annotate(quotes=Count("citations__marker", distinct=True))


def sum_spending(thread: Thread) -> Spent:
    """What the thread's questions took together."""
    sums = Run.objects.filter(thread=thread).aggregate(n=Count("pk"), tokens=Sum("tokens"), cost=Sum("cost_usd"))
    return Spent(sums["n"], sums["tokens"] or 0, float(sums["cost"] or 0))


def find_known(thread: Thread) -> Known | None:
    """What a follow-up would start from; None while nothing came to a result."""
    run = selectors.last_result_in(thread)
    if run is None:
        return None
    read = list_read_nodes(selectors.steps_of(run))
    return Known(run, sum(len(keys) for keys in read.values()), len(read))


def find_comparable(run: Run) -> tuple[Sequence[Run], Sequence[Run]]:
    """Runs worth comparing with this one: the others of its thread, and others that ask the same, newest first."""
    rows = Run.objects.filter(workspace=run.workspace_id).exclude(pk=run.pk)
    rows = rows.select_related("workspace", "asked_by", "answer", "thread", "asked_from").order_by("-pk")
    same = rows.filter(question__iexact=run.question).exclude(thread=run.thread_id)
    return list(rows.filter(thread=run.thread_id)[:CANDIDATES_SHOWN]), list(same[:CANDIDATES_SHOWN])


def later_tries(run: Run) -> list[Run]:
    """The runs that ask this one's question once more, newest first."""
    tried = Run.objects.filter(asked_from=run.pk).exclude(asked_how__in=["", Run.How.FOLLOW_UP])
    return list(tried.select_related("asked_by", "answer").order_by("-pk")[:CANDIDATES_SHOWN])
