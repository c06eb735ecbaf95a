"""What a model is shown, and that every id in it leads back to its place."""

import re

from hypothesis import given
from hypothesis import strategies as st

from tests.support.conversing import long_report
from tests.support.engine_documents import Part, annual_report, compiled, paragraph, section, table
from vectorless_web.engine.agent.corpus import DocumentEntry
from vectorless_web.engine.agent.model.view import (
    DocumentView,
    LibraryView,
    clean_text,
    count_tokens,
    stems_of,
    write_excerpt,
    write_nodes,
    write_outline,
)
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import NodeKind


def view_of(document: CompiledDocument, library: LibraryView | None = None, name: str = "a") -> DocumentView:
    entry = DocumentEntry(name, f"{name}.pdf", document.title, len(document.pages))
    return (library or LibraryView()).add(entry, document)


def library_of(document: CompiledDocument) -> LibraryView:
    library = LibraryView()
    view_of(document, library)
    return library


def quoted(library: LibraryView, said: str) -> str:
    pointer = library.resolve(said)
    assert pointer is not None
    view = library.of_id(pointer.document)
    assert view is not None
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


def test_every_id_shown_resolves_to_the_text_beside_it() -> None:
    library = library_of(REPORT)
    view = library.documents[0]
    shown = write_nodes(view, view.list_readable(0), tokens=10**6)
    node = ""
    for match in re.finditer(r"\[(D\d+\.\d+)?(\.r?\d+)?\] ([^\[\n]+)", shown.text):
        node = match[1] or node
        said = f"{node}{match[2] or ''}"
        if "table:" in match[3]:
            continue
        text = clean_text(quoted(library, said).replace("\t", " | "))
        beside = re.sub(r" ?\(p\. \d+\)$", "", match[3].strip())
        assert text.startswith(beside[:20]), said


def test_a_table_names_its_columns_once_with_units_and_no_header_rows() -> None:
    text = view_of(annual_report()).write_leaf(8)
    assert text.splitlines()[0] == (
        "[D1.8] table: Consolidated Balance Sheets (Dollars in millions) | c1: 2019 | c2: 2018"
    )
    assert text.splitlines()[1] == "[.r1] Inventories | 900 | 700"


def test_soft_hyphens_dot_leaders_and_broken_white_space_are_not_shown() -> None:
    assert clean_text("Rev\u00adenue ........ . . . .  12\n  b") == "Revenue … 12 b"


def test_a_reading_is_whole_or_says_where_it_goes_on() -> None:
    view = view_of(long_report())
    keys, seen = view.list_readable(0), []
    start, place = "", 0
    while place < len(keys):
        shown = write_nodes(view, keys[place:], tokens=700, start=start)
        assert count_tokens(shown.text) <= 800
        seen += [key for key in shown.keys if key not in seen]
        if not shown.goes_on:
            break
        said = shown.goes_on.split(".")
        place, start = keys.index(int(said[1])), said[2] if len(said) > 2 else ""
    assert seen == keys


def test_nothing_is_left_out_of_a_document_shown_whole() -> None:
    text = write_nodes(view_of(REPORT), view_of(REPORT).list_readable(0), tokens=10**6).text
    for key in REPORT.tree.leaves():
        for word in REPORT.tree.node(key).text.split():
            # The names of columns stand in the line above the rows.
            assert word in text


def test_an_excerpt_of_a_long_paragraph_is_cut_around_what_is_wanted() -> None:
    filler = "The quay was swept in the morning. " * 30
    view = view_of(compiled("Quay", paragraph(f"{filler}The notice period is ninety days. {filler}")))
    shown = write_excerpt(view, 1, wanted=stems_of("notice period"), tokens=60)
    assert "notice period is ninety days" in shown.body
    assert "left out" in shown.body
    assert "goes on" in shown.body
    assert count_tokens(shown.body) < 130


def test_an_excerpt_of_a_table_keeps_the_header_row_in_its_middle() -> None:
    rows = [[f"Item {n}", str(n * 7), str(n * 5)] for n in range(1, 60)]
    rows[30] = ["Six months ended June 30", "2023", "2022"]
    rows[40] = ["Deferred berth fees", "812", "790"]
    view = view_of(compiled("T", table("Fees", rows, columns=["", "2023", "2022"])))
    node = view.tree.node(1)
    assert node.table is not None
    shown = write_excerpt(view, 1, wanted=stems_of("berth fees"), tokens=60)
    assert "Deferred berth fees | 812 | 790" in shown.body
    assert "c1: 2023" in shown.body


def test_an_outline_goes_by_level_and_says_how_much_is_not_listed() -> None:
    inner = [section(f"Inner {n}", paragraph("Words.")) for n in range(30)]
    view = view_of(compiled("Long", section("First", *inner), section("Second", paragraph("More words."))))
    shown = write_outline(view, tokens=60)
    assert "[D1.1] First" in shown.text
    assert "Second" in shown.text
    assert re.search(r"\(\d+ more sections are not listed here\)", shown.text)
    assert "Second" not in write_outline(view, tokens=600, start=1).text


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
