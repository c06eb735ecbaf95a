"""Rules with what bends them; yes or no under a condition, with an exception, or of two things at once."""

import pytest

from tests.support.engine_documents import Shelf, compiled, paragraph, section
from vectorless_web.engine.agent.events import CompleteEvent, Outcome
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.orchestrator import Orchestrator
from vectorless_web.engine.answers.verdicts.wordings import verdict_of
from vectorless_web.engine.questions.requirements import alternatives_in

LEASE = compiled(
    "Lease of the boathouse",
    section(
        "Renewal",
        paragraph(
            "1.2 At the end of the Term the Lease renews for two years, unless one of the parties gives the other"
            " written notice at least nine months before."
        ),
        paragraph(
            "1.3 The Tenant may however prevent a renewal on four months' written notice after the Landlord has raised"
            " the rent by more than 6 per cent."
        ),
    ),
    section(
        "Use",
        paragraph(
            "2.1 Staff may sleep in the loft on race days. Staff in their first season may not, unless the Landlord"
            " agrees in writing. Guests are excluded from the loft altogether."
        ),
        paragraph("2.2 Varnishing is permitted if the extraction is running. Spray painting is not permitted."),
        paragraph("2.3 Visitors may moor at the jetty, as it is not used at weekends."),
    ),
    section(
        "End",
        paragraph(
            "6.1 After 2027 the Landlord may end the lease for any reason by nine months' notice. The Tenant has no"
            " corresponding right."
        ),
    ),
    section(
        "Masters",
        paragraph(
            "7.1 A master may leave the bridge in open water. In the strait the master may not, except for an"
            " emergency on board."
        ),
        paragraph("7.2 Boats must stop their engines in fog unless radar is manned."),
    ),
    section(
        "Places",
        paragraph(
            "Members who row with a disabled partner and members who cox for the juniors have first choice of the"
            " boats, and they go before everybody else who has put a name down in the book of the week, with the"
            " exception of the trainers of the day, who choose their boats before all others and at any hour. This"
            " rule makes sure that at least 40 per cent of the boats go to members of the two groups."
        ),
    ),
    section(
        "Storage",
        paragraph(
            "3.1 Members may leave a canoe in the shed in winter, and no fee is charged for the months from November"
            " to the end of February. This does not apply to canoes of more than six metres, which stay in the yard"
            " and for which the owner has to provide a cover that is proof against snow, made fast at both ends with"
            " a rope, and checked each month by the boatman of the club or by somebody whom the boatman has sent."
        ),
    ),
    section(
        "Helpers",
        paragraph(
            "Helpers at the regatta do not receive a fee for their work. Since the club hires a coach, they will not"
            " need refunds of bus fares."
        ),
        paragraph("Umpires are repaid their hotel; whether they are to have an allowance has not been decided."),
    ),
)


def ask(question: str) -> CompleteEvent:
    return list(Orchestrator().run(question, Shelf({"a": LEASE}), Limits()))[-1]


def test_an_exception_is_told_with_the_rule_that_it_bends():
    end = ask("How much notice must the Tenant give to prevent a renewal?")
    assert end.outcome is Outcome.ANSWERED
    assert end.answer.index("nine months") < end.answer.index("four months")


def test_a_rule_is_told_with_the_exception_in_the_next_clause():
    assert "four months" in ask("How long before the end of the Term must a party give notice?").answer


@pytest.mark.parametrize(
    "question,begins",
    [
        ("May staff in their first season sleep in the loft?", "No, with an exception:"),
        ("Does the Tenant have a right to end the lease for any reason, as the Landlord does?", "No:"),
        ("May the master leave the bridge in the strait?", "No, with an exception:"),
        ("Must boats stop their engines in fog?", "Yes, with an exception:"),
        ("Is varnishing permitted?", "Yes, on a condition:"),
        ("Is varnishing permitted if the extraction is running?", "Yes:"),
        ("May members leave a canoe in the shed in winter?", "Yes, with an exception:"),
        ("May visitors moor at the jetty?", "Yes:"),
        ("Will helpers at the regatta receive a fee for their work or refunds of bus fares?", "No:"),
    ],
)
def test_yes_or_no_is_read_from_the_clause_that_speaks_of_the_thing_asked(question, begins):
    assert ask(question).answer.startswith(begins)


def test_who_may_not_is_answered_by_those_who_are_refused():
    answer = ask("Who may not sleep in the loft?").answer
    assert "Guests are excluded" in answer and "moor" not in answer


def test_the_sentence_beside_that_answers_the_other_part_is_taken_along():
    answer = ask("What percentage of the boats go to the two groups, and who is the exception to their first choice?")
    assert "40 per cent" in answer.answer and "trainers" in answer.answer


def test_of_two_things_asked_about_the_sentence_beside_tells_the_other():
    answer = ask("Will helpers at the regatta receive a fee for their work or refunds of bus fares?").answer
    assert "do not receive a fee" in answer and "refunds of bus fares" in answer


def test_of_two_things_asked_about_the_one_that_is_not_told_is_named():
    end = ask("Will helpers at the regatta receive a fee for their work or a jacket?")
    assert end.outcome is Outcome.PARTIAL
    assert "a jacket" in " ".join(end.missing)


def test_of_two_things_one_granted_and_one_open_neither_yes_nor_no_is_said():
    assert ask("Are umpires repaid their hotel or paid an allowance?").answer.startswith("Umpires are repaid")


@pytest.mark.parametrize(
    "question,sentence,verdict",
    [
        ("Will the rent be halved?", "If the roof is not repaired by June, the rent will be halved.", "Yes"),
        ("May guests park there?", "Guests may park there because the yard is never used.", "Yes"),
        ("Is the fee due?", "The fee is not due if the boat is sold.", "No"),
        ("Will the slip be rebuilt?", "Whether the slip will be rebuilt has not yet been decided.", ""),
    ],
)
def test_what_a_condition_or_a_reason_denies_is_not_what_the_rule_denies(question, sentence, verdict):
    assert verdict_of(question, sentence) == verdict


def test_two_things_asked_about_have_terms_of_their_own():
    sides = alternatives_in("Will helpers receive a fee or a jacket?")
    assert [words for words, _ in sides] == ["a fee", "a jacket"]
    assert alternatives_in("Is the jetty open?") == () and alternatives_in("Who is paid or fed?") == ()
