"""What scripts/measure/practices/practices.py measured, and the ratios that rules name.

Each function of ratios gives the times after a rule over those before, one for each
case in which both were measured: below 1 the rule pays.
"""

from functools import cache
from itertools import product

from draw.figures._bench import newest
from draw.figures._plot import results

from tilewise.bench.cells import DIMS, PASSES

SIZES = (1024, 4096, 16384)
FUSED = ("flash", "cudnn", "ours")
NAMES = {"flash": "FlashAttention-2", "cudnn": "cuDNN"}  # in both languages
CELLS = [*product(PASSES, SIZES, DIMS)]


@cache
def part(name):
    """The rows of a part."""
    return results(newest("practices").stem)["parts"][name]


def rows(name, **which):
    """The rows of a part that have these values."""
    return [row for row in part(name) if which.items() <= row.items()]


def ms(name, what, **which):
    """ms of the only row of a part with these values."""
    (row,) = rows(name, what=what, **which)
    return row["ms"]


def shape(way, n, d):
    """The values that name a cell."""
    return {"pass": way, "n": n, "d": d}


def over(name, after, before, cells=CELLS, **which):
    """The ratios of two entries of a part in all cells."""
    found = [shape(*cell) | which for cell in cells]
    return [ms(name, after, **x) / ms(name, before, **x) for x in found]


def half():
    """fp16 over bf16."""
    return [
        x
        for kernel in FUSED
        for x in over("formats", f"{kernel}, float16", f"{kernel}, bfloat16")
    ]


FORWARD = [*product(PASSES[:1], SIZES, DIMS)]


def viewed(kernel, after="view", before="contiguous", sizes=SIZES):
    """What strides or a copy cost a kernel, forward."""
    cells = [x for x in FORWARD if x[1] in sizes]
    return over("views", f"{kernel}, {after}", f"{kernel}, {before}", cells)


def copied(sizes=SIZES):
    """A view copied in each call over the view as it is."""
    found = (viewed(kernel, "view copied", "view", sizes) for kernel in FUSED)
    return sum(found, [])


def whole(kernel):
    """N = 1,000 over 1,024: forward, causal, backward, causal."""
    kinds = [{"pass": way, "causal": c} for way in PASSES for c in (False, True)]
    names = f"{kernel}, 1000", f"{kernel}, 1024"
    pairs = [[ms("padding", name, **kind) for name in names] for kind in kinds]
    return [odd / even for odd, even in pairs]


def filled():
    """1,000 filled up to 1,024 in the call, over cuDNN's 1,000 as they are."""
    kinds = [{"pass": way, "causal": c} for way in PASSES for c in (False, True)]
    names = "filled up, 1000", "cudnn, 1000"
    pairs = [[ms("padding", name, **kind) for name in names] for kind in kinds]
    return [full / plain for full, plain in pairs]


def fewer(batch=None):
    """Fewer KV heads: in training, or while decoding with 8 for 32 by cuDNN."""
    if batch is not None:
        few, all_ = (ms("groups", f"cudnn, {k}", batch=batch, n=1) for k in (8, 32))
        return [few / all_]
    kinds = [{"pass": way, "causal": c} for way in PASSES for c in (False, True)]
    cases = product(FUSED, (4, 1), kinds)
    return [
        ms("groups", f"{kernel}, {k}", part="gqa", **kind)
        / ms("groups", f"{kernel}, 16", part="gqa", **kind)
        for kernel, k, kind in cases
    ]


def batch():
    """A sequence of 1,024 in a batch of 64 over a batch of one."""
    return [
        ms("batches", kernel, batch=64, **{"pass": way})
        / ms("batches", kernel, batch=1, **{"pass": way})
        / 64
        for kernel, way in product(FUSED, PASSES)
    ]


def flagged(kernel):
    """Causal by a flag over all keys."""
    return over("masks", f"{kernel}, causal", f"{kernel}, full")


def masked(before="cudnn, causal"):
    """A causal mask given as a tensor, of bools or numbers, over something else."""
    found = (over("masks", f"{kind}, causal", before) for kind in ("bools", "numbers"))
    return sum(found, [])


def compiled(what, causal, after=", compiled", before=None):
    """torch.compile of a call over the call as it is, or over another one."""
    cells = product(PASSES[:1], SIZES[:2], DIMS)
    which = {"causal": causal, "graph": True}
    return over("compiled", what + after, before or what, [*cells], **which)


def switched(what, dtype="float32"):
    """TF32 allowed over not allowed."""
    cells = [*product(PASSES[:1], SIZES[:2], DIMS)]
    return over("tf32", f"{what}, high", f"{what}, highest", cells, dtype=dtype)


def fixed(kernel, sizes=SIZES):
    """The backward pass in a fixed order over any order, without what did not fit."""
    found = {
        word: {
            (row["n"], row["d"], row["causal"]): row["ms"]
            for row in rows("deterministic", what=f"{kernel}, {word} order")
            if row["n"] in sizes and "ms" in row
        }
        for word in ("any", "fixed")
    }
    return [x / found["any"][cell] for cell, x in found["fixed"].items()]


def emptied():
    """Training steps with the cache emptied after each over steps without, by sizes."""
    found = {(len(x["sizes"]), x["what"]): x["ms"] for x in part("empty_cache")}
    return [found[size, "every step"] / found[size, "never"] for size in (1, 4)]
