# attention_check.py of Tilewise 0.1.0, by `tilewise export`.
# It needs torch; python attention_check.py tests it.
# Copyright (c) 2026 The Tilewise authors. SPDX-License-Identifier: MIT

"""Is your attention right? A check against float64 that says in words what is wrong.

    import attention_check
    attention_check.report(my_attention)

calls my_attention(q, k, v, **options) with tensors (batch, heads, N, d) and with those
of its parameters that are named here: causal (True: row r sees keys 0 .. r + N_k −
N_q), window (left, right), softcap, alibi_slopes (heads,), sinks (heads,), attn_mask
(bools, True where a row may see a key) and dropout_p, whose mask torch.manual_seed
repeats. Gradients are compared where the result has them. In the terminal,
`python attention_check.py FILE.py:FUNCTION` does the same.
"""

import inspect
import runpy
import sys
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

def inputs(d=64, device="cpu", dtype=torch.float32):
    """{name: (q, k, v, causal)}, each (batch, heads, N, d); no usual tile divides N."""
    torch.manual_seed(0)
    where = {"device": device, "dtype": dtype}
    half = dtype if dtype.itemsize == 2 else torch.float16

    def some(*lengths):
        return [torch.randn(2, 2, n, d, **where) for n in lengths]

    q, k, v = some(200, 200, 200)
    axis = torch.eye(d, **where)[0]  # the first of the d numbers of a row
    slope = torch.linspace(-40, 40, 200, **where)[:, None] * axis
    signs = (-1) ** torch.arange(200, device=device)[:, None] * axis  # row by row
    fewer, more = some(77, 233, 233), some(233, 77, 77)
    many = torch.zeros(1, 1, 70_000, d, device=device, dtype=half)
    ramp = torch.linspace(0, 2, 70_000, device=device)[:, None].to(half)
    return {
        "odd sizes": (*fewer, False),
        "the maximum rises": (q.abs(), k + slope, v, False),
        "the maximum falls": (q.abs(), k - slope, v, False),
        "scores of 100 to 400": (800 * signs + 0 * q, k.round(), v, False),
        "large rows beside small": (1600 * signs + 0 * q, axis + 0 * k, v, False),
        "causal": (q, k, v, True),
        "causal, N_q < N_k": (*fewer, True),
        "causal, rows without keys": (*more, True),
        "other strides": (q, k.mT.contiguous().mT, v.mT.contiguous().mT, True),
        "70,000 keys in 16 bits": (many[..., :1, :], many, many + ramp, False),
    }

def close(result, exact, plain, largest):
    """Is the error at most c times the plain formula's, and two last digits more?

    c is 2 in 16 bits and 4 in float32, where a fused kernel is not the more exact one.
    One last digit is that of the largest result, the other that of the largest input in
    float32, in which scores are computed. NaN fails, as NaN <= x is False, and so does
    another shape.
    """
    if result.shape != exact.shape:
        return False
    error, plain_error = ((x.double() - exact).abs().max() for x in (result, plain))
    allowed = (2 if plain.dtype.itemsize == 2 else 4) * plain_error
    wide = torch.promote_types(plain.dtype, torch.float32)
    digit = torch.finfo(plain.dtype).eps * exact.abs().max()
    return bool(error <= allowed + digit + torch.finfo(wide).eps * largest)

def mine(q, k, v, causal=False, block=128):
    """Correct attention, by tiles of 128: row r sees keys 0 .. r + N_k − N_q."""
    n_q, n_k, dtype, out = q.shape[-2], k.shape[-2], q.dtype, []
    q, k, v = q.float() * q.shape[-1] ** -0.5, k.float(), v.float()
    rows, cols = (torch.arange(n, device=q.device) for n in (n_q, n_k))
    tiles = [x.split(block, dim) for x, dim in ((cols, 0), (k, -2), (v, -2))]
    for rows_i, q_i in zip(rows.split(block), q.split(block, -2)):
        m, l, o = torch.tensor(-torch.inf), 0, 0
        for cols_j, k_j, v_j in zip(*tiles):
            s = q_i @ k_j.mT
            if causal:
                s = s.masked_fill(cols_j > rows_i[:, None] + n_k - n_q, -torch.inf)
            m_new = torch.maximum(m, s.detach().amax(-1, keepdim=True))
            unit = m_new.masked_fill(m_new == -torch.inf, 0)  # no key seen so far
            p, alpha = torch.exp(s - unit), torch.exp(m - unit)
            m, l = m_new, alpha * l + p.sum(-1, keepdim=True)
            o = alpha * o + p @ v_j
        out.append(o / l.masked_fill(l == 0, 1))
    return torch.cat(out, -2).to(dtype)

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

def visible(q: Tensor, k: Tensor, how: dict) -> Tensor:
    """Which keys each row may see, by causal, window and attn_mask together."""
    far = distances(q, k, how)
    seen = far <= (how.get("reach", 0) if how.get("causal") else 10**9)
    left, right = how.get("window") or (None, None)
    seen = seen if left is None else seen & (far >= -left)
    seen = seen if right is None else seen & (far <= right)
    seen = seen & (torch.arange(k.shape[-2], device=q.device) < how.get("cut", 10**9))
    mask = how.get("attn_mask")
    return seen if mask is None else seen & mask

def distances(q: Tensor, k: Tensor, how: dict) -> Tensor:
    """How many keys after the diagonal each key is, (N_q, N_k)."""
    rows, cols = (torch.arange(x.shape[-2], device=q.device) for x in (q, k))
    return cols - rows[:, None] - how.get("diagonal", k.shape[-2] - q.shape[-2])

def scores(q: Tensor, k: Tensor, how: dict) -> Tensor:
    """τ q kᵀ, then softcap, then ALiBi; not masked yet."""
    s = (q @ k.mT) * how.get("scale", q.shape[-1] ** -0.5)
    slopes, cap, bias = how.get("alibi_slopes"), how.get("softcap"), 0
    if slopes is not None:
        bias = -slopes.to(q.dtype)[:, None, None] * distances(q, k, how).abs()
    if how.get("bias_first"):
        s, bias = s + bias, 0
    return (s if cap is None else cap * torch.tanh(s / cap)) + bias

def formula(q: Tensor, k: Tensor, v: Tensor, kept: Tensor | int = 1, **how) -> Tensor:
    """softmax(τ q kᵀ) v in the dtype of its input; a row that sees no key gives 0.

    how: causal (row r sees keys 0 .. r + N_k − N_q), window, softcap, alibi_slopes,
    sinks, attn_mask; kept is what dropout multiplies the weights with. Other names in
    how are mistakes.
    """
    group = q.shape[1] // k.shape[1]
    if how.get("in_turn"):
        k, v = (x.repeat(1, group, 1, 1) for x in (k, v))
    else:
        k, v = (x.repeat_interleave(group, 1) for x in (k, v))
    seen, s = visible(q, k, how), scores(q, k, how)
    hide = ~seen & seen.any(-1, keepdim=True) if "fill" not in how else ~seen
    s = s if how.get("late") else s.masked_fill(hide, how.get("fill", -torch.inf))
    more = [s.new_zeros(*s.shape[:-1], how.get("zeros", 0))]
    if how.get("sinks") is not None:  # one more key, of this score, whose value is 0
        sink = how["sinks"].to(s.dtype)[:, None, None]
        more += [sink.expand(*s.shape[:-1], 1)] * how.get("times", 1)
    p = torch.softmax(torch.cat([s, *more], -1), how.get("axis", -1))
    p = p[..., : k.shape[-2]] * kept
    return (p if "fill" in how else p.masked_fill(~seen, 0)) @ v

def mistakes(q: Tensor, k: Tensor, how: dict):
    """(what it would be, the options that make it) of mistakes that fit a case."""
    for name in how:
        yield f"{name} changes nothing", how | {name: None}
    if how.keys() & {"causal", "window", "alibi_slopes"}:
        top = "the diagonal begins at the top left, at key r instead of r + N_k − N_q"
        yield top, how | {"diagonal": 0}
    if how.get("causal"):
        yield "a row does not see its own key: < where ≤ is meant", how | {"reach": -1}
        yield "a row sees a key of the future", how | {"reach": 1}
    if how.get("window"):
        left, right = how["window"]
        yield "the window is one key too wide", how | {"window": (left + 1, right)}
        yield "the window is one key too narrow", how | {"window": (left - 1, right)}
    if how.get("attn_mask") is not None:
        yield (
            "attn_mask is inverted: True must mean visible",
            how | {"attn_mask": ~how["attn_mask"]},
        )
    yield from plain_mistakes(k.shape[-2], q.shape[-1], how)

def plain_mistakes(n: int, d: int, how: dict):
    """The same, of mistakes that are possible in any call."""
    scales = {"1": 1.0, "√d": d**0.5, "1/d": 1 / d, "1/√N": n**-0.5}
    for name, scale in scales.items():
        yield f"the scores are scaled by {name} instead of 1/√d", how | {"scale": scale}
    yield "the softmax runs over the queries instead of the keys", how | {"axis": -2}
    finite = "hidden scores are finite: where a row sees no key, it gets the mean of V"
    yield finite, how | {"fill": -1e6}
    yield "hidden scores are 0 instead of −∞", how | {"fill": 0.0}
    yield "the mask comes after the softmax and its sum", how | {"late": 1}
    yield "key heads are repeated 0 1 0 1 instead of 0 0 1 1", how | {"in_turn": True}
    yield "ALiBi is added before softcap, not after it", how | {"bias_first": True}
    for times in range(2, 17):
        yield f"the sink counts {times} times", how | {"times": times}
    for block in (16, 32, 64, 128, 256):
        filled = "keys are filled up with zeros, and each counts as a score of 0"
        yield filled, how | {"zeros": -n % block}
        yield "the last keys, less than a tile, are lost", how | {"cut": n - n % block}


Attention = Callable[..., Tensor]

def attempt(attention: Attention, case: Case, backward=True, **more) -> list[Tensor]:
    """o, and where it has gradients those of Σ w ∘ o, w being fixed weights."""
    q, k, v = (x.detach().clone().as_strided(x.shape, x.stride()) for x in case[:3])
    q, k, v = (x.requires_grad_(backward) for x in (q, k, v))
    o = attention(q, k, v, **case.how, **more)
    if not (backward and o.requires_grad):
        return [o.detach()]
    weights = torch.cos(torch.arange(o.numel(), device=o.device)).view(o.shape)
    weights = (8 * weights).round() / 8  # the same numbers in every dtype
    grads = torch.autograd.grad((o * weights.to(o.dtype)).sum(), (q, k, v))
    return [o.detach(), *grads]

def wrong(attention: Attention, case: Case, gradients: bool = True) -> list[str]:
    """What is wrong with a case, a sentence for each thing."""
    largest = max(x.abs().max() for x in case[:3])
    # beyond, weights that are computed again have lost too many digits to compare
    backward = gradients and bool(largest < 30 and case.q.shape[-2] > 1)
    before = [x.clone() for x in case[:3]]
    found = attempt(attention, case, backward)
    exact = attempt(formula, Case(*(x.double() for x in before), case.how), backward)
    plain = attempt(formula, case, backward)
    said = []
    for name, *three in zip(("o", "dq", "dk", "dv"), found, exact, plain):
        if not close(*three, largest):
            said.append(f"{name} is wrong: {describe(name, case, *three[:2])}")
            if name == "o":
                break  # its gradients are those of something else
    kept = attention(*case[:3], **case.how)
    copy = kept.clone()
    attention(*case[:2], 1 - case.v, **case.how)
    if not torch.equal(kept.nan_to_num(), copy.nan_to_num()):
        said.append("the next call overwrites the result of this one")
    if not all(map(torch.equal, case[:3], before)):
        said.append("the call changes its input")
    return said

def describe(name: str, case: Case, found: Tensor, exact: Tensor) -> str:
    """What a wrong result looks like: a known mistake, a factor, or where it is."""
    if found.shape != exact.shape:
        return f"its shape is {tuple(found.shape)} instead of {tuple(exact.shape)}"
    found = found.double()
    if name == "o":
        q, k, v = (x.double() for x in case[:3])
        for what, how in mistakes(q, k, case.how):
            if near(found, other := formula(q, k, v, **how)) and not near(exact, other):
                return what
    factor = ((found * exact).sum() / exact.square().sum()).item()
    if abs(factor - 1) > 0.01 and near(found, factor * exact):
        return f"it is {factor:.4g} times as large as it should be"
    if bad := int((~found.isfinite()).any(-1).sum()):
        return f"{bad} of {found[..., 0].numel()} rows are NaN or infinite"
    seen = visible(case.q, case.k, case.how).any(-1)
    if name == "o" and near(found * seen[..., None], exact):
        return "rows that see no key are not 0"
    error = (found - exact).abs().amax((0, 1, 3))
    first = int((error > error.max() / 100).nonzero()[0])
    return f"the error is up to {error.max():.1e}, from row {first} on"

def near(a: Tensor, b: Tensor) -> bool:
    """Whether two results are the same but for rounding."""
    return bool((a - b).abs().max() <= 2e-3 * b.abs().max())

def dropout(attention: Attention, device: str, dtype: torch.dtype) -> list[str]:
    """The same for dropout_p = 0.5: V = I shows the weights, so the mask is known."""
    q = torch.randn(1, 2, 300, 128, device=device, dtype=dtype)
    k, v = torch.randn(2, 1, 2, 128, 128, device=device, dtype=dtype)
    case = Case(q, k, torch.eye(128, device=device, dtype=dtype).expand_as(v), {})

    def seeded(*tensors: Tensor, **how) -> Tensor:
        torch.manual_seed(0)
        return attention(*tensors, **how, dropout_p=0.5)

    kept = attempt(seeded, case)[0].double() / attempt(formula, case)[0].double()
    if not bool(((kept.abs() < 0.05) | ((kept - 2).abs() < 0.05)).all()):
        return ["a weight must become 0, or 1 / (1 − p) times what it was"]
    if not 0.4 < (share := (kept < 1).double().mean().item()) < 0.6:
        return [f"{share:.0%} of the weights are dropped instead of 50%"]
    exact = attempt(formula, Case(q, k, v, {}), kept=kept.round().to(dtype))
    found = attempt(seeded, Case(q, k, v, {}))
    pairs = zip(("o", "dq", "dk", "dv"), found, exact)
    lost = [name for name, a, b in pairs if not near(a.double(), b.double())]
    same = "P and dP of both passes need one mask"
    return [f"{', '.join(lost)}: {same}"] if lost else []

def findings(
    attention: Attention,
    device: str = "cpu",
    dtype: torch.dtype = torch.float32,
    d: int = 64,
    gradients: bool = True,
) -> tuple[dict[str, list[str]], list[str]]:
    """({what is wrong: the cases}, the cases for which the function has no option)."""
    parameters, left = inspect.signature(attention).parameters, []
    said: dict[str, list[str]] = {}
    for name, case in cases(d, device, dtype).items():
        if not parameters.keys() >= case.how.keys():
            left.append(name)
            continue
        try:
            found = wrong(attention, case, gradients)
        except Exception as error:
            if name == "grouped heads":
                left.append(name)  # it wants as many heads in k and v as in q
                continue
            found = [f"it raises {type(error).__name__}, {error}"]
        for what in found:
            said.setdefault(what, []).append(name)
    if "dropout_p" not in parameters:
        return said, [*left, "dropout"]
    return said | {x: ["dropout"] for x in dropout(attention, device, dtype)}, left

def report(attention: Attention, **where) -> bool:
    """Print what is wrong, in words, and return whether nothing is.

    where: device, dtype and d of the tensors, "cpu", float32 and 64 unless told, and
    gradients=False for a function that has none.
    """
    said, left = findings(attention, **where)
    print(f"{attention.__name__}: {'wrong' if said else 'right'}")
    for what, names in said.items():
        print(f"- {what}\n  in: {'; '.join(names)}")
        print(f"  {HINTS[names[0]]}")
    if left:
        print(f"  not asked, as it does not take them: {'; '.join(left)}")
    return not said

def unscaled(q: Tensor, k: Tensor, v: Tensor, causal: bool = False) -> Tensor:
    """A wrong one: the scores are not divided by √d."""
    return formula(q, k, v, causal=causal, scale=1.0)

if __name__ == "__main__":
    if len(sys.argv) == 2 and ":" in sys.argv[1]:
        path, _, name = sys.argv[1].rpartition(":")
        sys.exit(0 if report(runpy.run_path(path)[name]) else 1)
    assert report(mine) and not report(unscaled)
