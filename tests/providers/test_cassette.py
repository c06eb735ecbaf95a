"""Cassettes: calls recorded from any model, played back without one."""

import json

import pytest

from tests.support.scripted_model import ScriptedModel
from tools.demo.cassette import FILE, NOTE, run_question
from vectorless_web import wiring
from vectorless_web.engine.errors import InvalidInput, ModelRateLimited, ModelUnreachable
from vectorless_web.engine.llm.budget import ModelBudget
from vectorless_web.engine.llm.calls import Caller
from vectorless_web.engine.llm.model import Message
from vectorless_web.providers.cassette import Cassette, Recording
from vectorless_web.runs.demo import FOLDER

SCHEMA = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}
KEY = "sk-secret-0123456789"


def ask(text: str = "Say a word.") -> list[Message]:
    return [Message("user", text)]


@pytest.fixture
def tape(tmp_path):
    return tmp_path / "a.cassette.jsonl"


def recorded(tape, *replies, requests=("Say a word.",), model="tiny"):
    caller = Caller(
        ScriptedModel(replies, name=model),
        budget=ModelBudget(calls=9, tokens=99_999),
        on_call=Recording(tape, model=model, provider="models.example"),
    )
    for text in requests:
        try:
            caller.call(ask(text), schema=SCHEMA, purpose="step", max_tokens=99)
        except ModelRateLimited:
            continue
    return Cassette(tape)


def test_what_was_said_is_said_again_with_its_usage_and_model_and_another_request_is_named(tape):
    cassette = recorded(tape, {"word": "yes"})

    reply = cassette.complete(ask(), schema=SCHEMA, max_tokens=99)

    assert (cassette.name, reply.parsed, reply.model) == ("tiny", {"word": "yes"}, "tiny")
    assert reply.usage.tokens_in > 0 and reply.usage.tokens_out > 0

    for text in ("Say another\nword.", "And one more."):
        with pytest.raises(ModelUnreachable, match=r"a\.cassette\.jsonl holds no reply to request [0-9a-f]{16}"):
            cassette.complete(ask(text), schema=SCHEMA, max_tokens=99)

    assert "which begins “Say another word.”" in cassette.first_missed


def test_a_request_asked_twice_gets_its_replies_in_order_and_the_last_for_ever(tape):
    cassette = recorded(tape, {"word": "one"}, {"word": "two"}, requests=["Say a word."] * 2)

    said = [cassette.complete(ask(), schema=SCHEMA, max_tokens=99).parsed["word"] for _ in range(3)]

    assert said == ["one", "two", "two"]


def test_an_error_is_raised_again_in_its_own_words(tape):
    cassette = recorded(tape, ModelRateLimited("Slow down."))

    with pytest.raises(ModelRateLimited, match="Slow down"):
        cassette.complete(ask(), schema=SCHEMA, max_tokens=99)


def test_every_line_says_purpose_prompt_reply_usage_model_and_provider(tape):
    recorded(tape, {"word": "yes"})

    header, row = map(json.loads, tape.read_text().splitlines())
    assert header == {"cassette": 1, "model": "tiny", "provider": "models.example", "note": ""}
    assert {"request", "purpose", "prompt", "reply", "usage", "model", "provider"} == set(row)


def test_a_site_s_recording_names_the_host_and_no_key(tape, settings):
    settings.MODEL, settings.OPENAI_API_KEY = "tiny", KEY
    settings.OPENAI_BASE_URL = f"https://user:{KEY}@models.example/v1?key={KEY}"
    wiring.open_recording(tape)

    assert json.loads(tape.read_text())["provider"] == "models.example"
    assert KEY not in tape.read_text()


def test_a_file_that_is_there_is_never_overwritten(tape):
    tape.write_text("My notes.")

    with pytest.raises(InvalidInput, match=r"a\.cassette\.jsonl exists already"):
        Recording(tape, model="tiny", provider="models.example")

    assert tape.read_text() == "My notes."


@pytest.mark.parametrize("text", ["", "{}", "prose", '{"cassette": 2}', '{"cassette": 1}\n{"request": "x"}', "[1]"])
def test_what_is_no_cassette_is_told_in_a_sentence(tape, text):
    tape.write_text(text)

    with pytest.raises(InvalidInput, match=r"a\.cassette\.jsonl is no cassette"):
        Cassette(tape)


def test_the_demo_s_cassette_answers_the_prompts_of_today():
    """When this fails a prompt has changed: `python -m tools.demo.cassette` records it again, with a live model."""
    cassette = Cassette(FOLDER / FILE)
    end = run_question(FOLDER, cassette)[-1]

    assert cassette.first_missed == ""
    assert (end.outcome, end.grounded, end.engine) == ("answered", True, cassette.name)
    assert cassette.note == NOTE and "live reader" in NOTE
