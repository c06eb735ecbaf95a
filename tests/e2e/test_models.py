"""Models in a browser: found on this machine, used in one click, watched while it is tried, removed and taken back."""

import json
import threading
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect
from werkzeug import Request, Response
from werkzeug.serving import make_server

from tests.e2e.test_main_job import make_workspace
from tests.support.model_server import ModelServer

pytestmark = pytest.mark.e2e

OVERTAKEN = """
let sent = 0;
let heard = 0;
const { send, addEventListener } = XMLHttpRequest.prototype;
XMLHttpRequest.prototype.send = function (body) {
  sent += 1;
  if (sent === 2) setTimeout(() => send.call(this, body), 1000);
  else send.call(this, body);
};
XMLHttpRequest.prototype.addEventListener = function (kind, act) {
  const late = kind === "load" && !heard++;
  addEventListener.call(this, kind, late ? (event) => setTimeout(() => act(event), 4000) : act);
};
"""
"""The answer to the first of two uploads comes after that to the second, as it happens on a busy machine."""


@pytest.fixture
def model_server(site) -> Iterator[None]:
    """A small model server at the port where the site looks for one; each reply takes a moment."""
    chats = ModelServer(seconds=0.3)

    @Request.application
    def answer(request: Request) -> Response:
        if request.path == "/v1/models":
            return Response(json.dumps({"data": [{"id": "tiny"}]}), content_type="application/json")
        return chats(request)

    server = make_server("127.0.0.1", site.model_port, answer, threaded=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield
    server.shutdown()
    thread.join(10)


def test_a_model_is_found_used_watched_removed_and_taken_back(signed_in, site, model_server):
    page = signed_in
    home = make_workspace(page, site, "Pier")
    use = page.get_by_role("button", name="Use tiny from Port")
    expect(use).to_be_visible(timeout=30_000)
    page.goto(f"{home}settings/models/")
    use.click()

    row = page.locator("[id^=provider-]", has_text="tiny")
    expect(row).to_contain_text("under way", timeout=30_000)
    expect(row.locator(".checks .done").first).to_be_visible()
    expect(row).to_contain_text("It suits every job", timeout=60_000)

    row.locator("summary", has_text="Remove").click()
    expect(row).to_contain_text("It answers the questions here.")
    page.get_by_role("button", name="Remove the model").click()
    undo = page.locator("#toasts").get_by_role("button", name="Undo")
    expect(undo).to_be_visible()
    expect(row).to_have_count(0)
    undo.focus()
    page.keyboard.press("Enter")
    expect(row).to_contain_text("It suits every job")

    # Taken away again: the questions of the other tests are answered without a model.
    row.locator("summary", has_text="Remove").click()
    page.get_by_role("button", name="Remove the model").click()
    expect(row).to_have_count(0)


def test_changed_files_become_versions_in_one_click_and_a_deletion_is_undone_from_its_toast(signed_in, site, tmp_path):
    page = signed_in
    home = make_workspace(page, site, "Quay")
    files = [tmp_path / name for name in ("dues.md", "berths.md")]

    def send(number: int) -> None:
        for file in files:
            file.write_text(f"# {file.stem}\n\nEdition {number} of {file.stem}.\n")
        page.goto(f"{home}documents/")
        page.set_input_files("#files", [str(file) for file in files])

    send(1)
    rows = page.locator("#documents tr", has=page.locator("[data-status=ready]"))
    expect(rows).to_have_count(2, timeout=60_000)
    page.add_init_script(OVERTAKEN)
    send(2)
    expect(page.locator("#uploads [data-cancel]")).to_have_count(0)
    page.get_by_role("button", name="All of these are new versions").click()
    expect(page.locator("#uploads")).to_contain_text("dues.md, as its new version")
    expect(page.locator("#same-names")).to_have_count(0)
    expect(rows.filter(has_text="version 2")).to_have_count(2, timeout=60_000)

    page.reload()
    for box in page.locator("input[name=documents]").all():
        box.check()
    page.locator("#many").get_by_role("button", name="Delete").click()
    page.locator("#toasts").get_by_role("button", name="Undo").click()
    expect(page.locator("#toasts")).to_contain_text("2 documents are back.")
    expect(rows).to_have_count(2)
