"""Making a workspace, changing its settings, deleting it."""

import pytest

from tests.support.compiled import compiled_document
from vectorless_web.runs.services import start_run
from vectorless_web.runs.services.executing import settings_of
from vectorless_web.workspaces.models import AuditEvent, Membership, Role, Workspace
from vectorless_web.workspaces.selectors import workspaces_of
from vectorless_web.workspaces.services import create_workspace

pytestmark = pytest.mark.django_db

BASE = {"name": "Acme", "max_steps": 12, "token_budget": 9000, "verify": "on", "route_mode": "balanced"}
CHOSEN = {
    "activate_threshold": 5,
    "max_candidates": 8,
    "bm25_top_k": 40,
    "w_bm25": 0.4,
    "w_keyword": 0.0,
    "w_graph": 0.1,
    "w_fields": 1.5,
    "w_text": 0.7,
    "graph_expand": "ppr",
    "community": True,
    "min_confidence": 0.25,
    "summary_cap": 900,
}


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
    assert act(alice, "save/", **{**BASE, "route_mode": "precise"}).status_code == 302
    workspace.refresh_from_db()
    assert (workspace.name, workspace.slug) == ("Acme", "acme-diligence")
    assert workspace.setting("max_steps") == 12
    assert AuditEvent.objects.first().details == {"max_steps": 12, "token_budget": 9000, "route_mode": "precise"}


def test_the_owner_sets_every_part_of_the_router_and_what_is_left_empty_is_the_usual_value(act, see, alice, workspace):
    assert act(alice, "save/", **BASE, **CHOSEN).status_code == 302
    workspace.refresh_from_db()
    assert {name: workspace.setting(name) for name in CHOSEN} == CHOSEN
    shown = see(alice).content.decode()
    assert 'name="activate_threshold" value="5"' in shown and 'name="w_fields" value="1.5"' in shown

    act(alice, "save/", **BASE, **dict.fromkeys(CHOSEN, ""))
    workspace.refresh_from_db()
    assert {name: workspace.setting(name) for name in CHOSEN} == {name: Workspace.DEFAULTS[name] for name in CHOSEN}


def test_an_owner_chooses_how_documents_are_searched_and_whether_answers_are_checked(act, alice, workspace):
    chosen = {"pilot": "high_quality", "strategy": "mcts", "fusion": "convex"}
    act(alice, "save/", **{**BASE, "verify": "", **chosen})
    workspace.refresh_from_db()
    assert {name: workspace.setting(name) for name in (*chosen, "verify")} == {**chosen, "verify": False}
    compiled_document(workspace, alice, b"# Harbour\n\nThe harbour has 14 berths.\n")
    run = start_run(user=alice, workspace=workspace, question="How many berths?")
    asked = settings_of(run)
    assert (asked.strategy, asked.pilot, asked.fusion, asked.verify) == ("mcts", "high_quality", "convex", False)


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_steps": 5},
        {"max_steps": 31},
        {"route_mode": "x"},
        {"name": ""},
        {"max_candidates": 0},
        {"min_confidence": 2},
        {"summary_cap": 1},
        {"w_bm25": -1},
        {"max_candidates": 30, "bm25_top_k": 10},
        {"w_bm25": 0, "w_keyword": 0, "w_graph": 0, "w_fields": 0, "w_text": 0},
    ],
)
def test_settings_that_cannot_work_are_refused_in_place_with_their_reason(act, workspace, alice, wrong):
    answer = act(alice, "save/", **{**BASE, **wrong})
    assert answer.status_code == 422
    assert 'class="wrong"' in answer.content.decode()
    workspace.refresh_from_db()
    assert (workspace.name, workspace.settings) == ("Acme diligence", {})


def test_deleting_wants_the_name(act, workspace, alice):
    assert act(alice, "delete/", name="acme").status_code == 422
    assert Workspace.objects.exists()
    assert act(alice, "delete/", name=workspace.name).status_code == 302
    assert not Workspace.objects.filter(deleted_at=None).exists()
    assert AuditEvent.objects.filter(verb="workspace.deleted", object_name="Acme diligence").exists()
