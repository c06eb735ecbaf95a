"""Watching a grid fill: changed cells arrive over the socket, many at once, and only what the viewer may see."""

import pytest

from tests.grids.conftest import cell_at
from tests.support.sockets import change
from vectorless_web.documents.models import Document, Folder
from vectorless_web.grids.models import Cell
from vectorless_web.grids.services import fill_grid
from vectorless_web.runs.jobs import execute_run
from vectorless_web.runs.models import Run
from vectorless_web.workspaces.models import Membership

pytestmark = [pytest.mark.one_database, pytest.mark.django_db(transaction=True), pytest.mark.asyncio]


@pytest.fixture
def watch(listen, grid):
    """The grid's socket, as somebody hears it, past what was made a moment ago."""

    async def opened(user):
        socket = await listen(user, f"grids/{grid.pk}/")
        await socket.receive_from(timeout=5)
        return socket

    return opened


def work_off() -> None:
    while (run := Run.objects.filter(status="queued").first()) is not None:
        execute_run(run.pk)


async def test_cells_arrive_many_at_once_with_the_progress(grid, bob, watch):
    socket = await watch(bob)

    await change(fill_grid, user=bob, grid=grid)
    started = await socket.receive_from(timeout=5)
    await change(work_off)
    filled = await socket.receive_from(timeout=5)

    assert started.count('class="cell running"') == 6
    assert "120,000 USD" in filled
    assert 'id="progress" hx-swap-oob="true"' in filled
    await socket.disconnect()


async def test_a_closed_document_s_cells_are_not_sent(grid, bob, workspace, leases, watch):
    hidden = await change(lambda: cell_at(grid, 1, 0).pk)
    socket = await watch(bob)

    def close_one() -> None:
        folder = Folder.objects.create(workspace=workspace, name="Board", restricted=True)
        Document.objects.filter(pk=leases[1].pk).update(folder=folder)
        fill_grid(user=bob, grid=grid)

    await change(close_one)
    html = await socket.receive_from(timeout=5)

    assert f'id="cell-{hidden}"' not in html
    assert html.count('class="cell ') == 4
    await socket.disconnect()


async def test_who_has_left_is_sent_nothing_more(grid, bob, workspace, watch):
    socket = await watch(bob)

    def leave() -> None:
        Membership.objects.filter(workspace=workspace, user=bob).delete()
        Cell.objects.update(state="running")
        fill_grid(user=workspace.created_by, grid=grid)

    await change(leave)

    assert (await socket.receive_output(timeout=6)) == {"type": "websocket.close", "code": 4403}
