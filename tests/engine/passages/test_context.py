"""Sentences in context: lead-ins, exceptions, parted sentences, clauses that others point to."""

import time
from dataclasses import replace

import pytest

from tests.support.engine_documents import Part, compiled, paragraph, section, table
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.passages.checks import is_met
from vectorless_web.engine.passages.context import Reading, states_something
from vectorless_web.engine.passages.extraction import cell_first, find_passages
from vectorless_web.engine.passages.passage import Passage
from vectorless_web.engine.questions.requirements import Requirement, Wanted, requirements_of
from vectorless_web.engine.questions.understand import understand
from vectorless_web.engine.ranking.finder import Finder

LONG = " Nothing else is said here of any weight, but these words make the paragraph longer than a clause." * 4


def rule_of(document, key: int, place: int = 0) -> str:
    reading = Reading(document.tree)
    return reading.words(reading.rule(key, place).spans)


def test_an_exception_in_the_next_sentence_belongs_to_the_rule():
    text = f"Dogs are forbidden in the hall. However, guide dogs may enter.{LONG}"
    assert rule_of(compiled("H", section("Rules", paragraph(text))), 2).startswith(
        "Dogs are forbidden in the hall. However, guide dogs may enter."
    )


def test_a_limit_on_the_same_thing_belongs_to_the_rule():
    text = (
        f"The owner may raise the fee each May. Raising the fee by more than two per cent is allowed only once.{LONG}"
    )
    assert "only once" in rule_of(compiled("H", section("Fees", paragraph(text))), 2)


def test_a_sentence_of_its_own_stays_alone():
    text = f"The hall opens at nine. Bicycles stand in the yard.{LONG}"
    assert rule_of(compiled("H", section("Hours", paragraph(text))), 2) == "The hall opens at nine."


def test_a_list_item_has_its_lead_in_and_a_list_all_its_items():
    items = Part(NodeKind.LIST, "", "- rust\n- frost")
    document = compiled("W", section("Warranty", paragraph("The warranty does not cover:"), items))
    reading = Reading(document.tree)
    assert rule_of(document, 3, 1) == "The warranty does not cover: - frost"
    assert reading.words(tuple(reading.items(3))) == "- rust - frost"
    assert reading.find_announced(2) == reading.find_announced(3) == 3


def test_a_list_that_a_page_parts_is_one():
    first, second = Part(NodeKind.LIST, "", "- rust"), Part(NodeKind.LIST, "", "- frost", page=1)
    head = Part(NodeKind.RUNNING, "", "Page 2", page=1)
    document = compiled("W", section("Warranty", paragraph("Not covered are:"), first, head, second))
    reading = Reading(document.tree)
    assert reading.words(tuple(reading.items(5))) == "- rust - frost"
    assert rule_of(document, 5).startswith("Not covered are:")


def test_a_sentence_that_a_page_parts_reads_as_one():
    upper, lower = paragraph("The tank must be emptied before the"), paragraph("appliance is moved.", page=1)
    document = compiled("M", section("Moving", upper, lower))
    assert rule_of(document, 2) == rule_of(document, 3) == "The tank must be emptied before the appliance is moved."


def test_a_clause_that_bends_the_one_before_comes_along():
    first = paragraph("2.1 The lease ends in May.")
    second = paragraph("2.2 The tenant may however leave in April.")
    assert "leave in April" in rule_of(compiled("L", section("2. Term", first, second)), 2)


def test_what_a_clause_is_subject_to_is_read():
    first = paragraph("4.1 Subject to clause 7.3, the seller delivers within ten days.")
    other = paragraph("7.3 No delivery takes place in August.")
    document = compiled("C", section("4. Delivery", first), section("7. Breaks", other))
    assert "No delivery takes place in August." in rule_of(document, 2)


@pytest.mark.parametrize(
    "wanted,part,text,met",
    [
        (Wanted.AMOUNT, "How many calls were taken", "The desk took 4,120 calls.", True),
        (Wanted.AMOUNT, "How many calls were taken", "Calls were taken in 2 rooms.", False),
        (Wanted.AMOUNT, "How many calls were taken", "Calls are answered in 5 minutes.", False),
        (Wanted.AMOUNT, "How many people worked there", "It is supplied by 40 member shops.", False),
        (Wanted.AMOUNT, "How many codes may be tried", "Codes must have at least 12 characters.", False),
        (Wanted.AMOUNT, "How many hotels are there", "The group runs 12 sites and hotels.", True),
        (Wanted.AMOUNT, "How much do bakers get paid for a loaf", "It sold 4 million loaves, not 3 million.", False),
        (Wanted.AMOUNT, "How much do they sell the mill for", "£2 million is saved by leaving the mill.", False),
        (Wanted.AMOUNT, "How much do they sell the mill for", "The sale of the mill brought £2 million.", True),
        (Wanted.AMOUNT, "How much paint do they use", "Week 3: 5 visits.", False),
        (Wanted.AMOUNT, "How much paint do they use", "They use 5 litres of paint.", True),
        (Wanted.AMOUNT, "How much does a monthly train pass cost", "A single fare is £2.", False),
        (Wanted.DATE, "Until what date can one join", "The illness began at least 12 months ago.", False),
        (Wanted.DATE, "Until what date can one join", "Entry closes on 3 May 2026.", True),
        (Wanted.SPAN, "How many seconds passed", "A warning came eight minutes before.", False),
        (Wanted.SPAN, "How many days does it take", "It takes two weeks.", True),
        (Wanted.SUM, "How much do I save by paying once a year", "Students pay £4.", False),
        (Wanted.SUM, "How much do I save by paying once a year", "Paying once a year saves £9.", True),
        (Wanted.PERSON, "Who decides on closures", "Quiet Street means a road for residents.", False),
        (Wanted.PERSON, "Which insurer paid for it", "The operator put its loss at 3 million.", False),
        (Wanted.PERSON, "Which insurer paid for it", "The loss was borne by Harland Mutual Ltd.", True),
        (Wanted.STATEMENT, "What language did the pilot speak", "The sheet in his own language was gone.", False),
        (Wanted.STATEMENT, "What language did the pilot speak", "The pilot spoke Polish.", True),
        (Wanted.SPAN, "How long is the hose", "The end of the hose lies 80 cm above the floor.", False),
        (Wanted.SPAN, "How long is the hose", "The hose measures 80 cm.", True),
        (Wanted.SPAN, "How long must the code be", "Choose a code of at least 12 letters.", True),
        (Wanted.SPAN, "How many hours did the cooks work", "Kitchen; Hours in 2022: 5,210; Hours in 2023: 4,870", True),
        (Wanted.AMOUNT, "How many times do I meet the coach", "Each rower is entitled to six meetings.", True),
        (Wanted.AMOUNT, "How many times do I meet the coach", "Each rower pays six pounds.", False),
        (Wanted.AMOUNT, "How many locals were warned", "Some 260 residents of Quay Street were warned.", True),
        (Wanted.DATE, "When would they give me a new boat", "If the boat is sunk, you are given a new one.", True),
        (Wanted.DEFINITION, "What counts as leaving it unattended", "Unattended means that nobody is there.", True),
        (Wanted.CONSEQUENCE, "What happens if I miss a week", "After a gap of a week, the course restarts.", True),
        (Wanted.STATEMENT, "What do I need for the diving course", "DV7\tDiving course\t15 hours\tOption", False),
        (Wanted.STATEMENT, "What do I need for the diving course", "Divers must be able to swim.", True),
        (Wanted.CONSEQUENCE, "What is the fine for rowing too fast", "The limit is 5 knots; police are exempt.", False),
        (Wanted.CONSEQUENCE, "What is the fine for rowing too fast", "Whoever is faster pays a fine of £40.", True),
        (Wanted.STATEMENT, "On what grounds may I stay at home", "Before the trip, bring warm clothes.", False),
        (Wanted.STATEMENT, "On what grounds may I stay at home", "Leave is given on medical grounds only.", True),
        (Wanted.STEPS, "What must a club do to get the boat", "It is free, provided that it signs.", True),
        (Wanted.PERSON, "Who do I ring first", "Urgent Repair: burst pipe, gas smell", False),
        (Wanted.EXTREME, "Which shop wastes the most", "Leeds is the only shop where waste grew.", False),
        (Wanted.EXTREME, "Which shop wastes the most", "The most waste comes from Leeds.", True),
        (Wanted.EXTREME, "What is the most common fault", "Most common faults go away by themselves.", False),
        (Wanted.EXTREME, "What is the most common fault", "The most common fault is a leak.", True),
        (Wanted.EXTREME, "In which towns are the most expensive rooms", "A room may be booked only by phone.", False),
        (Wanted.AMOUNT, "How many beds are there", "A bed is free of charge, breakfast costs 7 euros.", False),
        (Wanted.AMOUNT, "How many calls were taken", "One in seven calls was taken.", False),
        (Wanted.AMOUNT, "How many euros does a bed cost", "A bed costs 7 euros.", True),
        (Wanted.AMOUNT, "How many beds are there", "There are 7 beds, changed every 2 days.", True),
        (Wanted.PERSON, "What is the name of the registrar", "Our registrar, Ása Þórðardóttir, answers.", True),
        (Wanted.PERSON, "Who is the registrar", "Questions go to our registrar, Zoë Brännström, at noon.", True),
        (Wanted.AMOUNT, "How many lockers are there", "The desk took 4,120 calls.", False),
        (Wanted.AMOUNT, "How much money was raised", "It serves 2 million visitors.", False),
        (Wanted.AMOUNT, "How much money was raised", "They raised 2 million.", True),
        (Wanted.AMOUNT, "How much has the 71-year-old walked", "The walker, age 71, wore a KX-40.", False),
        (Wanted.AMOUNT, "How much has the 71-year-old walked", "He walked 400 miles.", True),
        (Wanted.DATE, "When was the roof checked", "He slept 20 minutes prior to the storm.", False),
        (Wanted.DATE, "When was the roof checked", "The roof was checked on 3 May.", True),
        (Wanted.PERSON, "Whose boat is it", "Sailing time\t12 hours (with the captain on the bridge or below)", False),
        (Wanted.VERDICT, "May I swim here", "The lake lies in the north.", False),
        (Wanted.VERDICT, "May I swim here", "Swimming is allowed.", True),
        (Wanted.VERDICT, "Does the club keep my location data", "The club keeps data for a year.", False),
        (Wanted.VERDICT, "Does the club keep my location data", "The club keeps where you rowed.", True),
        (Wanted.VERDICT, "Does the club keep my location data", "The club keeps GPS tracks.", True),
        (Wanted.VERDICT, "Does the club keep my personal data", "The club keeps data for a year.", True),
        (Wanted.VERDICT, "Does the club keep my dietary details", "The club keeps your phone number.", False),
        (Wanted.STATEMENT, "What contact details are kept", "We keep the number of trips.", False),
        (Wanted.STATEMENT, "What contact details are kept", "We keep your e-mail address.", True),
        (Wanted.AMOUNT, "What score did the choir reach", "One of the scores is shown in Table 5.", False),
        (Wanted.CONTACT, "What is the telephone number of the desk", "The desk has no telephone yet.", False),
        (Wanted.CONTACT, "What is the telephone number of the desk", "Desk: 0300 555 0142", True),
        (Wanted.CONTACT, "What is her e-mail address", "Write to her at the office.", False),
        (Wanted.CONTACT, "What is her e-mail address", "Write to obi@brackwater.example.", True),
        (Wanted.AMOUNT, "How many people came", "Twelve of the 40 members came.", True),
        (Wanted.AMOUNT, "How many people came", "The cake was cut in 40 slices.", False),
        (Wanted.AMOUNT, "What is the rate on the bonds", "Rates on the bonds rose in 2024.", False),
        (Wanted.AMOUNT, "What is the rate on the bonds", "Since 2021 the bonds pay 3.5 percent.", True),
        (Wanted.AMOUNT, "What was the number of visitors", "There were 2,024 visitors in May 2023.", True),
        (Wanted.SPAN, "How early must I come", "Come no later than 9:15.", True),
        (Wanted.AMOUNT, "How many employees are there", "Six percent of the employees work at night.", False),
        (Wanted.AMOUNT, "How much does a locker cost", "Lockers stand on floor 2.", False),
        (Wanted.AMOUNT, "How much does a locker cost", "A locker costs 3 euros.", True),
        (Wanted.AMOUNT, "How much is the deposit", "2.3 The deposit is agreed in writing.", False),
        (Wanted.PERSON, "Who is the registrar", "Ask the Registrar.", False),
        (Wanted.PERSON, "Who is the registrar", "Nkechi Obi is the Registrar.", True),
        (Wanted.PERSON, "What is the name of the registrar", "Registrar Rating:\tCabinet Single-drawer", False),
        (Wanted.PERSON, "What is the name of the registrar", "Registrar:\tAnna Smith-Jones", True),
        (Wanted.DATE, "When does it end", "It ends on 3 May.", True),
        (Wanted.DATE, "When does it end", "It ends with a song.", False),
        (Wanted.SPAN, "How long is the break", "The break lasts twenty minutes.", True),
        (Wanted.SPAN, "How long is the break", "The break is taken outside.", False),
        (Wanted.CAUSE, "Why is the lift closed", "It is closed because a cable broke.", True),
        (Wanted.CAUSE, "Why is the lift closed", "The lift is closed.", False),
        (Wanted.DEFINITION, "What is a dead letter", "A dead letter is a message nobody took.", True),
        (Wanted.DEFINITION, "What is a dead letter", "The queue is a list of dead letters.", False),
        (Wanted.MEMBERS, "Which rooms are heated", "Heated rooms are the hall, the office and the shop.", True),
        (Wanted.MEMBERS, "Which rooms are heated", "The hall is heated.", False),
        (Wanted.MEMBERS, "Which offices heat", "Heats the hall; sweeps the yard; and locks the gate.", False),
        (Wanted.MEMBERS, "Which rooms are heated", "Heated rooms: the hall; the office; and the shop.", True),
        (Wanted.SUM, "How many more", "There are 12 more.", False),
        (Wanted.SUM, "What is the average age of the crew", "The crew is 31 and 40 years old.", False),
        (Wanted.SUM, "What is the average age of the crew", "Their average age is 36.", True),
        (Wanted.SUM, "What is the ratio of crew to guests", "The crew counts 9, the guests 40.", False),
        (Wanted.SUM, "What is the ratio of crew to guests", "The ratio of crew to guests is 1 to 4.", True),
        (Wanted.SUM, "What was the change in fares from 2020 to 2021", "Fares were 5 and 6 euros.", False),
        (Wanted.SUM, "What was the change in fares from 2020 to 2021", "Fares rose by 1 euro in 2021.", True),
        (Wanted.SUM, "What was the percentage change in fares from 2020 to 2021", "Fares rose by 1 euro.", False),
        (Wanted.SUM, "What was the percentage change in fares from 2020 to 2021", "Fares rose by 20 %.", True),
        (Wanted.SUM, "How much were the total fares in 2020 and 2021", "Fares were 5 million and 6 million.", False),
        (Wanted.SUM, "How much were the total fares in 2020 and 2021", "Fares totalled 11 million.", True),
        (Wanted.AMOUNT, "How much were the fares in 2021", "Fares rose by 12 million or 6 %.", False),
        (Wanted.AMOUNT, "How much were the fares in 2021", "Fares rose by 12 million to 212 million.", True),
        (Wanted.AMOUNT, "How much is the rise in fares", "Fares rise by 12 cents.", True),
        (Wanted.CONTENT, "What is included in other costs", "Other costs\t114\t120", False),
        (Wanted.CONTENT, "What is included in other costs", "Other costs\tRent and repairs\t120", True),
        (Wanted.CONTENT, "What is included in the fare", "The fare includes a seat.", True),
        (Wanted.PERSON, "Who must mend the gate", "Ada Brook reported that the gate is broken.", False),
        (Wanted.PERSON, "Who must mend the gate", "Ada Brook mends the gate.", True),
        (Wanted.PERSON, "Who must mend the gate", "The foreman mends the gate.", True),
        (Wanted.CONSEQUENCE, "What happens if the baker is late", "If few come, shops are late.", False),
        (Wanted.CONSEQUENCE, "What happens if the baker delivers late", "For each day of delay 2% is deducted.", True),
        (Wanted.CONSEQUENCE, "What happens if a rope is too long", "If the rope is longer the lamp is red.", True),
        (Wanted.CONSEQUENCE, "What happens if it rains", "If it rains, we play in the hall.", True),
        (Wanted.STEPS, "What do I do if the boat leaks", "Call, bail and row ashore, in this order.", True),
        (Wanted.AMOUNT, "What is the interest rate on the loan", "The loan is limited to 3 times the surplus.", False),
        (Wanted.AMOUNT, "What is the interest rate on the loan", "The loan bears interest at 4.35 percent.", True),
        (Wanted.DATE, "When does the contract end", "Each party may end it with a notice within 30 days.", False),
        (Wanted.DATE, "When does the contract end", "The contract runs to 3 May 2028.", True),
        (Wanted.PERSON, "Who may ring the bell", "Anyone may ring the bell.", True),
        (Wanted.PERSON, "Who is the surety", "The surety is freed when the tenant moves.", False),
        (Wanted.PERSON, "Who is the surety", "Surety: Calder Holdings Limited", True),
        (Wanted.DEFINITION, "What is a berm", "Berm\n: the flat strip on top of the dike.", True),
        (Wanted.DEFINITION, "What does berm mean", "Berm: the flat strip on top of the dike.", True),
        (Wanted.DEFINITION, "What is a berm", "Berm: 14", False),
        (Wanted.DEFINITION, "What is a berm", "Dike: a wall behind a berm.", False),
        (Wanted.CAUSE, "Why did sales grow", "Sales grew by $9 million, of which a shop brought $4 million.", True),
        (Wanted.CAUSE, "Why is the list late", "The delays came from a lack of paper.", True),
        (Wanted.CAUSE, "Why did sales grow", "Sales grew on orders by two schools.", True),
        (Wanted.CAUSE, "Why did sales grow", "Sales grew 3 percent on average.", False),
        (Wanted.LIMIT, "Are dogs allowed", "Dogs shall not enter.", True),
        (Wanted.PERSON, "Who reported the broken gate", "Ada Brook reported that the gate is broken.", True),
        (Wanted.DATE, "What time does the fair open", "The fair opens on Sundays in May 2024.", False),
        (Wanted.DATE, "What time does the fair open", "The fair opens at 9.30 am.", True),
        (Wanted.DATE, "What time of year is the fair", "The fair is held on the first Sunday of May.", True),
        (Wanted.AMOUNT, "How heavy is the buoy", "The buoy drifts at 9 knots.", False),
        (Wanted.AMOUNT, "How heavy is the buoy", "The buoy weighs 4.5 tonnes.", True),
        (Wanted.AMOUNT, "How fast may I row here", "The limit is four knots.", True),
        (Wanted.AMOUNT, "How deep is the dock", "The dock is used by 12 boats.", False),
        (Wanted.AMOUNT, "How many families may join", "The club is limited to 340 households.", True),
        (Wanted.AMOUNT, "How many families may join", "Each family works at three fairs.", False),
    ],
)  # fmt: skip
def test_a_passage_holds_the_kind_of_thing_asked_for(wanted, part, text, met):
    assert is_met(Requirement(wanted, part), text) is met


@pytest.mark.parametrize(
    "wanted,text,met",
    [
        (Wanted.AMOUNT, "The fee is £40, and a copy costs £5.", True),
        (Wanted.AMOUNT, "The fee is £40.", False),
        (Wanted.DATE, "The fair opens on 3 June 2024 and closes on 9 June 2024.", True),
        (Wanted.DATE, "The fair opens on 3 June 2024.", False),
    ],
)
def test_a_question_in_two_parts_wants_two_things_of_a_kind(wanted, text, met):
    assert is_met(Requirement(wanted, "what is asked", times=2), text) is met


QUAY = compiled(
    "Quay notes",
    section(
        "Boats",
        paragraph("The prices of the ferries for the summer are given below:"),
        paragraph("The following table shows the prices of the ferries for the winter."),
        paragraph("Ferries to the island are the Tern, the Gull and the Heron."),
    ),
)


def passages_of(question):
    finder = Finder(QUAY, understand(question))
    nodes = [(QUAY.tree.node(key), 1.0, "Boats") for key in QUAY.tree.leaves()]
    return find_passages("a", nodes, finder)


def test_words_that_only_announce_hold_nothing_of_what_is_asked():
    found = {p.quote: p for p in passages_of("What do ferries cost? What are the prices of the ferries?")}
    leads = [p for quote, p in found.items() if quote.endswith("below:") or quote.startswith("The following")]
    assert len(leads) == 2
    assert all(lead.unmet and not lead.suffices for lead in leads)


def test_a_thing_that_is_so_long_is_told_by_a_measure():
    assert is_met(Requirement(Wanted.SPAN, "How long is the quay"), "The quay measures 400 metres.")
    assert not is_met(Requirement(Wanted.SPAN, "How long does the crossing take"), "The quay measures 400 metres.")


def test_long_lists_and_tables_are_read_in_seconds():
    rows = table("Stock", [[f"Item {i}", str(i)] for i in range(1500)], columns=["Item", "Count"])
    items = Part(NodeKind.LIST, "", "\n".join(f"- item {i} of the stock" for i in range(1500)))
    points = [paragraph(f"- point {i} of the stock stands alone here.") for i in range(400)]
    document = compiled("Store", section("Stock", rows, items, *points))
    finder, tree = Finder(document, understand("List the items of the stock.")), document.tree
    started = time.perf_counter()
    find_passages("a", [(tree.node(key), 1.0, "Stock") for key in tree.leaves()], finder)
    assert time.perf_counter() - started < 10


def test_a_sentence_that_points_back_brings_the_sentences_that_it_leans_on():
    text = (
        "Up to four days may be carried over. They lapse if they are not taken by 30 April."
        f" Days missed through illness do not lapse on that date.{LONG}"
    )
    assert rule_of(compiled("H", section("Leave", paragraph(text))), 2, 2).startswith("Up to four days may be carried")


@pytest.mark.parametrize(
    "more", ["Above that number each pallet costs £3 a week.", "A further £45 is paid for a holiday."]
)
def test_a_rate_that_leans_on_another_brings_it(more):
    text = f"The first 120 pallets are kept free of charge. {more}{LONG}"
    assert rule_of(compiled("S", section("Stock", paragraph(text))), 2, 1).startswith("The first 120 pallets are kept")


def test_a_label_behind_a_task_is_told_with_the_task():
    text = f"Two tenders for the roof are to be obtained. Owner: Ida Brook, by 3 May.{LONG}"
    document = compiled("M", section("Item 4", paragraph(text)))
    assert rule_of(document, 2, 1).startswith("Two tenders for the roof are to be obtained. Owner: Ida Brook")
    assert "Owner: Ida Brook" in rule_of(document, 2, 0)


def test_a_step_is_told_with_all_that_leads_up_to_it():
    text = "Shut the valve. Wait for ten minutes. Then open the lid of the boiler."
    document = compiled("B", section("Boiler", paragraph(text)))
    key = next(key for key in document.tree.leaves())
    rule = Reading(document.tree).steps_beside(key, 2)
    assert Reading(document.tree).words(rule.spans) == text


def parted_by(kind: NodeKind, rest: str) -> str:
    between = Part(kind, "", "2 https://weir.example/levels")
    return rule_of(compiled("W", section("Gates", paragraph("The gate opens if the"), between, paragraph(rest))), 2)


@pytest.mark.parametrize("kind", [NodeKind.FOOTNOTE, NodeKind.CAPTION])
def test_a_sentence_goes_on_behind_the_notes_and_figures_between_its_columns(kind):
    assert parted_by(kind, "river rises by a foot.") == "The gate opens if the river rises by a foot."


def test_a_paragraph_of_its_own_behind_a_footnote_completes_no_sentence():
    assert parted_by(NodeKind.FOOTNOTE, "Boats wait below.") == "The gate opens if the"


def test_lines_that_each_name_something_are_no_parted_sentence():
    lines = [paragraph("Telephone: 0400 55 12"), paragraph("Emergency: 0400 55 99")]
    assert rule_of(compiled("C", section("Clinic", *lines)), 2) == "Telephone: 0400 55 12"


def causes_of(text: str, place: int = 0) -> str:
    reading = Reading(compiled("H", section("Hall", paragraph(text))).tree)
    return reading.words(reading.causes_beside(2, place).spans)


def test_a_sentence_that_adds_a_cause_belongs_to_the_answer_why():
    text = f"The roof leaks because the tiles are old. Nesting birds further loosen the gutter. Tea is at four.{LONG}"
    assert causes_of(text) == "The roof leaks because the tiles are old. Nesting birds further loosen the gutter."


def test_how_a_figure_was_come_to_stands_before_it():
    text = f"Three tests of the beams were compared with the load of a full house. At least 9 posts were needed.{LONG}"
    assert causes_of(text, 1).startswith("Three tests of the beams")
    assert causes_of(f"Tea is at four. At least 9 posts were needed.{LONG}", 1) == "At least 9 posts were needed."


HOSTEL = compiled(
    "Hostel rates",
    section(
        "Beds",
        paragraph("For a bed the warden may ask no more than what stands here:"),
        table("", [["Oslo, Bergen", "41"], ["Turin", "29"], ["Lyon", "33"]], columns=["Town", "Price a night (€)"]),
    ),
    section("Breakfast", paragraph("The warden may ask six euros for breakfast and asks nothing for a blanket.")),
    *[
        section(f"Rule {number}", paragraph(f"Rule {number} of the house is kept by every guest."))
        for number in range(30)
    ],
)


def test_what_announces_a_table_belongs_to_its_rows():
    assert rule_of(HOSTEL, 3, 1) == "For a bed the warden may ask no more than what stands here: Oslo, Bergen 41"
    assert Reading(HOSTEL.tree).reach(3) == [2]


def test_a_name_that_stands_in_few_places_of_a_document_tells_the_row_that_answers():
    finder = Finder(HOSTEL, understand("How much may the warden ask for a bed in Turin?"))
    nodes = [(HOSTEL.tree.node(candidate.key), candidate.fit, "Beds") for candidate in finder.ranked]
    best = find_passages("a", nodes, finder)[0]
    assert best.quote == "Turin\t29"
    assert best.lead == "Turin – Price a night (€): 29"
    assert "a number" not in best.unmet


def test_a_name_that_the_document_is_about_tells_nothing():
    finder = Finder(HOSTEL, understand("What does the Hostel Rates list say about a blanket?"))
    assert not any(piece.kind == "name" for piece in finder.aspects.pieces)


def _review() -> CompiledDocument:
    return compiled(
        "Review of the harbour",
        section(
            "The failure to check the ladders was a breach of rule 14 of the harbour rules.",
            paragraph(
                "The ladders were checked in May by a diver, who checked the rules and the failure of two rungs."
            ),
            paragraph("The diver was paid for a whole day of checking."),
        ),
        section("Harbour Master", paragraph("Ines Falk, Port of Lund")),
        section("Board Members", paragraph("Olav Berg, Port of Visby"), paragraph("Ada Lind, Port of Ystad")),
        section("Tel: 0410 55 12 90", paragraph("Open from May to September.")),
    )


def best_of(question: str) -> Passage:
    document = _review()
    finder, tree = Finder(document, understand(question)), document.tree
    keys = [*tree.leaves(), *(key for key in tree.sections() if states_something(tree.node(key).text))]
    nodes = [(tree.node(key), finder.fits([key])[key], ", ".join(tree.path(key)[-2:])) for key in keys]
    return find_passages("a", nodes, finder)[0]


def test_a_heading_that_states_something_is_brought_with_what_stands_below_it():
    assert Reading(_review().tree).reach(3) == [1]


def test_what_a_heading_states_is_said_there_and_not_below_it():
    best = best_of("Which rule did the failure to check the ladders breach?")
    assert best.quote.endswith("a breach of rule 14 of the harbour rules.")


def test_who_stands_below_an_office_holds_it():
    best = best_of("Who is the harbour master?")
    assert best.lead == "Harbour Master: Ines Falk, Port of Lund"


@pytest.mark.parametrize(
    "heading,states",
    [
        ("Six in ten members now come by boat, and few by bus", True),
        ("Tel: 0410 55 12 90", True),
        ("E-mail: desk@port.example", True),
        ("Duties of the Harbour Master and of the Members of the Board", False),
        ("What happens when a member of the board leaves the harbour?", False),
        ("How members of the board are elected by the harbour", False),
        ("Section 4: Ladders", False),
    ],
)
def test_a_title_only_names_what_stands_below(heading, states):
    assert states_something(heading) is states


@pytest.mark.parametrize(
    "text,counts",
    [
        ("Survey of adults conducted Jan. 9-14, 2019.", False),
        ("Adults were asked from 3 to 9 March 2020.", False),
        ("On May 4 some 1,204 adults were asked.", True),
    ],
)
def test_days_of_a_month_count_nobody(text, counts):
    assert is_met(Requirement(Wanted.AMOUNT, "How many adults were asked"), text) is counts


@pytest.mark.parametrize(
    "text,counts",
    [
        ("Rule 17 of the Harbour Rules 2014: ladders were not checked.", False),
        ("Three rules were broken.", True),
    ],
)
def test_the_number_of_a_rule_counts_no_rules(text, counts):
    assert is_met(Requirement(Wanted.AMOUNT, "How many rules were broken"), text) is counts


@pytest.mark.parametrize(
    "text,states",
    [
        ("Some 68% of the pilots come by boat, and 55% have a boat of their own.", False),
        ("Pilots are 13 percentage points more likely to come by boat.", True),
    ],
)
def test_two_shares_are_no_answer_to_how_far_they_are_apart(text, states):
    (asked,) = requirements_of(understand("How many percentage points more pilots come by boat than have one?"))
    assert asked.wanted is Wanted.SUM
    assert is_met(asked, text) is states


def test_words_that_only_repeat_the_question_answer_nothing():
    source = "Harbour Survey of May 2013, Port of Lund."
    document = compiled("Ships", section("Ships", paragraph(source), paragraph("Some 41 of the ships were ferries.")))
    finder = Finder(
        document, understand("How many ships were ferries in the Harbour Survey of May 2013, Port of Lund?")
    )
    nodes = [(document.tree.node(key), 1.0, "Ships") for key in document.tree.leaves()]
    found = {passage.quote: passage for passage in find_passages("a", nodes, finder)}
    assert not found[source].suffices
    assert found["Some 41 of the ships were ferries."].suffices


def test_an_entry_of_the_index_is_no_answer():
    pages = [paragraph(f"Words on page {page}.", page=page) for page in range(29)]
    document = compiled(
        "Manual", section("Use", *pages), section("Index", paragraph("lamp, colour of the standby 27", page=29))
    )
    finder = Finder(document, understand("What colour is the standby lamp?"))
    key = document.tree.leaves()[-1]
    found = find_passages("a", [(document.tree.node(key), 1.0, "Index")], finder)
    assert not any(passage.suffices for passage in found)


SLIDE = compiled(
    "Pool rules",
    section(
        "Rules",
        paragraph("Many visitors said last year that they may like to stay longer and swim."),
        paragraph("Persons under 14 need the company of somebody aged 18 or over."),
        paragraph("A bag of up to 20 kg may be left at the desk, and each further one costs a fee."),
    ),
)


@pytest.mark.parametrize(
    "question,begins",
    [
        ("My twelve-year-old would like to swim. Is that fine?", "Persons under 14"),
        ("My suitcase has 23 kilos. Can it stay with you?", "A bag of up to 20 kg"),
    ],
)
def test_a_rule_that_bounds_what_a_case_measures_is_about_the_case(question, begins):
    finder = Finder(SLIDE, understand(question))
    nodes = [(SLIDE.tree.node(key), 1.0, "Rules") for key in SLIDE.tree.leaves()]
    assert find_passages("a", nodes, finder)[0].quote.startswith(begins)


def told_first(label: str) -> str:
    goals = [["By 2026 plant a further 900 trees along the old canal.", "Target", "900"]]
    made = table("Goals", goals, columns=["Description", "Type", "Number"])
    head, row = made.table.rows
    made = replace(made, table=replace(made.table, rows=(head, replace(row, label=label or row.label))))
    document = compiled("Plan", section("Trees", made))
    node = next(node for key in document.tree.leaves() if (node := document.tree.node(key)).table)
    return cell_first(node, row.offset, Finder(document, understand("What is the number of trees?")))


def test_a_row_that_begins_with_a_sentence_is_not_told_by_a_cell_beside_it():
    assert told_first("Target") == ""
    assert told_first("") == "900: By 2026 plant a further 900 trees along the old canal., Number."


@pytest.mark.parametrize(
    ("wanted", "part", "text", "met"),
    [
        (Wanted.SPAN, "How much warning must I give before I move out", "It is repaid within ten days.", False),
        (Wanted.SPAN, "How much warning must I give before I move out", "Tenants give one month's notice.", True),
        (Wanted.AMOUNT, "How much milk do the calves get", "They are fed for ten weeks.", False),
        (Wanted.AMOUNT, "How much milk do the calves get", "They are fed six litres a day.", True),
        (Wanted.AMOUNT, "How much is left to pay after the deposit", "A deposit of £60 is payable in May.", False),
        (Wanted.AMOUNT, "How much is left to pay after the deposit", "The balance of £225 is due in May.", True),
        (Wanted.AMOUNT, "What share of the money came from apples", "Apples brought in £900.", False),
        (Wanted.AMOUNT, "What share of the money came from apples", "Two thirds came from apples.", True),
        (Wanted.AMOUNT, "How many apples were picked", "Apples earned 430,000 kronor.", False),
    ],
)
def test_a_number_of_something_else_is_not_the_one_asked_for(wanted, part, text, met):
    assert is_met(Requirement(wanted, part), text) is met


def test_a_sum_is_not_of_what_is_named_only_behind_it():
    built = "The roof of the barn was renewed at a cost of £84,600. A hoist will be installed in the coming year."
    document = compiled("Farm report", section("Buildings", paragraph(built)))
    best = found_in(document, "How much did the hoist cost?")[0]
    assert not best.suffices and "hoist" not in " ".join(part.quote for part in best.parts)
    assert found_in(document, "How much did the roof of the barn cost?")[0].suffices


def test_a_price_is_not_of_a_thing_that_the_document_never_names():
    priced = "A pitch with electricity costs £31 a night for two persons. Dogs are welcome at £3 a night."
    document = compiled("Pinewater Campsite", section("Prices", paragraph(priced)))
    assert "a number" in found_in(document, "How much is a night in a cabin?")[0].unmet
    assert "a number" not in found_in(document, "How much is a night on a pitch?")[0].unmet


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("The site was laid out in 1961 by the Probert brothers.", True),
        ("The site was laid out in 1961 by the end of May.", False),
        ("The hall seats thirty persons.", False),
        ("Only the persons on the list hold keys.", True),
    ],
)
def test_who_is_told_by_whoever_does_a_thing_and_not_by_people_counted(text, tells):
    assert is_met(Requirement(Wanted.PERSON, "Who built the camp"), text) is tells


def found_in(document: CompiledDocument, question: str) -> list[Passage]:
    tree, finder = document.tree, Finder(document, understand(question))
    return find_passages("a", [(tree.node(key), 1.0, "") for key in tree.leaves()], finder)
