"""The online-softmax strip, by mouse and by keyboard, beside what CPython says."""

import json
import random
import re

import pytest

from tilewise.live import answer

ONLINE, MERGING = "softmax/online-softmax.html", "softmax/merging.html"
HOSTILE = ["", "abc", "nan", "1e308", "1 " * 10000, "<script>alert(1)</script>"]


@pytest.fixture
def look(visit):
    """look(file, …) opens a page and waits for the strip."""

    def look(file, **options):
        page = visit(file, **options)
        page.locator("tw-strip .tw-field").wait_for()
        return page

    return look


def element(page):
    return page.locator("tw-strip")


def row(page, n):
    """The texts of a row of the table, its name left out."""
    return element(page).locator("tr").nth(n).locator("td").all_inner_texts()


def answered(page, text):
    """Wait until Python has said something to a row: a state or a problem."""
    page.wait_for_function(
        """(text) => { const strip = document.querySelector("tw-strip");
        return strip.asked?.scores === text && strip.ariaBusy === "false"; }""",
        arg=text,
    )


def change(page, text):
    """Type a row of scores and wait for the answer."""
    page.locator("tw-strip .tw-field").fill(text)
    answered(page, text)


def cpython(name, scores, unit):
    request = {"ask": name, "input": {"scores": scores, "unit": unit}}
    return json.loads(answer(json.dumps(request)))["result"]


def numbers(data):
    """Every number of an answer, in order, with the texts between."""
    if isinstance(data, dict):
        return [y for key in sorted(data) for y in numbers(data[key])]
    return [y for x in data for y in numbers(x)] if isinstance(data, list) else [data]


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


def test_by_keyboard(look):
    page = look(ONLINE)
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


def test_halves(look):
    page = look(MERGING)
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


@pytest.mark.parametrize("file, name", [(ONLINE, "strip"), (MERGING, "cuts")])
def test_as_cpython_says(look, file, name):
    page, draw = look(file), random.Random(name)
    rows = []
    for _ in range(100):
        most = draw.choice((1, 10, 500))
        scores = [draw.uniform(-most, most) for _ in range(draw.randint(1, 9))]
        rows.append([" ".join(map(repr, scores)), draw.choice("2e")])
    made = element(page).evaluate(
        """async (strip, rows) => { const made = [];
        for (const row of rows) { await strip.compute(...row); made.push(strip.data); }
        return made; }""",
        rows,
    )
    for asked, data in zip(rows, made, strict=True):
        told = numbers(cpython(name, *asked))
        for a, b in zip(numbers(data), told, strict=True):
            assert a == b or abs(a - b) <= 1e-12 * abs(b)


@pytest.mark.parametrize("lang, texts", [("", HOSTILE), ("zh/", HOSTILE[3:])])
def test_hostile_rows(look, axe, fits, lang, texts):
    page = look(lang + MERGING, width=360)
    before = row(page, 3)
    for text in texts:
        change(page, text)
        told = page.locator("tw-strip .tw-problem").inner_text()
        assert told and bool(re.search("[一-鿿]", told)) == bool(lang)
        assert (
            page.locator("tw-strip .tw-field").get_attribute("aria-invalid") == "true"
        )
        assert row(page, 3) == before
        fits(page)
    axe(page, "tw-strip")
    change(page, "1 2")
    assert page.locator("tw-strip .tw-problem").inner_text() == ""
    page = look(lang + MERGING + "?scores=%3Cb%3E&unit=x&at=NaN")
    page.locator("tw-strip .tw-problem:not(:empty)").wait_for()


@pytest.mark.parametrize("file", [ONLINE, MERGING])
@pytest.mark.parametrize("dark, lang", [(False, "zh/"), (True, "")])
def test_states_are_accessible(look, axe, fits, file, dark, lang):
    page = look(lang + file, dark=dark, width=360, still=True)
    axe(page, "tw-strip")
    change(page, "1000 -inf 1001")
    axe(page, "tw-strip")
    change(page, " ".join(map(str, range(64))))
    fits(page)
    told = element(page).inner_text()
    assert bool(re.search("[一-鿿]", told)) == bool(lang)
    assert not lang or not re.search("score|sum|weight|Step|maximum", told)


def test_address(look):
    page = look("zh/" + ONLINE)
    assert "?" not in page.url
    page.get_by_role("button", name="2 −∞ 1").click()
    page.wait_for_function("() => location.search.includes('scores')")
    page.get_by_label("第 3 个分数").click(force=True)
    said = element(page).inner_text()
    page = look("zh/" + ONLINE + "?" + page.url.partition("?")[2])
    answered(page, "2 -inf 1")
    assert element(page).inner_text() == said and row(page, 3)[2] == "3/2"


def test_without_scripts(visit):
    page = visit(ONLINE, javascript=False)
    assert row(page, 3) == ["1", "3/2", "7/4", "9/4"]
    assert page.locator("tw-strip input").count() == 0
