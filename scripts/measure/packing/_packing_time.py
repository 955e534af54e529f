"""One batch of documents, padded and packed, timed on one core."""

import statistics
import time

import torch
from torch.nn.functional import scaled_dot_product_attention

from tilewise import flash_attention, flash_attention_varlen
from tilewise.masks import documents, tile_mask

METHOD = """Attention to one batch, forward and backward, causal, fp32, 4 heads, d 64:
the first 32 lengths of log_normal that are at most 1024, each of the ways in turn, five
times, on one thread; seconds of process time, median. packed: flash_attention_varlen.
padded: flash_attention on documents padded to the longest. sdpa_padded: PyTorch's
function on the same, is_causal. sdpa_mask: PyTorch's function on the packed row with
the block-diagonal causal mask as a matrix of bools. All results of real tokens are
compared first. ratio: over packed."""
BATCH, HEADS, D, REPEATS = 32, 4, 64, 5


def step(f, inputs, do):
    """Output and gradients of the inputs."""
    o = f(*inputs)
    return o.detach(), *torch.autograd.grad(o, inputs, do)


def ways(lengths):
    """{name: (function, q k v, dO)} of one batch; and the real tokens of the padded."""
    torch.manual_seed(0)
    total, longest = sum(lengths), max(lengths)
    q, k, v, do = (torch.randn(total, HEADS, D) for _ in range(4))
    ends = torch.tensor([0, *lengths]).cumsum(0)
    cu = ends.int()
    real = torch.arange(longest) < torch.tensor(lengths)[:, None]  # (batch, N)
    wide = torch.zeros(4, len(lengths), longest, HEADS, D)
    wide[:, real] = torch.stack([q, k, v, do])
    wide = wide.transpose(2, 3)  # (4, batch, heads, N, d)
    at = torch.arange(total)
    mask = tile_mask(documents(lengths))(at[:, None], at) & (at <= at[:, None])
    row = [x.transpose(0, 1)[None] for x in (q, k, v, do)]  # (1, heads, T, d)

    def packed(q, k, v):
        return flash_attention_varlen(q, k, v, cu, cu, causal=True)

    sdpa = scaled_dot_product_attention
    made = {
        "packed": (packed, [q, k, v], do),
        "padded": (lambda *x: flash_attention(*x, causal=True), [*wide[:3]], wide[3]),
        "sdpa_padded": (lambda *x: sdpa(*x, is_causal=True), [*wide[:3]], wide[3]),
        "sdpa_mask": (lambda *x: sdpa(*x, mask), row[:3], row[3]),
    }
    return made, real


def alike(name, found, real):
    """(T, heads, d) of a result, without padding."""
    if "padded" in name:
        return [x.transpose(1, 2)[real] for x in found]
    return [x[0].transpose(0, 1) for x in found] if name == "sdpa_mask" else found


def measure(lengths):
    """Times of one batch."""
    lengths = [n for n in lengths if n <= 1024][:BATCH]
    made, real = ways(lengths)
    for _, inputs, _ in made.values():
        for x in inputs:
            x.requires_grad_()
    found = {name: alike(name, step(*way), real) for name, way in made.items()}
    for name, results in found.items():
        for x, y in zip(results, found["packed"], strict=True):
            if not (x - y).abs().max() < 1e-4:
                raise SystemExit(f"{name}: another result than packed")
    times = {name: [] for name in made}
    for _ in range(REPEATS):
        for name, way in made.items():
            start = time.process_time()
            step(*way)
            times[name].append(time.process_time() - start)
    middle = {name: statistics.median(x) for name, x in times.items()}
    return {
        "method": " ".join(METHOD.split()),
        "tokens": sum(lengths),
        "slots": max(lengths) * len(lengths),
        "seconds": middle,
        "ratio": {name: x / middle["packed"] for name, x in middle.items()},
    }
