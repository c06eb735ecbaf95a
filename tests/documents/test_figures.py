"""Figures in the reader: their pictures stand beside their captions, for those alone who may read the document."""

import io

import pytest
from django.urls import reverse
from PIL import Image

from tests.engine.parsing.test_figures import web_page
from vectorless_web.documents.drawing.worker import cut_out
from vectorless_web.documents.storage.files import open_version

pytestmark = [pytest.mark.one_database, pytest.mark.django_db]


def figure_url(document, key: int) -> str:
    return reverse("documents:figure", args=[document.workspace.slug, document.pk, 1, key])


def test_a_reader_sees_the_picture_beside_its_caption(ready, client, alice):
    document = ready(web_page(), "harbour.html")
    client.force_login(alice)
    [key] = open_version(document.current_version).pictures
    page = client.get(reverse("documents:detail", args=[document.workspace.slug, document.pk]))
    shown = page.content.decode()
    assert f'src="{figure_url(document, key)}"' in shown
    assert "Figure 3. Cranes by quay" in shown

    answer = client.get(figure_url(document, key))
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/jpeg")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert Image.open(io.BytesIO(answer.content)).size == (160, 120)
    again = client.get(figure_url(document, key), headers={"If-None-Match": answer["ETag"]})
    assert again.status_code == 304
    assert client.get(figure_url(document, key + 1)).status_code == 404


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
