"""The parts of practices.py about tensors: formats, strides, lengths, heads, batch."""

from itertools import product

import torch
import torch.nn.functional as F
from measure.practices._practices import (
    DEVICE,
    backend,
    case,
    entries,
    same,
    shape,
    standard,
    turns,
)
from torch.nn.functional import scaled_dot_product_attention

from tilewise.bench import peers
from tilewise.bench.cells import PASSES

FUSED = {"flash": backend("flash"), "cudnn": backend("cudnn"), "ours": peers.public}


def formats():
    """bf16 against fp16, the same shape, in turns."""
    for n, d, way in product((1024, 4096, 16384), (64, 128), PASSES):
        given = {t: case(shape(n, d), t) for t in (torch.bfloat16, torch.float16)}
        calls = {
            f"{name}, {str(t)[6:]}": (x, make)
            for t, x in given.items()
            for name, make in entries(FUSED, way).items()
        }
        yield from turns("formats", way, calls)


def viewed(prepare, copied):
    """make(x): (batch, N, heads, d) in memory, as a linear layer leaves it."""

    def make(x):
        attention = prepare(x)
        views = [
            x[key].transpose(1, 2).contiguous().transpose(1, 2)
            for key in ("q", "k", "v")
        ]
        if copied:
            return lambda: (attention(*(t.contiguous() for t in views)),)
        return lambda: (attention(*views),)

    return make


def views():
    """Views as they come, copied within the call, and contiguous from the beginning."""
    for n, d in product((1024, 4096, 16384), (64, 128)):
        makes = {}
        for name, prepare in FUSED.items():
            makes[f"{name}, contiguous"] = peers.entry(prepare, "forward")
            makes[f"{name}, view"] = viewed(prepare, copied=False)
            makes[f"{name}, view copied"] = viewed(prepare, copied=True)
        yield from same("views", "forward", case(shape(n, d)), makes)


def short():
    """N from 64 to 1024: the setting's tokens, or one sequence; graphs, plain calls."""
    names = {"standard": standard, "math": backend("math"), **FUSED}
    names["efficient"] = backend("efficient")
    cells = product((64, 128, 256, 512, 1024), (64, 128), (False, True), PASSES)
    for n, d, one, way in cells:
        given = case(shape(n, d, **({"batch": 1} if one else {})))
        for graph in (True, False):
            yield from same("short", way, given, entries(names, way), graph)


def to_multiple(x, multiple=1024):
    """Attention over q, k, v filled up with zeros, with a mask where that needs one."""
    n = x["q"].shape[2]
    more = -n % multiple
    hide = torch.arange(n + more, device=DEVICE) < n  # causal rows see no padding
    mask = None if x["causal"] else hide[None, None, None]

    def attention(q, k, v):
        q, k, v = (F.pad(t, (0, 0, 0, more)) for t in (q, k, v))
        o = scaled_dot_product_attention(q, k, v, mask, is_causal=x["causal"])
        return o[:, :, :n]

    return attention


def padding():
    """N = 1,000 as it is, and filled up to 1,024; and 1,024 itself."""
    names = {**FUSED, "efficient": backend("efficient"), "filled up": to_multiple}
    for causal, way in product((False, True), PASSES):
        odd = case(shape(1000, 128, causal, batch=16))
        whole = case(shape(1024, 128, causal))
        calls = {f"{k}, 1000": (odd, m) for k, m in entries(names, way).items()}
        few = {**FUSED, "efficient": backend("efficient")}
        calls |= {f"{k}, 1024": (whole, m) for k, m in entries(few, way).items()}
        yield from turns("padding", way, calls)


def groups():
    """16 query heads over 16, 4 or 1 key heads in training; 32 over fewer, decoding."""
    for way, causal in product(PASSES, (False, True)):
        cases = {g: case(shape(4096, 128, causal, heads_k=g)) for g in (16, 4, 1)}
        calls = {
            f"{name}, {g}": (x, make)
            for g, x in cases.items()
            for name, make in entries(FUSED, way).items()
        }
        yield from turns("gqa", way, calls)
    for batch in (1, 16):
        more = {"batch": batch, "heads": 32, "n_k": 16384}
        cases = {g: case(shape(1, 128, **more, heads_k=g)) for g in (32, 8, 1)}
        calls = {
            f"{name}, {g}": (x, make)
            for g, x in cases.items()
            for name, make in entries(FUSED, "forward").items()
        }
        yield from turns("decoding", "forward", calls)


def batches():
    """One to 64 sequences of N = 1,024 with 16 heads of d = 128."""
    for batch, way in product((1, 2, 4, 8, 16, 32, 64), PASSES):
        given = case(shape(1024, 128, batch=batch, heads=16))
        yield from same("batch", way, given, entries(FUSED, way))


PARTS = (formats, views, short, padding, groups, batches)
