"""Where things stand on the page, measured: many citations, long names, every width."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from playwright.sync_api import expect

from tests.e2e.test_main_job import open_answered, upload
from tests.support.browser import UNFOLD
from tests.test_permissions import MATRIX, OWNER, world  # noqa: F401 (a fixture)

pytestmark = pytest.mark.e2e
WIDTHS = (360, 768, 1024, 1440)
MANY = 24
TITLE = "Agreement on the supply of piezoelectric ceramic elements for the years from 2024 to 2031, with annexes"
GROW = """([count, title]) => {
  const step = document.querySelector(".step[data-markers]");
  step.querySelector("details").open = true;
  const fill = (list, one) => {
    for (let number = list.querySelectorAll("[data-marker]").length; number < count; number++) {
      const copy = one.cloneNode(true);
      copy.dataset.marker = copy.textContent = number + 1;
      list.append(copy);
    }
  };
  fill(step.querySelector(".tabs-here"), step.querySelector(".tab"));
  fill(document.querySelector(".source .quotes"), document.querySelector(".source .quotes .cite"));
  document.querySelector("[data-source-title]").textContent = title;
}"""
OUTSIDE = """([inner, outer]) => [...document.querySelectorAll(inner)].filter((element) => {
  const box = element.getBoundingClientRect();
  const frame = element.closest(outer).getBoundingClientRect();
  return box.width === 0 || box.left < frame.left - 1 || box.right > frame.right + 1
    || box.right > document.documentElement.clientWidth + 1;
}).map((element) => `${element.className} ${element.textContent.trim().slice(0, 40)}`)"""


def outside(page, inner, outer):
    """Which elements have no width, or stand out of the one that holds them or of the window."""
    return page.evaluate(OUTSIDE, [inner, outer])


def too_wide(page):
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


@pytest.fixture
def many(signed_in, site):
    """The page of a run to whose first finding step and source pane citations were added."""
    page = signed_in
    open_answered(page, site, "How much free cash flow was there in 2024?")
    page.locator("#cite-2").wait_for(state="attached")
    page.evaluate(UNFOLD)
    page.evaluate(GROW, [MANY, TITLE])
    return page


def test_many_citations_leave_room_for_the_words_and_stay_on_the_screen(many):
    step = many.locator(".step[data-markers]").first
    for width in WIDTHS:
        many.set_viewport_size({"width": width, "height": 900})
        if width < 760:
            many.evaluate("location.hash = 'trace'")
            expect(step).to_be_visible()
        words, whole = (step.locator(which).first.bounding_box() for which in (".say > span:first-child", "summary"))
        assert words["width"] > 0.75 * whole["width"], width
        assert outside(many, ".step[data-markers] .tab", "summary") == [], width
        if width < 760:
            many.evaluate("location.hash = 'source'")
            expect(many.locator(".source .quotes")).to_be_visible()
        assert outside(many, ".source .quotes .cite", ".pane-head") == [], width
        title = many.locator("[data-source-title]").bounding_box()
        assert title["width"] > 120, width
        body = many.locator(".source .pane-body").bounding_box()
        chips = many.locator(".source .quotes").bounding_box()
        assert chips["y"] + chips["height"] <= body["y"] + 1, width
        assert too_wide(many) <= 0, width
        if width > 760:
            assert many.evaluate("document.documentElement.scrollHeight") <= 900, width


def test_the_list_of_documents_is_whole_at_every_width(signed_in, site, tmp_path):
    """A file name without spaces and a file that failed with a long reason, beside the others."""
    page = signed_in
    upload(page, site)
    named = tmp_path / f"{'exported_from_the_records_management_system_' * 2}final.txt"
    named.write_text("Minutes\n=======\n\nThe board met on 3 May.\n")
    cut = tmp_path / "cut-short.pdf"
    cut.write_bytes(b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog")
    page.set_input_files("input[type=file]", [str(named), str(cut)])
    rows = page.locator("#documents tr")
    expect(rows.filter(has_text="Minutes").locator("[data-status=ready]")).to_be_visible(timeout=30_000)
    expect(rows.filter(has_text="cut-short")).to_contain_text("failed", timeout=30_000)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert too_wide(page) <= 0, width
        assert page.locator("#main .table-wrap").evaluate("table => table.scrollWidth - table.clientWidth") <= 0, width
        assert outside(page, "#documents .title, #documents .stage", ".table-wrap") == [], width


def test_a_strip_of_tabs_begins_at_the_page_one_is_on(signed_in, site):
    signed_in.set_viewport_size({"width": 320, "height": 700})
    signed_in.goto(f"{site.address}/account/data/")
    expect(signed_in.locator("main nav [aria-current], main .tabs [aria-current]").first).to_be_in_viewport(ratio=0.9)


STYLES = (Path(settings.BASE_DIR) / "static" / "app.css").read_text()
LINKED = re.compile(r'<link rel="(?:stylesheet|preload|icon)"[^>]*>|<script.*?</script>', re.DOTALL)
TOO_WIDE = """() => {
  const page = document.documentElement;
  const wide = () => page.scrollWidth - page.clientWidth;
  const found = wide() > 0 ? [`page ${wide()}`] : [];
  for (const menu of document.querySelectorAll("details.menu")) {
    menu.open = true;
    const list = menu.querySelector(".list")?.getBoundingClientRect();
    const outside = list && list.width && (list.left < 0 || list.right > page.clientWidth + 1);
    if (outside || wide() > 0) found.push(`${menu.className}: ${list?.left} to ${list?.right}`);
    menu.open = false;
  }
  return found;
}"""


def shown_in(page, html: str) -> list[str]:
    """What is too wide of a page that is laid out by the style sheet alone, its menus opened one after the other."""
    page.set_content(LINKED.sub("", html).replace("</head>", f"<style>{STYLES}</style></head>"))
    return page.evaluate(TOO_WIDE)


def test_no_page_and_no_menu_of_a_page_is_wider_than_a_phone(client, world, page):  # noqa: F811
    owner = world.people[OWNER]
    owner.is_staff = owner.is_superuser = True
    owner.save()
    client.force_login(owner)
    page.set_viewport_size({"width": 320, "height": 700})
    wrong, seen = {}, 0
    for row in (row for row in MATRIX if row.method == "get"):
        response = client.get(world.address(row), row.data)
        if response.status_code == 200 and not response.streaming and b"<!doctype html" in response.content[:200]:
            seen += 1
            if found := shown_in(page, response.content.decode()):
                wrong[row.name] = found
    assert wrong == {}
    assert seen > 60
