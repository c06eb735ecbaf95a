"""Files of a running site are damaged, emptied and deleted: it mends itself where it can, and answers always."""

import json
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.conftest import wait_until
from tests.faults.conftest import BrokenSite
from tests.support.artefact_rewriting import rewritten
from vectorless_web.engine.documents.container import FORMAT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

PREPARE = """
import json
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from vectorless_web.documents.services import add_document
from vectorless_web.workspaces.services import create_workspace
alice = User.objects.create_user("alice", "alice@example.com", "correct horse battery")
place = create_workspace(user=alice, name="Acme")
for topic in ("glaciers", "orchards", "lanterns", "violins"):
    text = f"# A report on {topic}\\n\\nThe {topic} of the valley number 49 in all.\\n"
    add_document(workspace=place, user=alice, upload=SimpleUploadedFile(f"{topic}.md", text.encode()))
client = Client()
client.force_login(alice)
print("PREPARED" + json.dumps({"slug": place.slug, "session": client.cookies["sessionid"].value}))
"""
ASK = """
from django.contrib.auth.models import User
from vectorless_web.runs.services import start_run
from vectorless_web.workspaces.models import Workspace
alice, place = User.objects.get(username="alice"), Workspace.objects.get(slug="acme")
start_run(user=alice, workspace=place, question="How many violins are in the valley?")
"""
OLD = """
from vectorless_web.documents.models import DocumentVersion
DocumentVersion.objects.filter(document={pk}).update(engine_version="1")
"""
FILES = (
    "select d.id, v.artefact, v.file, v.repair, v.engine_version, v.status from documents_documentversion v"
    " join documents_document d on d.id = v.document_id order by d.id"
)


class Reader:
    """Somebody who is signed in and reads the site."""

    def __init__(self, site: BrokenSite, slug: str, session: str) -> None:
        self._base = f"{site.address}/w/{slug}/"
        self._headers = {"Cookie": f"sessionid={session}"}

    def get(self, path: str) -> tuple[int, str]:
        request = urllib.request.Request(self._base + path, headers=self._headers)
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()


def test_a_running_site_survives_what_happens_to_its_files(make_site):
    site = make_site()
    site.start()
    site.await_ready()
    prepared = site.manage("shell", "-c", PREPARE).stdout
    facts = json.loads(prepared[prepared.index("PREPARED") + len("PREPARED") :])
    reader = Reader(site, facts["slug"], facts["session"])
    wait_until(lambda: {row[5] for row in site.rows(FILES)} == {"ready"}, seconds=60)
    media = next(path.parent for path in site.var.rglob("compiled") if path.is_dir())
    (missing, *_), (empty, *_), (newer, *_), (lost, *_) = site.rows(FILES)
    paths = {row[0]: media / row[1] for row in site.rows(FILES)}
    versions = {row[4] for row in site.rows(FILES)}
    for document in paths:
        assert reader.get(f"documents/{document}/")[0] == 200

    # A rollback: a newer program has compiled this one, in a layout that is not known here.
    replaced(paths[newer], rewritten(paths[newer].read_bytes(), format=FORMAT + 1, engine="newer"))
    replaced(paths[empty], b"")
    paths[missing].unlink()
    assert [reader.get(f"documents/{document}/")[0] for document in paths] == [200] * 4
    site.manage("shell", "-c", ASK)
    wait_until(lambda: all(row[3] == "" and (media / row[1]).stat().st_size for row in site.rows(FILES)), seconds=60)
    for document in paths:
        status, page = reader.get(f"documents/{document}/?view=text")
        assert status == 200 and "of the valley number 49" in page
    ended = "select status from runs_run"
    wait_until(lambda: site.rows(ended)[0][0] not in ("queued", "running"), seconds=60)
    assert site.rows(ended) == [("passages",)], site.output

    # Nobody looks at it: the sweep notices, and files of an older compiler are made again in their turn.
    originals = {row[0]: media / row[2] for row in site.rows(FILES)}
    (media / site.rows(FILES)[0][1]).unlink()
    site.manage("shell", "-c", OLD.format(pk=empty))
    wait_until(lambda: {row[4] for row in site.rows(FILES)} == versions and sound(media, site), seconds=60)

    originals[lost].unlink()
    status, page = reader.get(f"documents/{lost}/original/")
    assert status == 404 and "Upload the same file once more" in page
    assert reader.get(f"documents/{lost}/")[0] == 200
    (media / site.rows(FILES)[3][1]).unlink()
    wait_until(lambda: "original file of this document is missing" in reader.get(f"documents/{lost}/")[1], seconds=30)
    assert "Traceback" not in site.output
    site.stop()


def replaced(path: Path, data: bytes) -> None:
    """Put another file in the place of one, as a program would that is not of the site."""
    beside = path.with_name("beside")
    beside.write_bytes(data)
    beside.replace(path)


def sound(media: Path, site: BrokenSite) -> bool:
    return all(row[3] == "" and (media / row[1]).exists() for row in site.rows(FILES))
