"""What the tests of notices share: a run of Bob's, and what the bell shows somebody."""

import pytest

from tests.runs.conftest import make_run, report  # noqa: F401 - fixtures
from vectorless_web.notices.selectors import ShownNotice, notices_of
from vectorless_web.workspaces.selectors import workspace_for


@pytest.fixture
def run(make_run, alice, bob, workspace):  # noqa: F811
    """A question of Bob's that was answered, as a member's page fetches it."""
    made = make_run(status="answered")
    made.workspace = workspace_for(bob, workspace.slug)
    return made


@pytest.fixture
def told():
    """The sentences and names that the bell holds for somebody, newest first."""

    def tell(user) -> list[tuple[str, str]]:
        return [(each.told.sentence, each.told.name) for each in shown(user)]

    return tell


def shown(user) -> list[ShownNotice]:
    return notices_of(user)[0]
