"""Figures of the site for Prometheus, read from the database and Redis at each scrape. See docs/metrics.md.

No process counts anything but its own websockets, so that every web process tells the same, a restart
loses nothing, and old rows may be deleted. What happens often is told for the last WINDOW_SECONDS.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import DatabaseError
from django.db.models import Count, Max, Min, Model, QuerySet, Sum
from django.utils import timezone
from prometheus_client import CollectorRegistry, Metric, ProcessCollector
from prometheus_client.core import GaugeMetricFamily
from redis.exceptions import RedisError

from vectorless_web.documents.models import DocumentVersion
from vectorless_web.infra.live import OPEN_SOCKETS
from vectorless_web.infra.web.health import count_alive_workers, health, measure_queue
from vectorless_web.runs.models import ModelCall, Run, Step

WINDOW_SECONDS = 300
"""Five scrapes of a minute: at half of it an idle evening's figures jump, at twice a stall shows late."""
ROWS_LOOKED_AT = 50_000
"""Rows, the newest of a table, among which those of the window are: bounds a scrape without an index on their times."""
QUANTILES = (0.5, 0.95, 0.99)


class SiteCollector:
    """Asks the site for its figures whenever Prometheus does. A part that cannot be asked is left out."""

    def collect(self) -> Iterator[Metric]:
        """Every figure; `vectorless_check` says why some are missing."""
        for part in (_tell_of_health, _tell_of_queues, _tell_of_runs, _tell_of_steps, _tell_of_reading, _tell_of_calls):
            try:
                yield from list(part())
            except RedisError:
                continue
            except DatabaseError:
                return  # All that follows would wait for it in vain, and Prometheus waits ten seconds.


def _tell_of_health() -> Iterable[Metric]:
    levels = {name: finding.level for name, finding in health.report().items()}
    yield _gauge("check", "What a check of /health/ready found: 0 ok, 1 degraded, 2 unavailable.", "check", levels)


def _tell_of_queues() -> Iterable[Metric]:
    queues = sorted(settings.RQ_QUEUES)
    measured = {queue: measure_queue(queue) for queue in queues}
    yield _gauge("queue_jobs", "Jobs that wait.", "queue", {queue: found[0] for queue, found in measured.items()})
    waits = {queue: found[1] for queue, found in measured.items()}
    yield _gauge("queue_oldest_seconds", "How long the oldest job has waited.", "queue", waits)
    workers = {queue: count_alive_workers(queue) for queue in queues}
    yield _gauge("workers", "Workers that gave a sign of life lately.", "queue", workers)


def _tell_of_runs() -> Iterable[Metric]:
    ended = _latest(Run).filter(finished_at__gte=_since(), status__in=Run.ENDED)
    counts = {pair: 0 for pair in ((status, purpose) for status in Run.ENDED for purpose in Run.Purpose)}
    counts.update({(row["status"], row["purpose"]): row["n"] for row in _count_by(ended, "status", "purpose")})
    runs = GaugeMetricFamily("vectorless_runs_ended", "Runs that ended lately.", labels=("outcome", "purpose"))
    for (status, purpose), count in counts.items():
        runs.add_metric((str(status), str(purpose)), count)
    yield runs
    still = Run.objects.filter(status__in=Run.OPEN)
    yield _gauge("runs_open", "Runs that wait or are worked on.", "status", _by_label(still, "status", Run.OPEN))
    first = Run.objects.filter(status=Run.Status.QUEUED).aggregate(first=Min("created_at"))["first"]
    waited = (timezone.now() - first).total_seconds() if first else 0.0
    yield GaugeMetricFamily("vectorless_run_oldest_seconds", "How long the oldest waiting run has waited.", waited)


def _tell_of_steps() -> Iterable[Metric]:
    milliseconds = sorted(_latest(Step).filter(created_at__gte=_since()).values_list("latency_ms", flat=True))
    yield GaugeMetricFamily("vectorless_steps", "Steps of runs, lately.", len(milliseconds))
    values = {
        str(share): milliseconds[int(share * (len(milliseconds) - 1))] / 1000 for share in QUANTILES if milliseconds
    }
    yield _gauge("step_seconds", "How long steps took lately, model included.", "quantile", values)


def _tell_of_reading() -> Iterable[Metric]:
    ready = _latest(DocumentVersion).filter(ready_at__gte=_since())
    rows = list(ready.values_list("pages", "report__seconds"))
    pages = sum(count for count, _seconds in rows)
    yield GaugeMetricFamily("vectorless_read_pages", "Pages of the documents read lately.", pages)
    seconds = sum(seconds or 0.0 for _count, seconds in rows)
    yield GaugeMetricFamily("vectorless_read_seconds", "Seconds that reading them took.", seconds)
    busy = DocumentVersion.objects.filter(status__in=DocumentVersion.BUSY)
    counts = _by_label(busy, "status", DocumentVersion.BUSY)
    yield _gauge("documents_unread", "Documents that wait to be read or are being read.", "status", counts)


def _tell_of_calls() -> Iterable[Metric]:
    """What chat models were asked lately: calls by how they ended, tokens and money, by model."""
    lately = _latest(ModelCall).filter(created_at__gte=_since()).order_by()
    calls = GaugeMetricFamily("vectorless_model_calls", "Calls of models lately.", labels=("model", "error"))
    for row in _count_by(lately, "model", "error_code"):
        calls.add_metric((row["model"], row["error_code"]), row["n"])
    tokens = GaugeMetricFamily("vectorless_model_tokens", "Tokens of them.", labels=("model", "direction"))
    money = GaugeMetricFamily("vectorless_model_usd", "US dollars that they cost.", labels=("model",))
    sums = lately.values("model").annotate(read=Sum("tokens_in"), written=Sum("tokens_out"), usd=Sum("cost_usd"))
    for row in sums:
        tokens.add_metric((row["model"], "in"), row["read"])
        tokens.add_metric((row["model"], "out"), row["written"])
        money.add_metric((row["model"],), float(row["usd"]))
    return [calls, tokens, money]


def _since() -> datetime:
    return timezone.now() - timedelta(seconds=WINDOW_SECONDS)


def _latest(kind: type[Model]) -> QuerySet[Any]:
    """The newest rows of a table, by their numbers."""
    rows = kind._default_manager.order_by()
    newest = rows.aggregate(newest=Max("pk"))["newest"] or 0
    return rows.filter(pk__gt=newest - ROWS_LOOKED_AT)


def _count_by(rows: QuerySet[Any], *fields: str) -> QuerySet[Any, dict[str, Any]]:
    return rows.order_by().values(*fields).annotate(n=Count("pk"))


def _by_label(rows: QuerySet[Any], field: str, values: Iterable[str]) -> dict[str, float]:
    """How many rows have each of the values; 0 where none has."""
    return {**{str(value): 0 for value in values}, **{row[field]: row["n"] for row in _count_by(rows, field)}}


def _gauge(name: str, text: str, label: str, values: dict[str, Any]) -> GaugeMetricFamily:
    """A metric of one label, with a value for each of its values."""
    family = GaugeMetricFamily(f"vectorless_{name}", text, labels=(label,))
    for key, value in values.items():
        family.add_metric((key,), float(value))
    return family


registry = CollectorRegistry()
"""What /metrics tells: the site, this process's websockets, and its memory, processor time and open files."""
registry.register(SiteCollector())
registry.register(OPEN_SOCKETS)
ProcessCollector(registry=registry)
