"""What programs do with a token: read documents, ask, follow a run, use the engine's parts, repeat safely."""

import asyncio
import json
from datetime import timedelta

import httpx2
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import AsyncClient
from django.utils import timezone

from tests.api.conftest import REPORT, ROOT
from tests.support.compiled import compiled_document
from vectorless_web.api.models import ApiToken
from vectorless_web.console.subjects import maintenance
from vectorless_web.runs.models import Run
from vectorless_web.runs.services import start_run
from vectorless_web.workspaces.models import AuditEvent
from vectorless_web.workspaces.services import require_two_steps
from vectorless_web.workspaces.site import forget_values

pytestmark = pytest.mark.django_db


def test_a_program_reads_a_document_from_list_to_cell(program, bob, workspace, report):
    importer = program(bob, "read")
    listed = importer.get(f"/workspaces/{workspace.slug}/documents").json()
    assert [row["id"] for row in listed["items"]] == [report.pk] and listed["next"] is None
    place = f"/workspaces/{workspace.slug}/documents/{report.pk}"
    outline = importer.get(f"{place}/outline").json()
    dues = next(row for row in outline if row["title"] == "Dues")
    assert dues["page_start"] == 1
    section = importer.get(f"{place}/nodes/{dues['key']}").json()
    table = importer.get(f"{place}/nodes/{section['children'][0]}").json()
    assert table["columns"] == ["Ship", "Dues in euros"] and ["Trawler", "75"] in table["rows"]
    assert "| Trawler | 75 |" in importer.get(f"{place}/markdown").content.decode()
    assert importer.get(f"{place}/nodes/4000").json()["code"] == "not_found"


def test_a_program_reads_heads_of_columns_as_pages_write_them(program, bob, workspace, alice):
    head = "<tr><th></th><th colspan=2>Year ended 31 December</th></tr><tr><th></th><th>2023</th><th>2022</th></tr>"
    body = "<tr><td>Dues</td><td>120</td><td>75</td></tr><tr><td>Rent</td><td>40</td><td>35</td></tr>"
    sheet = compiled_document(workspace, alice, f"<h1>Dues</h1><table>{head}{body}</table>".encode(), "dues.html")
    place, importer = f"/workspaces/{workspace.slug}/documents/{sheet.pk}", program(bob, "read")
    tables = [node for key in range(1, 4) if (node := importer.get(f"{place}/nodes/{key}").json()).get("rows")]
    assert tables[0]["columns"][1:] == ["Year ended 31 December, 2023", "Year ended 31 December, 2022"]


@pytest.mark.django_db(transaction=True)
def test_a_question_is_asked_waited_for_and_exported(program, bob, workspace, report, work_off):
    importer = program(bob, "ask")
    asked = importer.post(f"/workspaces/{workspace.slug}/runs", {"question": "How many berths has the harbour?"})
    assert asked.status_code == 201 and asked.json()["status"] == "queued"
    work_off("runs")
    place = f"/workspaces/{workspace.slug}/runs/{asked.json()['id']}"
    ended = importer.get(place, wait=5).json()
    assert ended["ended"] and ended["status"] in ("answered", "passages")
    exported = importer.get(f"{place}/export").json()
    assert any("14 berths" in row["quote"] for row in exported["citations"])
    assert "14 berths" in importer.get(f"{place}/markdown").content.decode()
    assert importer.post(f"{place}/cancel").json()["status"] == ended["status"]


def test_a_request_repeated_with_its_key_is_carried_out_once(program, bob, workspace, report):
    importer, place = program(bob, "ask"), f"/workspaces/{workspace.slug}/runs"
    question = {"question": "How many berths are closed in winter?"}
    first = importer.post(place, question, **{"Idempotency-Key": "k-1"})
    again = importer.post(place, question, **{"Idempotency-Key": "k-1"})
    assert first.json()["id"] == again.json()["id"] and Run.objects.count() == 1
    other = importer.post(place, {"question": "Which dues?"}, **{"Idempotency-Key": "k-1"})
    assert (other.status_code, other.json()["code"]) == (422, "key_reused")


def test_an_upload_is_stored_once_and_noted_with_its_token(program, alice, workspace):
    importer, place = program(alice), f"{ROOT}/workspaces/{workspace.slug}/documents"
    stored = importer.client.post(place, {"file": SimpleUploadedFile("dues.md", REPORT), "title": "Dues"})
    again = importer.client.post(place, {"file": SimpleUploadedFile("other.md", REPORT)})
    assert (stored.status_code, again.status_code) == (201, 200)
    assert stored.json()["id"] == again.json()["id"] and stored.json()["title"] == "Dues"
    raw = importer.client.post(f"{place}/raw?name=raw.md", REPORT, content_type="application/octet-stream")
    assert (raw.status_code, raw.json()["id"]) == (200, stored.json()["id"])
    sent = {"content_type": "text/markdown", "headers": {"Idempotency-Key": "raw"}}
    twice = [importer.client.post(f"{place}/raw?name=raw.md", REPORT * 30_000, **sent).json() for _ in range(2)]
    assert twice[0]["id"] == twice[1]["id"] != stored.json()["id"] and twice[0]["name"] == "raw.md"
    event = AuditEvent.objects.filter(verb="document.added").earliest("pk")
    assert event.details["token"] == "importer"
    refused = importer.client.post(place, {"file": SimpleUploadedFile("x.exe", b"MZ\0\0")})
    assert refused.status_code == 422 and refused["Content-Type"] == "application/problem+json"
    one = f"/workspaces/{workspace.slug}/documents/{stored.json()['id']}"
    assert importer.send("delete", one).status_code == 204
    assert importer.get(one).status_code == 404
    assert importer.post(f"{one}/restore").json()["title"] == "Dues"


def test_a_changed_file_of_a_known_name_becomes_what_the_request_or_the_workspace_says(program, alice, workspace):
    importer, place = program(alice), f"{ROOT}/workspaces/{workspace.slug}/documents"

    def send(number, **form):
        file = SimpleUploadedFile("dues.md", REPORT + b"\n\nRevision %d." % number)
        return importer.client.post(place, {"file": file, **form})

    first = send(1).json()
    asked = send(2, on_same_name="ask")
    assert (asked.status_code, asked.json()["code"]) == (409, "same_name")
    said = [send(2, on_same_name="version"), send(3, on_same_name="keep")]
    assert [(reply.status_code, reply.json()["version"]) for reply in said] == [(201, 2), (201, 1)]
    assert said[0].json()["id"] == first["id"] and said[1].json()["title"] == "dues (2)"
    one = f"/workspaces/{workspace.slug}/documents/{first['id']}/versions"
    assert [row["number"] for row in importer.get(one).json()] == [2, 1]
    newer = send(4).json()
    assert (newer["id"], newer["version"]) == (said[1].json()["id"], 2), "the workspace's setting: a new version"
    workspace.settings = {"same_name": "keep"}
    workspace.save()
    assert send(5).json()["title"] == "dues (3)"
    assert send(5, on_same_name="ask").status_code == 200
    assert send(6, on_same_name="twin").status_code == 422


def test_the_engines_parts_answer_on_their_own(program, client, bob, workspace, report):
    importer, place = program(bob, "read"), f"/workspaces/{workspace.slug}"
    routed = importer.post(f"{place}/route", {"query": "berths for ferries"}).json()
    assert [row["document"] for row in routed["candidates"]] == [report.pk]
    by_words = {"query": "berths for ferries", "mode": "precise", "weights": {"bm25": 1, "keyword": 0, "graph": 0}}
    assert (routed["considered"], routed["activated"], routed["committed"]) == (1, False, None)
    assert "berth" in str(routed["candidates"][0]["matched_terms"]) and routed["mode"] == "fast"
    weighed = importer.post(f"{place}/route", {**by_words, "weights": {**by_words["weights"], "text": 0, "fields": 0}})
    [row] = weighed.json()["candidates"]
    assert row["score"] == pytest.approx(row["bm25"]) and weighed.json()["mode"] == "fast"
    found = importer.post(f"{place}/retrieve", {"query": "berths closed in winter", "token_budget": 200}).json()
    assert "berths" in found["items"][0]["text"] and found["tokens_used"] <= 200
    client.force_login(bob)
    assert "berths" in client.get(found["items"][0]["link"]).content.decode() and found["items"][0]["page"] == 1
    assert len(found["items"]) + found["dropped"] == found["candidates_seen"]
    asked = {"query": "trawler dues", "label": "table", "graph_expand": {"mode": "ppr"}, "adjacency": 2}
    tables = importer.post(f"{place}/retrieve", asked).json()
    assert {row["lanes"].keys() >= {"lexical"} for row in tables["items"]} == {True}
    assert "Incoming:" in tables["items"][0]["text"] and tables["shape"] and 0 <= tables["confidence"] <= 1
    more = {"query": "berths in winter", "community": {"expand_seeds": 1}, "where": {"page": 1}, "summary_cap": 40}
    assert "chars>" in importer.post(f"{place}/retrieve", more).json()["items"][0]["text"]
    none = importer.post(f"{place}/retrieve", {**more, "where": {"page": 9}}).json()
    assert [row["code"] for row in none["warnings"]] == ["lane_empty"] and none["warnings"][0]["remedy"]
    walked = importer.post(f"{place}/navigate", {"goal": "dues of a trawler", "document": report.pk}).json()
    assert walked["entered"][0]["title"] == "Dues" and walked["entered"][0]["reason"] and walked["log"]
    start = walked["advice"][0]
    assert (start["point"], start["confidence"] > 0) == ("start", True) and "looks most promising" in start["reasoning"]
    lost = importer.post(f"{place}/retrieve", {"query": "dues", "documents": [report.pk + 1]})
    assert lost.status_code == 404


@pytest.mark.django_db(transaction=True)
def test_events_go_on_after_the_last_one_that_arrived(program, bob, workspace, report, work_off):
    importer = program(bob, "ask")
    body = {"question": "How many berths has the harbour?", "search": {"label": "paragraph", "where": {"page": 1}}}
    asked = importer.post(f"/workspaces/{workspace.slug}/runs", body).json()
    exported = importer.get(f"/workspaces/{workspace.slug}/runs/{asked['id']}/export").json()
    assert exported["settings"]["searched"] == body["search"]
    work_off("runs")
    path = f"{ROOT}/workspaces/{workspace.slug}/runs/{asked['id']}/events"
    headers = {"Authorization": importer.client.defaults["HTTP_AUTHORIZATION"]}

    async def read(last: int = 0) -> list[tuple[int, str, dict]]:
        answer = await AsyncClient().get(path, headers={**headers, "Last-Event-ID": str(last)})
        text = "".join([part.decode() async for part in answer.streaming_content])
        rows = [dict(line.split(": ", 1) for line in part.split("\n")) for part in text.split("\n\n") if "data" in part]
        return [(int(row["id"]), row["event"], json.loads(row["data"])) for row in rows]

    whole = asyncio.run(read())
    assert whole[-1][1] == "reasoning/complete" and whole[-1][2]["ended"]
    assert [row[0] for row in whole] == sorted({row[0] for row in whole})
    for cut in range(len(whole) - 1):
        assert asyncio.run(read(whole[cut][0])) == whole[cut + 1 :]


@pytest.mark.django_db(transaction=True)
def test_a_stream_that_is_cut_ten_times_while_the_run_goes_on_loses_nothing(
    program, server, bob, workspace, report, spawn
):
    importer = program(bob, "ask")
    asked = importer.post(f"/workspaces/{workspace.slug}/runs", {"question": "How many berths has the harbour?"}).json()
    address = f"{server}{ROOT}/workspaces/{workspace.slug}/runs/{asked['id']}/events"
    token = importer.client.defaults["HTTP_AUTHORIZATION"]

    def read(last: int, most: int) -> list[tuple[int, str]]:
        """The whole events among the first bytes, after which the line is cut."""
        headers, got = {"Authorization": token, "Last-Event-ID": str(last)}, ""
        with httpx2.Client(headers=headers, timeout=60) as client, client.stream("GET", address) as reply:
            for part in reply.iter_text():
                got += part
                if len(got) > most:
                    break
        parts = [part.split("\n") for part in got[:most].split("\n\n")[:-1]]
        return [(int(part[0].removeprefix("id: ")), part[1]) for part in parts if part[0].startswith("id: ")]

    read(0, 5)  # The first cut, while nothing has happened yet.
    spawn("work", "runs")
    got: list[tuple[int, str]] = []
    for cut in range(9):
        got += read(got[-1][0] if got else 0, 500 + 400 * cut)
    got += read(got[-1][0] if got else 0, 10**9)
    assert read(got[-1][0], 10**9) == []
    told = importer.get(f"/workspaces/{workspace.slug}/runs/{asked['id']}/steps").json()
    told += importer.get(f"/workspaces/{workspace.slug}/runs/{asked['id']}/claims").json()
    numbers = sorted(row["sequence"] for row in told)
    assert [number for number, _kind in got] == [*numbers, numbers[-1] + 1]
    assert got[-1][1] == "event: reasoning/complete"


def test_bad_requests_name_the_field_and_lose_nothing(program, bob, workspace):
    importer, place = program(bob, "ask"), f"/workspaces/{workspace.slug}"
    answer = importer.post(f"{place}/retrieve", {"query": "", "fusion": "sum"})
    assert answer.status_code == 422
    assert {row["field"].split(".")[-1] for row in answer.json()["errors"]} == {"query", "fusion"}
    assert importer.post(f"{place}/runs", {"question": "  "}).json()["code"] == "question_empty"
    assert importer.client.post(f"{ROOT}{place}/runs", b"{", content_type="application/json").status_code == 400
    endless = b'{"query": "dues", "weights": {"lexical": NaN}}'
    assert importer.client.post(f"{ROOT}{place}/retrieve", endless, content_type="application/json").status_code == 422


def test_every_reply_tells_what_is_left_of_the_minute(program, bob, workspace, settings):
    settings.API_PER_MINUTE = 2
    importer = program(bob, "read")
    assert importer.get("/me").headers["RateLimit-Remaining"] == "1"
    importer.get("/me")
    refused = importer.get("/me")
    assert refused.status_code == 429 and int(refused.headers["Retry-After"]) <= 60


def test_files_and_refusals_have_the_headers_of_every_reply(program, bob, workspace, report):
    importer, place = program(bob, "read"), f"/workspaces/{workspace.slug}/documents/{report.pk}"
    file, refused = importer.get(f"{place}/markdown"), importer.post(place)
    for reply in (file, refused, importer.get("/nowhere")):
        assert "private" in reply.headers["Cache-Control"]
    assert {"RateLimit-Remaining", "ETag"} <= file.headers.keys()
    again = importer.client.get(f"{ROOT}{place}/markdown", headers={"If-None-Match": file.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert (refused.status_code, refused.json()["code"]) == (405, "no_such_method") and "GET" in refused.headers[
        "Allow"
    ]


def test_while_the_site_is_read_only_programs_read_and_are_told_so(program, alice, bob, workspace, report):
    importer, place = program(bob, "ask"), f"/workspaces/{workspace.slug}"
    until = timezone.now() + timedelta(hours=1)
    maintenance.plan_read_only(actor=alice, begins=None, until=until, reason="A new disk.")
    forget_values()  # As the commit does, which a test has not.
    refused = importer.post(f"{place}/runs", {"question": "How many berths?"})
    assert (refused.status_code, refused.headers["Content-Type"]) == (503, "application/problem+json")
    assert refused.json()["code"] == "read_only_mode"
    assert importer.post(f"{place}/route", {"query": "berths"}).status_code == 200


def test_a_list_costs_no_query_for_each_row(program, alice, workspace, report, django_assert_max_num_queries):
    importer, place = program(alice, "read"), f"/workspaces/{workspace.slug}"
    for number in range(5):
        compiled_document(workspace, alice, REPORT + f"{number}".encode(), f"harbour-{number}.md")
        start_run(user=alice, workspace=workspace, question=f"How many berths in year {number}?")
    with django_assert_max_num_queries(12):
        assert len(importer.get(f"{place}/documents", search="harbour").json()["items"]) == 6
    with django_assert_max_num_queries(12):
        assert len(importer.get(f"{place}/runs").json()["items"]) == 5


def test_who_must_set_up_two_steps_does_so_before_a_program_acts_for_them(program, alice, bob, workspace):
    importer = program(bob, "read")
    require_two_steps(actor=alice, user=bob)
    assert importer.get("/me").status_code == 403


@pytest.mark.django_db(transaction=True)
def test_a_stream_ends_when_its_token_is_revoked(program, bob, workspace, report):
    importer = program(bob, "ask")
    asked = importer.post(f"/workspaces/{workspace.slug}/runs", {"question": "How many berths has the harbour?"}).json()
    path = f"{ROOT}/workspaces/{workspace.slug}/runs/{asked['id']}/events"

    async def follow() -> list[bytes]:
        headers = {"Authorization": importer.client.defaults["HTTP_AUTHORIZATION"]}
        answer = await AsyncClient().get(path, headers=headers)
        parts = []
        async for part in answer.streaming_content:
            parts.append(part)
            await ApiToken.objects.aupdate(revoked_at=timezone.now())
        return parts

    assert asyncio.run(asyncio.wait_for(follow(), 20)) == [b": waiting\n\n"]


def test_a_change_is_made_to_what_was_seen_alone(program, alice, workspace, report):
    importer, place = program(alice), f"{ROOT}/workspaces/{workspace.slug}"
    folder = importer.post(f"/workspaces/{workspace.slug}/folders", {"name": "Ports"}).json()
    one = f"{place}/documents/{report.pk}"
    seen = importer.client.get(one)
    again = importer.client.get(one, headers={"If-None-Match": seen.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")

    def change(body, tag):
        return importer.client.patch(one, body, content_type="application/json", headers={"If-Match": tag})

    changed = change({"title": "Ferries", "folder": folder["id"], "tags": ["port"]}, seen.headers["ETag"]).json()
    assert (changed["title"], changed["folder"], changed["tags"]) == ("Ferries", folder["id"], ["port"])
    late = change({"title": "Boats"}, seen.headers["ETag"])
    assert (late.status_code, late.json()["code"]) == (412, "changed")
    assert change({"folder": None}, importer.client.get(one).headers["ETag"]).json()["folder"] is None


def test_owners_govern_by_programs(program, alice, bob, workspace, report):
    owner, place = program(alice, "admin"), f"/workspaces/{workspace.slug}"
    assert {row["user"]: row["role"] for row in owner.get(f"{place}/members").json()} == {
        "alice": "owner",
        "bob": "member",
    }
    limit = owner.send("put", f"{place}/budgets", b'{"limit_usd": 5, "user": "bob"}').json()
    assert (limit["user"], limit["limit_usd"], limit["period"]) == ("bob", 5.0, "month")
    assert owner.send("put", f"{place}/budgets", b'{"limit_usd": 5, "user": "charlie"}').status_code == 422
    assert owner.get(f"{place}/audit").json()["items"][0]["verb"] == "budget.set"
    assert owner.send("delete", f"{place}/budgets/{limit['id']}").status_code == 204
    assert owner.get(f"{place}/budgets").json() == []
    assert owner.get(f"{place}/usage", days=7).json()["days"] == 7
    entry = owner.post(f"{place}/lexicon", {"concept": "berth", "phrases": ["mooring", "mooring"]}).json()
    assert entry["phrases"] == ["mooring"]
    wrong = owner.post(f"{place}/lexicon", {"concept": "the", "phrases": ["x"]})
    assert wrong.status_code == 422 and wrong.json()["errors"][0]["field"] == "concept"
    one = f"{place}/lexicon/{entry['id']}"
    assert owner.send("put", one, b'{"concept": "quay", "phrases": ["pier"]}').json()["concept"] == "quay"
    assert owner.send("delete", one).status_code == 204 and owner.get(f"{place}/lexicon").json() == []


@pytest.mark.django_db(transaction=True)
def test_an_answer_is_shared_replayed_and_taken_along(program, bob, workspace, report, work_off, client):
    importer, place = program(bob), f"/workspaces/{workspace.slug}"
    asked = importer.post(f"{place}/runs", {"question": "How many berths has the harbour?"}).json()
    one = f"{place}/runs/{asked['id']}"
    assert importer.post(f"{one}/links", {}).status_code == 409
    work_off("runs")
    link = importer.post(f"{one}/links", {"days": 2, "label": "the board"}).json()
    assert client.get(link["address"]).status_code == 200
    assert [row["label"] for row in importer.get(f"{one}/links").json()] == ["the board"]
    assert importer.send("delete", f"{one}/links/{link['id']}").status_code == 204
    assert client.get(link["address"]).status_code == 404
    assert importer.post(f"{one}/replay").json()["verdict"] == ""
    work_off()
    assert importer.get(f"{one}/replay").json()["verdict"] == "identical"
    assert importer.get(f"{one}/bundle").content.startswith(b"PK")
    assert importer.get(f"{one}/steps").json()[0]["sequence"] == 1
    assert any("14 berths" in row["quote"] for row in importer.get(f"{one}/citations").json())
    [thread] = importer.get(f"{place}/threads").json()["items"]
    assert [row["id"] for row in importer.get(f"{place}/threads/{thread['id']}/runs").json()] == [asked["id"]]


def test_the_schema_is_shown_with_files_of_this_site(client):
    page = client.get(f"{ROOT}/docs").content.decode()
    assert "swagger-ui" in page and "https://" not in page.replace("http://www.w3.org", "")
