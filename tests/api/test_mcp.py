"""The Model Context Protocol's own client, over HTTP and over standard input: what it may do, and what it may not."""

import os
import sys
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import httpx2
import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from tests.api.conftest import REPORT
from tests.conftest import database_url
from tests.support.compiled import compiled_document
from vectorless_web.api.models import ApiToken
from vectorless_web.api.services import make_token
from vectorless_web.runs.models import Run
from vectorless_web.workspaces.models import AuditEvent

pytestmark = [pytest.mark.one_database, pytest.mark.django_db(transaction=True)]
MANAGE = Path(__file__).parents[2] / "manage.py"
in_thread = sync_to_async


@pytest.fixture
def connect(server):
    """Opens the SDK's client over one of the two transports."""

    @asynccontextmanager
    async def opened(transport, token, **choices):
        if transport == "stdio":
            environment = {**os.environ, "DATABASE_URL": database_url(), "VECTORLESS_TOKEN": token}
            command = StdioServerParameters(command=sys.executable, args=[str(MANAGE), "mcp"], env=environment)
            async with Client(command, **choices) as client:
                yield client
            return
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            Client(streamable_http_client(f"{server}/mcp", http_client=http), **choices) as client,
        ):
            yield client

    return opened


def token_of(user, scope="ask", **choices):
    return make_token(user=user, name="assistant", scope=scope, days=1, **choices)[1]


async def test_an_assistant_finds_reads_and_asks(connect, bob, alice, workspace, spawn):
    report = await in_thread(compiled_document)(workspace, alice, REPORT, "harbour.md")
    token = await in_thread(token_of)(bob)
    await in_thread(spawn)("work", "runs")
    place, told = {"workspace": workspace.slug}, []

    async def tell(_progress, _total, message):
        told.append(message)

    async with connect("http", token) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert {"ask", "search", "retrieve", "route", "outline", "read_node", "read_page", "navigate"} <= names
        listed = (await client.call_tool("list_documents", place)).structured_content["items"]
        assert [row["id"] for row in listed] == [report.pk]
        found = await client.call_tool("search", {**place, "text": "berths winter"})
        assert "berths" in found.structured_content["documents"][0]["passages"][0]["text"]
        one = {**place, "document": report.pk}
        outline = (await client.call_tool("outline", one)).structured_content["items"]
        dues = next(row for row in outline if row["title"] == "Dues")
        assert (await client.call_tool("read_node", {**one, "key": dues["key"]})).structured_content["title"] == "Dues"
        assert "| Trawler | 75 |" in (await client.call_tool("read_page", {**one, "page": 1})).content[0].text
        assert (await client.call_tool("route", {**place, "query": "berths"})).structured_content["candidates"]
        assert (await client.call_tool("retrieve", {**place, "query": "berths"})).structured_content["items"]
        assert (await client.call_tool("navigate", {**one, "goal": "dues"})).structured_content["entered"]
        asked = {**place, "question": "How many berths has the harbour?", "wait": 60}
        answer = await client.call_tool("ask", asked, progress_callback=tell)
        assert answer.structured_content["ended"] and told
        assert "14 berths" in answer.content[0].text
        asked_by = await AuditEvent.objects.aget(verb="run.asked")
        assert asked_by.details["token"] == "assistant"
        uri = f"vectorless://{workspace.slug}/documents/{report.pk}"
        assert uri in {str(row.uri) for row in (await client.list_resources()).resources}
        assert "# Harbour report" in (await client.read_resource(uri)).contents[0].text
        filled = await client.get_prompt("find_figure", {"workspace": workspace.slug, "subject": "the berths"})
        assert workspace.slug in filled.messages[0].content.text


async def test_over_standard_input_an_assistant_of_the_first_protocol_finds_the_same(connect, bob, alice, workspace):
    await in_thread(compiled_document)(workspace, alice, REPORT, "harbour.md")
    token = await in_thread(token_of)(bob)
    async with connect("stdio", token, mode="legacy") as client:
        assert {"ask", "search"} <= {tool.name for tool in (await client.list_tools()).tools}
        found = await client.call_tool("search", {"workspace": workspace.slug, "text": "berths winter"})
        assert "berths" in found.structured_content["documents"][0]["passages"][0]["text"]


async def test_hostile_arguments_are_refused_in_words(connect, bob, alice, workspace):
    report = await in_thread(compiled_document)(workspace, alice, REPORT, "harbour.md")
    token, place = await in_thread(token_of)(bob, "read"), {"workspace": workspace.slug}
    wrong = [
        ("outline", {"workspace": f"{workspace.slug}/documents/{report.pk}/markdown?", "document": 1}),
        ("outline", {**place, "document": "1/../../.."}),
        ("read_node", {**place, "document": report.pk, "key": 10**30}),
        ("read_page", {**place, "document": report.pk, "page": 99}),
        ("search", {**place, "text": "\0"}),
        ("retrieve", {**place, "query": "x", "documents": [report.pk + 1]}),
        ("retrieve", {**place, "query": "x", "unknown": 1}),
        ("list_documents", {}),
        ("ask", {**place, "question": "How many berths?"}),
    ]
    async with connect("http", token) as client:
        assert "ask" not in {tool.name for tool in (await client.list_tools()).tools}
        for name, arguments in wrong:
            refused = await client.call_tool(name, arguments)
            assert refused.is_error and refused.content[0].text, (name, arguments)
        for uri in ("file:///etc/passwd", f"vectorless://{workspace.slug}/documents/..%2F..", "vectorless://x/runs/1"):
            with pytest.raises(MCPError):
                await client.read_resource(uri)
        with pytest.raises(MCPError):
            await client.call_tool("no such tool", {})
    assert await Run.objects.acount() == 0


async def test_a_stranger_reaches_nothing_of_the_workspace(connect, charlie, alice, workspace):
    report = await in_thread(compiled_document)(workspace, alice, REPORT, "harbour.md")
    token = await in_thread(token_of)(charlie)
    given = {
        "document": report.pk,
        "key": 1,
        "page": 1,
        "run": 1,
        "text": "x",
        "query": "x",
        "goal": "x",
        "question": "x",
    }
    async with connect("http", token) as client:
        for tool in (await client.list_tools()).tools:
            taken = {name: value for name, value in given.items() if name in tool.input_schema["properties"]}
            needed = tool.input_schema["required"]
            arguments = {"workspace": workspace.slug, **{name: taken[name] for name in needed if name in taken}}
            if tool.name == "list_workspaces":
                assert (await client.call_tool(tool.name, {})).structured_content == {"items": []}
                continue
            refused = await client.call_tool(tool.name, arguments)
            assert refused.is_error and "no such workspace" in refused.content[0].text, tool.name


@pytest.mark.parametrize("spoil", ["revoked", "expired", "unknown", "none"])
async def test_without_an_open_token_nobody_gets_in(server, bob, workspace, spoil):
    token = await in_thread(token_of)(bob)
    now = timezone.now()
    if spoil == "revoked":
        await ApiToken.objects.aupdate(revoked_at=now)
    if spoil == "expired":
        await ApiToken.objects.aupdate(expires_at=now - timedelta(seconds=1))
    headers = {} if spoil == "none" else {"Authorization": f"Bearer {'vlw_x' if spoil == 'unknown' else token}"}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    async with httpx2.AsyncClient(headers=headers) as http:
        refused = await http.post(f"{server}/mcp", json=body)
        assert (refused.status_code, refused.json()["code"]) == (401, "unauthorised")
        assert refused.headers["www-authenticate"].startswith("Bearer")
        assert (await http.get(f"{server}/mcp")).status_code == 405
