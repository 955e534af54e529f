"""Start over in an exercise, and Forget it all: what went can be had again."""

from tilewise.render.exercise import start

from ._exercise import CHANGED, PAGE, Exercise
from ._kept import alone

KEPT_NOW = "() => (localStorage.getItem('tilewise-exercises') ?? '').{has}"


AGAIN, BACK = "Start over", "Bring my code back"


def test_code_that_went_comes_back(visit, axe, fits):
    """Start over can be taken back, until something is typed."""
    page = visit(PAGE, width=360)
    alone(page, CHANGED)
    it = Exercise(page, "merge")
    before, mine = start("merge"), "def merge(a, b):\n    return a\n"
    assert it.reset.inner_text() == AGAIN
    it.reset.click()  # nothing is lost, so there is nothing to bring back
    assert it.reset.inner_text() == AGAIN and it.code.input_value() == before
    it.code.fill(mine)
    it.reset.click()
    assert it.reset.inner_text() == BACK and it.code.input_value() == before
    axe(page, CHANGED)
    fits(page)
    it.reset.click()
    assert it.reset.inner_text() == AGAIN and it.code.input_value() == mine
    page.wait_for_function(KEPT_NOW.format(has="includes('return a')"))
    it.reset.click()
    page.wait_for_function(KEPT_NOW.format(has="includes('return a') === false"))
    it.code.press("End")
    it.code.press_sequentially("#")
    assert it.reset.inner_text() == AGAIN
    it.code.fill(mine)
    page.locator("tw-progress").get_by_role("button").click()
    assert it.code.input_value() == before
    it.reset.click()
    assert it.code.input_value() == mine
