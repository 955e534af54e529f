"""Ring attention over 2 and 4 processes on the CPU, against one process."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch.testing import assert_close

from tilewise.attention.ops import flash_attention
from tilewise.ledger import ring as ledger_ring
from tilewise.ring.ops import ring_attention
from tilewise.ring.zigzag import unzigzag

from .._oracle import assert_as_good, attend, with_gradients
from ._ring import CASES, D_V, HEADS, KV_HEADS, WORLDS, D, draw

TINY = {"rtol": 0, "atol": 1e-12}


def processes(module, folder):
    """{world: what each rank found}; all processes of a module run once."""
    start = Path(__file__).with_name("_ring_start.py")
    line = [sys.executable, "-W", "error", start, module, folder, *map(str, WORLDS)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    return {
        world: [torch.load(folder / f"{world}/{rank}.pt") for rank in range(world)]
        for world in WORLDS
    }


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return processes("_ring", tmp_path_factory.mktemp("ring"))


def whole(shares, name):
    """The five results of a case from those of all ranks."""
    join = unzigzag if CASES[name][1] else torch.cat
    return [join(x, dim=2) for x in zip(*shares, strict=True)]


def truth(name, world, dtype=torch.float64):
    """(o, lse, dq, dk, dv) by autograd through plain attention, in one process."""
    *given, dlse = draw(name, world)[0]
    q, k, v, do = (x.to(dtype) for x in given)
    options = {"causal": CASES[name][1], "scale": CASES[name][5]}
    out = with_gradients(
        lambda *x: attend(*x, **options), (q, k, v), (do, dlse.to(dtype))
    )
    return [x.double() for x in out]


def right(shares, name):
    """As good as plain PyTorch in one process; in float64 no error to speak of."""
    wide, world, made = CASES[name][0] == "float64", len(shares), whole(shares, name)
    exact = truth(name, world)
    usual = exact if wide else truth(name, world, made[0].dtype)
    assert made[1].dtype == torch.promote_types(made[0].dtype, torch.float32)
    assert_as_good(made, exact, usual, [1] * 5, eps=1e-13 if wide else None)


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("name", CASES)
def test_all_ranks_together_equal_one_process(found, world, name):
    right([rank[name] for rank in found[world]], name)


@pytest.mark.parametrize("world", WORLDS)
def test_the_same_bits_every_time(found, world):
    for rank in found[world]:
        assert_close(rank["again"], rank["causal-16"], rtol=0, atol=0)


@pytest.mark.parametrize("world", WORLDS)
def test_the_order_of_merging_does_not_matter(found, world):
    for rank in found[world]:
        for other in rank["moved"][1:]:
            assert_close(other, rank["moved"][0], **TINY)


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("name, size", [("causal", 8), ("causal-16", 2)])
def test_bytes_are_those_of_the_ledger(found, world, name, size):
    """Every message of a rank, forward and backward, was counted as it was sent."""
    n = CASES[name][2] * world
    form = {"n": n, "world": world, "kv_heads": KV_HEADS * 2, "size": size}

    def mean(f, **more):  # d = 8 and d_v = 6: half of K and V each; 2 is the batch
        return (f(d=D, **form, **more) + f(d=D_V, **form, **more)) // 2

    step = mean(ledger_ring.step_bytes)
    back = mean(ledger_ring.step_bytes, backward=True) - step
    for rank in found[world]:
        sent = rank[f"observed {name}"]["sent"]
        ahead, after = sent[: world - 1], sent[world - 1 :]
        assert ahead == [step] * (world - 1)
        assert after == [step, back] * (world - 1) + [back]
        for d, counts in ((D, D_V), (D_V, D)):
            parts = [ledger_ring.ring_bytes(d=x, **form) for x in (d, counts)]
            for way, counted in (("forward", ahead), ("backward", after)):
                assert sum(counted) == sum(p[way] for p in parts) // 2


@pytest.mark.parametrize("world", WORLDS)
def test_zigzag_gives_every_rank_the_same_work_at_every_step(found, world):
    share = CASES["causal"][2]
    for rank in found[world]:
        met = rank["observed causal"]["met"]
        for step, (n_q, n_k, mask) in enumerate(met):
            seen = share * (share + 1) // 2 if mask else n_q * n_k
            assert seen == ledger_ring.scores(share * world, world, step, True)
        assert [mask for *_, mask in met] == [True] + [False] * (world - 1)
    total = sum(ledger_ring.scores(share * world, world, t, True) for t in range(world))
    n = share * world
    assert world * total == n * (n + 1) // 2  # every pair once


@pytest.mark.parametrize("world", WORLDS)
def test_a_rank_keeps_its_share_and_nothing_of_the_others(found, world):
    for rank, results in enumerate(found[world]):
        n_q, n_k = CASES["uneven"][2], CASES["uneven"][3] + 2 * rank
        q, k = 2 * HEADS * n_q, 2 * KV_HEADS * n_k
        expected = [q * D, k * D, k * D_V, q * D_V, q]  # q, k, v, o, L
        assert results["observed uneven"]["kept"] == expected


@pytest.mark.parametrize("world", WORLDS)
def test_groups_of_ranks(found, world):
    expected = truth("causal", 2)[0]
    for pair in range(world // 2):
        shares = [found[world][2 * pair + n]["pairs"] for n in (0, 1)]
        assert_close(unzigzag(shares), (1 + pair) * expected, **TINY)


REASONS = {
    "lengths": "N of q must be the same on all ranks: \\[4, 6",
    "odd": "causal needs as many queries as keys, an even number: 3 and 3",
    "heads": "heads of q must be the same",
    "dtype": "dtype must be the same on all ranks: \\[torch.float32, torch.float64",
    "causal": "causal must be the same",
    "scale": "scale must be the same",
    "grad": "requires_grad must be the same",
    "list": "q must be \\(batch, heads, N / P, d\\), not <class 'list'>",
    "top-left": "causal must be False or 'zig-zag', .* not 'top-left'",
    "some order": "causal must be False or 'zig-zag', .* not True",
}


@pytest.mark.parametrize("world", WORLDS)
def test_what_does_not_fit_is_said_on_all_ranks(found, world):
    for rank, results in enumerate(found[world]):
        told = results["refused"]
        for name, sentence in REASONS.items():
            with pytest.raises(ValueError, match=sentence):
                raise ValueError(told[name])
        own = ("own", "q must be .* not"), ("scale of one", "scale must be None or a")
        for name, sentence in own:
            sentence = sentence if rank == 1 else r"ranks \[1\] were called with"
            with pytest.raises(ValueError, match=sentence):
                raise ValueError(told[name])
        assert "can be differentiated once" in told["twice"]


@pytest.mark.parametrize("world", WORLDS)
def test_a_rank_alone_does_not_wait_for_ever(found, world):
    assert found[world][0]["alone"]
    assert not any(rank["alone"] for rank in found[world][1:])


def test_without_a_group_it_is_flash_attention(monkeypatch):
    q, k, v, *_ = draw("causal", 2)[0]
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    found = ring_attention(q, k, v, causal="zig-zag", scale=0.3, return_lse=True)
    expected = flash_attention(q, k, v, causal=True, scale=0.3, return_lse=True)
    assert_close(found, expected, rtol=0, atol=0)
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(RuntimeError, match="init_process_group .* WORLD_SIZE is 2"):
        ring_attention(q, k, v)
