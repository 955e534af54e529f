"""The tile stepper by mouse and keyboard, in both languages and schemes."""

import re

import pytest

from ._kept import again, alone, kept
from ._stepper import FORWARD, arrive, at, meet, sentence

PAGES = {
    "worked-example": ("forward", 28),
    "forward": ("forward", 28),
    "backward": ("backward", 44),
    "loop-order": ("forward", 28),
}
HEAVY = ("js/worker.js", "python.json", ".wasm")


@pytest.fixture(scope="module")
def opened(windows):
    """The stepper of the forward pass alone, for one test after another."""
    with kept(windows, FORWARD, still=True) as page:
        alone(arrive(page), "tw-stepper")
        yield page


@pytest.fixture
def fresh(opened):
    """It with its stepper as at first."""
    opened.set_viewport_size({"width": 1280, "height": 900})
    opened.requested.clear()
    again(opened, "tw-stepper")
    return arrive(opened)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_plays_without_python(name, visit, fits):
    page = meet(visit, name, width=360)
    total = PAGES[name][1]
    at(page, 0)
    page.get_by_role("button", name="Step", exact=True).click()
    at(page, 1, total)
    assert page.locator("body > [role=status]").inner_text() == sentence(page)
    page.get_by_role("slider", name="Position").fill(str(total))
    at(page, total, total)
    assert page.get_by_role("button", name="Step", exact=True).is_disabled()
    fits(page)
    if name == "loop-order":
        text = page.locator(".tw-moves").all_inner_texts()
        assert ["so far 64" in text[0], "so far 48" in text[0]] == [True, True]
        assert ["so far 40" in text[1], "so far 12" in text[1]] == [True, True]
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


def test_keyboard(fresh):
    page = fresh
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
    assert said.startswith("Step 28 of 28, tile i = 2, j = 2: store O2, ℓ2, m2")


def test_play_runs_to_the_end_and_stops(fresh):
    page = fresh
    page.get_by_label("Speed").select_option("4")
    page.get_by_role("slider").fill("26")
    page.get_by_role("button", name="Play").click()
    at(page, 28)
    page.get_by_role("button", name="Play").wait_for()
    moving = "document.getAnimations().filter(x => x.playState === 'running').length"
    assert page.evaluate(moving) == 0
    page.get_by_label("Speed").select_option("0.5")
    page.get_by_role("button", name="Play").click()
    at(page, 0)
    page.get_by_label("Speed").select_option("4")  # from now on
    page.wait_for_function("() => document.querySelector('.tw-seek').value > 0")
    page.get_by_role("button", name="Pause").click()


def test_new_numbers_flash_and_keep_a_mark(visit):
    page = meet(visit, "forward", scroll=False)
    page.get_by_role("button", name="Step", exact=True).click()
    fresh = page.locator(".tw-chip .tw-fresh")
    assert fresh.count() == 8
    assert fresh.first.evaluate("x => getComputedStyle(x).animationName") == "tw-flash"
    assert "gradient" in fresh.first.evaluate(
        "x => getComputedStyle(x).backgroundImage"
    )


WORDS = """(x) => {
  const copy = x.cloneNode(true);
  copy.querySelectorAll("sub, sup").forEach((y) => y.remove());
  const [walk, found] = [document.createTreeWalker(copy, NodeFilter.SHOW_TEXT), []];
  while (walk.nextNode()) found.push(walk.currentNode.data);
  return found.join(" ");
}"""


LABELS = "(all) => all.map((x) => x.ariaLabel)"
STATES = {"forward": (9,), "backward": (20, 0), "loop-order": (28, 7)}


@pytest.mark.parametrize("name", STATES)
def test_axe_and_chinese(name, visit, axe, fits):
    """Light at the step that the address asks for, dark at another."""
    first, *others = STATES[name]
    page = meet(visit, name, f"?step={first}", "zh/", width=360, still=True)
    alone(page, "tw-stepper")
    for summary in page.locator("tw-stepper summary").all():
        summary.click()
    looks(page, first, axe, fits)
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    page.locator("body[data-md-color-scheme=slate]").wait_for()
    for k in others:
        page.get_by_role("slider").fill(str(k))
        looks(page, k, axe, fits)


def looks(page, k, axe, fits):
    """What is wrong at a step, where every part is unfolded."""
    page.get_by_text(f"第 {k} 步" if k else "第一块之前").first.wait_for()
    axe(page, "tw-stepper")
    fits(page)
    text = page.locator("tw-stepper").evaluate(WORDS)
    names = {"HBM", "SRAM", "FlashAttention", "max", "rowmax", "rowsum", "log"}
    names |= {"softcap", "sink"}
    assert set(re.findall(r"[A-Za-z]{3,}", text)) <= names
    labels = page.locator("tw-stepper [aria-label]").evaluate_all(LABELS)
    assert labels and [x for x in labels if not re.search("[\u4e00-\u9fff]", x)] == []
