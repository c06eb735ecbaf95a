"""Figures of PDFs: pictures on pages with their captions; backgrounds, icons and repeated logos are none."""

import io
import time
from collections.abc import Callable

import pytest
from reportlab.pdfgen.canvas import Canvas

from tests.support.paper import Drawn, Text, pdf, prose
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.parsing.pdf.figures import may_hold_pictures, merge_pictures


@pytest.fixture
def read(compiled):
    return lambda *pages: compiled(pages[0] if isinstance(pages[0], bytes) else pdf(pages))


def test_a_picture_takes_the_caption_below_it(read):
    words = [*prose(72, 90, 6), Drawn(72, 200, 300, 150), Text(72, 368, "Figure 4. Cargo by quay", 9, "bold")]
    document = read([*words, *prose(72, 400, 6)])
    [(key, picture)] = document.pictures.items()
    node = document.tree.node(key)
    assert (node.kind, node.text, node.label) == (NodeKind.FIGURE, "Figure 4. Cargo by quay", "Figure 4")
    assert picture.box == pytest.approx((72, 200, 372, 350), abs=0.2)


def test_of_two_figures_each_takes_the_caption_nearest_to_it(read):
    left = [Drawn(72, 200, 200, 120), Text(72, 336, "Figure 1. Left quay", 9)]
    right = [Drawn(320, 420, 200, 120), Text(320, 556, "Figure 2. Right quay", 9)]
    document = read([*prose(72, 90, 6), *left, *right, *prose(72, 620, 4)])
    boxes = {document.tree.node(key).label: picture.box[0] for key, picture in document.pictures.items()}
    assert boxes == {"Figure 1": pytest.approx(72, abs=0.2), "Figure 2": pytest.approx(320, abs=0.2)}


def test_a_picture_without_caption_stands_where_it_is_printed(read):
    document = read([*prose(72, 90, 3, "First."), Drawn(72, 200, 300, 150), *prose(72, 400, 3, "Second.")])
    [key] = document.pictures
    around = [document.tree.node(near).text[:5] for near in (key - 1, key, key + 1)]
    assert around == ["First", "", "Secon"]


def test_logos_are_told_once_and_backgrounds_and_icons_never(read):
    logo, icon = Drawn(500, 20, 90, 70), Drawn(20, 20, 30, 30)
    pages = [[logo, icon, *prose(72, 120 + 30 * number, 5)] for number in range(4)]
    document = read(*pages, [Drawn(0, 0, 612, 792), *prose(72, 120, 8)])
    assert [document.tree.node(key).page_start for key in document.pictures] == [0]


def test_a_page_of_shapes_is_no_file_of_pictures(tmp_path):
    for content, holds in ((pdf([prose(72, 90, 3)]), False), (pdf([[Drawn(0, 0, 99, 99)]]), True)):
        (tmp_path / "file").write_bytes(content)
        assert may_hold_pictures(tmp_path / "file") is holds


def test_strips_of_one_picture_are_joined():
    strips = [(10.0, 10.0 * row, 110.0, 10.0 * row + 10) for row in range(8)]
    assert merge_pictures(strips) == [(10.0, 0.0, 110.0, 80.0)]
    assert len(merge_pictures([(0, 0, 50, 50), (60, 0, 110, 50)])) == 2


def charted(shapes: Callable[[Canvas], None], caption: str) -> bytes:
    """A page with a paragraph, what is drawn of shapes between 300 and 500 points from its foot, and a caption."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(595, 842))
    canvas.drawString(72, 760, "The harbour handled more cargo in every year since the new quay was opened in spring.")
    shapes(canvas)
    canvas.drawString(72, 280, caption)
    canvas.drawString(72, 240, "Most of it were stones and timber for the towns along the coast of the northern sea.")
    canvas.save()
    return out.getvalue()


def bars(canvas: Canvas) -> None:
    canvas.line(100, 320, 400, 320)
    canvas.line(100, 320, 100, 500)
    for number, height in enumerate((60, 90, 120, 150, 170)):
        canvas.rect(120 + 50 * number, 320, 30, height, fill=1)
        canvas.drawString(124 + 50 * number, 306, str(2021 + number))


def curve(canvas: Canvas) -> None:
    path = canvas.beginPath()
    path.moveTo(100, 320)
    for number in range(1, 40):
        path.lineTo(100 + 7 * number, 320 + (number * 37) % 150)
    canvas.drawPath(path)


def grid(canvas: Canvas) -> None:
    for number in range(6):
        canvas.line(100, 320 + 30 * number, 400, 320 + 30 * number)
        canvas.line(100 + 60 * number, 320, 100 + 60 * number, 470)


def frame(canvas: Canvas) -> None:
    canvas.rect(90, 310, 400, 190)
    canvas.drawString(110, 400, "A framed remark on the tides.")


@pytest.mark.parametrize("shapes", [bars, curve])
def test_a_chart_drawn_of_shapes_is_the_figure_of_its_caption(read, shapes):
    document = read(charted(shapes, "Figure 4. Cargo by year, in tonnes"))
    [(key, picture)] = document.pictures.items()
    assert document.tree.node(key).text == "Figure 4. Cargo by year, in tonnes"
    left, top, right, bottom = picture.box
    assert left <= 100 and top <= 842 - 465 and right >= 370 and 842 - 325 <= bottom < 842 - 292


def test_the_names_of_its_axis_are_part_of_the_picture_and_of_the_text(read):
    document = read(charted(bars, "Figure 4. Cargo by year"))
    assert next(iter(document.pictures.values())).box[3] >= 842 - 306
    assert "2023" in document.page_text(0) and document.report.coverage == 1.0


@pytest.mark.parametrize(
    "shapes,caption", [(bars, "Cargo rose by year."), (grid, "Figure 4. Cargo"), (frame, "Figure 4. Cargo")]
)
def test_shapes_without_caption_tables_and_frames_are_no_figures(read, shapes, caption):
    assert not read(charted(shapes, caption)).pictures


def test_a_page_of_very_many_shapes_is_read_within_bounds(read):
    def strokes(canvas: Canvas) -> None:
        for number in range(30_000):
            canvas.rect(100 + number % 300, 320 + number % 150, 4, 4, fill=1)

    started = time.process_time()
    assert len(read(charted(strokes, "Figure 4. Cargo")).pictures) == 1
    assert time.process_time() - started < 5
