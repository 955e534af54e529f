"""Light or dark: as the system has it, or as a reader chose, from the first moment."""

import pytest

NOW = """() => [document.body.dataset.mdColorScheme,
  document.querySelector("[name=theme-color]").content,
  getComputedStyle(document.documentElement).colorScheme]"""
LIGHT, DARK = ["default", "#ffffff", "light"], ["slate", "#1a1e27", "dark"]
NAMES = {
    "index.html": ["Switch to dark mode", "Switch to light mode"],
    "zh/index.html": ["切换到深色模式", "切换到浅色模式"],
}


@pytest.mark.parametrize("file", NAMES)
def test_by_mouse(visit, file):
    """What is chosen stays; the Chinese page has other words and the same script."""
    page = visit(file, scroll=False)
    for name, wanted in zip(NAMES[file], [DARK, LIGHT]):
        switch = page.locator(".md-header__option label:visible")
        assert switch.count() == 1 and name in switch.get_attribute("title")
        switch.click()
        assert page.evaluate(NOW) == wanted
        if file == "index.html":
            page.reload()
            assert page.evaluate(NOW) == wanted


def test_by_keyboard(visit):
    page = visit("index.html", scroll=False)
    page.locator("#__palette_0").focus()
    for wanted in (DARK, LIGHT, DARK):
        page.keyboard.press("Enter")
        assert page.evaluate(NOW) == wanted
    assert page.evaluate("document.activeElement.id") == "__palette_2"


def test_the_system_changes(visit):
    page = visit("index.html", scroll=False, dark=True)
    assert page.evaluate(NOW) == DARK
    page.emulate_media(color_scheme="light")
    page.locator("body[data-md-color-scheme=default]").wait_for()
    page.locator(".md-header__option label:visible").click()  # dark, whatever comes
    page.emulate_media(color_scheme="dark")
    page.emulate_media(color_scheme="light")
    assert page.evaluate(NOW) == DARK
    page.locator(".md-header__option label:visible").click()  # as the system
    page.emulate_media(color_scheme="dark")
    page.locator("body[data-md-color-scheme=slate]").wait_for()


def test_without_scripts_it_is_light(visit):
    page = visit("index.html", javascript=False, dark=True)
    assert page.locator("body").get_attribute("data-md-color-scheme") == "default"
    assert page.locator(".md-header__option label:visible").count() == 0


def test_the_other_language_keeps_the_choice(visit):
    page = visit("softmax/safe-softmax.html", scroll=False)
    page.locator(".md-header__option label:visible").click()
    page.locator(".tw-switch").click()
    page.wait_for_url("**/zh/softmax/safe-softmax.html*")
    page.wait_for_load_state("networkidle")  # what a page still loads is not cut off
    assert page.evaluate(NOW) == DARK
    page.goto(page.url.replace("softmax/safe-softmax.html", "index.html"))
    assert page.evaluate(NOW) == DARK


def test_the_other_language_opens_at_the_same_section(visit):
    page = visit("softmax/safe-softmax.html#remember", scroll=False)
    page.locator("#remember").scroll_into_view_if_needed()
    page.locator(".tw-switch").click()
    page.wait_for_url("**/zh/softmax/safe-softmax.html#*")
    assert page.evaluate("document.querySelector(location.hash)?.localName") == "h2"
