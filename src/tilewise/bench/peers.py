"""Who takes part: the rungs of the ladder, and the kernels that others have made.

An entry is make(x), x a dict of q, k, v, do (batch, heads, N, d), o, lse and causal. It
returns run(), which returns the pass's results as (batch, heads, N, d): (o,), or
(dq, dk, dv). make does whatever a caller would do once; what run does is timed.
"""

import contextlib
import importlib

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from tilewise.bench.cells import PUBLIC, RUNGS, names

SDPA = {
    "math": SDPBackend.MATH,
    "efficient": SDPBackend.EFFICIENT_ATTENTION,
    "flash": SDPBackend.FLASH_ATTENTION,
    "cudnn": SDPBackend.CUDNN_ATTENTION,
}


def rung(name, way):
    """The entry of a rung: its forward or backward function."""

    def make(x):
        function = getattr(importlib.import_module(f"tilewise.kernels.{name}"), way)
        if way == "forward":
            return lambda: function(x["q"], x["k"], x["v"], causal=x["causal"])[:1]
        inputs = [x[key] for key in ("q", "k", "v", "o", "do", "lse")]
        return lambda: function(*inputs, causal=x["causal"])

    return make


def entry(prepare, way, turned=False):
    """The entry of an attention with gradients.

    prepare(x) gives the attention as a function of q, k, v. turned: it takes and
    returns (batch, N, heads, d).
    """

    def turn(tensor):
        return tensor.transpose(1, 2) if turned else tensor

    def make(x):
        attention = prepare(x)
        q, k, v, do = (turn(x[key]).contiguous() for key in ("q", "k", "v", "do"))
        if way == "forward":
            return lambda: (turn(attention(q, k, v)),)
        leaves = [tensor.detach().requires_grad_() for tensor in (q, k, v)]
        with torch.enable_grad():
            o = attention(*leaves)

        def run():
            grads = torch.autograd.grad(o, leaves, do, retain_graph=True)
            return tuple(map(turn, grads))

        return run

    return make


def room(x):
    """Raise ValueError where standard attention leaves no room for the others.

    Its fp32 matrices of N × N numbers: S and P, then dP and dS, up to half the memory.
    """
    need = 4 * 4 * x["q"].shape[:3].numel() * x["k"].shape[2]
    if need > torch.cuda.get_device_properties(x["q"].device).total_memory / 2:
        raise ValueError(f"four N × N matrices a head take {need / 1e9:.0f} GB")


def sdpa(backend, limited=True):
    """PyTorch's own attention by one backend alone; limited: leave room for others."""

    def prepare(x):
        if backend == SDPBackend.MATH and limited:
            room(x)
        grouped = x["k"].shape[1] < x["q"].shape[1]

        def attention(q, k, v):
            with sdpa_kernel(backend):
                return scaled_dot_product_attention(
                    q, k, v, is_causal=x["causal"], enable_gqa=grouped
                )

        return attention

    return prepare


def flex(x):
    """FlexAttention, compiled for this one shape, with a block mask if causal."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    torch._dynamo.reset()  # else its limit of recompilations ends in a slow fallback
    compiled = torch.compile(flex_attention, dynamic=False)
    mask = None
    if x["causal"]:
        sizes = x["q"].shape[2], x["k"].shape[2]
        mask = create_block_mask(
            lambda b, h, i, j: i >= j, None, None, *sizes, device=x["q"].device
        )
    return lambda q, k, v: compiled(q, k, v, block_mask=mask)


def fa4(x):
    """FlashAttention-4, the package flash-attn-4; on Hopper it runs a Hopper kernel."""
    from flash_attn.cute import flash_attn_func

    return lambda q, k, v: flash_attn_func(q, k, v, causal=x["causal"])[0]


def fa3(x):
    """FlashAttention-3's forward pass, the package fa3-fwd."""
    interface = importlib.import_module("fa3_fwd_interface")  # has no types

    return lambda q, k, v: interface.flash_attn_func(q, k, v, causal=x["causal"])


def usual(x):
    """PyTorch's own attention by the backend that it picks."""
    return lambda q, k, v: scaled_dot_product_attention(q, k, v, is_causal=x["causal"])


def public(x):
    """tilewise.flash_attention."""
    from tilewise import flash_attention

    return lambda q, k, v: flash_attention(q, k, v, causal=x["causal"])


OTHERS = {"flex": flex, "fa3": fa3, "fa4": fa4, PUBLIC: public}
TURNED = "fa3", "fa4"  # take and return (batch, N, heads, d)


def entries(way, only=None):
    """{name: make} of a pass, of the names in only."""
    entries = {}
    for name in names(way):
        if only is not None and name not in only:
            continue
        if name in RUNGS[way]:
            entries[name] = rung(name, way)
        else:
            prepare = OTHERS[name] if name in OTHERS else sdpa(SDPA[name])
            entries[name] = entry(prepare, way, turned=name in TURNED)
    return entries


def graded(way):
    """A context for a pass: no gradients are recorded in a forward pass."""
    return torch.no_grad() if way == "forward" else contextlib.nullcontext()
