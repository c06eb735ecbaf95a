"""Pictures of pages and figures, boxes and flags of highlights; that the render child is away is no error page."""

import io
import os
import shutil
import signal
import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageChops

from tests.conftest import wait_until
from tests.engine.parsing.test_figures import web_page
from tests.support.files import HANDBOOK, REPORT
from vectorless_web.documents import services
from vectorless_web.documents.drawing.client import RenderUnavailable, ask, image_path
from vectorless_web.documents.drawing.worker import cut_out
from vectorless_web.documents.rendering.page import (
    Highlight,
    PlacedHighlight,
    boxes,
    figure_image,
    page_image,
    page_view,
    page_words,
    place_flags,
)
from vectorless_web.documents.storage.files import open_version

pytestmark = [pytest.mark.one_database, pytest.mark.django_db]


def span_of(version, words):
    """Where words stand in the raw text of a version's pages."""
    document = open_version(version)
    for page_index in range(version.pages):
        start = document.page_text(page_index).find(words)
        if start >= 0:
            return [page_index, start, len(words)]
    raise AssertionError(f"{words} does not occur")


def test_a_page_is_drawn_once_and_kept(ready, render_child, settings):
    version = ready().current_version
    path = page_image(version, 1)
    assert Image.open(path).size == (953, 1348)
    assert path == image_path(Path(settings.CACHE_ROOT) / "pages", version.sha256, 1, 1.6)
    settings.RENDER_SOCKET = "/nowhere/render.sock"
    assert page_image(version, 1) == path


def test_a_label_is_written_across_pages_and_figures(ready, render_child):
    version = ready().current_version
    plain, labelled = (Image.open(page_image(version, 1, label=label)).convert("L") for label in ("", "Northwind only"))
    changed = ImageChops.difference(plain, labelled).point(lambda value: 255 if value > 20 else 0)
    wide, high = changed.size
    for column in range(3):
        for row in range(4):
            part = (column * wide // 3, row * high // 4, (column + 1) * wide // 3, (row + 1) * high // 4)
            assert changed.crop(part).getbbox(), f"no label in part {column}, {row}"
    assert page_image(version, 1) != page_image(version, 1, label="Northwind only")

    version = ready(web_page(), "harbour.html").current_version
    [key] = open_version(version).pictures
    assert figure_image(version, key, label="Northwind only") != figure_image(version, key)


def test_boxes_and_highlights_lie_over_the_words(ready, render_child):
    version = ready().current_version
    span = span_of(version, "Net debt fell to 1,577 million")
    [[page_index, x, y, width, height]] = boxes(version, [span])
    assert page_index == 1
    assert 70 < x < 74
    # A4 is 842 points high and the second line stands at 732 from the bottom.
    assert y < 842 - 732 < y + height
    assert 100 < width < 200

    quote = Highlight(marker=3, spans=[span_of(version, "1,577 million")], on=True)
    sheet = page_view(version, 1, [quote])
    assert (sheet["page"], sheet["page_count"]) == (2, 3)
    assert sheet["image_url"].endswith("/v1/pages/2.jpg")
    [hit] = sheet["hits"]
    assert (hit.marker, hit.id, hit.on) == (3, "hit-3", True)
    assert [flag.marker for flag in sheet["flags"]] == [3]
    assert sheet["text_segments"] == []
    assert page_view(version, 0, [quote])["hits"] == []


def test_while_the_child_is_down_there_is_text_and_a_plain_503(ready, client, workspace, alice, settings):
    version = ready().current_version
    span = span_of(version, "1,577 million")
    sheet = page_view(version, 1, [Highlight(marker=1, spans=[span], on=True)])
    assert sheet["image_url"] == ""
    lit = [segment for segment in sheet["text_segments"] if segment.marker == 1]
    assert [(segment.text, segment.first, segment.on) for segment in lit] == [("1,577 million", True, True)]
    with pytest.raises(RenderUnavailable) as caught:
        page_image(version, 1)
    assert caught.value.code == "render_unavailable"

    document = ready()
    client.force_login(alice)
    answer = client.get(f"/w/{workspace.slug}/documents/{document.pk}/v1/pages/1.jpg")
    assert answer.status_code == 503
    assert "not available right now" in answer.content.decode()

    settings.RENDER_SOCKET = "/nowhere/render.sock"
    address = f"/w/{document.workspace.slug}/documents/{document.pk}/v1/pages/2/words/"
    assert client.get(address).status_code == 503
    text = ready(HANDBOOK, "handbook.md")
    words = client.get(f"/w/{workspace.slug}/documents/{text.pk}/v1/pages/1/words/")
    assert "<tspan" not in words.content.decode()


def test_the_worker_comes_back_after_a_crash(ready, render_child):
    version = ready().current_version
    assert ask({"op": "ping"}) == {"ok": True}
    workers = Path(f"/proc/{render_child.pid}/task/{render_child.pid}/children").read_text().split()
    assert len(workers) == 3
    for worker in workers:
        os.kill(int(worker), signal.SIGSEGV)
    assert page_image(version, 0).exists()


def test_a_bad_request_costs_one_reply(render_child, settings):
    for line in (
        b"\n",
        b"{}\n",
        b"[]\n",
        b'"text"\n',
        b'{"op": "page"}\n',
        b'{"op": "dance"}\n',
        b"\xff\xfe\n",
        b'{"op": "boxes", "file": "../../etc/passwd", "spans": [[0, 0, 1]]}\n',
        b'{"op": "page", "file": "/etc/passwd", "sha256": "a/../b", "page_index": 0, "scale": 1}\n',
    ):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(settings.RENDER_SOCKET))
            connection.sendall(line)
            connection.settimeout(5)
            reply = connection.recv(65536)
        assert b"root:" not in reply
        assert b'"path"' not in reply
        assert ask({"op": "ping"}) == {"ok": True}


def test_deleting_the_cache_and_the_socket_heals_by_itself(ready, render_child, settings):
    version = ready(REPORT + b"% of a cache", "report.pdf").current_version
    assert page_image(version, 0).exists()
    shutil.rmtree(settings.CACHE_ROOT)
    assert page_image(version, 0).exists()
    settings.RENDER_SOCKET.unlink()
    wait_until(settings.RENDER_SOCKET.exists, seconds=5)
    assert page_image(version, 1).exists()


def test_a_purged_document_leaves_no_picture(ready, render_child, django_capture_on_commit_callbacks):
    document = ready(REPORT + b"% another file", "report.pdf")
    paths = [page_image(document.current_version, 0), page_image(document.current_version, 0, label="Northwind only")]
    with django_capture_on_commit_callbacks(execute=True):
        services.purge_document(document)
    assert [path for path in paths if path.exists()] == []


def test_pictures_are_served_and_may_be_kept(client, workspace, ready, render_child, bob):
    document = ready(REPORT, "report.pdf")
    address = f"/w/{workspace.slug}/documents/{document.pk}/v1/pages/2.jpg"
    client.force_login(bob)
    answer = client.get(address)
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/jpeg")
    assert "immutable" in answer["Cache-Control"]
    assert "private" in answer["Cache-Control"]
    assert client.get(address, headers={"If-None-Match": answer["ETag"]}).status_code == 304
    assert client.get(address.replace("/2.jpg", "/4.jpg")).status_code == 404
    assert client.get(address.replace("/2.jpg", "/0.jpg")).status_code == 404


def test_the_words_of_a_page_lie_where_they_are_printed(ready, render_child):
    version = ready().current_version
    lines = page_words(version, 1)
    assert [" ".join(run.text for run in line.runs) for line in lines] == [
        "2. Financial review",
        "Net debt fell to 1,577 million in 2023.",
        "Leverage was 2.1 times.",
    ]
    [[_, x, y, width, height]] = boxes(version, [span_of(version, "Net debt fell to 1,577 million in 2023.")])
    [run], line = lines[1].runs, lines[1]
    assert (run.x, run.width) == (pytest.approx(x, abs=0.2), pytest.approx(width, abs=0.2))
    assert y < line.baseline < y + height + 0.2


def test_the_picture_of_a_figure_stands_beside_its_caption(ready, look, client):
    document = ready(web_page(), "harbour.html")
    [key] = open_version(document.current_version).pictures
    shown = look(document).content.decode()
    address = f"/w/{document.workspace.slug}/documents/{document.pk}/v1/figures/{key}.jpg"
    assert f'src="{address}"' in shown
    assert "Figure 3. Cranes by quay" in shown

    answer = client.get(address)
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/jpeg")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert Image.open(io.BytesIO(answer.content)).size == (160, 120)
    assert client.get(address, headers={"If-None-Match": answer["ETag"]}).status_code == 304
    assert client.get(address.replace(f"/{key}.jpg", f"/{key + 1}.jpg")).status_code == 404


def test_a_part_is_cut_out_within_the_page():
    page = Image.new("RGB", (100, 80), "white")
    page.paste((255, 0, 0), (20, 10, 60, 40))
    encoded = io.BytesIO()
    page.save(encoded, "JPEG", quality=95)
    with Image.open(io.BytesIO(cut_out(encoded.getvalue(), [20, 10, 60, 40]))) as part:
        assert part.size == (40, 30)
        red, green, blue = part.getpixel((20, 15))
        assert red > 240
        assert max(green, blue) < 15
    assert Image.open(io.BytesIO(cut_out(encoded.getvalue(), [-5, -5, 900, 900]))).size == (100, 80)


PAGE = (612.0, 792.0)


def quote(marker, *boxes):
    return PlacedHighlight(marker, f"hit-{marker}", False, boxes)


def test_flags_stand_left_level_with_their_quote_cover_no_word_and_take_both_margins():
    assert place_flags([quote(1)], *PAGE) == ()

    (flag,) = place_flags([quote(1, (60, 300, 200, 12), (60, 280, 200, 12))], *PAGE)
    assert flag.x < 60
    assert 280 <= flag.y + 23 * flag.scale / 2 <= 292

    (flag,) = place_flags([quote(1, (24, 300, 200, 12))], *PAGE)
    assert flag.x + 28 * flag.scale < 24
    assert flag.x >= -14 * flag.scale

    left, right = place_flags([quote(1, (60, 300, 20, 12)), quote(2, (400, 300, 20, 12))], *PAGE)
    assert left.x < 100 < right.x
    assert left.y == right.y


@given(st.lists(st.floats(0, 780), max_size=12))
def test_flags_stay_on_the_page_and_apart(tops):
    flags = place_flags([quote(number, (60, top, 20, 12)) for number, top in enumerate(tops, 1)], *PAGE)
    assert len(flags) == len(tops)
    assert all(0 <= flag.y <= 792 - 23 * flag.scale + 0.1 for flag in flags)
    for number, flag in enumerate(flags):
        for other in flags[:number]:
            assert abs(flag.x - other.x) >= 20 or abs(flag.y - other.y) >= 16
