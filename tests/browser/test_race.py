"""What moves on the front page, and the pages that a reader has read."""

import pytest

CLOCKS = (
    "[...document.querySelectorAll('.tw-clock')].map(x => parseFloat(x.textContent))"
)
MOVED = "[...document.querySelectorAll('.tw-moved')].map(x => x.textContent)"
HIGH = "x => Number(document.querySelector(x).getAttribute('height'))"
SET = """(node, value) => {
  node.value = value;
  node.dispatchEvent(new Event("input"));
}"""


@pytest.mark.parametrize("file", ["index.html", "zh/index.html"])
def test_one_slider_moves_both(visit, axe, fits, file):
    page = visit(file, width=360, still=True)
    slider = page.locator("tw-race input")
    end = float(slider.get_attribute("max"))
    slider.evaluate(SET, 1)
    assert page.evaluate(CLOCKS) == [1, 1]
    assert 0 < page.evaluate(HIGH, ".tw-lane-standard .tw-bytes") < 96
    assert page.evaluate(HIGH, ".tw-lane-standard .tw-S") == 96
    assert page.locator(".tw-past0.tw-gone").count() == 0
    fits(page)
    slider.evaluate(SET, 3)
    standard, flash = page.evaluate(CLOCKS)
    assert standard == 3 and 1.5 < flash < 1.7
    assert page.locator(".tw-past0.tw-gone").count() == 1  # it leaves nothing behind
    slider.evaluate(SET, 0)
    assert all("0.00" in x for x in page.evaluate(MOVED))
    slider.focus()
    page.keyboard.press("End")
    assert abs(page.evaluate(CLOCKS)[0] - end) < 0.02
    assert "13.17" in page.evaluate(MOVED)[0] and "0.28" in page.evaluate(MOVED)[1]
    if file == "index.html":
        axe(page, ".tw-hero")


def test_it_plays_and_pauses(visit):
    page = visit("index.html", still=True, scroll=False)
    page.locator("tw-race button").click()
    page.wait_for_function(f"() => {CLOCKS}[0] < 5 && {CLOCKS}[0] > 0.1")
    page.locator("tw-race button").click()
    stopped = page.evaluate(CLOCKS)
    page.evaluate("new Promise(requestAnimationFrame)")
    assert page.evaluate(CLOCKS) == stopped
    page.locator("tw-race input").evaluate(SET, 5.45)
    page.locator("tw-race button").click()
    page.wait_for_function(f"() => {MOVED}[0].includes('13.17')")
    assert page.locator("tw-race button").inner_text() == "Play"


def test_the_figure_in_motion_rests_where_nobody_looks(visit):
    page = visit("index.html", scroll=False)
    drawn = "() => %sdocument.querySelector('.om-f').checkVisibility(%s)"
    options = "{ contentVisibilityAuto: true }"
    page.locator(".tw-motion").scroll_into_view_if_needed()
    page.wait_for_function(drawn % ("", options))
    page.locator(".md-footer").scroll_into_view_if_needed()
    page.wait_for_function(drawn % ("!", options))


def test_without_scripts_it_shows_both_ends(visit):
    page = visit("index.html", javascript=False)
    assert page.evaluate(HIGH, ".tw-lane-standard .tw-S") == 96
    assert not page.locator("tw-race .tw-controls").is_visible()


def test_what_was_read_is_marked_in_both_languages(visit):
    page = visit("softmax/safe-softmax.html", scroll=False)
    link = '.md-nav--primary a[href$="safe-softmax.html"]'
    tile = '.tw-book a[href$="safe-softmax.html"]'
    page.evaluate("localStorage.removeItem('tilewise-read')")
    page.locator(".md-footer").scroll_into_view_if_needed()
    page.wait_for_function("() => localStorage.getItem('tilewise-read')")
    assert page.locator(link).last.evaluate("x => x.classList.contains('tw-read')")
    root = page.url.rpartition("softmax/")[0]
    for start in ("index.html", "zh/index.html"):
        page.requested.clear()  # what the page before still asks for is aborted
        page.goto(root + start)
        page.locator(f"{tile}.tw-read").wait_for()
        assert page.locator(".tw-book .tw-read").count() == 1
        assert page.locator(".tw-count").inner_text()
