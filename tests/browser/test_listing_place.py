"""Where a listing's button and output are: nothing moves when it runs."""

import pytest

PRINTS = "flash-attention/tiling.html"
TOP = "(x) => x.getBoundingClientRect().top + scrollY"
GAP = """(block) => {
  const [code, out] = [block, block.nextElementSibling].map((x) =>
    x.querySelector("pre").getBoundingClientRect());
  return Math.abs(out.top - code.bottom);
}"""


def test_output_begins_where_its_listing_ends(visit):
    page = visit(PRINTS)
    for width in (1280, 400):
        page.set_viewport_size({"width": width, "height": 900})
        blocks = page.locator(".highlight:has(+ .output)").all()
        assert blocks and max(x.evaluate(GAP) for x in blocks) < 1, width


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_moves(visit, width):
    """The output is in the place of the page's own, and the field over the code."""
    page = visit(PRINTS, width=width)
    block = page.locator(".tw-run:has(+ .output)").first
    start, pre = block.locator(".tw-start"), block.locator("pre").first
    printed = page.locator(".tw-run + .output code").first
    before = [x.evaluate(TOP) for x in (start, pre, printed)]
    start.click()
    block.get_by_role("status").filter(has_text="Done in").wait_for()
    shown = block.get_by_role("region").locator("code")
    after = [x.evaluate(TOP) for x in (start, pre, shown)]
    assert max(abs(x - y) for x, y in zip(before, after, strict=True)) < 1
    code, field = (pre.locator(x).bounding_box() for x in ("code", "textarea"))
    assert abs(code["height"] - field["height"]) < 1


LONGEST = """(x) => {
  const box = document.querySelector(".md-content__inner > p").getBoundingClientRect();
  const letters = document.createRange();
  letters.selectNodeContents(x);
  const [text, place] = [letters, x].map((y) => y.getBoundingClientRect());
  return [text.left - box.left, place.right - text.right];
}"""


def test_letters_of_a_listing_begin_with_the_text_and_fit(visit):
    """At 1280 pixels, with 88 columns: 13 pixels a letter, and no line goes on."""
    page = visit("pitfalls/low-precision.html", width=1280)
    codes = page.locator(".md-content__inner > .highlight:not(.output) > pre > code")
    made = [x.evaluate(LONGEST) for x in codes.all()]
    assert len(made) > 5 and all(abs(left) < 1 for left, _ in made)
    assert min(right for _, right in made) > -4
    assert codes.first.evaluate("(x) => parseFloat(getComputedStyle(x).fontSize)") > 13
