"""The demo's run that a model leads: its replies were recorded from a live reader and are read from a cassette."""

from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from vectorless_web.documents.models import Document
from vectorless_web.runs.models import Run
from vectorless_web.runs.services import start_run
from vectorless_web.workspaces.models import Workspace

FOLDER = Path(settings.BASE_DIR) / "docs" / "demo"
MODEL_QUESTION = "What was the operating margin in 2024, what was it in 2023, and why did the gross margin improve?"
FIRST_QUESTION = "How much free cash flow was there in 2024?"
"""The question that newcomers are pointed at: the demo answers it without a model."""
DOCUMENT = "thornbury-annual-report-2024.pdf"
CASSETTES = {"model-run": FOLDER / "model-run.cassette.jsonl"}
"""What a run's setting `cassette` may name: it is set here alone, never by who asks."""


def start_model_run(workspace: Workspace, user: AbstractBaseUser) -> Run | None:
    """Ask the demo's model-led question of the newest report; None when the report could not be read."""
    document = Document.objects.filter(workspace=workspace, name=DOCUMENT, deleted_at=None).first()
    if document is None or document.current_version is None:
        return None
    with transaction.atomic():
        run = start_run(user=user, workspace=workspace, question=MODEL_QUESTION, documents=[document.pk])
        run.settings["cassette"] = "model-run"
        run.save(update_fields=["settings"])
    return run


def first_question(workspace: Workspace) -> str:
    """The question to try first in a workspace; "" for one without the demo's report."""
    report = Document.objects.filter(workspace=workspace, name=DOCUMENT, deleted_at=None)
    return FIRST_QUESTION if report.exists() else ""


def cassette_of(run: Run) -> Path | None:
    """The recorded replies that stand in for a model in this run; None for every run but the demo's."""
    return CASSETTES.get(run.settings.get("cassette", ""))
