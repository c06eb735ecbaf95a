"""A render child for a test's own folders: `-m tests.support.render_here SOCKET CACHE MEDIA`."""

import os
import sys
from pathlib import Path

import django
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vectorless_web.settings")
django.setup()

from vectorless_web.documents.drawing.server import serve  # noqa: E402
from vectorless_web.documents.management.commands.render_child import render_config  # noqa: E402

settings.RENDER_SOCKET, settings.CACHE_ROOT, settings.MEDIA_ROOT = map(Path, sys.argv[1:4])
serve(render_config())
