"""Cards: typed fields, titles, references, and the segment that goes with them."""

import pytest

from tests.engine.parsing.conftest import nodes
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.index.segment import Segment
from vectorless_web.engine.parsing.cards.fields import split_name, typed_fields
from vectorless_web.engine.parsing.cards.titles import choose_title
from vectorless_web.engine.parsing.compile import assemble
from vectorless_web.engine.parsing.drafts import Draft
from vectorless_web.engine.parsing.lines import Line, Page, Style, Tone
from vectorless_web.engine.parsing.tables.drafts import find_units
from vectorless_web.engine.parsing.tables.statements import recognise_statement
from vectorless_web.engine.text.analyser import analyse

COVER = """UNITED STATES
FORM 10-K
For the fiscal year ended June 30, 2023
Alder Marine Works, Inc.
(Exact name of registrant as specified in its charter)
Common Stock, $1 par value ALDR The Nasdaq Stock Market LLC
Alder Marine Works, Inc. and its subsidiaries ("Alder" or the "Company") build boats.
"""


def test_fields_are_read_from_the_cover_and_the_name():
    fields = typed_fields(name="ALDERMARINE_2023Q4_10K.pdf", title="", texts=[COVER])
    assert fields.entities[:3] == ("aldermarine", "alder marine works, inc", "alder marine works")
    assert {"alder", "aldr"} <= set(fields.entities)
    assert "company" not in fields.entities
    assert fields.years == (2023,)
    assert fields.quarters == ("Q4",)
    assert fields.forms[0] == "10-K"
    assert fields.dates == ("2023-06-30",)


def test_parties_of_a_contract_are_its_entities():
    parties = 'Birch Holdings Ltd (the "Lessor") and Cedar Ferries GmbH (the "Lessee")'
    text = f"This lease is between {parties}, dated May 2, 2022."
    fields = typed_fields(name="lease agreement.pdf", title="Lease agreement", texts=[text])
    assert {"birch holdings", "cedar ferries"} <= set(fields.entities)
    assert fields.forms[0] == "lease agreement"
    assert fields.dates == ("2022-05-02",)


def test_a_form_is_read_where_the_cover_names_it_and_not_in_what_is_mentioned():
    mentioned = "Prices of PX-20F\nMore on this stands in the Form 10-K that the company has filed with the commission."
    for text in (mentioned, f"Prices\n{mentioned}"):
        assert typed_fields(name="prices.xlsx", title="Prices", texts=[text, "Form 8-K"]).forms == ()
    assert typed_fields(name="a.pdf", title="", texts=["FORM 20-F/A\nof the year"]).forms == ("20-F",)


def test_a_date_of_the_own_year_goes_before_that_of_what_is_changed():
    text = "Change no. 1 to the deed of 14 March 2022\nSigned on 2 May 2024 and in force from June 2024 on."
    assert typed_fields(name="change.pdf", title="Change no. 1", texts=[text]).dates == ("2024-05-02", "2022-03-14")


def test_a_date_of_a_person_of_old_is_none_of_the_document():
    assert typed_fields(name="painters.pdf", title="Painters", texts=["Lomi died on 8 July 1596."]).dates == ()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("BlueBarn_FY2018Q2_10K.pdf", "Blue Barn FY 2018 Q2 10K"),
        ("annual-report-2023.pdf", "annual report 2023"),
        ("Plain name.txt", "Plain name"),
    ],
)
def test_file_names_are_split_into_words(name, words):
    assert split_name(name) == words


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("(In millions, except per share data)", "In millions, except per share data"),
        ("(Dollars in thousands)", "Dollars in thousands"),
        ("(Millions)", "Millions"),
        ("Sales grew in 2023.", ""),
    ],
)
def test_units_lines_are_read(text, units):
    assert find_units(text) == units


def test_a_statement_needs_its_rows_besides_its_title():
    rows = ["Net sales", "Cost of sales", "Operating income", "Income before income taxes", "Net income", "Basic"]
    assert recognise_statement("Consolidated Statements of Income", rows, excerpts=False) == "income"
    assert recognise_statement("Consolidated Statements of Income", ["Stores", "Employees"], excerpts=False) == ""
    assert recognise_statement("Highlights", rows, excerpts=False) == ""
    assert recognise_statement("Consolidated Statements of Income", rows[:3], excerpts=True) == ""


HANDBOOK = """# Buoy handbook

## Note 1 Lamps

Lamps burn oil and are lit at dusk by the keeper of the light. See Note 2 for the bells, and Note 9 for nothing.

## Note 2 Bells

Bells ring in fog; the keeper winds them every evening, as Note 1 says of the lamps.
"""


def test_mentions_become_links_to_what_they_name(compiled):
    document = compiled(HANDBOOK, "handbook.md")
    tree = document.tree
    links = [link for key in range(len(tree)) for link in tree.references(key)]
    mentions = [tree.node(link.source).text[link.offset : link.offset + link.length] for link in links]
    titles = [tree.node(link.target).title for link in links]
    assert list(zip(mentions, titles, strict=True)) == [("Note 2", "Note 2 Bells"), ("Note 1", "Note 1 Lamps")]


def test_the_card_names_sections_topics_and_hints(compiled):
    card = compiled(HANDBOOK, "handbook.md").card
    assert card.title == "Buoy handbook"
    assert [line.title for line in card.sections][:2] == ["Buoy handbook", "Note 1 Lamps"]
    assert card.topics["lamp"][0][1] == 2.0
    assert "keeper" in card.overview


def test_the_segment_finds_a_leaf_by_its_words_and_its_path(compiled):
    document = compiled(HANDBOOK, "handbook.md")
    segment = Segment(document.segment)
    terms = [(term, 1.0) for term in analyse("bells in fog")]
    best = segment.keys[segment.scores(terms, {"title": 1.0, "path": 0.5, "text": 1.0, "table": 1.0}).argmax()]
    assert document.tree.section_of(int(best)) == next(n.key for n in nodes(document) if n.title == "Note 2 Bells")


SAID = "Harbour report. The harbour was dredged in March, and both cranes were moved to the north berth by June."


def sheet(*lines: tuple[str, float], index: int = 0) -> Page:
    """A page of printed lines, (text, size in points) each, one below the other."""
    page = Page(index, 600, 800, "\n".join(text for text, _ in lines), (600, 800))
    for number, (text, size) in enumerate(lines):
        top = 40.0 + 30 * number
        style = Style(size, False, False, Tone.BLACK, "Serif")
        page.lines.append(Line(index, 0, 0, text, 50, top, 550, top + 25, style, (0, 0), 0))
    return page


@pytest.mark.parametrize(
    ("metadata", "printed", "is_own", "title"),
    [
        ("Harbour report of the works", SAID, False, "Harbour report of the works"),
        ("Letter template for customers", SAID, False, "harbour 2024"),
        ("Annual plan of harbour 2024", SAID, False, "Annual plan of harbour 2024"),
        ("Letter template for customers", "", False, "Letter template for customers"),
        ("Letter template for customers", SAID, True, "Letter template for customers"),
    ],
)
def test_a_stored_title_must_agree_with_the_first_page_or_the_name(metadata, printed, is_own, title):
    nodes = assemble([Draft(NodeKind.PARAGRAPH, SAID, (), 0)], last_page=0)
    pages = [Page(0, 600, 800, printed, (600, 800))]
    chosen = choose_title(metadata=metadata, nodes=nodes, name="harbour 2024.pdf", pages=pages, is_own=is_own)
    assert chosen == title


TEXT = (SAID, 10.0)


@pytest.mark.parametrize(
    ("lines", "metadata", "title"),
    [
        ([("Repair of", 20.0), ("both cranes", 20.0), ("Port office", 12.0), TEXT], "", "Repair of both cranes"),
        ([("The harbour", 16.0), TEXT], "The harbour in 2024", "The harbour in 2024"),
        ([("Birch Ropes plc", 20.0), ("Annual report 2024", 14.0), TEXT], "", "Birch Ropes plc: Annual report 2024"),
        ([("Birch Ropes plc", 20.0), TEXT], "", "Birch Ropes plc"),
        ([("The harbour", 16.0), TEXT], "Cranes and berths", "The harbour"),
        ([("12 March 2024", 20.0), ("Contents", 18.0), TEXT], "", "f81d4fae"),
        ([("UNITED STATES", 14.0), ("FORM 10-Q/A", 14.0), ("For the quarterly period ended May 3, 2023", 9.0),
          ("ALDER MARINE WORKS, INC.", 14.0), ("(Exact name of registrant as specified in its charter)", 7.0),
          ("Alder Marine Works builds boats.", 10.0)], "Alder 2023 Proxy",
         "Alder Marine Works, 10-Q/A, quarter ended 3 May 2023"),
        ([("FORM 8-K", 14.0), ("Birch Ropes plc", 14.0), ("Date of report: June 5, 2024", 9.0)], "",
         "Birch Ropes, 8-K, 5 June 2024"),
    ],
)  # fmt: skip
def test_a_pdf_is_called_what_its_first_page_prints_largest_and_a_filing_by_issuer_and_period(lines, metadata, title):
    pages = [sheet(*lines)]
    assert choose_title(metadata=metadata, nodes=(), name="f81d4fae.pdf", pages=pages) == title


def test_the_card_says_whole_sentences_in_their_order_and_asks_of_headings_that_prose_answers(compiled):
    prose = "The keeper winds the bells every evening. The keeper rings them in fog. Nobody else may touch the bells."
    card = compiled(f"# Buoys\n\n## Bells of the keeper\n\n{prose}\n\n## Empty part of it\n", "bells.md").card
    assert card.overview == prose
    assert card.question_hints == ("What does the section “Bells of the keeper” say?",)
