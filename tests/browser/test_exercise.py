"""Exercises in the page: by mouse, by keyboard, with wrong, endless, hostile code."""

import pytest

from tilewise.exercises import NAMES
from tilewise.live.grade import check
from tilewise.render.exercise import solution, start, words
from tilewise.render.exercise import wrong as sources

from ._exercise import CHANGED, MERGING, NAMED, PAGE, Exercise
from ._kept import again, alone, kept
from ._windows import THROUGH

SOME = {"en": "3 of 6 checks pass.", "zh": "6 项检查通过了 3 项。"}
GRADE = """async (asked) => {
  const { ask } = await import(new URL('/assets/js/runtime.js', location));
  return Promise.all(asked.map((x) => ask("grade", x)));
}"""


def wrong(name, i=0):
    """The source of a wrong solution that looks right."""
    return list(sources(name).values())[i][1]


@pytest.fixture(scope="module")
def opened(windows):
    """An exercise alone on a narrow page, where one test after another tries it."""
    with kept(windows, MERGING, width=360) as page:
        alone(page, NAMED)
        yield page


@pytest.fixture
def it(opened):
    """The exercise as if nobody had been there."""
    opened.evaluate("localStorage.clear()")
    again(opened, NAMED)
    return Exercise(opened, "merge")


def test_wrong_then_right(visit, axe, fits):
    page = visit(PAGE)
    alone(page, CHANGED)
    it = Exercise(page, "merge")
    assert it.code.input_value() == start("merge")
    assert it.check(wrong("merge", 1) + "\nprint('<b>hi</b>')") == SOME["en"]
    assert it.marks() == [3, 3]
    failed = it.whole.locator(".tw-failed").first.inner_text()
    assert "4.95" in failed and words("merge", "en")["checks"]["example"] in failed
    it.check(solution("merge"))
    assert it.marks() == [6, 0]
    line = page.locator("tw-progress").get_by_role("status")
    assert "Solved: 1 of" in line.inner_text()
    axe(page, CHANGED)
    fits(page)
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


def test_in_chinese(visit, axe, fits):
    """Its words, in the dark on a phone; the scripts are those of the English page."""
    page = visit(f"zh/{PAGE}", dark=True, width=360)
    alone(page, CHANGED)
    it = Exercise(page, "merge")
    assert it.check(wrong("merge", 1) + "\nprint('<b>hi</b>')") == SOME["zh"]
    assert it.marks() == [3, 3]
    failed = it.whole.locator(".tw-failed").first.inner_text()
    assert "4.95" in failed and words("merge", "zh")["checks"]["example"] in failed
    axe(page, CHANGED)
    fits(page)
    it.check(solution("merge"))
    line = page.locator("tw-progress").get_by_role("status")
    assert "做对了 1 题" in line.inner_text()
    assert it.reset.inner_text() == "重新开始"
    it.reset.click()
    assert it.reset.inner_text() == "恢复我的代码" and it.marks() == [0, 0]


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
    axe(page, alone(page, "tw-exercise"))
    it.reset.focus()
    page.keyboard.press("Enter")
    assert it.code.input_value() == start("traffic_standard") and it.marks() == [0, 0]


def test_endless_code_is_stopped(it, axe):
    it.code.fill("def merge(a, b):\n    while True: pass")
    it.go.click()
    assert it.go.inner_text() == "Stop" and it.status.inner_text() == "Checking …"
    it.go.click()
    assert it.settled() == "Stopped." and it.go.inner_text() == "Check"
    it.go.click()
    axe(it.page, NAMED)
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


def test_hostile_code(it, axe, fits):
    for code, said in HOSTILE:
        it.check(code)
        assert said in it.whole.inner_text(), code[:80]
        assert it.whole.locator("img, script").count() == 0
    fits(it.page)
    it.check("def merge(a, b):\n    x = [0]\n    while True: x = x + x")
    assert it.marks() != [6, 0]
    assert it.check(solution("merge")) == "Solved: all 6 checks pass."
    it.check("def merge(a, b): return ['<b>' * 999] * 3")
    assert it.marks() == [0, 6] and it.whole.locator(".tw-failed b").count() == 0
    fits(it.page)
    axe(it.page, NAMED)


KEPT = ["nonsense", "null", "3", '{"merge": 3}', '{"merge": {"code": 5}}', "[1]"]


def test_whatever_the_browser_kept(visit):
    page = visit(PAGE)
    for text in KEPT:
        page.evaluate("(x) => localStorage.setItem('tilewise-exercises', x)", text)
        for name in CHANGED.split(", "):
            again(page, name)
        assert Exercise(page, "merge").code.input_value() == start("merge"), text
        assert f"Solved: 0 of {len(NAMES)}" in page.locator("tw-progress").inner_text()


FULL = """() => {
  const { setItem } = Storage.prototype;
  Storage.prototype.setItem = () => { throw Error("full") };
  window.mend = () => Object.assign(Storage.prototype, { setItem });
}"""


def test_a_browser_that_keeps_nothing(it):
    it.page.evaluate(FULL)
    assert it.check(solution("merge")) == "Solved: all 6 checks pass."
    it.page.evaluate("mend()")


def test_every_solution_passes_here(opened):
    """tests/live compares all grades with CPython's."""
    asked = [{"name": x, "source": solution(x), "lang": "en"} for x in NAMES]
    here = opened.evaluate(GRADE, asked)
    assert here == [check(one) for one in asked]
    assert all(found["passed"] for found in here)
