"""Numbers in the prose of the page on why tiles: counted, and from an H200's rates."""

from draw.numbers._shared import moved
from draw.tables.why import one_clock

from tilewise import ledger
from tilewise.hardware import GPUS

N, D, ROWS = 1024, 64, 128  # one head, and the block of the page
H200 = GPUS["H200"]


def three_kernels(rows):
    """Standard attention, with K and V read once for each block of this many rows."""
    return 4 * N * N + 2 * N * D + ledger.ceil_div(N, rows) * 2 * N * D


def counted():
    """One query per program, a block of them, and what each saves without the other."""
    standard = moved(ledger.standard_forward(N, D))
    assert three_kernels(N) == standard, "K and V are read once there"
    one, block = (moved(ledger.flash2_forward(N, D, r, 64)) for r in (1, ROWS))
    double = moved(ledger.flash2_forward(N, D, 2 * ROWS, 64))
    apart, together = three_kernels(1), three_kernels(ROWS)
    assert together > standard > block, "sharing needs fusion as well"
    counts = {
        "standard": standard,
        "one": one,
        "block": block,
        "three_one": apart,
        "three_block": together,
        "double": double,
    }
    yield from ((name, f"{count:,}") for name, count in counts.items())
    yield "times", f"{one / standard:.0f}"
    yield "share", f"{100 * block / standard:.0f}"
    yield "double_share", f"{100 * double / block:.0f}"
    yield "fused_one", f"{100 * (1 - one / apart):.0f}"
    yield "fused_block", f"{100 * (1 - block / together):.0f}"


def rates():
    """What an SM can do in a clock cycle, and what L2 and HBM bring it."""
    clock = {name: amount for name, _, amount, _ in one_clock.rows()}
    bandwidth = H200["levels"]["hbm"]["bandwidth"]["value"]
    yield "tensor_times", f"{H200['bf16']['value'] / H200['fp32']['value']:.0f}"
    yield "ridge", f"{H200['bf16']['value'] / bandwidth:.0f}"
    yield "flop", f"{clock['bf16']:.0f}"
    assert f"{clock['l2'] / clock['hbm']:.0f}" == "2"
    yield "l2", f"{clock['l2']:.1f}"
    yield "hbm", f"{clock['hbm']:.1f}"
    yield "l2_share", f"{100 * clock['l2'] / clock['bf16']:.1f}"
    yield "l2_rows", f"{clock['bf16'] / clock['l2']:.0f}"
    yield "hbm_rows", f"{clock['bf16'] / clock['hbm']:.0f}"


PARTS = (counted, rates)
