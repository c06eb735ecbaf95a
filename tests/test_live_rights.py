"""Open websockets end soon after the right to them: sign-out, another password, a closed account, a lost membership."""

import asyncio

import pytest
from channels.db import database_sync_to_async
from channels.layers import channel_layers
from django.contrib.auth import get_user_model
from django.db import connections
from django.test import Client

from tests.conftest import make_user
from tests.support.sockets import socket_to
from vectorless_web.workspaces.accounts import live_rights
from vectorless_web.workspaces.models import Membership, Role

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.asyncio]

REFUSED = 4403


def sign_out(user, browser: Client) -> None:
    browser.post("/accounts/logout/")


def change_password(user, browser: Client) -> None:
    user.set_password("another long pass phrase")
    user.save()


def deactivate(user, browser: Client) -> None:
    get_user_model().objects.filter(pk=user.pk).update(is_active=False)


def put_out(user, browser: Client) -> None:
    Membership.objects.filter(user=user).delete()


def do_nothing(user, browser: Client) -> None:
    assert browser.get("/help/").status_code == 200


ACTS = {act.__name__: act for act in (sign_out, change_password, deactivate, put_out, do_nothing)}


@database_sync_to_async
def enter(workspace, names) -> dict:
    """Members of these names, each with a browser in which they are signed in."""
    people = {}
    for name in names:
        user, browser = make_user(get_user_model(), name), Client()
        Membership.objects.create(workspace=workspace, user=user, role=Role.MEMBER)
        browser.force_login(user)
        people[name] = (user, browser)
    connections.close_all()
    return people


@database_sync_to_async
def act(people) -> None:
    for name, (user, browser) in people.items():
        ACTS[name](user, browser)
    connections.close_all()


async def test_a_socket_ends_with_the_right_to_it(workspace, monkeypatch):
    channel_layers.backends.clear()
    monkeypatch.setattr(live_rights.watch, "seconds", 0.2)
    people = await enter(workspace, ACTS)
    sockets = {
        name: socket_to(f"/ws/w/{workspace.slug}/documents/", browser) for name, (_user, browser) in people.items()
    }
    for socket in sockets.values():
        assert (await socket.connect(timeout=5))[0]
    await asyncio.sleep(0.5)
    await act(people)
    stays = sockets.pop("do_nothing")
    for name, socket in sockets.items():
        assert await socket.receive_output(timeout=5) == {"type": "websocket.close", "code": REFUSED}, name
    assert await stays.receive_nothing(timeout=0.6)
    for socket in (*sockets.values(), stays):
        await socket.disconnect(timeout=5)
    assert not live_rights.watch._connections
