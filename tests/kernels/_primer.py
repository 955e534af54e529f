"""The primer's kernels against float64; python _primer.py runs them interpreted.

A process of its own then, since TRITON_INTERPRET is read where triton is imported. It
prints JSON: what was wrong, what the kernels moved, what the interpreter hides.
"""

import json
import os
import sys

if __name__ == "__main__":
    os.environ["TRITON_INTERPRET"] = "1"

import torch
import triton
import triton.language as tl

from tilewise.examples.triton_add import add
from tilewise.examples.triton_one_tile import one_tile
from tilewise.examples.triton_online_softmax import online_softmax
from tilewise.examples.triton_softmax import softmax

SIZES = [(1, 1), (3, 2), (5, 17), (4, 128), (2, 1000), (3, 1025)]
DTYPES = {  # the interpreter cuts off where a card rounds to bf16
    "cpu": (torch.float32, torch.float16),
    "cuda": (torch.float32, torch.float16, torch.bfloat16),
}


def scores(rows, n, dtype, device):
    """Rows of scores, some −∞, one of them nothing else; odd n: strides (1, rows)."""
    torch.manual_seed(n)
    s = 30 * torch.randn(rows, n, dtype=torch.float64)
    s = s.masked_fill(torch.rand(rows, n) < 0.2, -torch.inf)
    s[-1] = -torch.inf
    s = s.to(dtype).to(device)
    return s.T.contiguous().T if n % 2 else s


def softmax_faults(device):
    """At most twice PyTorch's error, rows without a key are zeros, nothing is NaN."""
    ways = {"softmax": softmax}
    for block in (2, 16, 1024):
        ways[f"online {block}"] = lambda s, b=block: online_softmax(s, block=b)
    for (rows, n), dtype in [
        (size, dtype) for size in SIZES for dtype in DTYPES[device]
    ]:
        s = scores(rows, n, dtype, device)
        exact = torch.softmax(s.double(), -1).nan_to_num(0)
        plain = torch.softmax(s, -1).nan_to_num(0)
        most = 2 * (plain - exact).abs().max() + torch.finfo(dtype).eps / 4
        for name, way in ways.items():
            if name == "online 2" and n > 200:
                continue  # hundreds of sums, each rounded: PyTorch's tree has ten
            p = way(s)
            if not (p.dtype == dtype and (p - exact).abs().max() <= most):
                yield f"{name} of {rows} × {n}, {dtype}"


def add_faults(device):
    """Every place written once, none past the end."""
    for n in (1, 7, 1023, 1024, 1025):
        x, y = torch.randn(2, n, device=device)
        out = torch.full((n + 5000,), torch.nan, device=device)
        add[(triton.cdiv(n, 256),)](x, y, out, n, BLOCK=256)
        if not (torch.equal(out[:n], x + y) and out[n:].isnan().all()):
            yield f"add of {n}"


def tile_faults(device):
    """Attention for every size that a tile of 16 × 16 can hold."""
    for n, d in ((1, 1), (4, 2), (15, 7), (16, 16)):
        q, k, v = torch.randn(3, n, d, device=device)
        o = torch.full((n * d + 300,), torch.nan, device=device)
        one_tile[(1,)](q, k, v, o, n, d, 0.3, N=16, D=16)
        exact = torch.softmax(0.3 * q.double() @ k.double().T, -1) @ v.double()
        error = (o[: n * d] - exact.flatten()).abs().max()
        if not (error < 1e-5 and o[n * d :].isnan().all()):
            yield f"one tile of {n} × {d}"


def faults(device):
    return [*add_faults(device), *softmax_faults(device), *tile_faults(device)]


def moved(way, *args):
    """(reads, writes): the places that are not masked in all loads and stores."""
    from triton.runtime.interpreter import InterpreterBuilder as Builder

    load, store, count = Builder.create_masked_load, Builder.create_masked_store, [0, 0]

    def counted(original, which, mask):
        def call(self, *args):
            count[which] += int(args[mask].data.sum())
            return original(self, *args)

        return call

    Builder.create_masked_load = counted(load, 0, 1)
    Builder.create_masked_store = counted(store, 1, 2)
    way(*args)
    Builder.create_masked_load, Builder.create_masked_store = load, store
    return count


@triton.jit
def count_up(X):
    tl.store(X, tl.load(X) + 1)


@triton.jit
def rounded(X):
    tl.store(X, tl.load(X).to(tl.bfloat16).to(tl.float32))


@triton.jit
def product(A, B, C):
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    tl.store(C + at, tl.dot(tl.load(A + at), tl.load(B + at)))


def hidden():
    """What the page says that the interpreter hides: a race, bf16's two faults."""
    x, y = torch.zeros(1), torch.tensor([1 - 2**-20])
    count_up[(1000,)](x)
    rounded[(1,)](y)
    a, b = torch.randn(2, 16, 16).bfloat16()
    c = torch.zeros(16, 16)
    product[(1,)](a, b, c)
    return [x.item(), y.item(), bool((c - a.float() @ b.float()).abs().max() > 1)]


if __name__ == "__main__":
    from _patched_once import patched_once

    patched_once()
    torch.set_num_threads(1)
    torch.set_deterministic_debug_mode("error")  # and so torch.empty gives NaN
    s = torch.randn(7, 300)
    ways = {"softmax": (softmax, s), "online": (online_softmax, s, 64)}
    counts = {name: moved(*way) for name, way in ways.items()}
    json.dump({"wrong": faults("cpu"), "moved": counts, "hidden": hidden()}, sys.stdout)
