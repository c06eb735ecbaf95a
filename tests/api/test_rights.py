"""Who may call which operation: one row for each, asked as everybody who might try."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from tests.api.conftest import ROOT
from vectorless_web.api.application import api
from vectorless_web.api.models import ApiToken, Webhook
from vectorless_web.documents.models import Folder
from vectorless_web.documents.services import create_folder
from vectorless_web.evaluations.models import Evaluation, GoldenSet
from vectorless_web.evaluations.reading import Typed
from vectorless_web.evaluations.services import add_questions, make_set
from vectorless_web.grids.models import Grid
from vectorless_web.grids.services import GridValues, create_grid
from vectorless_web.runs.models import Run, Thread
from vectorless_web.runs.services import start_run
from vectorless_web.sources.models import Source
from vectorless_web.workspaces.models import (
    GroupMembership,
    Invitation,
    LexiconEntry,
    Membership,
    PeopleGroup,
    Role,
    ServiceAccount,
)
from vectorless_web.workspaces.services import add_group, add_service_account, create_workspace, invite, save_group
from vectorless_web.workspaces.storage import encrypt

pytestmark = pytest.mark.django_db
W, D, R = "/workspaces/{slug}", "/workspaces/{slug}/documents/{document}", "/workspaces/{slug}/runs/{run}"
G, S, E = "/workspaces/{slug}/grids/{grid}", f"{W}/golden-sets/{{golden_set}}", f"{W}/evaluations/{{evaluation}}"
P, H, SRC = (f"{W}/{each}" for each in ("service-accounts/{account}", "webhooks/{webhook}", "sources/{source}"))
F = f"{W}/folders/{{folder}}"
READ, ASK, WRITE, ADMIN = SCOPES = ("read", "ask", "write", "admin")
VIEWER, MEMBER, EDITOR, OWNER = ROLES = [str(role) for role in Role]
STAFF = "staff"

MATRIX = {
    # operation: the least scope of the token, the least role of its person
    ("get", "/me"): (READ, ""),
    ("get", "/workspaces"): (READ, ""),
    ("get", W): (READ, VIEWER),
    ("get", f"{W}/folders"): (READ, VIEWER),
    ("post", f"{W}/folders"): (WRITE, EDITOR),
    ("patch", F): (WRITE, EDITOR),
    ("delete", F): (WRITE, EDITOR),
    ("get", f"{W}/tags"): (READ, VIEWER),
    ("get", f"{W}/search"): (READ, VIEWER),
    ("get", f"{W}/documents"): (READ, VIEWER),
    ("post", f"{W}/documents"): (WRITE, EDITOR),
    ("post", f"{W}/documents/raw"): (WRITE, EDITOR),
    ("get", D): (READ, VIEWER),
    ("patch", D): (WRITE, EDITOR),
    ("delete", D): (WRITE, EDITOR),
    ("post", f"{D}/restore"): (WRITE, EDITOR),
    ("get", f"{D}/versions"): (READ, VIEWER),
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
    ("patch", f"{W}/members/{{member}}"): (ADMIN, OWNER),
    ("delete", f"{W}/members/{{member}}"): (ADMIN, OWNER),
    ("get", f"{W}/groups"): (ADMIN, OWNER),
    ("get", f"{W}/groups/others"): (ADMIN, OWNER),
    ("post", f"{W}/groups"): (ADMIN, OWNER),
    ("patch", f"{W}/groups/{{membership}}"): (ADMIN, OWNER),
    ("delete", f"{W}/groups/{{membership}}"): (ADMIN, OWNER),
    ("get", "/groups"): (ADMIN, STAFF),
    ("post", "/groups"): (ADMIN, STAFF),
    ("put", "/groups/{group}"): (ADMIN, STAFF),
    ("delete", "/groups/{group}"): (ADMIN, STAFF),
    ("get", "/groups/{group}/people"): (ADMIN, STAFF),
    ("put", "/groups/{group}/people"): (ADMIN, STAFF),
    ("get", f"{W}/invitations"): (ADMIN, OWNER),
    ("post", f"{W}/invitations"): (ADMIN, OWNER),
    ("delete", f"{W}/invitations/{{invitation}}"): (ADMIN, OWNER),
    ("get", f"{W}/settings"): (ADMIN, OWNER),
    ("patch", f"{W}/settings"): (ADMIN, OWNER),
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
    ("get", f"{W}/grids"): (READ, VIEWER),
    ("post", f"{W}/grids"): (ASK, MEMBER),
    ("get", G): (READ, VIEWER),
    ("delete", G): (WRITE, EDITOR),
    ("post", f"{G}/fill"): (ASK, MEMBER),
    ("post", f"{G}/stop"): (ASK, MEMBER),
    ("get", f"{G}/xlsx"): (READ, VIEWER),
    ("get", f"{W}/golden-sets"): (READ, VIEWER),
    ("post", f"{W}/golden-sets"): (WRITE, EDITOR),
    ("get", f"{S}/questions"): (READ, VIEWER),
    ("post", f"{S}/questions"): (WRITE, EDITOR),
    ("get", f"{S}/evaluations"): (READ, VIEWER),
    ("post", f"{S}/evaluations"): (ASK, EDITOR),
    ("get", E): (READ, VIEWER),
    ("get", f"{E}/results"): (READ, VIEWER),
    ("post", f"{E}/stop"): (ASK, EDITOR),
    ("post", f"{E}/resume"): (ASK, EDITOR),
    ("get", f"{W}/service-accounts"): (ADMIN, OWNER),
    ("post", f"{W}/service-accounts"): (ADMIN, OWNER),
    ("delete", P): (ADMIN, OWNER),
    ("get", f"{P}/tokens"): (ADMIN, OWNER),
    ("post", f"{P}/tokens"): (ADMIN, OWNER),
    ("delete", f"{P}/tokens/{{token}}"): (ADMIN, OWNER),
    ("get", f"{W}/webhooks"): (ADMIN, OWNER),
    ("post", f"{W}/webhooks"): (ADMIN, OWNER),
    ("get", H): (ADMIN, OWNER),
    ("patch", H): (ADMIN, OWNER),
    ("delete", H): (ADMIN, OWNER),
    ("post", f"{H}/secret"): (ADMIN, OWNER),
    ("get", f"{H}/deliveries"): (ADMIN, OWNER),
    ("post", f"{H}/deliveries/{{delivery}}/again"): (ADMIN, OWNER),
    ("get", f"{W}/sources"): (ADMIN, OWNER),
    ("post", f"{W}/sources"): (ADMIN, OWNER),
    ("get", SRC): (ADMIN, OWNER),
    ("patch", SRC): (ADMIN, OWNER),
    ("delete", SRC): (ADMIN, OWNER),
    ("put", f"{SRC}/secret"): (ADMIN, OWNER),
    ("post", f"{SRC}/look"): (ADMIN, OWNER),
    ("get", f"{SRC}/files"): (ADMIN, OWNER),
    ("post", f"{W}/route"): (READ, VIEWER),
    ("post", f"{W}/retrieve"): (READ, VIEWER),
    ("post", f"{W}/navigate"): (READ, VIEWER),
}
BODIES = {
    "route": {"query": "dues"},
    "retrieve": {"query": "dues"},
    "runs": {"question": "Which dues?"},
    "grids": {"name": "Dues", "columns": [{"question": "Which dues?"}]},
    "golden-sets": {"name": "Dues"},
    "questions": {"questions": [{"question": "Which dues?", "value": "120"}]},
    "service-accounts": {"name": "Nightly"},
    "tokens": {"name": "Nightly"},
    "webhooks": {"address": "https://example.com/", "events": ["run.finished"]},
    "groups": {"name": "Crew", "group": 1, "role": "member"},
    "invitations": {"role": "member"},
    "sources": {"kind": "webdav", "address": "https://example.com/dav"},
}
"""Bodies that are valid, so that rights decide."""


@pytest.fixture
def ask_run(workspace, alice, report):
    LexiconEntry.objects.create(workspace=workspace, concept="berth", phrases=["mooring"])
    create_grid(user=alice, workspace=workspace, values=GridValues("Dues"), documents=[report])
    golden_set = make_set(user=alice, workspace=workspace, name="Berths")
    add_questions(user=alice, golden_set=golden_set, rows=[Typed("How many berths?", value="14")])
    Evaluation.objects.create(golden_set=golden_set, state=Evaluation.State.STOPPED)
    add_service_account(actor=alice, workspace=workspace, name="Nightly", role="member")
    Webhook.objects.create(workspace=workspace, address="https://example.com/berth", encrypted_secret=encrypt("s"))
    Source.objects.create(workspace=workspace, kind="webdav", address="https://example.com/berth", folder=report.folder)
    create_folder(actor=alice, workspace=workspace, name="Berths")
    group = save_group(actor=alice, group=PeopleGroup(name="Berth keepers"))
    add_group(actor=alice, workspace=workspace, group=group, role="viewer")
    invite(actor=alice, workspace=workspace, role="member", days=7, email="berth@example.com")
    return start_run(user=alice, workspace=workspace, question="How many berths?")


def call(program, operation, slug, document, run):
    method, path = operation
    rows = {
        "thread": Thread,
        "entry": LexiconEntry,
        "grid": Grid,
        "golden_set": GoldenSet,
        "evaluation": Evaluation,
        "account": ServiceAccount,
        "webhook": Webhook,
        "source": Source,
        "folder": Folder,
        "invitation": Invitation,
        "group": PeopleGroup,
        "membership": GroupMembership,
    }
    numbers = {name: model.objects.get().pk for name, model in rows.items()}
    numbers["member"] = Membership.objects.earliest("pk").pk
    ones = dict.fromkeys(("key", "page", "link", "budget", "token", "delivery"), 1)
    address = path.format(slug=slug, document=document, run=run, **numbers, **ones)
    if method == "post" and address.endswith(("documents", "versions")):
        return program.client.post(ROOT + address, {})
    address += "?name=dues.md" if address.endswith("/raw") else ""
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


@pytest.mark.timeout(300)
def test_scopes_and_roles_hold_for_every_operation(program, workspace, report, ask_run, django_user_model):
    people = {}
    for role in Role:
        people[str(role)] = django_user_model.objects.create_user(f"a-{role}", password="x")
        Membership.objects.create(workspace=workspace, user=people[str(role)], role=role)
    people[STAFF] = django_user_model.objects.create_superuser("a-staff", password="x")
    held = {(role, scope): program(person, scope) for role, person in people.items() for scope in SCOPES}
    wrong = []
    for operation, (scope, role) in MATRIX.items():
        most, order = (STAFF, [OWNER, STAFF]) if role == STAFF else (OWNER, ROLES)
        least = order.index(role) if role else 0
        allowed = {(order[least], scope), (most, ADMIN)}
        refused = {(most, SCOPES[SCOPES.index(scope) - 1])} if scope != READ else set()
        refused |= {(order[least - 1], ADMIN)} if least else set()
        for holder in allowed | refused:
            is_act = operation[0] != "get" and operation[1] not in (f"{W}/route", f"{W}/retrieve", f"{W}/navigate")
            if is_act and holder in allowed:
                continue  # Carried out in test_operations and test_work.
            if operation[1].endswith(("/events", "/image")):
                continue  # A stream; and a text has no picture of a page.
            status = call(held[holder], operation, workspace.slug, report.pk, ask_run.pk).status_code
            # What a form lacks is told before whose role does not suffice.
            unknown = (
                {404, 422} if role == STAFF and holder[0] == OWNER else {403, 422}
            )  # Staff's places are no places.
            expected = {200} if holder in allowed else {403} if holder[0] == most else unknown
            if status not in expected:
                wrong.append((operation, holder, status))
    assert wrong == []
    assert (Run.objects.count(), Grid.objects.count(), Webhook.objects.count()) == (1, 1, 1)


def test_strangers_and_narrow_tokens_find_nothing(program, alice, charlie, workspace, report, ask_run):
    elsewhere = create_workspace(user=alice, name="Elsewhere")
    for importer in (program(charlie), program(alice, workspaces=[elsewhere])):
        for operation, (_scope, role) in MATRIX.items():
            if role:
                answer = call(importer, operation, workspace.slug, report.pk, ask_run.pk)
                assert answer.status_code in (404, 422), operation
                assert b"berth" not in b"".join([answer.content])
    narrow = program(alice, workspaces=[elsewhere])
    alice.is_staff = alice.is_superuser = True
    alice.save()
    assert narrow.get("/groups").status_code == 404
    assert [row["slug"] for row in narrow.get("/workspaces").json()] == [elsewhere.slug]


def test_a_document_of_another_workspace_is_not_reached_through_ones_own(program, charlie, report, ask_run):
    own = create_workspace(user=charlie, name="Own")
    importer = program(charlie)
    for operation in MATRIX:
        if operation[1].count("{") > 1:
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
