"""The inputs that a wrong attention fails, and what each of them is there to show."""

from typing import NamedTuple

import torch
from torch import Tensor

from tilewise.examples.check_my_attention import inputs

HINTS = {
    "odd sizes": "No usual tile divides N: look at the last tile, and at the scale.",
    "the maximum rises": "Where the maximum moves, rescale the sum and the output.",
    "the maximum falls": "A later tile with lower scores must not move the maximum.",
    "scores of 100 to 400": "Subtract the maximum, and start it at −∞.",
    "large rows beside small": "Each row needs a maximum of its own.",
    "causal": "Row r sees key c where c ≤ r, by indices over the whole sequence.",
    "causal, N_q < N_k": "The last row sees the last key: r + N_k − N_q.",
    "causal, rows without keys": "A row that sees no key gives 0 and gradient 0.",
    "other strides": "Read k and v by their strides, or make them contiguous.",
    "70,000 keys in 16 bits": "Keep scores, sums and output in fp32.",
    "window": "Row r sees keys r + N_k − N_q − left … + right.",
    "hidden first tile": "e^{−∞ − (−∞)} is NaN: a tile without a visible key adds 0.",
    "grouped heads": "Query heads h share key head h // group; dk, dv are their sums.",
    "padding": "attn_mask is True where a row may see a key.",
    "packed documents": "A row sees the keys of its own document only.",
    "softcap": "s = c tanh(s / c) before the mask; its slope 1 − (s / c)² is in dS.",
    "softcap and ALiBi": "Softcap first, then the bias, then the mask.",
    "ALiBi": "−slope · |r + N_k − N_q − c|, a slope for each head.",
    "sinks": "A sink counts once in each row's sum, and its value is zero.",
    "dropout": "Sum first, then drop: both passes need one and the same mask.",
}


class Case(NamedTuple):
    """Tensors (batch, heads, N, d), and the options of the call."""

    q: Tensor
    k: Tensor
    v: Tensor
    how: dict


def cases(d: int = 64, device: str = "cpu", dtype: torch.dtype = torch.float32) -> dict:
    """{name: Case}."""
    found = {
        name: Case(q, k, v, {"causal": True} if causal else {})
        for name, (q, k, v, causal) in inputs(d, device, dtype).items()
    }
    square, more = found["causal"][:3], found["odd sizes"][:3]
    source = torch.Generator().manual_seed(1)
    q = torch.randn(2, 6, 77, d, generator=source).to(device, dtype)
    k, v = torch.randn(2, 2, 2, 233, d, generator=source).to(device, dtype)
    slopes, sinks = torch.tensor([[0.5, 0.125], [0.5, 2.0]], device=device)
    padding, same = (x.to(device) for x in masks())
    return found | {
        "window": Case(*more, {"causal": True, "window": (30, 0)}),
        "hidden first tile": Case(*square, {"causal": True, "window": (20, None)}),
        "grouped heads": Case(q, k, v, {"causal": True}),
        "padding": Case(*more, {"attn_mask": padding}),
        "packed documents": Case(*square, {"attn_mask": same}),
        "softcap": Case(*square, {"causal": True, "softcap": 1.0}),
        "softcap and ALiBi": Case(*more, {"softcap": 1.0, "alibi_slopes": slopes}),
        "ALiBi": Case(*more, {"alibi_slopes": slopes}),
        "sinks": Case(*more, {"sinks": sinks}),
    }


def masks() -> tuple[Tensor, Tensor]:
    """attn_mask of two padded sequences, and of three documents in one."""
    padding = torch.arange(233) < torch.tensor([120, 201])[:, None, None, None]
    document = torch.bucketize(torch.arange(200), torch.tensor([60, 150]), right=True)
    return padding, (document[:, None] == document)[None, None]
