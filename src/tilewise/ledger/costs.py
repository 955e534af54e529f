"""What one algorithm costs a whole attention layer: traffic, time, memory, longest N.

A layer is batch × heads heads of the `ledger`, here `heads` in all, with K and V in
kv_heads of them. All elements have one dtype. `name` is an algorithm of ALGORITHMS,
`way` one of PASSES. Counts follow the ledger: each query head asks for its own K and V.
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

    Q, K, V and O cross once, or dO and the gradients too, and the rows' statistics.
    Standard attention is several kernels: S and P (and dP, dS) cross between them.
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
    """Elements that must be in HBM at once, of this layer alone.

    forward: Q, K, V, O, and S with P, or ℓ with m, or L. backward: Q, K, V, dO, their
    gradients, and P, dP, dS; or O and two numbers a row. Training is the larger.
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
    """Elements that stay for the backward pass: `ledger.saved`, K and V by kv_heads."""
    one = _backward.saved(n, d, n_k=n_k)[name]
    return heads * one - (heads - kv_heads) * 2 * n_k * d


def longest(name: str, way: str, d: int, heads: int, kv_heads: int, room: int) -> int:
    """The largest N = N_k whose `resident` is at most `room` elements; 0 if none is."""

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

    rate is FLOPs over these seconds: the height of the roof at this intensity. The
    seconds are None where the card's bandwidth or peak is not known.
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
    name: str, way: str, n: int, d: int, blocks: tuple, n_k: int, causal: bool | str
) -> dict[str, int]:
    """One head's count of the ledger; standard attention has no blocks."""
    blocks = () if name == "standard" else blocks
    return COUNTS[name, way](n, d, *blocks, n_k=n_k, causal=causal)


def bill(
    name: str,
    way: str,
    shape: dict,
    card: dict,
    *,
    blocks: dict,
    size: int,
    causal: bool | str = False,
) -> dict:
    """All that is known of one algorithm: what it moves, computes, needs and keeps.

    shape is {"n", "d", "n_k", "heads", "kv_heads"} of the layer, blocks is
    {pass: (B_r, B_c)}, and size is the bytes of an element. Traffic, FLOPs and memory
    are the layer's; sram is one tile's, the larger of two passes. card as in
    tilewise.ledger.layer.
    """
    n, d, n_k, heads, kv_heads = [shape[x] for x in SHAPE]
    counts = [count(name, x, n, d, blocks[x], n_k, causal) for x in PASSES[way]]
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
