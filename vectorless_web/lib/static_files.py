"""Collects static files only when one of them changed since the last time."""

import hashlib
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command


def collect() -> bool:
    """Bring STATIC_ROOT up to date; true when there was something to do."""
    stamp = Path(settings.STATIC_ROOT) / ".stamp"
    state = _state()
    if stamp.exists() and stamp.read_text() == state:
        return False
    call_command("collectstatic", interactive=False, clear=True, verbosity=0)
    stamp.write_text(state)
    return True


def _state() -> str:
    """A digest of every static file's name, size and time."""
    digest = hashlib.sha256()
    for finder in get_finders():
        for path, storage in finder.list([]):
            stat = Path(storage.path(path)).stat()
            digest.update(f"{path} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()
