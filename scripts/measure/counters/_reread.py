"""A Triton kernel that reads a set of bytes over and over: what of it stays in L2?"""

import torch
import triton
import triton.language as tl

CHUNK = 4096  # numbers of 4 bytes: what a program reads at a time


@triton.jit
def reread(X, Sums, chunks, step, rounds, CHUNK: tl.constexpr):
    """Program p reads `chunks` chunks of X from chunk p · step on, `rounds` times.

    Loads skip L1 (".cg"). The sum is stored, lest the compiler leave the loads out.
    """
    p = tl.program_id(0)
    at = p.to(tl.int64) * step * CHUNK + tl.arange(0, CHUNK)
    total = tl.zeros((CHUNK,), tl.float32)
    for _ in tl.range(0, rounds):
        for c in tl.range(0, chunks):
            total += tl.load(X + at + c * CHUNK, cache_modifier=".cg")
    tl.store(Sums + p, tl.sum(total))


def prepare(size, shared, rounds, programs):
    """(function of nothing, bytes of the set) for a set of `size` bytes, or just less.

    Each program has a part of its own, or all read the whole. Exits if a sum is wrong.
    """
    parts = 1 if shared else programs
    chunks = size // (4 * CHUNK * parts)
    x = torch.randn(parts * chunks * CHUNK, device="cuda")
    sums = torch.full((programs,), torch.nan, device="cuda")
    step = 0 if shared else chunks

    def f():
        reread[(programs,)](x, sums, chunks, step, rounds, CHUNK=CHUNK)

    f()
    want = rounds * x.view(parts, -1).double().sum(1)
    if not ((sums - want).abs().max() < 1e-4 * rounds * x.numel() ** 0.5).item():
        raise SystemExit("reread: wrong sums")
    return f, 4 * x.numel()
