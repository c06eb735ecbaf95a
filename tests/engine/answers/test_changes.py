"""What two versions of a text say differently is told with the words of both."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.engine_documents import Shelf, compiled, paragraph, section
from vectorless_web.engine.agent.events import Outcome
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.orchestrator import Orchestrator
from vectorless_web.engine.answers.changes import compare_wordings
from vectorless_web.engine.answers.claims import ClaimEvent
from vectorless_web.engine.passages.passage import Part
from vectorless_web.engine.questions.requirements import asks_changes
from vectorless_web.engine.questions.understand import understand


def rules(year, *sentences):
    return compiled(
        f"House rules {year}",
        section("Opening hours", paragraph(f"The library opens at nine on weekdays in {year}.")),
        section("Loans", *(paragraph(sentence) for sentence in sentences)),
    )


OLD = rules(
    2023,
    "A member may borrow four books at a time.",
    "Maps stay in the reading room.",
    "A lost book costs 25 euros.",
)
NEW = rules(
    2024,
    "A member may borrow six books at a time.",
    "Maps stay in the reading room.",
    "Films are lent for two nights.",
)


def ask(question, *documents):
    shelf = Shelf({f"{number}": document for number, document in enumerate(documents)})
    events = list(Orchestrator().run(question, shelf, Limits()))
    return events[-1], [e for e in events if isinstance(e, ClaimEvent) and e.state == "checked"]


@pytest.mark.parametrize(
    "question",
    [
        "What changed in the loans?",
        "What has changed in the rules on loans between 2023 and 2024?",
        "What is new in the loans since last year?",
        "What are the changes to the loans?",
    ],
)
def test_a_section_is_compared_with_the_version_before(question):
    end, claims = ask(question, OLD, NEW)
    assert end.outcome is Outcome.ANSWERED
    assert [claim.text for claim in claims] == [
        "Loans, House rules 2024 against House rules 2023: "
        "1 sentence is put otherwise, 1 is new, 1 is gone and 1 is the same.",
        "House rules 2023: A member may borrow four books at a time. – "
        "House rules 2024: A member may borrow six books at a time.",
        "New in House rules 2024: Films are lent for two nights.",
        "No longer in House rules 2024: A lost book costs 25 euros.",
    ]
    assert [len(claim.citations) for claim in claims] == [2, 2, 1, 1]


def test_versions_that_say_the_same_are_told_to():
    _, claims = ask("What changed in the opening hours?", OLD, NEW)
    assert [claim.text for claim in claims] == [
        "Opening hours, House rules 2024 against House rules 2023: 1 sentence is the same."
    ]


def test_whole_documents_are_compared_where_no_part_is_named():
    _, claims = ask("What is new in the 2024 rules?", OLD, NEW)
    assert "1 sentence is put otherwise, 1 is new, 1 is gone and 2 are the same" in claims[0].text


@pytest.mark.parametrize(
    "question,is_asked",
    [
        ("What is new?", True),
        ("What's new in the leave policy?", True),
        ("What was different in the edition before?", True),
        ("What is New Harbour's revenue in 2024?", False),
        ("What are new members charged?", False),
        ("When did the fees change?", False),
    ],
)
def test_what_asks_for_changes_of_wording(question, is_asked):
    assert asks_changes(understand(question)) is is_asked


def test_a_document_that_stands_alone_is_compared_with_nothing():
    end, _ = ask("What changed in the loans?", NEW)
    assert "against" not in end.answer and "New in" not in end.answer


def part(words, place=0):
    return Part(place, 0, words, 0)


sentences = st.lists(st.text(alphabet="abc de", min_size=1, max_size=12).filter(str.strip), max_size=8)


@given(sentences, sentences)
def test_every_sentence_of_both_versions_is_accounted_for_once(older, newer):
    changes = compare_wordings([part(words) for words in older], [part(words) for words in newer])
    assert changes.same + sum(new is not None for _, new in changes.told) == len(newer)
    assert changes.same + sum(old is not None for old, _ in changes.told) == len(older)


@given(sentences)
def test_a_text_does_not_differ_from_itself(words):
    parts = [part(each) for each in words]
    assert compare_wordings(parts, parts).told == ()


def test_only_what_a_version_says_is_told_as_the_newest():
    lease = compiled("Lease of the annex", section("Rent", paragraph("The rent of the annex is 900 euros a month.")))
    assert "newest version" not in ask("How much is the rent of the annex?", OLD, NEW, lease)[0].answer
    assert "House rules 2024, the newest version" in ask("Where do the maps stay?", OLD, NEW, lease)[0].answer
