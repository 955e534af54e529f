"""What the glossary says of a term, at its first use: by mouse and by keyboard."""

import pytest

FILES = ["gpu/kernel-ladder.html", "zh/gpu/kernel-ladder.html"]
TMA = "a.tw-term[href$='#tma']"
LOW = "(x) => scrollBy(0, x.getBoundingClientRect().bottom - innerHeight)"
SHOWN = "(x) => x.hasAttribute('aria-describedby')"


@pytest.mark.parametrize("file", FILES)
def test_by_mouse_and_by_keyboard(visit, axe_both, fits, file):
    page = visit(file, scroll=False, still=True)
    link, card = page.locator(TMA), page.locator("#tw-card")
    assert not [x for x in page.requested if x.endswith("terms.js")]
    link.hover()
    card.wait_for()
    assert "Tensor Memory Accelerator" in card.inner_text()
    assert link.get_attribute("aria-describedby") == "tw-card"
    box, above = card.bounding_box(), link.bounding_box()
    assert abs(box["y"] - above["y"] - above["height"]) < 8
    card.hover()
    page.wait_for_timeout(400)
    assert card.is_visible(), "it stays while the pointer is on it"
    axe_both(page, "#tw-card")
    axe_both(page, TMA)
    page.keyboard.press("Escape")
    card.wait_for(state="hidden")
    assert link.get_attribute("aria-describedby") is None
    page.mouse.move(0, 0)
    link.focus()
    card.wait_for()
    page.keyboard.press("Tab")
    page.wait_for_function("""() => document.querySelector("#tw-card").hidden ||
      !document.querySelector("#tw-card").textContent.includes("Accelerator")""")
    assert len([x for x in page.requested if x.endswith("terms.js")]) == 1


def test_on_a_phone_and_at_the_edges(visit, fits):
    """No card leaves the window; one for whom there is no room below is above."""
    page = visit(FILES[1], width=360, scroll=False, still=True)
    card = page.locator("#tw-card")
    for link in page.locator("a.tw-term").all():
        link.evaluate(
            "(x) => scrollBy(0, x.getBoundingClientRect().bottom - innerHeight)"
        )
        link.focus()
        page.wait_for_function(SHOWN, arg=link.element_handle())
        box = card.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 360
        assert box["y"] + box["height"] <= 900, box
    fits(page)


def test_by_touch(browser, address):
    """The first touch shows what the term means, the second leads to its entry."""
    context = browser.new_context(has_touch=True)
    page = context.new_page()
    page.goto(address + FILES[0])
    link, card = page.locator(TMA), page.locator("#tw-card")
    link.tap()
    card.get_by_text("Accelerator").wait_for()
    page.locator("h1").tap()
    card.wait_for(state="hidden")
    link.tap()
    card.wait_for()
    assert page.url.endswith(FILES[0])
    link.tap()
    page.wait_for_url("**/reference/glossary.html#tma")
    context.close()


def test_without_scripts_it_is_a_link(visit):
    page = visit(FILES[0], javascript=False)
    page.locator(TMA).click()
    page.wait_for_url("**/reference/glossary.html#tma")


def test_from_a_folder(browser, site):
    page = browser.new_page()
    page.goto((site / FILES[0]).as_uri())
    page.locator(TMA).hover()
    page.locator("#tw-card").get_by_text("Accelerator").wait_for()
    for file, said in ("memory/calculator.html", "server"), ("zh/index.html", "服务器"):
        page.goto((site / file).as_uri())
        assert said in page.locator("tw-calculator, tw-race").inner_text()
    page.close()
