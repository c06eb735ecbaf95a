"""The bell: what it counts, what it opens, how its notices are read and muted, and its socket."""

import json

import pytest
from channels.db import database_sync_to_async
from channels.layers import channel_layers
from django.db import connections

from tests.notices.conftest import shown
from tests.support.sockets import socket_to
from vectorless_web.notices.live import BellConsumer
from vectorless_web.notices.models import Kind, Notice
from vectorless_web.notices.selectors import count_unread, notices_of
from vectorless_web.notices.services import notify
from vectorless_web.runs.services import add_comment

pytestmark = pytest.mark.django_db


@pytest.fixture
def mentioned(run, alice, bob):
    """Alice mentioned Bob twice; Bob's notices, newest first."""
    for text in ("Look, @bob", "Here, @bob"):
        add_comment(user=alice, run=run, text=text)
    return [each.notice for each in shown(bob)]


def test_a_notice_is_counted_until_what_it_is_about_is_looked_at(client, html, bob, alice, mentioned, workspace, run):
    assert "2 unread notices" in html(bob, f"/w/{workspace.slug}/")
    assert "No unread notices" in html(alice, f"/w/{workspace.slug}/")

    assert client.get(f"/notices/{mentioned[0].pk}/")["Location"] == "/notices/"
    client.post(f"/notices/{mentioned[0].pk}/read/")
    assert count_unread(bob) == 2

    client.force_login(bob)
    answer = client.get(f"/notices/{mentioned[0].pk}/")
    assert answer["Location"].endswith(f"/runs/{run.pk}/people/")
    assert count_unread(bob) == 1

    client.get(f"/w/{workspace.slug}/runs/{run.pk}/people/")
    assert count_unread(bob) == 0


def test_one_or_all_are_marked_as_read_and_stay_and_are_in_the_copy_of_ones_data(client, bob, mentioned, run):
    client.force_login(bob)
    client.post(f"/notices/{mentioned[0].pk}/read/")
    assert count_unread(bob) == 1
    panel = client.post("/notices/read/", headers={"HX-Request": "true"})
    assert b'id="bell-panel"' in panel.content and b"Mark all read" not in panel.content
    assert count_unread(bob) == 0 and len(shown(bob)) == 2

    client.force_login(bob)
    held = json.loads(client.get("/account/data/export/").content)["notices"]
    assert [(each["what"], each["of"]) for each in held] == [("alice mentioned you in a comment", run.question)] * 2


def test_the_list_goes_on_where_a_page_ended(client, bob, run, alice):
    for text in ("one", "two", "three"):
        add_comment(user=alice, run=run, text=text)
    first, following = notices_of(bob, limit=2)
    last, end = notices_of(bob, limit=2, before=following)
    assert (len(first), len(last), end) == (2, 1, None)
    client.force_login(bob)
    older = client.get(f"/notices/?before={following}").content.decode()
    assert f"/notices/{last[0].notice.pk}/" in older and f"/notices/{first[0].notice.pk}/" not in older


def test_no_mail_is_claimed_where_none_is_sent_and_a_muted_kind_is_not_given(client, html, bob, alice, run):
    text = html(bob, "/account/notices/")
    assert "This site sends no mail" in text and 'name="mail"' not in text

    client.post("/account/notices/save/", {"bell": [kind for kind in Kind if kind != Kind.COMMENTED]})
    add_comment(user=alice, run=run, text="Muted.")
    assert not Notice.objects.exists()
    add_comment(user=alice, run=run, text="Not muted, @bob.")
    assert count_unread(bob) == 1


@pytest.mark.django_db(transaction=True)
async def test_the_bell_changes_while_the_page_is_open(workspace, alice, bob, client, make_run, monkeypatch):
    channel_layers.backends.clear()
    monkeypatch.setattr(BellConsumer, "settle_seconds", 0.05)
    await database_sync_to_async(client.force_login)(bob)
    socket = socket_to("/ws/notices/", client)
    assert (await socket.connect(timeout=5))[0]
    assert "No unread notices" in await socket.receive_from(timeout=5)
    run = await database_sync_to_async(make_run)(status="answered")

    def mention() -> None:
        notify(people=[bob.pk], kind=Kind.RUN_ENDED, workspace_id=workspace.pk, about=run.pk)
        connections.close_all()

    await database_sync_to_async(mention)()
    html = await socket.receive_from(timeout=5)
    assert "1 unread notice" in html and run.question in html
    await socket.disconnect()
