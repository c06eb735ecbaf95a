"""Forms that cannot be read, and what may be kept of what people see."""

import pytest
from django.contrib.contenttypes.models import ContentType
from django.core.files.uploadedfile import SimpleUploadedFile

pytestmark = [pytest.mark.one_database, pytest.mark.django_db]


@pytest.fixture
def upload(client, alice, workspace, settings):
    """Post to the upload page as alice; `fetched` as the page's script does."""

    def post(data, *, fetched: bool = False, **more):
        client.force_login(alice)
        headers = {"HX-Request": "true"} if fetched else {}
        return client.post(f"/w/{workspace.slug}/documents/upload/", data, headers=headers, **more)

    return post


@pytest.mark.parametrize("fetched", [False, True])
def test_too_many_files_are_refused_with_their_number(upload, settings, fetched):
    settings.DATA_UPLOAD_MAX_NUMBER_FILES = 100
    files = [SimpleUploadedFile(f"{n}.txt", b"words") for n in range(101)]
    answer = upload({"files": files}, fetched=fetched)
    assert answer.status_code == 413
    assert "Upload at most 100 files at a time." in answer.content.decode()
    assert ("<!doctype" in answer.content.decode()) is not fetched


@pytest.mark.parametrize(
    ("data", "content_type", "status", "sentence"),
    [
        ("a=1&" * 1001, "application/x-www-form-urlencoded", 413, "more than 1,000 fields"),
        ("a=" + "w" * (6 * 2**20), "application/x-www-form-urlencoded", 413, "longer than 5 MB"),
        ("--x", "multipart/form-data", 400, "The form arrived damaged"),
    ],
)
def test_a_form_that_cannot_be_read_gets_a_sentence(upload, data, content_type, status, sentence):
    answer = upload(data, content_type=content_type)
    assert answer.status_code == status
    assert sentence in answer.content.decode()


def test_nothing_of_a_signed_in_person_is_kept_by_caches(client, alice, workspace):
    visitor = client.get("/help/")
    assert "no-store" not in visitor.get("Cache-Control", "")
    client.force_login(alice)
    for path in ("/", f"/w/{workspace.slug}/documents/", f"/w/{workspace.slug}/runs/", "/help/", "/nothing/"):
        answer = client.get(path, follow=True)
        assert answer["Cache-Control"] == "private, no-store", path


def test_the_admin_has_no_pages_on_the_site(admin_client):
    for kind in ContentType.objects.all()[:3]:
        assert admin_client.get(f"/admin/r/{kind.pk}/1/").status_code == 404
