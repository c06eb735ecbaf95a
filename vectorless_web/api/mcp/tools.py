"""The tools: each is a REST operation under a short name, with the schema that is generated for it."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from mcp.server.context import ServerRequestContext
from mcp_types import CallToolResult, Tool, ToolAnnotations
from ninja import Schema

from vectorless_web.api.application import api
from vectorless_web.api.mcp.door import ROOT, Door, fill_path, refuse, show_reply, show_value
from vectorless_web.api.models import Scope
from vectorless_web.api.routes.runs import AskIn
from vectorless_web.api.routes.schemas import NavigateIn, RetrieveIn, RouteIn

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
    body: type[Schema] | None = None
    scope: Scope = Scope.READ

    @property
    def schema(self) -> Mapping[str, Any]:
        """What the API's own schema says about it."""
        return _describe_paths()[ROOT + self.path][self.method]


TOOLS = {
    "list_workspaces": Operation("get", "/workspaces"),
    "list_documents": Operation("get", f"{WORKSPACE}/documents"),
    "search": Operation("get", f"{WORKSPACE}/search"),
    "route": Operation("post", f"{WORKSPACE}/route", RouteIn),
    "retrieve": Operation("post", f"{WORKSPACE}/retrieve", RetrieveIn),
    "navigate": Operation("post", f"{WORKSPACE}/navigate", NavigateIn),
    "outline": Operation("get", f"{DOCUMENT}/outline"),
    "read_node": Operation("get", f"{DOCUMENT}/nodes/{{key}}"),
    "read_page": Operation("get", f"{DOCUMENT}/pages/{{page}}"),
    ASK: Operation("post", RUN, AskIn, Scope.ASK),
    "read_run": Operation("get", f"{RUN}/{{run}}"),
    "read_citations": Operation("get", f"{RUN}/{{run}}/citations"),
}


@cache
def _describe_paths() -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
    return dict(api.get_openapi_schema()["paths"])


def list_tools(scope: str) -> list[Tool]:
    """The tools that a token of this scope may call."""
    return [describe(name) for name, operation in TOOLS.items() if Scope(scope).covers(operation.scope)]


@cache
def describe(name: str) -> Tool:
    """A tool with the schema of its arguments: the parts of the operation's address, its query and its body."""
    operation = TOOLS[name]
    told = operation.schema
    body = operation.body.model_json_schema() if operation.body else {"properties": {}}
    properties, required = {}, list(body.get("required", ()))
    for parameter in told.get("parameters", ()):
        argument = RENAMED.get(parameter["name"], parameter["name"])
        properties[argument] = dict(parameter["schema"])
        required += [argument] if parameter.get("required") else []
    properties |= body["properties"]
    if name == ASK:
        properties["wait"] = {"type": "integer", "minimum": 0, "maximum": WAIT_MOST, "default": WAIT_SECONDS}
    arguments = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return Tool(
        name=name,
        description=(told.get("description") or told["summary"]) + (ASK_WORDS if name == ASK else ""),
        input_schema={**arguments, "$defs": body.get("$defs", {})},
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
    rest, taken = dict(arguments), defaultdict[str, dict[str, Any]](dict)
    for parameter in operation.schema.get("parameters", ()):
        argument = RENAMED.get(parameter["name"], parameter["name"])
        if argument in rest:
            taken[parameter["in"]][parameter["name"]] = rest.pop(argument)
    path = fill_path(operation.path, taken["path"])
    return await door.call(operation.method, path, query=taken["query"], body=rest if operation.body else None)


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
