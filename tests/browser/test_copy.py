"""The copy button, pressed: what it leaves in the clipboard is the listing above it."""

import pytest
from built import soup

FILES = ["softmax/one-pass.html", "zh/flash-attention/tiling.html", "gpu/use-it.html"]


@pytest.mark.parametrize("file", FILES)
def test_first_listing(visit, site, file):
    page = visit(file)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("button[data-clipboard-target]").first.click()
    page.locator(".md-dialog--active").wait_for()
    block = soup(site / file).select_one("article .highlight:not(.no-copy) pre > code")
    text = page.evaluate("navigator.clipboard.readText()")
    assert text == block.get_text().rstrip() and len(text) > 50
