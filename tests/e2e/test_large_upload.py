"""A large file over a line that is cut in the middle: the upload goes on, and the page counts it without a reload."""

import io
import os
import re
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import expect
from reportlab.pdfgen.canvas import Canvas

pytestmark = pytest.mark.e2e
PIECE = 4 * 2**20


@pytest.fixture
def large(tmp_path) -> Path:
    """A PDF of some 12 MB: a page of words with a picture of noise."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    canvas.drawString(72, 760, "The breakwater was measured in March.")
    canvas.drawInlineImage(Image.frombytes("RGB", (1800, 1800), os.urandom(1800 * 1800 * 3)), 72, 100, 400, 400)
    canvas.showPage()
    canvas.save()
    path = tmp_path / "breakwater survey.pdf"
    path.write_bytes(buffer.getvalue())
    assert 2 * PIECE < path.stat().st_size < 4 * PIECE
    return path


def test_an_upload_goes_on_where_the_line_was_cut(owner, network, large):
    page = owner
    sent: list[int] = []

    def watch(request) -> None:
        piece = re.search(r"/add/\?from=(\d+)", request.url)
        if piece:
            sent.append(int(piece[1]))
            if sent == [0, PIECE]:
                network.cut()

    page.on("request", watch)
    page.goto(f"{network.address}/w/demo/documents/")
    before = int(page.locator("#documents-total").inner_text().split()[0])
    page.evaluate("document.body.dataset.stayed = 'yes'")

    page.set_input_files("#files", str(large))

    state = page.locator("#uploads [data-state]")
    expect(state).to_contain_text("The connection broke after")
    network.mend()
    expect(page.locator("#uploads a.main")).to_contain_text("breakwater")
    expect(page.locator("#uploads")).to_contain_text("Ready", timeout=60_000)
    expect(page.locator("#documents-total")).to_contain_text(f"{before + 1} in this workspace")
    assert page.evaluate("document.body.dataset.stayed") == "yes"
    assert sent.count(0) == 1, "what had arrived was not sent again"
    assert sorted(set(sent)) == list(range(0, large.stat().st_size, PIECE))
