"""Kernels for packed documents in Triton's interpreter: run by test_varlen.py.

A process of its own, since triton reads TRITON_INTERPRET when it is imported. Prints
for each check "name<tab>ok", or what went wrong. bf16 is left out: the interpreter
multiplies the bits of bf16 numbers.
"""

import itertools
import os
import warnings

os.environ["TRITON_INTERPRET"] = "1"  # before triton is imported

import torch

from tests.kernels._child import report
from tests.kernels._patched_once import patched_once
from tests.kernels._varlen_pair import SMALL, TALL, pair
from tests.varlen._varlen import assert_right, draw, ends, gradients, leaks, planned
from tilewise import flash_attention_varlen
from tilewise.attention import dispatch
from tilewise.kernels import varlen
from tilewise.kernels.shared import varlen as _varlen

warnings.simplefilter("error")
warnings.simplefilter("ignore", DeprecationWarning)  # triton 3.6 with numpy 2.3
# A key past the end may overflow where it is dropped; NaN is put in on purpose.
warnings.filterwarnings("ignore", "overflow|invalid value|All-NaN", RuntimeWarning)
torch.set_num_threads(1)
dispatch.card = lambda device: ((10, 0), False)
FP16, FP32 = torch.float16, torch.float32
CASES = {  # lengths of q, of k; heads, key heads, d, causal, scale, dtype
    "one document": ([45], [45], 1, 1, 16, True, None, FP32),
    "odd lengths": ([33, 1, 16], [33, 1, 16], 2, 1, 16, True, None, FP16),
    "no mask": ([33, 1, 20], [20, 40, 3], 1, 1, 24, False, -0.3, FP32),
    "top-left": ([33, 20], [40, 7], 2, 1, 40, "top-left", 0.3, FP16),
    "empty ones": ([0, 20, 0, 35, 0], [5, 0, 0, 70, 0], 2, 1, 16, True, None, FP32),
    "more rows than keys": ([50, 9], [17, 2], 2, 2, 16, True, 0.0, FP32),
    "d 128": ([20, 37], [40, 20], 1, 1, 128, True, None, FP16),
    "d 256": ([17, 0, 20], [20, 3, 33], 1, 1, 256, False, None, FP32),
}


def made(lengths, heads, kv_heads, d, dtype, seed=0):
    """(q, k, v), (do, dlse) of packed documents."""
    torch.manual_seed(seed)
    n_q, n_k = map(sum, lengths)
    shapes = (n_q, heads, d), (n_k, kv_heads, d), (n_k, kv_heads, d), (n_q, heads, d)
    *tensors, do = (torch.randn(shape).to(dtype) for shape in shapes)
    return tensors, (do, torch.randn(n_q, heads))


def hold(f, tensors, given, lengths, options):
    """f as good as the formula."""
    found = gradients(f, tensors, given)
    assert_right(found, tensors, given, lengths, options, few=4)
    return found


def check_case(title, tiles):
    *lengths, heads, kv_heads, d, causal, scale, dtype = CASES[title]
    tensors, given = made(lengths, heads, kv_heads, d, dtype)
    options = {"causal": causal, "scale": scale}
    hold(pair(lengths, options, tiles), tensors, given, lengths, options)


def check_random():
    """Lengths drawn anew, the tiles that a caller gets who names none."""
    for seed in range(2):
        tensors, given, *lengths, options = draw(seed, dims=(1, 1), most=40)
        heads, kv_heads = tensors[0].shape[1], tensors[1].shape[1]
        tensors, given = made(lengths, heads, kv_heads, 8 * (1 + seed), FP32, seed)
        f = pair(lengths, options)
        hold(f, tensors, given, lengths, options)


def check_no_leak():
    """Nor do two runs differ."""
    lengths = [20, 0, 17, 9], [20, 5, 33, 1]
    tensors, given = made(lengths, 1, 1, 16, FP32)
    for causal, b, value in ((True, 0, None), (False, 2, torch.nan)):
        f = pair(lengths, {"causal": causal, "scale": None}, SMALL)
        assert leaks(f, tensors, given, *lengths, b, value) == [], (causal, b)


def check_parts_of_one_tensor():
    """q, k and v side by side, rows of o's gradient expanded from one number."""
    whole = torch.randn(36, 3, 1, 16)
    q, k, v = whole.unbind(1)
    lengths, options = [[17, 19]] * 2, {"causal": True, "scale": None}
    given = torch.ones(1, 1, 1).expand(36, 1, 16), torch.randn(1, 36).mT
    leaves = [x.detach().requires_grad_() for x in (q, k, v)]
    o, lse = pair(lengths, options, SMALL)(*leaves)
    found = torch.autograd.grad((o, lse), leaves, given)
    again = [x.contiguous() for x in (q, k, v)], [x.contiguous() for x in given]
    expected = hold(pair(lengths, options, SMALL), *again, lengths, options)
    assert all(map(torch.equal, (o, lse, *found), expected))


def check_public_function():
    """Through dispatch, with int32 and int64 lengths; on o and L."""
    lengths, options = ([20, 0, 9], [30, 7, 9]), {"causal": True, "scale": 0.3}
    tensors, given = made(lengths, 4, 2, 16, FP32)
    places = ends(lengths[0], torch.int32), ends(lengths[1])
    used = []

    def f(*x):
        with torch.autograd.graph.saved_tensors_hooks(used.append, lambda _: None):
            flash_attention_varlen(*x, *places, return_lse=True, **options)
        return flash_attention_varlen(*x, *places, return_lse=True, **options)

    hold(f, tensors, given, lengths, options)
    assert len(used) == 7  # q, k, v, o, L, lengths


def fields_of(*given):
    """The plan as (fields, slots), and slots; nobody has drawn a block."""
    made, slots = _varlen.plan(*given)
    assert made[-1] == 0
    return made[:-1].view(-1, slots), slots


def check_lengths_that_fall():
    """What the host does not see may be wrong: no row is outside of the tensors."""
    for wrong in ([0, 60, 20, 40], [5, -9, 999, 30], [40, 40, 0, 0], [0, 40, 0, 40]):
        places = torch.tensor(wrong, dtype=torch.int32)
        fields, slots = fields_of(places, places, 40, 40, 16)
        first, n = fields[:2, (fields[1] != 0)]
        assert fields.shape == (6, slots) and (first >= 0).all() and (n > 0).all()
        assert (first + n <= 40).all()


def check_plan():
    """Every block of every document once, the longest walk first; the rest is empty."""
    for outer, inner, block in itertools.product(
        ([70, 0, 16, 300, 1], [20] * 5), ([5, 9, 0, 9, 200], [7] * 5), (16, 64)
    ):
        total = sum(outer), sum(inner)
        fields, slots = fields_of(ends(outer), ends(inner), *total, block)
        assert slots == total[0] // block + 5
        expected = planned(outer, inner, block)
        assert [*map(tuple, fields.T.tolist())][: len(expected)] == expected
        assert (fields[1, len(expected) :] == 0).all()


def check_bad_input():
    q, k, v = made(([20], [30]), 4, 2, 16, FP32)[0]
    good = {"q": q, "k": k, "v": v, "cu_q": ends([20]), "cu_k": ends([30])}
    bad = {"q": q[None], "cu_q": ends([20]).float(), "cu_k": ends([10, 20])}
    bad |= {"k": k[:, :1], "causal": "left", "block_rows": 24, "v": v.double()}
    for name, value in bad.items():
        try:
            varlen.forward(**good | {name: value})
        except ValueError as error:
            assert "must" in str(error) or "differ" in str(error), error
        else:
            raise AssertionError(f"{name} was taken")


def checks():
    """Names of checks, and the checks."""
    for i, title in enumerate(CASES):
        yield title, lambda t=title, i=i: check_case(t, (SMALL, TALL)[i % 2])
    for name, check in sorted(globals().items()):
        if name.startswith("check_") and name != "check_case":
            yield name[6:], check


if __name__ == "__main__":
    patched_once()
    report(checks())
