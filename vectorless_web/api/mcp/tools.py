"""The tools: each is a REST operation under a short name, with the schema that is generated for it."""

import asyncio
import time
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from mcp.server.context import ServerRequestContext
from mcp_types import CallToolResult, Tool, ToolAnnotations

from vectorless_web.api.application import api
from vectorless_web.api.mcp.door import ROOT, Door, fill_path, refuse, show_reply, show_value
from vectorless_web.api.models import Scope

WORKSPACE, DOCUMENT, RUN = "/workspaces/{slug}", "/workspaces/{slug}/documents/{document}", "/workspaces/{slug}/runs"
RENAMED = {"slug": "workspace"}
"""Parts of addresses that have a name of their own as an argument."""
ASK = "ask"
ASK_WORDS = (
    "\n\nWaits for the answer up to `wait` seconds, and tells each step as progress. The citations "
    "are quotes with document and page, and how each was checked. A run that goes on is read with read_run."
)
WAIT_SECONDS, WAIT_MOST = 300, 600
"""How long `ask` waits for the answer, usually and at most."""
LOOK_SECONDS = 2
"""How long one look at a run that is under way waits for its end. Half of it doubles the requests that are counted."""


@dataclass(frozen=True)
class Operation:
    """A REST operation that a tool calls."""

    method: str
    path: str
    scope: Scope = Scope.READ

    @property
    def schema(self) -> Mapping[str, Any]:
        """What the API's own schema says about it."""
        found: Mapping[str, Any] = _schema()["paths"][ROOT + self.path][self.method]
        return found


TOOLS = {
    "list_workspaces": Operation("get", "/workspaces"),
    "list_documents": Operation("get", f"{WORKSPACE}/documents"),
    "search": Operation("get", f"{WORKSPACE}/search"),
    "route": Operation("post", f"{WORKSPACE}/route"),
    "retrieve": Operation("post", f"{WORKSPACE}/retrieve"),
    "navigate": Operation("post", f"{WORKSPACE}/navigate"),
    "outline": Operation("get", f"{DOCUMENT}/outline"),
    "read_node": Operation("get", f"{DOCUMENT}/nodes/{{key}}"),
    "read_page": Operation("get", f"{DOCUMENT}/pages/{{page}}"),
    ASK: Operation("post", RUN, Scope.ASK),
    "read_run": Operation("get", f"{RUN}/{{run}}"),
    "read_citations": Operation("get", f"{RUN}/{{run}}/citations"),
}


@cache
def _schema() -> Mapping[str, Any]:
    return dict(api.get_openapi_schema())


def list_tools(scope: str) -> list[Tool]:
    """The tools that a token of this scope may call."""
    return [describe(name) for name, operation in TOOLS.items() if Scope(scope).covers(operation.scope)]


@cache
def describe(name: str) -> Tool:
    """A tool with the schema of its arguments."""
    operation = TOOLS[name]
    schema = operation.schema
    properties, required = {}, []
    for parameter in schema.get("parameters", ()):
        argument = RENAMED.get(parameter["name"], parameter["name"])
        properties[argument] = dict(parameter["schema"])
        required += [argument] if parameter.get("required") else []
    if (body := _body_of(schema)) is not None:
        properties |= body["properties"]
        required += body.get("required", ())
    if name == ASK:
        properties["wait"] = {"type": "integer", "minimum": 0, "maximum": WAIT_MOST, "default": WAIT_SECONDS}
    arguments = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    description = schema.get("description") or schema["summary"]
    if name == ASK:
        description += (
            "\n\nWaits for the answer up to `wait` seconds, and tells each step as progress. The answer's claims "
        )
        description += "carry checked quotes with document and page. A run that goes on is read with read_run."
    return Tool(
        name=name,
        description=description,
        input_schema=_with_definitions(arguments),
        annotations=ToolAnnotations(read_only_hint=name != ASK, destructive_hint=False, open_world_hint=False),
    )


async def call_tool(
    door: Door, name: str, arguments: Mapping[str, Any], context: ServerRequestContext
) -> CallToolResult:
    """The tool's result; one that was refused, or given arguments that it does not take, says so as an error."""
    wrong = best_match(Draft202012Validator(describe(name).input_schema).iter_errors(dict(arguments)))
    if wrong is not None:
        return refuse(f"{'.'.join(map(str, wrong.absolute_path)) or 'arguments'}: {wrong.message[:300]}")
    if name == ASK:
        return await _ask(door, dict(arguments), context)
    return show_reply(await _call(door, TOOLS[name], arguments))


async def _call(door: Door, operation: Operation, arguments: Mapping[str, Any]) -> Any:
    schema, rest = operation.schema, dict(arguments)
    places: dict[str, Any] = {}
    query: dict[str, Any] = {}
    for parameter in schema.get("parameters", ()):
        argument = RENAMED.get(parameter["name"], parameter["name"])
        if argument in rest:
            taken = places if parameter["in"] == "path" else query
            taken[parameter["name"]] = rest.pop(argument)
    body = rest if _body_of(schema) is not None else None
    return await door.call(operation.method, fill_path(operation.path, places), query=query, body=body)


async def _ask(door: Door, arguments: dict[str, Any], context: ServerRequestContext) -> CallToolResult:
    """Ask, tell each step as progress, and answer with the claims and their quotes."""
    until = time.monotonic() + arguments.pop("wait", WAIT_SECONDS)
    asked = await _call(door, TOOLS[ASK], arguments)
    if asked.status_code >= 400:
        return show_reply(asked)
    run, place, after, told = asked.json(), fill_path(RUN, {"slug": arguments["workspace"]}), 0, 0
    place = f"{place}/{run['id']}"
    while not run["ended"] and time.monotonic() < until:
        found = await door.call("get", place, query={"wait": LOOK_SECONDS})
        steps = await door.call("get", f"{place}/steps", query={"after": after})
        refused = next((reply for reply in (found, steps) if reply.status_code >= 400), None)
        if refused is not None:
            if "retry-after" not in refused.headers:
                return show_reply(refused)
            await asyncio.sleep(float(refused.headers["retry-after"]))
            continue
        run = found.json()
        for step in steps.json():
            after, told = step["sequence"], told + 1
            await context.session.report_progress(told, message=step["say"])
    cited = await door.call("get", f"{place}/citations")
    return show_value({**run, "citations": cited.json()}) if cited.status_code < 400 else show_reply(cited)


def _body_of(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """The schema of an operation's JSON body; None for one without."""
    if "requestBody" not in schema:
        return None
    name = schema["requestBody"]["content"]["application/json"]["schema"]["$ref"].rsplit("/", 1)[-1]
    return deepcopy(_schema()["components"]["schemas"][name])


def _with_definitions(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with all that it refers to inside it."""
    known, definitions = _schema()["components"]["schemas"], {}
    waiting = list(_take_references(schema))
    while waiting:
        name = waiting.pop()
        if name not in definitions:
            definitions[name] = deepcopy(known[name])
            waiting += _take_references(definitions[name])
    return {**schema, "$defs": definitions} if definitions else schema


def _take_references(value: Any) -> Iterator[str]:
    """The names that a schema refers to, each reference turned into one of `$defs`."""
    if isinstance(value, list):
        for each in value:
            yield from _take_references(each)
    if isinstance(value, dict):
        if "$ref" in value:
            name = value["$ref"].rsplit("/", 1)[-1]
            value["$ref"] = f"#/$defs/{name}"
            yield name
        for each in value.values():
            yield from _take_references(each)
