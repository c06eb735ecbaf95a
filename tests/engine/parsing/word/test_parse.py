"""Word documents: nothing that Word shows is lost, what it does not show stays out, and bad files are told apart."""

import re

from docx.shared import Pt
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engine.parsing.conftest import outline, shown, texts, uncovered
from tests.support.open_documents import open_document
from tests.support.word_files import LEGAL, MAIN, add_numbering, body, number, related, word


def paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def test_numbers_that_word_prints_before_clauses_are_part_of_the_text(compiled):
    def clauses(document):
        add_numbering(document, LEGAL)
        number(document.add_heading("Term", 1), 0)
        number(document.add_paragraph("The agreement runs for two years."), 1)
        number(document.add_paragraph("It ends earlier"), 1)
        number(document.add_paragraph("by notice, or"), 2)
        number(document.add_paragraph("by breach."), 2)
        number(document.add_heading("Payment", 1), 0)
        number(document.add_paragraph("Invoices are due in thirty days."), 1)

    document = compiled(word(clauses), "clauses.docx")
    assert outline(document) == [(1, "1. Term"), (1, "2. Payment")]
    listed = "\n".join(texts(document, "list"))
    assert [line.split()[0] for line in listed.splitlines()] == ["1.1", "1.2", "(a)", "(b)", "2.1"]
    assert not uncovered(document)


def test_footnotes_headers_and_text_boxes_are_not_lost(compiled):
    boxed = (
        '<w:r><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        f"<mc:Choice Requires='wps'><w:drawing><w:txbxContent>{paragraph('In a box')}</w:txbxContent></w:drawing>"
        f"</mc:Choice><mc:Fallback><w:pict><w:txbxContent>{paragraph('In a box')}</w:txbxContent></w:pict>"
        "</mc:Fallback></mc:AlternateContent></w:r>"
    )
    text = f'<w:p><w:r><w:t>Costs 412</w:t></w:r><w:r><w:footnoteReference w:id="7"/></w:r>{boxed}</w:p>'
    notes = f'<w:footnotes xmlns:w="{MAIN}"><w:footnote w:id="7">{paragraph("Without tax.")}</w:footnote></w:footnotes>'
    header = f'<w:hdr xmlns:w="{MAIN}">{paragraph("Confidential")}</w:hdr>'
    content = related(related(body(text), "footnotes", "footnotes.xml", notes), "header", "header1.xml", header)
    document = compiled(content, "a.docx")
    assert texts(document, "footnote") == ["1 Without tax."]
    assert texts(document, "running") == ["Confidential"]
    assert shown(document).count("In a box") == 1
    assert "Costs 412" in texts(document, "paragraph")
    assert not uncovered(document)


def test_headers_of_an_opendocument_text_are_kept(compiled):
    content = open_document(
        "text", "<text:p>x</text:p>", running="<style:header><text:p>Harbour</text:p></style:header>"
    )
    assert texts(compiled(content, "lease.odt"), "running") == ["Harbour"]


RUNS = st.lists(st.sampled_from(["Rope ", "12", "\t", "\n", "§ 3", "длина", "長さ", "\xad", "\u200b", " "]), max_size=5)
PARTS = st.lists(
    st.tuples(st.sampled_from(["Normal", "Heading 1", "List Number", "Caption", "table"]), RUNS), max_size=9
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(PARTS)
def test_every_printed_character_stands_in_exactly_one_block(compiled, parts):
    def write(document):
        document.add_paragraph("Always a word").runs[0].font.size = Pt(9)
        for style, runs in parts:
            if style == "table":
                made = document.add_table(rows=2, cols=2)
                made.cell(0, 0).text, made.cell(1, 1).text = "".join(runs), "x  y"
                continue
            added = document.add_paragraph(style=style)
            for run in runs:
                added.add_run(run)

    document = compiled(word(write), "a.docx")
    assert not uncovered(document)
    said = " ".join("".join(runs) for _, runs in parts)
    wanted = re.findall(r"\w+", said.replace("\xad", "").replace("\u200b", ""))
    kept = re.sub(r"\s", "", shown(document))
    assert all(one in kept for one in wanted)
