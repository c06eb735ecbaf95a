"""What a model is shown of a document before it asks: what is near, no fillers, an outline that says something."""

from dataclasses import replace

import pytest

from tests.engine.agent.test_steps import walk_of
from tests.support.engine_documents import Part, compiled, paragraph, section, table
from vectorless_web.engine.documents.node import Column, NodeKind
from vectorless_web.engine.text.tokens import HeuristicEstimator

QUESTION = "Which vaccine is given to nurses?"


def reader_of(*parts, question=QUESTION):
    return walk_of(compiled("Protocol", *parts), question).reader


def texts(passages):
    return [passage.text.strip() for passage in passages]


@pytest.mark.parametrize("text", ["17", "(a) (a) (a)", "- 4 -", "*", "1. 2. 3.", "10,000"])
def test_page_numbers_and_lone_marks_are_no_passages(text):
    reader = reader_of(section("Vaccine", paragraph(text), paragraph("Nurses get the vaccine in March.")))
    assert texts(reader.whole()) == ["Nurses get the vaccine in March."]


@pytest.mark.parametrize("text", ["Yes.", "No", "Due in 30 days", "a) one dose", "接种疫苗"])
def test_short_words_that_say_something_stay(text):
    assert text in texts(reader_of(section("Vaccine", paragraph(text))).whole())


def test_a_line_that_stands_on_many_pages_is_no_passage():
    pages = [section(f"Part {n}", paragraph("Vaccine protocol, version 2", page=n), page=n) for n in range(5)]
    assert reader_of(*pages).whole() == ()


@pytest.mark.parametrize(
    "text",
    [
        "Smith J, et al. Vaccine uptake of nurses. Lancet 2011;12(3):45-67.",
        "https://www.example.org/vaccine-nurses-2020",
        "Vaccine of nurses .......... 12\nDoses of nurses .......... 14",
    ],
)
def test_works_cited_addresses_and_contents_are_not_offered_as_evidence(text):
    reader = reader_of(section("Vaccine", paragraph(text), paragraph("Nurses get the influenza vaccine.")))
    assert texts(reader.nearest()) == ["Nurses get the influenza vaccine."]


def test_works_cited_are_offered_to_a_question_about_them():
    cited = "Smith J, et al. Vaccine uptake of nurses. Lancet 2011;12(3):45-67."
    reader = reader_of(section("Vaccine", paragraph(cited)), question="Which reference is about nurses and a vaccine?")
    assert texts(reader.nearest()) == [cited]


def test_a_paragraph_that_is_printed_twice_is_shown_once():
    said = "Nurses get the influenza vaccine."
    assert texts(reader_of(section("A", paragraph(said)), section("B", paragraph(said))).nearest()) == [said]


def test_what_a_colon_announces_comes_with_it():
    reader = reader_of(
        section("Doses", paragraph("The vaccine for nurses is:"), paragraph("influenza, each autumn")),
        section("Other", *(paragraph(f"Nurses of ward {n} were asked about a vaccine.") for n in range(9))),
    )
    shown = texts(reader.nearest())
    assert shown.index("influenza, each autumn") == shown.index("The vaccine for nurses is:") + 1


def test_the_outline_says_what_stands_in_a_section_within_its_tokens():
    doses = table("Doses", [["Influenza", "1"], ["Tetanus", "2"]], columns=["Vaccine", "Doses"])
    parts = [section("Staff", paragraph("Nurses get the vaccine first. Others wait.")), section("Doses", doses)]
    outline = reader_of(*parts, *(section(f"Annex {n}", paragraph("Not used.")) for n in range(90))).outline(300)
    assert "[1] Staff | p. 1 | Nurses get the vaccine first." in outline
    assert "table: Doses; Influenza; Tetanus" in outline
    assert "more sections are not listed here" in outline
    assert HeuristicEstimator().estimate(outline) <= 320


def test_a_table_brings_its_units_when_its_header_does_not_state_them():
    silent = table("Cash", [["Cash", "5"]], columns=["", "2019"], units="Dollars in millions")
    spoken = table("Cash", [["Cash", "5"]], columns=["In millions", "2019"])
    shown = reader_of(section("A", silent), section("B", spoken), question="How much cash?").whole()
    assert [passage.units for passage in shown] == ["Dollars in millions", ""]
    assert [passage.heads for passage in shown] == [1, 1]


def test_a_sentence_that_a_page_break_cuts_is_shown_whole():
    head, tail = "Nurses of all wards are offered the influenza vaccine and", "are paid for the hour that it takes."
    foot = section("Staff", paragraph(head), paragraph("7"), paragraph(tail, page=1))
    others = section("Other", *(paragraph(f"Nurses of ward {n} were asked about a vaccine.") for n in range(9)))
    shown = texts(reader_of(foot, others).nearest())
    assert f"{head} {tail}" in shown


def test_a_sentence_that_a_footnote_cuts_is_shown_whole_and_the_rest_of_either_paragraph_stays_out():
    head = "Leave is granted. The vaccine is offered to nurses of all"
    tail = "wards free of charge. Parking costs two euros."
    note = Part(NodeKind.FOOTNOTE, text="1 Of the wards open in May.")
    reader = reader_of(section("Staff", paragraph(head), note, paragraph(tail)))
    assert reader.packed_node(2).text == f"{head} wards free of charge."
    assert reader.packed_node(4).text == f"The vaccine is offered to nurses of all {tail}"
    assert texts(reader.whole()) == [head, note.text, tail], "in reading order nothing is said twice"


def test_a_paragraph_of_the_next_page_that_begins_anew_is_not_taken_for_the_other_half():
    told = section("Staff", paragraph("Nurses get a vaccine."), paragraph("Parking is free.", page=1))
    others = section("Other", *(paragraph(f"Nurses of ward {n} were asked about a vaccine.") for n in range(9)))
    shown = texts(reader_of(others, told).nearest())
    assert "Parking is free." not in shown or shown.index("Parking is free.") > shown.index("Nurses get a vaccine.") + 1


@pytest.mark.parametrize("text", ["Vaccine", "Vaccine for nurses:"])
def test_a_label_alone_stands_last(text):
    labels = [section(f"Part {n}", paragraph(text)) for n in range(2)]
    told = section("Staff", paragraph("The vaccine for nurses is given in autumn, free of charge, to all who ask."))
    assert texts(reader_of(*labels, told).nearest())[-1] == text


@pytest.mark.parametrize(
    "text",
    [
        "Vaccine 3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        "Nurses 9f86d081884c7d659a2feaa0c55ad015",
        "Vaccine Table of Contents",
        "Page 3 of 12",
    ],
)
def test_identifiers_and_running_heads_are_no_evidence(text):
    reader = reader_of(section("Vaccine", paragraph(text), paragraph("Nurses get the influenza vaccine.")))
    assert texts(reader.nearest()) == ["Nurses get the influenza vaccine."]


@pytest.mark.parametrize(
    ("periods", "told"), [(["", "2024", "2025"], " | 2024 | 2025"), (["", "", "2025"], ""), (["", "2025"], "2025")]
)
def test_periods_of_columns_are_told_only_when_every_column_has_one(periods, told):
    columns = [Column(f"Plan {place}", period=period) for place, period in enumerate(periods)]
    part = table("Doses", [["Influenza", *("5" for _ in periods[1:])]], columns=[column.header for column in columns])
    part = replace(part, table=replace(part.table, columns=tuple(columns)))
    (shown,) = reader_of(section("Doses", part)).whole()
    assert shown.columns.strip(" |") == told.strip(" |")


RULE = "4.1 A nurse who works with infants is given the vaccine before the first shift"


def test_a_heading_with_nothing_below_it_is_a_passage_when_it_says_something():
    reader = reader_of(section("Staff", section(RULE), section("4.2 Others")), section("Other", paragraph("Nothing.")))
    assert RULE in texts(reader.whole()) and RULE in texts(reader.nearest())
    assert "4.2 Others" not in texts(reader.whole())
    assert {passage.kind for passage in reader.whole()} == {NodeKind.PARAGRAPH}


@pytest.mark.parametrize(
    "text",
    [
        "_53914a08-e482-11ec-bc42-08630483ea00",
        "VV-TMF-0012345 v2.0",
        "Nurse's signature: Date: MM/DD/YYYY",
        "Name of the nurse: ______________ Vaccine: ____________",
        "Vaccine given to nurse ☐ yes ☐ no",
    ],
)
def test_numbers_of_files_and_blank_forms_are_not_offered_as_evidence(text):
    reader = reader_of(section("Vaccine", paragraph(text), paragraph("Nurses get the influenza vaccine.")))
    assert texts(reader.nearest()) == ["Nurses get the influenza vaccine."]


@pytest.mark.parametrize(
    "text", ["Vaccine: influenza, given to nurses by 31/10/2023.", "Nurses get vaccine B12-R7 first."]
)
def test_what_states_something_beside_a_code_or_a_date_is_offered(text):
    assert text in texts(reader_of(section("Vaccine", paragraph(text))).nearest())


def test_a_line_that_repeats_but_for_the_number_of_its_page_is_no_passage():
    pages = [
        section(f"Part {n}", paragraph(f"{n + 1} Harbour ward vaccine report 2015", page=n), page=n) for n in range(5)
    ]
    assert reader_of(*pages).whole() == ()
    steps = [section(f"Part {n}", paragraph(f"Give dose {n}", page=n), page=n) for n in range(5)]
    assert len(reader_of(*steps).whole()) == 5
