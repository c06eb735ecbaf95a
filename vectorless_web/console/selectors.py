"""How the site is: findings, failures, versions, what is stored. Every number is one query, however much is there."""

import platform
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import django
from django.conf import settings
from django.db import connection
from django.db.models import Count, Sum
from django.utils import timezone

from vectorless_web.backups.databases import vendor_of
from vectorless_web.documents.models import DocumentVersion
from vectorless_web.engine.documents.artefact import ENGINE_VERSION
from vectorless_web.infra.web.health import STATUS, Finding, Level, health
from vectorless_web.runs.models import Run
from vectorless_web.runs.services import program_digest
from vectorless_web.workspaces.models import AuditEvent, ModelProvider

TONES = {Level.OK: "good", Level.DEGRADED: "warn", Level.UNAVAILABLE: "bad"}
PARTS = {
    "database": ("Database", "maintenance"),
    "migrations": ("Migrations", "site"),
    "integrity": ("Database file", "maintenance"),
    "redis": ("Redis", "queues"),
    "sweep": ("Sweep", "retention"),
    "render": ("Page pictures", "work"),
    "disk": ("Disk", "retention"),
    "storage": ("Stored files", "maintenance"),
}
"""What a part is called, and the page of the console where something can be done about it."""
QUEUE_NAMES = {
    "runs": "questions",
    "documents": "documents",
    "long": "long documents",
    "background": "grids and evaluations",
    "backups": "backups",
}
PROVIDERS_SHOWN = 20


@dataclass(frozen=True)
class Part:
    """One part of the site: its name, how it is ("good", "warn", "bad"), a word for that and a sentence."""

    name: str
    tone: str
    word: str
    text: str
    place: str = ""
    """The console's page that tells more."""


def check_parts() -> list[Part]:
    """What the health checks find, and whether mails go out."""
    parts = [_describe_finding(name, finding) for name, finding in health.report().items()]
    mail = "Mails are sent." if settings.MAIL_ON else "No mail server is set: links are handed over by hand."
    return [*parts, Part("Mail", "good" if settings.MAIL_ON else "", "on" if settings.MAIL_ON else "off", mail, "site")]


def _describe_finding(name: str, finding: Finding) -> Part:
    kind, _, queue = name.partition(":")
    if kind in ("workers", "queue"):
        what = QUEUE_NAMES.get(queue, queue)
        label = f"Workers on {what}" if kind == "workers" else f"Queue of {what}"
        place = "queues"
    else:
        label, place = PARTS.get(name, (name.capitalize(), ""))
    text = "" if finding.text == "ok" else finding.text
    return Part(label, TONES[finding.level], STATUS[finding.level], text, place)


def list_providers() -> list[ModelProvider]:
    """Models that are switched on, those whose test or last call failed first; with their workspaces."""
    rows = ModelProvider.objects.filter(enabled=True).select_related("workspace").order_by("name", "pk")
    return sorted(
        rows[:PROVIDERS_SHOWN], key=lambda row: not row.last_failure and row.capabilities.get("works") is not False
    )


def count_failures() -> dict[str, Any]:
    """Runs and documents that failed within the last 24 hours, and the commonest codes of these runs with how often."""
    since = timezone.now() - timedelta(days=1)
    runs = Run.objects.filter(status=Run.Status.FAILED, finished_at__gte=since).order_by()
    codes = runs.values_list("error_code").annotate(n=Count("pk")).order_by("-n", "error_code")
    reasons = [(code or "unknown", count) for code, count in codes]
    versions = DocumentVersion.objects.filter(status=DocumentVersion.Status.FAILED, created_at__gte=since)
    return {"runs": sum(count for _, count in reasons), "reasons": reasons[:4], "documents": versions.count()}


def sum_stored_bytes() -> list[tuple[str, int]]:
    """What takes room: kinds and their bytes. The cache of page pictures is left out: it may be deleted at any time."""
    sums = DocumentVersion.objects.aggregate(uploads=Sum("bytes"), compiled=Sum("artefact_bytes"))
    return [
        ("Uploads", sums["uploads"] or 0),
        ("Compiled files", sums["compiled"] or 0),
        ("Database", _database_bytes()),
    ]


def _database_bytes() -> int:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_database_size(current_database())")
            return int(cursor.fetchone()[0])
    path = Path(connection.settings_dict["NAME"])
    return path.stat().st_size if path.exists() else 0


def last_event(verb: str) -> AuditEvent | None:
    """The record's last event of that kind; None when there was none since the record notes them."""
    return AuditEvent.objects.filter(verb=verb).first()


def versions_in_use() -> list[tuple[str, str]]:
    """What of the program runs here, and on what."""
    database = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}.get(connection.vendor, connection.vendor)
    version = vendor_of(connection.vendor).version()
    return [
        ("Program", read_program_version()),
        ("Compiler", ENGINE_VERSION),
        ("Program of answers", program_digest()[:12]),
        ("Python, Django", f"{platform.python_version()}, {django.get_version()}"),
        (database, version.split(" ")[0]),
    ]


def read_program_version() -> str:
    """The version that pyproject.toml states, which lies beside the program."""
    with (settings.BASE_DIR / "pyproject.toml").open("rb") as file:
        return str(tomllib.load(file)["project"]["version"])


def summarise_parts(parts: Iterable[Part]) -> dict[str, Any]:
    """The worst tone of the parts, and how many are not well."""
    tones = [part.tone for part in parts]
    worst = next((tone for tone in ("bad", "warn") if tone in tones), "good")
    return {"worst": worst, "unwell": sum(tone in ("bad", "warn") for tone in tones)}
