"""What checkpointing.py measures on a GPU: steps of a model that fills a card."""

import gc

import torch
from measure.checkpointing._models import counted, pairs, spread, stack
from measure.shared.machine import milliseconds
from measure.shared.results import write

METHOD = """A stack of 24 blocks of training.transformer, embed_dim 2048, 16 heads of
128, bf16, batch 1, no dropout, weights and inputs drawn at random; no embedding, head
or loss. A step is forward and backward from a given gradient of the output; weights and
their gradients are there before. peak_bytes: torch.cuda.max_memory_allocated during a
step less memory_allocated before it, the second of two steps. ms: CUDA events around
one step, after that, median, least and most of five, one where a step takes longer than
2 s. too large: torch.OutOfMemoryError. Before, the gradients of each pair at N = 512
are compared with those of attention `standard`, policy `none`, in fp64 (4 blocks); the
error is relative, of all gradients together. longest: the card is held to 12 GiB by
set_per_process_memory_fraction; predicted: the largest multiple of 64 for which
weights, their gradients, what 23 blocks keep and what one keeps without a policy, by
ledger.activations, leave 5 % of the room; measured: the largest multiple of 64 at which
a step ran, by bisection around that."""
SIZES = (4096, 8192, 16384, 32768, 65536)
MODEL = 2048, 16, 24
ROOM, GRAIN = 12 * 2**30, 64


def put(n, model=MODEL, dtype=torch.bfloat16):
    """A step's input and the output's gradient."""
    x, dy = (torch.randn(1, n, model[0], device="cuda", dtype=dtype) for _ in range(2))
    return x.requires_grad_(), dy


def step(model, x, dy):
    """Forward and backward; the input's gradient does not stay."""
    model(x).backward(dy)
    x.grad = None


def fits(model, n):
    """Peak bytes of a step, or None where it does not fit."""
    try:
        peak = peak_of(model, n)
    except torch.OutOfMemoryError:
        peak = None
    gc.collect()  # only here: until then the exception holds what the step had made
    torch.cuda.empty_cache()
    if peak is None:
        for p in model.parameters():  # a step that broke off may have replaced it
            p.grad = None
            p.grad = torch.zeros_like(p)
    return peak


def peak_of(model, n):
    """Peak bytes of the second of two steps; OutOfMemoryError."""
    x, dy = put(n)
    step(model, x, dy)
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    step(model, x, dy)
    torch.cuda.synchronize()
    return torch.cuda.max_memory_allocated() - before


def timed(model, n):
    """Milliseconds of a step."""
    x, dy = put(n)
    first = milliseconds(lambda: step(model, x, dy), repeats=1, warm=0)["ms"]
    if first > 2000:
        return spread([first])
    rounds = [milliseconds(lambda: step(model, x, dy), 1, 0)["ms"] for _ in range(5)]
    return spread(rounds)


def error(attention, policy):
    """Of all gradients of a small stack, relative to standard attention's in fp64."""
    small, found = (*MODEL[:2], 4), []
    for way, dtype in (
        ((attention, policy), torch.bfloat16),
        (("standard", "none"), torch.float64),
    ):
        model = stack(*way, small, device="cuda", dtype=torch.bfloat16).to(dtype)
        for p in model.parameters():
            p.grad = torch.zeros_like(p)
        torch.manual_seed(1)
        x, dy = put(512)
        x, dy = x.detach().to(dtype).requires_grad_(), dy.to(dtype)
        model(x).backward(dy)
        found.append([x.grad, *(p.grad for p in model.parameters())])
    parts = [(a.double() - b, b) for a, b in zip(*found, strict=True)]
    off, whole = (sum(p[i].square().sum() for p in parts).sqrt() for i in (0, 1))
    return (off / whole).item()


def predicted(attention, policy):
    """The longest N by the formulas, in whole GRAINs."""
    embed_dim, _, layers = MODEL
    weights = layers * 12 * embed_dim**2 * 2 * 2  # and their gradients, in bf16

    def needs(n):
        found = counted(n, attention, policy, MODEL, "bf16")
        others = found["kept_bytes"] * (layers - 1) // layers
        return weights + others + found["inside_bytes"]  # one block is whole

    n = GRAIN
    while needs(n + GRAIN) <= 0.95 * ROOM:
        n += GRAIN
    return n


def longest(attention, policy):
    """The longest N that runs in ROOM bytes."""
    guess = predicted(attention, policy)
    model = stack(attention, policy, MODEL, device="cuda", dtype=torch.bfloat16)
    low, high = 4 * guess // 5 // GRAIN, 5 * guess // 4 // GRAIN
    while low and fits(model, low * GRAIN) is None:
        low, high = low // 2, low
    while fits(model, high * GRAIN) is not None:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        found = fits(model, middle * GRAIN) is not None
        low, high = (middle, high) if found else (low, middle)
    return {
        "attention": attention,
        "policy": policy,
        "predicted": guess,
        "measured": low * GRAIN,
    }


def rows():
    """Every attention and policy at every N."""
    for attention, policy in pairs():
        off = error(attention, policy)
        if not off < 0.05:
            raise SystemExit(f"{attention}, {policy}: gradients are off by {off}")
        model = stack(attention, policy, MODEL, device="cuda", dtype=torch.bfloat16)
        for n in SIZES:
            row = {"attention": attention, "policy": policy, "n": n, "error": off}
            row |= counted(n, attention, policy, MODEL, "bf16")
            peak = fits(model, n)
            more = {"too_large": True} if peak is None else {"peak_bytes": peak}
            row |= more if peak is None else more | {"ms": timed(model, n)}
            print(row, flush=True)
            yield row
        del model
        torch.cuda.empty_cache()


def on_gpu():
    """Measure and write."""
    found = {"model": dict(zip(("embed_dim", "num_heads", "layers"), MODEL))}
    found["rows"] = [*rows()]
    keep(found)
    total = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.set_per_process_memory_fraction(ROOM / total)
    ways = [("standard", "none"), *(("ours", x) for x in ("none", "mlp", "o", "block"))]
    keep(found | {"room_bytes": ROOM, "longest": [longest(*way) for way in ways]})


def keep(found):
    """Write what has been measured so far."""
    write("checkpointing", METHOD, found)
