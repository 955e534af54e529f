"""Time decoding on this GPU: flash_decode beside other kernels, and its bytes.

    python scripts/measure/decode/decode.py

One new token for each sequence, 32 query heads of d = 128 in bf16, all caches full.
Everything is checked before it is timed. Writes benchmarks/results/<gpu>-<date>-
decode.json. Some five minutes.
"""

import itertools
import sys
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # scripts
from measure.shared.results import machine, write

from tilewise import flash_decode
from tilewise.bench import timing
from tilewise.ledger.decode import decode as bill
from tilewise.ledger.decode import decode_bytes

METHOD = """bf16, standard normal inputs, one query of each of 32 heads, d = 128, every
sequence n keys long. Checked first, and after every graph: the first KV head of the
first sequence and the last of the last against float64, largest error at most twice
that of PyTorch's math backend in bf16, plus 2^-7 of the largest number. ms: CUDA graphs
of about 10 ms, each replayed twice and the second time taken between CUDA events;
medians of rounds in which all take turns. paged: pages of 16 keys in random order. one
part: splits=1. fa3: the wheel fa3-fwd, splits as it chooses. flashinfer: planned once,
Tensor Cores where a group has several heads. bytes: those of tilewise.ledger.decode
with a single part; tbs: bytes over ms. A cell whose cache does not fit into a third of
the memory is left out."""
HEADS, D, PAGE, SECONDS = 32, 128, 16, 0.5
BATCHES, GROUPS = (1, 8, 64), (1, 4, 8, 16)
LENGTHS = 1024, 8192, 32768, 131072
BACKENDS = {
    "sdpa": None,
    "sdpa flash": SDPBackend.FLASH_ATTENTION,
    "sdpa cudnn": SDPBackend.CUDNN_ATTENTION,
}


def pytorch(backend, q, k, v):
    """scaled_dot_product_attention, by one backend or by its own choice."""
    if backend is None:
        return (scaled_dot_product_attention(q, k, v, enable_gqa=True),)
    with sdpa_kernel(backend):
        return (scaled_dot_product_attention(q, k, v, enable_gqa=True),)


def fa3(q, k, v):
    """FlashAttention-3, the package fa3-fwd; it splits the keys as it sees fit."""
    from fa3_fwd_interface import flash_attn_func

    q, k, v = (x.transpose(1, 2) for x in (q, k, v))
    return (flash_attn_func(q, k, v, num_splits=0).transpose(1, 2),)


def flashinfer(q, k_pages, v_pages, table):
    """FlashInfer's decoding over pages, planned beforehand; Tensor Cores for groups."""
    from flashinfer import BatchDecodeWithPagedKVCacheWrapper

    (batch, pages), heads = table.shape, k_pages.shape[1]
    room = torch.empty(2**28, dtype=torch.uint8, device="cuda")
    decoder = BatchDecodeWithPagedKVCacheWrapper(
        room, "HND", use_tensor_cores=heads < HEADS
    )
    first = pages * torch.arange(batch + 1, dtype=torch.int32, device="cuda")
    filled = torch.full((batch,), PAGE, dtype=torch.int32, device="cuda")
    how = {"q_data_type": q.dtype, "kv_data_type": q.dtype}
    decoder.plan(first, table.flatten(), filled, HEADS, heads, D, PAGE, **how)
    return lambda: (decoder.run(q[:, :, 0], (k_pages, v_pages))[:, :, None],)


def ours(*tensors, **options):
    """flash_decode as a tuple of results."""
    return (flash_decode(*tensors, **options),)


def paged(x):
    """x (batch, heads_k, n, d) cut into pages in random order, and the block table."""
    batch, heads, n, d = x.shape
    cut = x.view(batch, heads, n // PAGE, PAGE, d).transpose(1, 2).flatten(0, 1)
    order = torch.randperm(len(cut), generator=torch.manual_seed(0)).to(x.device)
    pages = torch.empty_like(cut)
    pages[order] = cut
    return pages, order.view(batch, -1).int()


def ways(q, k, v, lengths):
    """{name: function of nothing} of all that is timed."""
    (k_pages, table), (v_pages, _) = paged(k), paged(v)
    found = {name: partial(pytorch, x, q, k, v) for name, x in BACKENDS.items()}
    if find_spec("fa3_fwd_interface"):
        found["fa3"] = partial(fa3, q, k, v)
    if find_spec("flashinfer"):
        found["flashinfer, paged"] = flashinfer(q, k_pages, v_pages, table)
    found["ours"] = partial(ours, q, k, v, lengths)
    found["ours, one part"] = partial(ours, q, k, v, lengths, splits=1)
    found["ours, paged"] = partial(
        ours, q, k_pages, v_pages, lengths, block_table=table
    )
    return found


def draw(batch, group, n):
    """(q, k, v, lengths) of a cell."""
    shape = (batch, HEADS // group, n, D)
    k, v = (torch.randn(shape, device="cuda", dtype=torch.bfloat16) for _ in "kv")
    q = torch.randn(batch, HEADS, 1, D, device="cuda", dtype=torch.bfloat16)
    return q, k, v, torch.full((batch,), n, device="cuda", dtype=torch.int32)


def checker(q, k, v):
    """right(results): whether two groups of heads are close to float64."""
    group = q.shape[1] // k.shape[1]

    def some(x, heads):
        return torch.stack([x[0, :heads], x[-1, -heads:]])

    few = some(q, group), some(k, 1), some(v, 1)
    with sdpa_kernel(SDPBackend.MATH):
        plain = scaled_dot_product_attention(*few, enable_gqa=True)
        wide = (x.double() for x in few)
        true = scaled_dot_product_attention(*wide, enable_gqa=True)
    most = 2 * (plain - true).abs().max() + 2**-7 * true.abs().max()
    return lambda found: bool((some(found[0], group) - true).abs().max() <= most)


def moved(batch, group, n):
    """The bytes that a step has to move, by the ledger."""
    return batch * decode_bytes(bill(n, HEADS, HEADS // group, D, D), "bf16")


def fits(batch, group, n):
    """Whether the cache, and once more in pages, is at most a third of the memory."""
    room = torch.cuda.get_device_properties("cuda").total_memory / 3
    return 2 * moved(batch, group, n) <= room


def cell(batch, group, n):
    """{name: summary} of one cell; stops where one of ours is wrong."""
    q, k, v, lengths = draw(batch, group, n)
    right, measures, found = checker(q, k, v), {}, {}
    for name, run in ways(q, k, v, lengths).items():
        try:
            if not right(run()):
                raise SystemExit(f"wrong: {name} {batch} {group} {n}")
            measures[name], found[name] = timing.timer(run, right)
        except RuntimeError as error:
            found[name] = {"failed": f"{type(error).__name__}: {error}"[:300]}
    for name, readings in timing.take_turns(measures, SECONDS).items():
        found[name] |= timing.summary(readings)
        found[name]["tbs"] = moved(batch, group, n) / found[name]["ms"] / 1e9
    times = {name: round(1e3 * x["ms"], 1) for name, x in found.items() if "ms" in x}
    print(batch, group, n, "us:", times, flush=True)
    sizes = {"batch": batch, "group": group, "n": n}
    return sizes | {"bytes": moved(batch, group, n), "found": found}


def cells():
    """All cells that fit, one after another."""
    for sizes in itertools.product(BATCHES, GROUPS, LENGTHS):
        if fits(*sizes):
            yield cell(*sizes)
            torch.cuda.empty_cache()


if __name__ == "__main__":
    with torch.no_grad(), torch.cuda.stream(torch.cuda.Stream()):
        write("decode", METHOD, {"cells": list(cells())}, machine())
