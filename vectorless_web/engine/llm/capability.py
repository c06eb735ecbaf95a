"""Model servers that people use, what a chat model and its server can do, and which jobs that suits."""

import hashlib
import io
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import resources
from typing import Any

from vectorless_web.engine.errors import ModelAuth, ModelError, ModelUnknown
from vectorless_web.engine.llm.model import ChatModel, Message, Reply, Usage, clean_name
from vectorless_web.engine.llm.picture import Picture
from vectorless_web.engine.llm.replies import parse_object, problem_with


@dataclass(frozen=True, slots=True)
class Preset:
    """One kind of server. `model` is an example of how it names its models; `help` is one sentence for its user."""

    name: str
    label: str
    base_url: str
    needs_key: bool
    model: str
    help: str


_SERVERS = tomllib.loads(resources.files(__package__).joinpath("servers.toml").read_text(encoding="utf-8"))
PRESETS = tuple(Preset(**server) for server in _SERVERS["server"])


def preset(name: str) -> Preset | None:
    """The preset of this name; None for a name that is none."""
    return next((found for found in PRESETS if found.name == name), None)


def model_address(*, provider: str, model: str, given: str) -> str:
    """Where the model of the settings answers: the address given, else that of the provider's preset, else OpenAI's.

    ValueError says what is missing when a provider is named and the rest does not do.
    """
    found = preset(provider or "openai")
    if found is None:
        raise ValueError(f"VECTORLESS_PROVIDER must be one of {', '.join(known.name for known in PRESETS)}.")
    if provider and not model:
        example = f", for example VECTORLESS_MODEL={found.model}" if found.model else ""
        raise ValueError(f"VECTORLESS_PROVIDER={provider} needs VECTORLESS_MODEL too{example}.")
    if model and not (given or found.base_url):
        raise ValueError(f"VECTORLESS_PROVIDER={provider} needs OPENAI_BASE_URL, the address of its server.")
    return given or found.base_url


YES, NO, UNKNOWN = "yes", "no", "unknown"


@dataclass(frozen=True, slots=True)
class Capability:
    """One thing a model can do, cannot do, or might: `found` is yes, no or unknown.

    `without` says what the product does instead; "" when nothing is missing.
    """

    name: str
    found: str
    sentence: str
    without: str = ""


@dataclass(frozen=True, slots=True)
class ModelJob:
    """Whether the model suits one job: plan (choose steps), guide (choose branches), write (the answer)."""

    name: str
    suits: bool
    sentence: str


@dataclass(frozen=True, slots=True)
class SelfTest:
    """All that was found. `usable` is true when the model suits at least one job.

    `forms` are the ways that work to ask for an object; `reads_tokens` is the most it was
    seen to read where more was not read, else None. `error_code` is that of the first failure.
    """

    usable: bool
    model: str
    capabilities: tuple[Capability, ...]
    jobs: tuple[ModelJob, ...]
    verdict: str
    seconds: float = 0.0
    first_token_seconds: float | None = None
    tokens: int = 0
    cost_usd: float = 0.0
    forms: tuple[str, ...] = ()
    streams: bool | None = None
    reads_tokens: int | None = None
    reads_pictures: bool | None = None
    """None when it could not be found out."""
    error_code: str = ""
    error: str = ""
    settings_are_wrong: bool = False
    """Key, model or address must be changed before anything can be found out."""

    def as_json(self) -> dict[str, Any]:
        """The same as JSON values."""
        return asdict(self)


CONTEXT_TOKENS = 40_000
"""Tokens that the questions about the context may read together."""
FIRST_CONTEXT = 2_000
STEP_TOKENS = 5_000
"""What the longest prompt of a step may take with its reply."""
SLOW_SECONDS = 10.0
"""A pilot that takes longer than this for a small call is not waited for."""
NEEDLE = "7493"
PICTURED = "5839"
_PICTURE_QUESTION = "Which number stands in this picture? Answer with the number alone, or with the word none."
CHARACTERS_A_TOKEN = 4
"""Of English prose, as a rule of thumb."""
SHORT = 400
"""Most tokens of a reply here: room for models that think first."""

_SECTIONS = (
    "1 Letter to shareholders, pp. 1-3",
    "2 Risk factors, pp. 4-19",
    "3 Cash and liquidity, pp. 20-24",
    "4 Signatures, p. 25",
)
_OUTLINE = "A report has these sections:\n" + "\n".join(_SECTIONS) + "\n"
_QUESTION = "In which one does it say how much cash there is? Answer as a JSON object"
_CHOICE: Mapping[str, Any] = {
    "type": "object",
    "properties": {"section_number": {"type": "integer"}, "why": {"type": "string"}},
    "required": ["section_number", "why"],
    "additionalProperties": False,
}
_KEYS = ' with the keys "section_number" (a whole number) and "why" (a short text), and nothing else.'
_TOOL_QUESTION = "Open the section that says how much cash there is: call the tool open_section."
_TOOL_CHOICE: Mapping[str, Any] = {
    "type": "object",
    "tools": [
        {
            "name": "open_section",
            "description": "Open a section of the report.",
            "parameters": {
                "type": "object",
                "properties": {"section_number": {"type": "integer"}},
                "required": ["section_number"],
                "additionalProperties": False,
            },
        }
    ],
}
_SENTENCE = "Rent of 4,310 thousand was paid in advance for the depot at Harbour Lane."
_PASSAGE = f"The fleet grew by two vessels. {_SENTENCE} No dividend was declared."


@dataclass
class Asking:
    """Asks, and keeps count of what that cost."""

    model: ChatModel
    clock: Callable[[], float]
    usages: list[Usage] = field(default_factory=list)
    fastest: float | None = None
    named: str = ""

    def ask(
        self,
        text: str,
        *,
        of: ChatModel | None = None,
        schema: Mapping[str, Any] | None = None,
        pictures: tuple[Picture, ...] = (),
    ) -> Reply:
        """One reply; ModelError as it comes."""
        started = self.clock()
        reply = (of or self.model).complete([Message("user", text, pictures)], schema=schema, max_tokens=SHORT)
        took = self.clock() - started
        self.fastest = took if self.fastest is None else min(self.fastest, took)
        self.usages.append(reply.usage)
        self.named = reply.model
        return reply


def probe_objects(asking: Asking, only: Callable[[str], ChatModel] | None) -> tuple[list[Capability], tuple[str, ...]]:
    """The outcome of each form of asking for an object, and the forms that work."""
    if only is None:
        found = _try_object(asking, None, _KEYS)
        sentence = "It keeps to a JSON schema." if found == YES else "What it sends is not the object asked for."
        return [Capability("json_schema", found, sentence, _without_schema(found))], ("",) if found == YES else ()
    schema = _try_object(asking, only("json_schema"), ".")
    loose = _try_object(asking, only("json_object"), _KEYS)
    words = YES if YES in (schema, loose) else _try_object(asking, only(""), _KEYS)
    forms = [form for form, found in (("json_schema", schema), ("json_object", loose)) if found == YES]
    if forms or words == YES:
        forms.append("")
    called = _calls_tool(asking, only("tools"))
    if called == YES and forms:
        forms.insert(0, "tools")
    return [
        Capability("tools", called, _CALLS[called], "" if called == YES else "Tools are asked for as a JSON object."),
        Capability("json_schema", schema, _describe_form(schema, "a JSON schema"), _without_schema(schema)),
        Capability("json_object", loose, _describe_form(loose, "JSON mode"), _without_object(schema, loose, words)),
    ], tuple(forms)


_CALLS = {
    YES: "It calls tools natively.",
    NO: "Its server refuses tools, or the model does not call them.",
    UNKNOWN: "The server failed when it was offered tools.",
}


def _calls_tool(asking: Asking, model: ChatModel) -> str:
    """Whether the model calls an offered tool with its required argument."""
    try:
        reply = asking.ask(f"{_OUTLINE}{_TOOL_QUESTION}", of=model, schema=_TOOL_CHOICE)
    except ModelError as error:
        return UNKNOWN if error.retryable else NO
    calls = (reply.parsed or {}).get("tool_calls")
    first = calls[0] if isinstance(calls, list) and calls else None
    told = parse_object(str(first.get("arguments"))) if isinstance(first, Mapping) else None
    return YES if told and isinstance(told.get("section_number"), int) else NO


def _try_object(asking: Asking, model: ChatModel | None, keys: str) -> str:
    """Whether the reply is an object that fits; without `keys` the schema alone names the keys."""
    try:
        reply = asking.ask(f"{_OUTLINE}{_QUESTION}{keys}", of=model, schema=_CHOICE)
    except ModelError as error:
        return UNKNOWN if error.retryable else NO
    found = dict(reply.parsed) if reply.parsed is not None else parse_object(reply.text)
    return YES if found is not None and not problem_with(found, _CHOICE) else NO


def _describe_form(found: str, form: str) -> str:
    return {
        YES: f"It keeps to {form}.",
        NO: f"Its server refuses {form}, or the model does not heed it.",
        UNKNOWN: f"The server failed when it was asked for {form}.",
    }[found]


def _without_schema(found: str) -> str:
    return "" if found == YES else "Replies are asked for as a JSON object and checked here."


def _without_object(schema: str, loose: str, words: str) -> str:
    if YES in (schema, loose):
        return ""
    if words == YES:
        return "The prompt alone asks for JSON; replies are checked here, and asked for once more when they do not fit."
    return "The offline reasoner takes every step whose reply does not fit."


def probe_streaming(asking: Asking) -> tuple[Capability, float | None, bool | None]:
    """Whether a reply comes piece by piece, and the seconds until its first piece."""
    started, pieces, first = asking.clock(), 0, None
    messages = [Message("user", "Count from one to thirty in words.")]
    without = "Replies come whole. Stop still ends a call at once; what it had written by then is lost."
    try:
        for _ in asking.model.stream(messages, max_tokens=SHORT):
            first = asking.clock() - started if first is None else first
            pieces += 1
    except ModelError as error:
        return Capability("streaming", UNKNOWN, f"The stream failed: {error.message}", without), None, None
    first = None if first is None else round(first, 2)
    if pieces > 1:
        return Capability("streaming", YES, "Replies come piece by piece."), first, True
    return Capability("streaming", NO, "Replies come in one piece.", without), first, False


def probe_quotes(asking: Asking) -> Capability:
    """Whether the model copies a sentence word for word, as answers must."""
    text = f'{_PASSAGE}\n\nCopy the sentence about rent from this text, word for word, as JSON: {{"quote": "..."}}.'
    without = "Quotes that are not found in the document do not count; the offline answer stands behind."
    schema = {
        "type": "object",
        "properties": {"quote": {"type": "string"}},
        "required": ["quote"],
        "additionalProperties": False,
    }
    try:
        reply = asking.ask(text, schema=schema)
    except ModelError as error:
        return Capability("quotes", UNKNOWN, f"The call failed: {error.message}", without)
    found = reply.parsed or parse_object(reply.text) or {}
    if str(found.get("quote", "")).strip().rstrip(".") == _SENTENCE.rstrip("."):
        return Capability("quotes", YES, "It copies a sentence word for word.")
    return Capability("quotes", NO, "It does not copy a sentence word for word.", without)


def draw_number(number: str) -> Picture:
    """A small picture of a number, large enough for any model that reads pictures."""
    # Only the self-test draws: nobody else waits for the library.
    from PIL import Image, ImageDraw  # noqa: PLC0415

    image, file = Image.new("RGB", (448, 224), "white"), io.BytesIO()
    ImageDraw.Draw(image).text((60, 50), number, fill="black", font_size=120)
    image.save(file, "JPEG", quality=80)
    data = file.getvalue()
    return Picture("", 0, hashlib.sha256(data).hexdigest(), image.width, image.height, len(data), data)


def probe_pictures(asking: Asking) -> Capability:
    """Whether it reads a number that is in a picture alone."""
    without = "Charts and scanned pages stay unread: it is sent text alone."
    try:
        said = asking.ask(_PICTURE_QUESTION, pictures=(draw_number(PICTURED),)).text
    except ModelError as error:
        if error.retryable:
            return Capability("pictures", UNKNOWN, f"The call failed: {error.message}", without)
        return Capability("pictures", NO, "Its server refuses pictures.", without)
    if PICTURED in said:
        return Capability("pictures", YES, "It reads pictures.")
    return Capability("pictures", NO, "It does not read what stands in a picture.", without)


def probe_context(asking: Asking, stated: int | None) -> tuple[Capability, int | None]:
    """Measure how much the model reads: it must find a number before ever more text. Returns the limit met, or None."""
    read = 0
    for size in _sizes(stated):
        try:
            found = NEEDLE in asking.ask(_haystack(size)).text
        except ModelError as error:
            if error.retryable:
                return _read_so_far(read, stated, f"then the server failed: {error.message}"), None
            found = False
        if not found:
            without = "Prompts are kept within what it reads; raise the server's context size to let it read more."
            sentence = f"It reads {read:,} tokens, but not {size:,}." if read else f"It does not read {size:,} tokens."
            return Capability("context", NO if read < STEP_TOKENS else YES, sentence, without), read
        read = size
    return _read_so_far(read, stated, "more was not tried, to keep the test cheap"), None


def _read_so_far(read: int, stated: int | None, why: str) -> Capability:
    if not read:
        return Capability("context", UNKNOWN, f"Not known: {why}")
    whole = stated is not None and read >= stated * 0.9
    sentence = f"It reads the {stated:,} tokens stated." if whole else f"It reads at least {read:,} tokens; {why}."
    return Capability("context", YES, sentence)


def _sizes(stated: int | None) -> Iterator[int]:
    """Doubling sizes up to what is stated less the reply, as long as all of them together stay cheap."""
    most = (stated or CONTEXT_TOKENS) - SHORT
    size, spent = min(FIRST_CONTEXT, most), 0
    while size > 0 and spent + size <= CONTEXT_TOKENS:
        yield size
        spent += size
        if size >= most:
            return
        size = min(size * 2, most)


def _haystack(tokens: int) -> str:
    """A prompt of about as many tokens, with the needle at its very front."""
    ask = "\nWhich number was the depot's? Answer with the number alone."
    front = f"Remember this: the number of the depot is {NEEDLE}.\n"
    line = "The vessel left the harbour in the morning and came back with the tide in the evening.\n"
    room = tokens * CHARACTERS_A_TOKEN - len(front + ask)
    return front + line * max(1, room // len(line)) + ask


def probe_speed(asking: Asking, first: float | None) -> Capability:
    fastest = asking.fastest or 0.0
    begun = "" if first is None else f", a stream begins after {first:.1f} s"
    if fastest <= SLOW_SECONDS:
        return Capability("speed", YES, f"A small call takes {fastest:.1f} s{begun}.")
    without = "Branches are chosen offline, because guiding would take longer than it saves."
    return Capability("speed", NO, f"A small call takes {fastest:.1f} s{begun}.", without)


def probe_counting(plain: Reply) -> Capability:
    if not plain.usage.estimated and plain.usage.tokens_in > 0:
        return Capability("usage", YES, "The server counts its tokens.")
    return Capability("usage", NO, "The server counts no tokens.", "Tokens and costs are estimated from the texts.")


CHECKS = ("reply", "objects", "streaming", "quotes", "pictures", "context")
"""What a self-test does, in its order; "objects" is asking for JSON and for calls of tools."""
ANSWER_TOKENS = 10_000
"""What the longest prompt of an answer may take with its reply."""


def self_test(
    model: ChatModel,
    *,
    only: Callable[[str], ChatModel] | None = None,
    context_size: int | None = None,
    begin: Callable[[str], None] = lambda _check: None,
    clock: Callable[[], float] = time.monotonic,
) -> SelfTest:
    """Ask the model a few questions and judge what comes. Never raises a ModelError.

    `begin` is called with the name of each of CHECKS before it is made.

    `only(form)` is the model asked for objects in one form alone; without it nobody can
    tell how an object was asked for. `context_size` in tokens is what its owner states.
    """
    asking = Asking(model, clock)
    begin("reply")
    try:
        plain = asking.ask("Answer with the one word: ready")
    except ModelError as error:
        return _unusable(model, error)
    name = clean_name(plain.model, otherwise=clean_name(model.name))
    begin("objects")
    asked_for, forms = probe_objects(asking, only)
    begin("streaming")
    in_pieces, first, streams = probe_streaming(asking)
    begin("quotes")
    copies = probe_quotes(asking)
    begin("pictures")
    sees = probe_pictures(asking)
    begin("context")
    reads, limit = probe_context(asking, context_size)
    capabilities = (
        Capability("reply", YES, f"It answers, as {name}."),
        *asked_for,
        in_pieces,
        copies,
        sees,
        reads,
        probe_speed(asking, first),
        probe_counting(plain),
    )
    jobs = _jobs(bool(forms), copies.found == YES, limit, asking.fastest or 0.0)
    return SelfTest(
        usable=any(job.suits for job in jobs),
        model=name,
        capabilities=capabilities,
        jobs=jobs,
        verdict=_verdict(jobs),
        seconds=round(asking.fastest or 0.0, 2),
        first_token_seconds=first,
        tokens=sum(usage.tokens_in + usage.tokens_out for usage in asking.usages),
        cost_usd=sum(usage.cost_usd for usage in asking.usages),
        forms=forms,
        streams=streams,
        reads_tokens=limit or None,
        reads_pictures={YES: True, NO: False}.get(sees.found),
    )


def _unusable(model: ChatModel, error: ModelError) -> SelfTest:
    names = ("tools", "json_schema", "json_object", "streaming", "quotes", "pictures", "context", "speed", "usage")
    unknown = [Capability(name, UNKNOWN, "Not tried, because it does not answer at all.") for name in names]
    reply = Capability("reply", NO, error.message, "The offline reasoner answers, and the page says so.")
    jobs = tuple(ModelJob(name, False, "It does not answer.") for name in ("plan", "guide", "write"))
    return SelfTest(
        usable=False,
        model=model.name,
        capabilities=(reply, *unknown),
        jobs=jobs,
        verdict=f"Not usable: {error.message}",
        error_code=error.code,
        error=error.message,
        settings_are_wrong=isinstance(error, ModelAuth | ModelUnknown),
    )


def _jobs(keeps_to_json: bool, copies: bool, limit: int | None, seconds: float) -> tuple[ModelJob, ...]:
    """Which jobs the model suits. `limit` is the most it reads, None when no limit was met."""
    if not keeps_to_json:
        why = "It does not keep to JSON."
        return tuple(ModelJob(name, False, why) for name in ("plan", "guide", "write"))
    can_plan, can_write = limit is None or limit >= STEP_TOKENS, limit is None or limit >= ANSWER_TOKENS
    fast = seconds <= SLOW_SECONDS and (limit is None or limit >= FIRST_CONTEXT)
    short = f"Its context is too small: {limit or 0:,} tokens."
    write = (
        "It writes answers from quotes." if can_write and copies else short if copies else "It does not quote exactly."
    )
    return (
        ModelJob("plan", can_plan, "It chooses the steps of a walk." if can_plan else short),
        ModelJob("guide", fast, "It chooses branches of the tree." if fast else "It is too slow to be asked at forks."),
        ModelJob("write", can_write and copies, write),
    )


def _verdict(jobs: Sequence[ModelJob]) -> str:
    suited = [job.name for job in jobs if job.suits]
    if len(suited) == len(jobs):
        return "It suits every job: it can plan, guide and write."
    if not suited:
        return f"Not usable: {jobs[0].sentence} The offline reasoner answers."
    left = [job.name for job in jobs if not job.suits]
    return f"It can {' and '.join(suited)}; {' and '.join(left)} falls to the offline reasoner."
