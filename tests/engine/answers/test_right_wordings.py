"""Right replies are not struck for their form, and wrong numbers still are."""

import pytest

from tests.support.scripted_replies import reply_cases
from vectorless_web.engine.answers.claims import Support

RIGHT, WRONG = reply_cases("right_wordings"), reply_cases("wrong_numbers")


@pytest.mark.parametrize("case", RIGHT, ids=lambda case: case.name)
def test_a_right_reply_is_accepted_in_everyday_wording(case):
    claims = case.check()
    assert [(claim.text, claim.because) for claim in claims if claim.because] == []
    assert {claim.support for claim in claims} <= {Support.SUPPORTED, Support.DERIVED}


@pytest.mark.parametrize("case", WRONG, ids=lambda case: case.name)
def test_a_wrong_number_is_struck(case):
    assert [claim.support for claim in case.check()] == [Support.UNSUPPORTED]
