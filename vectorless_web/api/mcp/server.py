"""The server of the protocol: what it lists and calls, and its door over HTTP."""

from collections.abc import Callable
from typing import Any, cast

import mcp_types as mcp
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from vectorless_web.api.mcp.door import Door, fill_path, open_door, read_problem
from vectorless_web.api.mcp.tools import TOOLS, call_tool, list_tools

ADDRESS = "vectorless://{slug}/{kind}/{pk}"
KINDS = {"documents": "A document's words as Markdown", "runs": "An answer with its quotes as Markdown"}
PROMPTS = {
    "find_figure": (
        "A figure with its exact place",
        "Ask the workspace {workspace}: what is {subject}? Give the figure with its unit, "
        "quote it, and name document and page.",
    ),
    "compare_periods": (
        "How something changed between two periods",
        "Ask the workspace {workspace}: how did {subject} change, period by period? Quote each figure with its page.",
    ),
    "summarise_document": (
        "What a document says, section by section",
        "Read the outline of document {subject} in the workspace {workspace}, then its sections. Say what each states, "
        "with the page of each statement.",
    ),
}
Context = ServerRequestContext[Any, Any]
Page = mcp.PaginatedRequestParams | None
UNKEPT = {"cache-control": "no-store"}


class Protocol:
    """What the server answers. `find_door` gives the door of the client that sends a request."""

    def __init__(self, find_door: Callable[[Context], Door]) -> None:
        self._find_door = find_door

    def make_server(self) -> Server[Any]:
        """The server, for any transport."""
        return Server(
            "vectorless-web",
            title="Vectorless Web",
            instructions="Long documents of a team. `search`, `route` and `retrieve` find, `outline` and `read_*` "
            "read, `ask` has a question worked out and answers with quotes that were checked word for word.",
            on_list_tools=self.list_tools,
            on_call_tool=self.call_tool,
            on_list_resources=self.list_resources,
            on_list_resource_templates=self.list_templates,
            on_read_resource=self.read_resource,
            on_list_prompts=self.list_prompts,
            on_get_prompt=self.get_prompt,
        )

    async def list_tools(self, context: Context, _page: Page) -> mcp.ListToolsResult:
        """The tools that the token may call."""
        me = await self._ask(context, "/me")
        return mcp.ListToolsResult(tools=list_tools(me["scope"]))

    async def call_tool(self, context: Context, params: mcp.CallToolRequestParams) -> mcp.CallToolResult:
        """The result of one tool."""
        if params.name not in TOOLS:
            raise MCPError(mcp.INVALID_PARAMS, f"There is no tool {params.name[:80]!r}.")
        return await call_tool(self._find_door(context), params.name, params.arguments or {}, context)

    async def list_resources(self, context: Context, page: Page) -> mcp.ListResourcesResult:
        """The newest documents and runs, one workspace a page."""
        slugs = [row["slug"] for row in await self._ask(context, "/workspaces")]
        cursor = (page.cursor if page else None) or "0"
        place = int(cursor) if cursor.isascii() and cursor.isdigit() and len(cursor) < 6 else len(slugs)
        found = []
        for slug in slugs[place : place + 1]:
            for kind in KINDS:
                rows = await self._ask(context, fill_path("/workspaces/{slug}/{kind}", {"slug": slug, "kind": kind}))
                found += [_show_resource(slug, kind, row) for row in rows["items"]]
        return mcp.ListResourcesResult(resources=found, next_cursor=str(place + 1) if place + 1 < len(slugs) else None)

    async def list_templates(self, _context: Context, _page: Page) -> mcp.ListResourceTemplatesResult:
        """How resources are named."""
        rows = [
            mcp.ResourceTemplate(name=kind, uri_template=address, description=words, mime_type="text/markdown")
            for kind, words in KINDS.items()
            for address in (ADDRESS.format(slug="{workspace}", kind=kind, pk="{id}"),)
        ]
        return mcp.ListResourceTemplatesResult(resource_templates=rows)

    async def read_resource(self, context: Context, params: mcp.ReadResourceRequestParams) -> mcp.ReadResourceResult:
        """A document or a run as Markdown."""
        parts = str(params.uri).removeprefix("vectorless://").split("/")
        if len(parts) != 3 or parts[1] not in KINDS:
            raise MCPError(mcp.INVALID_PARAMS, "Resources are vectorless://workspace/documents/12 or …/runs/12.")
        path = fill_path(
            "/workspaces/{slug}/{kind}/{pk}/markdown", dict(zip(("slug", "kind", "pk"), parts, strict=True))
        )
        text = await self._ask(context, path)
        return mcp.ReadResourceResult(
            contents=[mcp.TextResourceContents(uri=params.uri, mime_type="text/markdown", text=text)]
        )

    async def list_prompts(self, _context: Context, _page: Page) -> mcp.ListPromptsResult:
        """Common questions."""
        arguments = [mcp.PromptArgument(name=name, required=True) for name in ("workspace", "subject")]
        rows = [mcp.Prompt(name=name, description=words, arguments=arguments) for name, (words, _) in PROMPTS.items()]
        return mcp.ListPromptsResult(prompts=rows)

    async def get_prompt(self, _context: Context, params: mcp.GetPromptRequestParams) -> mcp.GetPromptResult:
        """One question, filled in."""
        given = {name: (params.arguments or {}).get(name, "") for name in ("workspace", "subject")}
        if params.name not in PROMPTS or not all(given.values()):
            raise MCPError(
                mcp.INVALID_PARAMS, f"There are the prompts {', '.join(PROMPTS)}: give workspace and subject."
            )
        words, text = PROMPTS[params.name]
        message = mcp.PromptMessage(role="user", content=mcp.TextContent(type="text", text=text.format(**given)))
        return mcp.GetPromptResult(description=words, messages=[message])

    async def _ask(self, context: Context, path: str) -> Any:
        """The value of a GET; MCPError with the problem's sentence for a refused one."""
        reply = await self._find_door(context).call("get", path)
        is_json = "json" in reply.headers.get("content-type", "")
        if reply.status_code >= 400:
            raise MCPError(mcp.INVALID_PARAMS, read_problem(reply))
        return reply.json() if is_json else reply.text


def _show_resource(slug: str, kind: str, row: dict[str, Any]) -> mcp.Resource:
    name = row["title"] if kind == "documents" else row["question"]
    return mcp.Resource(
        name=name[:200], uri=ADDRESS.format(slug=slug, kind=kind, pk=row["id"]), mime_type="text/markdown"
    )


class ProtocolOverHTTP:
    """The protocol at /mcp, in front of the site: no request gets further than its token.

    Every request stands for itself: no session is kept, so that any process of the site may answer.
    """

    def __init__(self, site: Any) -> None:
        self._site = site
        self._server = Protocol(lambda context: open_door(site, cast(Request, context.request).scope)).make_server()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request at /mcp, or hand it on."""
        if scope["path"].rstrip("/") != "/mcp":
            await self._site(scope, receive, send)
            return
        if scope["method"] != "POST":
            await Response(status_code=405, headers={**UNKEPT, "allow": "POST"})(scope, receive, send)
            return
        known = await open_door(self._site, scope).call("get", "/me")
        if known.status_code != 200:
            kept = ("content-type", "www-authenticate", "retry-after", "location")
            headers = {name: known.headers[name] for name in kept if name in known.headers}
            await Response(known.content, known.status_code, {**UNKEPT, **headers})(scope, receive, send)
            return
        manager = StreamableHTTPSessionManager(self._server, stateless=True)
        async with manager.run():
            await manager.handle_request(scope, receive, send)
