"""Summaries of a section or a document, the parties of a contract and how long it runs, each quoted where it stands."""

import pytest

from tests.support.engine_documents import Part, Shelf, compiled, paragraph, section, table
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.orchestrator import Orchestrator
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.passages.context import Reading
from vectorless_web.engine.passages.overview import find_contact, topic_of

CHARTER = compiled(
    "Boat charter",
    section(
        "Charter agreement",
        paragraph(
            'This agreement is made on 3 May between Halden Boats AS (the "Owner") and Mr Piet Vos (the "Charterer").'
        ),
    ),
    section(
        "1. Duration",
        paragraph("1.1 The charter agreement begins on 1 June 2024 and runs for fourteen days."),
        paragraph("1.2 It may be extended by seven days unless another guest has booked."),
        paragraph("1.3 A Party may end it at once if the other breaches it."),
    ),
    section(
        "2. Hazards at sea",
        paragraph("The strait has strong currents. Fog is common in June."),
        paragraph("The radio must stay on. The radio must stay on."),
    ),
    section(
        "3. Return of the boat",
        paragraph("The Charterer refuels before mooring."),
        paragraph("The Owner inspects the hull within two days."),
    ),
)
LINES = compiled(
    "Cleaning order",
    section(
        "Order 12", paragraph("Customer: Brisk Bakery, 2 Mill Lane\nContractor: Pine & Pail Ltd, Hove\nDate: 4 May")
    ),
    section(
        "Work", paragraph("The Contractor cleans both ovens every week. A party may cancel with a month's notice.")
    ),
)


def ask(question, document=CHARTER):
    return list(Orchestrator().run(question, Shelf({"a": document}), Limits()))[-1]


def told(question, document=CHARTER):
    return [line.partition(" [")[0] for line in ask(question, document).answer.splitlines()]


@pytest.mark.parametrize("question", ["Summarise the hazards", "Give me the gist of the section on hazards at sea"])
def test_a_summary_gives_the_points_of_the_section_in_order_and_each_once(question):
    assert told(question) == ["The strait has strong currents.", "Fog is common in June.", "The radio must stay on."]


def test_a_summary_of_the_document_takes_a_point_of_each_section():
    lines = told("Summarise this agreement")
    assert len(lines) == 4
    assert lines[1].startswith("1.1") and lines[3] == "The Charterer refuels before mooring."


HANDBOOK = compiled(
    "Handbook of the yard",
    section(
        "4. Leaving the yard",
        section("4.1 Who may end employment", paragraph("Either side may give a month's notice.")),
        section(
            "4.2 What happens when employment ends",
            paragraph("Pass and keys are handed back. Untaken holiday is paid."),
            paragraph("Access to mail is closed at midnight."),
        ),
        section("4.3 Pension", paragraph("The scheme is run by Mutual Shore.")),
    ),
    section("5. Strategic goals", paragraph("We have two goals.")),
    section("Goal 1: Mend more", paragraph("We will mend forty boats a year.")),
    section("Goal 2: Waste less", paragraph("We will burn no offcuts.")),
    section(
        "6. Risks",
        paragraph("Fire: the stoves are swept. They are never left alone."),
        paragraph("A watchman walks the sheds."),
        paragraph("Flood: the sluice is shut in autumn."),
        paragraph("Theft: the yard is locked."),
    ),
)


def test_a_section_of_several_headings_is_summed_up_by_a_point_of_each_under_its_heading():
    lines = told("Summarise what the handbook says about leaving the yard", HANDBOOK)
    assert lines[0] == "4.1 Who may end employment: Either side may give a month's notice."
    assert lines[-1] == "4.3 Pension: The scheme is run by Mutual Shore."


def test_of_two_headings_the_one_that_says_the_question_in_more_words_is_summed_up():
    lines = told("Summarise what happens when employment ends", HANDBOOK)
    assert lines[0] == "Pass and keys are handed back." and not any("notice" in line for line in lines)


def test_headings_that_count_a_word_of_the_one_asked_for_belong_to_it():
    lines = told("Summarise the strategic goals", HANDBOOK)
    assert lines[1:] == [
        "Goal 1: Mend more: We will mend forty boats a year.",
        "Goal 2: Waste less: We will burn no offcuts.",
    ]


def test_a_heading_that_states_something_is_a_point_where_nothing_else_is_told():
    plan = compiled(
        "Plan",
        section(
            "2. Ready for storms",
            section("2.1 Money", paragraph("The fund pays for sluices.")),
            section(
                "2.2 People",
                section("Teach every household in the lower town what to do when the bell rings", paragraph("_51a0")),
            ),
            section("2.3 Boats", paragraph("Two boats lie at the bridge.")),
        ),
    )
    lines = told("Summarise the section on being ready for storms", plan)
    assert lines[1] == "2.2 People: Teach every household in the lower town what to do when the bell rings"


def test_texts_that_go_on_after_a_named_one_belong_to_it():
    lines = told("Summarise the risks", HANDBOOK)
    assert [line.split(":")[0] for line in lines if ":" in line] == ["Fire", "Flood", "Theft"]


def test_what_no_section_is_about_is_not_summed_up():
    assert ask("Summarise the dress code").answer == ""


@pytest.mark.parametrize("question", ["Who are the parties?", "Who is the agreement between?"])
def test_the_parties_are_quoted_from_the_line_that_names_them(question):
    assert len(told(question)) == 1
    assert "Halden Boats AS" in told(question)[0] and "Piet Vos" in told(question)[0]


def test_parties_named_in_lines_are_told_line_by_line():
    assert told("Who are the parties?", LINES) == [
        "Customer: Brisk Bakery, 2 Mill Lane",
        "Contractor: Pine & Pail Ltd, Hove",
    ]


def test_the_term_is_told_with_its_renewal_and_nothing_else():
    assert told("How long does the agreement run?") == [
        "1.1 The charter agreement begins on 1 June 2024 and runs for fourteen days.",
        "1.2 It may be extended by seven days unless another guest has booked.",
    ]


def test_words_that_only_ask_for_a_summary_are_no_topic():
    assert topic_of("Please give me the gist of the document").groups == ()
    assert topic_of("Sum up the part on fuel").share("Fuel and oil") == 1.0


LEASE = compiled(
    "Lease of Mill Cottage",
    section(
        "Lease",
        paragraph("The lease begins on 1 March 2024 and runs until 28 February 2027."),
        paragraph("At the end of the lease the Landlord returns the deposit within 14 days. It is 1,300 euros."),
    ),
)


@pytest.mark.parametrize(
    "question", ["When does the lease end?", "When will the lease expire?", "When is the lease over?"]
)
def test_the_end_is_read_from_where_it_is_set_and_not_from_what_happens_then(question):
    assert told(question, LEASE)[0] == "The lease begins on 1 March 2024 and runs until 28 February 2027."


def test_what_happens_at_the_end_is_told_when_it_is_asked_for():
    assert told("When is the deposit returned?", LEASE)[0].startswith("At the end of the lease")


def test_a_length_in_the_sentence_after_the_beginning_belongs_to_it():
    short = section("Lease", paragraph("The lease begins on 1 March 2024. It is made for three years."))
    assert "made for three years" in " ".join(told("When does the lease end?", compiled("Lease", short)))


MAIL = compiled(
    "Boiler",
    section(
        "Boiler",
        paragraph("From: Petra Olsen <petra@halden.example>\nTo: Board <board@halden.example>\nDate: Tue, 4 Mar 2025"),
        paragraph("The boiler in the hall has failed for good, and Hansson wants 4,200 euros for a new one."),
    ),
)


@pytest.mark.parametrize(
    "question,line",
    [
        ("Who sent this?", "From: Petra Olsen"),
        ("Who is it from?", "From: Petra Olsen"),
        ("Who wrote this e-mail?", "From: Petra Olsen"),
        ("When was this sent?", "Date: Tue, 4 Mar 2025"),
        ("Who got this mail?", "To: Board"),
    ],
)
def test_the_head_of_a_message_says_who_sent_it_to_whom_and_when(question, line):
    assert told(question, MAIL)[0].startswith(line)


def test_of_a_document_that_is_no_message_nobody_is_said_to_have_sent_it():
    assert ask("Who sent this?", LEASE).answer == ""


LETTER = compiled(
    "Harvest supper",
    paragraph("Dear neighbours,"),
    paragraph("The supper is on 4 October. Bring the signed slip to Miss Orme, who keeps the list of the helpers."),
    paragraph("Yours sincerely,\nGwyneth Parry\nParish clerk"),
)


@pytest.mark.parametrize("question", ["Who signed this letter?", "Who wrote this letter?"])
def test_the_end_of_a_letter_says_who_signed_it(question):
    assert "Gwyneth Parry" in ask(question, LETTER).answer and "Orme" not in ask(question, LETTER).answer


def _brochure(*more: Part) -> CompiledDocument:
    return compiled(
        "Night ferries",
        paragraph("FOR FURTHER INFORMATION ON THIS REPORT:"),
        paragraph("Ines Falk, Researcher"),
        paragraph("202.555.0147"),
        section("Findings", paragraph("In 2019 some 1,204 of 2,310 passengers were asked by telephone.")),
        *more,
    )


def _contact(document: CompiledDocument, question: str) -> list[str]:
    tree = document.tree
    return [tree.node(s.key).text[s.start : s.end] for s in find_contact(tree, Reading(tree), question)]


def test_the_only_telephone_number_is_told_with_whose_it_is():
    asked = "What telephone number can I call for further information on this report?"
    assert _contact(_brochure(), asked) == ["Ines Falk, Researcher", "202.555.0147"]


@pytest.mark.parametrize("question", ["What is the e-mail address of Ines Falk?", "What is the tariff?"])
def test_what_the_document_does_not_hold_is_not_made_up(question):
    assert _contact(_brochure(), question) == []


def test_of_several_numbers_the_one_is_told_whose_lines_say_what_is_asked():
    document = _brochure(section("Harbour office", paragraph("Tel: 0410 55 12 90")))
    assert _contact(document, "What is the phone number of the harbour office?")[-1] == "Tel: 0410 55 12 90"
    assert _contact(document, "What is the phone number of the ticket desk?") == []


def test_an_address_of_mail_names_its_owner():
    line = paragraph("falk@port.example berg.olav@port.example")
    assert _contact(_brochure(line), "What is the e-mail address of Olav Berg?") == [line.text]


COVER = compiled(
    "Halvorsen Outdoor annual report 2022",
    section(
        "Halvorsen Outdoor",
        paragraph("Securities registered pursuant to Section 12(b) of the Act:"),
        table(
            "",
            [
                ["Common Stock, par value $0.01 per share", "HVO", "New York Stock Exchange"],
                ["1.250% Notes due 2027", "HVO27", "New York Stock Exchange"],
                ["2.875% Notes due 2033", "HVO33", "New York Stock Exchange"],
            ],
            columns=["Title of each class", "Trading symbol", "Name of each exchange on which registered"],
        ),
    ),
    section(
        "Annual meeting",
        paragraph("The shareholder proposal on a report about plastic waste was defeated:"),
        table("", [["9,120,300", "32,700,115"]], columns=["For", "Against"]),
    ),
)


@pytest.mark.parametrize(
    "question,told,other",
    [
        ("Which debt securities are registered on a national securities exchange?", "Notes due 2033", "Common"),
        ("Which shares are listed on an exchange?", "Common Stock", "Notes"),
    ],
)
def test_registered_securities_are_told_from_the_cover_by_their_kind(question, told, other):
    end = list(Orchestrator().run(question, Shelf({"a": COVER}), Limits()))[-1]
    assert told in end.answer and other not in end.answer


def test_a_sentence_that_ends_in_a_decision_announces_nothing_that_is_missing():
    question = "What was the outcome of the vote on the shareholder proposal on a report about plastic waste?"
    end = list(Orchestrator().run(question, Shelf({"a": COVER}), Limits()))[-1]
    assert "was defeated" in end.answer


@pytest.mark.parametrize("question", ["Can you sum up what the hazards bit says?", "Sum up what it says on hazards."])
def test_a_section_is_meant_however_it_is_pointed_at(question):
    told = list(Orchestrator().run(question, Shelf({"a": CHARTER}), Limits()))[-1].answer
    assert "strong currents" in told and "refuels" not in told


ORCHARD = compiled(
    "MARLEY-2: grafting of old pear trees",
    section(
        "MARLEY-2: grafting of old pear trees",
        paragraph("Version 3 | issued in May 2021"),
        section("Preface", paragraph("The Pear Board publishes this series of reports every second year.")),
        section(
            "1. About the trial",
            paragraph("MARLEY-2 is a field trial on forty farms. It asks whether late grafting gives larger pears."),
            paragraph("The trees failed because the grafts were not kept moist."),
        ),
        section("2. Harvest", paragraph("Pickers counted every pear. Taken as a whole, 2020 was a dry but good year.")),
        section("3. Weather", paragraph("Frost fell in April and harmed the early blossom of nine farms.")),
        section("Contacts", paragraph("Letters go to the Pear Board at 9 Mill Lane in Hedgeham.")),
    ),
)


def test_asked_what_a_trial_is_for_the_sentence_on_its_aim_is_told():
    lines = told("What is this trial trying to find out?", ORCHARD)
    assert lines[-1] == "It asks whether late grafting gives larger pears."


def test_what_a_part_of_a_thing_does_is_not_told_by_what_the_whole_is_for():
    assert not any("asks whether" in line for line in told("What does this button do?", ORCHARD))


def test_asked_how_a_year_went_overall_the_judgement_of_the_whole_is_told():
    assert told("How did the year go overall?", ORCHARD)[0].startswith("Taken as a whole")


def test_the_points_of_a_document_leave_out_what_stands_around_its_text():
    lines = " ".join(told("Summarise this report", ORCHARD))
    assert "field trial" in lines and "Frost" in lines
    assert not any(words in lines for words in ("Version 3", "publishes", "Mill Lane"))


def test_a_question_put_in_a_nutshell_is_answered_and_not_the_whole_summed_up():
    lines = told("In a nutshell, why did the trees fail?", ORCHARD)
    assert not any("Frost" in line or "Version" in line for line in lines)


def test_what_a_document_says_in_short_itself_is_its_summary():
    brief = compiled(
        "Canal plan",
        section("1. Summary", paragraph("The canal will be dredged in two stages. Tolls rise to pay for it.")),
        section("2. Dredging", paragraph("Stage one begins at the lower lock.")),
        section("3. Tolls", paragraph("Narrow boats pay nine pounds.")),
    )
    assert told("What's the gist of this plan?", brief) == [
        "The canal will be dredged in two stages.",
        "Tolls rise to pay for it.",
    ]
