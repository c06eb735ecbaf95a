import re
from dataclasses import dataclass
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from vectorless_web.runs.page.sheets import WIDTH, draw, spread_places


@dataclass
class Heading:
    key: int
    parent_key: int
    subtree_end: int
    title: str
    page_start: int
    page_end: int


REPORT = [
    Heading(1, 0, 5, "Strategy", 0, 19),
    Heading(2, 1, 3, "Outlook", 2, 4),
    Heading(3, 1, 5, "Review", 5, 19),
    Heading(5, 0, 9, "Notes", 20, 99),
    Heading(6, 5, 7, "1. Basis", 20, 39),
    Heading(7, 5, 9, "2. Debt", 40, 99),
    Heading(9, 0, 10, "Glossary", 100, 119),
]


def ref(key, page, role, last=None):
    return {"key": key, "page_start": page, "page_end": page if last is None else last, "role": role}


def test_a_read_page_is_reached_from_the_root_through_its_part_and_its_section():
    tree = draw(REPORT, [ref(8, 44, "read")], 120)
    assert [label.text for label in tree.labels if label.lit] == ["45"]
    assert len(tree.path) == 3
    assert tree.path[0].startswith("M160.0 8C")
    assert tree.path[2].endswith(f"{tree.leaves[0].x + 3.5:.1f} 87")


def test_a_section_that_was_turned_back_from_has_a_cross_and_no_solid_line():
    tree = draw(REPORT, [ref(2, 2, "turned_back", 4)], 120)
    assert len(tree.turned) == 1
    assert tree.path == ()
    assert len(tree.seen) == 2


def test_pages_read_are_counted_once():
    tree = draw(REPORT, [ref(8, 44, "read", 46), ref(7, 45, "read", 47), ref(6, 20, "walked")], 120)
    assert tree.pages_read == 4


def test_a_document_without_sections_shows_its_pages():
    tree = draw([], [ref(4, 2, "read")], 5)
    assert [label.text for label in tree.labels if label.lit] == ["3"]
    assert len(tree.ruler) == 1


@given(
    st.integers(1, 2000),
    st.lists(
        st.tuples(st.integers(1, 9), st.integers(0, 119), st.sampled_from(["read", "walked", "looked"])), max_size=12
    ),
)
def test_everything_drawn_stays_inside_the_box(page_count, touched):
    refs = [ref(key, min(page, page_count - 1), role) for key, page, role in touched]
    sections = [Heading(**{**vars(h), "page_start": min(h.page_start, page_count - 1)}) for h in REPORT]
    sections = [Heading(**{**vars(h), "page_end": min(h.page_end, page_count - 1)}) for h in sections]
    tree = draw(sections, refs, page_count)
    for line in (*tree.twigs, *tree.seen, *tree.path):
        xs = [float(x) for x, _ in re.findall(r"(-?[\d.]+) (-?[\d.]+)", line)]
        assert all(-0.1 <= x <= WIDTH + 0.1 for x in xs)
    assert all(0 <= stretch.x <= WIDTH and stretch.width > 0 for stretch in tree.ruler)
    assert all(0 <= leaf.x <= WIDTH - leaf.width for leaf in tree.leaves)


def test_a_tree_of_thousands_of_sections_makes_a_small_map_with_neighbours_apart():
    parts = [Heading(60 * n + 1, 0, 60 * n + 61, f"Part {n}", 9 * n, 9 * n + 8) for n in range(30)]
    leaves = [
        Heading(part.key + n, part.key, part.key + n + 1, "", part.page_start, part.page_end)
        for part in parts
        for n in range(1, 60)
    ]
    tree = draw([*parts, *leaves], [ref(leaf.key, leaf.page_start, "read") for leaf in leaves[::20]], 270)
    assert len(tree.twigs) + len(tree.seen) + len(tree.path) < 200
    for y in (36, 62):
        xs = [spot.x for spot in tree.knots if spot.y == y]
        assert all(after - before >= 6.9 for before, after in pairwise(xs))


@given(st.lists(st.floats(0, WIDTH), max_size=100))
def test_spreading_keeps_order_and_stays_inside(wanted):
    placed = spread_places(sorted(wanted))
    assert placed == sorted(placed)
    assert all(0 <= x <= WIDTH for x in placed)
