"""What a model is shown, and that every id in it leads back to its place."""

from hypothesis import given
from hypothesis import strategies as st

from tests.support.conversing import long_report
from tests.support.engine_documents import Part, Shelf, annual_report, compiled, paragraph
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


def test_a_heading_is_found_by_its_title_where_its_letters_run_on() -> None:
    heading = Part(NodeKind.SECTION, "Harbour Office", "HarbourOffice", parts=(paragraph("It opens at nine."),))
    assert view_of(compiled("R", heading)).find_literally("harbour office") == [(1, -1)]


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


def test_soft_hyphens_dot_leaders_and_broken_white_space_are_not_shown() -> None:
    assert clean_text("Rev\u00adenue ........ . . . .  12\n  b") == "Revenue … 12 b"


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
