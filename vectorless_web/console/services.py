"""Acts of the console. Each is recorded."""

from dataclasses import asdict

from vectorless_web.console.subjects.audit import AuditQuery
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services import RecordCheck, record, verify_record


def verify_newest(events: int) -> RecordCheck:
    """Whether the newest events of the record stand as they were written."""
    return verify_record(newest=events)


def note_export(*, actor: User, kind: str, filters: AuditQuery) -> None:
    """Record that somebody takes a copy of the record, and of what."""
    asked = {name: str(value) for name, value in asdict(filters).items() if value}
    record(actor=actor, verb="audit.exported", details={"form": kind, **asked})
