"""What varlen.py times: our kernels for packed documents, and what others do with them.

An entry is make(x, way) → (run, view): run() is what is timed and returns the results
of a pass, view(results) has them as (total, heads, d): (o,), or (dq, dk, dv).
"""

import inspect
import random

import torch
from torch.nn.attention import flex_attention as flex_module
from torch.nn.functional import scaled_dot_product_attention

from tilewise import flash_attention
from tilewise.attention import dispatch
from tilewise.bench.peers import entry
from tilewise.standard import standard_backward, standard_forward

DEVICE, DTYPE = "cuda", torch.bfloat16


def long_tail(total, seed=0):
    """Lengths of documents, log-normal, median 400, at most 8192; `total` together."""
    rng, lengths = random.Random(seed), []
    while sum(lengths) < total:
        lengths.append(max(16, min(8192, round(rng.lognormvariate(6, 1.2)))))
    lengths[-1] -= sum(lengths) - total
    return [n for n in lengths if n]


def documents(lengths, heads, d, causal):
    """The work: q, k, v, do (total, heads, d) drawn afresh, and where documents end."""
    total = sum(lengths)
    x = {
        name: torch.randn(total, heads, d, device=DEVICE).to(DTYPE)
        for name in ("q", "k", "v", "do")
    }
    ends = torch.tensor([0, *lengths]).cumsum(0)
    places = {"cu": ends.to(DEVICE, torch.int32), "ends": ends.tolist()}
    return x | places | {"lengths": lengths, "causal": causal}


def kernels(forward, backward):
    """A pair of kernels for packed documents, by name."""

    def make(x, way):
        given, options = [x[name] for name in "qkv"], {"causal": x["causal"]}
        first, second = dispatch.kernel(forward).forward, dispatch.kernel(backward)
        if way == "forward":
            return lambda: first(*given, x["cu"], x["cu"], **options)[:1], tuple
        o, lse = first(*given, x["cu"], x["cu"], **options)
        given += [o, x["do"], lse, x["cu"], x["cu"]]
        return lambda: second.backward(*given, **options), tuple

    return make


def fixed(apart):
    """The best rung for one length, on all documents as a batch; apart: its order.

    apart True: (batch, heads, N, d) in memory, as that rung is measured elsewhere;
    False: rows of all heads side by side, as packed documents have them.
    """

    def make(x, way):
        n = x["lengths"][0]
        given = [
            x[name].unflatten(0, (-1, n)).transpose(1, 2)
            for name in ("q", "k", "v", "do")
        ]
        q, k, v, do = (y.contiguous() if apart else y for y in given)
        names = dispatch.rungs(dispatch.card(q.device)[0], q.dtype, q.shape[-1])
        first, second = (dispatch.kernel(name) for name in names)
        options = {"causal": x["causal"]}

        def view(results):
            return [y.transpose(1, 2).flatten(0, 1) for y in results]

        if way == "forward":
            return lambda: first.forward(q, k, v, **options)[:1], view
        o, lse = first.forward(q, k, v, **options)
        return lambda: second.backward(q, k, v, o, do, lse, **options), view

    return make


def differentiable(prepare):
    """An attention with gradients: prepare(x) → (attention, pack, view of a tensor).

    pack brings (total, heads, d) to what the attention takes; it is not timed.
    """

    def make(x, way):
        attention, pack, view = prepare(x)
        given = {name: pack(x[name]) for name in ("q", "k", "v", "do")}
        run = entry(lambda _: attention, way)(given)
        return run, lambda results: [view(y) for y in results]

    return make


def padded(x):
    """flash_attention on a batch of documents, padded with zeros to the longest."""
    spans = list(zip(x["ends"], x["ends"][1:]))

    def pack(y):
        room = y.new_zeros(len(spans), max(x["lengths"]), *y.shape[1:])
        for b, (first, end) in enumerate(spans):
            room[b, : end - first] = y[first:end]
        return room.transpose(1, 2)

    def view(y):
        y = y.transpose(1, 2)
        return torch.cat([y[b, : end - first] for b, (first, end) in enumerate(spans)])

    return lambda *qkv: flash_attention(*qkv, causal=x["causal"]), pack, view


def numbers(x):
    """Each row's document, (total,)."""
    ends = torch.tensor(x["ends"][1:], device=DEVICE)
    return torch.bucketize(torch.arange(x["ends"][-1], device=DEVICE), ends, right=True)


ROWS = (lambda y: y.transpose(0, 1)[None], lambda y: y[0].transpose(0, 1))


def masked(x):
    """PyTorch's own attention with a block-diagonal mask of N × N bools."""
    number = numbers(x)
    mask = number[:, None] == number
    mask = mask.tril() if x["causal"] else mask
    return lambda *qkv: scaled_dot_product_attention(*qkv, attn_mask=mask), *ROWS


def flex(x):
    """FlexAttention, compiled for this shape, with a block mask of the documents."""
    torch._dynamo.reset()
    number, total, causal = numbers(x), x["ends"][-1], x["causal"]

    def mask(b, h, i, j):
        same = number[i] == number[j]
        return same & (i >= j) if causal else same

    blocks = flex_module.create_block_mask(
        mask, None, None, total, total, device=DEVICE, _compile=True
    )
    compiled = torch.compile(flex_module.flex_attention, dynamic=False)
    return lambda *qkv: compiled(*qkv, block_mask=blocks), *ROWS


def varlen_attn(x):
    """torch.nn.attention.varlen.varlen_attn, if this PyTorch has it."""
    from torch.nn.attention.varlen import varlen_attn

    options = {"is_causal": x["causal"]}  # its name until 2.11
    if "window_size" in inspect.signature(varlen_attn).parameters:
        options = {"window_size": (-1, 0) if x["causal"] else (-1, -1)}
    places, longest = (x["cu"], x["cu"]), (max(x["lengths"]),) * 2
    attention = lambda *qkv: varlen_attn(*qkv, *places, *longest, **options)  # noqa: E731
    return attention, lambda y: y, lambda y: y


PAIRS = {
    "varlen": kernels("varlen", "varlen_backward"),
    "gluon_varlen": kernels("gluon_varlen", "gluon_varlen_backward"),
}
EQUAL = PAIRS | {"fixed": fixed(True), "fixed, rows side by side": fixed(False)}
OTHERS = {"padded": padded, "sdpa with a mask": masked, "flex": flex}
OTHERS["varlen_attn"] = varlen_attn
TAIL = PAIRS | {name: differentiable(prepare) for name, prepare in OTHERS.items()}


def exact(x, dtype=torch.float64):
    """{"o": {document: tensor}, …} of the first, last and longest, on two heads."""
    found = {name: {} for name in ("o", "dq", "dk", "dv")}
    for b in {0, len(x["lengths"]) - 1, x["lengths"].index(max(x["lengths"]))}:
        q, k, v, do = (some(x[name], x, b).to(dtype) for name in ("q", "k", "v", "do"))
        o, p = standard_forward(q, k, v, causal=x["causal"])
        grads = standard_backward(q, k, v, p, do)
        for name, y in zip(found, (o, *grads)):
            found[name][b] = y
    return found


def some(y, x, b):
    """Document b of y (total, heads, d), its first and last head: (2, N, d)."""
    rows = y[x["ends"][b] : x["ends"][b + 1]]
    return torch.stack([rows[:, 0], rows[:, -1]])
