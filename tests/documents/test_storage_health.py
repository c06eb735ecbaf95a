"""The health address tells when stored files are away."""

from vectorless_web.documents.models import Document
from vectorless_web.documents.storage.files import check_storage
from vectorless_web.infra.web.health import Level, health


def test_an_unmounted_storage_is_noticed_once_there_are_files(workspace, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"
    assert check_storage().level == Level.OK, "a new site has no folder of files yet"

    document = Document.objects.create(workspace=workspace, title="Report", name="report.pdf")
    document.versions.create(number=1, file="uploads/report.pdf", sha256="ab", bytes=3)
    assert check_storage().level == Level.UNAVAILABLE
    settings.MEDIA_ROOT.mkdir()
    assert check_storage().level == Level.UNAVAILABLE, "the place of a folder that is not mounted is empty"

    (settings.MEDIA_ROOT / "uploads").mkdir()
    assert check_storage().level == Level.OK


def test_the_health_address_asks_for_the_storage(client, db):
    assert "storage" in client.get("/health/ready").json()["checks"]
    assert "storage" in health.report()
