"""Numbers in the prose of the page on tiling: shapes of tiles, and what L2 saves."""

from draw.numbers._shared import moved
from draw.tables import _savings

from tilewise import ledger
from tilewise.hardware import GPUS

N, D = 4096, 64  # one head, of the example on the page
KIB = GPUS["A100"]["levels"]["shared"]["per_sm"]["value"] // 1024 - 1
M = KIB * 1024 // 2  # elements of 2 bytes that a thread block may use


def shapes():
    """How much more the formula's tile moves when it is turned, or made square."""
    rows, cols = ledger.block_sizes(M, D)
    side = int((M // 4) ** 0.5)
    best = moved(ledger.flash1_forward(N, D, rows, cols))
    turned = moved(ledger.flash1_forward(N, D, cols, rows))
    square = moved(ledger.flash1_forward(N, D, side, side))
    thin = moved(ledger.flash1_forward(N, D, 16, 512))
    assert thin < best < square < turned, "the page orders them so"
    yield "thin_share", f"{100 * 16 * 512 / (rows * cols):.0f}"
    yield "fa3_rows_kib", f"{192 * (176 + 128) * 4 // 1024}"  # S and O at d = 128
    largest = int((4 * D * D + M) ** 0.5 - 2 * D)
    assert ledger.tile_sram(N, D, largest, largest) <= M
    yield "m", f"{M:,}".replace(",", "{,}")
    yield "whole", f"{N * N + 4 * N * D:,}"
    yield "cols", f"{cols}"
    yield "turned_times", f"{turned / best:.1f}"
    yield "square_ratio", f"{M**0.5 / (2 * D):.2f}"
    share = ledger.tile_sram(N, D, side, side) / M
    yield "square_share", f"{100 * share:.0f}"
    yield "largest", f"{largest}"
    yield "largest_rounds", f"{ledger.ceil_div(N, largest)}"
    yield "formula_rounds", f"{ledger.ceil_div(N, cols)}"


def measured():
    """FlashAttention-2 with 128 rows a tile: asked for, and through HBM."""
    shape = _savings.SHAPE
    n, d = shape["n"], shape["d"]
    heads = shape["batch"] * shape["heads"]
    asked = 2 * heads * moved(ledger.flash2_forward(n, d, 128, 64))
    (row,) = _savings.rows("flash")
    yield "asked_gb", f"{asked / 1e9:.2f}"
    yield "crossed_gb", f"{_savings.traffic(row):.2f}"


PARTS = (shapes, measured)
