"""Fixtures for backups: documents to keep, and a site that has nothing yet."""

import os
import shutil
from collections.abc import Callable, Iterator

import psycopg
import pytest
from django.db import connection

from tests.conftest import database_url
from tests.support.compiled import compile_here
from tests.support.files import HANDBOOK, upload
from vectorless_web.documents import services
from vectorless_web.documents.models import Document

POSTGRESQL = connection.vendor == "postgresql"


@pytest.fixture(autouse=True)
def _own_files(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.CACHE_ROOT = tmp_path / "cache"


@pytest.fixture
def add(workspace, alice) -> Callable[[int], Document]:
    """Add a document of that number and read it."""

    def take_in(number: int) -> Document:
        file = upload(HANDBOOK + f"\n## Part {number}\n\nText {number}.\n".encode(), f"{number}.md")
        version = services.add_document(workspace=workspace, user=alice, upload=file).version
        services.compile_version(version.pk, compile_with=compile_here)
        return version.document

    return take_in


@pytest.fixture
def empty_site(tmp_path, migrated_database) -> Iterator[dict[str, str]]:
    """The environment of a site that holds nothing yet, on a new database of the kind that is tested."""
    environment = {**os.environ, "VECTORLESS_VAR": str(tmp_path / "restored")}
    if not POSTGRESQL:
        (tmp_path / "restored").mkdir()
        shutil.copy(migrated_database, tmp_path / "restored" / "db.sqlite3")
        yield {**environment, "DATABASE_URL": f"sqlite:///{tmp_path / 'restored' / 'db.sqlite3'}"}
        return
    base, name = database_url(), "restored"
    with psycopg.connect(base, autocommit=True) as server:
        server.execute(f"DROP DATABASE IF EXISTS {name}")
        server.execute(f"CREATE DATABASE {name}")
        yield {**environment, "DATABASE_URL": base.replace(f"/{connection.settings_dict['NAME']}", f"/{name}")}
        server.execute(f"DROP DATABASE {name} WITH (FORCE)")
