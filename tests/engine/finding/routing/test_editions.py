"""Which one of its series a document is, and which one a question wants."""

import pytest

from tests.support.cards import ACTIVE, card, ids, router, snapshot
from vectorless_web.engine.finding.routing import DocumentRouter
from vectorless_web.engine.finding.routing.editions import Edition, read_edition, series_core
from vectorless_web.engine.index.word_blocks import WordIndex, encode_words
from vectorless_web.engine.questions.editions import Recency, read_wanted_edition
from vectorless_web.engine.questions.understand import understand
from vectorless_web.engine.text.analyser import analyse


def edition(title="", name="", head="", **fields) -> Edition:
    return read_edition(title=title, name=name, card=card(title, **fields), head=head)


@pytest.mark.parametrize(
    ("title", "day", "version"),
    [
        ("Travel Policy, version 2.1", 0, 201),
        ("Pump manual Rev. B", 0, 200),
        ("Staff handbook, third edition", 0, 300),
        ("Corvane 1.10 Release Notes", 0, 110),
        ("Safety Bulletin No. 11", 0, 1100),
        ("Lease, Amendment No. 2", 0, 0),
        ("Fire safety rules", 0, 0),
        ("Minutes of 12 March 2024", 20240312, 0),
        ("Price list 2011-10", 20111000, 0),
        ("Price list 01.07.2024", 20240701, 0),
        ("Corvane quarterly report Q2 2023", 20230630, 0),
        ("Corvane annual report 2022", 20221231, 0),
        ("Tariff 2022-23", 20221231, 0),
        ("School calendar 2021/2022", 20211231, 0),
    ],
)
def test_the_edition_stands_in_the_title(title, day, version):
    found = edition(title)
    assert (found.day, found.version) == (day, version)


FAR = "The aircraft landed in a field of rye. " * 40


@pytest.mark.parametrize(
    ("head", "day"),
    [
        ("Leave rules\nEffective from 1 May 2021\nThey replace those of 3 June 2018.", 20210501),
        ("Report\nFor the fiscal year ended September 30, 2022\nIncorporated 4 May 1999", 20220930),
        ("Lease\ndated 02/09/2023\nThe term ends on 28 February 2026.", 20230902),
        ("Lease\ndated 02/09/2023\nThe term ends on February 28, 2026.", 20230209),
        ("Lease\ndated 02/09/2023\nThe term ends on 02/28/2026.", 20230209),
        ("Lease\ndated 07/27/2023", 20230727),
        (f"Accident report 12/08/2007\n{FAR}\nReviewed 06/25/2008.", 20071208),
    ],
)
def test_the_date_a_document_gives_itself_is_read_as_it_writes_others(head, day):
    assert edition("Some document", head=head).day == day


def test_period_and_version_are_no_part_of_a_series():
    same = ("Travel Policy v3", "travel-policy-2024.pdf", "Travel Policy (draft)", "Travel Policy, May 2021")
    assert {series_core(title) for title in same} == {"travel polici"}
    assert series_core("Report 7") != series_core("Report 8")
    for one, other in (
        ("Notes 1.9", "Notes 1.10"),
        ("Bulletin No. 9", "Bulletin No. 11"),
        ("Fee 2022-23", "Fee 2023-24"),
    ):
        assert series_core(one) == series_core(other)


def test_amendments_drafts_and_withdrawn_editions_are_told():
    assert edition("Amendment No. 2 to the Lease of Mill Lane").amendment == 2
    assert edition("Quarry rules (draft)").is_draft
    assert edition("Quarry rules", head="SUPERSEDED\nQuarry rules of 2019").is_withdrawn
    assert not edition("Quarry rules", head="These rules replace the superseded rules of 2019.").is_withdrawn


def test_an_edition_is_kept_as_one_number():
    for each in (Edition(20240312, 201, 2, True, True), Edition(20221231), Edition(0, 300), Edition()):
        assert Edition.decode(each.encode()) == each


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("What is the meal limit in the latest travel policy?", Recency.LATEST),
        ("According to the most recent minutes, who chairs the board?", Recency.LATEST),
        ("What does the last annual report say about dividends?", Recency.LATEST),
        ("What was the limit in the previous version of the policy?", Recency.PREVIOUS),
        ("Who signed the original lease agreement?", Recency.OLDEST),
        ("What was the rate as of 3 May 2022?", Recency.AS_OF),
        ("Which price was in force on 1 July 2021?", Recency.AS_OF),
        ("How did the fee change between 2020 and 2022?", Recency.BETWEEN),
        ("What was the fee before the current rules?", Recency.PREVIOUS),
        ("Which limit did the sheet give before its last revision?", Recency.PREVIOUS),
        ("What did a stall cost under the old price list?", Recency.PREVIOUS),
        ("Which dose did the initial protocol foresee?", Recency.OLDEST),
        ("What did the original edition of the guide say?", Recency.OLDEST),
        ("What does version 1.1 of the protocol say?", Recency.NAMED),
        ("How many joined according to the last newsletter but one?", Recency.PREVIOUS),
    ],
)
def test_the_question_says_which_edition(question, wanted):
    found = read_wanted_edition(understand(question))
    assert found is not None and found.recency is wanted


@pytest.mark.parametrize(
    "question",
    [
        "What is the current ratio of Corvane?",
        "What were current liabilities?",
        "When must a claim be made at the latest?",
        "What was revenue in the previous year?",
        "How many days of leave does one have?",
        "What happens after the first notice?",
        "Who pays before the last instalment?",
        "What was revenue in 2022?",
        "How many days of prior notice must be given?",
    ],
)
def test_other_uses_of_the_words_want_no_edition(question):
    assert read_wanted_edition(understand(question)) is None


POLICIES = [
    card("Travel Policy v1", overview="The meal limit is 20 pounds.", tags=("meals",)),
    card("Travel Policy v3", overview="The meal limit is 30 pounds.", tags=("meals",)),
    card("Travel Policy v2", overview="The meal limit is 25 pounds.", tags=("meals",)),
    card("Parking rules", overview="Cars are parked in the yard.", tags=("cars",)),
    card("Canteen notice", overview="A meal is served at noon.", tags=("meals",)),
]


def test_it_says_which_edition_it_took_and_leaves_the_others_out():
    result = router(POLICIES).route(understand("What is the meal limit in the latest travel policy?"))
    assert result.edition == "Asked for “latest policy”, took the latest of 3 editions (version 3)"
    assert "the latest of 3 editions (version 3)" in result.candidates[0].reason
    assert not {1, 3} & set(ids(result))


def test_a_stretch_of_time_names_its_year_once_and_its_last_month_whole():
    wanted = read_wanted_edition(understand("What did it cost between March 2022 and May 2022?"))
    assert wanted is not None and (wanted.first, wanted.last) == (20220300, 20220531)


def test_what_is_said_of_editions_is_about_the_first_document():
    cards = [
        card("Harbour guide", overview="The quay is lit at night until dawn, at the latest."),
        *(card(f"Lamp manual v{number}", overview="A lamp is lit.") for number in (1, 2)),
    ]
    result = router(cards, ACTIVE).route(understand("Until when is the quay of the harbour lit in the latest guide?"))
    assert (ids(result)[0], result.edition) == (1, "")


@pytest.mark.parametrize("kind", ["handbook", "report", "policy"])
def test_numbered_files_of_one_kind_are_no_series(kind):
    cards = [
        card(f"{issuer} {what}", names=(f"{kind} 000{number}",), forms=(kind,), overview="A ladder is lent.")
        for number, (issuer, what) in enumerate((("Corvane", "rules"), ("Belmar", "guide"), ("Osmar", "book")))
    ]
    names = [f"{kind}-000{number}.pdf" for number in range(3)]
    held = router(cards, ACTIVE, names=names).snapshot
    assert {held.key_frequency(int(each)) for each in held.series(held.all_rows()).flat if each} == {1}


def test_an_issuer_that_stands_at_the_beginning_of_the_text_alone_tells_its_price_list():
    cards = [
        card("Price list", years=(2022,), tags=("coats",)),
        card("Price list", years=(2022,), tags=("coats",)),
        card("Belmar Laundry annual review", names=("belmar laundry",), overview="The coat business grew."),
        *(card(f"Notice {number}", overview="A coat is worn.") for number in range(20)),
    ]
    texts = {
        1: "prices osmar laundry coat cost",
        2: "prices belmar laundry coat cost",
        3: "belmar laundry review coat business grew",
    }
    lists = {pk: encode_words({term: (1, 1) for term in analyse(text)}) for pk, text in texts.items()}
    routed = DocumentRouter(snapshot(cards).with_words(WordIndex().with_lists(lists)), ACTIVE)

    for issuer, wanted in (("Osmar", 1), ("Belmar", 2)):
        found = routed.route(understand(f"What does a coat cost in the price list of {issuer} Laundry?"))
        assert ids(found)[0] == wanted


def test_documents_of_one_title_without_a_version_are_not_called_editions():
    accidents = [
        card(f"Accident report {day} May 2007", overview=f"A {thing} landed.")
        for day, thing in enumerate(("glider", "biplane"), 4)
    ]
    reasons = [row.reason for row in router(accidents).route(understand("What landed?")).candidates]
    assert any("one of 2 documents of this kind (5 May 2007)" in reason for reason in reasons)
    assert not any("edition" in reason for reason in reasons)
