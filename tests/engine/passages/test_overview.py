"""Summaries of a section or a document, the parties of a contract and how long it runs, each quoted where it stands."""

import pytest

from tests.support.engine_documents import Part, Shelf, compiled, paragraph, section
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
