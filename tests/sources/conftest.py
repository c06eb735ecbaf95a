"""What the tests of sources share: a folder that is allowed, and a source of it that Alice switched on."""

import os
import time

import pytest

from vectorless_web import wiring
from vectorless_web.infra.places import Access
from vectorless_web.sources import services
from vectorless_web.sources.models import Source


@pytest.fixture(autouse=True)
def _files(settings, tmp_path):
    settings.MEDIA_ROOT, settings.CACHE_ROOT = tmp_path / "media", tmp_path / "cache"
    settings.ALLOW_PRIVATE_SOURCE_HOSTS = ("loopback",)
    settings.SOURCE_FOLDERS = [str(tmp_path / "allowed")]
    (tmp_path / "allowed" / "in").mkdir(parents=True)


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "allowed" / "in"


def put(path, text: str) -> None:
    """Write a file that has lain there for a minute."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (time.time() - 60,) * 2)


@pytest.fixture
def source(workspace, alice, folder) -> Source:
    row = services.add_source(actor=alice, workspace=workspace, access=Access("folder", str(folder)))
    services.switch_source(actor=alice, source=row, on=True)
    return row


def look(row: Source, **more) -> dict[str, str]:
    """Look as the worker does when it is due; the state of each file."""
    Source.objects.filter(pk=row.pk).update(due_at=row.created_at)
    services.look(row.pk, open_place=wiring.open_place, **more)
    row.refresh_from_db()
    return dict(row.rows.order_by("path").values_list("path", "state"))
