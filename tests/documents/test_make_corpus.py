"""Filling a workspace with invented documents."""

import pytest
from django.core.management import CommandError, call_command

from vectorless_web.documents.models import Document, Section
from vectorless_web.documents.storage import snapshots
from vectorless_web.documents.storage.files import open_version
from vectorless_web.workspaces.models import Workspace

pytestmark = pytest.mark.django_db(transaction=True)


def test_documents_are_ready_and_different(alice, monkeypatch):
    monkeypatch.setattr(snapshots, "_kept", type(snapshots._kept)())
    call_command("make_corpus", documents=12, workspace="big-shelf")
    call_command("make_corpus", documents=3, workspace="big-shelf")
    place = Workspace.objects.get(slug="big-shelf")
    made = Document.objects.filter(workspace=place).select_related("current_version")

    assert (made.count(), made.values("title").distinct().count()) == (15, 15)
    assert all(document.current_version.status == "ready" for document in made)
    assert open_version(made[0].current_version).tree.sections()
    assert Section.objects.filter(version__document__in=made).count() >= 15 * 5
    assert len(snapshots.snapshot_of(place.pk)) == 15


def test_a_site_without_anybody_is_told_so(db):
    with pytest.raises(CommandError, match="nobody yet"):
        call_command("make_corpus", documents=1, workspace="empty")
