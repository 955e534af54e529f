"""Start over in an exercise, and Forget it all: what went can be had again."""

import pytest

from tilewise.render.exercise import start

from .test_exercise import CHANGED, PAGE, Exercise

KEPT_NOW = "() => (localStorage.getItem('tilewise-exercises') ?? '').{has}"


@pytest.mark.parametrize(
    ("lang", "again", "back"),
    [("en", "Start over", "Bring my code back"), ("zh", "重新开始", "恢复我的代码")],
)
def test_code_that_went_comes_back(visit, axe, fits, lang, again, back):
    """Start over can be taken back, until something is typed."""
    page = visit(PAGE if lang == "en" else f"zh/{PAGE}", width=360)
    it = Exercise(page, "merge")
    before, mine = start("merge"), "def merge(a, b):\n    return a\n"
    assert it.reset.inner_text() == again
    it.reset.click()  # nothing is lost, so there is nothing to bring back
    assert it.reset.inner_text() == again and it.code.input_value() == before
    it.code.fill(mine)
    it.reset.click()
    assert it.reset.inner_text() == back and it.code.input_value() == before
    axe(page, CHANGED)
    fits(page)
    it.reset.click()
    assert it.reset.inner_text() == again and it.code.input_value() == mine
    page.wait_for_function(KEPT_NOW.format(has="includes('return a')"))
    it.reset.click()
    page.wait_for_function(KEPT_NOW.format(has="includes('return a') === false"))
    it.code.press("End")
    it.code.press_sequentially("#")
    assert it.reset.inner_text() == again
    it.code.fill(mine)
    page.locator("tw-progress").get_by_role("button").click()
    assert it.code.input_value() == before
    it.reset.click()
    assert it.code.input_value() == mine
