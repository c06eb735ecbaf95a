import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.engine_documents import compiled as report
from tests.support.engine_documents import paragraph
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.passages.find import LONGEST_SHOWN, ROWS_SHOWN, find_passages, list_absent
from vectorless_web.engine.questions.understand import understand

HANDBOOK = """# Handbook

## Leave

Everybody has 26 days of leave a year. Days that are left over lapse at the end of March. Ask your manager early.

## Hotels

The following prices a night are the most that is paid:

| City | Pounds a night |
|---|---|
| Zurich, Geneva | 225 |
| Paris | 190 |
| All others | 140 |

## Sickness

Tell your manager by nine. To be paid you need:

- a note of the doctor after three days
- a call every Monday
"""


@pytest.fixture(scope="session")
def handbook(compiled):
    return compiled(HANDBOOK, "handbook.md")


def find(question, **documents):
    return find_passages(understand(question), documents)


def test_a_paragraph_is_shown_whole_with_its_best_sentences_lit(handbook):
    best = find("When do leave days that are left over lapse?", handbook=handbook)[0]
    assert best.text.startswith("Everybody has 26 days") and best.text.endswith("early.")
    assert "lapse at the end of March" in best.lit
    assert (best.document, best.path, best.kind) == ("handbook", ("Handbook", "Leave"), NodeKind.PARAGRAPH)
    assert handbook.tree.node(best.key).text[best.start : best.end] == best.lit


def test_a_table_is_shown_with_its_column_names_and_its_best_row_lit(handbook):
    best = next(p for p in find("What is paid for a night in Geneva?", handbook=handbook) if p.kind is NodeKind.TABLE)
    assert best.rows[0] == ("City", "Pounds a night")
    assert best.rows[best.lit_row] == ("Zurich, Geneva", "225")
    assert "Geneva" in best.lit and best.text[best.lit_start : best.lit_end] == best.lit
    assert best.lead_in.endswith("is paid:")


def test_a_list_is_shown_whole_with_its_lead_in(handbook):
    best = find("Which note of the doctor is needed?", handbook=handbook)[0]
    assert best.kind is NodeKind.LIST and "call every Monday" in best.text
    assert "note of the doctor" in best.lit and "Monday" not in best.lit
    assert best.lead_in == "To be paid you need:"


def test_it_is_told_which_words_of_the_question_a_passage_holds(handbook):
    best = find("When do zebras lose leave?", handbook=handbook)[0]
    assert "leave" in best.holds
    assert "zebras" in best.lacks
    assert list_absent([understand("When do zebras lose leave?")], {"h": handbook}) == ("zebras", "lose")


def test_what_stands_twice_is_shown_once_and_several_documents_are_ranked_together(handbook, compiled):
    copy, other = compiled(HANDBOOK, "copy.md"), compiled("# Garden\n\nRoses are cut in March.")
    found = find("When do leave days lapse, and when are roses cut?", a=handbook, b=copy, c=other)
    texts = [passage.text for passage in found]
    assert len(texts) == len(set(texts))
    assert {passage.document for passage in found[:2]} == {"a", "c"}
    assert [passage.score for passage in found] == sorted((passage.score for passage in found), reverse=True)


def test_nothing_is_found_without_words_or_documents(handbook):
    assert find("zzz", handbook=handbook) == () and find("?", handbook=handbook) == () and find("leave") == ()


def test_at_most_as_many_as_asked_for_are_found(handbook):
    plan = understand("What does the manager pay for days?")
    assert len(find_passages(plan, {"h": handbook}, most=1)) == 1


def test_what_the_gate_refuses_makes_room_for_others_before_the_cut(handbook):
    plan = understand("What does the manager pay for days?")
    every = find_passages(plan, {"h": handbook})
    first = every[0].key
    others = find_passages(plan, {"h": handbook}, most=len(every) - 1, gate=lambda _, key: key != first)
    assert [passage.key for passage in others] == [passage.key for passage in every[1:]]


def test_a_long_table_and_a_long_text_are_cut_around_what_is_lit(compiled):
    rows = "\n".join(f"| Store {n} | {n} |" for n in range(40))
    prose = " ".join(f"Sentence number {n} tells of the harbour." for n in range(200)) + " The lighthouse is red."
    document = compiled(f"# Big\n\n{prose}\n\n| Store | Sales |\n|---|---|\n{rows}\n", "big.md")
    table = next(p for p in find("What were the sales of Store 37?", d=document) if p.kind is NodeKind.TABLE)
    assert len(table.rows) <= ROWS_SHOWN + 1 and table.rows[table.lit_row][0] == "Store 37"
    text = find("What colour is the lighthouse?", d=document)[0]
    assert len(text.text) <= LONGEST_SHOWN and "lighthouse is red" in text.lit
    assert text.text[text.lit_start : text.lit_end] == document.tree.node(text.key).text[text.start : text.end]


@given(st.lists(st.sampled_from(["leave", "geneva", "doctor", "days", "march", "night", "2021", "zebra", "%"])))
def test_what_is_lit_is_always_a_copy(handbook, words):
    for passage in find_passages(understand(" ".join(words)), {"h": handbook}):
        node = handbook.tree.node(passage.key)
        assert passage.lit == node.text[passage.start : passage.end] != ""


@pytest.mark.parametrize(
    ("question", "absent"),
    [
        ("Was randomisation taught to teachers sur the CEO by a forerunner?", ("taught", "CEO", "forerunner")),
        ("Welchen Zuschlag darf dieser Lehrer dafür verlangen?", ("Zuschlag", "Lehrer", "verlangen")),
        (
            "Dans l’étude sur les patientes d’un cancer, à quels moments leur est-on utile ?",
            ("l’étude", "cancer", "moments"),
        ),
        ("¿Contra qué chocó la avioneta antes de quedar cerca?", ("chocó", "avioneta", "quedar")),
        ("千佛山医院的研究对患者的病程有什么要求？", ()),
    ],
)
def test_words_of_a_question_that_stand_nowhere_are_told_but_for_those_that_say_nothing_by_themselves(
    question: str, absent: tuple[str, ...]
) -> None:
    document = report("Report", paragraph("Patients were randomized by their teacher to the VAT group in utility."))
    assert list_absent([understand(question, expand=False)], {"a": document}) == absent
