"""What models write for a step, a claim, a quote and a sum, and what is read from it."""

import pytest

from vectorless_web.engine.agent.model.prompts import NodeNames
from vectorless_web.engine.agent.model.replies import (
    ANSWER_SCHEMA,
    TURN_SCHEMA,
    draft_calculation,
    joined_calculations,
    mend_answer,
    mended_turn,
    plain_claim,
    quote_parts,
)
from vectorless_web.engine.errors import ModelInvalidReply
from vectorless_web.engine.llm.replies import check_object


def turn(said):
    return check_object("", said, TURN_SCHEMA, mend=mended_turn)


def step(said):
    (found,) = turn(said)["steps"]
    return {name: value for name, value in found.items() if value is not None}


def answer(said):
    return check_object("", said, ANSWER_SCHEMA, mend=mend_answer)


@pytest.mark.parametrize(
    "said,meant",
    [
        ({"action": "read", "node": "412"}, {"action": "read", "node": 412}),
        ({"action": "Retrieve", "node": "[412]"}, {"action": "read", "node": 412}),
        ({"tool": "open", "args": {"key": "node 412"}}, {"action": "read", "node": 412}),
        ({"name": "search", "arguments": '{"query": "net sales"}'}, {"action": "search", "text": "net sales"}),
        ({"function": {"name": "read", "arguments": '{"node": 3}'}}, {"action": "read", "node": 3}),
        ({"action": {"name": "search", "query": "net sales"}}, {"action": "search", "text": "net sales"}),
        ({"action": {"scan": {"node": 3}}}, {"action": "list", "node": 3}),
        ({"action": "read(412)"}, {"action": "read", "node": 412}),
        ({"action": "search: net sales"}, {"action": "search", "text": "net sales"}),
        ({"action": "extract", "node": ["1:412", 7]}, {"action": "read", "node": 412}),
        ({"action": "read", "pages": [3, 5]}, {"action": "read", "text": "3-5"}),
        ({"action": "retrieve", "title": "Note 7"}, {"action": "read", "text": "Note 7"}),
        ({"action": "navigate", "node": 5, "direction": "up"}, {"action": "navigate", "node": 5, "text": "up"}),
        ({"action": "finalize"}, {"action": "answer"}),
        ({"next_step": "FINAL ANSWER", "reasoning": "Done."}, {"action": "answer"}),
        ({"action": "read", "node": 7, "mood": "fine"}, {"action": "read", "node": 7}),
        (
            {"calculate": {"expression": "1 + 1"}, "action": "calculate(1 + 1)"},
            {"action": "calculate", "text": "1 + 1"},
        ),
    ],
)
def test_a_step_is_read_by_whatever_name(said, meant):
    assert step(said) == meant


@pytest.mark.parametrize(
    "said", [{}, {"thought": "x"}, {"action": "delete"}, {"action": 7}, {"action": None, "node": 3}]
)
def test_a_step_without_a_known_action_is_none(said):
    with pytest.raises(ModelInvalidReply):
        step(said)


def test_several_calls_of_a_turn_are_read_and_unknown_tools_left_out():
    said = {"thought": "Look.", "calls": [{"tool": "grep"}, {"tool": "search", "query": "rent"}, "read(31)"]}
    assert [row["action"] for row in turn(said)["steps"]] == ["search", "read"]


def test_a_thousand_calls_are_cut_and_a_turn_of_unknown_tools_is_none():
    many = {"thought": "", "steps": [{"action": "search", "node": None, "text": f"{n}"} for n in range(1000)]}
    assert len(turn(many)["steps"]) == 40
    with pytest.raises(ModelInvalidReply):
        turn({"thought": "", "steps": [{"action": "rm"}] * 3})


ROW = {"text": "Sales were 840.", "quotes": [{"node": "31", "quote": "Net sales | 840"}], "calculations": []}


@pytest.mark.parametrize(
    "said",
    [
        {"thought": "", "steps": [], "answer": {"not_found": False, "claims": [ROW], "value": None, "missing": []}},
        {"claims": [ROW]},
        {"answer": {"claims": ROW}, "steps": None},
        {"answer": {"claims": [ROW]}, "steps": [{"action": "read", "node": 3}]},
    ],
)
def test_an_answer_in_a_turn_is_read_wherever_it_stands(said):
    found = turn(said)
    assert found["steps"] == [] and found["answer"]["claims"] == [ROW]


def test_an_empty_frame_of_an_answer_beside_steps_is_no_answer():
    frame = {"not_found": False, "claims": [], "value": None, "missing": []}
    found = turn({"thought": "", "steps": [{"action": "read", "node": 3, "text": None}], "answer": frame})
    assert found["answer"] is None and len(found["steps"]) == 1


def test_a_claim_may_have_several_calculations_and_one_still_counts():
    total = {"expression": "a - b", "operands": [], "result": "40"}
    for said in ([total, {**total, "result": "5%"}], total):
        found = answer({"claims": [{**ROW, "calculations": said}]})["claims"][0]["calculations"]
        assert found[0] == total and len(found) == (2 if isinstance(said, list) else 1)
    assert answer({"claims": [{**ROW, "calculation": total}]})["claims"][0]["calculations"] == [total]


def test_claims_are_read_in_the_shapes_models_give_them():
    row = {"node": "31", "quote": "Net sales | 840"}
    whole = answer({"claims": [{"text": "Sales were 840 [31].", "quotes": [row], "calculations": []}], "value": 840})
    for said in (
        {"claims": {"text": "Sales were 840 [31].", "quotes": row}, "value": "840"},
        {"claims": [{"claim": "Sales were 840.", "evidence": [{"id": 31, "text": "Net sales | 840"}]}], "answer": 840},
        {"claims": [{"statement": "Sales were 840 (page 7).", "node": "31", "quote": "Net sales | 840"}], "value": 840},
        {"text": "Sales were 840.", "quotes": [row], "value": 840},
    ):
        assert answer(said) == whole
    assert whole["value"] == "840"


def test_no_claims_have_to_be_said_and_are_never_made_of_nothing():
    assert answer({"not_found": True, "missing": "net sales"})["missing"] == ["net sales"]
    assert answer({"claims": []})["claims"] == []
    for said in ({"thought": "Hm."}, {"action": "retrieve"}, {"value": "840"}):
        with pytest.raises(ModelInvalidReply):
            answer(said)


def test_marks_of_citation_go_and_the_sentence_stays():
    assert plain_claim("Sales were 840 [31] in [B12, B13] 2021 (see page 7).") == "Sales were 840 in 2021."
    assert plain_claim("Sales [in thousands] were 840 (2021).") == "Sales [in thousands] were 840 (2021)."


@pytest.mark.parametrize(
    "said,parts",
    [
        ("Net sales | 840", ["Net sales | 840"]),
        ('"Net sales | 840"', ["Net sales | 840"]),
        ("- [31] Net sales | 840", ["Net sales | 840"]),
        ("Net sales ... grew by 40 ...", ["Net sales", "grew by 40"]),
        ("Net sales […] grew", ["Net sales", "grew"]),
        ("Net sales\\t840\\n", ["Net sales\t840"]),
        ("...", ["..."]),
    ],
)
def test_a_quote_with_an_ellipsis_is_two_quotes(said, parts):
    assert quote_parts(said) == parts


@pytest.mark.parametrize("said", [31, "31", "[31]", "node 31", "Passage [31]", "1:31", " (31) "])
def test_a_node_is_read_however_it_is_named(said):
    assert NodeNames(["1"]).read(said) == ("1", 31)


def test_among_several_documents_the_letter_names_one():
    names = NodeNames(["7", "9"])
    assert names.name("9", 31) == "B31"
    assert [names.read(said) for said in ("[B31]", "b31", "9:31", "31", "Z9", "none")] == [
        ("9", 31),
        ("9", 31),
        ("9", 31),
        ("7", 31),
        ("7", 9),
        ("", -1),
    ]


def sum_of(expression, operands, result="5.0%"):
    made = draft_calculation({"expression": expression, "operands": operands, "result": result}, {0: 0, 1: 2})
    return made.expression, [(operand.name, operand.value, operand.quote) for operand in made.operands]


def test_a_sum_keeps_its_names_and_follows_its_quotes():
    operands = [{"name": "now", "value": "840", "quote": 0}, {"name": "before", "value": "800", "quote": 1}]
    assert sum_of("(now - before) / before", operands) == (
        "(now - before) / before",
        [("now", "840", 0), ("before", "800", 2)],
    )


def test_names_with_spaces_and_printed_signs_become_plain():
    operands = [
        {"name": "net sales", "value": "840", "quote": 0},
        {"name": "net sales 2020", "value": "800", "quote": 0},
    ]
    expression, made = sum_of("growth = net sales ÷ net sales 2020 × 100", operands)
    assert expression == "net_sales / net_sales_2020 * 100"
    assert [name for name, _, _ in made] == ["net_sales", "net_sales_2020"]


def test_figures_written_into_a_sum_must_stand_in_a_quote_like_operands():
    expression, made = sum_of("(5,400 - 5,000) / 5,000 * 100 = 8%", [])
    assert expression == "(figure_1 - figure_2) / figure_2 * 100"
    assert made == [("figure_1", "5,400", 0), ("figure_2", "5,000", 0)]


@pytest.mark.parametrize("index", ["²", float("inf"), float("nan"), "9" * 5000, -1])
def test_an_index_that_is_no_number_of_a_quote_is_the_first(index):
    operand = {"name": "a", "value": "1", "quote": index}
    claim = {
        "text": "One.",
        "quotes": ["one"],
        "calculations": {"expression": "a", "result": "1", "operands": [operand]},
    }
    (found,) = answer({"claims": [claim]})["claims"]
    assert found["calculations"][0]["operands"][0]["quote"] == 0


def test_operands_that_are_no_list_are_none():
    claim = {"text": "One.", "quotes": ["one"], "calculations": {"expression": "1", "result": "1", "operands": 5}}
    assert answer({"claims": [claim]})["claims"][0]["calculations"][0]["operands"] == []


@pytest.mark.parametrize("action", [["read"], "read(" + "9" * 5000 + ")", " " * 20_000 + "x"])
def test_a_call_that_names_no_node_is_refused_or_read_as_words(action):
    try:
        (found,) = turn({"steps": [{"action": action}]})["steps"]
    except ModelInvalidReply:
        return
    assert found["node"] is None


def test_a_name_with_a_backslash_does_not_end_the_joining_of_sums():
    sums = [
        {"expression": "a\\1", "operands": [{"name": "a\\1", "value": value, "quote": 0}], "result": value}
        for value in ("1", "2")
    ]
    assert joined_calculations(sums)["expression"] == "a\\1; a\\1_2"
