"""A whole attention layer on one card: three algorithms side by side.

A card is a dict with sram, the elements that fit in SRAM; bandwidth in bytes/s; peak in
FLOP/s; and memory in bytes. The last three may be None if they are not known. The bill
is what `python -m tilewise ledger` prints and what the site's calculator shows.
"""

from tilewise.checks import check_sizes
from tilewise.hardware import GPUS, KB, roofs
from tilewise.ledger._forward import block_sizes
from tilewise.ledger.costs import ALGORITHMS, PASSES, bill, count
from tilewise.ledger.sizes import ceil_div, in_bytes
from tilewise.ledger.tiles import kernel_tiles

RULES = ("paper", "kernels")
LIMITS = {  # the most that the command line and the calculator take
    "n": 2**29,
    "n_k": 2**29,
    "d": 2**16,
    "block_rows": 2**29,
    "block_cols": 2**29,
    "batch": 2**20,
    "heads": 2**20,
    "kv_heads": 2**20,
    "kernel_d": 256,
    "sram": 10**9 - 1,
    "bandwidth": 10**6,
    "tflops": 10**9,
    "memory": 10**9,
}
LEADING = {"forward": 12 / 4, "backward": 20 / 7, "training": 32 / 11}  # of M, in d²


def card(gpu: str, dtype: str) -> dict:
    """The card of a GPU in tilewise.hardware, which has no peak for fp64.

    One thread block may use all of an SM's shared memory except for 1 KiB, which CUDA
    keeps (CUDA C++ Programming Guide, technical specifications).
    """
    peak, bandwidth = roofs(gpu)
    levels = GPUS[gpu]["levels"]
    peaks = {"bf16": peak, "fp16": peak, "fp32": GPUS[gpu]["fp32"]["value"]}
    room = levels["shared"]["per_sm"]["value"] - KB
    return {
        "gpu": gpu,
        "sram": room // in_bytes(1, dtype),
        "bandwidth": bandwidth,
        "peak": peaks.get(dtype),
        "memory": levels["hbm"]["capacity"]["value"],
    }


def tiles(
    rule: str, way: str, d: int, sram: int, size: int, causal: bool | str = False
) -> tuple[int, int]:
    """(B_r, B_c) of one pass by the rule "paper" (Algorithm 1, line 1) or "kernels".

    way is "forward" or "backward", and sram is counted in elements of `size` bytes.
    """
    if rule == "paper":
        return block_sizes(sram, d)
    return kernel_tiles(d, way, causal=causal, room=sram * size)


def pick(
    own: tuple, rule: str, way: str, d: int, sram: int, size: int, causal: bool | str
) -> tuple[int, int]:
    """The caller's own (B_r, B_c), each of which may be None, or those of the rule."""
    rows, cols = own
    if rows and cols:
        return rows, cols
    by_rule = tiles(rule, way, d, sram, size, causal)
    return rows or by_rule[0], cols or by_rule[1]


def break_even(way: str, n: int, d: int, n_k: int) -> dict[str, int] | None:
    """The smallest B_c, and its M in ⌈M/4d⌉, with which FA1 moves less than standard.

    It holds for one head without a mask; way is a key of tilewise.ledger.costs.PASSES.
    The result is None if FA1 never moves less. A larger B_c never moves more, and B_r
    does not matter.
    """

    def moved(name, blocks):
        counts = [count(name, x, n, d, blocks, n_k, False) for x in PASSES[way]]
        return sum([x["reads"] + x["writes"] for x in counts])

    standard = moved("standard", ())
    low, high = 0, n_k + 1  # at `low` it moves no less, at `high` less or unknown
    while high - low > 1:
        middle = (low + high) // 2
        less = moved("flash1", (1, middle)) < standard
        low, high = (low, middle) if less else (middle, high)
    if high > n_k:
        return None
    return {"block_cols": high, "sram": 4 * d * (high - 1) + 1}


def account(
    n: int,
    d: int,
    card: dict,
    *,
    n_k: int | None = None,
    batch: int = 1,
    heads: int = 1,
    kv_heads: int | None = None,
    causal: bool | str = False,
    window: tuple | None = None,
    dtype: str = "bf16",
    way: str = "forward",
    rule: str = "paper",
    block_rows: int | None = None,
    block_cols: int | None = None,
) -> dict:
    """The problem, the tiles and the bill of each algorithm in one dict.

    way is a key of tilewise.ledger.costs.PASSES. The rule chooses the tiles unless
    block_rows and block_cols do. Counts are in elements unless the key says bytes.
    Raises ValueError if a size, batch or heads is not a whole number of at least 1, or
    if kv_heads does not divide heads.
    """
    n_k, kv_heads = n_k or n, kv_heads or heads
    check_sizes(n=n, d=d, n_k=n_k, batch=batch, heads=heads, kv_heads=kv_heads)
    if heads % kv_heads:
        raise ValueError(f"kv_heads must divide heads, {heads}; {kv_heads} does not")
    size, passes = in_bytes(1, dtype), PASSES[way]
    own, room = (block_rows, block_cols), card["sram"]
    blocks = {x: pick(own, rule, x, d, room, size, causal) for x in passes}
    shape = {"n": n, "d": d, "n_k": n_k}
    shape |= {"heads": batch * heads, "kv_heads": batch * kv_heads}
    how: dict = {"blocks": blocks, "size": size, "causal": causal, "window": window}
    problem = {"pass": way, "n": n, "n_k": n_k, "d": d, "batch": batch, "heads": heads}
    problem |= {"kv_heads": kv_heads, "causal": causal, "window": window}
    problem |= {"dtype": dtype}
    problem = card | problem
    return problem | {
        "bytes_per_element": size,
        "tiles": [grid(n, n_k, blocks, x) for x in passes],
        "leading": LEADING[way],
        "even": LEADING[way] * d * d,
        "break_even": None if causal or window else break_even(way, n, d, n_k),
        "algorithms": {x: bill(x, way, shape, card, **how) for x in ALGORITHMS},
    }


def grid(n: int, n_k: int, blocks: dict, way: str) -> dict:
    """The tiles of one pass, and how many of them there are on each side."""
    rows, cols = blocks[way]
    t_r, t_c = ceil_div(n, rows), ceil_div(n_k, cols)
    return {"pass": way, "rows": rows, "cols": cols, "t_r": t_r, "t_c": t_c}
