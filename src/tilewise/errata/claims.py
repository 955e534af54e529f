"""Claims that are half true, each with the number that is missing, and confusions."""

import math

import torch
from torch.nn.functional import scaled_dot_product_attention

from tilewise import ledger
from tilewise.errata.example import SCALE, K, Q, S, V, error
from tilewise.errata.forward import HALVES, lse
from tilewise.errata.registry import register
from tilewise.hardware import GPUS
from tilewise.trace import tiles

ENTRIES = []
erratum = register(ENTRIES, "often said")
N, D = 1024, 64
BLOCKS = ledger.block_sizes(51_200, D)  # 100 KB of fp16


@erratum(
    "this-is-algorithm-2", "words", printed="Q outside, called FlashAttention's order",
    right="FA1: K, V outside; O, ℓ, m stored at every tile", test="count the stores",
    unit="stores of O in four tiles",
)
def this_is_algorithm_2():
    def stores(order):
        grid = tiles(*(x.tolist() for x in (Q, K, V)), 2, 2, order=order)
        return sum("o" in tile["store"] for tile in grid)

    return stores("q-outer"), stores("kv-outer")


@erratum(
    "written-once", "words", printed="O is written once", unit="times",
    right="FA1: T_c times and once before, FA2: once", test="count the writes",
)
def written_once():
    bill = ledger.flash1_forward(N, D, 64, 256)  # T_c = 4
    return 1, bill["writes"] // (N * (D + 2))  # of a row of O, ℓ and m


@erratum(
    "without-computing", "words", printed="without computing the N × N scores",
    right="without storing them", unit="scores computed", test="count them",
)
def without_computing():
    grid = list(tiles(*(x.tolist() for x in (Q, K, V)), 2, 2))
    return 0, sum(len(tile["q"]) * len(tile["k"]) for tile in grid)


@erratum(
    "geometric-progression", "words", printed="ℓ is a geometric progression",
    right="a recurrence ℓ ← α ℓ + p whose α changes", unit="different ratios",
    test="divide each ℓ by the one before",
)
def geometric_progression():
    row = S[2]  # 0, 1, 2, 1 in units of ln 2
    sums = [(row[: i + 1] - row[: i + 1].max()).exp().sum().item() for i in range(4)]
    ratios = {round(b / a, 9) for a, b in zip(sums, sums[1:])}
    return 1, len(ratios)


@erratum(
    "linear-attention", "claim", printed="O(N) complexity", unit="times for twice N",
    right="O(N) extra memory, O(N²d) time", test="double N, count both",
)
def linear_attention():
    memory = ledger.saved(2 * N, D)["flash2"] // ledger.saved(N, D)["flash2"]
    time = ledger.flash2_forward(2 * N, D, 64, 64)["flops"]
    return memory, time // ledger.flash2_forward(N, D, 64, 64)["flops"]


def both(forward, backward, key):
    """Forward and backward together: FLOPs, or elements moved through HBM."""
    keys = ("flops",) if key == "flops" else ("reads", "writes")
    return sum(bill[x] for bill in (forward, backward) for x in keys)


STANDARD = ledger.standard_forward(N, D), ledger.standard_backward(N, D)
FLASH1 = ledger.flash1_forward(N, D, *BLOCKS), ledger.flash1_backward(N, D, *BLOCKS)


@erratum(
    "time-for-memory", "claim", printed="it trades time for memory",
    right="more FLOPs, fewer HBM accesses, less time", test="count both",
    unit="of standard attention's: FLOPs, HBM accesses",
)
def time_for_memory():
    return tuple(both(*FLASH1, x) / both(*STANDARD, x) for x in ("flops", "moved"))


@erratum(
    "fewer-flops", "claim", printed="99.2 % fewer FLOPs", unit="of the forward FLOPs",
    right="as many forward, 5/4 backward; HBM traffic falls", test="count the products",
)
def fewer_flops():
    return 0.008, FLASH1[0]["flops"] / STANDARD[0]["flops"]


@erratum(
    "stream-processors", "claim", printed="an A100 has 108 stream processors",
    right="108 streaming multiprocessors of 64 fp32 lanes each", unit="fp32 lanes",
    test="fp32 FLOP/s = 2 · lanes · clock",
)
def stream_processors():
    gpu = GPUS["A100"]
    n, clock = gpu["sms"]["value"], 1410e6
    return n, n * round(gpu["fp32"]["value"] / (2 * n * clock))


@erratum(
    "sram-bandwidth", "claim", printed="each SM's shared memory reads 19 TB/s",
    right="all 108 together do", unit="TB/s per SM",
    test="128 bytes per clock × 1.41 GHz",
)
def sram_bandwidth():
    whole = GPUS["A100"]["levels"]["shared"]["bandwidth"]["value"] / 1e12
    return whole, whole / GPUS["A100"]["sms"]["value"]


@erratum(
    "hbm-is-small", "claim", printed="HBM is fast but small",
    right="beside on-chip memory it is large and slow", test="divide the two",
    unit="times shared memory's capacity (rounded), bandwidth",
)
def hbm_is_small():
    hbm, shared = (GPUS["A100"]["levels"][x] for x in ("hbm", "shared"))
    capacity, bandwidth = (
        hbm[x]["value"] / shared[x]["value"] for x in ("capacity", "bandwidth")
    )
    return 100 * round(capacity / 100), bandwidth


@erratum(
    "l-or-m-and-l", "confusion", printed="P = e^{S − m} where L was saved as m",
    right="P = e^{S − L} = e^{S − m} / ℓ", unit="is a row's sum", test="rows sum to 1",
)
def l_or_m_and_l():
    m = S.amax(1, keepdim=True)
    return tuple(
        torch.exp(S - x).sum(1).max().item()
        for x in (m, torch.logsumexp(S, 1, keepdim=True))
    )


@erratum(
    "base-2", "confusion", printed="e^{L₂ − …} with an L₂ in base 2",
    right="2^{L₂ − …}, or L = L₂ ln 2 first", test="merge two splits and compare",
)
def base_2():
    halves = torch.stack([lse(x) for x in HALVES])
    outputs = torch.stack([x[2] for x in HALVES])
    merged = (torch.softmax(x, 0) * outputs for x in (halves / math.log(2), halves))
    return tuple(error(x.sum(0)) for x in merged)


@erratum(
    "top-left", "confusion", printed="is_causal=True for 2 new rows of 4",
    right="bottom-right: row r sees keys 0 … r + N_k − N_q",
    test="the last rows of the square case",
)
def top_left():
    full = torch.ones(4, 4, dtype=torch.bool).tril()
    rule = {"scale": SCALE}
    truth = scaled_dot_product_attention(Q, K, V, attn_mask=full, **rule)[2:]
    corner = scaled_dot_product_attention(Q[2:], K, V, is_causal=True, **rule)
    fitted = scaled_dot_product_attention(Q[2:], K, V, attn_mask=full[2:], **rule)
    return error(corner, truth), error(fitted, truth)
