"""The backward rungs in Triton's interpreter, on a CPU: run by test_backward.py.

A process of its own, since triton reads TRITON_INTERPRET when it is imported. Prints
for each check "name<tab>ok", or what went wrong. bf16 is left out: the interpreter
multiplies the bits of bf16 numbers.
"""

import os
import warnings

os.environ["TRITON_INTERPRET"] = "1"  # before triton is imported

import torch

from tests.kernels._backward import CASES, RUNGS, TINY, hold, rung, tensors
from tests.kernels._child import report
from tests.kernels._patched_once import patched_once

DTYPES = torch.float32, torch.float16
warnings.simplefilter("error")
warnings.simplefilter("ignore", DeprecationWarning)  # triton 3.6 with numpy 2.3
# A key past the end, or one that a row may not see, may overflow where it is dropped.
warnings.filterwarnings("ignore", "overflow|invalid value", RuntimeWarning)
torch.set_num_threads(1)


def tiles(i):
    """Every third case the same: tall tiles, wide tiles, square ones."""
    return {"dkdv_tile": TINY[i % 3], "dq_tile": TINY[(i + 1) % 3]}


def check_case(backward, i, dtype):
    """One case, with dL and without, with a scale of its own now and then."""
    scale = {} if i % 4 else {"scale": -0.3}
    hold(backward, CASES[i], dtype, dlse=i % 2 == 0, **scale, **tiles(i))


def check_default_tiles(backward):
    """The tiles that a caller gets who names none."""
    hold(backward, (1, 2, 1, 70, 150, 16, True), torch.float16)


def check_strides(backward):
    """(batch, N, heads, d) in memory, every second number, and one dO for all."""
    case = 2, 2, 1, 35, 40, 16, True
    q, k, v, do, row = tensors(case, torch.float32)
    q, k = (x.transpose(1, 2).contiguous().transpose(1, 2) for x in (q, k))
    v = torch.stack([v, v], -1).flatten(-2)[..., ::2]
    given = q, k, v, do[:1, :1, :1, :1].expand_as(do), row[..., :1].expand_as(row)
    hold(backward, case, torch.float32, given=given, **tiles(0))


def check_rows_that_overlap(backward):
    """Windows of a series for q, k and v: strides that end in 1, 1."""
    case = 1, 2, 1, 12, 20, 32, True
    *given, do, row = tensors(case, torch.float32)
    windows = (x.flatten(2)[..., : x.shape[2] + 31].unfold(-1, 32, 1) for x in given)
    hold(backward, case, torch.float32, given=(*windows, do, row), **tiles(0))


def check_large_scores(backward):
    """Scores in the hundreds, of both signs: nothing overflows where it counts."""
    case = 1, 2, 1, 35, 37, 16, True
    q, k, v, do, row = tensors(case, torch.float32)
    hold(backward, case, torch.float32, given=(12 * q, 12 * k, v, do, row), **tiles(1))


def check_rows_without_keys(backward):
    """Where L is −∞ for all rows the gradients are 0, whatever dO and dL are."""
    q, k, v, do, row = tensors((1, 1, 1, 40, 33, 16, False), torch.float32)
    nothing = torch.zeros_like(q), do, torch.full_like(row, -torch.inf)
    for x in backward(q, k, v, *nothing, dlse=row, **tiles(0)):
        assert (x == 0).all()


def check_deterministic(backward):
    """The same bits from the same input."""
    found = [hold(backward, CASES[1], torch.float32, **tiles(0)) for _ in range(2)]
    assert all(torch.equal(*pair) for pair in zip(*found))


def check_bad_input(backward):
    """One ValueError with a sentence that names what is wrong."""
    q, k, v, do, row = tensors(CASES[0], torch.float32)
    good = {"q": q, "k": k, "v": v, "o": do, "do": do, "lse": row}
    bad = {"lse": row[..., 1:], "do": do[:, :1], "o": do.half(), "q": q[0]}
    bad |= {"dkdv_tile": (256, 16, 4, 1), "dq_tile": (24, 16, 4, 1), "causal": "left"}
    for name, value in bad.items():
        try:
            backward(**good | {name: value})
        except ValueError as error:
            said = str(error)
            assert name in said or "block_rows" in said, (name, said)
        else:
            raise AssertionError(f"{name} was taken")


def checks():
    """Names of checks, and the checks."""
    for name in RUNGS:
        backward = rung(name).backward
        for i in range(len(CASES)):
            for dtype in DTYPES:
                label = f"{name} {CASES[i]} {str(dtype)[6:]}"
                yield label, lambda b=backward, i=i, d=dtype: check_case(b, i, d)
        for f, check in sorted(globals().items()):
            if f.startswith("check_") and f != "check_case":
                yield f"{name} {f[6:]}", lambda b=backward, c=check: c(b)


if __name__ == "__main__":
    patched_once()
    report(checks())
