"""The way from a tool to the REST operation behind it, within this process."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx2
from mcp_types import CallToolResult, TextContent

ROOT = "/api/v1"
FORWARDED = ("host", "authorization", "x-forwarded-for", "x-forwarded-proto", "user-agent")
"""Headers of the client that the operation gets to see: who it is, and from where it comes."""


@dataclass(frozen=True)
class Door:
    """REST operations for one client: each has the rights, limits, records and errors that it has over HTTP."""

    site: Any
    scheme: str
    headers: Mapping[str, str]
    client: tuple[str, int] = ("127.0.0.1", 0)

    async def call(
        self, method: str, path: str, *, query: Mapping[str, Any] | None = None, body: Any = None
    ) -> httpx2.Response:
        """The operation's reply with its status. `path` begins after /api/v1."""
        transport = httpx2.ASGITransport(app=self.site, client=self.client, raise_app_exceptions=False)
        content = None if body is None else json.dumps(body)
        sent = {**self.headers, "content-type": "application/json"} if content else dict(self.headers)
        async with httpx2.AsyncClient(transport=transport, base_url=f"{self.scheme}://site", timeout=None) as client:
            return await client.request(method, ROOT + path, params=query, content=content, headers=sent)


def open_door(site: Any, scope: Mapping[str, Any]) -> Door:
    """The door for the client that sent a request."""
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    return Door(
        site=site,
        scheme=scope.get("scheme", "http"),
        headers={name: headers[name] for name in FORWARDED if name in headers},
        client=tuple(scope.get("client") or ("", 0))[:2],
    )


def fill_path(path: str, values: Mapping[str, Any]) -> str:
    """The path with its places filled, each as one part."""
    return path.format(**{name: quote(str(value), safe="") for name, value in values.items()})


def show_reply(reply: httpx2.Response) -> CallToolResult:
    """A reply as the result of a tool; a refused one is an error with the problem's sentence."""
    if reply.status_code >= 400:
        return refuse(read_problem(reply))
    return show_value(reply.json())


def read_problem(reply: httpx2.Response) -> str:
    """Cause and remedy of a reply that refuses."""
    if "json" not in reply.headers.get("content-type", ""):
        return f"The site answered with status {reply.status_code}."
    told = reply.json()
    return f"{told['detail']} {told['remedy']}".rstrip()


def show_value(value: Any) -> CallToolResult:
    """A value as the result of a tool, as text and as an object."""
    shown = value if isinstance(value, dict) else {"items": value}
    text = json.dumps(shown, ensure_ascii=False)
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=shown)


def refuse(message: str) -> CallToolResult:
    """A tool's error, which the assistant reads."""
    return CallToolResult(content=[TextContent(type="text", text=message)], is_error=True)
