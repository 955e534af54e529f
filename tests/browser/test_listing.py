"""Listings run in the page: by mouse, by keyboard, in both languages and schemes."""

import re

import pytest

from ._kept import alone, kept

WORDS = {"en": ("Run", "Stop", "Reset"), "zh": ("运行", "停止", "还原")}
SILENT, PRINTS = "softmax/safe-softmax.html", "flash-attention/tiling.html"
ERROR = "import math\n\nx = 1\nmath.sqrt('a') + x\n"


class Listing:
    """A listing of a page, by what its reader sees."""

    def __init__(self, page, words, at=0):
        self.page, self.words = page, words
        self.block = page.locator(".tw-run").nth(at)
        self.start = self.block.locator(".tw-start")
        self.status = self.block.get_by_role("status")
        self.field = self.block.get_by_role("textbox")
        self.shown = self.block.get_by_role("region")

    @property
    def reset(self):
        return self.block.get_by_role("button", name=self.words[2], exact=True)

    def wait(self, pattern):
        """Wait until the status says it."""
        self.status.filter(has_text=re.compile(pattern)).wait_for()

    def write(self, code):
        self.field.fill(code)
        self.field.press("Control+Enter")


def lang(file):
    return "zh" if file.startswith("zh/") else "en"


@pytest.fixture(scope="module")
def opened(windows):
    """Listings that print nothing, for one test after another."""
    with kept(windows, SILENT) as page:
        yield page


@pytest.fixture
def ran(opened):
    """ran(at=0) is a listing that ran once; at the end it is as it was."""
    made = []

    def ran(at=0):
        made.append(Listing(opened, WORDS["en"], at))
        made[0].start.click()
        made[0].wait("Done")
        return made[0]

    yield ran
    made[0].reset.click()


@pytest.fixture
def listing(visit):
    def listing(file, at=0, **how):
        return Listing(visit(file, **how), WORDS[lang(file)], at)

    return listing


def test_first_result_by_mouse(listing):
    one = listing(PRINTS)
    printed = one.page.locator(".tw-run + .output").first
    expected = printed.inner_text().strip()
    one.start.wait_for()
    one.start.click()
    one.wait("Done in")
    assert one.shown.inner_text().strip() == expected and printed.is_hidden()
    one.reset.click()
    assert printed.is_visible() and one.field.count() == 0 == one.shown.count()


def test_by_keyboard_alone(listing):
    one = listing(PRINTS)
    original = one.block.locator("code").first.inner_html()
    keys = one.page.keyboard
    one.start.focus()
    keys.press("Enter")
    one.wait("Done in")
    for _ in ("source", "copy", "code"):
        keys.press("Tab")
    assert one.field.evaluate("(x) => x === document.activeElement")
    keys.press("Control+A")
    keys.type("for x in range(2):  # two\nprint(x)\nprint(x + 5)")
    keys.press("Control+Enter")
    one.wait(r"Done in [\d.]+ s\.$")  # the first run's status says more
    assert one.field.input_value().endswith(":  # two\n    print(x)\n    print(x + 5)")
    assert one.shown.inner_text().split() == ["0", "5", "1", "6"]
    keys.press("Escape")
    assert one.start.evaluate("(x) => x === document.activeElement")
    for _ in ("source", "copy", "code", "output", "reset"):
        keys.press("Tab")
    keys.press("Space")
    assert one.block.locator("code").first.inner_html() == original
    assert one.start.evaluate("(x) => x === document.activeElement")


@pytest.mark.parametrize("file", [SILENT, f"zh/{SILENT}"])
def test_states(listing, axe, fits, file):
    """A loop without end, an error, much output, nothing printed: in both schemes."""
    dark = lang(file) == "zh"
    one = listing(file, width=360, dark=dark)
    alone(one.page, ".tw-run")
    one.start.click()
    one.wait(r"\d s|\d 秒")
    assert "naive_softmax" in one.shown.inner_text()
    fits(one.page)
    axe(one.page, ".tw-run")
    one.shown.get_by_role("button").click()
    one.shown.filter(has_text="0.1111111111111111, 0.2222222222222222").wait_for()
    one.write("while True: pass")
    assert one.start.inner_text() == one.words[1]
    one.start.click()
    one.wait("已停止" if dark else "Stopped")
    one.write(ERROR)
    one.wait("第 4 行：TypeError" if dark else "Line 4: TypeError")
    axe(one.page, ".tw-run")
    fits(one.page)
    one.write("for i in range(9000): print(i, '<b>&amp;')")
    one.shown.filter(has_text="20,000").wait_for()
    assert "0 <b>&amp;\n1 <b>&amp;" in one.shown.inner_text()
    axe(one.page, ".tw-run")
    fits(one.page)
    text = one.block.inner_text() + one.field.get_attribute("aria-label")
    other = ("Run", "Reset", "Stop", "Output", "Done") if dark else ("运行", "还原")
    assert not [word for word in other if word in text]


def test_an_error_marks_its_line(ran):
    one = ran()
    one.write(ERROR)
    one.wait("Line 4: TypeError")
    mark = one.block.locator(".tw-mark").bounding_box()
    field = one.field.bounding_box()
    line = one.block.locator("code").first.evaluate(
        "(x) => parseFloat(getComputedStyle(x).lineHeight)"
    )
    assert abs((mark["y"] - field["y"]) - 3 * line) < line
    one.field.press("Control+End")
    one.field.press("x")
    assert one.block.locator(".tw-mark").count() == 0


@pytest.mark.parametrize("width", [390, 1280])
def test_the_letters_lie_on_each_other(ran, width):
    """Field and coloured code have the same metrics, or the caret stands elsewhere."""
    one = ran(at=1)
    one.page.set_viewport_size({"width": width, "height": 900})
    names = "fontFamily fontSize lineHeight letterSpacing padding tabSize whiteSpace"
    style = """(x, names) => [
      ...names.split(" ").map((name) => getComputedStyle(x)[name]), x.scrollHeight]"""
    code = one.block.locator("code").first
    one.field.press("Control+End")
    one.field.press("Enter")
    assert code.evaluate(style, names) == one.field.evaluate(style, names)
    one.field.press_sequentially("x" * 300)
    assert code.evaluate("(x) => x.scrollLeft") > 900
    both = [code.element_handle(), one.field.element_handle()]
    # The code follows when the browser tells of the scrolling: with the next frame
    one.page.wait_for_function("([a, b]) => a.scrollLeft === b.scrollLeft", arg=both)


def test_what_is_copied_is_what_is_shown(ran):
    one = ran()
    one.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    one.write("print(1)\nprint(2)")
    one.shown.filter(has_text="2").wait_for()
    one.block.locator("[data-clipboard-target]").click()
    copied = one.page.evaluate("navigator.clipboard.readText()")
    assert copied == "print(1)\nprint(2)"
