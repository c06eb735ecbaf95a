"""Readings, excerpts and outlines: whole where they say so, cut around what is wanted, every id with its place."""

import re
from dataclasses import replace

from tests.engine.agent.model.test_view import library_of, quoted, view_of
from tests.support.conversing import long_report
from tests.support.engine_documents import annual_report, compiled, paragraph, section, table
from vectorless_web.engine.agent.model.excerpts import (
    join_excerpts,
    merge_excerpts,
    stems_of,
    write_excerpt,
    write_excerpts,
    write_nodes,
    write_outline,
)
from vectorless_web.engine.agent.model.view import LibraryView, clean_text, count_tokens
from vectorless_web.engine.documents.node import NodeKind

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


def test_an_excerpt_of_a_long_paragraph_is_cut_around_what_is_wanted() -> None:
    filler = "The quay was swept in the morning. " * 30
    view = view_of(compiled("Quay", paragraph(f"{filler}The notice period is ninety days. {filler}")))
    shown = write_excerpt(view, 1, wanted=stems_of("notice period"), tokens=60)
    assert "notice period is ninety days" in shown.body
    assert "left out" in shown.body
    assert '(28 more: read {"from": "D1.1.34"})' in shown.body
    assert count_tokens(shown.body) < 130


def test_a_passage_is_shown_with_what_announces_it_and_with_what_it_announces() -> None:
    ways = replace(paragraph("- by letter\n- by courier"), kind=NodeKind.LIST)
    lease = (paragraph("It runs on. Notice is given as follows:"), paragraph("In no other way than:"), ways)
    view = view_of(compiled("Lease", *lease))
    wanted = stems_of("notice courier")
    keys = {key: [e.key for e in write_excerpts(view, key, wanted=wanted, tokens=60)] for key in (1, 2, 3)}
    assert keys == {1: [1, 2, 3], 2: [2, 1, 3], 3: [3, 2]}
    shown = join_excerpts(write_excerpts(view, 2, wanted=wanted, tokens=60))
    assert "follows:\n[D1.2] In no other way than:\n[D1.3.1] - by letter\n[.2] - by courier" in shown


def test_nodes_left_out_between_two_excerpts_are_told() -> None:
    view = view_of(compiled("Rules", section("Who is let in", *map(paragraph, ("Boats.", "No ships.", "Rafts.")))))
    one, two, three = (write_excerpt(view, key, wanted=frozenset(), tokens=60) for key in (2, 3, 4))
    assert "[D1.2] Boats.\n(…)\n[D1.4] Rafts." in join_excerpts([three, one])
    assert "(…)" not in join_excerpts([one, two, three])


def test_of_a_node_that_two_passages_show_the_longer_part_stays() -> None:
    view = view_of(compiled("Quay", paragraph("The quay was swept in the morning, before the boats came in. " * 20)))
    whole, cut = (write_excerpt(view, 1, wanted=frozenset(), tokens=tokens) for tokens in (600, 40))
    for first, second in ((whole, cut), (cut, whole)):
        assert merge_excerpts({("a", 1): first}, "a", [second]) == {("a", 1): whole}


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


def test_an_excerpt_of_a_table_carries_the_notes_its_rows_refer_to_once() -> None:
    rows = [["Berths (1)", "70", "50"], ["Cranes", "12", "11"], ["Sheds (1)", "9", "8"]]
    notes = [paragraph("(1) Excluding the outer basin."), paragraph("(2) Leased since May.")]
    library = LibraryView()
    view = view_of(compiled("T", table("Assets", rows, columns=["", "2023", "2022"]), *notes), library)
    shown = write_excerpt(view, 1, wanted=stems_of("berths"), tokens=600).body
    library.mark_shown(view.id, [1])
    assert library.was_shown(view.id, 2), "a note that is shown can be cited"
    assert shown.endswith("note [D1.2] (1) Excluding the outer basin.")
    assert shown.count("note ") == 1
    assert not view.write_notes(1, [1])


def test_an_outline_tells_first_what_holds_what_was_found_and_upper_sections() -> None:
    inner = [section(f"Inner {n}", paragraph("Words of the quay. " * 9)) for n in range(9)]
    outer = [section(f"Outer {n}", paragraph("Words of the yard. " * 5)) for n in range(4)]
    view = view_of(compiled("Long", section("Notes", *inner), *outer))
    last = next(key for key in view.tree.sections() if view.tree.node(key).title == "Inner 8")
    shown = write_outline(view, tokens=40, found=[last + 1])
    assert [view.tree.node(key).title for key in shown.keys] == ["Notes", "Inner 8", "Outer 0", "Outer 1"]
    assert "Inner 8" not in write_outline(view, tokens=40).text


def test_an_outline_names_the_larger_sections_and_says_how_much_is_not_listed() -> None:
    inner = [section(f"Inner {n}", paragraph("Words.")) for n in range(30)]
    view = view_of(
        compiled("Long", section("Slogan"), section("First", *inner), section("Second", paragraph("More words.")))
    )
    shown = write_outline(view, tokens=60)
    assert "[D1.2] First" in shown.text
    assert "Slogan" not in shown.text, "there is nothing below it to read"
    assert "Second" in shown.text
    assert re.search(r"\(\d+ smaller sections of D1 are not listed\)", shown.text)
    assert "Second" not in write_outline(view, tokens=600, start=2).text
