"""The order and the weight of recognised lines: columns one after the other, rows of tables whole, headings bold."""

from dataclasses import replace
from itertools import groupby

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from tests.support.scans import FixedRecogniser, words_of
from vectorless_web.engine.parsing.scans.recognition import SeenWord, order_columns, recognise_page
from vectorless_web.engine.parsing.scans.straighten import GreyPicture

LEFT = (
    "The new crane lifts forty tonnes",
    "and needs a crew of two on board",
    "so that ships are unloaded twice",
    "as fast as in the years before it",
    "when every box was carried by hand",
    "over the old wooden jetty in town",
)
RIGHT = tuple(line.replace("the", "another").replace("and", "or") for line in reversed(LEFT))


def beside(left, right, *, gap: float = 60.0) -> list[SeenWord]:
    """Two texts side by side, as a program reads them that takes a row for one line."""
    first, second = words_of("\n".join(left)), words_of("\n".join(right))
    shift = max(word.right for word in first) + gap - 50.0
    moved = [replace(word, left=word.left + shift, right=word.right + shift) for word in second]
    return sorted([*first, *moved], key=lambda word: (word.line, word.left))


def lines_of(seen) -> list[str]:
    return [" ".join(word.text for word in group) for _, group in groupby(seen, key=lambda word: word.line)]


def test_columns_of_running_text_are_read_one_after_the_other():
    assert lines_of(order_columns(beside(LEFT, RIGHT))) == [*LEFT, *RIGHT]


def test_a_title_above_the_columns_and_a_line_below_them_keep_their_places():
    title = [replace(word, line=-1) for word in words_of("Harbour review of the year " * 3, top=20)]
    foot = [replace(word, line=99) for word in words_of("All figures are of the port authority itself " * 2, top=900)]
    read = lines_of(order_columns([*title, *beside(LEFT, RIGHT), *foot]))
    assert read[1:-1] == [*LEFT, *RIGHT]
    assert read[0].startswith("Harbour review")
    assert read[-1].startswith("All figures")


def test_rows_of_a_table_stay_rows():
    figures = beside(LEFT, [f"{number},120 {number},985 {number}" for number in range(6)])
    assert len(lines_of(order_columns(figures))) == 6
    labels = beside([f"Quay {number}" for number in range(6)], RIGHT)
    assert len(lines_of(order_columns(labels))) == 6
    assert len(lines_of(order_columns(beside(LEFT[:5], RIGHT[:5])))) == 5, "two addresses"
    assert len(lines_of(order_columns(beside(LEFT, RIGHT, gap=7)))) == 6, "words of one line"


def test_a_line_of_thick_letters_is_bold_and_figures_are_not():
    said = ["3. Waiting times", *LEFT, "4,120 3,985 912", *RIGHT]
    picture = Image.new("L", (900, 1000), 250)
    draw, font, seen = ImageDraw.Draw(picture), ImageFont.load_default(26), []
    for number, line in enumerate(said):
        left, thick = 60.0, int(number in (0, 7))
        for word in line.split():
            box = draw.textbbox((left, 40 + 60 * number), word, font=font)
            draw.text((left, 40 + 60 * number), word, fill=10, font=font, stroke_width=thick)
            seen.append(SeenWord(word, number, *box, 95))
            left = box[2] + 9.0
    grey_picture = GreyPicture(np.asarray(picture), 72 / 200)
    read = recognise_page(grey_picture, index=0, shown=(324.0, 360.0), recogniser=FixedRecogniser(seen))
    assert [line.text for line in read.page.lines if line.style.bold] == ["3. Waiting times"]
