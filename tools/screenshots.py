"""Pictures of every page in light, dark and at phone width, into ./screenshots.

    tools/screenshots.py [--url http://127.0.0.1:8000 --user demo --password ...] [--wide] [--audit]

Without --url a site of its own is started in a temporary folder. `--wide` adds 768 and 1920 px;
`--audit` runs axe-core on every page and fails on serious findings.
"""

import argparse
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 240
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
ERRORS = re.compile(r"favicon|status of 40[34]")


@dataclass(frozen=True)
class Look:
    """A way of looking at a page."""

    name: str
    width: int
    height: int
    scheme: str


LOOKS = [Look("light", 1440, 900, "light"), Look("dark", 1440, 900, "dark"), Look("phone", 390, 844, "light")]
WIDE = [Look("tablet", 768, 1024, "light"), Look("wide", 1920, 1080, "light")]


@dataclass(frozen=True)
class Site:
    """A running site and who signs in."""

    url: str
    user: str
    password: str


@contextmanager
def own_site(folder: str = "") -> Iterator[Site]:
    """Start a site in a temporary folder, or in one that is there, and stop it afterwards."""
    with tempfile.TemporaryDirectory(prefix="vw-look-") as made, socket.socket() as probe:
        folder = folder or made
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        environment = os.environ | {"VECTORLESS_VAR": folder, "PORT": str(port)}
        command = [sys.executable, str(ROOT / "manage.py"), "up"]
        process = subprocess.Popen(command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        try:
            _await_welcome(process)
            yield Site(f"http://127.0.0.1:{port}", "demo", (Path(folder) / "demo_password").read_text())
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)


def _await_welcome(process: "subprocess.Popen[str]") -> None:
    assert process.stdout is not None
    deadline = time.monotonic() + START_SECONDS
    for line in process.stdout:
        if "is ready at" in line:
            return
        if time.monotonic() > deadline:
            break
    raise SystemExit("The site did not start.")


def sign_in(context: BrowserContext, site: Site) -> None:
    """Sign in once for all pages of the context."""
    page = context.new_page()
    page.goto(f"{site.url}/accounts/login/")
    page.fill('[name="login"]', site.user)
    page.fill('[name="password"]', site.password)
    page.click('.gate [type="submit"]')
    page.wait_for_url(re.compile(r"^(?!.*login)"))
    page.close()


def found_pages(context: BrowserContext, site: Site) -> dict[str, str]:
    """The addresses of one page of every kind, by name."""
    page = context.new_page()
    page.goto(f"{site.url}/")
    slug = _first(page, r"/w/([^/]+)/") or "demo"
    place = f"/w/{slug}/"
    pages = {
        "home": "/",
        "workspace": place,
        "documents": f"{place}documents/",
        "runs": f"{place}runs/",
        "settings": f"{place}settings/",
        "members": f"{place}settings/members/",
        "models": f"{place}settings/models/",
        "meaning": f"{place}settings/models/meaning/",
        "budgets": f"{place}settings/budgets/",
        "danger": f"{place}settings/danger/",
        "new-workspace": "/workspaces/new/",
        "two-step": "/accounts/2fa/",
        "password": "/accounts/password/change/",
        "not-there": "/w/nowhere/",
    }
    pages |= _documents(page, site, place) | _runs(page, site, place)
    page.close()
    return pages


def _documents(page: Page, site: Site, place: str) -> dict[str, str]:
    page.goto(f"{site.url}{place}documents/")
    found = {}
    for link in page.query_selector_all("#documents .title a"):
        address, name = str(link.get_attribute("href")), (link.inner_text() or "").lower()
        kind = "document" if "report" in name else "document-text"
        found.setdefault(kind, address + "?page=2")
        found.setdefault(f"{kind}-words", address + "?find=revenue")
    return found


def _runs(page: Page, site: Site, place: str) -> dict[str, str]:
    found = {}
    for outcome in ("answered", "partial", "passages", "not_found", "failed", "cancelled"):
        page.goto(f"{site.url}{place}runs/?outcome={outcome}")
        link = page.query_selector(".rows a.main")
        if link:
            found[f"run-{outcome}"] = str(link.get_attribute("href"))
    if "run-answered" in found:
        found["run-trace"] = found["run-answered"] + "#trace"
        found["run-keys"] = found["run-answered"] + "#?"
        page.goto(site.url + found["run-answered"])
        found |= _related(page)
        found["run-source"] = found["run-answered"] + "#hit-1"
        found["print"] = found["run-answered"] + "export/print/"
    return found


def _related(page: Page) -> dict[str, str]:
    """Pages that a run leads to: its thread, the runs to compare it with, a comparison, the choice of documents."""
    kinds = {"thread": r'href="(/w/[^"]+/threads/\d+/)"', "compare-choice": r'href="(/w/[^"]+/compare/)"'}
    found = {name: address for name, pattern in kinds.items() if (address := _first(page, pattern))}
    found["choose"] = re.sub(r"runs/\d+/.*", "ask/documents/", urlsplit(page.url).path)
    if "compare-choice" in found:
        page.goto(urljoin(page.url, found["compare-choice"]))
        pair = _first(page, r'href="(/w/[^"]+/compare/\d+/)"')
        found |= {"compare": pair} if pair else {}
    return found


def _first(page: Page, pattern: str) -> str:
    match = re.search(pattern, page.content())
    return match.group(1) if match else ""


def visit(page: Page, address: str) -> list[str]:
    """Open a page and let it settle; what its console complains about."""
    complaints: list[str] = []
    page.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(address, wait_until="load")
    page.wait_for_timeout(400)
    if address.endswith("#?"):
        page.keyboard.press("?")
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return [line for line in complaints if not ERRORS.search(line)] + ([f"{wide} px too wide"] if wide > 0 else [])


def audit(page: Page, script: str) -> list[str]:
    """Serious findings of axe-core."""
    page.evaluate(script)
    found = page.evaluate("axe.run()")["violations"]
    serious = [row for row in found if row["impact"] in ("serious", "critical")]
    return [f"{row['id']}: {row['nodes'][0]['target']}" for row in serious]


def shoot(browser: Browser, site: Site, look: Look, folder: Path, script: str) -> list[str]:
    """All pages in one look; what is wrong with them."""
    options = {
        "viewport": {"width": look.width, "height": look.height},
        "color_scheme": look.scheme,
        "reduced_motion": "reduce",
        "bypass_csp": bool(script),
    }
    context = browser.new_context(**options)
    outside = {"sign-in": "/accounts/login/", "sign-up": "/accounts/signup/", "help": "/help/"}
    problems = _shoot_all(context, site, look, folder, script, outside)
    sign_in(context, site)
    problems += _shoot_all(context, site, look, folder, script, found_pages(context, site))
    context.close()
    return problems


def _shoot_all(
    context: BrowserContext, site: Site, look: Look, folder: Path, script: str, pages: dict[str, str]
) -> list[str]:
    problems = []
    for name, address in pages.items():
        page = context.new_page()
        wrong = visit(page, site.url + address)
        page.screenshot(path=str(folder / f"{name}-{look.name}.png"))
        wrong += audit(page, script) if script else []
        problems += [f"{name} ({look.name}): {line}" for line in wrong]
        page.close()
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url")
    parser.add_argument("--user", default="demo")
    parser.add_argument("--password", default=os.environ.get("VECTORLESS_PASSWORD", ""))
    parser.add_argument("--into", type=Path, default=ROOT / "screenshots")
    parser.add_argument("--wide", action="store_true")
    parser.add_argument("--audit", action="store_true")
    options = parser.parse_args()
    options.into.mkdir(exist_ok=True, parents=True)
    if options.url:
        return _take(Site(options.url.rstrip("/"), options.user, options.password), options)
    with own_site() as site:
        return _take(site, options)


def _take(site: Site, options: argparse.Namespace) -> int:
    script = files("axe_playwright_python").joinpath("axe.min.js").read_text() if options.audit else ""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        problems = []
        for look in LOOKS + (WIDE if options.wide else []):
            problems += shoot(browser, site, look, options.into, script)
        browser.close()
    print(f"{len(list(options.into.glob('*.png')))} pictures in {options.into}")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
