"""The calculator in Chromium: equal to CPython, by mouse and keyboard, never broken."""

import json
import random
import re

import pytest
from playwright.sync_api import TimeoutError

from tilewise.live import answer
from tilewise.live.calculator import DEFAULT, view

from ..live.test_calculator import HOSTILE, draw

PAGES = {"en": "memory/calculator.html", "zh": "zh/memory/calculator.html"}
ASK = """async (inputs) => {
  const { ask } = await import(new URL("/assets/js/runtime.js", location));
  const one = (x) => ask("calculator", x).catch(({ problem }) => ({ problem }));
  return Promise.all(inputs.map(one));
}"""
SEEN = "document.querySelector('tw-calculator').innerText"
TEXT = """() => [".tw-said", ".tw-said + div"].map((x) => document.querySelector(x)
  .textContent).join("").replace(/\\s+/g, "")"""
SHOWN = f"(wanted) => ({TEXT})() === wanted"


def near(a, b):
    """Whether two results are the same, every number to 1e-12 relative."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(near(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(near, a, b))
    if isinstance(a, int | float) and not isinstance(a, bool):
        return abs(a - b) <= 1e-12 * abs(a)
    return a == b


def texts(node):
    return [node] if isinstance(node, str) else [t for x in node[2:] for t in texts(x)]


def shows(page, typed, lang):
    """Every text of Python's tree comes to stand in the page, in its order."""
    made = view(typed | {"lang": lang})
    wanted = re.sub(r"\s+", "", made["said"] + "".join(texts(made["tree"])))
    try:
        page.wait_for_function(SHOWN, arg=wanted, timeout=5000)
    except TimeoutError:
        assert page.evaluate(TEXT) == wanted


def test_results_equal_cpython(visit):
    rng = random.Random(21)
    inputs = [draw(rng) for _ in range(100)] + [{"n": text} for text in HOSTILE]
    found = visit(PAGES["en"]).evaluate(ASK, inputs)
    for asked, there in zip(inputs, found, strict=True):
        told = json.loads(answer(json.dumps({"ask": "calculator", "input": asked})))
        assert near(told.get("result", told), there), asked


each_language = pytest.mark.parametrize("lang", PAGES)


@each_language
def test_untouched_it_is_static_and_loads_no_runtime(visit, axe_both, fits, lang):
    bare = visit(PAGES[lang], javascript=False)
    static = bare.locator("tw-calculator .tw-said + div").text_content()
    page = visit(PAGES[lang])
    page.get_by_role("slider").wait_for()
    assert page.locator("tw-calculator .tw-said + div").text_content() == static
    shows(page, DEFAULT, lang)
    assert not [x for x in page.requested if "micropython" in x or "python.json" in x]
    axe_both(page)
    fits(page)
    page.get_by_role("button", name={"en": "Reset", "zh": "恢复默认"}[lang]).click()
    shows(page, DEFAULT, lang)


@each_language
def test_by_mouse(visit, axe_both, lang):
    page = visit(PAGES[lang])
    page.select_option("#tw-calc-gpu", "H200")
    page.select_option("#tw-calc-pass", "training")
    page.select_option("#tw-calc-causal", "yes")
    page.fill("#tw-calc-kv_heads", "8")
    page.select_option("#tw-calc-plot", "seconds")
    typed = {"gpu": "H200", "pass": "training", "causal": "yes", "kv_heads": "8"}
    shows(page, typed | {"plot": "seconds"}, lang)
    assert "kv_heads=8" in page.url and "plot=seconds" in page.url
    page.locator("tw-calculator summary").click()
    plot = page.locator(".tw-chart > svg")
    box = plot.bounding_box()
    plot.hover(position={"x": box["width"] * 0.97, "y": box["height"] / 2})
    assert page.locator(".tw-at").text_content() == "N = 16,777,216"
    page.locator(".tw-place").last.hover()
    point = page.locator(".tw-place").last.get_attribute("aria-label")
    assert page.locator(".tw-roof > .tw-note").text_content() == point
    axe_both(page, "tw-calculator")
    if lang == "en":
        again = visit(PAGES[lang] + "?" + page.url.partition("?")[2])
        shows(again, typed | {"plot": "seconds"}, lang)
        assert not re.search("[\u4e00-\u9fff]", page.evaluate(SEEN))


def test_by_keyboard(visit):
    page = visit(PAGES["en"], still=True)
    page.locator("#tw-calc-n").focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("4096")
    for key in ("Tab", "Tab", "Tab", "Tab"):  # d, heads, K and V heads, batch
        page.keyboard.press(key)
    page.keyboard.type("4")
    shows(page, {"n": "4096", "batch": "4"}, "en")
    slider = page.get_by_role("slider")
    slider.focus()
    assert slider.get_attribute("aria-valuetext").startswith("N = 4,096; standard")
    page.keyboard.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext").startswith("N = 8,192; standard")
    made = view({"n": "8192", "batch": "4"})["chart"]["read"]
    read = [x.text_content() for x in page.locator(".tw-chart li b").all()]
    assert read == made[6]
    page.keyboard.press("Tab")
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert label == page.locator(".tw-roof > .tw-note").text_content()
    assert label.startswith("standard attention, repeated accesses to a cache: ")


@each_language
def test_narrow_with_own_card_and_tiles(visit, axe_both, fits, lang):
    page = visit(PAGES[lang], width=360, dark=True)
    page.select_option("#tw-calc-gpu", "own")
    page.select_option("#tw-calc-tiles", "own")
    own = {"sram": "227", "bandwidth": "3.35", "tflops": "989.5", "memory": "80"}
    for key, text in own.items():
        assert page.input_value(f"#tw-calc-{key}") == text
    own |= {"gpu": "own", "tiles": "own", "block_rows": "128", "block_cols": "176"}
    shows(page, own, lang)
    page.fill("#tw-calc-memory", "40")
    shows(page, own | {"memory": "40"}, lang)
    axe_both(page, "tw-calculator")
    fits(page)


@each_language
def test_hostile_text_is_answered_at_its_field(visit, axe_both, fits, lang):
    page = visit(PAGES[lang] + "?gpu=own&tiles=own", width=360, dark=True)
    page.locator("#tw-calc-sram:visible").wait_for()
    fields = page.locator("tw-calculator input.tw-field").all()
    shown = page.locator(".tw-said + div")
    shows(page, {"gpu": "own", "sram": "227", "bandwidth": "3.35", "tflops": "989.5",
                 "memory": "80", "tiles": "own", "block_rows": "128",
                 "block_cols": "176"}, lang)  # fmt: skip
    before = shown.text_content()
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


LAST = {
    "en": "Below is still the last result that could be computed.",
    "zh": "下面仍是上一次算出的结果。",
}


@each_language
def test_hostile_addresses(visit, axe_both, lang):
    for query, field in (
        ("n=%3Cscript%3Ealert(1)%3C/script%3E", "n"), ("d=" + "9" * 5000, "d"),
        ("gpu=V100&heads=NaN&__proto__=1&constructor=2", "heads"),
        ("batch=%ff%00", "batch"),
    ):  # fmt: skip
        page = visit(f"{PAGES[lang]}?{query}")
        page.locator(f"#tw-calc-{field}[aria-invalid=true]").wait_for()
        assert page.locator(".tw-said").text_content() == LAST[lang]
        assert page.input_value("#tw-calc-gpu") == "H100"
    axe_both(page, "tw-calculator")
