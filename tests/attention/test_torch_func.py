"""The functions within torch.func: grad, jacrev and vmap, in any order."""

import pytest
import torch
from torch.func import grad, hessian, jacrev, vmap
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention
from torch.testing import assert_close

from tilewise import flash_attention, flash_attention_varlen
from tilewise import scaled_dot_product_attention as ours

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # PyTorch's own

TINY = {"rtol": 0, "atol": 1e-10}
Q, K, V = torch.randn(3, 3, 2, 4, 5, 6, dtype=torch.float64)
BIAS = torch.randn(3, 5, 5, dtype=torch.float64)
OPTIONS = {}, {"is_causal": True}, {"attn_mask": BIAS[0]}, {"attn_mask": BIAS[1] > 0}


def theirs(*tensors, **options):
    """PyTorch's, of differentiable operations."""
    with sdpa_kernel(SDPBackend.MATH):
        return scaled_dot_product_attention(*tensors, **options)


def transformed(attend, options):
    """What torch.func makes of a loss with a gradient: alone, mapped, mapped within."""

    def loss(q, k=K[0], v=V[0]):
        return (attend(q, k, v, **options) ** 2).sum()

    return [
        grad(loss)(Q[0]),
        vmap(grad(loss, (0, 1, 2)))(Q, K, V),
        grad(lambda q: vmap(loss)(q).sum())(Q),
        vmap(grad(lambda k: loss(Q[0], k)))(K),
        vmap(lambda q: attend(q, K[0], V[0], **options), 2, 1)(Q.movedim(0, 2)),
        jacrev(lambda v: attend(Q[0], K[0], v, **options).sum((0, 1, 3)))(V[0]),
        grad(lambda q: jacrev(lambda s: s * loss(q))(torch.ones(()).double()))(Q[0]),
    ]


@pytest.mark.parametrize("options", OPTIONS)
def test_torch_func(options):
    assert_close(transformed(ours, options), transformed(theirs, options), **TINY)


def test_a_mask_for_each_entry_and_its_gradient():
    def each(attend):
        def loss(q, mask):
            return attend(q, K[0], V[0], mask).square().sum()

        return vmap(grad(loss, (0, 1)))(Q, BIAS)

    assert_close(each(ours), each(theirs), **TINY)


@pytest.mark.parametrize("learned", ["sinks", "alibi_slopes"])
def test_what_is_learned_has_a_gradient_for_each_entry(learned):
    """So have L and every option; slopes (batch, heads) cannot be folded."""
    x = torch.rand((4,) if learned == "sinks" else (2, 4), dtype=torch.float64)
    how = {"window": (2, 1), "softcap": 5.0, "return_lse": True}

    def loss(x, q):
        o, lse = flash_attention(q, K[0], V[0], **how, **{learned: x})
        return (o**2).sum() + (lse**2).sum()

    leaf = x.clone().requires_grad_()
    each = [torch.autograd.grad(loss(leaf, q), leaf)[0] for q in Q]
    assert_close(vmap(grad(loss), (None, 0))(x, Q), torch.stack(each), **TINY)


def test_dropout_within_vmap_asks_for_randomness():
    def drop(q):
        return flash_attention(q, K[0], V[0], dropout_p=0.5)

    same = Q[:1].expand(3, *Q.shape[1:])
    a, b, c = vmap(drop, randomness="same")(same)
    assert torch.equal(a, b) and torch.equal(b, c)
    a, b, c = vmap(drop, randomness="different")(same)
    assert not torch.equal(a, b) and not torch.equal(b, c)
    with pytest.raises(RuntimeError, match="randomness"):
        vmap(drop)(Q)


def test_what_torch_func_cannot_do_is_said():
    def loss(q):
        return ours(q, K[0], V[0]).square().sum()

    with pytest.raises(RuntimeError, match="can be differentiated once"):
        grad(lambda q: grad(loss)(q).sum())(Q[0])
    with pytest.raises(NotImplementedError, match="jvp"):
        hessian(loss)(Q[0])
    ends, rows = torch.tensor([0, 2, 5]), Q[0, 0].mT.contiguous().mT.transpose(0, 1)
    with pytest.raises(RuntimeError, match="torch.func cannot transform packed"):
        grad(lambda q: flash_attention_varlen(q, q, q, ends, ends).sum())(rows)


@pytest.mark.full
def test_a_compiler_leaves_torch_func_as_it_is():
    def loss(q):
        return ours(q, K[0], V[0]).square().sum()

    assert_close(torch.compile(grad(loss))(Q[0]), grad(loss)(Q[0]), **TINY)
