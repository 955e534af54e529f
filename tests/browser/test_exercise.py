"""Exercises in the page: by mouse, by keyboard, with wrong, endless, hostile code."""

import pytest

from tilewise.exercises import NAMES, load
from tilewise.live.grade import check
from tilewise.render.exercise import solution, start, words

from ._windows import THROUGH

PAGE = "reference/exercises.html"
CHANGED = "tw-exercise[name=merge], tw-progress"  # by what is done in a test
SOME = {"en": "3 of 6 checks pass.", "zh": "6 项检查通过了 3 项。"}
GRADE = """async (asked) => {
  const { ask } = await import(new URL('/assets/js/runtime.js', location));
  return Promise.all(asked.map((x) => ask("grade", x)));
}"""


class Exercise:
    """One exercise of a page, as a reader sees it."""

    def __init__(self, page, name):
        self.page, self.whole = page, page.locator(f"tw-exercise[name={name}]")
        self.code = self.whole.get_by_role("textbox")
        self.go, self.reset = (self.whole.get_by_role("button").nth(i) for i in (0, 1))
        self.status = self.whole.get_by_role("status")
        self.code.wait_for()

    def check(self, code):
        self.code.fill(code)
        self.go.click()
        return self.settled()

    def settled(self):
        """What the status says once the checks are done."""
        busy = "(e) => !/…/.test(e.querySelector('[role=status]').textContent)"
        self.page.wait_for_function(busy, arg=self.whole.element_handle())
        return self.status.inner_text()

    def marks(self):
        """How many checks passed and failed."""
        return [self.whole.locator(x).count() for x in (".tw-passed", ".tw-failed")]


def wrong(name, i=0):
    """A wrong solution that looks right, under the name that is asked for."""
    exercise = load(name)
    module, function = f"tilewise.exercises.{name}", exercise.WRONG[i].__name__
    return f"from {module} import {function} as {exercise.SOLUTION.__name__}"


@pytest.mark.parametrize(
    ("lang", "dark", "width"), [("en", False, 1280), ("zh", True, 360)]
)
def test_wrong_then_right(visit, axe, fits, lang, dark, width):
    file = PAGE if lang == "en" else f"zh/{PAGE}"
    page = visit(file, dark=dark, width=width)
    it = Exercise(page, "merge")
    assert it.code.input_value() == start("merge")
    axe(page)
    assert it.check(wrong("merge", 1) + "\nprint('<b>hi</b>')") == SOME[lang]
    assert it.marks() == [3, 3]
    failed = it.whole.locator(".tw-failed").first.inner_text()
    assert "4.95" in failed and words("merge", lang)["checks"]["example"] in failed
    axe(page, CHANGED)
    fits(page)
    it.check(solution("merge"))
    assert it.marks() == [6, 0]
    axe(page, CHANGED)
    line = page.locator("tw-progress").get_by_role("status")
    assert {"en": "Solved: 1 of", "zh": "做对了 1 题"}[lang] in line.inner_text()
    page.reload()
    page.evaluate(THROUGH)
    it = Exercise(page, "merge")
    assert it.code.input_value() == solution("merge")
    assert page.locator("tw-progress .tw-passed").count() == 1
    page.locator("tw-progress").get_by_role("button").click()
    assert page.locator("tw-progress .tw-passed").count() == 0
    assert it.code.input_value() == start("merge")
    page.wait_for_timeout(300)  # past the time after which code is kept
    assert page.evaluate("localStorage.getItem('tilewise-exercises')") is None


def test_by_keyboard(visit, axe):
    """Write, check, read the hints one after the other, leave the field."""
    page = visit("why/standard-attention.html")
    it = Exercise(page, "traffic_standard")
    it.code.fill("")
    it.code.press_sequentially("def traffic_standard(n_q, n_k, d):\n")
    it.code.press_sequentially("if True: # a block\nq, k = n_q * d, n_k * d\n")
    it.code.press_sequentially("return 2 * q + 2 * k + 4 * n_q * n_k")
    assert it.code.input_value().splitlines()[2:] == [
        "        q, k = n_q * d, n_k * d",
        "        return 2 * q + 2 * k + 4 * n_q * n_k",
    ]
    page.keyboard.press("Control+Enter")
    assert it.settled() == "Solved: all 4 checks pass."
    page.keyboard.press("Escape")
    assert it.go.evaluate("(e) => e === document.activeElement")
    hints = it.whole.locator(".tw-hint")
    assert [hints.nth(i).is_visible() for i in (0, 1)] == [True, False]
    for _ in range(2):
        page.keyboard.press("Tab")  # Start over, what is checked
    assert it.whole.locator(".tw-checks summary").evaluate(
        "(e) => e === document.activeElement"
    )
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    hints.nth(1).wait_for()
    axe(page, "tw-exercise")
    it.reset.focus()
    page.keyboard.press("Enter")
    assert it.code.input_value() == start("traffic_standard") and it.marks() == [0, 0]


def test_endless_code_is_stopped(visit, axe):
    page = visit("softmax/merging.html")
    it = Exercise(page, "merge")
    it.code.fill("def merge(a, b):\n    while True: pass")
    it.go.click()
    assert it.go.inner_text() == "Stop" and it.status.inner_text() == "Checking …"
    it.go.click()
    assert it.settled() == "Stopped." and it.go.inner_text() == "Check"
    it.go.click()
    axe(page, within="tw-exercise")
    if it.go.inner_text() == "Stop":  # it has 10 seconds, and axe may take longer
        it.go.click()
    assert it.settled().startswith("Stopped")
    assert it.check(solution("merge")) == "Solved: all 6 checks pass."


HOSTILE = [
    ("def merge(a, b)\n  pass", "SyntaxError"),
    ("1 / 0", "ZeroDivisionError"),
    ("", "no function merge"),
    ("x = '<img src=x onerror=alert(1)>'\nraise ValueError(x)", "<img src=x"),
    ("import sys; sys.exit()", "SystemExit"),
    ("import tilewise.softmax as s; s.weight = 1\nmerge = 1", "no function"),
    (
        "import tilewise.exercises.merge as m; m.cases = m.SOLUTION = None; 1 / 0",
        "Zero",
    ),
    ("#" * 20001, "20000"),
]


def test_hostile_code(visit, axe, fits):
    page = visit(PAGE, width=360)
    it = Exercise(page, "merge")
    for code, said in HOSTILE:
        it.check(code)
        assert said in it.whole.inner_text(), code[:80]
        assert it.whole.locator("img, script").count() == 0
    axe(page, CHANGED)
    it.check("def merge(a, b):\n    x = [0]\n    while True: x = x + x")
    assert it.marks() != [6, 0]
    assert it.check(solution("merge")) == "Solved: all 6 checks pass."
    it.check("def merge(a, b): return ['<b>' * 999] * 3")
    assert it.marks() == [0, 6] and it.whole.locator(".tw-failed b").count() == 0
    fits(page)


KEPT = ["nonsense", "null", "3", '{"merge": 3}', '{"merge": {"code": 5}}', "[1]"]


def test_whatever_the_browser_kept(visit):
    page = visit(PAGE)
    for kept in KEPT:
        Exercise(page, "merge")
        page.evaluate("(x) => localStorage.setItem('tilewise-exercises', x)", kept)
        page.reload()
        page.evaluate(THROUGH)
        assert Exercise(page, "merge").code.input_value() == start("merge"), kept
        assert f"Solved: 0 of {len(NAMES)}" in page.locator("tw-progress").inner_text()


def test_a_browser_that_keeps_nothing(visit):
    page = visit("softmax/merging.html")
    page.evaluate("() => { Storage.prototype.setItem = () => { throw Error('full') } }")
    it = Exercise(page, "merge")
    assert it.check(solution("merge")) == "Solved: all 6 checks pass."


def test_every_solution_passes_here(visit):
    """tests/live compares all grades with CPython's."""
    asked = [{"name": x, "source": solution(x), "lang": "en"} for x in NAMES]
    here = visit("index.html").evaluate(GRADE, asked)
    assert here == [check(one) for one in asked]
    assert all(found["passed"] for found in here)
