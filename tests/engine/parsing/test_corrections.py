"""Correcting an outline by hand."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectorless_web.engine.documents.node import GlyphRun, NodeKind
from vectorless_web.engine.errors import InvalidInput
from vectorless_web.engine.parsing.compile import assemble
from vectorless_web.engine.parsing.corrections import Correction, CorrectionAct, apply_corrections
from vectorless_web.engine.parsing.drafts import Draft

RENAME, MOVE, JOIN, SPLIT = CorrectionAct


def heading(title: str, level: int) -> Draft:
    return Draft(NodeKind.SECTION, title, (GlyphRun(0, 0, 0, len(title)),), 0, title, level)


def words(text: str) -> Draft:
    return Draft(NodeKind.PARAGRAPH, text, (GlyphRun(0, 0, 0, len(text)),), 0)


DRAFTS = [
    heading("Part I", 0),  # 1
    heading("Business", 4),  # 2
    words("Cold stores."),  # 3
    heading("Risks", 4),  # 4
    heading("Weather", 7),  # 5
    words("It may rain."),  # 6
    heading("Part II", 0),  # 7
    words("Results"),  # 8
]


def outline(drafts: list[Draft]) -> list[tuple[int, str]]:
    nodes = assemble(drafts, last_page=0)
    return [(node.depth - 1, node.title) for node in nodes if node.kind is NodeKind.SECTION]


def after(*corrections: Correction) -> list[tuple[int, str]]:
    return outline(apply_corrections(DRAFTS, corrections))


def test_without_corrections_the_outline_stays():
    assert after() == outline(DRAFTS)
    assert after(Correction(2, RENAME, "Business")) == outline(DRAFTS)


def test_a_heading_is_renamed():
    assert (1, "Our business") in after(Correction(2, RENAME, " Our business "))


def test_a_heading_moves_with_everything_below_it():
    assert after(Correction(4, MOVE, depth=0)) == [
        (0, "Part I"), (1, "Business"), (0, "Risks"), (1, "Weather"), (0, "Part II"),
    ]  # fmt: skip
    assert after(Correction(4, MOVE, depth=2))[2:4] == [(2, "Risks"), (3, "Weather")]


def test_a_heading_that_is_none_becomes_text_of_the_section_before():
    assert after(Correction(4, JOIN)) == [(0, "Part I"), (1, "Business"), (2, "Weather"), (0, "Part II")]


def test_a_paragraph_becomes_a_heading():
    assert after(Correction(8, SPLIT))[-1] == (1, "Results")
    assert after(Correction(8, SPLIT, "The results", 0))[-1] == (0, "The results")


def test_corrections_build_on_each_other():
    found = after(Correction(8, SPLIT), Correction(8, RENAME, "Our results"), Correction(8, MOVE, depth=0))
    assert found[-1] == (0, "Our results")


@pytest.mark.parametrize(
    "wrong",
    [
        Correction(0, RENAME, "x"), Correction(9, RENAME, "x"), Correction(3, RENAME, "x"), Correction(2, RENAME, " "),
        Correction(2, MOVE), Correction(2, MOVE, depth=-1), Correction(3, JOIN), Correction(2, SPLIT),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(wrong):
    with pytest.raises(InvalidInput):
        after(wrong)


def test_a_long_paragraph_is_no_heading():
    with pytest.raises(InvalidInput):
        apply_corrections([words("word " * 100)], [Correction(1, SPLIT)])


acts = st.builds(Correction, st.integers(1, 8), st.sampled_from(list(CorrectionAct)), st.just("New"), st.integers(0, 5))


@given(st.lists(acts, max_size=6))
def test_no_character_is_lost_and_no_key_moves(corrections):
    fitting = list(DRAFTS)
    for correction in corrections:
        try:
            fitting = apply_corrections(fitting, [correction])
        except InvalidInput:
            continue
    assert [draft.text for draft in fitting] == [draft.text for draft in DRAFTS]
    assert [draft.runs for draft in fitting] == [draft.runs for draft in DRAFTS]
    depths = [depth for depth, _ in outline(fitting)]
    assert all(after - before <= 1 for before, after in pairwise(depths))
