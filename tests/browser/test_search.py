"""The search: its index is loaded when a reader turns to it, and it finds pages."""

import pytest

WORDS = {"en": ("rescale", "index.html"), "zh": ("重新缩放", "zh/index.html")}
OPENED = "Promise.allSettled(document.getAnimations().map((x) => x.finished))"
FIELD, RESULT = "[data-md-component=search-query]", ".md-search-result__item a"


def index(page):
    return [x for x in page.requested if x.endswith("search_index.json")]


def results(page, word):
    """What the search finds, typed into its field."""
    page.keyboard.type(word)
    page.keyboard.press("End")  # the theme listens for keys
    page.locator(RESULT).first.wait_for()
    return page.locator(RESULT).count()


@pytest.mark.parametrize("lang", WORDS)
def test_by_keyboard(visit, axe, lang):
    word, file = WORDS[lang]
    page = visit(file)
    page.wait_for_load_state("networkidle")
    assert index(page) == []
    page.keyboard.press("/")
    assert results(page, word) >= 3 and len(index(page)) == 1
    axe(page, ".md-search")
    page.locator(RESULT + ":not([href$='h='])").first.focus()  # a section of a page
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "h=" in url)
    if lang == "en":  # the theme marks no Chinese words
        page.locator("mark", has_text=word).first.wait_for(state="attached")


def test_by_mouse(visit, fits):
    page = visit("memory/calculator.html")
    page.locator(FIELD).click()
    assert results(page, "log-sum-exp") >= 3 and len(index(page)) == 1
    fits(page)
    page.locator(FIELD).fill("")
    page.locator(RESULT).first.wait_for(state="detached")
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 360, "height": 900})
    page.locator("label.md-header__button[for=__search]").click()
    page.locator(FIELD + ":focus").wait_for()
    assert results(page, "log-sum-exp") >= 3 and len(index(page)) == 1
    page.evaluate(OPENED)  # the field comes out of a circle that grows beyond the page
    fits(page)


@pytest.mark.parametrize("lang", WORDS)
def test_from_a_folder(browser, site, lang):
    """Where no server answers, a frame takes the worker's place."""
    word, file = WORDS[lang]
    page = browser.new_page()
    page.set_default_timeout(15000)
    wrong = []
    page.on("console", lambda line: wrong.append(line.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto((site / file).as_uri())
    page.locator(FIELD).click()
    assert results(page, word) >= 3 and wrong == []
    page.close()
