"""What a case of the gallery should give, from the tests' own float64 attention.

Masks are filled entry by entry; nothing of tilewise is used but dropout's own mask.
"""

import torch

from .._oracle import autograd
from ..attention._variant_cases import formula

NAMES = ("o", "lse", "dq", "dk", "dv")
PLAIN = {
    "scale": None,
    "causal": False,
    "window": None,
    "cap": None,
    "slope": None,
    "sink": None,
    "length": None,
    "documents": None,
    "tiles": None,
    "dropout": (0.0, 0),
    "calls": ({},),
}


def shows(case, r, c):
    """Whether row r may see key c by the masks that are not causal."""
    shift = case["k"].shape[-2] - case["q"].shape[-2]
    if case["window"] is not None and c <= r + shift - case["window"]:
        return False
    if case["length"] is not None and c >= case["length"]:
        return False
    if case["length"] is not None and case["causal"]:  # its own diagonal
        if c > r + case["length"] - case["q"].shape[-2]:
            return False
    if case["tiles"] is not None:
        tiles, size = case["tiles"]
        if not tiles[r // size, c // size]:
            return False
    if case["documents"] is not None:
        of = [i for i, n in enumerate(case["documents"]) for _ in range(n)]
        return of[r] == of[c]
    return True


def one_call(case, keep):
    """o, lse, dq, dk, dv of one call."""
    n_q, n_k = case["q"].shape[-2], case["k"].shape[-2]
    seen = [[shows(case, r, c) for c in range(n_k)] for r in range(n_q)]
    options = {x: case[x] for x in ("scale", "causal")} | {"seen": torch.tensor(seen)}
    p, seed = case["dropout"]
    if p:
        kept = keep(p, seed, n_q, n_k)(torch.arange(n_q), torch.arange(n_k))
        options["factors"] = kept.double() / (1 - p)
    tensors = [case[x].double() for x in ("q", "k", "v", "do")]
    if any(case[x] is not None for x in ("cap", "slope", "sink")):
        return by_formula(case, tensors, torch.tensor(seen))
    o, lse, *grads = autograd(*tensors, **options)
    return dict(zip(NAMES, (o, lse[..., None], *grads)))


def by_formula(case, tensors, seen):
    """The same with softcap, ALiBi and a sink, by the formula of the variants."""
    q, k, v = (x[None, None].requires_grad_() for x in tensors[:3])
    slopes, sinks = (
        None if case[x] is None else torch.tensor([case[x]], dtype=torch.float64)
        for x in ("slope", "sink")
    )
    plain = {"scale": case["scale"], "causal": case["causal"], "cap": case["cap"]}
    o, lse = formula(q, k, v, slopes, sinks, None, **plain, seen=seen, z=1.0)
    grads = torch.autograd.grad(o, (q, k, v), tensors[3][None, None])
    results = (o.detach(), lse.detach()[..., None], *grads)
    return dict(zip(NAMES, (x[0, 0] for x in results)))


def exact(case, keep):
    """The same for all calls; a comparison that is asked about a wrong result: no."""
    if "result" in case:
        return {"o": torch.tensor(0.0)}
    results = [one_call(PLAIN | case | call, keep) for call in (PLAIN | case)["calls"]]
    return {name: torch.stack([x[name] for x in results]) for name in NAMES}


def difference(found, wanted):
    """The largest difference over all outputs: NaN stays NaN, a shape counts as ∞."""
    errors = []
    for name, y in wanted.items():
        x = found[name].double()
        if x.shape != y.shape:
            return torch.inf
        errors.append(torch.where(x == y, 0, (x - y).abs()).max())
    return torch.stack(errors).max().item()
