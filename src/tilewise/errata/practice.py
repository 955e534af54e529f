"""Mistakes in the code of tutorials: they run, and some of them pass a test."""

import math
from functools import partial

import torch
from torch import nn

from tilewise.errata.example import O, P, S, V, error
from tilewise.errata.forward import CAUSAL, FUTURE
from tilewise.errata.registry import register

ENTRIES = []
erratum = register(ENTRIES, "tutorials")


@erratum(
    "broadcast-hides-shape", "code", printed="assert torch.allclose(o, truth)",
    right="torch.testing.assert_close(o, truth)", unit="of 2 wrong shapes pass",
    test="give it a wrong shape",
)
def broadcast_hides_shape():
    def strict(a, b):
        try:
            torch.testing.assert_close(a, b)
        except AssertionError:
            return False
        return True

    row, wrong = O[0], (O[:1], O[None, :1])  # (d) against (1, d) and (1, 1, d)
    return tuple(sum(f(x, row) for x in wrong) for f in (torch.allclose, strict))


@erratum(
    "index-left-over", "code", printed="V[j] after the loop over j has ended",
    right="V[i], the index of this loop", test="two different rows of V",
)
def index_left_over():
    j = 3  # what a loop over j leaves behind
    wrong = sum(P[:, i, None] * V[j] for i in range(4))
    return error(wrong), error(sum(P[:, i, None] * V[i] for i in range(4)))


@erratum(
    "causal-by-local-index", "code", printed="triu(1) in every tile",
    right="compare global indices", test="compare the mask with one triu(1) for all",
)
def causal_by_local_index():
    corner = FUTURE[:2, :2]
    wrong = torch.cat([torch.cat([corner, corner], 1)] * 2)
    masks = wrong, FUTURE
    results = [torch.softmax(S.masked_fill(x, -math.inf), 1) @ V for x in masks]
    return tuple(error(x, CAUSAL) for x in results)


@erratum(
    "cached-buffer", "code", printed="return the buffer kept from the last call",
    right="return a fresh tensor", test="keep the first result, call again, compare",
)
def cached_buffer():
    def results(new):
        kept = torch.empty_like(O[:2])
        calls = []
        for rows in (P[:2], P[2:]):
            kept = torch.empty_like(kept) if new else kept
            calls.append(torch.matmul(rows, V, out=kept))
        return error(calls[0], O[:2])

    return results(new=False), results(new=True)


@erratum(
    "packed-without-mask", "code", printed="pack two documents, mask of ones",
    right="block-diagonal mask", unit="of a row's weight leaks",
    test="change the other document: nothing may move",
)
def packed_without_mask():
    own = torch.eye(2, dtype=torch.bool).repeat_interleave(2, 0).repeat_interleave(2, 1)
    masked = torch.softmax(S.masked_fill(~own, -math.inf), 1)
    return tuple(x.masked_fill(own, 0).sum(1).max().item() for x in (P, masked))


@erratum(
    "half-precision-sum", "code", printed="ℓ in float16", right="ℓ in float32",
    unit="for ℓ = 70,000", test="a row of 70,000 equal scores",
)
def half_precision_sum():
    ones = torch.ones(70_000)
    return ones.half().sum().item(), int(ones.sum().item())


def kept(run, size):
    """How many numbers autograd keeps in matrices of size × size, each storage once."""
    tensors = {}

    def pack(x):
        tensors[x.untyped_storage().data_ptr()] = x
        return x

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda x: x):
        run()  # the tensors above stay alive, so that no address is used again
    return sum(x.numel() for x in tensors.values() if x.shape[-2:] == (size, size))


@erratum(
    "memory-by-assertion", "code", unit="N² numbers kept by autograd",
    printed="print('memory: O(N)') over a tiled loop in plain PyTorch",
    right="a backward pass of its own, from O and L", test="count the saved tensors",
)
def memory_by_assertion():
    n, size = 64, 16
    x = (torch.arange(n * 4).reshape(n, 4) % 7 - 3.0).requires_grad_()

    def tiled():
        for q in x.split(size):
            m, l, o = torch.full((size, 1), -math.inf), 0.0, 0.0
            for k in x.split(size):
                s = q @ k.T
                m_new = torch.maximum(m, s.amax(1, keepdim=True))
                p, alpha = torch.exp(s - m_new), torch.exp(m - m_new)
                l, o, m = alpha * l + p.sum(1, keepdim=True), alpha * o + p @ k, m_new
            yield o / l

    y = x[None, None]  # PyTorch's own has a backward pass of its own
    fused = partial(nn.functional.scaled_dot_product_attention, y, y, y)
    return kept(lambda: [*tiled()], size) // n**2, kept(fused, n) // n**2


@erratum(
    "weights-returned", "code", printed="nn.MultiheadAttention(…)(x, x, x)",
    right="…(x, x, x, need_weights=False)", unit="N × N matrices kept per head",
    test="count the saved tensors",
)
def weights_returned():
    n, width, heads = 64, 32, 4
    layer = nn.MultiheadAttention(width, heads, batch_first=True)
    x = torch.ones(1, n, width, requires_grad=True)
    return tuple(
        kept(partial(layer, x, x, x, need_weights=need), n) // (heads * n**2)
        for need in (True, False)
    )
