"""The public functions over kernels, in Triton's interpreter: run by test_ops.py.

A process of its own, since triton reads TRITON_INTERPRET when it is imported. It takes
the CPU for a card of compute capability 10.0: fp32 goes to the rungs on pointers, fp16
to those on descriptors. Prints for each check "name<tab>ok", or what went wrong.
"""

import os
import warnings

os.environ["TRITON_INTERPRET"] = "1"  # before triton is imported

import torch

from tests._oracle import assert_as_good, attend, floors, with_gradients
from tests.kernels._backward import poisoned
from tests.kernels._child import report
from tests.kernels._options import formula
from tests.kernels._patched_once import patched_once
from tilewise import FlashAttention, flash_attention
from tilewise import scaled_dot_product_attention as sdpa
from tilewise.attention import dispatch
from tilewise.block_sparse import tiles_mask

warnings.simplefilter("ignore", DeprecationWarning)  # triton 3.6 with numpy 2.3
torch.set_num_threads(1)
dispatch.card = lambda device: ((10, 0), False)
used = []


def watched(*inputs):
    """The kernels that `route` gives, which note their names when they run."""
    kernels = dispatch.route(*inputs)
    return kernels and dispatch.Kernels(*map(noted, kernels[:2]), kernels.variants)


def noted(rung):
    """The rung, which notes its file's name when it runs."""

    def run(*tensors, **options):
        used.append(rung.__module__.rpartition(".")[2])
        return rung(*tensors, **options)

    return run


def draw(*shapes, dtype=torch.float32):
    torch.manual_seed(0)
    return [torch.randn(shape).to(dtype) for shape in shapes]


def close(f, g, tensors, given):
    """f over kernels as good as g in float64, by the rule of the kernels' tests."""
    used.clear()
    with poisoned():
        found = with_gradients(f, tensors, given)
    assert len(used) == 2, used
    wide = [[x.double() for x in xs] for xs in (tensors, given)]
    exact, plain = with_gradients(g, *wide), with_gradients(g, tensors, given)
    eps = torch.finfo(tensors[0].dtype).eps
    assert_as_good(found, exact, plain, units=4, eps=eps)


def check_o_and_l():
    for dtype in (torch.float32, torch.float16):
        for causal in (False, True, "top-left"):
            tensors = draw(*((1, h, n, 16) for h, n in ((4, 33), (2, 47), (2, 47))))
            tensors = [x.to(dtype) for x in tensors]
            options = {"causal": causal, "scale": 0.3}
            close(
                lambda *x, o=options: flash_attention(*x, return_lse=True, **o),
                lambda *x, o=options: attend(*x, **o),
                tensors,
                [torch.randn(1, 4, 33, 16).to(dtype), torch.randn(1, 4, 33)],
            )


def check_any_number_of_axes():
    for lead in ((), (3,), (2, 3), (2, 1, 3)):
        tensors = draw((*lead, 20, 16), (*lead, 24, 16), (*lead, 24, 16))
        given = [torch.randn(*lead, 20, 16)]
        close(
            lambda *x: [sdpa(*x, is_causal=True)],
            lambda *x: attend(*x, causal="top-left")[:1],
            tensors,
            given,
        )


def check_a_sum_hands_back_one_number():
    """Its gradient is one number, expanded to dO's shape: strides of 0."""
    (x,) = draw((1, 2, 20, 16))
    ours, theirs = x.clone().requires_grad_(), x.clone().requires_grad_()
    (flash_attention(ours, ours, ours, causal=True).sum() * 3).backward()
    (attend(theirs, theirs, theirs, causal=True)[0].sum() * 3).backward()
    torch.testing.assert_close(ours.grad, theirs.grad, rtol=1e-4, atol=1e-5)


def check_only_l_has_a_gradient():
    x = draw((1, 2, 20, 16))[0].requires_grad_()
    _, lse = flash_attention(x, x, x, return_lse=True)
    (ours,) = torch.autograd.grad(lse.square().sum(), x)
    (theirs,) = torch.autograd.grad(attend(x, x, x)[1].square().sum(), x)
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


def check_other_strides():
    q, k, v = draw((2, 20, 3, 16), (2, 24, 3, 16), (2, 3, 24, 32))
    tensors = [q.transpose(1, 2), k.transpose(1, 2), v[..., ::2]]
    given = [torch.randn(2, 16, 20, 3).permute(0, 3, 2, 1)]
    close(lambda *x: [flash_attention(*x)], lambda *x: attend(*x)[:1], tensors, given)


def check_gradients_of_gradients_are_refused():
    q = draw((1, 1, 16, 16))[0].requires_grad_()
    (dq,) = torch.autograd.grad(flash_attention(q, q, q).sum(), q, create_graph=True)
    try:
        dq.square().sum().backward()
    except RuntimeError as error:
        assert "can be differentiated once" in str(error)
    else:
        raise AssertionError("no error")


def check_masks_go_another_way():
    q, k, v = draw((1, 2, 16, 16), (1, 2, 16, 16), (1, 2, 16, 16))
    used.clear()
    sdpa(q, k, v, torch.ones(16, 16, dtype=torch.bool))
    sdpa(q.double(), k.double(), v.double())
    assert used == []


def check_options():
    """Windows, blocks, softcap, slopes, sinks, another d_v: values and gradients."""
    torch.manual_seed(1)
    tiles = torch.rand(4, 5, 6) < 0.7
    shapes = (1, 4, 33, 16), (1, 2, 47, 16), (1, 2, 47, 24), (4,), (4,)
    how = {"causal": True, "window": (9, 3), "softcap": 2.0}
    how["block_mask"] = tiles_mask(tiles, 8, 8, 33, 47)
    close(
        lambda q, k, v, slopes, sinks: flash_attention(
            q, k, v, alibi_slopes=slopes, sinks=sinks, return_lse=True, **how
        ),
        lambda *x: formula(*x, **how),
        draw(*shapes),
        [torch.randn(1, 4, 33, 24), torch.randn(1, 4, 33)],
    )
    assert used == ["scores", "scores_backward"]


def check_dropout_is_that_of_the_tiles():
    """Kernels, then tiles in PyTorch, these in float64 as well: the same keys go."""
    for shape in ((33, 16), (2, 3, 33, 16), (2, 1, 3, 33, 16)):
        results, single, double = [], torch.float32, torch.float64
        for device, dtype in (("a card", single), (None, double), (None, single)):
            dispatch.card = lambda _, x=device: x and ((10, 0), False)
            q, k, v = (x.to(dtype).requires_grad_() for x in draw(shape, shape, shape))
            torch.manual_seed(5)
            o = sdpa(q, k, v, is_causal=True, dropout_p=0.4)
            results.append((o, *torch.autograd.grad(o.square().sum(), (q, k, v))))
        dispatch.card = lambda device: ((10, 0), False)
        wide = (x.detach().reshape(-1, 1, *shape[-2:]) for x in (q, k, v, 2 * o))
        least = floors(*wide, z=1 / 0.6)
        assert_as_good(*results, (least[0], *least[2:]), units=4)


def check_the_module_and_torch_compile():
    layer = FlashAttention(64, 4, num_kv_heads=2, causal=True)
    x = torch.randn(2, 20, 64)
    used.clear()
    expected = layer(x)
    compiled = torch.compile(layer, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(x), expected)
    compiled(x).sum().backward()
    assert used == ["causal"] * 3 + ["backward_split"]


def check_bad_input():
    q, k = draw((1, 2, 16, 16), (1, 2, 16, 24))
    try:
        flash_attention(q, k, k[..., :16])
    except ValueError as error:
        assert "q and k differ in d" in str(error)
    else:
        raise AssertionError("no error")


def checks():
    """Names of checks, and the checks."""
    for name, check in sorted(globals().items()):
        if name.startswith("check_"):
            yield name[6:], check


if __name__ == "__main__":
    patched_once()
    from tilewise.attention import passes

    passes.route = watched
    report(checks())
