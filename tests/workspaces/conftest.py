"""Shorthand for acting on the workspace's settings."""

import pytest


@pytest.fixture
def act(client, workspace):
    """Post to an address below the settings as somebody: `act(alice, "members/3/role/", role="viewer")`."""

    def post(user, path, /, **data):
        client.force_login(user)
        return client.post(f"/w/{workspace.slug}/settings/{path}", data)

    return post


@pytest.fixture
def page(client, workspace):
    """Look at a page of the settings as somebody."""

    def get(user, path=""):
        client.force_login(user)
        return client.get(f"/w/{workspace.slug}/settings/{path}")

    return get
