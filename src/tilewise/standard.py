"""Standard attention in PyTorch: the formula, with S and P written out in full.

The rest of this package is compared with it. It computes in the dtype of its input,
so that float64 tensors give a reference for lower precisions.
"""

# --8<-- [start:imports]
import math

import torch

# --8<-- [start:tensor]
from torch import Tensor

# --8<-- [end:tensor]
# --8<-- [end:imports]


# --8<-- [start:standard_forward]
def standard_forward(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    scale: float | None = None,
    causal: bool | str = False,
) -> tuple[Tensor, Tensor]:
    """O = P V with P = softmax(S) and S = τ Q Kᵀ: Algorithm 0 of arXiv 2205.14135.

    q (..., N_q, d), k (..., N_k, d), v (..., N_k, d_v) → o (..., N_q, d_v) and the
    N_q × N_k numbers p that the backward pass needs. scale None is 1/√d. With causal
    True, row r sees keys 0 .. r + N_k − N_q (bottom-right), with "top-left" 0 .. r; a
    row that sees no key has p = 0 and o = 0. Any other causal raises ValueError.
    """
    if causal not in (False, True, "top-left"):
        raise ValueError(f"causal must be False, True or 'top-left', not {causal!r}")
    (n_q, d), n_k = q.shape[-2:], k.shape[-2]
    scale = d**-0.5 if scale is None else scale
    shift = {False: n_k, True: n_k - n_q, "top-left": 0}[causal]
    hidden = torch.ones(n_q, n_k, dtype=torch.bool, device=q.device).triu(shift + 1)
    s = scale * (q @ k.mT)  # (..., N_q, N_k), line 1
    s = s.masked_fill(hidden, -math.inf)  # keys c > r + shift
    p = torch.softmax(s, dim=-1)  # (..., N_q, N_k), line 2
    p = p.masked_fill(hidden, 0)  # softmax makes NaN of a row of −∞ alone
    return p @ v, p  # (..., N_q, d_v), line 3
    # --8<-- [end:standard_forward]


# --8<-- [start:standard_backward]
def standard_backward(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    p: Tensor,
    do: Tensor,
    *,
    scale: float | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """dQ, dK, dV from dO and the stored P: Algorithm 3 of arXiv 2205.14135.

    dV = Pᵀ dO,  dP = dO Vᵀ,  dS = P ∘ (dP − rowsum(dP ∘ P)),  dQ = τ dS K,
    dK = τ dSᵀ Q. Shapes and scale as in standard_forward; p is its second result,
    do (..., N_q, d_v). A row that saw no key has p = 0 and adds nothing to a gradient.
    """
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    dv = p.mT @ do  # (..., N_k, d_v), line 1
    dp = do @ v.mT  # (..., N_q, N_k), line 2
    ds = p * (dp - (dp * p).sum(-1, keepdim=True))  # rows of dS sum to 0, line 3
    dq = scale * (ds @ k)  # (..., N_q, d), line 4
    dk = scale * (ds.mT @ q)  # (..., N_k, d), line 5
    return dq, dk, dv
    # --8<-- [end:standard_backward]
