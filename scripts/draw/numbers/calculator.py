"""Numbers in the prose of the page on the memory calculator: one layer of 32 heads."""

import json
import math
from pathlib import Path

from tilewise import hardware, ledger
from tilewise.ledger import costs, layer

RESULTS = Path(__file__).resolve().parents[3] / "benchmarks/results"
N, D, HEADS = 16384, 128, 32
SHAPE = {"pass": "forward", "n": N, "d": D, "causal": False}
CELL, EARLIER = SHAPE | {"kernel": "gluon_forward"}, SHAPE | {"what": "ours, bfloat16"}


def read(what):
    """The newest results of a kind from an H200."""
    return json.loads(max(RESULTS.glob(f"h200-*-{what}.json")).read_text("utf-8"))


def tflops(rows, cell):
    """The speed in the only row of this cell."""
    (row,) = [row for row in rows if cell.items() <= row.items()]
    return row["tflops"]


def lengths():
    """How long a sequence fits an H100 forward, and how long that would take."""
    room = layer.card("H100", "bf16")["memory"] // 2
    longest = {
        name: costs.longest(name, "forward", D, HEADS, HEADS, room)
        for name in ("standard", "flash2")
    }
    wide = 2 * room // (HEADS * (4 * D * 2 + 4))  # L in float32
    four = math.sqrt(room / (4 * HEADS) + D * D / 4) - D / 2  # H (4Nd + 4N²) = C
    seconds = 4 * longest["flash2"] ** 2 * D * HEADS / hardware.roofs("H100")[0]
    yield "elements", f"{room:,}".replace(",", "{,}")
    yield "root", f"{math.sqrt(room / (2 * HEADS) + D * D):,.1f}"
    yield "longest_standard", f"{longest['standard']:,}"
    yield "longest_flash", f"{longest['flash2']:,}"
    yield "longest_wide", f"{wide:,}"
    yield "longest_four", f"{round(four, -3):,.0f}"
    yield "longest_seconds", f"{seconds:.0f}"


def kept():
    """What a layer keeps for the backward pass, and a model of 32 such layers."""
    standard, flash = (
        2 * costs.kept(name, N, D, N, HEADS, HEADS) for name in ("standard", "flash2")
    )
    yield "kept_standard_gib", f"{standard / 2**30:.1f}"
    yield "kept_flash_mib", f"{flash / 2**20:.0f}"
    yield "model_standard_gib", f"{32 * standard / 2**30:.0f}"
    yield "model_flash_gib", f"{32 * flash / 2**30:.0f}"


def times():
    """The two ends of a time, and where a measured kernel lies between them."""
    account = layer.account(
        N, D, layer.card("H100", "bf16"), heads=HEADS, rule="kernels"
    )
    standard, flash = (account["algorithms"][x] for x in ("standard", "flash2"))
    yield "standard_gb", f"{standard['bytes'] / 1e9:.1f}"
    yield "standard_ms", f"{1e3 * standard['seconds']:.1f}"
    yield "tflop", f"{standard['flops'] / 1e12:.2f}"
    yield "compute_ms", f"{1e3 * standard['compute_seconds']:.2f}"
    yield "ridge", f"{hardware.ridge('H100'):.0f}"
    yield "flash_ms", f"{1e3 * flash['seconds']:.1f}"
    yield "flash_once_mb", f"{flash['once']['bytes'] / 1e6:.0f}"
    allowed = 4.8 * flash["intensity"]
    reached = tflops(read("attention")["rows"], CELL)
    earlier = tflops(read("practices")["parts"]["formats"], EARLIER)
    assert reached > allowed, "the page says that HBM alone would not allow so much"
    peak = hardware.roofs("H200")[0] / 1e12
    yield "intensity", f"{flash['intensity']:.0f}"
    yield "allowed_tflops", f"{allowed:.0f}"
    yield "reached_tflops", f"{reached:.0f}"
    yield "peak_tflops", f"{peak:.1f}"
    yield "reached_percent", f"{100 * reached / peak:.0f}"
    yield "earlier_tflops", f"{earlier:.0f}"
    yield "earlier_percent", f"{100 * earlier / peak:.0f}"
    yield "even_columns", f"{account['break_even']['block_cols']}"
    yield "even_m", f"{account['break_even']['sram']:,}"


def chip():
    """A tile of FlashAttention-3's, by FlashAttention-2's count."""
    count = 2 * ledger.flash2_backward(N, D, 80, 128)["sram"] / 1024
    yield "tile_kib", f"{count:.0f}"
    yield "sram_kib", f"{2 * layer.card('H100', 'bf16')['sram'] / 1024:.0f}"


PARTS = (lengths, kept, times, chip)
