"""Letters of equations: their fonts, and a coloured one that is pointed at."""

WIDE = "x => getComputedStyle(document.querySelector(`svg.tw .tw-${x}`)).strokeWidth"


def test_outlines_its_tensor_alone(visit):
    page = visit("start/notation.html", still=True)
    before = page.evaluate(WIDE, "q"), page.evaluate(WIDE, "k")
    page.locator("td .katex-html .tw-tq").first.hover()
    assert (page.evaluate(WIDE, "q"), page.evaluate(WIDE, "k")) == ("4px", before[1])
    page.locator("h1").hover()
    assert page.evaluate(WIDE, "q") == before[0] != "4px"


def test_the_fonts_have_them_all(visit):
    """Each character of an equation is in one of the fonts that the site brings."""
    page = visit("reference/formulas.html", scroll=False)
    page.evaluate("document.fonts.ready")
    ask = page.session.send
    ask("DOM.enable"), ask("CSS.enable")
    root = ask("DOM.getDocument", {"depth": 0})["root"]["nodeId"]
    leaves = ".katex-html span:not(:has(*), .vlist-s)"
    found = ask("DOM.querySelectorAll", {"nodeId": root, "selector": leaves})["nodeIds"]
    fonts = [
        font
        for node in found
        for font in ask("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
    ]
    ask("DOM.disable")
    assert len(fonts) > 500 and [x for x in fonts if not x["isCustomFont"]] == []
