"""Whether things are of the kind that a question asks about."""

import pytest

from vectorless_web.engine.relations.kinds import are_names, is_called
from vectorless_web.engine.relations.rows import terms_of


@pytest.mark.parametrize(
    "noun,said,called",
    [
        ("appointment", "Visits of the nurse", True),
        ("location", "Site", True),
        ("appointment", "Drug", False),
    ],
)
def test_a_table_may_call_a_thing_by_a_near_word(noun, said, called):
    assert is_called(noun, terms_of(said)) is called


@pytest.mark.parametrize(
    "names,are",
    [
        (["United Kingdom", "Rest of World", "Canada"], True),
        (["Cost of sales", "Gross profit"], False),
        (["Canada"], False),
    ],
)
def test_countries_and_firms_are_known_by_how_they_are_written(names, are):
    assert are_names(names) is are
