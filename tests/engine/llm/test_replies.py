"""Reading what models really send: the object is found and bent to its schema, and nothing is made up."""

import time

import pytest

from vectorless_web.engine.errors import ModelInvalidReply
from vectorless_web.engine.llm.replies import LONGEST, check_object, fit_to_schema, is_unfinished, value_in

SCHEMA = {
    "type": "object",
    "properties": {
        "thought": {"type": "string", "maxLength": 40},
        "action": {"type": "string", "enum": ["read", "stop"]},
        "node": {"type": ["integer", "null"]},
        "claims": {
            "type": "array",
            "maxItems": 2,
            "items": {
                "type": "object",
                "properties": {"text": {"type": "string", "minLength": 1}, "quotes": {"type": "array"}},
                "required": ["text", "quotes"],
                "additionalProperties": False,
            },
        },
        "none": {"type": "boolean"},
    },
    "required": ["thought", "action", "node", "claims", "none"],
    "additionalProperties": False,
}
GOOD = {"thought": "Because.", "action": "read", "node": 12, "claims": [], "none": False}


def read(text):
    return check_object(text, None, SCHEMA)


@pytest.mark.parametrize(
    "text",
    [
        '{"thought": "Because.", "action": "read", "node": 12, "claims": [], "none": false}',
        '```json\n{"thought": "Because.", "action": "read", "node": 12}\n```',
        'Sure! Here it is:\n```\n{"thought": "Because.", "action": "read", "node": 12}\n```\nI hope that helps.',
        '<think>First {"action": "stop"}? No.</think>\n{"thought": "Because.", "action": "read", "node": 12}',
        'The template opened the thought. </think> {"thought": "Because.", "action": "read", "node": 12}',
        'I will read it. {"thought": "Because.", "action": "read", "node": 12,}',
        "{'thought': 'Because.', 'action': 'read', 'node': 12, 'none': False}",
        '{"thought": "Because.", "action": "READ", "node": "[12]", "mood": "fine"}',
        '{"Thought": "Because.", "Action": " Read ", "Node": "node 12"}',
        '[{"thought": "Because.", "action": "read", "node": 12.0}]',
        '{"reply": {"thought": "Because.", "action": "read", "node": "12", "none": "no"}}',
        '{"action": "stop", "thought": "an example"} {"thought": "Because.", "action": "read", "node": 12}',
    ],
)
def test_the_same_step_is_read_however_it_is_dressed(text):
    assert read(text) == GOOD


@pytest.mark.parametrize(
    "text",
    [
        "I would rather talk about the weather.",
        '{"thought": "cut short',
        "<think>and never an end {}",
        '{"thought": "x", "node": 12}',
        '{"thought": "x", "action": "fly", "node": 12}',
        '{"thought": "x", "action": "read", "node": "12 or 13"}',
        '{"wholly": "other", "keys": 1}',
        "{}",
        "[]",
        "",
    ],
)
def test_what_was_not_said_is_not_made_up(text):
    with pytest.raises(ModelInvalidReply):
        read(text)


def test_a_bare_list_of_claims_is_the_answers_list():
    answer = {"type": "object", "properties": {"claims": SCHEMA["properties"]["claims"]}, "required": ["claims"]}
    said = '[{"text": "A."}, {"text": "B.", "quotes": "x"}]'
    assert check_object(said, None, answer) == {
        "claims": [{"text": "A.", "quotes": []}, {"text": "B.", "quotes": ["x"]}]
    }


def test_one_thing_becomes_a_list_and_what_is_too_long_is_cut():
    said = {"thought": "x" * 99, "action": "stop", "node": None, "claims": {"text": 412}, "none": None}
    found = fit_to_schema(said, SCHEMA)
    assert found["claims"] == [{"text": "412", "quotes": []}]
    assert (len(found["thought"]), found["none"]) == (40, False)


def test_line_breaks_inside_a_string_are_read():
    assert value_in('{"a": "one\ntwo"}') == {"a": "one\ntwo"}


@pytest.mark.parametrize("text", ["{" * 50_000, "[" * 100_000, '{"a":' * 9_000, "<think>" * 20_000, "`" * 90_000])
def test_hostile_nesting_is_no_object(text):
    assert value_in(text) is None


@pytest.mark.parametrize(
    ("start", "part", "end"),
    [
        ('{"a": ', '\\"', "}"),
        ("```", "a", ""),
        ("```", " ", ""),
        ('{"', '" "', "}"),
        ("{", "\\", "}"),
        ("{1", ", ", "}"),
        ("{", "'a' ", "}"),
    ],
)
def test_the_longest_hostile_reply_is_read_at_once(start, part, end):
    text = start + part * ((LONGEST - len(start + end)) // len(part)) + end
    began = time.process_time()

    assert value_in(text) is None
    is_unfinished(text)

    # What looks at every character again from every other one takes minutes.
    assert time.process_time() - began < 3


def test_an_escaped_quote_does_not_end_a_string():
    assert value_in('{"a": "one, } \\" {two", "b": 1,}') == {"a": 'one, } " {two', "b": 1}
    assert value_in('I say {"a": "\\"}", "b": 1} and no more') == {"a": '"}', "b": 1}


def test_long_thoughts_before_a_short_reply_do_not_count():
    assert value_in("<think>" + "so " * LONGEST + '</think>{"a": 1}') == {"a": 1}


def test_a_megabyte_is_not_read():
    assert value_in('{"a": "' + "x" * 1_000_000 + '"}') is None
