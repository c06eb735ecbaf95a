"""Capitals of all letters, each by itself."""

import pytest

from vectorless_web.infra.letters import fold_letters


@pytest.mark.parametrize(
    ("text", "capitals"),
    [("plan 1", "PLAN 1"), ("Übersicht", "ÜBERSICHT"), ("ς σ", "Σ Σ"), ("Straße", "STRAßE"), ("ﬁt", "ﬁT"), ("", "")],
)
def test_a_letter_that_has_no_single_capital_stays(text, capitals):
    assert fold_letters(text) == capitals
