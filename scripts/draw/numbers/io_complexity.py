"""Numbers in the prose of the page on IO complexity: the ledger and the counters."""

from draw.numbers._shared import moved
from draw.tables import _counters as counters

from tilewise import ledger
from tilewise.ledger import layer

HEADS, N, D = 64 * 16, 1024, 64  # what was measured
SMS, L2 = (counters.DATA["machine"][x] for x in ("sms", "l2_bytes"))
WIDE, NARROW = ("kv-outer", 64, 256, 8), ("kv-outer", 64, 128, 4)
EIGHT_WARPS = ("kv-outer", 64, 128, 8)
OURS = ("q-outer", 128, 64, 8)


def dram(*kernel):
    """Gigabytes through DRAM, as measured."""
    return counters.measured(counters.row(*kernel))[1] / 1e9


def m_wins(n, d, m):
    """Whether FlashAttention-1 with the tiles of this M moves less than standard."""
    tiles = ledger.block_sizes(m, d)
    standard = moved(ledger.standard_forward(n, d))
    return moved(ledger.flash1_forward(n, d, *tiles)) < standard


def counted():
    """The example, the head that is too wide for its SRAM, and what real SRAM holds."""
    n, d, m = 4096, 128, 100 * 1024 // 4
    tiles = ledger.block_sizes(m, d)
    yield "example_one_round", f"{moved(ledger.flash1_forward(4, 2, 2, 4))}"
    yield "wide_flash1", f"{moved(ledger.flash1_forward(n, d, *tiles)):,}"
    yield "wide_standard", f"{moved(ledger.standard_forward(n, d)):,}"
    more = next(m for m in range(3 * d * d + 4 * d, 10**6) if m_wins(n, d, m))
    cols = ledger.block_sizes(more, d)[1]
    yield "step_m", f"{more:,}".replace(",", "{,}")
    yield "step_cols", f"{cols}"
    yield "step_rounds", f"{ledger.ceil_div(n, cols)}"
    yield "step_rounds_before", f"{ledger.ceil_div(n, cols - 1)}"
    for card in ("A100", "H100"):
        yield f"sram_{card.lower()}", f"{layer.card(card, 'bf16')['sram']:,}"


def touched(kernel):
    """(programs at once, bytes that they touch) with keys outside."""
    side = counters.row(*kernel)["programs_per_sm"] * SMS
    return side, side * (N * (4 * D + 8) + 4 * D * kernel[2])


def waves():
    """What the programs that run together touch."""
    yield "scores_gib", f"{HEADS * N * N * 2 // 2**30}"
    yield "round_kb", f"{N * (4 * D + 8) / 1e3:.0f}"
    kernels = {"square": ("kv-outer", 64, 64, 4), "narrow": NARROW, "wide": WIDE}
    for name, kernel in kernels.items():
        side, size = touched(kernel)
        yield f"programs_{name}", f"{side}"
        yield f"touched_{name}_mb", f"{size / 1e6:.0f}"
    square = counters.row("q-outer", 64, 64, 4)
    assert square["programs_per_sm"] == 4 and N // 64 == 16, "as the page says"
    yield "sms", f"{SMS}"
    heads = square["programs_per_sm"] * SMS * 64 // N
    assert heads == counters.row(*OURS)["programs_per_sm"] * SMS * 128 // N
    yield "heads_at_once", f"{heads}"
    yield "kept_mb", f"{heads * N * 4 * D / 1e6:.0f}"


def halves():
    """The range of the model, and what two halves of L2 hold."""
    yield "l2_mib", f"{L2 // 2**20}"
    for name, shared in (("shared", True), ("divided", False)):
        sizes = [
            x["bytes"]
            for x in counters.DATA["reread"]
            if x["shared"] == shared and x["missed"] < 0.02
        ]
        yield f"stays_{name}_mb", f"{max(sizes) / 1e6:.0f}"
    limits = [x / 1e9 for x in counters.counted(counters.row(*WIDE))[1]]
    assert limits[0] < dram(*WIDE) < limits[1], "measured within the range"
    other = counters.row("kv-outer", 128, 64, 8)
    above = counters.counted(other)[1][1] / counters.measured(other)[1]
    yield "upper_end_times", f"{above:.1f}"


def times():
    """Traffic beside time."""
    for name, kernel in (("wide", WIDE), ("narrow", NARROW), ("warps", EIGHT_WARPS)):
        yield f"ms_{name}", f"{counters.row(*kernel)['ms']:.2f}"
    yield "ms_queries", f"{counters.row(*OURS)['ms']:.2f}"
    yield "ms_standard", f"{counters.row('standard')['ms']:.2f}"
    yield "dram_wide", f"{dram(*WIDE):.2f}"
    yield "dram_warps", f"{dram(*EIGHT_WARPS):.2f}"


PARTS = (counted, waves, halves, times)
