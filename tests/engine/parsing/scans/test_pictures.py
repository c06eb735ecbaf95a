"""Pictures are documents of their own; those that would unpack to far too much are refused by their header alone."""

import struct
import time
import zlib
from pathlib import Path

import pytest
from PIL import Image

from tests.support.scans import HARBOUR, FixedRecogniser, page, picture_file, words_of
from vectorless_web.documents.compiling.tesseract import find_recogniser
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.compile import compile_file
from vectorless_web.engine.parsing.drawing import draw_page
from vectorless_web.engine.parsing.limits import CompileLimits

pytestmark = pytest.mark.slow

WORDS = FixedRecogniser(words_of("Four cranes."))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "file"


def compiled(path: Path, content: bytes, **options) -> CompiledDocument:
    path.write_bytes(content)
    return CompiledDocument(compile_file(path, name="scan", **{"recogniser": WORDS, **options}))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF", "WEBP"])
def test_every_kind_of_picture_is_read(path, kind):
    tesseract = find_recogniser(languages="eng", seconds=60)
    document = compiled(path, picture_file(page(), kind=kind), recogniser=tesseract)

    assert document.page_text(0).split("\n") == list(HARBOUR)
    assert document.media_type == f"image/{kind.lower()}"
    assert [round(size) for size in (document.pages[0].width, document.pages[0].height)] == [595, 842]


def test_each_picture_of_a_tiff_is_a_page(path):
    document = compiled(path, picture_file(page(), page(turn=1), page(), kind="TIFF"))

    assert [page.width < page.height for page in document.pages] == [True, False, True]
    assert document.report.recognised == (0, 1, 2)
    drawn = [draw_page(path, number, 1.0) for number in range(3)]
    assert [(image.width, image.height) for image in drawn] == [(595, 842), (842, 595), (595, 842)]
    with pytest.raises(IndexError):
        draw_page(path, 3, 1.0)


def test_a_photograph_lies_as_its_camera_was_held(path):
    exif = Image.Exif()
    exif[0x0112] = 6  # held upright: what is stored lies on its side
    page(turn=3).save(path, "JPEG", exif=exif, dpi=(150, 150))
    document = compiled(path, path.read_bytes())

    assert document.pages[0].width < document.pages[0].height
    assert draw_page(path, 0, 1.0).height == 842


def test_a_picture_that_states_no_size_is_shown_as_large_as_a_page(path):
    document = compiled(path, picture_file(Image.new("RGB", (400, 200), "white"), dpi=96))

    assert (document.pages[0].width, document.pages[0].height) == (842, 421)


def test_what_is_transparent_is_white(path):
    image = Image.new("RGBA", (300, 200), (0, 0, 0, 0))
    compiled(path, picture_file(image))

    assert draw_page(path, 0, 1.0).data


def bomb(width: int, height: int) -> bytes:
    """A PNG whose header promises so many pixels; its data are a few bytes of them."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(b"\0" * 10_000))
        + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize("size", [(9_001, 9_001), (2**31 - 1, 2**31 - 1)])
def test_a_picture_of_too_many_pixels_is_refused_before_it_is_unpacked(path, size):
    begun = time.process_time()
    with pytest.raises(UnreadableDocument) as refused:
        compiled(path, bomb(*size))

    assert refused.value.code == "picture_too_large"
    assert "at most 80 million pixels" in refused.value.message
    assert "lower resolution" in refused.value.message
    assert time.process_time() - begun < 1


def test_a_later_page_of_too_many_pixels_is_refused_too(path):
    small, large = Image.new("1", (100, 100)), Image.new("1", (3_000, 3_000))
    with pytest.raises(UnreadableDocument, match="3,000 by 3,000"):
        compiled(path, picture_file(small, large, kind="TIFF"), limits=CompileLimits(pixels=1_000_000))


def test_a_tiff_of_too_many_pages_is_refused(path):
    tiny = [Image.new("1", (8, 8))] * 5
    with pytest.raises(UnreadableDocument, match="has 5 pictures; at most 4"):
        compiled(path, picture_file(*tiny, kind="TIFF"), limits=CompileLimits(pages=4))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF", "WEBP"])
@pytest.mark.parametrize("share", [0.02, 0.9])
def test_a_picture_that_is_cut_short_is_refused_with_a_sentence(path, kind, share):
    content = picture_file(page(), kind=kind)
    with pytest.raises(UnreadableDocument) as refused:
        compiled(path, content[: int(len(content) * share)])

    assert refused.value.code == "damaged_picture"


def test_a_tiff_whose_list_of_pages_runs_in_a_circle_comes_to_an_end(path):
    content = bytearray(picture_file(Image.new("1", (8, 8)), kind="TIFF"))
    first = struct.unpack("<I", content[4:8])[0]
    entries = struct.unpack("<H", content[first : first + 2])[0]
    content[first + 2 + 12 * entries : first + 6 + 12 * entries] = struct.pack("<I", first)

    document = compiled(path, bytes(content))
    assert len(document.pages) <= 2
