"""The page of a run as one instrument: its keys, what lights what, phone, no script, what is said aloud."""

import re
from itertools import pairwise

import pytest
from playwright.sync_api import expect

from tests.e2e.test_main_job import ask, open_answered, upload
from tests.support.browser import ENDED, UNFOLD

pytestmark = pytest.mark.e2e
QUESTION = "How much free cash flow was there in 2024?"
LISTEN = """() => {
  window.said = [];
  const heard = document.getElementById("heard");
  const note = () => said.push([performance.now(), heard.textContent]);
  new MutationObserver(note).observe(heard, { childList: true });
}"""
PHONE = {"width": 390, "height": 844}
ON, NEAR, LIT = re.compile(r"\bon\b"), re.compile(r"\bnear\b"), re.compile(r"\blit\b")


@pytest.fixture
def run(signed_in, site):
    """A finished run with a calculation over two quotes."""
    page = signed_in
    open_answered(page, site, QUESTION)
    page.locator("#cite-2").wait_for(state="attached")
    page.evaluate(UNFOLD)
    return page


def focused_step(page):
    return page.evaluate("document.activeElement.closest('.step')?.id ?? ''")


def finder(page):
    """The step that found the first quote, and a page it read that the map shows."""
    step = page.locator(".step[data-markers]").first
    return step, page.locator("#cite-1").get_attribute("data-place")


def test_keys_walk_the_steps_and_the_citations_and_escape_goes_back_to_the_answer(run):
    run.keyboard.press("j")
    first = focused_step(run)
    run.keyboard.press("j")
    second = focused_step(run)
    assert first and second and first != second
    run.keyboard.press("k")
    assert focused_step(run) == first
    run.keyboard.press("]")
    expect(run.locator("#claims .cite.on").first).to_have_attribute("data-marker", "2")
    expect(run.locator("#hit-2")).to_have_class(ON)
    run.keyboard.press("[")
    expect(run.locator("#claims .cite.on").first).to_have_attribute("data-marker", "1")
    run.keyboard.press("2")
    expect(run.locator("#quote-now [data-now-marker]")).to_have_text("2")
    run.keyboard.press("Escape")
    expect(run.locator(".cite.on")).to_have_count(0)
    expect(run.locator("#answer .pane-body")).to_be_focused()


def test_keys_copy_the_sentence_with_its_citations_and_the_quote(run):
    run.context.grant_permissions(["clipboard-read", "clipboard-write"])
    run.keyboard.press("c")
    expect(run.locator("#toasts[role=status] .toast", has_text="Copied")).to_be_visible()
    copied = run.evaluate("navigator.clipboard.readText()")
    assert run.locator(".claim.lit .said").inner_text() in copied
    assert "[1] “" in copied and re.search(r"\(.*p\.\s\d+.*\)", copied)
    run.keyboard.press("y")
    expect(run.locator("#toasts .toast", has_text="Quote copied")).to_be_visible()
    assert run.evaluate("navigator.clipboard.readText()").startswith("“")


def test_keys_rest_while_somebody_types_or_holds_a_modifier(run):
    run.keyboard.press("/")
    expect(run.locator("#top-search")).to_be_focused()
    run.keyboard.press("Escape")
    run.keyboard.press("a")
    expect(run.locator("#question")).to_be_focused()
    run.keyboard.type("jk[]2?")
    assert run.locator("#question").input_value() == "jk[]2?"
    assert not run.locator("#keys-list").is_visible()
    run.keyboard.press("Escape")
    run.keyboard.press("Control+j")
    run.keyboard.press("Alt+2")
    assert focused_step(run) == ""
    expect(run.locator("#claims .cite.on").first).to_have_attribute("data-marker", "1")


def test_the_keys_are_listed_over_the_page_and_work_with_a_menu_open(run):
    run.keyboard.press("?")
    listed = run.locator("#keys-list")
    expect(listed).to_be_visible()
    for key in ("j", "k", "[", "]", "1", "o", "c", "y", "s", "/", "?", "Esc"):
        assert listed.locator("kbd", has_text=re.compile(f"^{re.escape(key)}$")).count()
    run.keyboard.press("j")
    assert focused_step(run) == ""
    run.keyboard.press("Escape")
    expect(listed).not_to_be_visible()
    menu = run.locator("#run-acts details.menu").last
    menu.locator("summary").click()
    run.keyboard.press("j")
    assert focused_step(run)
    assert menu.get_attribute("open") is None
    menu.locator("summary").click()
    run.keyboard.press("Escape")
    assert menu.get_attribute("open") is None
    run.keyboard.press("o")
    run.wait_for_url(re.compile(r"/documents/\d+/\?page=\d+"))


def test_whatever_is_looked_at_lights_all_that_belongs_to_it(run):
    step, place = finder(run)
    cites = ("#claims .cite[data-marker='1']", "#quotes .cite[data-marker='1']")
    areas = (".claim .said", f".map rect[data-place='{place}']", f".sheet[data-place='{place}'] img")
    both = (*cites, ".step[data-markers] > details > summary")
    looks = [(where, how) for where in both for how in ("hover", "focus")]
    for where, how in [*looks, *((area, "hover") for area in areas), ("#hit-1", "hover")]:
        run.mouse.move(0, 0)
        run.locator("#answer .pane-body").focus()
        aimed = {"force": True, "position": {"x": 2, "y": 2}} if where in areas else {}
        aimed = {"force": True} if where == "#hit-1" else aimed  # Words that can be selected lie over it.
        getattr(run.locator(where).first, how)(**aimed)
        for lit in (".claim", "#cite-1", "#hit-1", f".map rect[data-place='{place}']"):
            expect(run.locator(lit).first, where).to_have_class(NEAR)
        expect(step, where).to_have_class(NEAR)
        if where in both:
            expect(run.locator(".map .knot.near").first, where).to_be_visible()


def test_the_map_is_read_as_a_list_too_and_a_raw_step_is_fetched_when_it_is_opened(run):
    legend = run.locator(".map[open] .legend").first
    legend.locator("summary").click()
    expect(legend.locator(".keys")).to_contain_text("turned back")
    link = legend.locator("a[data-sheet]").first
    link.focus()
    assert run.locator(".map rect.near").count() >= 1
    link.press("Enter")
    expect(run.locator("#sheets .sheet").first).to_be_visible()
    step = run.locator("#steps .step").first
    step.locator("summary").first.click()
    assert step.locator("pre").count() == 0
    step.locator("details.raw > summary").click()
    expect(step.locator("pre")).to_contain_text('"kind": "route"')


def test_on_a_phone_a_citation_opens_its_page_and_back_returns_to_the_sentence(run):
    run.set_viewport_size(PHONE)
    run.goto(run.url.split("#")[0])
    cite = run.locator("#claims .cite").first
    cite.click()
    expect(run.locator("#hit-1")).to_be_visible()
    expect(run.locator("#answer")).not_to_be_visible()
    run.go_back()
    expect(cite).to_be_in_viewport()
    run.locator(".pane-tabs a", has_text="Trace").click()
    expect(run.locator("#steps .step").first).to_be_visible()


def test_without_a_script_everything_is_there(run, browser):
    context = browser.new_context(
        storage_state=run.context.storage_state(), java_script_enabled=False, viewport={"width": 1440, "height": 900}
    )
    plain = context.new_page()
    plain.goto(run.url.split("#")[0])
    expect(plain.locator(".claim .said").first).to_be_visible()
    expect(plain.locator("#sheets .sheet img").first).to_be_visible()
    expect(plain.locator("#steps .step").first).to_be_visible()
    plain.locator("#claims .cite").first.click()
    assert plain.url.endswith("#hit-1")
    plain.set_viewport_size(PHONE)
    expect(plain.locator("#hit-1")).to_be_visible()
    expect(plain.locator(".pane-tabs a", has_text="Answer")).to_be_visible()
    context.close()


def test_steps_are_said_politely_one_a_second_and_the_reader_keeps_the_place(signed_in, site):
    page = signed_in
    upload(page, site)
    site.pause(0.25)
    ask(page, site, QUESTION)
    page.evaluate(LISTEN)
    page.locator("#steps .step.done").first.wait_for()
    page.locator("#source .pane-body").focus()
    expect(page.locator("#outcome")).to_contain_text(ENDED, timeout=30_000)
    told = page.evaluate("said")
    assert told and all(text.startswith("Step ") for _, text in told)
    assert all(after[0] - before[0] >= 950 for before, after in pairwise(told))
    assert page.evaluate("document.activeElement.closest('#source') !== null")
    assert page.get_attribute("#steps", "aria-live") is None
