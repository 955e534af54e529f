"""The menu of a narrow window: shut it takes no focus, by keyboard it opens."""

from contextlib import suppress

import pytest
from draw.tables.start.contents import nav
from playwright.sync_api import TimeoutError

from ._kept import alone

FILES = ["softmax/one-pass.html", "zh/softmax/one-pass.html"]
FOCUS = """() => {
  const one = document.activeElement, box = one.getBoundingClientRect();
  const middle = [box.left + box.width / 2, box.top + box.height / 2];
  const top = document.elementFromPoint(...middle);
  return { name: one.id || one.getAttribute("href"), menu: !!one.closest(".md-sidebar"),
    seen: one.localName === "input" || one.contains(top) };
}"""


def press(page, key, count=1):
    """What has the focus after each press."""
    made = []
    for _ in range(count):
        page.keyboard.press(key)
        made.append(page.evaluate(FOCUS))
    return made


@pytest.mark.parametrize("file", FILES)
def test_by_keyboard(visit, axe, fits, file):
    page = visit(file, width=360, still=True, scroll=False)
    page.locator("#__drawer").focus()
    assert not any(x["menu"] for x in press(page, "Tab", 12))
    page.locator("#__drawer").focus()
    page.keyboard.press("Space")
    page.locator(".md-sidebar--primary").wait_for()
    found = [x for x in press(page, "Tab", 16) if x["menu"]]
    names = [x["name"] for x in found]
    assert (
        "merging.html" in names and "__nav_3" in names
    )  # its part of the menu is open
    assert "__nav_2" not in names  # and covers the others
    assert all(x["seen"] for x in found), found
    fits(page)
    if file != FILES[0]:  # the same elements, scripts and styles
        return
    page.locator("#__nav_3").focus()
    page.keyboard.press("Space")
    names = [x["name"] for x in press(page, "Tab", 3)]
    assert names == ["__nav_4", "__nav_5", "__nav_6"]
    alone(page, ".md-sidebar--primary")
    axe(page, ".md-sidebar--primary")


KEEP = """([read, solved]) => {
  localStorage.setItem("tilewise-read", JSON.stringify(read));
  localStorage.setItem("tilewise-exercises", JSON.stringify(solved));
  dispatchEvent(new Event("tilewise-exercises"));
}"""
SCROLL = """(down) => new Promise((done) => {
  scrollTo({ top: down, behavior: "instant" });
  requestAnimationFrame(() => requestAnimationFrame(done));
})"""
AFTER = """(one) => getComputedStyle(one, "::after").content"""


def said(page, link):
    """What the menu says after the name of a page or a part."""
    return page.locator(f"{link} .md-ellipsis").first.evaluate(AFTER)


def test_parts_fold_and_count(visit, axe):
    """Only the part of the page is open; by keyboard the others open and shut."""
    page = visit("softmax/one-pass.html", width=1440, still=True, scroll=False)
    there = page.locator("a.md-nav__link[href='../why/gpu-memory.html']")
    assert page.locator("a.md-nav__link[href='merging.html']").is_visible()
    for seen in (True, False, True):
        page.locator("#__nav_2").focus()
        assert press(page, "Space")[0]["name"] == "__nav_2"
        there.wait_for(state="visible" if seen else "hidden")
        inside = "../why/gpu-memory.html" in press(page, "Tab")[0]["name"]
        assert inside == seen
    read = ["softmax/merging.html", "softmax/safe-softmax.html"]
    page.evaluate(KEEP, [read, {"merge": {"solved": True}, "delta": {"code": "x"}}])
    pages = nav("en")["Softmax"]
    assert said(page, "[for=__nav_3]") == f'"2/{len(pages)}"'
    assert said(page, "[for=__nav_2]") == "none"
    assert "✓" in said(page, "a[href='merging.html']")
    assert said(page, "a[href='../reference/exercises.html']") == '"1 ✓"'
    alone(page, ".md-sidebar--primary")
    axe(page, ".md-sidebar--primary")
    page.evaluate(KEEP, [[], {}])
    assert said(page, "[for=__nav_3]") == said(page, "a[href='merging.html']") == "none"


@pytest.mark.parametrize("width", [360, 1440])
def test_exercises_have_ticks_and_a_long_page_a_way_up(visit, axe, width):
    page = visit("reference/exercises.html", width=width, still=True, scroll=False)
    page.evaluate(KEEP, [[], {"merge": {"solved": True}, "delta": {"code": "x"}}])
    solved = page.locator(".md-sidebar--secondary .tw-solved")
    assert solved.evaluate_all("(all) => all.map((x) => x.hash)") == ["#merge"]
    page.evaluate(KEEP, [[], {}])
    assert solved.count() == 0
    up = page.locator(".md-top:not([hidden])")
    for _ in range(5):  # what is drawn late, above, moves the page and hides the link
        for down in (5000, 5100, 4500, 4400):
            page.evaluate(SCROLL, down)
        with suppress(TimeoutError):
            up.click(timeout=8000)
            break
    page.wait_for_function("() => scrollY === 0")
    page.locator(".md-top").evaluate("(one) => { one.hidden = false; }")
    axe(page, ".md-top")
