"""What one algorithm costs a whole attention layer: traffic, time, memory, longest N.

A layer has `heads` heads of the `ledger` (batch × heads of them), and kv_heads heads of
K and V. All elements have one dtype. `name` is one of ALGORITHMS and `way` one of
PASSES. The counts follow the ledger: each query head asks for its own K and V.
"""

from tilewise.ledger import _backward, _forward

ALGORITHMS = ("standard", "flash1", "flash2")
COUNTS: dict = {  # (algorithm, pass): what counts one head
    ("standard", "forward"): _forward.standard_forward,
    ("standard", "backward"): _backward.standard_backward,
    ("flash1", "forward"): _forward.flash1_forward,
    ("flash1", "backward"): _backward.flash1_backward,
    ("flash2", "forward"): _forward.flash2_forward,
    ("flash2", "backward"): _backward.flash2_backward,
}
SHAPE = ("n", "d", "n_k", "heads", "kv_heads")
PASSES = {  # way: the passes in it
    "forward": ("forward",),
    "backward": ("backward",),
    "training": ("forward", "backward"),
}


def once(
    name: str, way: str, n: int, d: int, n_k: int, heads: int, kv_heads: int
) -> int:
    """Elements that cross HBM if a cache answers every repeated read of a kernel.

    Then Q, K, V, O and the statistics of the rows cross once, and backward so do dO
    and the gradients. Standard attention consists of several kernels, between which S
    and P (and dP and dS) cross.
    """
    s, back = n * n_k, way == "backward"
    rest = {
        "standard": 7 * s if back else 4 * s,
        "flash1": 2 * n,  # ℓ, m
        "flash2": 2 * n if back else n,  # L, and δ
    }
    both = 2 if back else 1  # forward Q, O, K, V; backward Q, O, dO, dQ, K, V, dK, dV
    return both * 2 * d * (heads * n + kv_heads * n_k) + heads * rest[name]


def resident(
    name: str, way: str, n: int, d: int, n_k: int, heads: int, kv_heads: int
) -> int:
    """Elements of this layer that must be in HBM at once.

    Forward these are Q, K, V and O, with S and P, or ℓ and m, or L. Backward they are
    Q, K, V, dO and their gradients, with P, dP and dS, or with O and two numbers per
    row. For training it is the larger of the two.
    """
    s = n * n_k
    q, k = heads * n * d, kv_heads * n_k * d
    forward = {"standard": 2 * s, "flash1": 2 * n, "flash2": n}
    most = 2 * q + 2 * k + heads * forward[name]
    if way == "forward":
        return most
    backward = {"standard": 3 * s, "flash1": 2 * n, "flash2": 2 * n}
    matrices = 3 * q if name == "standard" else 4 * q
    last = matrices + 4 * k + heads * backward[name]
    return last if way == "backward" else max(most, last)


def kept(name: str, n: int, d: int, n_k: int, heads: int, kv_heads: int) -> int:
    """Elements that stay for the backward pass: `ledger.saved` with kv_heads heads."""
    one = _backward.saved(n, d, n_k=n_k)[name]
    return heads * one - (heads - kv_heads) * 2 * n_k * d


def longest(name: str, way: str, d: int, heads: int, kv_heads: int, room: int) -> int:
    """The largest N = N_k for which `resident` is at most `room` elements, or 0."""

    def fits(n):
        return resident(name, way, n, d, n, heads, kv_heads) <= room

    low, high = 0, 1
    while fits(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def bound(
    moved: float, flops: float, bandwidth: float | None, peak: float | None
) -> dict:
    """The roofline of one layer: seconds ≥ max(bytes moved / bandwidth, FLOPs / peak).

    rate is the number of FLOPs over these seconds, that is, the height of the roof at
    this intensity. The seconds are None if the bandwidth or peak is not known.
    """
    point = {"bytes": moved, "intensity": flops / moved, "seconds": None}
    if not bandwidth or not peak:
        return point
    memory, compute = moved / bandwidth, flops / peak
    seconds = max(memory, compute)
    return point | {
        "memory_seconds": memory,
        "compute_seconds": compute,
        "seconds": seconds,
        "bound": "memory" if memory >= compute else "compute",
        "rate": flops / seconds,
    }


def count(
    name: str,
    way: str,
    n: int,
    d: int,
    blocks: tuple,
    n_k: int,
    causal: bool | str,
    window: tuple | None = None,
) -> dict[str, int]:
    """The ledger's count for one head; standard attention skips no tiles."""
    if name == "standard":
        return COUNTS[name, way](n, d, n_k=n_k, causal=causal)
    return COUNTS[name, way](n, d, *blocks, n_k=n_k, causal=causal, window=window)


def bill(
    name: str,
    way: str,
    shape: dict,
    card: dict,
    *,
    blocks: dict,
    size: int,
    causal: bool | str = False,
    window: tuple | None = None,
) -> dict:
    """The whole bill of one algorithm: what it moves, computes, needs and keeps.

    shape is {"n", "d", "n_k", "heads", "kv_heads"} of the layer, blocks is
    {pass: (B_r, B_c)}, size is the bytes of an element, and card is described in
    tilewise.ledger.layer. Traffic, FLOPs and memory are those of the layer; sram is
    that of one tile, and for two passes the larger one.
    """
    n, d, n_k, heads, kv_heads = [shape[x] for x in SHAPE]
    mask = causal, window
    counts = [count(name, x, n, d, blocks[x], n_k, *mask) for x in PASSES[way]]
    traffic = {x: heads * sum([c[x] for c in counts]) for x in ("reads", "writes")}
    flops = heads * sum([c["flops"] for c in counts])
    sram = max([c["sram"] for c in counts])
    saved, memory = kept(name, **shape), card["memory"]
    least = size * sum([once(name, x, **shape) for x in PASSES[way]])
    roof = card["bandwidth"], card["peak"]
    traffic |= bound(size * (traffic["reads"] + traffic["writes"]), flops, *roof)
    most = memory and longest(name, way, d, heads, kv_heads, memory // size)
    return traffic | {
        "flops": flops,
        "once": bound(least, flops, *roof),
        "sram": sram,
        "fits": sram <= card["sram"],
        "saved": saved,
        "saved_bytes": size * saved,
        "held_bytes": size * resident(name, way, **shape),
        "longest": most,
    }
