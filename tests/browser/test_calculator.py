"""The calculator in Chromium: equal to CPython, by mouse and keyboard, never broken."""

import json
import random
import re

import pytest

from tilewise.live import answer
from tilewise.live.calculator import DEFAULT

from ..live.test_calculator import HOSTILE, draw
from ._calculator import ANSWER, PAGES, shows, squeezed
from ._kept import again, alone, kept

ASK = """async (inputs) => {
  const { ask } = await import(new URL("/assets/js/runtime.js", location));
  const one = (x) => ask("calculator", x).catch(({ problem }) => ({ problem }));
  return Promise.all(inputs.map(one));
}"""
SEEN = "document.querySelector('tw-calculator').innerText"


def near(a, b):
    """Whether two results are the same, every number to 1e-12 relative."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(near(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(near, a, b))
    if isinstance(a, int | float) and not isinstance(a, bool):
        return abs(a - b) <= 1e-12 * abs(a)
    return a == b


@pytest.fixture(scope="module", params=PAGES)
def lang(request):
    return request.param


@pytest.fixture(scope="module")
def opened(windows, lang):
    """The page of a language; its answer, and what it had loaded, when it was new."""
    with kept(windows, PAGES[lang]) as page:
        page.get_by_role("slider").wait_for()
        yield page, page.locator(ANSWER).text_content(), list(page.requested)


@pytest.fixture
def page(opened, lang):
    """The page with the fields as at first."""
    page = opened[0]
    page.set_viewport_size({"width": 1280, "height": 900})
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    page.get_by_role("button", name={"en": "Reset", "zh": "恢复默认"}[lang]).click()
    shows(page, DEFAULT, lang)
    return page


in_english = pytest.mark.parametrize("lang", ["en"], indirect=True)


@in_english
def test_results_equal_cpython(page):
    """Some inputs and every odd text, by way of the page; tests/live compares more."""
    rng = random.Random(21)
    inputs = [draw(rng) for _ in range(12)] + [{"n": text} for text in HOSTILE]
    found = page.evaluate(ASK, inputs)
    for asked, there in zip(inputs, found, strict=True):
        told = json.loads(answer(json.dumps({"ask": "calculator", "input": asked})))
        assert near(told.get("result", told), there), asked


def test_untouched_it_is_static_and_loads_no_runtime(opened, visit, lang):
    _, static, requested = opened
    bare = visit(PAGES[lang], javascript=False)
    assert bare.locator(ANSWER).text_content() == static
    assert not [x for x in requested if "micropython" in x or "python.json" in x]


def test_reset_gives_what_stood_there(page, opened):
    _, static, _ = opened
    assert squeezed(page.locator(ANSWER).text_content()) == squeezed(static)


@in_english
def test_by_mouse(page, visit, axe_both):
    page.select_option("#tw-calc-gpu", "H200")
    page.select_option("#tw-calc-pass", "training")
    page.select_option("#tw-calc-causal", "yes")
    page.fill("#tw-calc-kv_heads", "8")
    page.select_option("#tw-calc-plot", "seconds")
    typed = {"gpu": "H200", "pass": "training", "causal": "yes", "kv_heads": "8"}
    shows(page, typed | {"plot": "seconds"}, "en")
    assert "kv_heads=8" in page.url and "plot=seconds" in page.url
    page.locator("tw-calculator summary").click()
    plot = page.locator(".tw-chart > svg")
    box = plot.bounding_box()
    plot.hover(position={"x": box["width"] * 0.97, "y": box["height"] / 2})
    assert page.locator(".tw-at").text_content() == "N = 16,777,216"
    page.locator(".tw-place").last.hover()
    point = page.locator(".tw-place").last.get_attribute("aria-label")
    assert page.locator(".tw-roof > .tw-note").text_content() == point
    there = visit(PAGES["en"] + "?" + page.url.partition("?")[2])
    shows(there, typed | {"plot": "seconds"}, "en")
    assert not re.search("[\u4e00-\u9fff]", there.evaluate(SEEN))
    there.locator("tw-calculator summary").click()
    alone(there, "tw-calculator")
    axe_both(there, "tw-calculator")


@in_english
def test_by_keyboard(page):
    page.locator("#tw-calc-n").focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("4096")
    for _ in "slider model card GPU d heads kv_heads batch".split():
        page.keyboard.press("Tab")
    page.keyboard.type("4")
    shows(page, {"n": "4096", "batch": "4"}, "en")
    slider = page.get_by_role("slider")
    slider.focus()
    assert slider.get_attribute("aria-valuetext").startswith("N = 4,096; standard")
    page.keyboard.press("ArrowRight")
    shows(page, {"n": "8192", "batch": "4"}, "en")
    assert page.input_value("#tw-calc-n") == "8192"
    page.locator(".tw-place").first.focus()
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert label == page.locator(".tw-roof > .tw-note").text_content()
    assert label.startswith("standard attention, repeated accesses to a cache: ")


OWN = {"sram": "227", "bandwidth": "3.35", "tflops": "989.5", "memory": "80"}
TILES = {"block_rows": "128", "block_cols": "176"}
LAST = {
    "en": "Below is still the last result that could be computed.",
    "zh": "下面仍是上一次算出的结果。",
}


def test_narrow_with_own_card_and_tiles(page, fits, lang):
    page.set_viewport_size({"width": 360, "height": 900})
    page.select_option("#tw-calc-gpu", "own")
    page.select_option("#tw-calc-tiles", "own")
    for key, text in OWN.items():
        assert page.input_value(f"#tw-calc-{key}") == text
    own = OWN | TILES | {"gpu": "own", "tiles": "own"}
    shows(page, own, lang)
    page.fill("#tw-calc-memory", "40")
    shows(page, own | {"memory": "40"}, lang)
    fits(page)
    page.fill("#tw-calc-memory", "-5")
    page.locator("#tw-calc-memory[aria-invalid=true]").wait_for()
    assert page.locator("tw-calculator .tw-said").text_content() == LAST[lang]
    wrong = page.locator("#tw-calc-memory-wrong").text_content()
    assert bool(re.search("[\u4e00-\u9fff]", wrong)) == (lang == "zh")
    fits(page)


def test_hostile_text_is_answered_at_its_field(visit, axe_both, fits):
    """In the dark, on a phone, at an address that shows every field."""
    page = visit(PAGES["en"] + "?gpu=own&tiles=own", width=360, dark=True)
    page.locator("#tw-calc-sram:visible").wait_for()
    fields = page.locator("tw-calculator input.tw-field").all()
    shown = page.locator(ANSWER)
    shows(page, OWN | TILES | {"gpu": "own", "tiles": "own"}, "en")
    before = shown.text_content()
    alone(page, "tw-calculator")
    for place, field in enumerate(fields):
        good = field.input_value()
        field.fill(HOSTILE[2:][place % len(HOSTILE[2:])])
        page.locator(f"#{field.get_attribute('id')}[aria-invalid=true]").wait_for()
        wrong = page.locator("#" + field.get_attribute("aria-describedby"))
        assert len(wrong.text_content()) > 4 and shown.text_content() == before
        if place == 2:
            axe_both(page, "tw-calculator")
        fits(page)
        field.fill(good)
    page.fill("#tw-calc-heads", "6")
    page.fill("#tw-calc-kv_heads", "4")
    page.locator("#tw-calc-kv_heads-wrong", has_text="6").wait_for()


@in_english
def test_hostile_addresses(page, lang):
    for query, field in (
        ("n=%3Cscript%3Ealert(1)%3C/script%3E", "n"),
        ("d=" + "9" * 5000, "d"),
        ("gpu=V100&heads=NaN&__proto__=1&constructor=2", "heads"),
        ("batch=%ff%00", "batch"),
    ):
        again(page, "tw-calculator", "?" + query)
        page.locator(f"#tw-calc-{field}[aria-invalid=true]").wait_for()
        assert page.locator("tw-calculator .tw-said").text_content() == LAST[lang]
        assert page.input_value("#tw-calc-gpu") == "H100"
