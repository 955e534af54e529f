"""Triton kernels for precision.py: attention by tiles, one product, 2^x."""

import math

import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(
    Q, K, V, O, scale, n, D: tl.constexpr, TILE: tl.constexpr, PRECISION: tl.constexpr
):
    rows = tl.program_id(0) * TILE + tl.arange(0, TILE)
    dims = tl.arange(0, D)
    head = tl.program_id(1) * n * D
    q = tl.load(Q + head + rows[:, None] * D + dims[None, :])
    m = tl.full([TILE], float("-inf"), tl.float32)
    l = tl.zeros([TILE], tl.float32)
    o = tl.zeros([TILE, D], tl.float32)
    for start in range(0, n, TILE):
        cols = start + tl.arange(0, TILE)
        at = head + cols[:, None] * D + dims[None, :]
        k, v = tl.load(K + at), tl.load(V + at)
        s = tl.dot(q, tl.trans(k), input_precision=PRECISION) * scale  # in base 2
        m_new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp2(s - m_new[:, None])
        alpha = tl.exp2(m - m_new)
        l = alpha * l + tl.sum(p, 1)
        p = p.to(v.dtype)
        o = alpha[:, None] * o + tl.dot(p, v, input_precision=PRECISION)
        m = m_new
    at = head + rows[:, None] * D + dims[None, :]
    tl.store(O + at, (o / l[:, None]).to(O.dtype.element_ty))


@triton.jit
def product_kernel(A, B, C, N: tl.constexpr, PRECISION: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    c = tl.dot(tl.load(A + at), tl.load(B + at), input_precision=PRECISION)
    tl.store(C + at, c)


@triton.jit
def exp2_kernel(X, Y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(Y + at, tl.exp2(tl.load(X + at, mask=at < n)), mask=at < n)


def attention(q, k, v, precision=None, tile=64):
    """o for q, k, v (batch, heads, n, d), n a multiple of tile; precision of tl.dot."""
    o = torch.full_like(q, torch.nan)
    b, heads, n, d = q.shape
    scale = d**-0.5 * math.log2(math.e)
    grid = (n // tile, b * heads)
    attention_kernel[grid](q, k, v, o, scale, n, d, tile, precision)
    return o


def product(a, b, precision=None):
    """a @ b for square fp32 matrices that fit into one program."""
    c = torch.full_like(a, torch.nan)
    product_kernel[(1,)](a, b, c, len(a), precision)
    return c


def exp2(x):
    """2^x for a vector, by what tl.exp2 compiles to."""
    y = torch.full_like(x, torch.nan)
    exp2_kernel[(triton.cdiv(len(x), 1024),)](x, y, len(x), 1024)
    return y
