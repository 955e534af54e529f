"""The online-softmax strip, by mouse and by keyboard, beside what CPython says."""

import re

import pytest

from ._kept import again, alone, kept
from ._strip import answered, change, element, row

ONLINE, MERGING = "softmax/online-softmax.html", "softmax/merging.html"
HOSTILE = ["", "abc", "nan", "1e308", "1 " * 10000, "<script>alert(1)</script>"]


@pytest.fixture(scope="module")
def opened(windows):
    """{file: its page}, for one test after another."""
    with kept(windows, ONLINE) as one, kept(windows, MERGING) as other:
        yield {ONLINE: one, MERGING: other}


@pytest.fixture
def fresh(opened):
    """fresh(file) is a page with its strip as at first."""

    def fresh(file, query="", width=1280):
        page = opened[file]
        page.set_viewport_size({"width": width, "height": 900})
        page.requested.clear()
        again(page, "tw-strip", query)
        page.locator("tw-strip .tw-field").wait_for()
        return page

    return fresh


@pytest.fixture
def look(visit):
    """look(file, …) opens a page and waits for the strip."""

    def look(file, **options):
        page = visit(file, **options)
        page.locator("tw-strip .tw-field").wait_for()
        return page

    return look


def in_its_language(page, chinese):
    told = element(page).inner_text()
    assert bool(re.search("[一-鿿]", told)) == chinese
    assert not chinese or not re.search("score|sum|weight|Step|maximum|number", told)


def test_by_mouse(look):
    page = look(ONLINE)
    assert row(page, 3) == ["1", "3/2", "", ""]
    page.get_by_role("button", name="Step").click()
    assert row(page, 3) == ["1", "3/2", "7/4", ""]
    assert "ℓ = 21 − 2 · 3/2 + 22 − 2 = 3/4 + 1 = 7/4" in page.locator(
        "tw-strip .tw-says"
    ).inner_text().replace("\n", " ")
    page.get_by_label("score 4: 1").click(force=True)
    assert row(page, 3)[3] == "9/4"
    assert not [x for x in page.requested if "micropython" in x], "nothing to compute"
    page.get_by_role("button", name="Move left").click()
    answered(page, "0 1 1 2")
    assert row(page, 3) == ["1", "3/2", "5/2", ""]
    page.get_by_role("button", name="1000 1001 999").click()
    page.get_by_text("Naive softmax fails").wait_for()
    assert row(page, 6) == ["NaN"] * 3 and row(page, 4)[0] == "0.2447"


def test_by_keyboard(fresh):
    page = fresh(ONLINE)
    page.locator("tw-strip .tw-field").focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("3 -inf 1")
    answered(page, "3 -inf 1")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")  # the other unit
    page.locator("tw-strip .tw-says").get_by_text("e3 − 3").wait_for()
    for _ in range(5):  # four rows to try, then the scores
        page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert row(page, 3) == ["1", "1", "1.135"]
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # back
    assert row(page, 3) == ["1", "1", ""]
    for _ in range(2):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # move left
    answered(page, "-inf 3 1")
    assert row(page, 1) == ["−∞", "", ""]


def test_halves(fresh):
    page = fresh(MERGING)
    assert row(page, 1) == ["A: m = −1, ℓ = 2", "B: m = 0, ℓ = 5/4"]
    for _ in range(2):
        page.get_by_role("button", name="Back").click()
    assert row(page, 1) == ["B: m = 0, ℓ = 9/4"]
    assert page.get_by_text("A has no finite score").is_visible()
    page.get_by_label("cut after score 3").click(force=True)
    assert row(page, 2) == ["1/2", "1"] and row(page, 3) == ["m = 0, ℓ = 9/4"]
    page.get_by_role("button", name="Swap").click()
    answered(page, "0 -1 -1 -2")
    assert row(page, 2) == ["1", "1/2"] and row(page, 3) == ["m = 0, ℓ = 9/4"]


def test_hostile_rows(fresh, fits):
    page = fresh(MERGING, width=360)
    before = row(page, 3)
    for text in HOSTILE:
        change(page, text)
        told = page.locator("tw-strip .tw-problem").inner_text()
        assert told and not re.search("[一-鿿]", told)
        field = page.locator("tw-strip .tw-field")
        assert field.get_attribute("aria-invalid") == "true"
        assert row(page, 3) == before
        fits(page)
    change(page, "1 2")
    assert page.locator("tw-strip .tw-problem").inner_text() == ""
    page = fresh(MERGING, "?scores=%3Cb%3E&unit=x&at=NaN")
    page.locator("tw-strip .tw-problem:not(:empty)").wait_for()


@pytest.mark.parametrize("file, dark", [(ONLINE, False), ("zh/" + MERGING, True)])
def test_states_are_accessible(look, axe, fits, file, dark):
    """On a phone, with what Python says and with what it does not take."""
    page = look(file, dark=dark, width=360, still=True)
    alone(page, "tw-strip")
    change(page, "1000 -inf 1001")
    axe(page, "tw-strip")
    change(page, " ".join(map(str, range(64))))
    fits(page)
    change(page, "1e308 x")
    axe(page, "tw-strip")
    fits(page)
    in_its_language(page, file.startswith("zh/"))


def test_address(look):
    page = look("zh/" + ONLINE)
    assert "?" not in page.url
    page.get_by_role("button", name="2 −∞ 1").click()
    page.wait_for_function("() => location.search.includes('scores')")
    page.get_by_label("第 3 个分数").click(force=True)
    said = element(page).inner_text()
    in_its_language(page, True)
    page = look("zh/" + ONLINE + "?" + page.url.partition("?")[2])
    answered(page, "2 -inf 1")
    assert element(page).inner_text() == said and row(page, 3)[2] == "3/2"


def test_without_scripts(visit):
    page = visit(ONLINE, javascript=False)
    assert row(page, 3) == ["1", "3/2", "7/4", "9/4"]
    assert page.locator("tw-strip input").count() == 0
