"""The tile machine after a step, at a number, and when the method changes."""

import pytest

from ._stepper import at, meet, settle

LANDED = """() => Promise.all(document.querySelector(".tw-stage")
  .getAnimations({ subtree: true }).map((x) => x.finished.catch(() => {})))"""
OUTLINES = """() => {
  const box = (x) => x.getBoundingClientRect();
  const shown = (x) => getComputedStyle(x).visibility === "visible";
  const cells = [...document.querySelectorAll(".tw-hbm td")].map(box);
  const near = (a, b) => Math.abs(a - b) < 1.5;
  const lies = ({ left, top }) =>
    cells.some((one) => near(one.left, left) && near(one.top, top));
  const all = [...document.querySelectorAll(".tw-held, .tw-tile")].filter(shown);
  return [all.length, all.filter((x) => !lies(box(x))).length];
}"""


@pytest.mark.parametrize("order", ("kv-outer", "q-outer"))
def test_outlines_lie_on_hbm_after_a_store(order, visit):
    """A board measured while cells fly would put them where the cells are then."""
    page = meet(visit, "forward", f"?order={order}&step=5")
    for k in range(6, 15):
        page.get_by_role("button", name="Step", exact=True).click()
        at(page, k)
        page.evaluate(LANDED)
        number, wrong = page.evaluate(OUTLINES)
        assert number > 2 and not wrong, (k, number, wrong)


def test_a_score_shows_no_other(visit):
    """S12 has two lines: its sum, and its weight; the next tile's second is S14."""
    page = meet(visit, "forward", "?order=kv-outer&step=28")
    page.locator(".tw-hbm table[aria-label*='S'] td").nth(1).hover()
    lines = page.locator(".tw-peek p").all_inner_texts()
    assert [x[:3] for x in lines] == ["S12", "P12"], lines


def test_the_end_of_a_method_stays_an_end(visit):
    """Who chooses another one there wants its sum, and not the step of that number."""
    page = meet(visit, "forward", "?order=standard")
    bar = page.locator(".tw-seek")
    bar.press("End")
    before = bar.get_attribute("max")
    page.locator("button[data-order=kv-outer]").click()
    settle(page)
    assert bar.input_value() == bar.get_attribute("max") != before
    assert "112" in page.locator(".tw-mine .tw-sum").first.inner_text()


def test_a_number_in_units_says_them(visit):
    """The heading of the column is m/τ, and so the line about a number of it has /τ."""
    page = meet(visit, "forward", "?order=kv-outer&step=28")
    page.locator(".tw-hbm table[aria-label^='m']").locator("td").first.hover()
    assert page.locator(".tw-peek").inner_text().replace("\n", "") == "m1/τ = 0"
