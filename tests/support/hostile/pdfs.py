"""Hostile PDFs and files that are two things at once."""

import zlib

from tests.support.hostile.case import SECRET, Bait, Hostile
from tests.support.hostile.packages import KEPT, docx
from tests.support.open_documents import zipped

FONT = "<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>"
WORDS = f"BT /F1 12 Tf 72 700 Td ({KEPT}) Tj ET"


def pdf(objects: dict[int, str | bytes]) -> bytes:
    """A PDF of these numbered objects, the first of which is the catalogue."""
    out, places = b"%PDF-1.7\n", {}
    for number, content in objects.items():
        places[number] = len(out)
        data = content if isinstance(content, bytes) else content.encode("latin-1")
        out += b"%d 0 obj\n%s\nendobj\n" % (number, data)
    start, most = len(out), max(objects)
    out += f"xref\n0 {most + 1}\n0000000000 65535 f \n".encode()
    for number in range(1, most + 1):
        out += b"%010d 00000 n \n" % places[number] if number in places else b"0000000000 00001 f \n"
    return out + f"trailer<</Size {most + 1}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n".encode()


def stream(content: bytes | str, more: str = "") -> bytes:
    data = content if isinstance(content, bytes) else content.encode("latin-1")
    return f"<</Length {len(data)}{more}>>\nstream\n".encode() + data + b"\nendstream"


def page(more: str = "", *, parent: int = 2, contents: int = 4, box: str = "0 0 612 792") -> str:
    return f"<</Type/Page/Parent {parent} 0 R/MediaBox[{box}]/Resources{FONT}/Contents {contents} 0 R{more}>>"


def one_page(
    *, catalog: str = "", page_more: str = "", box: str = "0 0 612 792", words: str = WORDS,
    more: dict[int, str | bytes] | None = None, count: int = 1,
) -> bytes:  # fmt: skip
    objects: dict[int, str | bytes] = {
        1: f"<</Type/Catalog/Pages 2 0 R{catalog}>>",
        2: f"<</Type/Pages/Kids[3 0 R]/Count {count}>>",
        3: page(page_more, box=box),
        4: stream(words),
    }
    return pdf(objects | (more or {}))


def drawing_page(more: dict[int, str | bytes], words: str = "/X Do") -> bytes:
    """A page that draws object 5 by the name of X."""
    resources = f"/Resources<</XObject<</X 5 0 R>>{FONT[2:]}"
    made = one_page(words=f"{WORDS} {words}", more=more)
    return made.replace(f"/Resources{FONT}".encode(), resources.encode(), 1)


def page_tree_loop(_: Bait) -> bytes:
    return one_page().replace(b"/Kids[3 0 R]/Count 1", b"/Kids[2 0 R 2 0 R 3 0 R]/Count 9")


def deep_page_tree(depth: int) -> bytes:
    objects: dict[int, str | bytes] = {1: "<</Type/Catalog/Pages 2 0 R>>"}
    for number in range(2, depth):
        objects[number] = f"<</Type/Pages/Kids[{number + 1} 0 R]/Count 1>>"
    objects[depth] = page(parent=depth - 1, contents=depth + 1)
    objects[depth + 1] = stream(WORDS)
    return pdf(objects)


def outline_loop(_: Bait) -> bytes:
    return one_page(
        catalog="/Outlines 5 0 R",
        more={
            5: "<</Type/Outlines/First 6 0 R/Last 6 0 R/Count 2>>",
            6: "<</Title(Loop)/Parent 5 0 R/Next 7 0 R/First 6 0 R/Dest[3 0 R/Fit]>>",
            7: "<</Title(Loop)/Parent 5 0 R/Next 6 0 R/First 5 0 R/Dest[3 0 R/Fit]>>",
        },
    )


def form_loop(_: Bait) -> bytes:
    """A form that draws itself twice."""
    form = stream("/X Do /X Do", "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 5 0 R>>>>")
    return drawing_page({5: form})


def form_tree(levels: int) -> bytes:
    """Forms that each draw the next one ten times: ten to the power of `levels` drawings."""
    more: dict[int, str | bytes] = {}
    for number in range(5, 5 + levels):
        inner = f"/Resources<</XObject<</X {number + 1} 0 R>>>>"
        more[number] = stream("/X Do " * 10, f"/Type/XObject/Subtype/Form/BBox[0 0 600 700]{inner}")
    more[5 + levels] = stream(WORDS, f"/Type/XObject/Subtype/Form/BBox[0 0 600 700]/Resources{FONT}")
    return drawing_page(more)


def doing_pdf(bait: Bait) -> bytes:
    """Scripts, programs, forms, links and files that want to be opened with the document."""
    actions = (
        f"<</S/JavaScript/JS(app.launchURL\\('{bait.url}'\\))/Next[<</S/Launch/F(calc.exe)>>"
        f"<</S/URI/URI({bait.url})>><</S/SubmitForm/F({bait.url})>><</S/GoToR/F({bait.file})/D[0/Fit]>>]>>"
    )
    names = "/JavaScript<</Names[(j)<</S/JavaScript/JS(steal)>>]>>/EmbeddedFiles<</Names[(a)<</F(a)/EF<</F 7 0 R>>>>]>>"
    form = f"/AcroForm<</XFA 6 0 R/Fields[]>>/Names<<{names}>>"
    return one_page(
        catalog=f"/OpenAction {actions}/AA<</WC{actions}>>{form}",
        page_more=f"/AA<</O{actions}>>",
        more={6: stream(f'<!DOCTYPE x SYSTEM "{bait.url}"><xdp:xdp xmlns:xdp="x"/>'), 7: stream("MZ a program")},
    )


def fetching_pdf(bait: Bait) -> bytes:
    """Content and picture that stand in files outside."""
    outside = f"<</Length 0/F<</FS/URL/F({bait.url})>>>>\nstream\n\nendstream"
    return one_page(more={5: outside, 6: outside.replace("/FS/URL", "").replace(bait.url, bait.file)}).replace(
        b"/Contents 4 0 R", b"/Contents[5 0 R 6 0 R 4 0 R]"
    )


def flate_bomb(megabytes: int, layers: int = 1) -> bytes:
    packer = zlib.compressobj(9)
    piece = b" " * 2**20
    data = b"".join(packer.compress(piece) for _ in range(megabytes)) + packer.flush()
    for _ in range(layers - 1):
        data = zlib.compress(data, 9)
    return one_page(more={4: stream(data, "/Filter[" + "/FlateDecode" * layers + "]")})


def many_pages(count: int) -> bytes:
    objects: dict[int, str | bytes] = {
        1: "<</Type/Catalog/Pages 2 0 R>>",
        2: f"<</Type/Pages/Kids[{' '.join(f'{n} 0 R' for n in range(4, count + 4))}]/Count {count}>>",
        3: stream(WORDS),
    }
    objects |= {n: page(contents=3) for n in range(4, count + 4)}
    return pdf(objects)


def previous_loop(_: Bait) -> bytes:
    made = one_page()
    start = int(made.rsplit(b"startxref\n", 1)[1].split()[0])
    return made.replace(b"/Root 1 0 R", f"/Root 1 0 R/Prev {start}".encode())


def object_stream_loop(_: Bait) -> bytes:
    inner = stream("6 0 <</Type/Catalog/Pages 2 0 R>>", "/Type/ObjStm/N 1/First 4/Extends 5 0 R")
    return one_page(more={5: inner})


def huge_picture(_: Bait) -> bytes:
    picture = stream(
        zlib.compress(b"\0" * 1000), "/Type/XObject/Subtype/Image/Width 65535/Height 65535"
        "/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/FlateDecode",
    )  # fmt: skip
    return drawing_page({5: picture}, "q 600 0 0 700 0 0 cm /X Do Q")


def deep_array(_: Bait) -> bytes:
    return one_page(page_more="/X" + "[" * 200_000 + "]" * 200_000)


def cut_pdf(share: float) -> bytes:
    made = one_page(words=" ".join(WORDS.replace("700", str(700 - 12 * n)) for n in range(40)))
    return made[: int(len(made) * share)]


def gif_script(_: Bait) -> bytes:
    return b"GIF89a/*" + bytes(30) + b"*/=1;alert('run');"


PDFS: dict[str, Hostile] = {
    "pdf: pages that contain themselves": Hostile(page_tree_loop, "r.pdf"),
    "pdf: pages in pages, 3,000 deep": Hostile(lambda _: deep_page_tree(3_000), "r.pdf"),
    "pdf: bookmarks that go round": Hostile(outline_loop, "r.pdf", keeps=KEPT),
    "pdf: a form that draws itself": Hostile(form_loop, "r.pdf", "out_of_memory"),
    "pdf: forms that multiply": Hostile(lambda _: form_tree(9), "r.pdf", "out_of_memory"),
    "pdf: scripts, programs, forms": Hostile(
        doing_pdf, "r.pdf", keeps=KEPT, leaves=("calc.exe", "launchURL"), told="1 attached file"
    ),
    "pdf: content from outside": Hostile(fetching_pdf, "r.pdf", keeps=KEPT, leaves=(SECRET,)),
    "pdf: a bomb": Hostile(lambda _: flate_bomb(800), "r.pdf", "out_of_memory"),
    "pdf: a bomb in a bomb": Hostile(lambda _: flate_bomb(800, 3), "r.pdf", "out_of_memory"),
    "pdf: 10,001 pages": Hostile(lambda _: many_pages(10_001), "r.pdf", "too_many_pages"),
    "pdf: a count that lies": Hostile(lambda _: one_page(count=2_000_000_000), "r.pdf", keeps=KEPT),
    "pdf: a table before itself": Hostile(previous_loop, "r.pdf", keeps=KEPT),
    "pdf: objects that extend themselves": Hostile(object_stream_loop, "r.pdf", keeps=KEPT),
    "pdf: a page of a million kilometres": Hostile(lambda _: one_page(box="0 0 1e12 1e12"), "r.pdf", keeps=KEPT),
    "pdf: a page without size": Hostile(lambda _: one_page(box="0 0 0 0"), "r.pdf", keeps=KEPT),
    "pdf: a page turned inside out": Hostile(lambda _: one_page(box="612 792 -1e9 -1e9"), "r.pdf", keeps=KEPT),
    "pdf: a picture of 65,535 by 65,535": Hostile(huge_picture, "r.pdf", keeps=KEPT),
    "pdf: arrays in each other": Hostile(deep_array, "r.pdf"),
    "pdf: cut after its head": Hostile(lambda _: one_page()[:9], "r.pdf", "damaged_pdf"),
    "pdf: cut in a quarter": Hostile(lambda _: cut_pdf(0.25), "r.pdf", "damaged_pdf"),
    "pdf: cut near its end": Hostile(lambda _: cut_pdf(0.9), "r.pdf", "damaged_pdf"),
    "pdf: with a ZIP behind it": Hostile(
        lambda _: one_page() + zipped({"a.exe": b"MZ"}), "r.pdf", keeps=KEPT, leaves=("a.exe",)
    ),
    "pdf: with a page of the web before it": Hostile(
        lambda _: b"<html><script>run()</script>\n" + one_page(), "r.html", leaves=("run()",)
    ),
    "pdf: in a ZIP's clothes": Hostile(lambda _: zipped({"a": b"x"}) + one_page(), "r.zip", keeps="a"),
    "pdf: under the name of a Word document": Hostile(lambda _: one_page(), "r.docx", keeps=KEPT),
    "gif: that is a script": Hostile(gif_script, "r.js", "unsupported_type"),
    "gif: under the name of a PDF": Hostile(gif_script, "r.pdf", "unsupported_type"),
    "docx: under the name of a PDF": Hostile(lambda _: docx(), "r.pdf", keeps=KEPT),
}
