"""The storage is away for a while: files wait for it and are read afterwards; only what is gone is called missing."""

import errno
import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from tests.documents.conftest import stored_files
from tests.support.files import HANDBOOK, upload
from vectorless_web.documents import services
from vectorless_web.documents.compiling.process import Order, StageProgress
from vectorless_web.documents.models import Document, DocumentVersion
from vectorless_web.documents.services.compiling import compile_version
from vectorless_web.documents.storage.files import check_storage
from vectorless_web.infra.web.health import Level

pytestmark = pytest.mark.django_db(transaction=True)

Status = DocumentVersion.Status


class Mount:
    """A storage folder that can be unmounted, leaving nothing or an empty folder."""

    def __init__(self, root: Path) -> None:
        self.root, self.aside = root, root.with_name("elsewhere")

    def unmount(self, *, leave_folder: bool = True) -> None:
        shutil.move(self.root, self.aside)
        if leave_folder:
            self.root.mkdir()

    def mount(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)
        shutil.move(self.aside, self.root)


@pytest.fixture
def storage(settings, _own_files) -> Mount:
    return Mount(Path(settings.MEDIA_ROOT))


def fresh(version: DocumentVersion) -> DocumentVersion:
    return DocumentVersion.objects.select_related("document").get(pk=version.pk)


def let_time_pass(**field) -> None:
    DocumentVersion.objects.update(**field)


@pytest.mark.parametrize(("leave_folder", "count"), [(True, 3), (False, 1)])
def test_files_queued_while_the_storage_is_away_are_read_when_it_is_back(add, storage, work_off, leave_folder, count):
    versions = [add(HANDBOOK + str(number).encode(), f"handbook-{number}.md") for number in range(count)]
    names = [version.file.name for version in versions]
    storage.unmount(leave_folder=leave_folder)
    work_off("documents")
    for version, name in zip(versions, names, strict=True):
        row = fresh(version)
        assert (row.status, row.error_code, row.file.name) == (Status.QUEUED, "storage_away", name)
        assert row.retry_at > timezone.now()
    let_time_pass(created_at=timezone.now() - timedelta(minutes=1))
    assert services.requeue_lost_versions() == 0, "not before their time"

    let_time_pass(retry_at=timezone.now() - timedelta(seconds=1))
    storage.mount()
    assert services.requeue_lost_versions() == 1, "a person's next file gets its job when this one is taken"
    work_off("documents")
    for version, name in zip(versions, names, strict=True):
        row = fresh(version)
        assert (row.status, row.error_code, row.error_message) == (Status.READY, "", "")
        assert (row.file.name, row.waiting_since) == (name, None)


def test_tries_become_rarer_and_end_after_a_day_with_the_file_kept(add, storage):
    version = add()
    storage.unmount()
    compile_version(version.pk)
    let_time_pass(waiting_since=timezone.now() - timedelta(minutes=2))
    compile_version(version.pk)
    pause = fresh(version).retry_at - timezone.now()
    assert timedelta(seconds=100) < pause < timedelta(seconds=140)

    let_time_pass(waiting_since=timezone.now() - timedelta(days=2))
    compile_version(version.pk)
    row = fresh(version)
    assert (row.status, row.error_code, row.retryable) == (Status.FAILED, "storage_away", True)
    assert row.file.name == version.file.name


def test_a_file_that_is_gone_keeps_its_name_and_is_read_when_it_was_restored(add, alice):
    version, other = add(), add(HANDBOOK, "handbook.md")
    path = Path(version.file.path)
    content = path.read_bytes()
    path.unlink()
    compile_version(version.pk)
    row = fresh(version)
    assert (row.status, row.error_code, row.retryable) == (Status.FAILED, "upload_missing", True)
    assert row.file.name == version.file.name

    path.write_bytes(content)
    services.retry_version(actor=alice, version=row)
    compile_version(version.pk)
    assert fresh(version).status == Status.READY
    assert fresh(other).status == Status.QUEUED


def test_a_storage_that_goes_away_in_the_middle_of_reading_costs_a_wait(add, storage):
    version = add()

    def interrupted(order: Order):
        yield StageProgress("parsing", 1, 3)
        storage.unmount()
        order.path.read_bytes()

    compile_version(version.pk, compile_with=interrupted)
    assert (fresh(version).status, fresh(version).error_code) == (Status.QUEUED, "storage_away")


@pytest.mark.parametrize(
    ("fault", "code"),
    [(OSError("as the system says"), "internal_error"), (OSError(errno.ENOSPC, "as the system says"), "disk_full")],
)
def test_a_fault_ends_the_reading_at_once_with_the_upload_kept_to_try_again(add, fault, code):
    version = add()

    def broken(order: Order):
        yield StageProgress("indexing", 1, 3)
        raise fault

    with pytest.raises(OSError, match="as the system says"):
        compile_version(version.pk, compile_with=broken)
    row = fresh(version)
    assert (row.status, row.error_code, row.retryable) == (Status.FAILED, code, True)
    assert "as the system says" not in row.error_message
    assert stored_files() == [version.file.name]


def test_while_it_is_away_a_row_says_that_it_waits_and_an_upload_writes_nothing_into_its_place(
    add, storage, workspace, alice, client
):
    version = add()
    storage.unmount()
    compile_version(version.pk)
    client.force_login(alice)
    client.raise_request_exception = False
    address = f"/w/{workspace.slug}/documents/"
    assert "The file storage cannot be reached at the moment" in client.get(address).content.decode()
    answer = client.post(f"{address}upload/", {"files": upload(HANDBOOK, "handbook.md")})
    assert answer.status_code == 503
    assert "cannot be reached" in answer.content.decode()
    assert list(storage.root.iterdir()) == []


def test_an_unmounted_storage_is_noticed_once_there_are_files(workspace, settings, tmp_path):
    assert check_storage().level == Level.OK, "a new site has no folder of files yet"

    document = Document.objects.create(workspace=workspace, title="Report", name="report.pdf")
    document.versions.create(number=1, file="uploads/report.pdf", sha256="ab", bytes=3)
    assert check_storage().level == Level.UNAVAILABLE
    settings.MEDIA_ROOT.mkdir()
    assert check_storage().level == Level.UNAVAILABLE, "the place of a folder that is not mounted is empty"

    (settings.MEDIA_ROOT / "uploads").mkdir()
    assert check_storage().level == Level.OK
