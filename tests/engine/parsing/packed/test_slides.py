"""PowerPoint presentations: slides as pages, lists, tables, charts, notes, reading order, what is left out, damage."""

import io

import pytest
from PIL import Image
from pptx import Presentation
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from tests.engine.parsing.sheets.test_workbook import nodes, rewritten
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.compile import compile_file

TITLE_AND_TEXT, TITLE_ONLY, EMPTY = 1, 5, 6


@pytest.fixture
def deck():
    return Presentation()


@pytest.fixture
def read(tmp_path):
    """A compiled presentation, from what the library that wrote it holds or from bytes."""

    def read(made) -> CompiledDocument:
        path = tmp_path / "deck.pptx"
        made.save(path) if hasattr(made, "save") else path.write_bytes(made)
        document = CompiledDocument(compile_file(path, name="deck.pptx"))
        assert document.report.coverage == 1.0
        return document

    return read


def add(deck, layout: int, title: str = ""):
    slide = deck.slides.add_slide(deck.slide_layouts[layout])
    if title:
        slide.shapes.title.text = title
    return slide


def box(slide, text: str, left: float, top: float):
    slide.shapes.add_textbox(Inches(left), Inches(top), Inches(3), Inches(0.5)).text_frame.text = text


def test_each_slide_is_a_page_and_a_section_with_its_list(read, deck):
    add(deck, TITLE_ONLY, "Harbour crane review")
    body = add(deck, TITLE_AND_TEXT, "Decisions").placeholders[1].text_frame
    body.text = "Close the north berth by 30 June"
    deeper = body.add_paragraph()
    deeper.text, deeper.level = "Move both cranes", 1

    document = read(deck)

    sections = nodes(document, NodeKind.SECTION)
    assert [(section.title, section.page_start) for section in sections] == [
        ("Harbour crane review", 0),
        ("Decisions", 1),
    ]
    assert [node.text for node in nodes(document, NodeKind.LIST)] == [
        "Close the north berth by 30 June\n  Move both cranes"
    ]


def test_boxes_are_read_from_top_to_bottom_then_left_to_right(read, deck):
    slide = add(deck, EMPTY)
    for text, left, top in (("below", 1, 4), ("right", 5, 1), ("left", 1, 1.1)):
        box(slide, text, left, top)

    assert [node.text for node in nodes(read(deck), NodeKind.PARAGRAPH)] == ["left", "right", "below"]


def test_a_table_has_headers_and_merged_cells(read, deck):
    slide = add(deck, TITLE_ONLY, "Fleet")
    table = slide.shapes.add_table(4, 3, Inches(1), Inches(2), Inches(6), Inches(2)).table
    rows = [("", "Vehicles", ""), ("Site", "Trucks", "Vans"), ("Oslo", "12", "4"), ("Leeds", "7", "9")]
    for row, texts in enumerate(rows):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
    table.cell(0, 1).merge(table.cell(0, 2))

    (found,) = nodes(read(deck))

    assert [cell.text for cell in found.table.body[-1].cells] == ["Leeds", "7", "9"]
    assert all("Vehicles" in column.header for column in found.table.columns[1:])


def test_a_chart_is_the_table_of_its_figures_as_shown(read, deck):
    data = CategoryChartData(number_format="0.0%")
    data.categories = ["2023", "2024"]
    data.add_series("Reuse", (0.314, 0.4))
    add(deck, EMPTY).shapes.add_chart(XL_CHART_TYPE.LINE, Inches(1), Inches(1), Inches(6), Inches(4), data)

    (found,) = nodes(read(deck))

    assert [[cell.text for cell in row.cells] for row in found.table.rows] == [
        ["", "Reuse"],
        ["2023", "31.4%"],
        ["2024", "40.0%"],
    ]


def test_a_scatter_chart_is_the_table_of_its_points_named_by_its_slide(read, deck):
    data = XyChartData()
    series = data.add_series("Berth A")
    for depth, cost in ((4, 1.2), (6, 1.9)):
        series.add_data_point(depth, cost)
    slide = add(deck, 5, "Depth in m and cost")
    slide.shapes.add_chart(XL_CHART_TYPE.XY_SCATTER, Inches(1), Inches(2), Inches(6), Inches(4), data)

    [node] = nodes(read(deck))
    assert node.title == "Depth in m and cost"
    assert [column.header for column in node.table.columns] == ["Series", "X", "Y"]
    rows = [[cell.text for cell in row.cells] for row in node.table.body]
    assert rows == [["Berth A", "4", "1.2"], ["Berth A", "6", "1.9"]]


def test_a_line_before_a_table_names_it_with_the_slide(read, deck):
    slide = add(deck, 5, "Prices")
    box(slide, "All prices in USD", 1, 2)
    table = slide.shapes.add_table(2, 2, Inches(1), Inches(3), Inches(4), Inches(1)).table
    for row, cells in enumerate((("Item", "Price"), ("Rope", "12.50"))):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text

    assert nodes(read(deck))[0].title == "Prices | All prices in USD"


def test_notes_stand_under_their_slide(read, deck):
    slide = add(deck, TITLE_ONLY, "Move")
    slide.notes_slide.notes_text_frame.text = "Ada Berg leads the move."

    document = read(deck)

    assert [section.title for section in nodes(document, NodeKind.SECTION)] == ["Move", "Notes"]
    assert "Ada Berg leads the move." in document.page_text(0)


def test_hidden_slides_are_left_out_and_told(read, deck):
    add(deck, TITLE_ONLY, "Shown")
    add(deck, TITLE_ONLY, "Backup")._element.set("show", "0")

    document = read(deck)

    assert "Backup" not in document.page_text(0)
    assert document.report.pages == 1
    assert document.report.warnings[-1].startswith("1 hidden slide (2) was left out")


def test_a_deck_of_pictures_says_that_it_holds_no_text(read, deck):
    add(deck, EMPTY)

    with pytest.raises(UnreadableDocument) as refused:
        read(deck)
    assert refused.value.code == "no_text"


def saved(deck) -> bytes:
    buffer = io.BytesIO()
    deck.save(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("part", "change", "code"),
    [
        ("ppt/presentation.xml", lambda data: data[:200], "damaged_pptx"),
        ("ppt/slides/slide1.xml", lambda data: b"<p:sld", "damaged_pptx"),
        (
            "ppt/presentation.xml",
            lambda data: b'<!DOCTYPE a [<!ENTITY x "y">]>' + data.split(b"?>", 1)[-1],
            "unsafe_pptx",
        ),
        ("ppt/slides/slide1.xml", lambda data: data + b" " * 12_000_000, "zip_bomb"),
    ],
    ids=["no list of slides", "a slide cut short", "entities", "bomb"],
)
def test_a_damaged_or_hostile_deck_is_refused_with_its_reason(read, deck, part, change, code):
    add(deck, TITLE_ONLY, "Shown")

    with pytest.raises(UnreadableDocument) as refused:
        read(rewritten(saved(deck), part, change))
    assert refused.value.code == code


def test_an_entity_on_a_slide_brings_nothing_in(read, deck):
    add(deck, TITLE_ONLY, "Shown")
    hostile = rewritten(
        saved(deck),
        "ppt/slides/slide1.xml",
        lambda data: (
            b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
            + data.split(b"?>", 1)[-1].replace(b"Shown", b"Shown &x;")
        ),
    )

    try:
        document = read(hostile)
    except UnreadableDocument:
        return
    assert "root:" not in document.page_text(0)


def test_a_deck_is_called_by_its_first_slide(read):
    deck = Presentation()
    for title in ("Field trial of winter barley", "Yield", "What it means"):
        add(deck, 5, title)
    assert read(deck).title == "Field trial of winter barley"


def test_a_shape_that_cannot_be_read_costs_that_shape_alone(read, deck):
    slide = add(deck, TITLE_ONLY, "Quays")
    picture = io.BytesIO()
    Image.new("RGB", (200, 200), "#804020").save(picture, "PNG")
    shape = slide.shapes.add_picture(picture, Inches(1), Inches(2))
    shape._element.remove(shape._element.blipFill)
    box(slide, "Built in 1911", 1, 4)

    document = read(deck)

    assert "Built in 1911" in document.page_text(0)
    assert any("shapes of slides could not be read on page 1" in said.lower() for said in document.report.warnings)
