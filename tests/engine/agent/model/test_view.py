"""What a model is shown, and that every id in it leads back to its place."""

from hypothesis import given
from hypothesis import strategies as st

from tests.support.conversing import long_report
from tests.support.engine_documents import Part, Shelf, annual_report, compiled, table
from vectorless_web.engine.agent.model.view import DocumentView, LibraryView, clean_text
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import NodeKind


def view_of(document: CompiledDocument, library: LibraryView | None = None, name: str = "a") -> DocumentView:
    corpus = Shelf({name: document})
    return (library or LibraryView()).open(corpus.entries()[0], corpus)


def library_of(document: CompiledDocument) -> LibraryView:
    library = LibraryView()
    view_of(document, library)
    return library


def quoted(library: LibraryView, said: str) -> str:
    pointer = library.resolve(said)
    assert pointer is not None
    view = library[pointer.document]
    return view.tree.node(pointer.key).text[pointer.start : pointer.end]


def test_sentences_rows_cells_and_headings_have_ids_that_resolve() -> None:
    library = library_of(annual_report())
    assert quoted(library, "[D1.5.2]").startswith("Gross margin declined")
    assert quoted(library, "d1.5.1-2").endswith("Lund plant.")
    assert quoted(library, "D1.7.r1") == "Net sales\t$ 5,400\t$ 5,000"
    assert quoted(library, "D1.7.r1c2") == "$ 5,000"
    assert quoted(library, "D1.6") == "Financial statements"
    assert quoted(library, "D1.7.r1-r2").count("\n") == 1


def test_ids_of_nothing_resolve_to_nothing() -> None:
    library = library_of(annual_report())
    for said in ("D2.5", "D1.0", "D1.999", "D1.5.9", "D1.7.r99", "D1.7.r1c9", "D1.5.r1", "D1.p99", "page 7", "", "D1"):
        assert library.resolve(said) is None, said


@given(st.text(max_size=40))
def test_resolving_never_fails(said: str) -> None:
    assert library_of(REPORT).resolve(said) is None or said.strip()


REPORT = annual_report()


def test_the_head_of_a_column_has_an_id() -> None:
    library = library_of(annual_report())
    assert quoted(library, "D1.7.c2") == "2018"
    assert library.resolve("D1.7.c0") is None, "the column of labels has no head"
    assert library.resolve("D1.5.c1") is None


def test_rows_of_the_body_that_were_taken_for_heads_are_shown_as_rows() -> None:
    sentence = "The enrolment period is expected to be twelve months, " * 4
    rows = [["Ratio of earnings:", "", ""], ["Income before tax", "7", "5"], [sentence, "", ""]]
    view = view_of(compiled("R", table("Ratios", rows, columns=["", "2019", "2018"], heads=3)))
    lines = view.write_leaf(1).splitlines()
    assert lines[0] == "[D1.1] table: Ratios | c1: 2019 | c2: 2018"
    assert lines[1] == "[.r1] Ratio of earnings:"
    long_head = view_of(compiled("R", table("T", [["7", "5"]], columns=[sentence, "2018"])))
    assert f"[.r0] {clean_text(sentence)} | 2018" in long_head.write_leaf(1)


def test_the_dollar_of_a_table_is_told_as_printed() -> None:
    rows = [["Legal reserve", "$ 707,299", "$ 963,947"], ["Special reserve", "$ 11,491", "$ 20,104"]]
    view = view_of(compiled("R", table("", rows, columns=["", "2018", "2019"])))
    assert view.write_leaf(1).startswith("[D1.1] table ($) | c1: 2018")


def test_the_rows_of_a_form_head_no_columns() -> None:
    rows = [["Other rating:", "None", "Restraint:", "Seatbelt"], ["Instructor:", "Airplane", "Second pilot:", "No"]]
    last = ["Flight time:", "11423 hours (all aircraft)", "", ""]
    view = view_of(compiled("R", table("", [rows[1], last], columns=rows[0], heads=0)))
    assert view.write_leaf(1).splitlines()[:2] == [
        "[D1.1] table | c0 | c1 | c2 | c3",
        "[.r0] Other rating: | None | Restraint: | Seatbelt",
    ]


def test_empty_cells_keep_their_columns_also_at_the_end_of_a_row() -> None:
    rows = [["Deficit", "7", ""], ["Assets:", "", ""], ["", "", "5"]]
    view = view_of(compiled("R", table("", rows, columns=["", "2019", "2018"])))
    assert view.write_leaf(1).splitlines()[1:] == ["[.r1] Deficit | 7 |", "[.r2] Assets:", "[.r3]  |  | 5"]


def test_soft_hyphens_dot_leaders_and_broken_white_space_are_not_shown() -> None:
    assert clean_text("Rev\u00adenue ........ . . . .  12\n  b") == "Revenue … 12 b"


def test_running_heads_are_not_read_and_lists_keep_their_lines() -> None:
    document = compiled(
        "D",
        Part(NodeKind.RUNNING, "", "Harbour Board 2019"),
        Part(NodeKind.LIST, "", "First duty\nSecond duty"),
    )
    view = view_of(document)
    assert view.list_readable(0) == [2]
    assert view.write_leaf(2) == "[D1.2.1] First duty\n[.2] Second duty"


def test_documents_are_found_by_number_name_and_title() -> None:
    library = LibraryView()
    first, second = view_of(annual_report("Norrvik"), library, "n"), view_of(long_report(), library, "lease")
    assert [library.find(said) for said in ("D2", "[D1]", "lease.pdf", "Harbour lease", "", "D7")] == [
        second,
        first,
        second,
        second,
        None,
        None,
    ]
