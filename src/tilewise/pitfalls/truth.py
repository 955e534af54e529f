"""What a case should give: plain attention in float64, gradients by autograd."""

import torch

from tilewise.pitfalls import pieces
from tilewise.pitfalls.assembled import DEFAULTS, RIGHT, seen_in


def plain(case, keep=pieces.keep):
    """o, lse, dq, dk, dv of one call: whole matrices, no tiles."""
    q, k, v = (case[x].detach().double().requires_grad_() for x in "qkv")
    group = q.shape[-3] // k.shape[-3] if q.ndim > 2 else 1
    kh, vh = (x.repeat_interleave(group, -3) if group > 1 else x for x in (k, v))
    scale = q.shape[-1] ** -0.5 if case["scale"] is None else case["scale"]
    rows, cols = torch.arange(q.shape[-2]), torch.arange(k.shape[-2])
    seen = seen_in(RIGHT, case, rows, cols)
    s = scale * q @ kh.mT
    if case["cap"] is not None:
        s = case["cap"] * torch.tanh(s / case["cap"])
    if case["slope"] is not None:
        far = rows[:, None] + len(cols) - len(rows) - cols
        s = s - case["slope"] * far.abs()
    s = s.masked_fill(~seen, -torch.inf)
    if case["sink"] is not None:  # one more key, whose value is zero
        s = torch.cat([s, torch.full_like(s[..., :1], case["sink"])], -1)
        vh = torch.cat([vh, torch.zeros_like(vh[..., :1, :])], -2)
        seen = torch.cat([seen, torch.ones_like(seen[..., :1])], -1)
    p = torch.softmax(s, -1).masked_fill(~seen.any(-1, keepdim=True), 0)
    p_drop, seed = case["dropout"]
    if p_drop:
        p = p * keep(p_drop, seed, len(rows), len(cols))(rows, cols) / (1 - p_drop)
    o = p @ vh
    grads = torch.autograd.grad(o, (q, k, v), case["do"].double())
    lse = s.logsumexp(-1, keepdim=True)
    results = o.detach(), lse.detach(), *(x.nan_to_num(0) for x in grads)
    return dict(zip(("o", "lse", "dq", "dk", "dv"), results))


def truth(case, keep=pieces.keep):
    """The same, stacked over the calls; a comparison of two results must say no.

    keep is where dropout's mask comes from: it is drawn in one piece, as one tile.
    """
    case = DEFAULTS | case
    if "result" in case:
        return {"o": torch.tensor(0.0)}
    results = [plain(case | call, keep) for call in case["calls"]]
    return {name: torch.stack([x[name] for x in results]) for name in results[0]}


def error(results, exact, outputs=("o", "lse", "dq", "dk", "dv")):
    """The largest difference over the outputs; NaN if there is one, ∞ for a shape."""
    worst = 0.0
    for name in outputs:
        if name in exact:
            if results[name].shape != exact[name].shape:
                return torch.inf
            a, b = results[name].double(), exact[name]
            far = (a - b).abs().masked_fill(a == b, 0)  # −∞ is equal to −∞
            worst = torch.maximum(torch.tensor(worst).double(), far.max()).item()
    return worst
