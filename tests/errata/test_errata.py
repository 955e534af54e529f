"""Every erratum comes to what exact arithmetic says, and stands on the page so."""

import math
import re

import pytest
from repository import ROOT

from tilewise.errata import ENTRIES, show
from tilewise.errata.example import error
from tilewise.errata.loops import algorithm_2

from . import _errata_exact as ex

PAGES = [ROOT / f"docs/{lang}/pitfalls/errata.md" for lang in ("en", "zh")]
PAGES = [page for page in PAGES if page.exists()]
KEYS = {"id", "source", "place", "run", "printed", "right", "test", "unit"}
PAPERS = ("fa1-", "fa2-", "fa3-")

PACKED = [(0, 1), (0, 1), (2, 3), (2, 3)]  # two documents of two
LOCAL = [(0, 2), range(4), (0, 2), range(4)]  # triu(1) in each of four tiles
VISIBLE = [(0, 2, 3), range(4), (0, 1, 2), range(4)]  # the block above left open
SHARED = 164 * 2**10 * 108, 128 * 108 * 1.41e9  # A100: bytes, bytes/s of the chip
LONG = 64, 2**16  # d and elements of SRAM


def columns(i, j):
    """Column i of dO and column j of O, in the case of N = d = 2."""
    return [row[i] for row in ex.DO2], [row[j] for row in ex.O2]


# what the printed form comes to, or (printed, right); the right one is 0 if not given
COMES_TO = {
    "fa2-line-10": 4,
    "fa2-first-spared": ex.combined(lambda a, b, f, g, l_1, l: (a / f + g * b) / l),
    "fa2-o2": ex.combined(lambda a, b, f, g, l_1, l: l / l_1 * a / l_1 + g * b / l),
    "fa2-o2-iclr": ex.combined(lambda a, b, f, g, l_1, l: (a + g * b) / l),
    "fa2-unscaled": ex.combined(lambda a, b, f, g, l_1, l: (a / l_1**2 + g * b) / l),
    "fa2-standard": ex.combined(lambda a, b, f, g, l_1, l: f * a / l + g * b),
    "fa2-dk": math.log(2) * ex.off(ex.WRONG_DK2, ex.DK2),
    "fa2-d-shape": ex.square(lambda r, j: ex.dot(*columns(j, j))),
    "fa2-causal-blocks": ex.off(ex.seen(VISIBLE), ex.CAUSAL),
    "fa2-scale": ex.off(ex.scaled(1 / 2), ex.scaled(2**-0.5)),
    "fa3-line-21": 4,
    "fa3-loop": ex.skipping((0, 1, 3)),
    "fa3-copy": ex.two_stages(copied=False),
    "fa3-epilogue": ex.two_stages(divided=False),
    "fa3-loop-3": ex.skipping((2, 3)),
    "fa1-proof": ex.combined(lambda a, b, f, g, l_1, l: (l_1**2 * f * a + g * b) / l),
    "fa1-columns": ex.off([[ex.dot(p, v) for v in ex.V2] for p in ex.P2], ex.O2),
    "fa1-fewer": [ex.traffic(4096, d, 25600) / ex.standard(4096, d) for d in (128, 64)],
    "fa1-sub-quadratic": (ex.traffic(2**17, *LONG) / ex.traffic(2**16, *LONG), 4),
    "scale-by-length": ex.off(ex.scaled(2), ex.scaled(2**-0.5)),
    "mask-plus-infinity": 3,  # all rows that hide a key
    "softmax-over-queries": ex.axis(),
    "start-plus-infinity": 4,
    "first-block-hidden": 1,
    "other-blocks-maximum": ex.combined(lambda a, b, f, g, l_1, l: f * (a + b) / l),
    "rescaled-twice": ex.rescaled_twice(),
    "add-lse": ex.add_lse(),
    "zeros-for-padding": ex.zeros(),
    "jacobian-without-p": ex.without_p(),
    "gradient-without-scale": (2**0.5, 1),
    "delta-of-a-block": ex.square(lambda r, j: ex.dot(*columns(r, j))),
    "forward-again": (2 + 5, 5),
    "broadcast-hides-shape": 2,
    "index-left-over": ex.off([ex.V[3]] * 4),
    "causal-by-local-index": ex.off(ex.seen(LOCAL), ex.CAUSAL),
    "cached-buffer": ex.off(ex.O[2:], ex.O[:2]),
    "packed-without-mask": max(1 - p[i] - p[j] for p, (i, j) in zip(ex.P, PACKED)),
    "half-precision-sum": (math.inf, 70000),
    "memory-by-assertion": 2,  # s for the maximum and p for everything else
    "weights-returned": 1,
    "this-is-algorithm-2": (2, 4),
    "written-once": (1, 1024 // 256 + 1),
    "without-computing": (0, 4 * 4),
    "geometric-progression": (1, len({3 / 2, 7 / 6, 9 / 7})),  # of 1, 3/2, 7/4, 9/4
    "linear-attention": (2, 4),
    "time-for-memory": (14 / 12, ex.both_passes(1024, 64, 200)),
    "fewer-flops": (0.008, 1),
    "stream-processors": (108, 6912),
    "sram-bandwidth": (SHARED[1] / 1e12, 128 * 1.41e9 / 1e12),
    "hbm-is-small": (round(80 * 2**30 / SHARED[0], -2), 2.039e12 / SHARED[1]),
    "l-or-m-and-l": (9 / 4, 1),
    "base-2": ex.base_2(),
    "top-left": ex.off(ex.seen([(0,), (0, 1)] * 2)[2:], ex.CAUSAL[2:]),
}


def pair(name):
    found = COMES_TO[name]
    return tuple(found) if isinstance(found, tuple | list) else (found, 0)


def near(x, y):
    return x == y or math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-12)


each = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["id"])


def test_registry_is_complete():
    assert [entry["id"] for entry in ENTRIES] == list(COMES_TO)
    for entry in ENTRIES:
        texts = [entry[key] for key in sorted(KEYS - {"run"})]
        assert all(isinstance(x, str) and x.strip() for x in texts), entry["id"]
        assert entry["printed"] != entry["right"]
        paper = entry["id"].startswith(PAPERS)
        assert paper == entry["source"].startswith("FlashAttention")
        assert bool(entry["mended"]) == paper  # of a paper: in which version, if any


@each
def test_comes_to_what_exact_arithmetic_says(entry):
    """The printed form is wrong by the number claimed; the right form agrees."""
    printed, right = entry["run"]()
    assert near(printed, float(pair(entry["id"])[0]))
    assert near(right, float(pair(entry["id"])[1]))
    assert not near(printed, right)


@each
def test_printed_digits_are_the_same_on_every_machine(entry):
    """No number lies where rounding could go either way."""
    for x in entry["run"]():
        if isinstance(x, float) and 0 < abs(x) < math.inf:
            assert show(x * (1 - 1e-9)) == show(x) == show(x * (1 + 1e-9))


def stretch(page, name):
    """The text of the page from the anchor of an entry to the next entry's."""
    text = re.sub(r"(?<=\d),(?=\d{3})", "", page.read_text("utf-8"))
    names = "|".join(re.escape(entry["id"]) for entry in ENTRIES)
    parts = re.split(rf"\{{ #({names}) \}}", text)
    found = [after for key, after in zip(parts[1::2], parts[2::2]) if key == name]
    assert len(found) == 1, f"{name} has {len(found)} anchors"
    return found[0]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parts[-3])
@each
def test_stands_on_the_page(entry, page):
    """With an anchor of its own, its numbers and the places where it was reported."""
    text = stretch(page, entry["id"])
    for x in entry["run"]():
        if x and not (isinstance(x, float) and abs(x) < 1e-12):
            number = re.escape(show(x).replace(",", ""))
            assert re.search(rf"(?<![\d.]){number}(?![\d.]*\d)", text), show(x)
    whole = page.read_text("utf-8")
    assert all(f"issues/{number}" in whole for number in entry["reported"])


def test_both_lines_of_algorithm_2_together():
    """Lines 16 and 20 as printed, with the loop's bound mended: 12, as on the page."""
    both = {"copied": False, "divided": False}
    printed = error(algorithm_2(4, **both))
    assert near(printed, float(ex.two_stages(**both)))
    for page in PAGES:
        assert f" {show(printed)}" in stretch(page, "fa3-epilogue")


def test_numbers_are_shown_short():
    assert [show(x) for x in (6912, 0.97584, 1e-13, math.inf)] == [
        "6,912",
        "0.976",
        "0",
        "∞",
    ]
    assert show(math.nan) == "NaN"
