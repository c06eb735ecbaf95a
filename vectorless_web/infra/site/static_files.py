"""Collects static files only when one of them changed since the last time, or that time was cut short."""

import hashlib
import json
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command

from vectorless_web.infra.private_files import write_whole

MANIFEST = "staticfiles.json"


def collect() -> bool:
    """Bring STATIC_ROOT up to date; true when there was something to do."""
    folder = Path(settings.STATIC_ROOT)
    stamp, manifest = folder / ".stamp", folder / MANIFEST
    state, whole = _state(), _is_whole(manifest)
    if whole and stamp.exists() and stamp.read_text() == state:
        return False
    stamp.unlink(missing_ok=True)  # Until all is there again, nothing may say that it is.
    if not whole:
        manifest.unlink(missing_ok=True)  # Django refuses to begin with one that it cannot read.
    call_command("collectstatic", interactive=False, clear=True, verbosity=0)
    write_whole(stamp, state)
    return True


def _is_whole(manifest: Path) -> bool:
    """Whether the manifest can be read; one that is not there is no damage: a storage without it needs none."""
    try:
        json.loads(manifest.read_text())
    except FileNotFoundError:
        return True
    except ValueError:
        return False
    return True


def _state() -> str:
    """A digest of every static file's name, size and time."""
    digest = hashlib.sha256()
    for finder in get_finders():
        for path, storage in finder.list([]):
            stat = Path(storage.path(path)).stat()
            digest.update(f"{path} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()
