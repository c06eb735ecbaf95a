"""Questions that want one answer of each of several documents, told by the titles of those there are."""

import pytest

from vectorless_web.engine.questions.each import read_each
from vectorless_web.engine.questions.understand import understand

LEASES = ["Lease of the studio at Mill Lane 3", "Ash House lease 2023", "Lease: Elm House"]
HANDBOOKS = ["Employee handbook of Norrvik", "Employee handbook of Ostby"]
TITLES = [*LEASES, *HANDBOOKS, "Minutes of the club"]


def read(question: str):
    asked = read_each(understand(question), TITLES)
    return asked and (asked.question, [TITLES[place] for place in asked.places])


@pytest.mark.parametrize(
    ("question", "of_one", "documents"),
    [
        ("What is the notice period in each lease?", "What is the notice period?", LEASES),
        ("What notice period does each lease state?", "What notice period does it state?", LEASES),
        (
            "For every employee handbook, how many days of leave are given?",
            "how many days of leave are given?",
            HANDBOOKS,
        ),
        ("What is the rent across our leases?", "What is the rent?", LEASES),
        ("How do the leases differ in notice period?", "What is the notice period?", LEASES),
        ("Compare the leases by rent", "What is the rent?", LEASES),
        ("Compare the notice periods of the leases", "What are the notice periods", LEASES),
        ("Compare the rent of Ash House and Elm House", "What are the rent", LEASES[1:]),
        ("What is the rent of Ash House, Elm House and Mill Lane?", "What is the rent?", LEASES),
        ("What do all documents say about dogs?", "What do it say about dogs?", TITLES),
    ],
)
def test_a_question_for_each_is_read_as_one_for_one(question, of_one, documents):
    assert read(question) == (of_one, documents)


@pytest.mark.parametrize(
    "question",
    [
        "What is the notice period in the lease of Ash House?",
        "Do all employees get paid leave?",
        "What is the rent in each month?",
        "Did Ash House sue Elm House?",
        "List all leases",
        "Which documents mention dogs?",
        "According to these documents, what is the rent?",
        "What is the difference between gross and net pay?",
    ],
)
def test_other_questions_are_asked_of_all_documents_together(question):
    assert read(question) is None
