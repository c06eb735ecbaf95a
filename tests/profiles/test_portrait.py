"""One's picture: drawn anew of what was uploaded, seen by who shares a workspace, initials otherwise."""

from io import BytesIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from PIL import Image

from vectorless_web.documents.drawing.client import RenderUnavailable
from vectorless_web.documents.drawing.worker import PORTRAIT_SIDE, Refused, redraw_portrait
from vectorless_web.infra.web.problems import Problem
from vectorless_web.profiles.models import Portrait
from vectorless_web.profiles.services import PORTRAIT_BYTES, save_portrait
from vectorless_web.workspaces.models import AuditEvent


def picture(size=(400, 300), kind="PNG", **more) -> bytes:
    out = BytesIO()
    Image.new("RGB", size, (20, 90, 30)).save(out, kind, **more)
    return out.getvalue()


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_a_picture_becomes_a_small_square_jpeg(kind):
    with Image.open(BytesIO(redraw_portrait(picture(kind=kind)))) as made:
        assert (made.format, made.size) == ("JPEG", (PORTRAIT_SIDE, PORTRAIT_SIDE))


def test_a_small_square_jpeg_is_drawn_and_nothing_else_of_the_file_is_kept():
    exif = Image.Exif()
    exif[0x010E] = "taken at home"
    data = picture(kind="JPEG", exif=exif) + b"<script>alert(1)</script>"
    made = redraw_portrait(data)
    assert b"script" in data and b"script" not in made and b"taken at home" not in made

    with pytest.raises(Refused) as refused:
        redraw_portrait(picture((8000, 6000)))
    assert refused.value.code == "picture_too_large"


@pytest.mark.parametrize("data", [b"", b"<svg xmlns='http://www.w3.org/2000/svg'/>", picture()[:60], b"%PDF-1.7"])
def test_what_is_no_picture_is_refused(data):
    with pytest.raises(Refused) as refused:
        redraw_portrait(data)
    assert refused.value.code == "not_a_picture"


@pytest.fixture
def portrait(bob) -> Portrait:
    save_portrait(user=bob, data=picture(), redraw=redraw_portrait)
    return Portrait.objects.get()


def address(portrait: Portrait) -> str:
    return f"/people/{portrait.user_id}/{portrait.digest}.jpg"


@pytest.mark.django_db
def test_members_of_ones_workspaces_see_it_and_strangers_a_clear_point(
    client, html, alice, bob, charlie, workspace, portrait
):
    for person, kind in ((bob, "image/jpeg"), (alice, "image/jpeg"), (charlie, "image/gif")):
        client.force_login(person)
        answer = client.get(address(portrait))
        assert (answer.status_code, answer["Content-Type"]) == (200, kind)
        assert "private" in answer["Cache-Control"]
    assert address(portrait) in html(alice, f"/w/{workspace.slug}/settings/members/")


@pytest.mark.django_db
def test_initials_stand_for_somebody_again_once_it_is_removed(client, bob, portrait):
    client.force_login(bob)
    client.post("/account/picture/remove/")
    page = client.get("/account/").content.decode()
    assert address(portrait) not in page and "BO" in page
    verbs = AuditEvent.objects.order_by("pk").values_list("verb", flat=True)
    assert list(verbs) == ["account.picture_changed", "account.picture_removed"]


@pytest.mark.django_db
def test_what_is_too_large_or_refused_by_the_child_is_said_on_the_page(bob):
    with pytest.raises(Problem) as problem:
        save_portrait(user=bob, data=bytes(PORTRAIT_BYTES + 1), redraw=redraw_portrait)
    assert problem.value.status == 422

    def refuse(_data: bytes) -> bytes:
        raise RenderUnavailable("not_a_picture", "This is no picture that can be read.")

    with pytest.raises(Problem) as problem:
        save_portrait(user=bob, data=b"x", redraw=refuse)
    assert (problem.value.status, problem.value.cause) == (422, "This is no picture that can be read.")


@pytest.mark.django_db
def test_without_the_render_child_the_page_says_to_try_again(client, bob, settings, tmp_path):
    settings.RENDER_SOCKET = tmp_path / "none.sock"
    client.force_login(bob)
    answer = client.post("/account/picture/", {"picture": SimpleUploadedFile("me.png", picture())})
    assert answer.status_code == 503 and "Try again in a moment" in answer.content.decode()
    assert not Portrait.objects.exists()
