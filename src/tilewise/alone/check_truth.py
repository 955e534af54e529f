"""Attention as it is written, with every option, and with the usual mistakes in it."""

import torch
from torch import Tensor


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
