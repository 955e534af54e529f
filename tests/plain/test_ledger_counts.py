"""The ledger equals what the code really loads, stores and multiplies, exactly.

Every pass runs as it is, on 200 random sizes, while tests/plain/_traffic.py counts.
Sizes are ragged, N_k differs from N, blocks may be larger than both, and all three
masks occur. Conventions: one dtype, so that `.to` is no copy; results end up in HBM;
stores are also the first O, ℓ, m (Algorithm 1, line 2), dQ, dK, dV (Algorithm 4, line
5) and, with FlashAttention-2, δ and dQ = 0 (its Algorithm 2, lines 3 and 4).
"""

import random

import pytest
import torch

from tilewise import ledger
from tilewise.block_sparse import tiles_mask
from tilewise.examples import block_sparse_lists
from tilewise.flash1 import flash1_backward, flash1_forward
from tilewise.flash2 import flash2_backward, flash2_forward
from tilewise.masks import tile_mask, window
from tilewise.standard import standard_backward, standard_forward
from tilewise.variants import softcap

from .._oracle import CAUSALS
from ._traffic import Traffic

TILED = {  # what is given in HBM: matrices by where their rows come from, then vectors
    "flash1_forward": (flash1_forward, "qkk", 0),
    "flash1_backward": (flash1_backward, "qkkqq", 2),
    "flash2_forward": (flash2_forward, "qkk", 0),
    "flash2_backward": (flash2_backward, "qkkqq", 1),
}


def sizes(count=200):
    rng = random.Random(3)
    for _ in range(count):
        n, n_k, d = rng.randint(1, 16), rng.randint(1, 16), rng.randint(1, 6)
        yield n, n_k, d, (rng.randint(1, n + 2), rng.randint(1, n_k + 2))


def counted(function, given, *more, **options):
    """reads, writes and flops of one call whose tensors are in HBM."""
    with Traffic(*given) as count:
        out = function(*given, *more, **options)
    count.results(*out)
    return {x: getattr(count, x) for x in ("reads", "writes", "flops")}


def tensors(rows, vectors, n, n_k, d, heads=(), groups=1):
    """Random matrices (heads, N or N_k, d), then vectors (heads, N)."""
    first, many = {"q": n, "k": n_k}, {"q": 1, "k": groups}
    lead = {x: (*heads[:-1], *(h // many[x] for h in heads[-1:])) for x in "qk"}
    made = [torch.randn(*lead[x], first[x], d) for x in rows]
    return made + [torch.rand(*lead["q"], n) + 1 for _ in range(vectors)]


def expected(name, *arguments, **options):
    count = getattr(ledger, name)(*arguments, **options)
    return {x: count[x] for x in ("reads", "writes", "flops")}


@pytest.mark.few(4)
@pytest.mark.parametrize("causal", CAUSALS)
@pytest.mark.parametrize("name", TILED)
def test_tiled_passes(name, causal):
    function, rows, vectors = TILED[name]
    for n, n_k, d, blocks in sizes():
        given = tensors(rows, vectors, n, n_k, d)
        found = counted(function, given, *blocks, causal=causal)
        assert found == expected(name, n, d, *blocks, n_k=n_k, causal=causal)


@pytest.mark.few(4)
@pytest.mark.parametrize("name", TILED)
def test_windows_listed_tiles_softcap_and_sinks(name):
    """What is visited counts; softcap and a sink move nothing but what they are."""
    function, rows, vectors = TILED[name]
    rng = random.Random(4)
    for n, n_k, d, blocks in sizes():
        given = tensors(rows, vectors, n, n_k, d)
        reach = tuple(rng.choice([None, 0, 2, 5]) for _ in range(2))
        grid = -(-n // blocks[0]), -(-n_k // blocks[1])
        listed = torch.rand(grid, generator=torch.manual_seed(n)) < 0.6
        spans = [window(n, n_k, *reach), tiles_mask(listed, *blocks, n, n_k).span]
        how = {"mask": tile_mask(*spans), "causal": True, "rule": softcap(2.0)}
        how |= {"sinks": torch.tensor(0.5)} if "forward" in name else {}
        found = counted(function, given, *blocks, **how)
        mask = {"causal": True, "window": reach, "block_mask": listed.tolist()}
        bill = expected(name, n, d, *blocks, n_k=n_k, **mask)
        if bill["flops"] or name != "flash2_backward":  # no tile, and δ stays unstored
            assert found == bill


@pytest.mark.parametrize("passes", ["forward", "backward"])
def test_the_loops_over_lists(passes):
    """The listing of the page on block-sparse attention moves what the ledger says."""
    rng = random.Random(5)
    for _ in range(40):
        rows, columns, size, d = (rng.randint(1, 5) for _ in range(4))
        tiles = torch.rand(rows, columns, generator=rng_of(rng)) < rng.random()
        n, n_k = rows * size, columns * size
        more = "qq" if passes == "backward" else ""
        given = tensors("qkk" + more, 0, n, n_k, d)
        if passes == "backward":
            given.append(torch.zeros(n, 1))
        found = counted(getattr(block_sparse_lists, passes), given, tiles, size)
        mask = {"n_k": n_k, "block_mask": tiles.tolist()}
        bill = expected(f"flash2_{passes}", n, d, size, size, **mask)
        if bill["flops"] or passes == "forward":  # no tile, and δ stays unstored
            assert found == bill


def rng_of(rng):
    return torch.Generator().manual_seed(rng.randint(0, 999))


@pytest.mark.parametrize("causal", CAUSALS)
def test_standard_attention_computes_everything(causal):
    for n, n_k, d, _ in sizes():
        q, k, v, do = tensors("qkkq", 0, n, n_k, d)
        found = counted(standard_forward, (q, k, v), causal=causal)
        assert found == expected("standard_forward", n, d, n_k=n_k, causal=causal)
        _, p = standard_forward(q, k, v, causal=causal)
        found = counted(standard_backward, (q, k, v, p, do))
        assert found == expected("standard_backward", n, d, n_k=n_k, causal=causal)


@pytest.mark.parametrize("name", TILED)
def test_a_layer_is_as_many_heads(name):
    function, rows, vectors = TILED[name]
    for n, n_k, d, blocks in sizes(10):
        given = tensors(rows, vectors, n, n_k, d, heads=(2, 3))
        found = counted(function, given, *blocks, causal=True)
        one = expected(name, n, d, *blocks, n_k=n_k, causal=True)
        assert found == {x: 2 * 3 * one[x] for x in one}


@pytest.mark.parametrize("name", TILED)
def test_heads_that_share_a_load_are_rows_of_one_head(name):
    """Grouped heads in this code: K_j and V_j come once for the g heads of a group."""
    function, rows, vectors = TILED[name]
    for n, n_k, d, (block_rows, block_cols) in sizes(10):
        given = tensors(rows, vectors, n, n_k, d, heads=(6,), groups=3)
        found = counted(function, given, block_rows, block_cols)
        one = expected(name, 3 * n, d, 3 * block_rows, block_cols, n_k=n_k)
        assert found == {x: 2 * one[x] for x in one}


def test_the_count_notices_a_load_and_a_store_too_many():
    q, k, rows = torch.randn(7, 3), torch.randn(5, 3), torch.arange(2)
    with Traffic(q, k) as count:
        o, p = torch.zeros_like(q), torch.empty_like(q)  # 21 stores, and none
        for _ in range(2):
            s = q[rows, :] @ k.mT[:, rows]  # 6 and 6 loads; a view is none
            o[rows, :] += s @ k[rows, :]  # 6 and 6 loads, 6 stores
        p[...] = 0  # 21 stores
    assert (count.reads, count.writes) == (2 * 24, 21 + 2 * 6 + 21)
    assert count.flops == 2 * (2 * 2 * 2 * 3 + 2 * 2 * 3 * 2)


def test_whole_matrices_are_read_once_a_kernel_and_stored_when_asked_for():
    a, b = torch.randn(4, 4), torch.randn(4, 4)
    with Traffic(a, b) as count:
        c = 2 * (a @ b)  # reads 32; the number is applied on the way out
        d = (c * a).sum(-1, keepdim=True) * b  # stores c: 16; reads c, a, b: 48
        count.results(c, d)  # d: 16; c is there
    assert (count.reads, count.writes) == (32 + 48, 16 + 16)
