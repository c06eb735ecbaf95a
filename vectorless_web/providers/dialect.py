"""Which of the protocol's optional parameters a server takes, and what to leave out when it refuses one."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from vectorless_web.providers.endpoint import FORMS

_BOUNDS = frozenset({"minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum"})

_FORM_WORDS = ("response_format", "json", "schema", "structured output", "grammar")
"""What a server's refusal of a response format speaks of."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a server takes. `forms` are the ways left to ask for an object, the one to use first."""

    forms: tuple[str, ...] = FORMS
    streams: bool = True
    counts_in_stream: bool = True
    limit: str = "max_tokens"
    """What the limit of tokens is called; newer models of OpenAI take `max_completion_tokens`; "" for neither."""
    temperature: bool = True

    def options(self, schema: Mapping[str, Any] | None, *, max_tokens: int, temperature: float) -> dict[str, Any]:
        """The parameters of a request beside model and messages."""
        options: dict[str, Any] = {"stream": self.streams}
        if self.streams and self.counts_in_stream:
            options["stream_options"] = {"include_usage": True}
        if self.limit:
            options[self.limit] = max_tokens
        if self.temperature:
            options["temperature"] = temperature
        form = self.form(schema)
        if form == "json_schema":
            described = {"name": "reply", "schema": shape_of(schema), "strict": _is_strict(schema)}
            options["response_format"] = {"type": form, "json_schema": described}
        elif form:
            options["response_format"] = {"type": form}
        return options

    def form(self, schema: Mapping[str, Any] | None) -> str:
        """How an object of this schema is asked for; "" for no object and for the prompt alone."""
        return self.forms[0] if schema is not None and self.forms else ""

    def without_named(self, said: str, *, asks_for_object: bool) -> "Dialect | None":
        """The dialect without the parameter that a refusal names; None when it names none."""
        if asks_for_object and len(self.forms) > 1 and any(word in said for word in _FORM_WORDS):
            return replace(self, forms=self.forms[1:])
        if self.limit and self.limit in said:
            return replace(self, limit="max_completion_tokens" if self.limit == "max_tokens" else "")
        if self.temperature and "temperature" in said:
            return replace(self, temperature=False)
        if self.streams and "stream" in said:
            options_named = self.counts_in_stream and ("stream_options" in said or "include_usage" in said)
            return replace(self, counts_in_stream=False) if options_named else replace(self, streams=False)
        return None

    def simpler(self, *, asks_for_object: bool) -> Iterator["Dialect"]:
        """Ever simpler dialects, to try in turn after a refusal that names nothing."""
        plain = self
        while asks_for_object and len(plain.forms) > 1:
            plain = replace(plain, forms=plain.forms[1:])
            yield plain
        if plain.streams and plain.counts_in_stream:
            plain = replace(plain, counts_in_stream=False)
            yield plain
        if plain.streams:
            yield replace(self, streams=False)
            plain = replace(plain, streams=False)
            yield plain
        if plain.temperature or plain.limit:
            yield replace(plain, temperature=False, limit="")


def shape_of(schema: Any) -> Any:
    """A schema without its bounds on lengths, counts and sizes.

    Strict mode refuses them, and servers that turn a schema into a grammar choke on long
    ones. The reply is checked against the whole schema when it is there.
    """
    if isinstance(schema, list):
        return [shape_of(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    return {
        name: {key: shape_of(item) for key, item in part.items()} if name == "properties" else shape_of(part)
        for name, part in schema.items()
        if name not in _BOUNDS
    }


def _is_strict(schema: Any) -> bool:
    """Whether a schema keeps the rules of strict mode: every object closed, every property required."""
    if isinstance(schema, Mapping):
        kinds = schema.get("type")
        if kinds == "object" or (isinstance(kinds, list) and "object" in kinds):
            closed = schema.get("additionalProperties") is False
            required = set(schema.get("required", ())) == set(schema.get("properties", {}))
            if not (closed and required):
                return False
        return all(_is_strict(part) for part in schema.values())
    if isinstance(schema, list):
        return all(_is_strict(part) for part in schema)
    return True
