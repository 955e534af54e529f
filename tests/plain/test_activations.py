"""What a block keeps and computes: formulas against PyTorch, to the byte and FLOP."""

from unittest import mock

import pytest
import torch
import torch._functorch.config

from tilewise.attention import library
from tilewise.ledger import activations
from tilewise.ledger.activations import kept_bytes, price, step
from tilewise.training.flops import flops
from tilewise.training.kept import Alive, saved
from tilewise.training.transformer import Block

DTYPES = {"fp32": torch.float32, "fp64": torch.float64, "bf16": torch.bfloat16}
SIZES = [(2, 37, 24, 3), (1, 130, 8, 2), (2, 1, 12, 4)]
PAIRS = [
    (attention, policy)
    for attention in activations.ATTENTION
    for policy in activations.POLICIES
    if (attention, policy) != ("standard", "o")
]
ALL = pytest.mark.parametrize(("attention", "policy"), PAIRS)


def made(batch, n, embed_dim, heads, attention, policy, dtype="fp32"):
    """A block and its input."""
    torch.manual_seed(0)
    how = {"attention": attention, "policy": policy, "dtype": DTYPES[dtype]}
    x = torch.randn(batch, n, embed_dim, dtype=DTYPES[dtype], requires_grad=True)
    return Block(embed_dim, heads, **how), x


@ALL
@pytest.mark.parametrize("size", SIZES)
def test_what_is_kept_is_what_the_formula_says(size, attention, policy):
    block, x = made(*size, attention, policy)
    batch, *sizes = size
    want = batch * kept_bytes(*sizes, "fp32", attention=attention, policy=policy)
    hooks = sum(saved(block, x, without=block.parameters()).values())
    with Alive() as alive:
        y = block(x)
    assert alive.bytes() - y.nbytes + x.nbytes == want
    unseen = 0  # selective checkpointing's cache is none of autograd's
    if policy == "o":
        unseen = batch * sizes[0] * (sizes[1] + sizes[2]) * 4
    assert hooks == want - unseen


@pytest.mark.parametrize("dtype", ["fp64", "bf16"])
@pytest.mark.parametrize("policy", ["none", "apart"])
def test_in_other_dtypes(dtype, policy):
    block, x = made(2, 37, 24, 3, "ours", policy, dtype)
    hooks = sum(saved(block, x, without=block.parameters()).values())
    mean = torch.native_layer_norm(x, [24], None, None, 1e-5)[1]
    held = activations.kept(37, 24, 3, policy=policy)
    numbers = sum(held.get(f"statistics {n}", 0) for n in (1, 2))
    wide = max(4, x.element_size())  # CPUs may keep the statistics in x's dtype
    narrower = 2 * 37 * numbers * (wide - mean.element_size())
    assert hooks == 2 * kept_bytes(37, 24, 3, dtype, policy=policy) - narrower


@ALL
@pytest.mark.parametrize("size", SIZES[:2])
def test_flops_are_what_the_formula_says(size, attention, policy):
    if attention == "pytorch":
        pytest.skip("its counter leaves causal masks and this CPU's backend out")
    block, x = made(*size, attention, policy)
    batch, n, embed_dim, _ = size
    ways = step(n, embed_dim, attention=attention, policy=policy)
    assert flops(block, x) == batch * n * ways["forward"]
    count = flops(lambda: block(x).backward(torch.ones_like(x)))
    assert count == batch * n * sum(ways.values())


def test_units_of_the_page():
    """16 units and L; 7, 5, 2 and 1 with a policy; P is N / d of them."""
    n, e, heads = 16384, 2048, 16
    for policy, units in zip(activations.POLICIES, (16, 1, 5, 2, 7), strict=True):
        held = activations.kept(n, e, heads, policy=policy)
        whole = {name: x for name, x in held.items() if x >= e}
        assert sum(whole.values()) == units * e
        assert sum(held.values()) - units * e <= heads + 4
    held = activations.kept(n, e, heads, attention="standard")
    assert held["P"] / e == n / (e // heads) == 128


def test_shares_and_their_limits():
    def share(n, policy, e=2048):
        ways = step(n, e, policy=policy)
        return ways["again"] / (ways["forward"] + ways["backward"])

    assert share(1, "block") == pytest.approx(16 / 72, rel=1e-3)
    assert share(10**9, "block") == pytest.approx(2 / 7, rel=1e-3)
    assert share(10**9, "o") < 1e-4
    for policy in activations.POLICIES:
        first, *_, last = (share(2**k, policy) for k in range(21))
        assert (first < last) == (policy == "block") or policy == "none"


def test_attention_is_dearer_than_a_projection_from_n_as_wide_as_e():
    for e in (64, 2048):
        assert price(e - 1, e)["o"] == price(e - 1, e)["q"] == 2 * e
        assert price(e, e)["o"] > price(e, e)["y"]
        assert price(4 * e, e)["o"] > price(4 * e, e)["x"] == 8 * e
        free = [x for x, cost in price(e, e).items() if cost == 0]
        assert free == ["h 1", "h 2", "g"]


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"policy": "all"}, "policy must be one of none, block, .*, not 'all'"),
        ({"attention": "flash"}, "attention must be one of standard, .*, not 'flash'"),
        ({"attention": "standard", "policy": "o"}, "policy must not be 'o' with stand"),
    ],
)
def test_what_cannot_be_is_named(how, message):
    with pytest.raises(ValueError, match=message):
        activations.kept(4, 8, 2, **how)
    with pytest.raises(ValueError, match=message):
        step(4, 8, **how)


@pytest.fixture
def fresh():
    """No graph of another test, and the budget as it was."""
    config = torch._functorch.config
    budget = config.activation_memory_budget
    torch._dynamo.reset()
    yield config
    config.activation_memory_budget = budget
    torch._dynamo.reset()


@pytest.mark.full
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # its own
@pytest.mark.parametrize(
    ("budget", "units", "runs"), [(1, 16, 1), (0.9, 10, 1), (0.5, 9, 2)]
)
def test_what_a_compiler_keeps(fresh, budget, units, runs):
    block, x = made(2, 256, 64, 2, "ours", "none")
    fresh.activation_memory_budget = budget
    compiled = torch.compile(block, backend="aot_eager_decomp_partition")
    found = saved(compiled, x, without=block.parameters())
    assert sum(found.values()) // x.nbytes == units
    with mock.patch.object(library, "forward", wraps=library.forward) as forward:
        compiled(x).sum().backward()
    assert forward.call_count == runs


def test_offloading_takes_every_save_for_a_new_one():
    block, x = made(2, 256, 64, 2, "ours", "none")
    sizes, weights = [], {p.data_ptr() for p in block.parameters()}

    def pack(y):
        if y.untyped_storage().data_ptr() not in weights and y.numel() >= x.numel():
            sizes.append(y.nbytes)
        return y

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda y: y):
        block(x)
    assert sum(sizes) == 19 * x.nbytes
