"""The schema as a server gets it: its shape, without the bounds that servers refuse or choke on."""

from vectorless_web.engine.agent.model import verifier
from vectorless_web.engine.agent.model.tools import TURN_SCHEMA
from vectorless_web.providers.openai_chat import Dialect, shape_of


def words_of(part):
    if isinstance(part, dict):
        return {*part, *(word for item in part.values() for word in words_of(item))}
    return {word for item in part for word in words_of(item)} if isinstance(part, list) else set()


def test_bounds_are_left_out_and_everything_else_stays():
    assert shape_of({"type": "string", "maxLength": 9, "enum": ["a", None]}) == {"type": "string", "enum": ["a", None]}
    named = {"type": "object", "properties": {"minimum": {"type": "integer", "minimum": 0}}, "required": ["minimum"]}
    assert shape_of(named) == {**named, "properties": {"minimum": {"type": "integer"}}}


def test_a_verdict_keeps_to_strict_mode_and_a_turn_with_free_arguments_does_not_ask_for_it():
    for schema, strict in ((verifier._SCHEMA, True), (TURN_SCHEMA, False)):
        sent = Dialect().options(schema, max_tokens=10, temperature=0.0)["response_format"]["json_schema"]
        assert sent["strict"] is strict
        assert not words_of(sent) & {"minLength", "maxLength", "minItems", "maxItems", "minimum"}
        assert set(sent["schema"]["properties"]) == set(schema["properties"])
