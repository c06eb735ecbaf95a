"""Uploads, the chooser and a refused question in a real browser, and what the other tests here begin with."""

import re

import pypdfium2
import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import REPORT
from tests.support.browser import ENDED

pytestmark = pytest.mark.e2e
QUESTION = "What was capital expenditure in 2024 in USD millions?"


def upload(page, site):
    """Upload the report on the documents page and wait until it is ready, unless an earlier test did."""
    page.goto(f"{site.address}/w/demo/documents/")
    row = page.locator("tr[id^=document-]", has_text=re.compile("2024"))
    if not row.count():
        page.set_input_files("input[type=file]", str(REPORT))
        row.first.wait_for()
    expect(row.first.locator("[data-status=ready]")).to_be_visible(timeout=60_000)


def make_workspace(page, site, name):
    """Make a workspace; the address of its home."""
    page.goto(f"{site.address}/workspaces/new/")
    page.fill("input[name=name]", name)
    page.locator("main button[type=submit]").click()
    page.wait_for_url(re.compile(r"/w/[^/]+/$"))
    return page.url


def ask(page, site, question=QUESTION, address=""):
    page.goto(f"{address or site.address}/w/demo/")
    page.fill("#question", question)
    page.click("#ask button[type=submit]")
    page.wait_for_url(re.compile(r"/w/demo/runs/\d+/"))


def open_answered(page, site, question=QUESTION):
    """Open the run that answered a question: one for all tests that change nothing of it."""
    if question not in site.answered:
        upload(page, site)
        ask(page, site, question)
        expect(page.locator("#outcome")).to_contain_text(ENDED, timeout=60_000)
        site.answered[question] = page.url
    page.goto(site.answered[question])


def test_an_upload_changes_the_head_the_folders_and_its_own_line_without_a_reload(signed_in, site, tmp_path):
    page = signed_in
    page.goto(f"{site.address}/w/demo/documents/")
    page.evaluate("document.body.dataset.stayed = 'yes'")
    before = int(page.locator("#folder-count-all").inner_text())
    for number in (1, 2):
        letter = tmp_path / f"letter-{number}.txt"
        letter.write_text(f"Letter {number}\n========\n\nThe goods left on {number} May.\n")
        page.set_input_files("input[type=file]", str(letter))
        expect(page.locator("#documents-total")).to_contain_text(f"{before + number} in this workspace")
        expect(page.locator("#folder-count-all")).to_have_text(str(before + number))
        expect(page.locator("#uploads li", has_text=f"letter-{number}").locator("p")).to_have_text("Ready.")
    assert page.evaluate("document.body.dataset.stayed") == "yes"


def test_an_upload_that_is_too_large_is_told_why(signed_in, site, tmp_path):
    """The browser is still sending when the answer is there, and must not find a broken connection instead."""
    page = signed_in
    large = tmp_path / "large.txt"
    with large.open("wb") as file:
        file.truncate(60 * 2**20)
    page.goto(f"{site.address}/w/demo/documents/")
    page.evaluate("delete document.querySelector('form[data-begin]').dataset.begin")  # as a page that sends files whole
    page.set_input_files("input[type=file]", str(large))
    expect(page.locator("#uploads [data-state]")).to_contain_text("You sent 60 MB at once; the limit is 20 MB")


def test_what_no_site_reads_is_refused_before_it_is_sent(signed_in, site, tmp_path):
    page, sent = signed_in, []
    large, empty, program = (tmp_path / name for name in ("large.txt", "empty.txt", "tool.pdf"))
    with large.open("wb") as file:
        file.truncate(201 * 2**20)
    empty.touch()
    program.write_bytes(b"\x7fELF" + bytes(9 * 2**20))
    page.goto(f"{site.address}/w/demo/documents/")
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    page.set_input_files("#files", [str(large), str(empty), str(program)])
    rows = page.locator("#uploads li")
    expect(rows.filter(has_text="large.txt")).to_contain_text("larger than 200 MB")
    expect(rows.filter(has_text="empty.txt")).to_contain_text("This file is empty")
    expect(rows.filter(has_text="tool.pdf")).to_contain_text("a program, which cannot be read here")
    assert [url for url in sent if not url.endswith("/upload/begin/")] == []


def text_under(page, marker: int) -> str:
    """The words of the PDF under a highlight, from where its boxes lie over the page's picture on the screen."""
    hit = page.locator(f"#hit-{marker}")
    sheet = page.locator("figure.sheet", has=hit)
    number = int(sheet.get_attribute("data-page"))
    picture = sheet.locator("img").bounding_box()
    with_pdf = pypdfium2.PdfDocument(REPORT)
    pdf_page = with_pdf[number - 1]
    scale = pdf_page.get_width() / picture["width"]
    text_page = pdf_page.get_textpage()
    words = []
    for rect in hit.locator("rect").all():
        box = rect.bounding_box()
        left, top = (box["x"] - picture["x"]) * scale, (box["y"] - picture["y"]) * scale
        right, bottom = left + box["width"] * scale, top + box["height"] * scale
        height = pdf_page.get_height()
        words.append(text_page.get_text_bounded(left, height - bottom, right, height - top))
    return " ".join(words)


def squeezed(text: str) -> str:
    """Letters and digits alone."""
    return re.sub(r"[\W_]+", "", text).lower()


def test_the_chooser_shows_what_its_last_words_find_and_an_empty_question_is_refused_in_place(signed_in, site):
    page = signed_in
    upload(page, site)
    page.goto(f"{site.address}/w/demo/")
    held = []

    def hold(route):
        held.append(route)

    page.route(re.compile("ask/documents/.*q=zzz"), hold)
    page.locator("[data-choose] summary").first.click()
    box, found = page.locator("[data-find-choice]").first, page.locator("[data-choose] .scrolls").first
    box.press_sequentially("zzz")
    expect(found).to_have_class(re.compile("htmx-request"))
    box.fill("2024")
    expect(found).not_to_have_class(re.compile("htmx-request"))
    for route in held:
        route.fulfill(body="<p class=fact>No title has these.</p>")
    page.wait_for_timeout(500)
    expect(found.locator("input[name=documents]").first).to_be_visible()
    expect(found).not_to_contain_text("No title has")
    page.evaluate("document.querySelector('#question').removeAttribute('required')")
    with page.expect_response(lambda response: response.url.endswith("/ask/")) as answer:
        page.click("#ask button[type=submit]")
    assert answer.value.status == 422
    expect(page.locator("#ask [role=alert]")).to_be_visible()
