"""The stand-alone files in Triton and the package's kernels, in Triton's interpreter.

python -m tests.alone._triton CASES: a process of its own, since TRITON_INTERPRET is
read where triton is imported.
"""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

os.environ["TRITON_INTERPRET"] = "1"

import torch

from tests.alone._alone import loaded
from tests.kernels._patched_once import patched_once
from tilewise.alone import program
from tilewise.kernels import backward_split, causal, decode, scores, scores_backward

torch.set_num_threads(1)


def case(seed):
    """q, k, v, do and the options of a call."""
    source = torch.Generator().manual_seed(seed)
    n_q, n_k, d = (
        int(torch.randint(1, most, (), generator=source)) for most in (40, 40, 4)
    )
    heads, key_heads = ((1, 1), (1, 1), (2, 1), (2, 2))[seed % 4]
    dtype = (torch.float32, torch.float16)[seed % 5 == 0]
    q, do = torch.randn(2, 1, heads, n_q, 8 * d, generator=source).to(dtype)
    k, v = torch.randn(2, 1, key_heads, n_k, 8 * d, generator=source).to(dtype)
    how = {"causal": (False, True, "top-left")[seed % 3]}
    return (q, k, v), do, how | {"scale": (None, 0.3, -0.2)[seed % 4 % 3]}


def same(file, seed):
    """Whether o, L, dq, dk and dv are equal to the bit."""
    qkv, do, how = case(seed)
    o, lse = causal.forward(*qkv, **how)
    dlse = torch.full_like(lse, 0.5)
    ours = [o, lse, *backward_split.backward(*qkv, o, do, lse, dlse=dlse, **how)]
    learned = [x.clone().requires_grad_() for x in qkv]
    found = file.flash_attention(*learned, **how, return_lse=True)
    found = [*found, *torch.autograd.grad(found, learned, (do, dlse))]
    return all(map(torch.equal, found, ours))


def case_of_options(seed):
    """The same with values of another d, and with options."""
    (q, k, _), do, how = case(seed)
    source = torch.Generator().manual_seed(seed)
    d_v = 8 * (seed % 3 + 1)
    v = torch.randn(*k.shape[:3], d_v, generator=source).to(k.dtype)
    do = torch.randn(*do.shape[:3], d_v, generator=source).to(k.dtype)
    how["window"] = (None, (7, 0), (None, 5), (9, 9))[seed % 7 % 4]
    how["softcap"] = (None, 2.0)[seed % 2]
    how["dropout_p"] = (0.0, 0.3)[seed % 11 % 2]
    heads = q.shape[1]
    if seed % 3 < 2:
        shape = ((heads,), q.shape[:2])[seed % 3]
        how["alibi_slopes"] = torch.rand(shape, generator=source).requires_grad_()
    if seed % 5 < 2:
        how["sinks"] = torch.randn(heads, generator=source).requires_grad_()
    return (q, k, v), do, how


def same_options(file, seed):
    """Whether o, L and every gradient are equal to the bit."""
    qkv, do, how = case_of_options(seed)
    over_q, *tiles = file.tiles(qkv[0], qkv[2])
    names = "block_rows", "block_cols", "num_warps", "num_stages"
    torch.manual_seed(seed)
    drawn = int(torch.randint(2**63 - 1, ())) if how["dropout_p"] else None
    with torch.no_grad():
        o, lse = scores.forward(*qkv, seed=drawn, **how, **dict(zip(names, over_q)))
        dlse, more = (
            torch.full_like(lse, 0.5),
            dict(zip(("dkdv_tile", "dq_tile"), tiles)),
        )
        more |= {"seed": drawn, "dlse": dlse}
        ours = scores_backward.backward(*qkv, o, do, lse, **how, **more)
    ours = [o, lse, *(x for x in ours if x is not None)]
    learned = [x.clone().requires_grad_() for x in qkv]
    torch.manual_seed(seed)
    found = file.flash_attention(*learned, **how, return_lse=True)
    learned += [how[x] for x in ("alibi_slopes", "sinks") if x in how]
    found = [*found, *torch.autograd.grad(found, learned, (do, dlse))]
    return all(map(torch.equal, found, ours))


def same_decoding(file, seed):
    """Whether o and L of two sequences are equal to the bit."""
    source = torch.Generator().manual_seed(seed)
    q = torch.randn(2, 2, seed % 3 + 1, 16, generator=source)
    k, v = torch.randn(2, 2, seed % 2 + 1, 40 + seed, 16, generator=source)
    n = torch.tensor([40, 3 + seed % 30], dtype=torch.int32)
    how = {"splits": seed % 4 + 1, "window": (None, (9, 0))[seed % 2]}
    how["softcap"] = (None, 2.0)[seed % 5 == 0]
    found = [x.forward(q, k, v, n, **how) for x in (file, decode)]
    return all(map(torch.equal, *found))


if __name__ == "__main__":
    patched_once()
    cases = int(sys.argv[1])
    with TemporaryDirectory() as folder:
        for name, equal in (
            ("flash_attention_triton", same),
            ("flash_attention_options_triton", same_options),
            ("flash_decode_triton", same_decoding),
        ):
            file = loaded(name, program(name), Path(folder))
            assert all(equal(file, seed) for seed in range(cases)), name
    print(f"{cases} cases are equal")
