"""Cards: typed fields, titles, references, and the segment that goes with them."""

import pytest

from tests.engine.parsing.conftest import nodes
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.index.segment import Segment
from vectorless_web.engine.parsing.cards.fields import split_name, typed_fields
from vectorless_web.engine.parsing.cards.titles import choose_title
from vectorless_web.engine.parsing.compile import assemble
from vectorless_web.engine.parsing.drafts import Draft
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
    [best, *_] = segment.search(terms, weights={"title": 1.0, "path": 0.5, "text": 1.0, "table": 1.0}, limit=5)
    assert document.tree.section_of(best.key) == next(n.key for n in nodes(document) if n.title == "Note 2 Bells")


def test_the_same_bytes_give_the_same_artefact(tmp_path):
    from vectorless_web.engine.parsing.compile import compile_file

    path = tmp_path / "handbook.md"
    path.write_text(HANDBOOK)
    assert compile_file(path, name="handbook.md") == compile_file(path, name="handbook.md")


def test_progress_is_told_by_stage(tmp_path):
    from vectorless_web.engine.parsing.compile import compile_file

    path = tmp_path / "handbook.md"
    path.write_text(HANDBOOK)
    told: list[tuple[str, int, int]] = []
    compile_file(path, name="handbook.md", progress=lambda *step: told.append(step))
    assert list(dict.fromkeys(stage for stage, _, _ in told)) == ["parsing", "outlining", "indexing"]
    assert all(done <= total for _, done, total in told)


SAID = "Harbour report. The harbour was dredged in March, and both cranes were moved to the north berth by June."


@pytest.mark.parametrize(
    ("metadata", "printed", "title"),
    [
        ("Harbour report of the works", SAID, "Harbour report of the works"),
        ("Letter template for customers", SAID, "harbour 2024"),
        ("Annual plan of harbour 2024", SAID, "Annual plan of harbour 2024"),
        ("Letter template for customers", "", "Letter template for customers"),
        ("Letter template for customers", None, "Letter template for customers"),
    ],
)
def test_a_stored_title_must_agree_with_the_first_page_or_the_name(metadata, printed, title):
    nodes = assemble([Draft(NodeKind.PARAGRAPH, SAID, (), 0)], last_page=0)
    assert choose_title(metadata=metadata, nodes=nodes, name="harbour 2024.pdf", printed=printed) == title
