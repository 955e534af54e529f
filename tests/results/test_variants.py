"""What was tried on the Gluon kernels can be tried again; pages say what it gave."""

import pytest
from draw.figures._bench import newest
from draw.figures._plot import results
from measure.variants import _backward_variants as backward
from measure.variants import _forward_variants as forward
from repository import ROOT

from tilewise.bench.cells import geometric

CASES = [(m, name) for m in (forward, backward) for name in m.VARIANTS]


@pytest.mark.parametrize("module, name", CASES, ids=lambda x: getattr(x, "__name__", x))
def test_a_variant_is_the_kernel_with_its_changes(module, name):
    base, text = module.text("base"), module.text(name)
    compile(base, "base", "exec")
    compile(text, name, "exec")
    tile = module is forward and forward.VARIANTS[name]["tile"]
    assert (text == base) == bool(tile)


def speed(name, variant, run="variants", **cells):
    """The geometric mean of a variant's speed beside the kernel's, in these cells."""
    rows = results(newest(f"{name}-{run}").stem)["rows"]
    cells["variant"] = variant
    found = [x for x in rows if cells.items() <= x.items()]
    return geometric([x["base_ms"] / x["ms"] for x in found])


def words():
    """What the pages say beside the tables of the variants."""
    page = "hopper-pipeline"
    drawn = speed("forward", "longest_first", d=128, causal=True)
    yield page, f"longest first reaches {drawn:.2f} of the speed"
    yield page, f"anew: {speed('forward', 'one_q', n=1024):.2f} at \\(N\\) = 1k"
    cells = [(64, False), (64, True), (128, True)]
    gain = [100 / speed("forward", "no_turns", d=d, causal=c) - 100 for d, c in cells]
    yield page, f"and give {min(gain):.0f} to {max(gain):.0f}% elsewhere"
    assert abs(speed("forward", "no_turns", d=128, causal=False) - 1) < 0.01
    yield page, "Turns do nothing at \\(d = 128\\) without a mask"
    starts = [speed("backward", "no_add_warp", d=d) for d in (64, 128)]
    assert all(abs(x - 1) < 0.01 for x in starts), starts
    yield "backward-kernels", "Who starts the additions does not matter"


def pair(variant, run="bounds", **cells):
    return [speed("backward", variant, run, d=d, **cells) for d in (64, 128)]


def test_only_the_early_l_helps():
    """Within one percent: a second copy of the kernel, and what is said to be equal."""
    for run in ("bounds", "window"):
        assert all(abs(x - 1) < 0.01 for x in pair("base2", run))
    others = ("late", "named_all", "named_ds", "pdl")
    assert all(x < 1.01 for name in others for x in pair(name))
    assert pair("early_lse")[1] > 1.02 and pair("early_lse")[0] < 1


def test_the_window_gains_nothing():
    """Less than the early L alone, wherever it has its room."""
    assert all(abs(x - 1) < 0.01 for x in pair("window", "window"))
    early = pair("early_lse_128", "window")[1]
    for name in ("", "_pin_128", "_after", "_wide", "_soon"):
        assert pair(f"window_early{name}", "window")[1] < early
    assert max(pair("window_early_soon", "window")) < 0.99


@pytest.mark.parametrize("page, said", [*words()])
def test_the_page_says_what_was_measured(page, said):
    assert said in (ROOT / f"docs/en/gpu/{page}.md").read_text("utf-8")
