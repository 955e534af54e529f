"""The decoding kernel in Triton's interpreter: test_decode.py."""

import os
import warnings

os.environ["TRITON_INTERPRET"] = "1"  # before triton is imported

import random

import numpy as np
import torch
from triton.runtime import interpreter

from tests._decoding import draw
from tests.kernels._child import report
from tests.kernels._decode import DRAWS, hold
from tests.kernels._patched_once import patched_once
from tilewise import kernels
from tilewise.ledger.decode import decode as bill

warnings.simplefilter("error")
warnings.simplefilter("ignore", DeprecationWarning)  # triton 3.6 with numpy 2.3
warnings.filterwarnings("ignore", "overflow|invalid value", RuntimeWarning)
torch.set_num_threads(1)


class Moves:
    """Counts the floats that the interpreter loads and stores."""

    def __init__(self):
        self.loads = self.stores = 0
        builder = interpreter.InterpreterBuilder
        self.real = builder.create_masked_load, builder.create_masked_store

    def __enter__(self):
        load, store = self.real
        builder = interpreter.InterpreterBuilder

        def loaded(this, ptrs, mask, *rest):
            found = load(this, ptrs, mask, *rest)
            if np.issubdtype(found.data.dtype, np.floating):
                self.loads += int(mask.data.sum())
            return found

        def stored(this, ptrs, value, mask, *rest):
            self.stores += int(mask.data.sum())
            return store(this, ptrs, value, mask, *rest)

        builder.create_masked_load, builder.create_masked_store = loaded, stored
        return self

    def __exit__(self, *_):
        builder = interpreter.InterpreterBuilder
        builder.create_masked_load, builder.create_masked_store = self.real


def check_ledger():
    """Loads and stores of the kernels are the ledger's, sequence by sequence."""
    for i in range(24):
        q, k, v, seqlens, options = draw(i, torch.float32)
        options.pop("sinks", None)
        splits = options["splits"] = random.Random(i).choice((1, 2, 3, 7))
        with Moves() as moves:
            kernels.decode.forward(q, k, v, seqlens, **options, block_cols=16)
        (_, heads, n_q, d), left = q.shape, (options["window"] or (None,))[0]
        packed = heads // k.shape[1] * n_q
        rows = max(16, 1 << (packed - 1).bit_length())
        how = {"n_q": n_q, "splits": splits, "left": left}
        how |= {"block_rows": rows, "block_cols": 16}
        sizes = heads, k.shape[1], d, v.shape[-1]
        bills = [bill(n, *sizes, **how) for n in seqlens.tolist()]
        reads, writes = (
            sum(x[name] for x in bills for name in names)
            for names in (
                ("cache", "q", "partial_reads"),
                ("o", "lse", "partial_writes"),
            )
        )
        assert (moves.loads, moves.stores) == (reads, writes), i


def check_many_rows():
    """More rows than a program has, and a cache that is only room for a length."""
    for n_q, splits in ((40, 1), (40, 3)):
        torch.manual_seed(n_q)
        q, k = torch.randn(1, 4, n_q, 16), torch.randn(1, 2, 50, 16)
        n = torch.tensor([99])  # on a GPU not checked: all of the room
        o, _ = kernels.decode.forward(q, k, k, n, splits=splits, block_cols=16)
        kh = k.repeat_interleave(2, 1)
        mask = torch.ones(n_q, 50, dtype=torch.bool).tril(50 - n_q)
        true = torch.nn.functional.scaled_dot_product_attention(q, kh, kh, mask)
        assert (o - true).abs().max() < 1e-5


def checks():
    for i in range(DRAWS):
        dtype = torch.float16 if i % 3 == 1 else torch.float32
        yield str(i), lambda i=i, dtype=dtype: hold(i, dtype)
    yield "ledger", check_ledger
    yield "many rows", check_many_rows


if __name__ == "__main__":
    patched_once()
    report(checks())
