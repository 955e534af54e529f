"""The sweep sees what is broken: each of its checks fails once, on a good page."""

import pytest

from ._sweep import AXE, RULES

PAGE = "softmax/safe-softmax.html"
ADD = """(text) => {
  const made = document.createElement("div");
  made.innerHTML = text;
  document.querySelector("article").append(made);
  window.mend = () => made.remove();
}"""
TABLE = "<table style='display: table; min-width: {}'><tr><td>x</td></tr></table>"
NARROW = ("<div style='width: 4em; overflow-x: auto'>", "</div>")
SEEN = {
    "the page is": "<p style='width: 3000px'>wide</p>",
    "text is cut off": "<p style='height: 9px; overflow: hidden'>under the edge</p>",
    "outside its drawing": "<svg viewBox='0 0 9 9'><text x='8' y='5'>out</text></svg>",
    "too wide": TABLE.format("2000px"),
    "scrolls, not by keyboard": TABLE.format("400px").join(NARROW),
    "not one h1": "<h1>Another</h1>",
    "skips a level": "<h2>Part</h2><h4>Chapter</h4>",
}
PRESSED = {
    "the focus does not show": "<a href='#' style='all: unset'>link</a>",
    "for the mouse alone": "<span role='button'>press</span>",
    "out of order": "<a href='#' tabindex='9'>first</a>",
    "the focus is out of sight": "<a href='#' style='position: fixed; top: 9px'>x</a>",
    "the last stop is not reached": "<a href='#' id='trap'>in</a><a href='#'>out</a>",
}
TRAP = """document.getElementById("trap")?.addEventListener("keydown",
  (event) => event.preventDefault())"""


@pytest.fixture(scope="module")
def opened(sweep):
    sweep.open(PAGE)
    return sweep


@pytest.fixture
def broken(opened):
    """broken(html) is the sweep on a page with something wrong in it."""

    def broken(html):
        opened.found = {}
        opened.page.evaluate(ADD, html)
        return opened

    yield broken
    opened.page.evaluate("mend()")


def has(sweep, start):
    return any(line.startswith(start) for line in sweep.found)


@pytest.mark.parametrize("start", SEEN)
def test_looks(broken, start):
    sweep = broken(SEEN[start])
    sweep.look(360, dark=False)
    assert has(sweep, start), sweep.found


@pytest.mark.parametrize("start", PRESSED)
def test_keys(broken, start):
    sweep = broken(PRESSED[start])
    sweep.page.evaluate(TRAP)
    sweep.keys(PAGE)
    assert has(sweep, start), sweep.found


def test_copies(broken):
    sweep = broken("")
    code = "document.querySelector('.highlight:not(.no-copy) code')"
    sweep.page.evaluate(f"{code}.insertAdjacentHTML('beforeend', '<i hidden>no</i>')")
    sweep.note(sweep.page.evaluate("sweep.copies()"))
    sweep.page.evaluate(f"{code}.querySelector('i').remove()")
    assert has(sweep, "copies ") and len(sweep.found) == 1


@pytest.mark.parametrize(
    "rule, html",
    [
        ("image-alt", "<img src='../assets/logo.svg'>"),
        ("color-contrast", "<p style='color: #777; background: #888'>grey</p>"),
        ("heading-order", "<h2>Part</h2><h5>Note</h5>"),  # a best practice
        (
            "target-size",
            "<p style='line-height: 1'><a href='#a'>i</a><br><a href='#b'>i</a></p>",
        ),
        ("aria-hidden-focus", "<p aria-hidden='true'><a href='#a'>link</a></p>"),
    ],
)
def test_axe(broken, engine, rule, html):
    sweep = broken(html)
    sweep.page.evaluate("sweep.strip(true)")
    sweep.page.add_script_tag(url=engine)
    sweep.note(sweep.page.evaluate(AXE, RULES))
    assert has(sweep, f"axe, {rule}"), sweep.found


@pytest.mark.parametrize(
    "asked, said",
    [("../nowhere.html", "404"), ("https://example.org/", "Security Policy")],
)
def test_requests(opened, asked, said):
    opened.found = {}
    opened.page.evaluate("(x) => fetch(x).catch(() => 0)", asked)
    opened.budget()
    opened.page.wrong.clear()
    assert any(said in line for line in opened.found)


def test_a_warning(opened):
    opened.found = {}
    opened.page.evaluate("console.warn('mind the gap')")
    opened.budget()
    opened.page.wrong.clear()
    assert any("mind the gap" in line for line in opened.found)
