"""FLOPs of attention for torch.utils.flop_counter: import this before counting.

FlopCounterMode counts operators that it has a formula for. Importing this gives it one
for torch.ops.tilewise.attention and one for its backward pass: products only, of the
scores that `causal` and a window leave. Masks given as tensors are not looked into.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.utils.flop_counter import FlopCounterMode, register_flop_formula

from tilewise.attention.library import MEANING
from tilewise.ledger.tiles import visits


def one_product(
    q: Sequence[int], k: Sequence[int], causal: str, options: Sequence[Any]
) -> int:
    """2 · scores · d of shapes q (..., N_q, d), k (..., N_k, d), all heads together."""
    *front, n_q, d = q
    window = options[3:5]  # after scale, dropout_p and seed
    scores = visits(n_q, k[-2], 1, 1, MEANING[causal], tuple(window))[2]
    return 2 * math.prod(front) * scores * d


@register_flop_formula(torch.ops.tilewise.attention)
def forward_flops(
    q: Sequence[int],
    k: Sequence[int],
    v: Sequence[int],
    attn_mask: Sequence[int] | None,
    causal: str,
    *options: Any,
    **_: Any,
) -> int:
    """Two products, Q Kᵀ and P V; the second with v's d."""
    return one_product(q, k, causal, options) * (q[-1] + v[-1]) // q[-1]


@register_flop_formula(torch.ops.tilewise.attention_backward)
def backward_flops(
    q: Any,
    k: Any,
    v: Any,
    o: Any,
    lse: Any,
    attn_mask: Any,
    do: Any,
    dlse: Any,
    wanted: Sequence[bool],
    causal: str,
    *options: Any,
    **_: Any,
) -> int:
    """Five products: Q Kᵀ, dS K, dSᵀ Q with q's d, dO Vᵀ and Pᵀ dO with v's."""
    return one_product(q, k, causal, options) * (3 * q[-1] + 2 * v[-1]) // q[-1]


def flops(f: Callable[..., object], *inputs: Any) -> int:
    """FLOPs of the matrix products that f(*inputs) runs."""
    with FlopCounterMode(display=False) as counter:
        f(*inputs)
    return counter.get_total_flops()
