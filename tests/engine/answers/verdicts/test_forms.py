"""Yes or no by the form of a rule: who alone may, what is listed as no member, what is optional, what was decided."""

import pytest

from tests.support.engine_documents import Shelf, compiled, paragraph, section
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.orchestrator import Orchestrator
from vectorless_web.engine.answers.verdicts.forms import (
    cannot_settle,
    denies_other,
    find_unsaid,
    gives_no_leave,
    is_of_other_party,
    lacks_matter,
    read_form,
    without_votes,
)


def read(question, *sentences):
    verdict = read_form(question, sentences, " ".join(sentences))
    return None if verdict is None else verdict.word


@pytest.mark.parametrize(
    "question,sentence,word",
    [
        ("Can the hirer end the contract early?", "Only the owner may end the contract early.", "No"),
        ("Can the owner end the contract early?", "Only the owner may end the contract early.", "Yes"),
        ("Can the mate abandon a dive?", "The skipper alone may decide to abandon a dive.", "No"),
        ("May I choose the berth?", "We alone decide which berth is given.", None),
        ("May I choose the berth?", "We alone decide who may choose the berth.", "No"),
        ("Can I bring my dog on board?", "Only guide dogs are admitted on board.", "No, with an exception"),
        ("Can the cook use the crane?", "Only trained members may use the crane.", ""),
    ],
)
def test_what_is_reserved_to_one_is_refused_to_another_party(question, sentence, word):
    assert read(question, sentence) == word


LISTED = (
    "Incidents not regarded as accidents are: a burst tyre; a scratch that was there before the trip; a broken mirror."
    " However, a mirror broken by a collision remains an accident."
)


@pytest.mark.parametrize(
    "question,word",
    [
        ("Does a burst tyre count as an accident?", "No"),
        ("The van had a scratch when I got it. Must that be reported as an accident?", "No"),
        ("Is a broken mirror an accident?", "No, with an exception"),
        ("Is a fire an accident?", ""),
    ],
)
def test_what_is_listed_as_no_member_of_a_class_is_none_with_its_own_exception(question, word):
    assert read(question, *LISTED.split(". ")) == word


@pytest.mark.parametrize(
    "question,sentences,word",
    [
        (
            "Did anybody have to stay out of the vote?",
            ["Ms Reed left the room before this item.", "It was resolved by four votes to none."],
            "Yes",
        ),
        ("Did anyone keep out of the vote?", ["Mr Lund took no part in the vote."], "Yes"),
        ("Did anybody have to stay out of the vote?", ["It was resolved by four votes to none to buy a pump."], ""),
        ("Did anyone resign?", ["Nobody resigned in the spring."], "No"),
    ],
)
def test_a_question_for_anybody_is_settled_by_a_sentence_on_that_act_alone(question, sentences, word):
    assert read(question, *sentences) == word


def test_counts_of_votes_deny_nothing():
    assert "none" not in without_votes("They agreed by three votes to none to buy a boat.")


@pytest.mark.parametrize(
    "question,sentences,word",
    [
        (
            "I asked for a permit and never heard back. Is it granted?",
            ["If the office does not answer within a month, the permit is deemed granted."],
            "Yes",
        ),
        (
            "I never sent the form back. Is my booking still valid?",
            ["If a guest has not sent the form back within a week, the booking is considered withdrawn."],
            "No",
        ),
        (
            "Will new divers ever get to use the chamber?",
            ["New divers do not use the chamber in their first month.", "Then new divers are allowed to use it."],
            "Yes",
        ),
        ("Do I get the map without paying?", ["The map is handed out at no cost."], "Yes"),
        ("Do I have to pay for the map?", ["The map is free of charge."], "No"),
        ("Did the fair sell as many tickets as planned?", ["The fair sold 410 tickets; 400 were planned."], "Yes"),
        ("Did the fair sell as many tickets as planned?", ["The target was 500 tickets.", "The fair sold 410."], "No"),
        ("Will the bridge be painted?", ["Ms Reed suggested painting the bridge.", "The motion was rejected."], "No"),
        ("Will the bridge be painted?", ["Ms Reed suggested painting the bridge."], ""),
        ("Was rust to blame for the leak?", ["Rust was considered, too.", "It was ruled out after tests."], "No"),
        ("Was rust a factor in the leak?", ["Rust was not a factor."], "No"),
        (
            "May goats be brought to the meadow?",
            ["A request to bring goats was heard.", "It was agreed to keep the ban on the meadow, except in May."],
            "No, with an exception",
        ),
        (
            "Will goats be brought to the meadow?",
            ["A request to bring goats to the meadow was heard.", "It was agreed to grant it for a year."],
            "Yes",
        ),
        (
            "Will goats be brought to the meadow?",
            ["A request to bring goats to the meadow was heard.", "It was agreed to ask the farmer first."],
            "",
        ),
        ("Can an eight-year-old join the crew?", ["Anyone aged ten or over may join the crew."], "No"),
        ("Can a twelve-year-old join the crew?", ["Anyone aged ten or over may join the crew."], "Yes"),
        ("Must I wear a vest?", ["Wearing a vest is optional."], "No"),
        ("Must I keep the vest on below deck?", ["The vest can be taken off below deck."], ""),
        ("Does the tenant have to mend the gutter?", ["The landlord repairs the gutter."], "No"),
        ("Do I need a cap?", ["A vest is compulsory, a cap is recommended."], "No"),
        ("Do guests get a free towel?", ["Guests pay 2 dollars for a towel."], "No"),
        ("Do I have to pay extra for oars?", ["Oars are included in the fee."], "No"),
        ("Were more boats hired than last year?", ["41 boats were hired, compared with 63 last year."], "No"),
        (
            "Did the fair sell as many tickets as planned?",
            ["It sold 40, against 50 last year, and 45 were planned."],
            "No",
        ),
        ("Did the fair sell as many tickets as planned?", ["The fair sold 40 tickets."], ""),
        ("Can we quit just because we want to?", ["Members may quit if the fee is raised."], ""),
    ],
)
def test_a_rule_settles_a_question_by_its_form(question, sentences, word):
    assert read(question, *sentences) == word


def test_a_party_without_the_right_of_the_other_is_refused():
    rule = ("The buyer may end the contract for any reason.", "The seller has no corresponding right.")
    assert read("Can the seller end the contract because it wants to?", *rule) == "No"
    assert is_of_other_party("Can the seller end the contract?", rule[0])


def test_what_is_denied_has_to_be_what_is_asked():
    assert denies_other("Can Ms Reed take other work?", "She has an office of her own and is not on the staff.")
    assert not denies_other("Is Ms Reed on the staff?", "She has an office of her own and is not on the staff.")


def test_leave_of_ones_own_needs_a_rule_that_gives_it():
    assert gives_no_leave("Can I leave things in a locker overnight?", "Lockers are emptied every night.")
    assert not gives_no_leave("Can I leave things in a locker?", "Lockers may be used by guests.")


def test_of_alternatives_put_as_one_it_is_enough_to_say_one():
    assert not find_unsaid("Can I update, change or modify my entry?", "You can modify an entry.")


def test_words_count_as_said_in_other_forms_and_wordings():
    assert not find_unsaid("Do the coaches get any wages?", "Coaches are not paid.")
    assert find_unsaid("Did the chair resign?", "Present: Ada Brandt (chair).") == {"resign"}


@pytest.mark.parametrize(
    "question,sentence,lacks",
    [
        ("Did the chair resign?", "Present: Ada Brandt (chair).", True),
        ("Can I use the shed for a party?", "The shed may be used by members.", True),
        ("Do I lose my deposit if I leave early?", "Guests who leave early keep their deposit but lose a night.", True),
        ("May visitors take pictures?", "Visitors may take photographs.", False),
    ],
)
def test_leave_for_one_thing_is_none_for_another(question, sentence, lacks):
    assert lacks_matter(question, sentence) is lacks


CLUB = compiled(
    "Club rules",
    section("Boats", paragraph("Boats may be used for training. Races need a licence. Nobody may row alone at night.")),
    section("Coaches", paragraph("Coaches work as volunteers and are not paid for their time.")),
    section("Robes", paragraph("Ms Conti suggested buying new oars. The proposal was rejected by three votes to one.")),
)


@pytest.mark.parametrize(
    "question,begins",
    [
        ("Do coaches who work as volunteers get any wages?", "No: "),
        ("Are they buying new oars?", "No: Ms Conti suggested"),
        ("Am I allowed to row alone at night?", "No: Nobody"),
    ],
)
def test_the_verdict_stands_in_front_of_what_settles_it(question, begins):
    end = list(Orchestrator().run(question, Shelf({"a": CLUB}), Limits()))[-1]
    assert end.answer.startswith(begins)


def test_leave_for_training_gives_no_yes_for_something_else():
    end = list(Orchestrator().run("Can boats be used for a wedding?", Shelf({"a": CLUB}), Limits()))[-1]
    assert not end.answer.startswith("Yes")


@pytest.mark.parametrize(
    "question,sentence,word",
    [
        ("Is a voicemail enough to cancel?", "To cancel, write to us. A voicemail or fax is not sufficient.", "No"),
        ("Can I cancel by postcard?", "Members may cancel in writing. A postcard is sufficient.", "Yes"),
        ("Can I rent the mooring by the lake by postcard?", "A postcard is sufficient.", None),
        ("Can I cancel by postcard?", "A postcard is not accepted on Sundays.", None),
        ("Can I cancel by postcard?", "A fax is not sufficient.", None),
    ],
)
def test_a_way_that_is_not_enough_is_refused_and_another_says_nothing(question, sentence, word):
    assert read(question, *(f"{one.strip('.')}." for one in sentence.split(". "))) == word


def test_what_is_left_out_behind_a_rule_is_refused_by_its_own_sentence():
    rule = "The half fare applies to all harbour ferries."
    assert (
        read("Does the half fare apply to harbour ferries at night?", rule, "Night ferries are not included.") == "No"
    )
    assert read("Does the half fare apply to harbour ferries?", rule, "Dogs are not included.") is None


@pytest.mark.parametrize(
    "question,sentence,word",
    [
        ("I wear glasses, does that rule me out?", "Glasses and hearing aids are not reasons for refusal.", "No"),
        ("I wear glasses, does that rule me out?", "A beard is no ground for refusal.", None),
    ],
)
def test_what_is_no_reason_for_refusal_shuts_nobody_out(question, sentence, word):
    assert read(question, sentence) == word


@pytest.mark.parametrize(
    "question,word",
    [
        ("Can my 9-year-old join the club on the boat?", "Yes, on a condition"),
        ("Can my 13-year-old join the club on the boat?", ""),
    ],
)
def test_an_age_within_the_range_that_has_leave_has_it_on_its_condition(question, word):
    assert read(question, "Children aged 8 to 12 may join the club on the boat if a parent is there.") == word


def test_who_was_not_harmed_is_told_by_the_sentence_on_the_harm():
    told = ("At noon the chlorine tank began to leak.", "The hall was cleared and nobody was injured.")
    assert read("Did anybody get injured when the chlorine leaked?", *told) == "No"


@pytest.mark.parametrize(
    "question,sentence,is_open",
    [
        ("Was the skipper going too fast in the harbour?", "The permitted speed in the harbour is 5 knots.", True),
        ("Was the skipper going too fast in the harbour?", "The skipper kept below the harbour speed limit.", False),
        ("Would a second anchor have prevented the loss?", "The anchor was dropped late.", True),
        ("Would a second anchor have prevented the loss?", "A second anchor would not have prevented it.", False),
        ("Is the jetty open?", "The jetty is open.", False),
    ],
)
def test_a_rule_does_not_settle_how_it_was_kept_nor_a_deed_what_it_would_have_saved(question, sentence, is_open):
    assert cannot_settle(question, sentence) is is_open
