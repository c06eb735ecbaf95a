"""Who may call which operation: one row for each, asked as everybody who might try."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from tests.api.conftest import ROOT
from vectorless_web.api.application import api
from vectorless_web.api.models import ApiToken
from vectorless_web.runs.models import Run, Thread
from vectorless_web.runs.services import start_run
from vectorless_web.workspaces.models import LexiconEntry, Membership, Role
from vectorless_web.workspaces.services import create_workspace

pytestmark = pytest.mark.django_db
W, D, R = "/workspaces/{slug}", "/workspaces/{slug}/documents/{document}", "/workspaces/{slug}/runs/{run}"
READ, ASK, WRITE, ADMIN = SCOPES = ("read", "ask", "write", "admin")
VIEWER, MEMBER, EDITOR, OWNER = map(str, Role)

MATRIX = {
    # operation: the least scope of the token, the least role of its person
    ("get", "/me"): (READ, ""),
    ("get", "/workspaces"): (READ, ""),
    ("get", W): (READ, VIEWER),
    ("get", f"{W}/folders"): (READ, VIEWER),
    ("post", f"{W}/folders"): (WRITE, EDITOR),
    ("get", f"{W}/tags"): (READ, VIEWER),
    ("get", f"{W}/search"): (READ, VIEWER),
    ("get", f"{W}/documents"): (READ, VIEWER),
    ("post", f"{W}/documents"): (WRITE, EDITOR),
    ("get", D): (READ, VIEWER),
    ("patch", D): (WRITE, EDITOR),
    ("delete", D): (WRITE, EDITOR),
    ("post", f"{D}/restore"): (WRITE, EDITOR),
    ("post", f"{D}/versions"): (WRITE, EDITOR),
    ("get", f"{D}/outline"): (READ, VIEWER),
    ("get", f"{D}/nodes/{{key}}"): (READ, VIEWER),
    ("get", f"{D}/pages/{{page}}"): (READ, VIEWER),
    ("get", f"{D}/pages/{{page}}/image"): (READ, VIEWER),
    ("get", f"{D}/markdown"): (READ, VIEWER),
    ("get", f"{W}/runs"): (READ, VIEWER),
    ("post", f"{W}/runs"): (ASK, MEMBER),
    ("get", R): (READ, VIEWER),
    ("get", f"{R}/steps"): (READ, VIEWER),
    ("get", f"{R}/claims"): (READ, VIEWER),
    ("get", f"{R}/citations"): (READ, VIEWER),
    ("get", f"{R}/export"): (READ, VIEWER),
    ("get", f"{R}/markdown"): (READ, VIEWER),
    ("get", f"{R}/events"): (READ, VIEWER),
    ("post", f"{R}/cancel"): (ASK, MEMBER),
    ("post", f"{R}/replay"): (ASK, MEMBER),
    ("get", f"{R}/replay"): (READ, VIEWER),
    ("get", f"{R}/bundle"): (READ, VIEWER),
    ("get", f"{R}/links"): (READ, EDITOR),
    ("post", f"{R}/links"): (WRITE, EDITOR),
    ("delete", f"{R}/links/{{link}}"): (WRITE, EDITOR),
    ("get", f"{W}/threads"): (READ, VIEWER),
    ("get", f"{W}/threads/{{thread}}/runs"): (READ, VIEWER),
    ("get", f"{W}/members"): (ADMIN, OWNER),
    ("get", f"{W}/usage"): (ADMIN, OWNER),
    ("get", f"{W}/audit"): (ADMIN, OWNER),
    ("get", f"{W}/budgets"): (ADMIN, OWNER),
    ("put", f"{W}/budgets"): (ADMIN, OWNER),
    ("delete", f"{W}/budgets/{{budget}}"): (ADMIN, OWNER),
    ("get", f"{W}/lexicon"): (READ, VIEWER),
    ("post", f"{W}/lexicon"): (WRITE, EDITOR),
    ("get", f"{W}/lexicon/{{entry}}"): (READ, VIEWER),
    ("put", f"{W}/lexicon/{{entry}}"): (WRITE, EDITOR),
    ("delete", f"{W}/lexicon/{{entry}}"): (WRITE, EDITOR),
    ("post", f"{W}/route"): (READ, VIEWER),
    ("post", f"{W}/retrieve"): (READ, VIEWER),
    ("post", f"{W}/navigate"): (READ, VIEWER),
}
BODIES = {"route": {"query": "dues"}, "retrieve": {"query": "dues"}, "runs": {"question": "Which dues?"}}
"""Bodies that are valid, so that rights decide."""


@pytest.fixture
def ask_run(workspace, alice, report):
    LexiconEntry.objects.create(workspace=workspace, concept="berth", phrases=["mooring"])
    return start_run(user=alice, workspace=workspace, question="How many berths?")


def call(program, operation, slug, document, run):
    method, path = operation
    thread, entry = Thread.objects.get().pk, LexiconEntry.objects.get().pk
    address = path.format(
        slug=slug, document=document, run=run, thread=thread, entry=entry, key=1, page=1, link=1, budget=1
    )
    if method == "post" and address.endswith(("documents", "versions")):
        return program.client.post(ROOT + address, {})
    body = BODIES.get(address.rsplit("/", 1)[-1], {"goal": "dues", "document": document})
    if method == "post":
        return program.post(address, body)
    return program.get(address, text="dues") if address.endswith("search") else program.send(method, address)


def test_every_operation_has_one_row():
    found = {
        (method, re.sub(r"/api/v1", "", path))
        for path, operations in api.get_openapi_schema()["paths"].items()
        for method in operations
    }
    assert found == set(MATRIX)


def test_scopes_and_roles_hold_for_every_operation(program, workspace, report, ask_run, django_user_model):
    people = {}
    for role in Role:
        people[str(role)] = django_user_model.objects.create_user(f"a-{role}", password="x")
        Membership.objects.create(workspace=workspace, user=people[str(role)], role=role)
    order = [str(role) for role in Role]
    held = {(role, scope): program(people[role], scope) for role in order for scope in SCOPES}
    wrong = []
    for operation, (scope, role) in MATRIX.items():
        for (has_role, has_scope), importer in held.items():
            enough_scope = SCOPES.index(has_scope) >= SCOPES.index(scope)
            enough_role = not role or order.index(has_role) >= order.index(role)
            is_act = operation[0] != "get" and operation[1] not in (f"{W}/route", f"{W}/retrieve", f"{W}/navigate")
            if is_act and enough_scope and enough_role:
                continue  # Carried out in test_operations.
            if operation[1].endswith(("/events", "/image")):
                continue  # A stream; and a text has no picture of a page.
            status = call(importer, operation, workspace.slug, report.pk, ask_run.pk).status_code
            # What a form lacks is told before who may send it.
            expected = {200} if enough_scope and enough_role else {403, 422} if enough_scope else {403}
            if status not in expected:
                wrong.append((operation, has_role, has_scope, status))
    assert wrong == []
    assert Run.objects.count() == 1


def test_strangers_and_narrow_tokens_find_nothing(program, alice, charlie, workspace, report, ask_run):
    elsewhere = create_workspace(user=alice, name="Elsewhere")
    for importer in (program(charlie), program(alice, workspaces=[elsewhere])):
        for operation, (_scope, role) in MATRIX.items():
            if role:
                answer = call(importer, operation, workspace.slug, report.pk, ask_run.pk)
                assert answer.status_code in (404, 422), operation
                assert b"berth" not in b"".join([answer.content])
    narrow = program(alice, workspaces=[elsewhere])
    assert [row["slug"] for row in narrow.get("/workspaces").json()] == [elsewhere.slug]


def test_a_document_of_another_workspace_is_not_reached_through_ones_own(program, charlie, report, ask_run):
    own = create_workspace(user=charlie, name="Own")
    importer = program(charlie)
    for operation, (_scope, role) in MATRIX.items():
        if role and ("{document}" in operation[1] or "{run}" in operation[1]):
            assert call(importer, operation, own.slug, report.pk, ask_run.pk).status_code in (404, 422), operation
    assert (
        importer.post(f"/workspaces/{own.slug}/retrieve", {"query": "x", "documents": [report.pk]}).status_code == 404
    )


@pytest.mark.parametrize("spoil", ["revoked", "expired", "closed", "unknown", "none", "session"])
def test_without_an_open_token_nobody_gets_in(program, alice, workspace, spoil):
    importer = program(alice)
    rows = ApiToken.objects.all()
    if spoil == "revoked":
        rows.update(revoked_at=timezone.now())
    if spoil == "expired":
        rows.update(expires_at=timezone.now() - timedelta(seconds=1))
    if spoil == "closed":
        alice.is_active = False
        alice.save()
    client = importer.client
    if spoil in ("unknown", "none", "session"):
        client = Client(headers={"Authorization": "Bearer vlw_x"} if spoil == "unknown" else {})
    if spoil == "session":
        client.force_login(alice)
    for method, path in MATRIX:
        address = re.sub(r"{\w+}", "1", path.replace("{slug}", workspace.slug))
        answer = client.generic(method.upper(), ROOT + address, "{}", content_type="application/json")
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthorised"), address
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")
