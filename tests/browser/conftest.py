"""One Chromium for all tests in it: the built site on 127.0.0.1, every other host shut.

Without Chromium these tests are skipped; TILEWISE_BROWSER=required makes that an error.
TILEWISE_SITE names a site built before, so that one file runs in seconds.
"""

import os
from pathlib import Path

import pytest
from built import BASE
from filelock import FileLock
from quality.fonts import fonts
from release import chromium as system
from repository import ROOT

from ._sweep import Sweep
from ._windows import Windows

AXE = ROOT / "scripts/website/npm/node_modules/axe-core/axe.min.js"
ARGUMENTS = [*system.FLAGS, "--no-first-run", "--disable-sync"]
ARGUMENTS += ["--disable-background-networking", "--disable-component-update"]
ARGUMENTS += ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]


def pytest_collection_modifyitems(items):
    for item in items:
        if "tests/browser/" in Path(item.path).as_posix():
            item.add_marker(pytest.mark.browser)


class AtBoth(system.Quiet):
    """At the host's root, and where the site's address says: the page for errors.

    Beside it is axe-core, whose code Chromium keeps compiled where it has an address.
    """

    def translate_path(self, path):
        if path == f"/{AXE.name}":
            return str(AXE)
        return super().translate_path("/" + path.removeprefix(BASE))


@pytest.fixture(scope="session")
def address(site):
    """Where the built site is served: http://127.0.0.1:PORT/."""
    with system.served(site, AtBoth) as address:
        yield address


@pytest.fixture(scope="session")
def chromium():
    """The path of a Chromium of this machine."""
    path = system.find()
    if not path:
        message = "no Chromium found"
        if os.environ.get("TILEWISE_BROWSER") == "required":
            pytest.fail(message)
        pytest.skip(message)
    return path


@pytest.fixture(scope="session")
def environment(tmp_path_factory):
    """That of a Chromium which knows the fonts that the tests bring, and no others."""
    lock = tmp_path_factory.getbasetemp().parent / "fonts.lock"
    with FileLock(lock):  # one worker installs, the others wait
        fonts.install()
    path = fonts.configuration(tmp_path_factory.mktemp("fonts"))
    return {**os.environ, "FONTCONFIG_FILE": str(path)}


@pytest.fixture(scope="session")
def browser(chromium, environment):
    api = pytest.importorskip("playwright.sync_api")
    how = {"executable_path": chromium, "args": ARGUMENTS, "env": environment}
    with api.sync_playwright() as playwright:
        made = playwright.chromium.launch(**how)
        yield made
        made.close()


@pytest.fixture(scope="session")
def windows(browser, address):
    return Windows(browser, address)


@pytest.fixture
def visit(windows):
    """visit(file, javascript=True, ...) opens a page of the site, as Windows.open does.

    The page's .requested lists what it asked for. The test fails where a page wrote an
    error to the console, asked for another host, or a request failed.
    """
    taken = []

    def visit(file, *, javascript=True, **options):
        taken.append(windows.take(javascript))
        return windows.open(taken[-1], file, **options)

    yield visit
    wrong = [line for page in taken for line in page.wrong]
    for page in taken:
        page.context.close() if wrong else windows.give(page)
    assert wrong == []


RUN = """async ([within, runOnly]) => {
  for (const one of document.getAnimations())  // colours half way to the other scheme
    if (one instanceof CSSTransition) one.finish();
  const how = { resultTypes: ["violations"], ...(runOnly && { runOnly }) };
  const { violations } = await axe.run(within, how);
  return violations.map(({ id, help, nodes }) =>
    [id, help, nodes.slice(0, 3).map(({ html }) => html.slice(0, 200))]);
}"""
OF_COLOUR = ["color-contrast", "link-in-text-block"]
SCHEMES = """() => {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  return [!dark, dark];
}"""


@pytest.fixture(scope="session")
def engine(address):
    """Where axe-core is."""
    return address + AXE.name


@pytest.fixture
def axe(engine):
    """axe(page, within="article") asserts that axe-core finds no violation there."""

    def axe(page, within="article", rules=None):
        if not page.evaluate("typeof axe !== 'undefined'"):
            page.add_script_tag(url=engine)
        found = page.evaluate(RUN, [within, rules])
        assert found == []

    return axe


@pytest.fixture
def axe_both(axe):
    """axe_both(page, within="article"): in both colour schemes, the page's own last.

    In the other scheme what goes by colours, and nothing else is different there.
    """

    def both(page, within="article"):
        for dark, rules in zip(page.evaluate(SCHEMES), (OF_COLOUR, None), strict=True):
            page.emulate_media(color_scheme="dark" if dark else "light")
            name = "slate" if dark else "default"
            page.locator(f"body[data-md-color-scheme={name}]").wait_for()
            axe(page, within, rules)

    return both


@pytest.fixture
def fits():
    """fits(page) asserts that the page does not scroll sideways."""

    def fits(page):
        wide, room = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert wide <= room, f"{wide} px in {room}"

    return fits


@pytest.fixture(scope="module")
def sweep(windows, address, engine):
    """sweep(file) gives what is wrong with a page, in lines."""
    page = windows.take(True)
    yield Sweep(page, address, engine)
    windows.give(page)
