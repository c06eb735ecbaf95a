"""Making a workspace, changing it, deleting it."""

import pytest

from tests.support.compiled import compiled_document
from vectorless_web.runs.services import start_run
from vectorless_web.runs.services.executing import settings_of
from vectorless_web.workspaces.models import AuditEvent, Membership, Role, Workspace
from vectorless_web.workspaces.selectors import workspaces_of
from vectorless_web.workspaces.services import create_workspace

pytestmark = pytest.mark.django_db


def test_whoever_makes_a_workspace_owns_it(client, charlie):
    client.force_login(charlie)
    assert client.get("/workspaces/new/").status_code == 200
    answer = client.post("/workspaces/create/", {"name": "Größe & Ähnliches", "description": "x"})
    made = Workspace.objects.get()
    assert answer["Location"] == f"/w/{made.slug}/"
    assert made.slug == "groe-ahnliches"
    assert Membership.objects.get().role == Role.OWNER
    assert [(space.name, space.role) for space in workspaces_of(charlie)] == [("Größe & Ähnliches", "owner")]
    assert AuditEvent.objects.get().verb == "workspace.created"


@pytest.mark.parametrize(("name", "slug"), [("合同", "workspace"), ("new", "new-2"), ("!" * 9, "workspace")])
def test_equal_and_odd_names_get_addresses_of_their_own(alice, name, slug):
    assert create_workspace(user=alice, name=name).slug == slug

    slugs = [create_workspace(user=alice, name="Deals").slug for _ in range(3)]
    assert slugs == ["deals", "deals-2", "deals-3"]


def test_settings_are_saved_and_recorded(act, workspace, alice):
    values = {
        "name": "Acme",
        "description": "",
        "max_steps": 12,
        "token_budget": 9000,
        "verify": "on",
        "route_mode": "precise",
    }
    assert act(alice, "save/", **values).status_code == 302
    workspace.refresh_from_db()
    assert (workspace.name, workspace.slug) == ("Acme", "acme-diligence")
    assert workspace.setting("max_steps") == 12
    assert AuditEvent.objects.first().details == {"max_steps": 12, "token_budget": 9000, "route_mode": "precise"}


def test_an_owner_chooses_how_documents_are_searched_and_whether_answers_are_checked(act, alice, workspace):
    chosen = {"pilot": "high_quality", "strategy": "mcts", "fusion": "convex"}
    values = {"name": "Acme", "max_steps": 12, "token_budget": 9000, "route_mode": "fast", **chosen}
    act(alice, "save/", **values)
    workspace.refresh_from_db()
    assert {name: workspace.setting(name) for name in (*chosen, "verify")} == {**chosen, "verify": False}
    compiled_document(workspace, alice, b"# Harbour\n\nThe harbour has 14 berths.\n")
    run = start_run(user=alice, workspace=workspace, question="How many berths?")
    settings = settings_of(run)
    assert (settings.strategy, settings.pilot, settings.fusion, settings.verify) == (
        "mcts",
        "high_quality",
        "convex",
        False,
    )


@pytest.mark.parametrize(("field", "value"), [("max_steps", 5), ("max_steps", 31), ("route_mode", "x"), ("name", "")])
def test_settings_out_of_range_are_refused_in_place(act, workspace, alice, field, value):
    values = {"name": "Acme", "max_steps": 12, "token_budget": 9000, "verify": "on", "route_mode": "fast", field: value}
    answer = act(alice, "save/", **values)
    assert answer.status_code == 422
    assert answer.context["form"].errors[field]
    workspace.refresh_from_db()
    assert workspace.name == "Acme diligence"


def test_deleting_wants_the_name(act, workspace, alice):
    assert act(alice, "delete/", name="acme").status_code == 422
    assert Workspace.objects.exists()
    assert act(alice, "delete/", name=workspace.name).status_code == 302
    assert not Workspace.objects.filter(deleted_at=None).exists()
    assert AuditEvent.objects.filter(verb="workspace.deleted", object_name="Acme diligence").exists()
