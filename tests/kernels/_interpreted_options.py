"""Windows, score rules, sinks and dropout in Triton's interpreter: test_options.py."""

import os
import warnings

os.environ["TRITON_INTERPRET"] = "1"  # before triton is imported

import torch

from tests.kernels._child import report
from tests.kernels._options import ALONE, DRAWS, TINY, draw, exact, hold
from tests.kernels._patched_once import patched_once
from tilewise import kernels

warnings.simplefilter("error")
warnings.simplefilter("ignore", DeprecationWarning)  # triton 3.6 with numpy 2.3
warnings.filterwarnings("ignore", "overflow|invalid value", RuntimeWarning)
torch.set_num_threads(1)
BAD = {  # what a sentence names → an option that cannot be
    "window": {"window": (1, -1)},
    "window must be None or": {"window": 3},
    "softcap": {"softcap": 0.0},
    "alibi_slopes": {"alibi_slopes": torch.ones(7)},
    "sinks": {"sinks": torch.ones(1, 7)},
    "dropout_p": {"dropout_p": 1.0},
    "seed": {"dropout_p": 0.5},
    "causal": {"causal": "left"},
}


def check_bad_input():
    """One ValueError with a sentence that names what is wrong."""
    (q, k, v, *_), _ = draw(0, torch.float32)
    for name, option in BAD.items():
        try:
            kernels.scores.forward(q, k, v, **option)
        except ValueError as error:
            assert name in str(error), (name, error)
        else:
            raise AssertionError(f"{name} was taken")


def check_every_end():
    """Windows that end, and begin, at each place of a tile, in each pass."""
    for n in (*range(1, 20), *range(48, 67)):
        torch.manual_seed(n)
        q, k, v, do = (torch.randn(1, 1, x, 16) for x in (20, n, n, 20))
        how = {"window": (3 if n < 20 else 33, n % 4)}  # with tiles that are full
        o, lse = kernels.windows.forward(q, k, v, **how, block_rows=16, block_cols=16)
        tensors = q, k, v, do, torch.zeros(1, 1, 20)
        *true, dq, dk, dv = exact(tensors, how, torch.float64)
        tiles = {"dkdv_tile": TINY[0], "dq_tile": TINY[0]}
        saved = o, do, lse
        found = kernels.scores_backward.backward(q, k, v, *saved, **how, **tiles)[:3]
        for x, y in zip((o, lse, *found), (*true, dq, dk, dv), strict=True):
            torch.testing.assert_close(x, y.float(), rtol=1e-4, atol=1e-4)


def checks():
    for i in range(len(ALONE) + DRAWS):
        dtype = torch.float16 if i % 3 == 1 else torch.float32
        yield str(i), lambda i=i, dtype=dtype: hold(i, dtype, most=70)
    yield "bad input", check_bad_input
    yield "every end", check_every_end


if __name__ == "__main__":
    patched_once()
    report(checks())
