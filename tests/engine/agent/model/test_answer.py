"""From the arguments of `answer` to claims: ids read however they are dressed, cells of a row made one citation."""

from dataclasses import replace

from tests.engine.agent.model.test_view import library_of
from tests.support.conversing import shelf
from tests.support.engine_documents import annual_report, compiled, paragraph
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.model.answer import (
    AnswerDraft,
    ClaimMaker,
    DraftClaim,
    MadeClaim,
    name_documents,
    read_draft,
)
from vectorless_web.engine.agent.state import RunState
from vectorless_web.engine.documents.artefact import CompiledDocument

QUESTION = "What is asked?"


def make(*drafts: DraftClaim, document: CompiledDocument | None = None) -> list[MadeClaim]:
    document = document or annual_report()
    corpus, library = shelf(a=document), library_of(document)
    library.mark_shown("a", range(len(document.tree)))
    return ClaimMaker(RunState(QUESTION, corpus, Limits()), library, QUESTION).make_claims(drafts)


def test_ids_in_one_string_and_ids_in_the_text_are_read() -> None:
    claims = [{"text": "Sales rose [D1.7.r1, D1.5.1].", "cites": ["[D1.7.r1]; D1.5.1"]}, {"text": " ", "cites": []}]
    draft = read_draft({"outcome": "answered", "claims": claims, "value": None})
    assert [(c.text, c.cites) for c in draft.claims] == [("Sales rose.", ("[D1.7.r1]", "D1.5.1"))]


def test_ids_of_documents_in_the_words_of_an_answer_become_titles() -> None:
    library = library_of(annual_report())
    claims = (DraftClaim("D1 (D1.7) says D2 and D1a.", ()), DraftClaim("Vitamin D1 helps.", ()))
    draft = AnswerDraft("partial", claims, "as D1.5.2 says", ("what D1 leaves open",))
    title = "Norrvik Annual Report 2019"
    named = name_documents(draft, library, "Who wrote it?")
    assert named.claims[0].text == f"{title} ({title}) says D2 and D1a."
    assert (named.value, named.missing) == (f"as {title} says", (f"what {title} leaves open",))
    asked = name_documents(draft, library, "Does vitamin D1 help?")
    assert asked.claims[1].text == "Vitamin D1 helps.", "a word of the question is no id"


def test_cells_of_a_row_and_the_row_itself_are_one_citation() -> None:
    (made,) = make(DraftClaim("Both.", ("D1.7.r1c1", "D1.7.r1c2", "D1.7.r1")))
    assert [evidence.quote for evidence in made.event.citations] == ["Net sales\t$ 5,400\t$ 5,000"]
    assert made.cited[0].columns == (1, 2)


def test_one_cell_names_its_column() -> None:
    (made,) = make(DraftClaim("One.", ("D1.7.r1c2",)))
    assert made.event.citations[0].where.endswith("2018")


def test_places_cited_twice_keep_one_marker_through_the_answer() -> None:
    first, second = make(DraftClaim("A.", ("D1.5.1",)), DraftClaim("B.", ("D1.5.2", "D1.5.1")))
    assert [e.marker for e in first.event.citations] == [1]
    assert [e.marker for e in second.event.citations] == [2, 1]


def test_numbers_are_traced_to_quotes_headings_columns_and_units() -> None:
    made = make(
        DraftClaim("Net sales were $5.4 billion in 2019.", ("D1.7.r1",)),
        DraftClaim("Net sales were $4,900 million in 2019.", ("D1.7.r1",)),
    )
    assert [claim.event.marks for claim in made] == [(), ("not traced: $4,900 million",)]


def test_what_a_calculation_works_out_on_its_way_is_traced() -> None:
    grown = DraftClaim("By $400 million, or 8 %.", ("D1.7.r1",), calculation="(D1.7.r1c1 - D1.7.r1c2) / D1.7.r1c2")
    assert make(grown)[0].event.marks == ()


def test_a_constant_of_the_calculation_that_is_shown_is_traced() -> None:
    told = DraftClaim("Over 365 days it is 394.2.", ("D1.7.r1",), calculation="D1.7.r1c1 / D1.7.r1c2 * 365")
    assert make(told)[0].event.marks == ()
    assert make(replace(told, text="Over 360 days it is 394.2."))[0].event.marks == ("not traced: 360",)


def test_a_claim_without_citations_is_objected_to() -> None:
    assert make(DraftClaim("So it is.", ()))[0].objections == ("It cites nothing.",)


def test_a_node_too_long_to_be_quoted_is_cut_to_its_phrase_or_to_what_says_most_of_the_claim() -> None:
    document = compiled("L", paragraph("The quay is long. " * 200 + "The crane is new. " + "The quay is long. " * 200))
    closest, narrowed = make(
        DraftClaim("The crane is new.", ("D1.1",)),
        DraftClaim("New.", ("D1.1",), phrase="crane is new"),
        document=document,
    )
    assert [evidence.quote for evidence in closest.event.citations] == ["The crane is new."]
    assert [evidence.quote for evidence in narrowed.event.citations] == ["crane is new"]
