"""`manage.py first_run`: the first account and workspace of a new installation."""

import secrets
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand

from vectorless_web.infra.site.private_files import write_whole
from vectorless_web.workspaces.models import Workspace
from vectorless_web.workspaces.services import create_workspace

NAME = "demo"


class Command(BaseCommand):
    help = "Make the first account and workspace when there are none."

    def handle(self, *_args: Any, **_options: Any) -> None:
        users = get_user_model()
        if users.objects.exists():
            return
        password = secrets.token_urlsafe(9)
        # Before the account: on a full disk there is neither, and the next start makes both.
        write_whole(settings.VAR / "demo_password", password)
        user = users.objects.create_superuser(NAME, f"{NAME}@example.com", password)
        if not Workspace.objects.exists():
            create_workspace(user=user, name="Demo", description="A place to try things out.")
