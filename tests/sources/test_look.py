"""A look at a source: what is new comes, what changed is a new version, what is gone is told, what fails says why."""

import pytest
from django.utils import timezone

from tests.sources.conftest import look, put
from vectorless_web.documents.models import Document
from vectorless_web.infra.places import Access
from vectorless_web.infra.web.problems import Problem
from vectorless_web.notices.selectors import notices_of
from vectorless_web.sources import services
from vectorless_web.sources.models import Source
from vectorless_web.workspaces.models import AuditEvent, Membership

pytestmark = pytest.mark.django_db


def test_files_come_change_and_go_and_no_document_is_deleted(source, folder, workspace):
    put(folder / "lease.md", "# Lease\n\nThirty days.")
    put(folder / "2024" / "lease.md", "# Lease of 2024\n\nSixty days.")
    assert look(source) == {"2024/lease.md": "came", "lease.md": "came"}
    assert workspace.documents.count() == 2, "files of one name in two folders are two documents"
    put(folder / "lease.md", "# Lease\n\nNinety days.")
    assert look(source)["lease.md"] == "changed"
    changed = source.rows.get(path="lease.md").document
    assert changed.versions.count() == 2 and workspace.documents.count() == 2
    (folder / "lease.md").unlink()
    assert look(source)["lease.md"] == "gone"
    assert Document.objects.filter(pk=changed.pk, deleted_at=None).exists()
    put(folder / "lease.md", "# Lease\n\nThirty days.")
    assert look(source)["lease.md"] == "here", "an old version that comes back is known by its content"


def test_a_source_that_is_off_counts_and_takes_nothing_in(source, folder, workspace, alice):
    services.switch_source(actor=alice, source=source, on=False)
    put(folder / "lease.md", "# Lease")
    assert look(source) == {}
    assert (source.files, source.error, source.due_at) == (1, "", None)
    assert workspace.documents.count() == 0


def test_what_cannot_be_read_says_why_and_is_let_be_until_it_changes(source, folder, settings):
    put(folder / "empty.md", "")
    put(folder / "good.md", "# Good")
    assert look(source) == {"empty.md": "failed", "good.md": "came"}
    failed = source.rows.get(path="empty.md")
    assert "empty" in failed.error
    look(source)
    assert source.rows.get(path="empty.md").at == failed.at
    put(folder / "empty.md", "# No more")
    assert look(source)["empty.md"] == "came"


def test_a_full_workspace_ends_the_look_with_its_sentence(source, folder, workspace):
    workspace.max_documents = 1
    workspace.save()
    put(folder / "a.md", "# A")
    put(folder / "b.md", "# B")
    assert look(source) == {"a.md": "came"}
    assert "as many documents as it may" in source.error


def test_owners_are_told_once_that_a_source_cannot_be_read(source, folder, alice, bob):
    folder.rename(folder.with_name("elsewhere"))
    look(source)
    look(source)
    assert [(each.told.sentence, each.told.name) for each in notices_of(alice)[0]] == [
        ("A source cannot be read any more", str(folder))
    ]
    assert notices_of(bob)[0] == [], "who owns nothing is not told"
    folder.with_name("elsewhere").rename(folder)
    look(source)
    assert notices_of(alice)[0] == [], "what is mended tells nothing"
    folder.rename(folder.with_name("elsewhere"))
    look(source)
    assert len(notices_of(alice)[0]) == 2, "a second failure is told anew"


def test_a_look_without_time_goes_on_with_the_next(source, folder):
    put(folder / "a.md", "# A")
    assert look(source, seconds=-1) == {}
    assert source.due_at <= timezone.now() and source.is_looking
    assert look(source) == {"a.md": "came"} and source.due_at > timezone.now()


def test_two_workers_never_look_at_once(source, folder):
    put(folder / "a.md", "# A")
    Source.objects.update(looking_until=timezone.now() + timezone.timedelta(minutes=1))
    assert look(source) == {} and services.queue_due() == 0
    Source.objects.update(looking_until=timezone.now(), due_at=timezone.now())
    assert services.queue_due() == 1, "whose worker died is looked at again"


def test_documents_come_by_the_rights_of_who_switched_it_on(source, folder, workspace, alice, bob):
    put(folder / "a.md", "# A")
    Membership.objects.filter(user=alice).update(role="editor")
    assert look(source) == {} and "does not own this workspace" in source.error
    Membership.objects.filter(user=bob).update(role="owner")
    services.switch_source(actor=bob, source=source, on=True)
    assert look(source) == {"a.md": "came"}
    assert AuditEvent.objects.filter(verb="document.added", actor=bob).exists()


def test_a_folder_outside_those_allowed_is_refused(workspace, alice, tmp_path):
    for address in (str(tmp_path), str(tmp_path / "allowed" / ".." / "other"), "/etc", "allowed"):
        with pytest.raises(Problem, match="below those that are allowed"):
            services.add_source(actor=alice, workspace=workspace, access=Access("folder", address))


def test_no_link_leads_out_of_the_folder(source, folder, tmp_path):
    put(tmp_path / "secret" / "key.md", "# Key")
    (folder / "link.md").symlink_to(tmp_path / "secret" / "key.md")
    (folder / "inner").symlink_to(tmp_path / "secret")
    assert look(source) == {}
    folder.rename(tmp_path / "moved")
    folder.symlink_to(tmp_path / "secret")
    assert look(source) == {} and "does not lie below" in source.error


@pytest.mark.parametrize(
    "address", ["http://10.0.0.8/docs", "http://169.254.169.254/latest", "file:///etc", "ftp://x.y"]
)
@pytest.mark.parametrize("kind", ["s3", "webdav"])
def test_private_and_other_addresses_are_refused(workspace, alice, kind, address):
    with pytest.raises(Problem):
        services.add_source(actor=alice, workspace=workspace, access=Access(kind, address))
