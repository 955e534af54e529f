"""The filters of what was measured: what is chosen is what is drawn and listed."""

import json
import re

import pytest

from ._kept import alone

FILE = "gpu/measured.html"


@pytest.fixture
def look(visit):
    """look(lang="", …) opens the page and waits for what is shown, the plots."""

    def look(lang="", query="", shown=".tw-panels svg", **options):
        page = visit(f"{lang}{FILE}?{query}".rstrip("?"), **options)
        page.locator(shown).first.wait_for()
        return page

    return look


def data(page):
    """The values as they came with the page."""
    return page.evaluate(
        """() => { const { kernels, sizes } = document.querySelector("tw-measured");
        return { kernels, sizes }; }"""
    )


def tables(page):
    """Caption, names of the columns and rows of numbers of each table shown."""
    return page.locator("tw-measured table").evaluate_all(
        """all => all.map(t => [t.caption.textContent,
        [...t.rows].map(r => [...r.cells].map(c => c.textContent))])"""
    )


def panels(page):
    return page.locator(".tw-panels > svg").evaluate_all(
        "all => all.map(x => x.getAttribute('aria-label'))"
    )


def test_by_mouse(look):
    page = look()
    assert len(panels(page)) == 4 and len(tables(page)) == 2
    page.get_by_label("64", exact=True).uncheck()
    page.get_by_label("none", exact=True).uncheck()
    page.get_by_label("backward", exact=True).check()
    page.get_by_label("FlexAttention (Flex)", exact=True).uncheck()
    assert panels(page) == ["forward, d = 128, causal", "backward, d = 128, causal"]
    (_, [head, *rows]), (title, _) = tables(page)
    assert title == "backward, d = 128, TFLOP/s"
    assert head == ["length", "ours", "cuDNN", "FA4", "FA2", "plain Triton"]
    assert [row[0] for row in rows] == [f"{n}k causal" for n in (1, 2, 4, 8, 16)]
    found = data(page)["kernels"]["cudnn"]["forward"]["128"]["causal"]
    assert [row[2] for row in rows] == [str(speed) for speed, _ in found]
    point = page.locator(".tw-panels svg").first.locator(".tw-point").last
    point.hover(force=True)
    speed, ms = data(page)["kernels"]["ours"]["forward"]["128"]["causal"][-1]
    tip = page.locator(".tw-tip")
    assert tip.inner_text() == (
        f"ours: {speed} TFLOP/s, {ms} ms\nforward, d = 128, causal, N = 16k"
    )
    cell = page.locator("td.tw-on")
    assert cell.text_content() == str(speed) and not cell.is_visible()
    page.mouse.move(0, 0)
    assert not tip.is_visible()
    page.locator("tw-measured summary").click()  # the tables repeat the plots
    assert page.locator("tw-measured table").first.is_visible()


def test_by_keyboard(look):
    page = look()
    assert not page.get_by_label("two walks").is_visible()
    page.get_by_label("backward", exact=True).focus()
    page.keyboard.press("Space")
    assert len(panels(page)) == 8
    page.get_by_label("two walks").focus()
    page.keyboard.press("Tab")

    def now():
        return page.evaluate("document.activeElement.getAttribute('aria-label')")

    first = now()
    assert "N = 1k" in first and page.locator(".tw-tip").inner_text() == first
    page.keyboard.press("ArrowRight")
    assert now().partition(":")[0] == first.partition(":")[0] and "N = 2k" in now()
    speeds = []
    for _ in range(7):
        page.keyboard.press("ArrowUp")
        speeds.append(int(re.search(r": (\d+) ", now())[1]))
    assert speeds == sorted(speeds) and "N = 2k" in now()
    page.keyboard.press("Escape")
    assert not page.locator(".tw-tip").is_visible()
    page.keyboard.press("Tab")
    inside = "document.querySelector('.tw-panels').contains(document.activeElement)"
    assert not page.evaluate(inside), "one stop for all points"


@pytest.mark.parametrize("dark, lang", [(False, "zh/"), (True, "")])
def test_states_are_accessible(look, axe, fits, dark, lang):
    """The sweep sees it as it is at first."""
    page = look(lang, dark=dark, width=360, still=True)
    alone(page, "tw-measured")
    page.locator("[value='64']").uncheck()
    page.locator("[value='full']").uncheck()
    for box in page.locator("fieldset").last.locator("label:not([hidden]) input").all():
        box.check()
    page.locator("tw-measured summary").click()
    page.locator(".tw-point").first.focus()
    assert page.locator(".tw-tip").is_visible()
    axe(page, "tw-measured")
    fits(page)
    told = page.locator("tw-measured").inner_text()
    assert bool(re.search("[一-鿿]", told)) == bool(lang)
    assert not lang or not re.search("forward,|Kernels|length|ours", told)
    for box in page.locator("tw-measured fieldset").first.locator("input").all():
        box.uncheck()
    assert page.get_by_role("status").inner_text() and tables(page) == []
    axe(page, "tw-measured")


def test_address(look):
    page = look()
    assert "?" not in page.url
    page.get_by_label("causal", exact=True).first.uncheck()
    page.get_by_label("naive", exact=True).check()
    assert "mask=full" in page.url and "naive" in page.url
    shown = tables(page)
    there = tables(look("zh/", query=page.url.partition("?")[2]))
    numbers = [[row[1:] for row in rows[1:]] for _, rows in shown]
    assert numbers == [[row[1:] for row in rows[1:]] for _, rows in there]
    query = "d=9&mask=&kernel=%3Cb%3E&pass=sideways"
    page = look(query=query, shown=".tw-filter")
    page.locator("tw-measured .tw-problem:not(:empty)").wait_for()


def test_lines_have_names(look):
    """On a wide page each line ends with its name, none on another or outside."""
    page = look()
    panel = page.locator(".tw-panels svg").first
    names = panel.locator(".tw-name")
    head = tables(page)[0][1][0]
    assert {*names.all_text_contents()} == {*head[1:]}
    frame, at = panel.bounding_box(), [x.bounding_box() for x in names.all()]
    assert max(x["x"] + x["width"] for x in at) <= frame["x"] + frame["width"] + 1
    tops = sorted(x["y"] for x in at)
    assert min(b - a for a, b in zip(tops, tops[1:])) > 10

    def foot():
        return panel.locator("text").nth(1).text_content()

    assert foot() == "100"  # below the slowest
    page.get_by_label("naive", exact=True).check()
    assert foot() == "0"
    assert not look(width=390).locator(".tw-name").first.is_visible()


def test_without_scripts(visit):
    page = visit(FILE, javascript=False)
    assert page.locator("tw-measured svg").count() == 2
    assert page.locator(".tw-static table").count() == 4
    page.locator(".tw-static summary").click()
    script = page.locator("tw-measured script").text_content()
    static = page.locator(".tw-static table").first.locator("tbody tr").first
    ours = json.loads(script)["kernels"]["ours"]["forward"]["64"]["full"][0][0]
    assert static.locator("td").nth(1).inner_text() == str(ours)
