"""What can be quoted of a node: the fields of a form, the rows of a table of records."""

from tests.support.engine_documents import Part, compiled, section
from vectorless_web.engine.documents.node import Cell, Column, NodeKind, Row, Table
from vectorless_web.engine.passages.passage import pieces_of


def made(*lines, header=False):
    rows, text = [], ""
    for line in lines:
        cells, start = [], len(text)
        for cell in line.split("\t"):
            cells.append(Cell(cell, start, len(cell)))
            start += len(cell) + 1
        rows.append(Row(cells[0].text, tuple(cells), len(text), len(line), 0, header and not rows))
        text += f"{line}\n"
    part = Part(NodeKind.TABLE, "", text, table=Table(tuple(Column("") for _ in cells), tuple(rows)))
    return compiled("Kennel", section("Dogs", part)).tree.node(2)


def cut(*lines, header=False):
    return [piece.text for piece in pieces_of(made(*lines, header=header))]


def test_a_form_is_cut_into_its_fields():
    assert cut("Breed:\tCollie\tChip number:\t9440\t", "Born:\t3 May 2021\tLast vaccinated:\t7 June 2024") == [
        "Breed:\tCollie",
        "Chip number:\t9440",
        "Born:\t3 May 2021",
        "Last vaccinated:\t7 June 2024",
    ]


def test_a_field_that_is_not_filled_in_is_no_piece():
    assert cut("Keeper:\tA. Holm\tPhone:\t", "Vet:\t\tInsurer:\tPaws Mutual", "Diet:\tdry\tWeight:\t21 kg") == [
        "Keeper:\tA. Holm",
        "Insurer:\tPaws Mutual",
        "Diet:\tdry",
        "Weight:\t21 kg",
    ]


def test_every_field_stands_where_it_was_copied_from():
    node = made("Breed:\tCollie\tChip number:\t9440", "Born:\t3 May 2021\tVet:\tDr Sand")
    assert all(node.text[piece.start : piece.end] == piece.text for piece in pieces_of(node))


def test_the_rows_of_a_table_of_records_stay_whole():
    rows = ("Dog:\tAge\tNote:", "Rex\t4\tbites", "Bo\t2\tshy")
    assert cut(*rows, header=True) == list(rows)
    assert cut("Price per night:\t40\t45", "Price per week:\t210\t240") == [
        "Price per night:\t40\t45",
        "Price per week:\t210\t240",
    ]


def test_the_head_of_a_report_is_cut_into_its_lines():
    head = "Author:    A. Holm\nTitle:     The long road\n           to the kennel\nPages:     40"
    node = compiled("Kennel", section("Dogs", Part(NodeKind.PARAGRAPH, "", head))).tree.node(2)
    assert [piece.text for piece in pieces_of(node)] == [
        "Author:    A. Holm",
        "Title:     The long road\n           to the kennel",
        "Pages:     40",
    ]


def test_a_paragraph_with_a_named_line_or_two_is_cut_into_sentences():
    text = "Note: dogs bark. They do so at night.\nAlso: cats do not."
    node = compiled("Kennel", section("Dogs", Part(NodeKind.PARAGRAPH, "", text))).tree.node(2)
    assert len(pieces_of(node)) == 3
