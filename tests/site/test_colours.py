"""One colour for each tensor: to be read on its ground, told apart, and found."""

import itertools
import math
import re
from collections import Counter
from operator import mul

import pytest
from built import FILES, soup
from draw.figures.memory.zigzag_balance import LOOKS
from every import every
from pages import ROOT

CSS = (ROOT / "docs/assets/tilewise.css").read_text("utf-8")
COLOUR = re.compile(r"--tw-([\w-]+): (#\w{6})")
LIGHT, DARK = (dict(COLOUR.findall(x)) for x in CSS.split("@media screen", 1))
SCHEMES = {"light": LIGHT, "dark": LIGHT | DARK}
TENSORS, GROUNDS = "qkvsom", ("paper", "hbm", "sram", "reg")
# Machado, Oliveira, Fernandes 2009: what an eye without one kind of cones sees
SEEN = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "no green": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
}
LETTER = {"Q": "q", "K": "k", "V": "v", "S": "s", "P": "s", "O": "o"}
OTHER = {  # letters of displayed equations that name no tensor
    "memory/many-gpus.html": {"K", "P"},  # H_K, and the number of ranks
    "memory/mla.html": {"K", "V"},  # indices of the matrices W
}


def linear(colour):
    """Red, green and blue in linear light."""
    parts = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    return [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]


def dot(a, b):
    return sum(map(mul, a, b))


def contrast(a, b):
    """WCAG's contrast of two colours."""
    light = sorted(dot((0.2126, 0.7152, 0.0722), linear(x)) for x in (a, b))
    return (light[1] + 0.05) / (light[0] + 0.05)


def lab(colour, eye):
    """CIE L*a*b* of a colour as an eye sees it."""
    rgb = [min(1, max(0, dot(row, linear(colour)))) for row in SEEN[eye]]
    xyz = [
        dot(row, rgb) / white
        for row, white in (
            ((0.4124, 0.3576, 0.1805), 0.95047),
            ((0.2126, 0.7152, 0.0722), 1),
            ((0.0193, 0.1192, 0.9505), 1.08883),
        )
    ]
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_contrast(scheme):
    colours = SCHEMES[scheme]
    for x in TENSORS:
        for ground in (*GROUNDS, f"{x}-bg"):
            assert contrast(colours[x], colours[ground]) > 4.5, (x, ground)
    for text, ground in itertools.product(
        ("ink", "muted"), (*GROUNDS, *(f"{x}-bg" for x in TENSORS))
    ):
        assert contrast(colours[text], colours[ground]) > 4.5, (text, ground)


@pytest.mark.parametrize("eye", SEEN)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_told_apart(scheme, eye):
    """No two tensors look alike, nor a tensor's fill and the memory below it."""
    colours, least = SCHEMES[scheme], 10 if eye == "all cones" else 4

    def far(a, b):
        return math.dist(lab(colours[a], eye), lab(colours[b], eye))

    for a, b in itertools.combinations(TENSORS, 2):
        assert far(a, b) > 1.4 * least, (a, b)
        assert far(f"{a}-bg", f"{b}-bg") > least, (a, b)
    for a, ground in itertools.product(TENSORS, GROUNDS if least > 4 else ()):
        assert far(f"{a}-bg", ground) > 9, (a, ground)


def laid(colour, full, ground):
    """A colour that is `full` opaque on its ground."""
    both = [[int(x[k : k + 2], 16) for k in (1, 3, 5)] for x in (colour, ground)]
    mixed = [round(full * a + (1 - full) * b) for a, b in zip(*both, strict=True)]
    return "#" + "".join(f"{x:02x}" for x in mixed)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_ranks(scheme):
    """Ranks of a figure differ from their neighbours, the page and their letters."""
    ink, paper, s = (SCHEMES[scheme][x] for x in ("ink", "paper", "s"))
    fills = [laid(s, full, paper) for full, _ in LOOKS]
    for fill, (_, edge) in zip(fills, LOOKS, strict=True):
        assert contrast(SCHEMES[scheme][edge], paper) > 3 or contrast(fill, paper) > 3
        assert contrast(paper if fill == fills[-1] else ink, fill) > 4.5
    for a, b in itertools.pairwise(fills):
        assert contrast(a, b) > 1.45
    assert contrast(SCHEMES[scheme]["muted"], SCHEMES[scheme]["hbm"]) > 3  # tw-latent


@every("file", FILES)
def test_displayed(file, site):
    """A capital letter of a tensor has its colour, unless it is an index."""
    for node in soup(site / file).select(".katex-display .mathnormal"):
        letter = node.get_text()
        if letter not in LETTER or letter in OTHER.get(file.removeprefix("zh/"), ()):
            continue
        marks = [c for x in node.parents for c in x.get("class", ()) if c[:4] == "tw-t"]
        assert f"tw-t{LETTER[letter]}" in marks, node.parent


def test_matrices(site):
    """The worked example's matrices have the colour of the letter left of them."""
    page = soup(site / "flash-attention/worked-example.html")
    found = Counter()
    for node in page.select(".katex-display [class*=tw-t]:has(.mtable)"):
        found[node["class"][-1][-1]] += 1
    assert found == {"q": 1, "k": 1, "v": 1, "s": 8, "m": 23, "o": 5}
