"""Windows, blocks, score rules, sinks, dropout in the interpreter: test_options.py."""

import math
import os
import warnings
from functools import partial

os.environ["TRITON_INTERPRET"] = "1"  # before triton is imported

import torch

from tests.kernels._child import report
from tests.kernels._options import ALONE, DRAWS, TINY, draw, exact, hold
from tests.kernels._patched_once import patched_once
from tilewise import flash_attention, kernels
from tilewise.attention import dispatch
from tilewise.block_sparse import BlockMask, tiles_mask
from tilewise.kernels.shared.blocks import MADE, lists

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
    "block_mask must be for": {
        "block_mask": tiles_mask(torch.ones(1, 1) > 0, 1, 1, 1, 1)
    },
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


def check_hidden_tiles():
    """What no list names is not loaded: there K, V or Q and dO are NaN.

    Keys 32 .. 63 are on no list, and rows 16 .. 31 have an empty one.
    """
    q, k, v, do = (torch.randn(1, 2, n, 16) for n in (50, 90, 90, 50))
    k[:, :, 32:64] = v[:, :, 32:64] = q[:, :, 16:32] = do[:, :, 16:32] = math.nan
    tiles = torch.ones(4, 6, dtype=torch.bool)
    tiles[:, 2:4] = tiles[1] = False
    how = {"block_mask": tiles_mask(tiles, 16, 16, 50, 90), "causal": True}
    o, lse = kernels.scores.forward(q, k, v, **how, block_rows=16, block_cols=16)
    tiles = {"dkdv_tile": TINY[0], "dq_tile": TINY[0]}
    found = kernels.scores_backward.backward(q, k, v, o, do, lse, **how, **tiles)[:3]
    clean = [x.nan_to_num() for x in (q, k, v, do)]
    true = exact([*clean, torch.zeros(1, 2, 50)], how, torch.float64)
    for x, y in zip((o, lse, *found), true, strict=True):
        torch.testing.assert_close(x, y.float(), rtol=1e-4, atol=1e-4)


def check_kept_lists():
    """Made once for all calls with a mask, and anew when it has changed in place."""
    mask, q = tiles_mask(torch.eye(3) > 0, 16, 16, 48, 48), torch.zeros(1, 2, 48, 16)

    def made(window=None):
        return lists(mask, q, 48, False, window, 16, 16)

    once = made()
    assert made() is once and made(window=(0, 0)) is not once
    assert once.ends.tolist() == [[0, 1]] * 3 and once.tiles[:, 0].tolist() == [0, 1, 2]
    mask.end[:] = 48  # each row from its block's first key to the last
    assert made().ends.tolist() == [[0, 3], [0, 2], [0, 1]]
    assert lists(mask, q, 48, True, None, 16, 16).ends.tolist() == [[1, 1]] * 3
    twice = torch.tensor([[0, 0, 9]]).expand(48, 3), torch.tensor([[8, 8, 2]] * 48)
    mask = BlockMask(*twice, 48)  # half of each row of the first tile, counted once
    assert made().ends.tolist() == [[1, 1]] * 3
    with torch.inference_mode():
        mask = tiles_mask(torch.eye(3) > 0, 16, 16, 48, 48)
        assert made().ends.tolist() == [[0, 1]] * 3


def check_vmap():
    """Masks for all, for each head or entry, under one axis more."""
    dispatch.card = lambda device: ((8, 0), False)
    q, k, v = (torch.randn(3, 2, h, n, 16) for h, n in ((4, 33), (2, 47), (2, 47)))
    for lead in ((), (4,), (2, 1), (2, 4)):
        mask = tiles_mask(torch.rand(*lead, 5, 6) < 0.7, 8, 8, 33, 47)
        one = partial(flash_attention, block_mask=mask)
        dispatch.functions.cache_clear()
        found = torch.func.vmap(one)(q, k, v)
        assert mask.first not in MADE  # by an operator, which may run in a graph
        torch.testing.assert_close(found, torch.stack([*map(one, q, k, v)]))
        assert mask.first in MADE
        assert dispatch.functions.cache_info().hits == 3  # by kernels, each of them


def checks():
    for i in range(len(ALONE) + DRAWS):
        dtype = torch.float16 if i % 3 == 1 else torch.float32
        yield str(i), lambda i=i, dtype=dtype: hold(i, dtype, most=70)
    yield "bad input", check_bad_input
    yield "every end", check_every_end
    yield "hidden tiles", check_hidden_tiles
    yield "kept lists", check_kept_lists
    yield "vmap", check_vmap


if __name__ == "__main__":
    patched_once()
    report(checks())
