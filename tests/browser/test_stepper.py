"""The tile stepper by mouse and keyboard, in both languages and schemes."""

import re

import pytest

from ._stepper import at, meet, sentence

PAGES = {
    "worked-example": ("forward", 28),
    "forward": ("forward", 28),
    "backward": ("backward", 44),
    "loop-order": ("forward", 28),
}
HEAVY = ("js/worker.js", "python.json", ".wasm")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_plays_without_python(name, visit, fits):
    page = meet(visit, name, width=360)
    total = PAGES[name][1]
    at(page, 0)
    page.get_by_role("button", name="Step", exact=True).click()
    at(page, 1, total)
    page.get_by_role("slider", name="Position").fill(str(total))
    at(page, total, total)
    assert page.get_by_role("button", name="Step", exact=True).is_disabled()
    fits(page)
    assert not [x for x in page.requested if x.endswith(HEAVY)]


def test_far_from_the_reader_nothing_is_loaded(visit):
    page = visit("flash-attention/forward.html", scroll=False)
    page.wait_for_load_state("networkidle")
    assert not [x for x in page.requested if "stepper" in x]
    page.get_by_text("start values").first.wait_for(state="attached")
    page.locator("tw-stepper").first.scroll_into_view_if_needed()
    page.locator("tw-stepper").get_by_role("slider").first.wait_for()
    assert [x for x in page.requested if "stepper" in x]


@pytest.mark.parametrize("name", PAGES)
def test_without_scripts_a_table_stands_there(name, visit):
    page = visit(f"flash-attention/{name}.html", javascript=False)
    rows = page.locator("tw-stepper tbody tr").count()
    both = 2 if name == "loop-order" else 1
    assert rows == (0 if name == "worked-example" else both * (PAGES[name][1] + 1))
    assert page.locator("tw-stepper").inner_text()


def test_keyboard(visit):
    page = meet(visit, "forward")
    stage = page.locator(".tw-stage")
    stage.focus()
    for k in (1, 2, 3):
        page.keyboard.press("ArrowRight")
        at(page, k)
    page.locator("[data-row='1']").focus()
    page.keyboard.press("Enter")
    assert "S21" in page.locator(".tw-numbers").inner_text()
    assert page.locator("[data-row='1']").evaluate("x => x === document.activeElement")
    page.keyboard.press("ArrowLeft")
    at(page, 2)
    assert stage.evaluate("x => x === document.activeElement")
    page.keyboard.press(" ")
    page.get_by_role("button", name="Pause").wait_for()
    at(page, 3)
    page.keyboard.press(" ")
    page.get_by_role("button", name="Play").wait_for()
    page.get_by_role("slider").press("End")
    at(page, 28)
    said = page.get_by_role("slider").get_attribute("aria-valuetext")
    assert said.startswith("Step 28 of 28, tile i = 2, j = 2: store O₂, ℓ₂, m₂")


def test_a_step_is_spoken(visit):
    page = meet(visit, "forward")
    page.get_by_role("button", name="Step", exact=True).click()
    spoken = page.locator("body > [role=status]")
    assert spoken.inner_text() == sentence(page)


def test_play_runs_to_the_end_and_stops(visit):
    page = meet(visit, "forward", still=True)
    page.get_by_label("Speed").select_option("4")
    page.get_by_role("slider").fill("26")
    page.get_by_role("button", name="Play").click()
    at(page, 28)
    page.get_by_role("button", name="Play").wait_for()
    moving = "document.getAnimations().filter(x => x.playState === 'running').length"
    assert page.evaluate(moving) == 0
    page.get_by_label("Speed").select_option("0.5")
    page.get_by_role("button", name="Play").click()
    at(page, 1)


def test_new_numbers_flash_and_keep_a_mark(visit):
    page = meet(visit, "forward")
    page.get_by_role("button", name="Step", exact=True).click()
    fresh = page.locator(".tw-chip .tw-fresh")
    assert fresh.count() == 8
    assert fresh.first.evaluate("x => getComputedStyle(x).animationName") == "tw-flash"
    assert "gradient" in fresh.first.evaluate(
        "x => getComputedStyle(x).backgroundImage"
    )


def test_both_orders_count(visit):
    page = meet(visit, "loop-order", width=1280)
    page.get_by_role("slider").fill("28")
    at(page, 28)
    text = page.locator(".tw-moves").all_inner_texts()
    assert ["so far 64" in text[0], "so far 48" in text[0]] == [True, True]
    assert ["so far 40" in text[1], "so far 16" in text[1]] == [True, True]


WORDS = """(x) => {
  const copy = x.cloneNode(true);
  copy.querySelectorAll("sub, sup").forEach((y) => y.remove());
  const [walk, found] = [document.createTreeWalker(copy, NodeFilter.SHOW_TEXT), []];
  while (walk.nextNode()) found.push(walk.currentNode.data);
  return found.join(" ");
}"""


STATES = [("forward", 9, False), ("backward", 20, True), ("backward", 0, False)]
STATES += [("loop-order", 7, True), ("loop-order", 28, False)]


@pytest.mark.parametrize("name, k, dark", STATES)
def test_axe_and_chinese(name, k, dark, visit, axe, fits):
    page = meet(visit, name, f"?step={k}", "zh/", dark=dark, width=360, still=True)
    page.get_by_text(f"第 {k} 步" if k else "第一块之前").first.wait_for()
    for summary in page.locator("tw-stepper summary").all():
        summary.click()
    axe(page, "tw-stepper")
    fits(page)
    text = page.locator("tw-stepper").evaluate(WORDS)
    names = {"HBM", "SRAM", "FlashAttention", "max", "rowmax", "rowsum"}
    assert set(re.findall(r"[A-Za-z]{3,}", text)) <= names
    labels = page.locator("tw-stepper [aria-label]").all()
    for label in labels:
        assert re.search("[\u4e00-\u9fff]", label.get_attribute("aria-label"))
