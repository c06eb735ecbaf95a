"""PowerPoint presentations: slides as pages, lists, tables, charts, notes, reading order, what is left out."""

import io

from PIL import Image
from pptx import Presentation
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from tests.engine.parsing.test_cases import tell_nodes
from tests.engine.parsing.test_compile_bad_input import saved

TITLE_AND_TEXT, TITLE_ONLY, EMPTY = 1, 5, 6
PLACE = Inches(1), Inches(3), Inches(6), Inches(2)


READ = """application/vnd.openxmlformats-officedocument.presentationml.presentation: Harbour crane review
# Harbour crane review
## Notes
paragraph: Ada Berg leads the review.
# Decisions
list: Close the north berth by 30 June
  Move both cranes
# Slide 3
paragraph: left
paragraph: right
paragraph: below
# Fleet
paragraph: All vehicles in 2024
table: Fleet | All vehicles in 2024
Site | Vehicles / Trucks | Vehicles / Vans
Oslo | 12 | 4
Leeds | 7 | 9
# Slide 5
table:
~ | Reuse
2023 | 31.4%
2024 | 40.0%
# Depth in m and cost
table: Depth in m and cost
Series | X | Y
Berth A | 4 | 1.2
Berth A | 6 | 1.9
! 1 hidden slide (7) was left out; pages are counted without them."""


def add(deck, layout: int, title: str = ""):
    slide = deck.slides.add_slide(deck.slide_layouts[layout])
    if title:
        slide.shapes.title.text = title
    return slide


def box(slide, text: str, left: float, top: float):
    slide.shapes.add_textbox(Inches(left), Inches(top), Inches(3), Inches(0.5)).text_frame.text = text


def fill(slide, rows: list[tuple[str, ...]]):
    table = slide.shapes.add_table(len(rows), len(rows[0]), *PLACE).table
    for row, texts in enumerate(rows):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
    return table


def test_a_deck_is_read_slide_by_slide(compiled):
    deck = Presentation()
    add(deck, TITLE_ONLY, "Harbour crane review").notes_slide.notes_text_frame.text = "Ada Berg leads the review."
    body = add(deck, TITLE_AND_TEXT, "Decisions").placeholders[1].text_frame
    body.text = "Close the north berth by 30 June"
    deeper = body.add_paragraph()
    deeper.text, deeper.level = "Move both cranes", 1
    slide = add(deck, EMPTY)
    for text, left, top in (("below", 1, 4), ("right", 5, 1), ("left", 1, 1.1)):
        box(slide, text, left, top)
    slide = add(deck, TITLE_ONLY, "Fleet")
    box(slide, "All vehicles in 2024", 1, 2)
    fleet = fill(slide, [("", "Vehicles", ""), ("Site", "Trucks", "Vans"), ("Oslo", "12", "4"), ("Leeds", "7", "9")])
    fleet.cell(0, 1).merge(fleet.cell(0, 2))
    reuse = CategoryChartData(number_format="0.0%")
    reuse.categories = ["2023", "2024"]
    reuse.add_series("Reuse", (0.314, 0.4))
    add(deck, EMPTY).shapes.add_chart(XL_CHART_TYPE.LINE, *PLACE, reuse)
    costs = XyChartData()
    berth = costs.add_series("Berth A")
    for depth, cost in ((4, 1.2), (6, 1.9)):
        berth.add_data_point(depth, cost)
    add(deck, TITLE_ONLY, "Depth in m and cost").shapes.add_chart(XL_CHART_TYPE.XY_SCATTER, *PLACE, costs)
    add(deck, TITLE_ONLY, "Backup")._element.set("show", "0")
    document = compiled(saved(deck), "deck.pptx")
    assert "\n".join(tell_nodes(document)) == READ


def test_a_shape_that_cannot_be_read_costs_that_shape_alone(compiled):
    deck = Presentation()
    slide = add(deck, TITLE_ONLY, "Quays")
    picture = io.BytesIO()
    Image.new("RGB", (200, 200), "#804020").save(picture, "PNG")
    shape = slide.shapes.add_picture(picture, Inches(1), Inches(2))
    shape._element.remove(shape._element.blipFill)
    box(slide, "Built in 1911", 1, 4)
    document = compiled(saved(deck), "deck.pptx")
    assert "Built in 1911" in document.page_text(0)
    assert any("shapes of slides could not be read on page 1" in said.lower() for said in document.report.warnings)
