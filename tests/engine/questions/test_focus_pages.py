"""Pages that questions name."""

import pytest

from vectorless_web.engine.questions.focus import page_asked, without_page


@pytest.mark.parametrize(
    "question,page",
    [
        ("What does page 7 say about leave?", 7),
        ("What stands on p. 12?", 12),
        ("Explain the table on page 3, the one of page 3.", 3),
        ("Compare page 3 with page 4.", None),
        ("What was net income in 2019?", None),
        ("What does page 99 say?", None),
        ("How many pages has the report?", None),
        ("What is on page 0?", None),
        ("Which homepage 5 is meant?", None),
    ],
)
def test_the_one_page_that_is_named_and_there(question, page):
    assert page_asked(question, 20) == page


@pytest.mark.parametrize(
    "question,rest",
    [
        ("What does page 7 say about leave?", "What does say about leave?"),
        ("What is the notice period on page 12?", "What is the notice period ?"),
        ("According to page 3, who signs?", ", who signs?"),
        ("Page 7", "Page 7"),
        ("What was net income?", "What was net income?"),
    ],
)
def test_what_is_looked_for_leaves_out_where(question, rest):
    assert without_page(question) == rest
