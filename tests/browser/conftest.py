"""One Chromium for all tests in it: the built site on 127.0.0.1, every other host shut.

Without Chromium these tests are skipped; TILEWISE_BROWSER=required makes that an error.
TILEWISE_SITE names a site built before, so that one file runs in seconds.
"""

import os
import shutil
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
AXE = ROOT / "scripts/web/node_modules/axe-core/axe.min.js"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"]
ARGUMENTS += ["--disable-background-networking", "--disable-component-update"]


def pytest_collection_modifyitems(items):
    for item in items:
        if "tests/browser/" in Path(item.path).as_posix():
            item.add_marker(pytest.mark.browser)


class Quiet(SimpleHTTPRequestHandler):
    """Serves the site without a line for each request."""

    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def address(site):
    """Where the built site is served: http://127.0.0.1:PORT/."""
    handler = partial(Quiet, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="session")
def browser():
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if not path:
        message = "no Chromium found"
        if os.environ.get("TILEWISE_BROWSER") == "required":
            pytest.fail(message)
        pytest.skip(message)
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield made
        made.close()


def watch(page, wrong, address):
    """Note what the page asks for, and whatever goes wrong in it."""

    def heard(line):
        if line.type in ("error", "warning"):
            wrong.append(f"{page.url}: {line.text}")

    def refuse(route):
        wrong.append(f"another host: {route.request.url}")
        route.abort()

    page.requested = []
    page.on("request", lambda request: page.requested.append(request.url))
    page.on("pageerror", lambda error: wrong.append(f"{page.url}: {error}"))
    page.on("console", heard)
    page.on("requestfailed", lambda r: wrong.append(f"{r.url}: {r.failure}"))
    page.route(lambda url: not url.startswith((address, "blob:", "data:")), refuse)


THROUGH = """async () => {  // widgets come when they are near
  for (const one of document.querySelectorAll(".tw-widget, .tw-run, tw-exercise")) {
    one.scrollIntoView({ block: "center" });
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  }
  scrollTo(0, 0);
}"""


def manner(dark=False, width=1280, still=False, javascript=True):
    """How a page is looked at, in Playwright's words; still is reduced motion."""
    return {
        "viewport": {"width": width, "height": 900},
        "color_scheme": "dark" if dark else "light",
        "reduced_motion": "reduce" if still else "no-preference",
        "java_script_enabled": javascript,
    }


@pytest.fixture
def visit(browser, address):
    """visit(file, dark=False, width=1280, still=False) opens a page of the site.

    It is scrolled through once, unless scroll=False. The page's .requested lists what
    it asked for. The test fails where a page wrote an error to the console, asked for
    another host, or a request failed.
    """
    contexts, wrong = [], []

    def visit(file, *, scroll=True, **how):
        context = browser.new_context(**manner(**how))
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15000)
        watch(page, wrong, address)
        if scroll:
            page.add_init_script(f"addEventListener('load', {THROUGH})")
        page.goto(address + file)
        return page

    yield visit
    for context in contexts:
        context.close()
    assert wrong == []


@pytest.fixture
def axe():
    """axe(page, within="article") asserts that axe-core finds no violation there."""

    def axe(page, within="article"):
        if not page.evaluate("typeof axe !== 'undefined'"):
            page.evaluate(f"() => {{ {AXE.read_text('utf-8')} }}")  # past the CSP
        found = page.evaluate("(within) => axe.run(within)", within)
        assert [
            (x["id"], x["help"], [n["html"][:200] for n in x["nodes"]][:3])
            for x in found["violations"]
        ] == []

    return axe


@pytest.fixture
def fits():
    """fits(page) asserts that the page does not scroll sideways."""

    def fits(page):
        wide, room = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert wide <= room, f"{wide} px in {room}"

    return fits
