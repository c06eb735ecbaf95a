import pytest

from vectorless_web.engine.errors import InvalidInput
from vectorless_web.engine.questions.plan import QUESTION_MAX, check_question


def test_white_space_and_nuls_around_a_question_go():
    assert check_question(" \x00How much?\n") == "How much?"
    assert len(check_question("a" * QUESTION_MAX)) == QUESTION_MAX


@pytest.mark.parametrize(
    "question,code",
    [("", "question_empty"), (" \x00\n", "question_empty"), ("a" * (QUESTION_MAX + 1), "question_too_long")],
)
def test_nothing_and_too_much_are_refused(question, code):
    with pytest.raises(InvalidInput) as refused:
        check_question(question)
    assert refused.value.code == code
