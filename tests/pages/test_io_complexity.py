"""What the page on IO complexity says in numbers, from the ledger and the counters."""

import importlib

import pytest
from repository import ROOT

from tilewise import ledger
from tilewise.ledger import layer

counters = importlib.import_module("draw.tables._counters")
PAGE = (ROOT / "docs/en/flash-attention/io-complexity.md").read_text("utf-8")
HEADS, N, D = 64 * 16, 1024, 64  # what was measured
SMS, L2 = (counters.DATA["machine"][x] for x in ("sms", "l2_bytes"))


def moved(count):
    return count["reads"] + count["writes"]


def gb(*kernel):
    """GB through DRAM, as measured."""
    return counters.measured(counters.row(*kernel))[1] / 1e9


def examples():
    """The example, and the head that is too wide for its SRAM."""
    one = moved(ledger.standard_forward(4, 2))
    two, single = (moved(ledger.flash1_forward(4, 2, 2, c)) for c in (2, 4))
    assert one < two
    yield f": 64 + 32 = {one} "
    yield f": 24 + 8 + 2 \\cdot 40 = {two} "
    yield f": 16 + 4 + 2 \\cdot 16 = {moved(ledger.flash2_forward(4, 2, 2, 2))}\n"
    yield f"FlashAttention-1 moves {two} elements and standard attention {one}."
    yield f"there is a single round, and {single} elements"
    fits = [m for m in range(1, 99) if ledger.block_sizes(m, 2)[1] == 2]
    yield f"belong to an \\(M\\) from {fits[0]} to {fits[-1]}"
    yield f"condition is about \\(M > 3d^2 + 4d = {3 * 4 + 4 * 2}\\)"


def break_even():
    """N = 4096 and d = 128 in 100 KiB, and what real SRAM holds."""
    n, d, m = 4096, 128, 100 * 1024 // 4
    flash = moved(ledger.flash1_forward(n, d, *ledger.block_sizes(m, d)))
    yield f"moves {flash / 1e6:.1f} million elements, and standard attention "
    plain = moved(ledger.standard_forward(n, d))
    yield f"standard attention {plain / 1e6:.1f} million."
    yield f"\\(3d^2\\) is {3 * d * d:,}."
    yield f"fit {100 * 1024 // 2:,} numbers of 2 bytes"
    yield f"and {m:,} of 4 bytes"
    yield f"\\(3d^2 + 4d = {3 * d * d + 4 * d:,}\\)".replace(",", "{,}")
    room = [layer.card(x, "bf16")["sram"] for x in ("A100", "H100")]
    yield "use {:,} numbers of 2 bytes on an A100 and {:,} on an H100".format(*room)
    assert all(3 * 128**2 < x < 3 * 256**2 for x in room)


def asked():
    """From asked for to L2."""
    sums, same = [], 0
    for cols, warps in ((128, 4), (256, 8)):
        found = counters.row("kv-outer", 64, cols, warps)
        sums.append(round(counters.counted(found)[0]))
        runs = zip(found["l2_read"], found["l2_write"], strict=True)
        same += sum(read + write == sums[-1] for read, write in runs)
    yield "{:,} and {:,} bytes for \\(B_c = 128\\) and 256".format(*sums)
    assert same == 5
    yield "to the byte in five of six runs"
    for rows, cols, warps in ((64, 64, 4), (128, 64, 8)):
        found = counters.row("q-outer", rows, cols, warps)
        stayed = 1 - counters.measured(found)[0] / counters.counted(found)[0]
        assert 0.2 < stayed < 0.3
    yield "about a quarter of what is asked for is answered before L2"


def touched(cols, warps):
    """(programs at once, bytes that they touch) with keys outside."""
    side = counters.row("kv-outer", 64, cols, warps)["programs_per_sm"] * SMS
    return side, side * (N * (4 * D + 8) + 4 * D * cols)


def waves():
    """From L2 to DRAM."""
    yield f"\\(S\\) has {HEADS * N * N * 2 // 2**30} GiB"
    yield f"\\(\\ell\\) and \\(m\\), {N * (4 * D + 8) / 1e3:.0f} KB"
    side, size = touched(64, 4)
    yield f"{side} programs run at once and touch {size / 1e6:.0f} MB"
    heads = {
        counters.row("q-outer", rows, 64, warps)["programs_per_sm"] * SMS * rows // N
        for rows, warps in ((64, 4), (128, 8))
    }
    (heads,) = heads
    yield f"programs of about {heads} heads run at once. Their \\(K\\) and \\(V\\), "
    yield f"\\(K\\) and \\(V\\), {heads * N * 4 * D / 1e6:.0f} MB, stay"
    side, size = touched(256, 8)
    yield f"one program on an SM only, and the {side} of them touch {size / 1e6:.0f} MB"


def halves():
    """The range of the model, and what two halves of L2 hold."""
    yield f"the size of L2, {L2 // 2**20} MiB as it reports"
    kept = [
        max(
            x["bytes"]
            for x in counters.DATA["reread"]
            if x["shared"] == shared and x["missed"] < 0.02
        )
        / 1e6
        for shared in (True, False)
    ]
    yield f"on the same GPU it stays up to {kept[0]:.0f} MB"
    yield f"on average, and stays up to {kept[1]:.0f} MB"
    limits = [
        x / 1e9 for x in counters.counted(counters.row("kv-outer", 64, 256, 8))[1]
    ]
    found = gb("kv-outer", 64, 256, 8)
    yield f"predicts {limits[0]:.2f} and {limits[1]:.2f} GB; {found:.2f} were measured"
    off = [100 * abs(x / found - 1) for x in limits]
    yield "off by {:.0f}% on one side and {:.0f}% on the other".format(*off)
    others = [
        counters.row("kv-outer", *kernel)
        for kernel in ((64, 128, 8), (128, 64, 8), (128, 128, 8))
    ]
    assert all(x["programs_per_sm"] == 1 for x in others)
    above = [counters.counted(x)[1][1] / counters.measured(x)[1] for x in others]
    yield f"the upper end is up to {max(above):.1f} times what was measured"


def times():
    """Traffic beside time."""
    ms = {
        x: counters.row(*x)["ms"]
        for x in (
            ("kv-outer", 64, 256, 8),
            ("kv-outer", 64, 128, 4),
            ("kv-outer", 64, 128, 8),
            ("q-outer", 128, 64, 8),
            ("standard",),
        )
    }
    wide, narrow, warps, ours, plain = ms.values()
    assert gb("kv-outer", 64, 256, 8) > 2 * gb("q-outer", 128, 64, 8)
    part = gb("kv-outer", 64, 256, 8) / gb("kv-outer", 64, 128, 4)
    assert 0.31 < part < 0.35
    yield f"through DRAM and take {wide:.2f} ms instead of {narrow:.2f}"
    slow = gb("kv-outer", 64, 128, 8)
    yield f"take {warps:.2f} ms and move {slow:.2f} GB"
    yield f"Queries outside take {ours:.2f} ms with 128 × 64"
    yield f"standard attention {plain:.2f}."


GROUPS = (examples, break_even, asked, waves, halves, times)


@pytest.mark.parametrize("group", GROUPS, ids=lambda x: x.__name__)
def test_the_page_says_what_was_counted(group):
    missing = [words for words in group() if words not in PAGE]
    assert not missing
