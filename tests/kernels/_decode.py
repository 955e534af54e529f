"""What a call of the decoding kernel is held to, in the interpreter and on a GPU."""

import torch

from tests._decoding import draw, exact
from tests._oracle import assert_as_good
from tests.kernels._backward import poisoned
from tilewise import kernels

DRAWS = 48
TINY = (16, 16), (16, 32), (32, 16)  # block_rows, block_cols


def hold(i, dtype, device="cpu", tiles=TINY, most=90):
    """o and L of call i are as good as plain PyTorch's, in memory that is NaN."""
    q, k, v, seqlens, options = draw(i, dtype, device, most)
    how = dict(zip(("block_rows", "block_cols"), tiles[i % 3])) if tiles else {}
    with poisoned():
        found = kernels.decode.forward(q, k, v, seqlens, **options, **how)
    assert found[0].dtype == dtype and found[1].dtype == torch.float32
    true = exact(q, k, v, seqlens, options)
    plain = exact(q, k, v, seqlens, options, dtype)
    largest = v.nan_to_num().abs().max().item()
    assert_as_good(found, true, plain, (largest, 1), units=4, doubt=True)
