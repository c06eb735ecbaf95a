"""`manage.py load_demo`: the documents and first runs of a new installation's demo workspace."""

import time
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.core.files import File
from django.core.management.base import BaseCommand
from django.utils.module_loading import import_string

from vectorless_web.documents.models import DocumentVersion
from vectorless_web.documents.services import add_document
from vectorless_web.runs.demo import FOLDER, MODEL_QUESTION, start_model_run
from vectorless_web.runs.models import Run
from vectorless_web.runs.services import start_run
from vectorless_web.workspaces.models import Workspace

SUFFIXES = (".pdf", ".md", ".txt")
QUESTIONS = (
    "What was capital expenditure in 2024 in USD millions?",
    "By what percentage did net revenue grow in 2024? Round to one decimal place.",
    "Which airports does Thornbury operate?",
)
"""Asked without a model: a figure is worked out, passages are shown, and the last names words that stand nowhere."""


class Command(BaseCommand):
    """Goes on where a start that was interrupted left off: what is there already is not added again."""

    help = "Fill the new Demo workspace: four documents, a question that a model answered, and three asked without one."

    def handle(self, *_args: Any, **_options: Any) -> None:
        workspace = Workspace.objects.filter(slug="demo").select_related("created_by").first()
        marker = settings.VAR / "demo_loaded"
        if workspace is None or workspace.created_by is None or marker.exists():
            return
        self.stdout.write("Reading the demo documents ...")
        versions = _upload(workspace, workspace.created_by)
        busy = DocumentVersion.objects.filter(pk__in=versions, status__in=DocumentVersion.BUSY)
        _wait(lambda: not busy.exists(), seconds=120)
        asked = set(workspace.runs.values_list("question", flat=True))
        if MODEL_QUESTION not in asked:
            start_model_run(workspace, workspace.created_by)
        for question in (text for text in QUESTIONS if text not in asked):
            start_run(user=workspace.created_by, workspace=workspace, question=question)
        for path in settings.DEMO_PARTS:
            import_string(path)(workspace, workspace.created_by)
        _wait(lambda: not workspace.runs.filter(status__in=Run.OPEN).exists(), seconds=60)
        marker.touch()


def _upload(workspace: Workspace, user: AbstractBaseUser) -> list[int]:
    added = []
    for path in sorted(p for p in FOLDER.iterdir() if p.suffix in SUFFIXES):
        with path.open("rb") as file:
            added.append(add_document(workspace=workspace, user=user, upload=File(file, name=path.name)).version.pk)
    return added


def _wait(done: Callable[[], bool], *, seconds: float) -> None:
    """Wait for the workers; when they are slow the site opens all the same and the pages show what is under way."""
    deadline = time.monotonic() + seconds
    while not done() and time.monotonic() < deadline:
        time.sleep(0.2)
