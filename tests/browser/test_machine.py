"""The tile machine's own parts: methods, scrubber, meters, sums, and how it moves."""

import pytest

from ._kept import again, alone, kept
from ._stepper import FORWARD, arrive, at, meet, settle

SUMS = {"Standard": 96, "FA1": 112, "FA2": 52}
BARS = """(all) => all.map((bar) => {
  const sizes = [...bar.querySelectorAll(".tw-part")].map((x) => [
    x.getBoundingClientRect().width,
    x.querySelector(":scope > i")?.getBoundingClientRect().width ?? 0,
  ]);
  return sizes.reduce(([a, b], [x, y]) => [a + x, b + y], [0, 0]);
})"""
FILL = "(x) => x.firstChild.getBoundingClientRect().width / x.clientWidth"


@pytest.fixture(scope="module")
def opened(windows):
    """The machine of the forward pass alone, for one test after another."""
    with kept(windows, FORWARD, still=True) as page:
        alone(arrive(page), "tw-stepper")
        yield page


@pytest.fixture
def fresh(opened):
    """It as at first."""
    opened.set_viewport_size({"width": 1280, "height": 900})
    opened.requested.clear()
    again(opened, "tw-stepper")
    return arrive(opened)


def choose(page, name):
    page.get_by_role("button", name=name, exact=True).click()
    settle(page)


def last(page):
    page.get_by_role("slider", name="Position").press("End")


@pytest.mark.parametrize("name", SUMS)
def test_a_method_plays_and_its_bar_fills(name, fresh):
    """Three bars to one scale; the one of the method on show fills to its sum."""
    page = fresh
    choose(page, name)
    last(page)
    rows = page.locator(".tw-rival")
    said = [x.split("\n")[-1] for x in rows.all_inner_texts()]
    assert said == [f"{x} / {x}" if key == name else str(x) for key, x in SUMS.items()]
    sizes = page.locator(".tw-bar-all").evaluate_all(BARS)
    longest = max(width for width, _ in sizes)
    for (width, filled), (key, n) in zip(sizes, SUMS.items(), strict=True):
        assert abs(width / longest - n / 112) < 0.01
        assert abs(filled - (width if key == name else 0)) < 1
    page.get_by_role("slider").press("Home")
    start = {"FA1": 16}.get(name, 0)
    assert page.locator(".tw-mine .tw-sum").inner_text() == f"{start} / {SUMS[name]}"
    assert not [x for x in page.requested if x.endswith("worker.js")]


def test_why_the_first_paper_s_order_moves_more_is_in_words(fresh):
    choose(fresh, "FA1")
    said = fresh.locator(".tw-because").inner_text()
    assert "80 of 112" in said and "standard attention 64" in said
    choose(fresh, "FA2")
    assert "32 of 52" in fresh.locator(".tw-because").inner_text()


def test_the_chip_s_meter(fresh):
    page = fresh
    bar = page.locator(".tw-fill")
    assert bar.evaluate(FILL) == 0
    page.get_by_role("slider").fill("1")
    assert "8 of at most 24" in page.locator(".tw-room-of").inner_text()
    assert abs(bar.evaluate(FILL) - 8 / 24) < 0.01
    page.get_by_role("slider").fill("3")
    assert abs(bar.evaluate(FILL) - 1) < 0.01


def test_standard_attention_leaves_both_matrices_in_hbm(fresh):
    page = fresh
    choose(page, "Standard")
    score = page.locator(".tw-hbm table[aria-label^='Tiles'] td")
    assert set(score.all_inner_texts()) == {""}
    page.get_by_role("slider").fill("7")
    assert score.first.inner_text() == "−1"
    page.get_by_role("slider").fill("13")
    assert score.first.inner_text() == "2/9"
    last(page)
    choose(page, "FA2")
    assert set(score.all_inner_texts()) == {""}
    page.wait_for_url("**order=q-outer&step=28#stepper")


def test_a_score_says_its_sum_in_the_colours_of_its_tensors(fresh):
    page = fresh
    page.get_by_role("slider").fill("28")
    score = page.locator(".tw-hbm table[aria-label^='Tiles'] td").nth(2)
    score.hover()
    peek = page.locator(".tw-peek")
    text = "S13/τ = (−1) · 0 + (−1) · 2 = −2"
    assert peek.locator("p").first.inner_text() == text
    one = "(x) => getComputedStyle(x).color"
    inks = [peek.locator(f".tw-ink-{x}").first.evaluate(one) for x in "qks"]
    assert len(set(inks)) == 3
    page.locator(".tw-sentence").hover()
    peek.wait_for(state="hidden")
    score.dispatch_event("pointerover", {"bubbles": True})
    stage = page.locator(".tw-stage")
    stage.dispatch_event("pointerleave", {"pointerType": "touch"})  # a finger, lifted
    assert peek.locator("p").first.inner_text() == text
    stage.dispatch_event("pointerleave", {"pointerType": "mouse"})
    peek.wait_for(state="hidden")
    page.get_by_role("slider").fill("0")
    score.hover()
    assert peek.inner_text() == "Step 17 computes this."


def test_a_chip_s_score_is_that_of_its_tile(fresh):
    page = fresh
    page.get_by_role("slider").fill("24")
    page.locator(".tw-chip table[aria-label^='S'] td").first.hover()
    assert page.locator(".tw-peek").inner_text().startswith("S33/τ = 0 · 0 + 1 · 2 = 2")


def test_by_keyboard_an_output_tells_its_history(fresh):
    page = fresh
    last(page)
    page.locator(".tw-hbm table[aria-label^='O']").focus()
    peek = page.locator(".tw-peek p")
    assert peek.all_inner_texts() == [
        "j = 1: α = 0, β = 1, O11 = 9/2",
        "j = 2: α = 1/2, β = 1, O11 = 5",
    ]
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    assert peek.last.inner_text() == "j = 2: α = 1, β = 1/2, O21 = 1"
    assert "O21 = 1" in page.locator("body > [role=status]").inner_text()
    page.keyboard.press("ArrowLeft")
    at(page, 27)
    page.keyboard.press(" ")
    page.get_by_role("button", name="Pause").wait_for()
    page.keyboard.press(" ")
    page.get_by_role("button", name="Play").wait_for()


def test_more_queries_and_the_backward_pass(fresh, axe):
    page = fresh
    page.get_by_label("N", exact=True).fill("6")
    page.keyboard.press("Enter")
    page.locator(".tw-hbm.tw-middle").wait_for()
    settle(page)
    rows = "-1 -1\n1 0\n0 1\n1 1\n-1 -1\n1 0"
    assert page.get_by_label("Q", exact=True).input_value() == rows
    choose(page, "FA2")
    page.get_by_label("Pass").select_option("backward")
    page.get_by_text("dQ").first.wait_for()
    settle(page)
    last(page)
    at(page, 99, 99)
    page.locator(".tw-hbm table[aria-label^='dK'] td").first.hover()
    assert page.locator(".tw-peek p").count() == 3
    axe(page, "tw-stepper")
    page.wait_for_url("**pass=backward**")
    page.get_by_label("N", exact=True).fill("17")
    page.keyboard.press("Enter")
    page.locator("tw-stepper .tw-problem:not(:empty)").wait_for()
    assert page.get_by_label("N", exact=True).get_attribute("aria-invalid") == "true"


def test_boards_and_buttons_fit_a_desktop(visit):
    for name in ("forward", "backward", "loop-order"):
        page = meet(visit, name, "?step=12", width=1440)
        top = page.locator(".tw-methods").bounding_box()["y"]
        floors = page.locator(".tw-stage .tw-hbm").all()
        bottom = max(x.bounding_box()["y"] + x.bounding_box()["height"] for x in floors)
        high = bottom - top + page.locator(".tw-player").bounding_box()["height"]
        assert high <= 640, (name, high)


MOVED = """() => document.getAnimations().flatMap(({ effect, transitionProperty }) =>
  transitionProperty ?? effect.getKeyframes().flatMap((frame) =>
    Object.keys(frame).filter((x) => !/offset|easing|composite/i.test(x))))"""


def test_only_transform_and_opacity_move(visit):
    """While a tile is loaded, computed, flows on, is stored and evaporates."""
    page = meet(visit, "forward")
    seen = set()
    for k in range(12):
        page.get_by_role("button", name="Step", exact=True).click()
        at(page, k + 1)
        seen |= set(page.evaluate(MOVED))
    ours, others = {"transform", "opacity"}, {"color", "background-color", "outline"}
    assert ours <= seen and seen - ours <= others | {"pointerEvents"}  # of the contents
