"""Offline answers as sentences one could forward: verdicts, names alone, headings that say nothing."""

import pytest

from tests.support.engine_documents import Shelf, compiled, paragraph, section
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.orchestrator import Orchestrator
from vectorless_web.engine.answers.draft import _sentence, is_name_alone
from vectorless_web.engine.answers.verdicts.wordings import is_heading, settles_outright
from vectorless_web.engine.questions.understand import understand

POOL = compiled(
    "Pool rules",
    section("Bathing", paragraph("Diving is allowed from the tower. No diving is allowed from the edge of the pool.")),
    section("Lockers", paragraph("Lockers are emptied at night because they are needed in the morning.")),
    section("Brinwater", paragraph("Guests like brinwater. Brinwater is a mixture of salt and well water.")),
    section(
        "Speed", paragraph("Boats on the pond go no faster than 6 km/h. Two persons share the oars of long boats.")
    ),
    section("Illness", paragraph("A note by a doctor is needed from day 4 of an illness of the guard.")),
    section("Pets", paragraph("Animals are not admitted, except guide dogs with a harness.")),
    section("Towels", paragraph("Every guest may borrow towels, except members of the club.")),
    section("Lodging", paragraph("Hotels paid by the club are not allowed, except for acceptance trials of boats.")),
    section("Letting", paragraph("The owner may let the jetty to a school with consent, which is not needed in May.")),
    section(
        "Visitors",
        paragraph(
            "The club does not photograph visitors of the garden. This is a quiet place for members and for visitors."
        ),
    ),
    section("Season", paragraph("The slide runs daily from June to August and at weekends from May to September.")),
)


def ask(question):
    return list(Orchestrator().run(question, Shelf({"a": POOL}), Limits()))[-1].answer


def test_what_settles_a_question_comes_right_behind_the_verdict():
    assert ask("Is diving allowed from the edge of the pool?").startswith("No: No diving is allowed from the edge")


@pytest.mark.parametrize(
    "quote,told",
    [
        ("Ropes\tyearly\tBosun", "Ropes: yearly; Bosun"),
        ("Plant 400 trees by May.\tTarget\t400", "Plant 400 trees by May. (Target; 400)"),
    ],
)
def test_a_row_is_told_as_a_line(quote, told):
    assert _sentence(quote) == told


def test_a_rule_that_differs_by_months_gets_no_verdict():
    assert not ask("Does the slide run daily in May?").startswith(("Yes", "No"))


def test_a_sentence_that_says_less_does_not_turn_what_stands_before_it():
    told = ask("Does the club photograph visitors and members of the garden?")
    assert "does not photograph visitors" in told
    assert not told.startswith("Yes")


@pytest.mark.parametrize(
    "question,verdict",
    [
        ("May boats on the pond go 9 km/h?", "No: Boats on the pond"),
        ("May boats on the pond go 5 km/h?", "Yes: Boats on the pond"),
        ("Do we need a note by a doctor for three days of illness?", "No: "),
        ("Do we need a note by a doctor for five days of illness?", "Yes: "),
    ],
)
def test_a_number_in_the_question_is_held_against_the_bound_of_the_rule(question, verdict):
    assert ask(question).startswith(verdict)


@pytest.mark.parametrize(
    "question,verdict",
    [
        ("Are animals admitted?", "No, with an exception:"),
        ("Are guide dogs admitted?", "Yes, as an exception:"),
        ("Can I accept a hotel paid by the club?", "No, with an exception:"),
        ("Can the owner let the jetty to a school?", "Yes:"),
        ("May members of the club borrow towels?", "No, as an exception:"),
    ],
)
def test_what_is_itself_excepted_gets_the_other_verdict(question, verdict):
    assert ask(question).startswith(verdict)


@pytest.mark.parametrize(
    "question,sentence,settles",
    [
        ("Can I mend a torn page myself?", "Do not repair books yourself.", True),
        ("Do you keep my card details?", "We never see or keep card numbers.", True),
        ("Do you share my data?", "We do not use cookies for that.", False),
        ("Can I share my account?", "We share figures in a form that does not show who you are.", False),
        ("May I use my own ladder?", "Ladders of one's own may never be used, even if they are tested.", True),
        ("Can a guest stay the night?", "Overnight visitors are welcome.", True),
        ("Can I let my room to a friend?", "A room may be sublet with the written consent of the owner.", False),
        ("Can I keep a dog?", "Pets are not allowed if they are larger than a cat.", False),
        ("Is there a pool?", "The garden lies behind the house.", False),
        ("Are dogs not admitted?", "No dogs are admitted.", False),
    ],
)
def test_a_sentence_of_few_of_the_words_settles_a_question_if_it_gives_leave_or_denies(question, sentence, settles):
    assert settles_outright(question, sentence, sentence) is settles


def test_a_case_told_before_the_question_may_be_settled_too():
    assert ask("The tower is closed to me. Can I do my diving from the edge of the pool?").startswith("No: No diving")


def test_a_sentence_settles_nothing_of_which_another_says_as_much():
    passage = "A single room may be let. The whole flat may never be let."
    assert not settles_outright("Can I let it to a friend?", "The whole flat may never be let.", passage)


def test_a_name_alone_is_told_by_what_defines_it():
    assert ask("brinwater").startswith("Brinwater is a mixture")


@pytest.mark.parametrize(
    "question,is_name", [("brinwater", True), ("well water", True), ("What is brinwater", False), ("list all", False)]
)
def test_a_name_alone_asks_nothing(question, is_name):
    assert is_name_alone(understand(question)) is is_name


@pytest.mark.parametrize(
    "text,heading",
    [
        ("6. After the end of the season", True),
        ("Section 4 Fees", True),
        ("6. Dogs stay outside.", False),
        ("Fees", False),
    ],
)
def test_the_heading_of_a_clause_says_nothing_by_itself(text, heading):
    assert is_heading(text) is heading


FLAT = compiled(
    "House rules of Elm Court",
    section("Leave", paragraph("A tenant may carry over five spare laundry days and must use them after a few weeks.")),
    section("Yard", paragraph("The yard is swept on Mondays. Bicycles stand at the north wall.")),
)


def test_a_yes_or_no_on_a_thing_that_is_never_named_is_not_read_from_a_rule_on_another():
    end = list(Orchestrator().run("Can a tenant take a piano after a few weeks?", Shelf({"a": FLAT}), Limits()))[-1]
    assert not end.answer.startswith("Yes")
    assert end.confidence is None or end.confidence.value <= 0.25
