"""Time decoding on this GPU: flash_decode beside PyTorch's function, and its bytes.

    python scripts/measure/decode/decode.py

One new token for each sequence, 32 query heads of d = 128 in bf16, all caches full.
Everything is checked before it is timed. Writes benchmarks/results/<gpu>-<date>-
decode.json. Some ten minutes.
"""

import itertools
import sys
from functools import partial
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
sequence n keys long. Checked first, and after every graph: the first and the last
sequence against float64, largest error at most twice that of PyTorch's math backend in
bf16, plus 2^-7 of the largest number. ms: CUDA graphs of about 10 ms, each replayed
twice and the second time taken between CUDA events; medians of rounds in which all take
turns. paged: pages of 16 keys in random order. one part: splits=1. bytes: those of
tilewise.ledger.decode with a single part; tbs: bytes over ms. A cell whose cache does
not fit into a third of the memory is left out."""
HEADS, D, PAGE, SECONDS = 32, 128, 16, 1.5
BATCHES, GROUPS = (1, 4, 16, 64), (1, 4, 8, 16)
LENGTHS = 1024, 4096, 16384, 65536, 131072
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
    found["ours"] = partial(ours, q, k, v, lengths)
    found["ours, one part"] = partial(ours, q, k, v, lengths, splits=1)
    found["ours, paged"] = partial(
        ours, q, k_pages, v_pages, lengths, block_table=table
    )
    return found


def checker(q, k, v):
    """right(results): whether the first and the last sequence are close to float64."""
    some = [0, len(q) - 1]
    with sdpa_kernel(SDPBackend.MATH):
        plain = scaled_dot_product_attention(q[some], k[some], v[some], enable_gqa=True)
        wide = (x[some].double() for x in (q, k, v))
        true = scaled_dot_product_attention(*wide, enable_gqa=True)
    most = 2 * (plain - true).abs().max() + 2**-7 * true.abs().max()
    return lambda results: bool((results[0][some] - true).abs().max() <= most)


def cell(batch, group, n):
    """{name: summary} of one cell; stops where one of ours is wrong."""
    shape = (batch, HEADS // group, n, D)
    k, v = (torch.randn(shape, device="cuda").bfloat16() for _ in range(2))
    q = torch.randn(batch, HEADS, 1, D, device="cuda").bfloat16()
    right, measures, found = checker(q, k, v), {}, {}
    lengths = torch.full((batch,), n, device="cuda", dtype=torch.int32)
    for name, run in ways(q, k, v, lengths).items():
        try:
            if not right(run()):
                raise SystemExit(f"wrong: {name} {batch} {group} {n}")
            measures[name], found[name] = timing.timer(run, right)
        except RuntimeError as error:
            found[name] = {"failed": f"{type(error).__name__}: {error}"[:300]}
    moved = batch * decode_bytes(bill(n, HEADS, HEADS // group, D, D), "bf16")
    for name, readings in timing.take_turns(measures, SECONDS).items():
        found[name] |= timing.summary(readings)
        found[name]["tbs"] = moved / found[name]["ms"] / 1e9
        print(batch, group, n, name, found[name]["ms"], flush=True)
    return {"batch": batch, "group": group, "n": n, "bytes": moved, "found": found}


def rows():
    """All cells that fit, one after another."""
    room = torch.cuda.get_device_properties("cuda").total_memory / 3
    for batch, group, n in itertools.product(BATCHES, GROUPS, LENGTHS):
        if 2 * batch * HEADS // group * n * D * 2 <= room / 2:  # and once in pages
            yield cell(batch, group, n)
            torch.cuda.empty_cache()


if __name__ == "__main__":
    with torch.no_grad(), torch.cuda.stream(torch.cuda.Stream()):
        write("decode", METHOD, list(rows()), machine())
