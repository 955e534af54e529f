"""What a page loads for its widgets while nobody touches or scrolls it."""

import gzip

import pytest

MOST = 13_000  # gzipped; with what stands in the page itself the growth is below 16 kB
HEAVY = ["softmax/merging", "softmax/online-softmax", "flash-attention/loop-order"]
HEAVY += ["flash-attention/worked-example", "memory/calculator", "gpu/measured"]
OWN = ("/assets/js/", "/assets/live/", "/assets/widgets.css", "/assets/tilewise.js")


@pytest.mark.parametrize("name", HEAVY)
def test_first_load(visit, site, address, name):
    """In a tall window, which shows all widgets that a lower one does, and more."""
    page = visit(f"{name}.html", scroll=False, height=1400)
    page.wait_for_load_state("networkidle")
    asked = {url.removeprefix(address) for url in page.requested}
    own = [x for x in asked if any(part in f"/{x}" for part in OWN)]
    sizes = {x: len(gzip.compress((site / x).read_bytes(), 9)) for x in own}
    print(name, sum(sizes.values()), sizes)
    assert "assets/widgets.css" in own and sum(sizes.values()) <= MOST, sizes
    assert not [x for x in asked if "micropython" in x or "python.json" in x]
