"""One variant of the Gluon backward pass on odd sizes, in a process of its own.

    python scripts/measure/variants/_order_check.py VARIANT

Prints JSON: errors over those of PyTorch's flash backend, against float64, and, for one
in order, whether 50 runs gave the same bits. A variant that hangs takes nothing else
with it: backward_order.py ends this process.
"""

import itertools
import json
import sys
import tempfile
from pathlib import Path

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # scripts
from measure.variants._order_variants import ordered, text
from measure.variants._variants import LENGTHS, load

SDPA = torch.nn.functional.scaled_dot_product_attention
SHAPES = [  # batch, heads, heads of K, N
    (2, 4, 4, 1000),
    (1, 8, 2, 1024),
    (1, 16, 1, 2048),  # several programs read a head of K
    (1, 3, 3, 4096),
]


def draw(shape, d):
    """q, k, v, do, drawn anew."""
    batch, heads, kv_heads, n = shape
    sizes = heads, kv_heads, kv_heads, heads
    return [torch.randn(batch, h, n, d, device="cuda").bfloat16() for h in sizes]


def exact(q, k, v, do, causal):
    """(L, [dQ, dK, dV]) in float64, a head at a time."""
    group = q.shape[1] // k.shape[1]
    lse = torch.empty(q.shape[:-1], device=q.device)
    grads = [torch.zeros_like(x).double() for x in (q, k, v)]
    for b, h in itertools.product(range(q.shape[0]), range(q.shape[1])):
        at = [(b, h), (b, h // group), (b, h // group)]
        x = [y[i].double().requires_grad_() for y, i in zip((q, k, v), at)]
        s = x[0] @ x[1].T * q.shape[-1] ** -0.5
        if causal:
            s = s.masked_fill(~torch.ones_like(s).tril().bool(), -torch.inf)
        lse[b, h], out = s.logsumexp(-1).detach(), s.softmax(-1) @ x[2]
        for y, i, g in zip(grads, at, torch.autograd.grad(out, x, do[b, h].double())):
            y[i] += g
    return lse, grads


def flash(q, k, v, do, causal):
    """(o, gradients) of PyTorch's flash backend."""
    x, group = [y.clone().requires_grad_() for y in (q, k, v)], q.shape[1] // k.shape[1]
    each = [x[0], *(y.repeat_interleave(group, 1) for y in x[1:])]
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        o = SDPA(*each, is_causal=causal)
    return o.detach(), torch.autograd.grad(o, x, do)


def norm(x):
    return x.double().norm().item()


def check(run, shape, d, causal, same):
    """Largest error over flash's, and how many of 50 runs had other bits than one."""
    q, k, v, do = draw(shape, d)
    lse, true = exact(q, k, v, do, causal)
    o, theirs = flash(q, k, v, do, causal)
    found = run(q, k, v, o, do, lse, causal=causal)
    pairs = zip(found, theirs, true, strict=True)
    worst = max(norm(x - z) / norm(y - z) for x, y, z in pairs)
    other = repeated(run, shape, d, causal, 50 if same else 3, same)
    return {"error_over_flash": worst, "other_bits": other}


def repeated(run, shape, d, causal, times, same):
    """How many of so many runs gave other bits than the first; dQ may without order."""
    q, k, v, do = draw(shape, d)
    lse = torch.full(q.shape[:-1], 9.0, device="cuda")
    first, other = run(q, k, v, q, do, lse, causal=causal), 0
    for _ in range(times):
        again = run(q, k, v, q, do, lse, causal=causal)
        equal = [*map(torch.equal, again, first)]
        other += not all(equal if same else equal[1:])
    return other


def main(name):
    with tempfile.TemporaryDirectory() as folder:
        module = load(name, text(name), folder)
        torch.utils.deterministic.fill_uninitialized_memory = False
        torch.use_deterministic_algorithms(same := ordered(name), warn_only=True)
        run = module.backward
        rows = []
        for shape, d, causal in itertools.product(SHAPES, (64, 128), (False, True)):
            at = {"shape": shape, "d": d, "causal": causal}
            rows.append(at | check(run, shape, d, causal, same))
        for n, d, causal in itertools.product(LENGTHS, (64, 128), (False, True)):
            at = {"shape": (16384 // n, 2048 // d, 2048 // d, n), "d": d}
            bits = repeated(run, at["shape"], d, causal, 3, same)
            rows.append(at | {"causal": causal, "other_bits": bits})
        print(json.dumps(rows))


if __name__ == "__main__":
    main(sys.argv[1])
