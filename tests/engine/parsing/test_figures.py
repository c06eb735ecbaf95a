"""Pictures that stand within a file become figures with their captions; nothing is fetched, and bounds hold."""

import base64
import io
import struct
import zlib
from email.message import EmailMessage

import pytest
from docx.shared import Inches
from PIL import Image
from pptx import Presentation
from pptx.util import Inches as DeckInches

from tests.engine.parsing.test_compile_bad_input import saved
from tests.support.hostile.packages import epub
from tests.support.open_documents import open_document
from tests.support.word_files import with_parts, word
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import Node, NodeKind
from vectorless_web.engine.parsing.figures import PictureShelf, clean_description, read_caption
from vectorless_web.engine.parsing.limits import CompileLimits


def painted(width: int = 160, height: int = 120, colour: str = "#204080", kind: str = "PNG") -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (width, height), colour).save(buffer, kind)
    return buffer.getvalue()


def held(data: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(data).decode()}"


def figures(document: CompiledDocument) -> list[Node]:
    found = [document.tree.node(key) for key in document.pictures]
    assert all(node.kind is NodeKind.FIGURE for node in found)
    return found


def web_page() -> bytes:
    shown = f'<figure><img src="{held(painted())}"><figcaption>Figure 3. Cranes by quay</figcaption></figure>'
    return f"<html><body><h1>Harbour</h1><p>Before.</p>{shown}<p>Behind.</p></body></html>".encode()


def markdown() -> bytes:
    return f"# Harbour\n\nBefore.\n\n![]({held(painted())})\n\nFigure 3. Cranes by quay\n\nBehind.\n".encode()


def word_document() -> bytes:
    def write(document):
        document.add_heading("Harbour", 1)
        document.add_paragraph("Before.")
        document.add_picture(io.BytesIO(painted()), width=Inches(3))
        document.add_paragraph("Figure 3. Cranes by quay", style="Caption")
        document.add_paragraph("Behind.")

    return word(write)


def open_text(styles: str = "") -> bytes:
    frame = '<draw:frame draw:style-name="fr1"><draw:image xlink:href="Pictures/crane.png"/></draw:frame>'
    lines = f"<text:h>Harbour</text:h><text:p>Before.</text:p><text:p>{frame}</text:p>"
    body = f"{lines}<text:p>Figure 3. Cranes by quay</text:p><text:p>Behind.</text:p>"
    return open_document("text", body, styles=styles, parts={"Pictures/crane.png": painted()})


def book(picture: bytes = b"") -> bytes:
    shown = '<p>Before.</p><p><img src="../art/cr%61ne.png"/></p><p>Figure 3. Cranes by quay</p><p>Behind.</p>'
    return epub(f"<h1>Harbour</h1>{shown}", **{"art/crane.png": picture or painted()})


def deck() -> bytes:
    made = Presentation()
    slide = made.slides.add_slide(made.slide_layouts[5])
    slide.shapes.title.text = "Harbour"
    slide.shapes.add_picture(io.BytesIO(painted()), DeckInches(1), DeckInches(2), DeckInches(3))
    box = slide.shapes.add_textbox(DeckInches(1), DeckInches(5), DeckInches(4), DeckInches(1))
    box.text_frame.text = "Figure 3. Cranes by quay"
    return saved(made)


def mail() -> bytes:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "a@example.com", "b@example.com", "Harbour"
    message["Date"] = "Mon, 3 Mar 2025 10:00:00 +0000"
    body = "<p>Before.</p><p><img src='cid:crane@here'></p><p>Figure 3. Cranes by quay</p><p>Behind.</p>"
    message.set_content(body, subtype="html")
    message.add_related(painted(), "image", "png", cid="<crane@here>")
    return message.as_bytes()


@pytest.mark.parametrize(
    ("make", "name"),
    [(web_page, "a.html"), (markdown, "a.md"), (word_document, "a.docx"), (open_text, "a.odt"), (book, "a.epub"),
     (deck, "a.pptx"), (mail, "a.eml")],
)  # fmt: skip
def test_a_picture_in_a_file_is_a_figure_with_its_caption(compiled, make, name):
    document = compiled(make(), name)
    [node] = figures(document)
    assert node.text == "Figure 3. Cranes by quay"
    assert node.label == "Figure 3"
    picture = document.pictures[node.key]
    assert (picture.width, picture.height) == (160, 120)
    with Image.open(io.BytesIO(picture.data)) as shown:
        assert (shown.format, shown.size) == ("JPEG", (160, 120))
    assert not [remark for remark in document.report.warnings if "picture" in remark]


def test_the_description_stands_for_a_caption_unless_it_is_a_file_name(compiled):
    described = f'<p>Words.</p><p><img alt="A red crane" src="{held(painted())}"></p>'
    named = f'<p><img alt="IMG_2210.png" src="{held(painted(colour="#333333"))}"></p>'
    first, second = figures(compiled(f"<html><body>{described}{named}</body></html>".encode(), "a.html"))
    assert (first.text, second.text) == ("A red crane", "")


def test_captions_above_their_figures_are_not_given_to_the_one_before(compiled):
    pairs = "".join(
        f'<p>Figure {number}. Quay {number}</p><p><img src="{held(painted(100 + number))}"></p>' for number in (1, 2, 3)
    )
    document = compiled(f"<html><body><p>Words.</p>{pairs}<p>More.</p></body></html>".encode(), "a.html")
    assert [(node.label, document.pictures[node.key].width) for node in figures(document)] == [
        ("Figure 1", 101), ("Figure 2", 102), ("Figure 3", 103),
    ]  # fmt: skip


def test_nothing_outside_the_file_is_asked_for_and_icons_and_repeats_are_no_figures(compiled):
    outside = '<p>Words <img alt="a map" src="http://127.0.0.1:1/map.png"><img src="file:///etc/passwd"></p>'
    icon, logo = f'<img src="{held(painted(16, 16))}">', f'<img src="{held(painted())}">'
    document = compiled(f"<html><body>{outside}<p>{icon}</p>{logo * 5}</body></html>".encode(), "a.html")
    assert len(figures(document)) == 1
    assert "a map" in document.page_text(0)


def half_secret() -> bytes:
    """A picture whose left half is red and whose right half is blue."""
    image = Image.new("RGB", (200, 120), "#e00000")
    image.paste("#0000e0", (100, 0, 200, 120))
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def cropped_word() -> bytes:
    def write(document):
        document.add_paragraph("The berth.")
        picture = document.add_picture(io.BytesIO(half_secret()), width=Inches(3))
        fill = picture._inline.graphic.graphicData.pic.blipFill
        cut = fill.makeelement("{http://schemas.openxmlformats.org/drawingml/2006/main}srcRect", {"l": "50000"})
        fill.insert(1, cut)

    return word(write)


def cropped_deck() -> bytes:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "The berth"
    slide.shapes.add_picture(io.BytesIO(half_secret()), DeckInches(1), DeckInches(1)).crop_left = 0.5
    return saved(deck)


@pytest.mark.parametrize("make,name", [(cropped_word, "a.docx"), (cropped_deck, "a.pptx")])
def test_what_is_cut_away_from_a_picture_is_not_kept(compiled, make, name):
    [picture] = compiled(make(), name).pictures.values()
    image = Image.open(io.BytesIO(picture.data)).convert("RGB")
    assert image.size == (100, 120)
    assert all(red < 60 for red, _, _ in (image.getpixel((x, 60)) for x in range(0, 100, 10)))


def test_a_picture_is_not_shown_when_how_much_is_cut_away_cannot_be_told(compiled):
    style = """<style:style style:name="fr1" style:family="graphic"><style:graphic-properties
        fo:clip="rect(0cm, 0cm, 0cm, 2cm)"/></style:style>"""
    document = compiled(open_text(style), "a.odt")
    assert not document.pictures
    assert any("cannot be shown" in said for said in document.report.warnings)


def test_a_picture_that_is_damaged_costs_the_picture_alone(compiled):
    damaged = painted()[:40] + b"\xff" * 40
    rewritten = with_parts(word_document(), {"word/media/image1.png": lambda _: damaged})
    for content, name in ((rewritten, "a.docx"), (book(damaged), "a.epub")):
        document = compiled(content, name)
        assert not document.pictures
        assert "Figure 3. Cranes by quay" in document.page_text(0)
        assert any("cannot be shown" in remark for remark in document.report.warnings)


def test_a_document_of_pictures_alone_still_has_no_text(compiled):
    with pytest.raises(Exception, match="holds no text"):
        compiled(f"<html><body><p><img src='{held(painted())}'></p></body></html>".encode(), "a.html")


def test_pictures_are_bounded_in_number_bytes_and_pixels():
    def take(**bounds: int) -> PictureShelf:
        shelf = PictureShelf(limits=CompileLimits(**bounds))
        for number in range(5):
            shelf.take(painted(100 + number))
        return shelf

    assert take(pictures=2).taken == 2
    assert take(pictures=2).tell() == ["2 pictures of this file are shown; 3 more were left out."]
    assert take(picture_bytes=1).taken == 1
    assert take(picture_pixels=25_000).taken == 2
    assert take().tell() == []


def test_a_bomb_of_pixels_is_not_unpacked():
    small = io.BytesIO()
    Image.new("1", (1, 1)).save(small, "PNG")
    head = b"IHDR" + struct.pack(">II", 60_000, 60_000) + small.getvalue()[24:29]
    bomb = small.getvalue()[:12] + head + struct.pack(">I", zlib.crc32(head)) + small.getvalue()[33:]
    shelf = PictureShelf()
    assert shelf.take(bomb) is None
    assert shelf.tell() == ["1 picture of this file cannot be shown here."]


@pytest.mark.parametrize(
    ("said", "name"),
    [("Figure 3. Cranes", "Figure 3"), ("Fig. 2-1 Cranes by quay", "Figure 2-1"), ("Chart A: Growth", "Chart A"),
     ("Abbildung 4 – Kräne", "Abbildung 4"), ("FIGURE 1", "Figure 1"), ("Figure 3 shows that cranes grew.", None),
     ("Figures are in millions.", None), ("Chart of accounts", None), ("As Figure 3 says", None),
     ("Figure 2. Is growth slowing?", "Figure 2"), ("Figure 3. " + "x" * 700, None)],
)  # fmt: skip
def test_a_caption_is_told_from_a_sentence(said, name):
    assert read_caption(said) == name


def test_what_a_program_wrote_is_no_description():
    assert clean_description("Picture 4") == ""
    assert clean_description("A crane Description automatically generated") == "A crane"
