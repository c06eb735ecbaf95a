"""How a workspace chooses documents: its owner sets what the router is made with."""

import pytest

from vectorless_web.workspaces.models import Workspace

pytestmark = [pytest.mark.one_database, pytest.mark.django_db]

BASE = {
    "name": "Acme",
    "description": "",
    "max_steps": 12,
    "token_budget": 9000,
    "verify": "on",
    "route_mode": "balanced",
}
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


def save(client, user, workspace, **values):
    client.force_login(user)
    return client.post(f"/w/{workspace.slug}/settings/save/", {**BASE, **values})


def test_the_owner_sets_every_part_of_the_router_and_what_is_left_empty_is_the_usual_value(client, alice, workspace):
    assert save(client, alice, workspace, **CHOSEN).status_code == 302
    stored = Workspace.objects.get(pk=workspace.pk)
    assert {name: stored.setting(name) for name in CHOSEN} == CHOSEN

    page = client.get(f"/w/{workspace.slug}/settings/").content.decode()
    assert 'name="activate_threshold" value="5"' in page
    assert 'name="w_fields" value="1.5"' in page

    save(client, alice, workspace, **dict.fromkeys(CHOSEN, ""))
    stored.refresh_from_db()
    assert {name: stored.setting(name) for name in CHOSEN} == {name: Workspace.DEFAULTS[name] for name in CHOSEN}


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_candidates": 0},
        {"min_confidence": 2},
        {"summary_cap": 1},
        {"w_bm25": -1},
        {"max_candidates": 30, "bm25_top_k": 10},
        {"w_bm25": 0, "w_keyword": 0, "w_graph": 0, "w_fields": 0, "w_text": 0},
    ],
)
def test_what_cannot_work_is_refused_with_its_reason(client, alice, workspace, wrong):
    answer = save(client, alice, workspace, **wrong)
    assert (answer.status_code, Workspace.objects.get(pk=workspace.pk).settings) == (422, {})
    assert 'class="wrong"' in answer.content.decode()
