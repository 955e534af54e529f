"""Measure decoder layers in the shape of real models with one attention or another.

    python scripts/measure/models/whole_model.py

Needs a GPU. Writes benchmarks/results/<gpu>-<date>-models.json.
"""

import random
import statistics
import sys
import time
from functools import cache, partial
from pathlib import Path

import torch
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # scripts
from measure.models._stack import SHAPES, Layer, angles
from measure.shared.results import write

from tilewise import flash_attention
from tilewise.bench.timing import between
from tilewise.training import transformer

METHOD = """Two decoder layers with random weights in bf16, causal; batch × N = 16384
up to N = 16k, one sequence from there on. prefill: forward without gradients. training:
forward and backward, each layer recomputed in the backward pass (checkpointing), so
that attention runs forward twice. Everything but attention is compiled by torch.compile
and is the same for all. attention_ms: attention of the two layers alone; "none" is the
stack with o = q instead. Medians of up to 7 rounds after a warm one, in which
all take their turn in an order drawn anew; peak_mib: PyTorch's allocator, weights and
gradients included."""
LENGTHS = {
    "Llama 3 8B": (1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072),
    "Qwen 3 8B": (1024, 4096, 16384, 65536),
}
LAYERS, TOKENS, SECONDS, ROUNDS = 2, 16384, 6.0, 7
torch._dynamo.config.recompile_limit = 64  # one compilation of FlexAttention a length


def spread(x, q):
    """Key heads repeated, one per query head: (B, heads, N, d)."""
    return x.repeat_interleave(q.shape[1] // x.shape[1], 1)


class Queries(torch.autograd.Function):
    """o = q: no attention, so that what is left is the rest of the layers."""

    @staticmethod
    def forward(ctx, q, k, v):
        ctx.save_for_backward(k, v)
        return q.view_as(q)

    @staticmethod
    def backward(ctx, do):
        return do, *map(torch.zeros_like, ctx.saved_tensors)


def standard(q, k, v):
    """S and P as matrices."""
    return transformer.standard(q, spread(k, q), spread(v, q))


def pytorch(q, k, v):
    """PyTorch's function, by the backend that it chooses."""
    return F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)


@cache
def flex(n):
    """FlexAttention, compiled for this length."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    mask = create_block_mask(
        lambda b, h, i, j: i >= j, None, None, n, n, "cuda", _compile=n > TOKENS
    )
    compiled = torch.compile(flex_attention, dynamic=False)
    return partial(compiled, block_mask=mask, enable_gqa=True)


def fa4(q, k, v):
    """FlashAttention-4, the package flash-attn-4."""
    from flash_attn.cute import flash_attn_func

    turned = (x.transpose(1, 2) for x in (q, k, v))
    return flash_attn_func(*turned, causal=True)[0].transpose(1, 2)


def methods(n):
    """{name: attention}, the function of (q, k, v)."""
    ours = partial(flash_attention, causal=True)
    others = {"pytorch": pytorch, "flex": flex(n), "fa4": fa4, "ours": ours}
    return {"none": Queries.apply, "standard": standard} | others


def prefill(layers, x, turns, attention):
    """The output of the stack; layers: functions (x, turns, attention)."""
    with torch.no_grad():
        for layer in layers:
            x = layer(x, turns, attention)


def training(layers, x, turns, attention):
    """All gradients of the stack, each layer recomputed."""
    y = x
    for layer in layers:
        y = checkpoint(layer, y, turns, attention, use_reentrant=False)
    y.backward(x.detach())


def alone(mode, q, k, v, attention):
    """Attention of all layers without the rest of them."""
    for _ in range(LAYERS):
        if mode is prefill:
            with torch.no_grad():
                attention(q, k, v)
        else:
            o = checkpoint(attention, q, k, v, use_reentrant=False)
            torch.autograd.grad(o, (q, k, v), q.detach())


def peak(f):
    """MiB that PyTorch holds at most during f(), or None where that does not fit."""
    torch.cuda.reset_peak_memory_stats()
    try:
        f()
    except torch.OutOfMemoryError:
        return None
    finally:
        torch.cuda.synchronize()
    return round(torch.cuda.max_memory_allocated() / 2**20)


def medians(runs):
    """{key: median ms} of functions of nothing that take turns."""
    times, end = {x: [] for x in runs}, time.time() + SECONDS
    while len(next(iter(times.values()))) < ROUNDS:
        for x in random.sample(list(runs), len(runs)):
            times[x].append(between(runs[x]))
        if time.time() > end and len(times[x]) >= 2:
            break
    return {x: statistics.median(y) for x, y in times.items()}


def cell(layers, shape, n, mode):
    """(attention, ms, attention_ms, peak_mib) of each method."""
    batch = max(1, TOKENS // n)
    x = torch.randn(batch, n, shape.width, device="cuda").bfloat16().requires_grad_()
    turns = angles(batch, n, shape.d)
    q, k, v = (y.detach().requires_grad_() for y in layers[0].qkv(x, turns))
    runs, peaks = {}, {}
    for name, attention in methods(n).items():
        whole = partial(mode, layers, x, turns, attention)
        try:
            peaks[name] = peak(whole)
        except ImportError:
            print(name, "is not installed")
            continue
        if peaks[name] is not None:
            runs[name, "whole"] = whole
            if name != "none":
                runs[name, "alone"] = partial(alone, mode, q, k, v, attention)
                runs[name, "alone"]()
        for leaf in (x, *(p for y in layers for p in y.parameters())):
            leaf.grad = None
        torch.cuda.empty_cache()
    ms = medians(runs)
    for name, mib in peaks.items():
        yield name, ms.get((name, "whole")), ms.get((name, "alone")), mib


def rows():
    """A row for each model, length, mode and attention."""
    for model, shape in SHAPES.items():
        layers = [Layer(shape).cuda().bfloat16() for _ in range(LAYERS)]
        for n in LENGTHS[model]:
            for mode in (prefill, training):
                for name, ms, attention_ms, mib in cell(layers, shape, n, mode):
                    row = {"model": model, "n": n, "mode": mode.__name__}
                    row |= {"attention": name, "ms": ms, "peak_mib": mib}
                    row |= {"attention_ms": attention_ms}
                    print(row, flush=True)
                    yield row


if __name__ == "__main__":
    write("models", METHOD, {"rows": list(rows())})
