"""A coloured letter of an equation that is pointed at."""

WIDE = "x => getComputedStyle(document.querySelector(`svg.tw .tw-${x}`)).strokeWidth"


def test_outlines_its_tensor_alone(visit):
    page = visit("start/notation.html", still=True)
    before = page.evaluate(WIDE, "q"), page.evaluate(WIDE, "k")
    page.locator("td .katex-html .tw-tq").first.hover()
    assert (page.evaluate(WIDE, "q"), page.evaluate(WIDE, "k")) == ("4px", before[1])
    page.locator("h1").hover()
    assert page.evaluate(WIDE, "q") == before[0] != "4px"
