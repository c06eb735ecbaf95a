"""What a question asks for, by the words that ask."""

import pytest

from vectorless_web.engine.questions.requirements import Wanted, requirements_of
from vectorless_web.engine.questions.understand import understand


def kinds(question: str) -> list[Wanted]:
    return [requirement.wanted for requirement in requirements_of(understand(question))]


@pytest.mark.parametrize(
    "question,wanted",
    [
        ("Who repairs the roof?", Wanted.PERSON),
        ("Which company insures the boat?", Wanted.PERSON),
        ("When does the lease end?", Wanted.DATE),
        ("By what date must I object?", Wanted.DATE),
        ("How long is the notice period?", Wanted.SPAN),
        ("How many days in advance must I book?", Wanted.SPAN),
        ("How often is paper collected?", Wanted.SPAN),
        ("How much is the deposit?", Wanted.AMOUNT),
        ("How many lockers are there?", Wanted.AMOUNT),
        ("What is the fee?", Wanted.AMOUNT),
        ("May I keep a dog?", Wanted.VERDICT),
        ("I lost my badge. Must I report it?", Wanted.VERDICT),
        ("Why is the lift closed?", Wanted.CAUSE),
        ("What is meant by fair wear?", Wanted.DEFINITION),
        ("What is a hot task?", Wanted.DEFINITION),
        ("How do I change the filter?", Wanted.STEPS),
        ("List the exits.", Wanted.MEMBERS),
        ("Which rooms have a sprinkler?", Wanted.MEMBERS),
        ("Summarise the section on repairs.", Wanted.POINTS),
        ("Which pump is the quietest?", Wanted.EXTREME),
        ("How many more seats has the new hall than the old one?", Wanted.SUM),
        ("Where are the keys kept?", Wanted.STATEMENT),
        ("What is the average age of the members?", Wanted.SUM),
        ("What was the change in rent from 2019 to 2020?", Wanted.SUM),
        ("How much were the total fees in 2019 and 2020?", Wanted.SUM),
        ("What was the reason for the change in rent from 2019 to 2020?", Wanted.CAUSE),
        ("What is included in the rent?", Wanted.CONTENT),
        ("What costs does the rent include?", Wanted.CONTENT),
        ("What is the rationale for closing the lift?", Wanted.CAUSE),
        ("What is the crew to guest ratio?", Wanted.SUM),
        ("What kinds of boats does the marina have?", Wanted.MEMBERS),
        ("What is covered?", Wanted.STATEMENT),
        ("Which law applies?", Wanted.STATEMENT),
        ("What's the phone number of the porter?", Wanted.CONTACT),
        ("A guest is hurt. What must the porter do?", Wanted.STEPS),
        ("How does a club go about booking the hall?", Wanted.STEPS),
        ("How did the window get cracked?", Wanted.CAUSE),
        ("What exactly do they mean by a slack tide?", Wanted.DEFINITION),
        ("How did the fire start?", Wanted.CAUSE),
        ("How much do I save by paying once a year?", Wanted.SUM),
    ],
)
def test_the_words_that_ask_tell_what_an_answer_must_hold(question, wanted):
    assert kinds(question)[0] is wanted


def test_the_end_of_a_scale_is_asked_for_beside_another_kind():
    assert kinds("What is the strictest limit for noise?") == [Wanted.AMOUNT, Wanted.LIMIT, Wanted.EXTREME]
    assert Wanted.EXTREME in kinds("Who was hurt the worst?")
    assert Wanted.EXTREME in kinds("In which year did people wait longest?")
    assert Wanted.EXTREME not in kinds("What is the interest on the loan?")


def test_each_part_of_a_question_asks_for_its_own_thing():
    assert kinds("Who collects the offers, and by what date?") == [Wanted.PERSON, Wanted.DATE]


def test_a_limit_is_wanted_with_its_exceptions():
    assert kinds("How much may the rent rise at most?") == [Wanted.AMOUNT, Wanted.LIMIT]


def test_what_happens_on_an_event_asks_for_what_follows():
    assert kinds("What happens on a change of owner?") == [Wanted.CONSEQUENCE]


def test_a_question_for_leave_wants_a_verdict_and_no_limit():
    assert kinds("Is the tenant allowed to keep bees?") == [Wanted.VERDICT]


def test_a_story_before_the_question_asks_nothing():
    assert kinds("A pipe burst last night. When do I have to tell the agent?") == [Wanted.DATE]


def test_parts_that_ask_for_the_same_kind_are_counted():
    asked = requirements_of(understand("When does the fair open, and when does it close?"))
    assert [(requirement.wanted, requirement.times) for requirement in asked] == [(Wanted.DATE, 2)]
    asked = requirements_of(understand("Who runs the kiosk, and how much is the rent?"))
    assert {requirement.times for requirement in asked} == {1}


@pytest.mark.parametrize(
    "question,wanted",
    [
        ("Who are the parties to the lease?", Wanted.PARTIES),
        ("How long is the term?", Wanted.TERM),
        ("How long does the agreement run?", Wanted.TERM),
        ("How long does the warranty last?", Wanted.SPAN),
        ("How early must I be at the pier?", Wanted.SPAN),
        ("What is the telephone number of the pier?", Wanted.CONTACT),
        ("What does the website do with my pictures?", Wanted.STATEMENT),
        ("What is the total amount of all fines?", Wanted.AMOUNT),
        ("What is the last year in the register?", Wanted.DATE),
        ("What was the last year price?", Wanted.AMOUNT),
        ("How far ahead do I book?", Wanted.SPAN),
        ("What does a parking permit set me back?", Wanted.AMOUNT),
        ("What is the most I can lose?", Wanted.AMOUNT),
        ("What do I need to prove who I am?", Wanted.STATEMENT),
        ("What do people bring along?", Wanted.STATEMENT),
        ("What happens to my locker?", Wanted.STATEMENT),
        ("What happens when a parcel arrives late?", Wanted.CONSEQUENCE),
        ("What happens if a parcel arrives late?", Wanted.CONSEQUENCE),
        ("What is the fine for littering?", Wanted.CONSEQUENCE),
        ("What happens on the day of the exam?", Wanted.STEPS),
        ("What are the Quiet Areas?", Wanted.DEFINITION),
        ("Which languages are supported?", Wanted.MEMBERS),
        ("Summarise the hazards", Wanted.POINTS),
    ],
)
def test_what_contracts_and_manuals_are_asked_for_has_a_kind_of_its_own(question, wanted):
    assert requirements_of(understand(question))[0].wanted is wanted
