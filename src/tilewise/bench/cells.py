"""What is measured: the cells of the papers' setting, odd shapes, and their FLOPs.

B · N = 16,384 tokens and H · d = 2,048, bf16, as in the papers of FlashAttention-2 and
-3. A shape is a dict: batch, heads, heads_k, n, n_k, d, causal. Plain Python.
"""

import itertools
import math

from tilewise.kernels import BACKWARD, FORWARD

TOKENS, WIDTH = 16384, 2048
SIZES = (1024, 2048, 4096, 8192, 16384)
DIMS = (64, 128)
PASSES = ("forward", "backward")
PARTS = ("speed", "memory", "unaligned", "host")
RUNGS = {"forward": FORWARD, "backward": BACKWARD}
BOTH = ("flash", "cudnn", "efficient", "math", "flex", "fa4")
PEERS = {"forward": (*BOTH, "fa3"), "backward": BOTH}  # fa3's wheel has but one pass
PUBLIC = "flash_attention"  # as a caller has it, the host's work included
KEYS = ("batch", "heads", "n", "d", "causal")  # what names a cell
RESULTS = {"forward": ("o",), "backward": ("dq", "dk", "dv")}


def cell(n, d, causal=False, **other):
    """The shape of the setting for N and d; other sets what differs, n_k for one."""
    shape = {
        "batch": max(1, TOKENS // n),
        "heads": max(1, WIDTH // d),
        "n": n,
        "n_k": n,
        "d": d,
        "causal": causal,
    }
    shape |= other
    return {"heads_k": shape["heads"]} | shape


def cells(sizes=SIZES, dims=DIMS, masks=(False, True)):
    """Every cell, long sequences last."""
    return [cell(n, d, c) for d, c, n in itertools.product(dims, masks, sizes)]


def named(shape):
    """The part of a shape that names a cell."""
    return {key: shape[key] for key in KEYS}


def flops(shape, way):
    """4 B H N N_k d forward, half of it if causal; backward 2.5 times as many.

    Backward has five products where forward has two. By this convention, which the
    papers use, what a causal kernel computes above the diagonal is not counted.
    """
    pairs = shape["n"] * shape["n_k"]
    count = 4 * shape["batch"] * shape["heads"] * pairs * shape["d"]
    count = count // 2 if shape["causal"] else count
    return count if way == "forward" else count * 5 // 2


def odd(sizes=(1000, 4000, 16000), masks=(False, True)):
    """(name, shape, the aligned shape to compare with), d = 128 or filled up to it.

    Aligned: N in whole tiles, d = 128, a key head for each query head. The aligned
    shape has at least as many operations, so that a fair kernel's ratio is at most 1.
    """
    for causal in masks:
        for n in sizes:
            up = 2 ** math.ceil(math.log2(n))
            yield (
                f"N {n}",
                cell(n, 128, causal, batch=TOKENS // up),
                cell(up, 128, causal),
            )
        base = cell(4096, 128, causal)
        for name, other, change in (
            ("N 1000, 4000", {"n": 1000, "n_k": 4000}, {"n": 1024}),
            ("N 4000, 1000", {"n": 4000, "n_k": 1000}, {"n_k": 1024}),
            ("heads 16, 4", {"heads_k": 4}, {}),
            ("heads 16, 1", {"heads_k": 1}, {}),
            ("d 80", {"d": 80}, {}),
            ("d 96", {"d": 96}, {}),
        ):
            yield name, base | other, base | change


def names(way):
    """Who takes part in a pass: peers, then the rungs, then the public function."""
    return (*PEERS[way], *RUNGS[way], PUBLIC)


def geometric(values):
    """The geometric mean: of speeds, and so of their ratios."""
    values = list(values)
    return math.exp(math.fsum(map(math.log, values)) / len(values))
