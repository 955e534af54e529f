"""The time lines of the Gluon kernels: an instant, chosen by mouse and by keyboard."""

import json
import re

import pytest
from repository import ROOT

from ._kept import alone

FILES = {"forward": "gpu/hopper-pipeline.html", "backward": "gpu/backward-kernels.html"}


def film(way):
    path = ROOT / f"docs/generated/live/timeline-{way}.json"
    return json.loads(path.read_text("utf-8"))


@pytest.fixture
def look(visit):
    """look(way, lang="", …) opens a page and waits for its slider."""

    def look(way, lang="", **options):
        page = visit(lang + FILES[way], **options)
        page.locator("tw-timeline input").wait_for()
        return page

    return look


def now(page):
    return int(page.locator("tw-timeline input").input_value())


def told(page):
    """{role: what it does}, as shown."""
    names = page.locator("tw-timeline dt").all_inner_texts()
    return dict(zip(names, page.locator("tw-timeline dd").all_inner_texts()))


def at(spans, instant):
    return next(x for x in spans if x[0] <= instant < x[1])


@pytest.mark.parametrize("way", FILES)
def test_by_keyboard(look, way):
    page, lanes = look(way), film(way)["lanes"]
    slider = page.locator("tw-timeline input")
    slider.focus()
    for key in ("Home", "ArrowRight", "PageUp", "ArrowLeft"):
        page.keyboard.press(key)
        shown, instant = told(page), now(page)
        assert len(shown) == len(lanes) == 4
        assert f"cycle {instant}" == page.locator("tw-timeline .tw-clock").inner_text()
        for name in ("consumer 0", "consumer 1"):
            begin, end, _, tile = at(lanes[name], instant)
            assert shown[name].startswith(f"tile {tile}: ")
            assert shown[name].endswith(f"({instant - begin} of {end - begin} cycles)")
            assert shown[name] in slider.get_attribute("aria-valuetext")
    page.get_by_role("button", name="to the next event").focus()
    before, seen = now(page), told(page)
    page.keyboard.press("Enter")
    assert now(page) > before
    page.get_by_role("button", name="to the event before").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    assert now(page) < before and told(page) != seen
    for _ in range(99):
        page.keyboard.press("Enter")
    assert now(page) == 0


def test_by_mouse(look):
    """The line follows the pointer over the figure."""
    page, data = look("backward"), film("backward")
    picture = page.locator("tw-timeline svg")
    picture.scroll_into_view_if_needed()
    box = picture.bounding_box()
    unit = box["width"] / 400
    left, top, wide, high = data["box"]
    line = page.locator("tw-timeline .tw-now")
    page.mouse.move(box["x"] + unit * (left + wide / 4), box["y"] + unit * (top + 9))
    assert now(page) == data["cycles"] / 2, "it is moved by a pressed button alone"
    page.mouse.down()
    assert abs(now(page) - data["cycles"] / 4) <= 20
    page.mouse.move(box["x"] + unit * (left + wide), box["y"] + unit * (top + high / 2))
    page.mouse.up()
    assert abs(now(page) - data["cycles"]) <= 20
    x = float(re.search(r"\((.*)\)", line.get_attribute("transform"))[1])
    assert abs(x - left - wide * now(page) / data["cycles"]) < 0.1


@pytest.mark.parametrize("way, lang", [("backward", "zh/"), ("forward", "")])
def test_states_are_accessible(look, axe, fits, way, lang):
    page = look(way, lang, dark=bool(lang), width=360, still=True)
    alone(page, "tw-timeline")
    data = film(way)
    for instant in range(0, data["cycles"], data["cycles"] // 9):
        page.locator("tw-timeline input").fill(str(instant // 10 * 10))
        fits(page)
        text = page.locator("tw-timeline dl").inner_text()
        assert "undefined" not in text and "{" not in text
        assert bool(re.search("[一-鿿]", text)) == bool(lang)
    axe(page, "tw-timeline")


@pytest.mark.parametrize("way", FILES)
def test_without_scripts(visit, way):
    page = visit(FILES[way], javascript=False)
    assert page.locator("tw-timeline svg rect").count() > 20
    assert page.locator("tw-timeline input").count() == 0
