"""The inputs that expose a wrong attention, and the easy ones that do not.

`INPUTS[name]()` is a case as `tilewise.pitfalls.assembled` takes it. Random numbers are
whole quarters from −2 to 2, so that every machine draws the same ones.
"""

import torch

from tilewise.worked_example import DO, SCALE, K, Q, V


def quarters(source, *shape):
    """Random numbers −2, −1.75, ..., 2."""
    return torch.randint(-8, 9, shape, generator=source) / 4


def drawn(n_q, n_k, d, *lead, kv_heads=None, dtype=torch.float64, **options):
    """A case of random q, k, v and do, always the same for the same sizes."""
    source = torch.Generator().manual_seed(n_q + 100 * n_k)
    kv_lead = lead if kv_heads is None else (*lead[:-1], kv_heads)
    q, do = (quarters(source, *lead, n_q, d) for _ in range(2))
    k, v = (quarters(source, *kv_lead, n_k, d) for _ in range(2))
    tensors = {"q": q, "k": k, "v": v, "do": do}
    return {name: x.to(dtype) for name, x in tensors.items()} | options


def example():
    """The running example: N = 4, d = 2, tiles 2 × 2, τ = ln 2."""
    tensors = {"q": Q, "k": K, "v": V, "do": DO}
    case = {x: torch.tensor(y, dtype=torch.float64) for x, y in tensors.items()}
    return case | {"scale": SCALE, "block_rows": 2, "block_cols": 2}


def ordered(sign):
    """Scores that rise (or fall) from key to key, four tiles of keys, in every row."""
    case = drawn(6, 16, 4, block_cols=4)
    case["q"], case["k"] = case["q"].abs() + 1, case["k"] / 8
    case["k"] += sign * torch.arange(16.0, dtype=torch.float64)[:, None] / 4
    return case


def spread_scores(*rows, scale=1.0, n_k=12):
    """One row of q a number in `rows`; its scores are about that large."""
    case = drawn(len(rows), n_k, 2, scale=scale)
    case["q"] = torch.tensor([[x, 1.0] for x in rows], dtype=torch.float64)
    case["k"][:, 0] = 1
    return case


def same_for_all(case, **fixed):
    """The case with one number in every entry of some tensors."""
    return case | {x: torch.full_like(case[x], value) for x, value in fixed.items()}


def half(n_k, dtype, block_cols, **fixed):
    """One query, many keys, 16 bits."""
    case = drawn(1, n_k, 2, dtype=dtype, block_cols=block_cols)
    return same_for_all(case, **fixed)


def large_in_half():
    """Dot products beyond fp16's 65,504, whose inputs are within it."""
    case = half(8, torch.float16, 4, q=250)
    return case | {"k": 200 * case["k"]}


def strided():
    """k and v as the transpose of what is stored, as a cache may hold them."""
    case = drawn(6, 8, 5)
    return case | {x: case[x].mT.contiguous().mT for x in "kv"}


def called_twice():
    """Two calls with the same q and k, and other values."""
    case = drawn(6, 8, 4)
    return case | {"calls": ({}, {"v": -2 * case["v"]})}


def unequal_splits():
    """Three splits of the keys, the last with the largest scores."""
    case = drawn(5, 12, 4, splits=3)
    case["q"] = case["q"].abs() + 0.25
    case["k"][8:] += 2
    return case


def not_a_number():
    """A result that is NaN throughout."""
    wanted = torch.ones(3, 4)
    return {"result": wanted * torch.nan, "expected": wanted, "tolerance": 1e-3}


def another_shape():
    """One row of output where two rows, equal in what is compared, are expected."""
    return {"result": torch.ones(1, 4), "expected": torch.ones(4), "tolerance": 1e-3}


def plainly_off():
    """A result that is off by 0.1."""
    wanted = torch.ones(3, 4)
    return {"result": wanted + 0.1, "expected": wanted, "tolerance": 1e-3}


def fine_in_single():
    """fp32 numbers that use all of their bits; quarters would fit into TF32."""
    case = drawn(6, 8, 4, dtype=torch.float32)
    return case | {x: case[x] / 3 for x in "qk"}


def listed(*rows, **options):
    """Twelve rows and keys; of their 4 × 4 tiles, those of the matrix `rows`."""
    tiles = torch.tensor(rows, dtype=torch.bool)
    return drawn(12, 12, 4, tiles=(tiles, 4), **options)


UNEVEN = (1, 0, 0), (1, 0, 1), (0, 1, 1)  # differs from its transpose
INPUTS = {
    "example": example,
    "first": lambda: drawn(8, 8, 8, block_rows=8, block_cols=8),
    "odd": lambda: drawn(7, 11, 5, block_rows=4, block_cols=3),
    "one_tile": lambda: drawn(6, 6, 3, block_rows=6, block_cols=6),
    "one_dimension": lambda: drawn(6, 8, 1),
    "length_is_dimension": lambda: drawn(8, 8, 8),
    "square": lambda: drawn(8, 8, 4),
    "whole_tiles": lambda: drawn(8, 12, 4),
    "rising": lambda: ordered(1),
    "falling": lambda: ordered(-1),
    "heads": lambda: drawn(7, 11, 5, 2, 3, block_rows=4, block_cols=3),
    "one_key": lambda: drawn(6, 1, 4),
    "causal_one_tile": lambda: drawn(8, 8, 4, causal=True, block_rows=8, block_cols=8),
    "causal": lambda: drawn(12, 12, 4, causal=True),
    "causal_uneven_tiles": lambda: drawn(12, 12, 4, causal=True, block_cols=2),
    "causal_longer": lambda: drawn(5, 9, 4, causal=True),
    "causal_shorter": lambda: drawn(9, 5, 4, causal=True, block_rows=9),
    "window": lambda: drawn(12, 12, 4, causal=True, window=3, block_cols=2),
    "cached": lambda: drawn(3, 12, 4, causal=True, length=9),
    "softcap": lambda: drawn(7, 9, 4, causal=True, cap=1.0),
    "softcap_open": lambda: drawn(7, 9, 4, cap=1.0),
    "softcap_alibi": lambda: drawn(7, 9, 4, cap=1.0, slope=0.5),
    "alibi": lambda: drawn(5, 9, 4, slope=0.5),
    "alibi_square": lambda: drawn(9, 9, 4, slope=0.5),
    "listed": lambda: listed(*UNEVEN, causal=True, block_rows=2, block_cols=3),
    "listed_causal": lambda: listed(*UNEVEN, causal=True),
    "listed_alone": lambda: listed(*UNEVEN),
    "listed_symmetric": lambda: listed((1, 0, 1), (0, 1, 0), (1, 0, 1), causal=True),
    "sink": lambda: drawn(7, 12, 4, sink=0.5),
    "sink_one_tile": lambda: drawn(7, 4, 4, sink=0.5),
    "sink_far_below": lambda: drawn(7, 12, 4, sink=-40.0),
    "padded": lambda: drawn(6, 12, 4, length=7),
    "one_document": lambda: drawn(11, 11, 4, documents=(11,)),
    "documents": lambda: drawn(11, 11, 4, documents=(4, 5, 2)),
    "huge": lambda: spread_scores(1000.0, 500.0),
    "far_below": lambda: spread_scores(-1000.0, -500.0),
    "far_apart": lambda: spread_scores(1000.0, -1000.0),
    "groups": lambda: drawn(6, 8, 4, 1, 6, kv_heads=2),
    "one_group": lambda: drawn(6, 8, 4, 1, 6, kv_heads=1),
    "no_groups": lambda: drawn(6, 8, 4, 1, 3),
    "dropout": lambda: drawn(8, 12, 4, dropout=(0.5, 7), block_cols=3),
    "dropout_one_tile": lambda: drawn(
        8, 12, 4, dropout=(0.5, 7), block_rows=8, block_cols=12
    ),
    "splits": unequal_splits,
    "causal_splits": lambda: drawn(9, 9, 4, causal=True, splits=3),
    "equal_splits": lambda: same_for_all(drawn(5, 12, 4, splits=3), q=0),
    "strided": strided,
    "called_twice": called_twice,
    "many_in_half": lambda: half(70_000, torch.float16, 7000, q=0, v=1),
    "large_in_half": large_in_half,
    "few_in_half": lambda: drawn(6, 8, 4, dtype=torch.float16),
    "fine_in_single": fine_in_single,
    "not_a_number": not_a_number,
    "another_shape": another_shape,
    "plainly_off": plainly_off,
}
