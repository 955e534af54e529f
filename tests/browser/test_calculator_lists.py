"""The calculator's lists of models and cards in Chromium."""

from ._calculator import PAGES, shows


def test_lists_fill_the_fields(visit):
    """A model and a card; a field changed by hand is no longer theirs."""
    page = visit(PAGES["en"])
    page.get_by_label("Model").select_option(label="gpt-oss-120b")
    layer = {"heads": "64", "kv_heads": "8", "d": "64"}
    shows(page, layer, "en")
    page.get_by_label("Other cards").select_option(label="RTX 4090")
    card = {"sram": "99", "bandwidth": "1.008", "tflops": "165.2", "memory": "24"}
    shows(page, layer | card | {"gpu": "own"}, "en")
    assert "N = 16,384" in page.locator("tw-calculator .tw-said").text_content()
    page.fill("#tw-calc-heads", "32")
    shows(page, layer | card | {"gpu": "own", "heads": "32"}, "en")
    assert page.get_by_label("Model").input_value() == ""
    assert page.get_by_label("Other cards").input_value()
