"""Plots that stand for a table: what they draw is what the files of results say."""

import json
import re
import statistics

from draw.figures._bench import newest

from .test_figures import FILES, MODULES, SVG, TREES, css


def rows(kind, card="h200"):
    """The rows of the newest file of a kind."""
    return json.loads(newest(kind, card).read_text("utf-8"))["rows"]


def one(found, **which):
    """The only row that has all of which."""
    (row,) = [x for x in found if all(x.get(k) == v for k, v in which.items())]
    return row


WAYS = {  # what was timed -> the look of its bars, its tile
    "standard": ("standard", {}),
    "kv-outer": ("flash1", {"block_rows": 64, "block_cols": 128, "warps": 4}),
    "q-outer": ("flash2", {"block_rows": 64, "block_cols": 64, "warps": 4}),
}


def test_bars_are_as_long_as_the_times():
    found, unit = rows("counters"), 282 / 22  # of a millisecond
    bars = {look: [] for look, _ in WAYS.values()}
    for x in TREES["order_times", "en"].iter(f"{SVG}rect"):
        bars[css(x)[1].removeprefix("tw-of-")].append(float(x.get("width")))
    for k, (batch, n) in enumerate(((64, 1024), (16, 4096), (1, 8192))):
        for what, (look, tile) in WAYS.items():
            ms = one(found, what=what, batch=batch, heads=16, n=n, **tile)["ms"]
            assert abs(bars[look][k] - unit * ms) < 0.06


def test_ratios_are_those_of_the_raw_times():
    found = rows("attention")
    cells = [
        x for x in found if x["kernel"] == "gluon_forward" and x["pass"] == "forward"
    ]
    for peer in ("cudnn", "fa4", "flex", "flash"):
        ratios = []
        for x in cells:
            cell = {key: x[key] for key in ("pass", "n", "d", "causal")}
            ratios.append(one(found, kernel=peer, **cell)["ms"] / x["ms"])
        low, mean, high = MODULES["speed_over"].found(peer)
        assert abs(low / min(ratios) - 1) < 1e-3 and abs(high / max(ratios) - 1) < 1e-3
        assert abs(mean / statistics.geometric_mean(ratios) - 1) < 1e-3


def test_policies_and_a_second_gpu_are_compared_with_the_right_ones():
    found = rows("checkpointing")
    for policy, points in MODULES["policy_costs"].found().items():
        for n, (memory, time) in points.items():
            kept = one(found, attention="ours", policy="none", n=n)
            row = one(found, attention="ours", policy=policy, n=n)
            assert memory * kept["peak_bytes"] == row["peak_bytes"]
            assert abs(time * kept["ms"]["median"] / row["ms"]["median"] - 1) < 1e-9
    found = rows("ring")
    for look, alone, both in (
        ("ours", "ring", "ring"),
        ("flash", "torch_allgather", "torch_alltoall"),
    ):
        for n, gain in MODULES["ring_speedup"].gains(look).items():
            shape = {"n": n, "shape": "16 heads of 128"}
            ms = one(found, world=1, way=alone, **shape)["ms"]
            assert gain == ms / one(found, world=2, way=both, **shape)["ms"]


def test_tables_have_commas_from_five_digits_on():
    for path in (FILES.parent / "tables").rglob("*.md"):
        found = re.findall(r"(?<![\d,.])\d,\d{3}(?![\d,])", path.read_text("utf-8"))
        assert not found, path
