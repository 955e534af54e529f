"""The menu of a narrow window: shut it takes no focus, by keyboard it opens."""

import pytest

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
