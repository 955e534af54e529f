"""What roofline.py measures: standard attention, its kernels, fused attention."""

from functools import partial

import torch
import torch._inductor.config
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

DEVICE = "cuda"
torch._dynamo.config.recompile_limit = 64  # one compilation a shape
torch._inductor.config.compile_threads = 1  # ncu waits for worker processes for ever
BACKENDS = {
    "flash": SDPBackend.FLASH_ATTENTION,
    "cudnn": SDPBackend.CUDNN_ATTENTION,
    "math": SDPBackend.MATH,
}
Q_BLOCK = 128  # rows of Q that one block of the flash kernel keeps


def draw(b, h, n, d):
    """Fresh Q, K, V, each (b, h, n, d) in bf16."""
    return [torch.randn(b, h, n, d, device=DEVICE).bfloat16() for _ in "qkv"]


def standard(q, k, v):
    """S = Q Kᵀ, S / √d, softmax, P V: four kernels, with S and P in HBM."""
    s = q @ k.mT  # (b, h, n, n)
    s = s * q.shape[-1] ** -0.5
    return torch.softmax(s, -1) @ v


@torch.compile(dynamic=False)
def scaled_softmax(s, scale):
    """softmax(scale · s) as one kernel, made by the compiler."""
    return torch.softmax(s * scale, -1)


def three_kernels(q, k, v):
    """The same with the scaling inside a compiled softmax."""
    return scaled_softmax(q @ k.mT, q.shape[-1] ** -0.5) @ v


def fused(backend, q, k, v):
    """scaled_dot_product_attention by one backend alone."""
    with sdpa_kernel(backend):
        return scaled_dot_product_attention(q, k, v)


def calls(q, k, v):
    """name -> (function of nothing, FLOPs, bytes that its kernels ask for, or None)."""
    b, h, n, d = q.shape
    heads, nn, nd = b * h, n * n, n * d
    s = q @ k.mT
    p = torch.softmax(s * d**-0.5, -1)
    whole = 4 * heads * nn * d
    found = {  # elements a head: each input read once, each output written once
        "standard": (lambda: standard(q, k, v), whole, 6 * nn + 4 * nd),
        "three_kernels": (lambda: three_kernels(q, k, v), whole, 4 * nn + 4 * nd),
        "qk": (lambda: q @ k.mT, whole // 2, nn + 2 * nd),
        "scale": (lambda: s * d**-0.5, heads * nn, 2 * nn),
        "softmax": (lambda: torch.softmax(s, -1), 5 * heads * nn, 2 * nn),
        "scaled_softmax": (lambda: scaled_softmax(s, d**-0.5), 6 * heads * nn, 2 * nn),
        "pv": (lambda: p @ v, whole // 2, nn + 2 * nd),
    }
    for name, backend in BACKENDS.items():
        count = 2 * nd + 2 * nd * -(-n // Q_BLOCK) if name == "flash" else None
        found[name] = (partial(fused, backend, q, k, v), whole, count)
    return {
        name: (f, flops, count and 2 * heads * count)
        for name, (f, flops, count) in found.items()
    }


def error(f, q, k, v):
    """Relative error of f's first and last head against float64; inf if not finite."""
    poison = [torch.full_like(q, torch.nan) for _ in range(3)]
    del poison  # the next block of this size holds NaN until it is written
    o = f()
    if not torch.isfinite(o).all():
        return torch.inf
    q, k, v, o = (torch.stack([x[0, 0], x[-1, -1]]).double() for x in (q, k, v, o))
    want = torch.softmax(q @ k.mT * q.shape[-1] ** -0.5, -1) @ v
    return ((o - want).norm() / want.norm()).item()
