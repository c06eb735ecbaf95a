"""`manage.py make_corpus --documents N`: fills a workspace with small, varied documents that are ready to be asked."""

import time
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError

from vectorless_web.documents import services
from vectorless_web.workspaces.models import Workspace
from vectorless_web.workspaces.services import create_workspace

SLUG = "corpus"
SHOWN_EVERY = 200
"""Documents between two lines of progress."""


class Command(BaseCommand):
    help = "Fill a workspace with invented documents, compiled in this process."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--documents", type=int, required=True, metavar="N")
        parser.add_argument("--workspace", default=SLUG, metavar="SLUG", help="Made when there is none of this name.")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Add documents until there are N more."""
        started, workspace = time.monotonic(), _workspace(options["workspace"])
        for done in services.add_samples(workspace=workspace, count=options["documents"]):
            if done % SHOWN_EVERY == 0:
                self.stdout.write(f"{done} documents, {time.monotonic() - started:.0f} s")
        self.stdout.write(
            f"{options['documents']} documents in /w/{workspace.slug}/ after {time.monotonic() - started:.1f} s "
            f"(files in {settings.MEDIA_ROOT})"
        )


def _workspace(slug: str) -> Workspace:
    found = Workspace.objects.filter(slug=slug).first()
    if found is not None:
        return found
    owner = get_user_model().objects.filter(is_active=True).order_by("-is_superuser", "pk").first()
    if owner is None:
        raise CommandError("There is nobody yet. Start the site once, or run createsuperuser.")
    return create_workspace(user=owner, name=slug.replace("-", " ").capitalize())
