"""What ranks tell each other, with a network of plain lists in one process.

tests/ring/test_ring.py has the same in processes of their own.
"""

from types import SimpleNamespace

import pytest
import torch

from tilewise.ring import ranks
from tilewise.ring.ranks import DTYPES, agree, call, pass_on, problem, readable, ring_of


def x(*shape, dtype=torch.float32, **how):
    return torch.zeros(*shape or (2, 4, 6, 8), dtype=dtype, **how)


def group(rank=0, world=1, heard=None, **more):
    """A stand-in for torch.distributed, in which this process is one rank of some."""

    def all_gather(rows, mine, group):
        assert group == "the group" and len(rows) == world
        for row, told in zip(rows, heard(mine.tolist())):
            row.copy_(torch.tensor(told))

    def of(value):
        def answer(group):
            assert group == "the group"
            return value

        return answer

    return SimpleNamespace(
        is_available=lambda: True,
        is_initialized=lambda: True,
        all_gather=all_gather,
        get_rank=of(rank),
        get_world_size=of(world),
        get_backend_config=of("cpu:gloo,cuda:nccl"),
        **more,
    )


@pytest.fixture
def dist(monkeypatch):
    """dist(...) puts such a stand-in in place."""
    return lambda *a, **how: monkeypatch.setattr(ranks, "dist", group(*a, **how))


def test_this_ones_place_in_the_ring(dist):
    dist(2, 5)
    assert ring_of("the group") == (2, 5)
    dist(0, 1)
    assert ring_of("the group") == (0, 1)
    dist(-1, 5)
    with pytest.raises(ValueError, match="is not in the group"):
        ring_of("the group")


@pytest.mark.parametrize("missing", ["is_available", "is_initialized"])
def test_one_process_alone_is_a_ring_of_one(dist, monkeypatch, missing):
    dist()
    monkeypatch.setattr(ranks.dist, missing, lambda: False)
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    assert ring_of(None) == (0, 1)
    monkeypatch.setenv("WORLD_SIZE", "1")
    assert ring_of(None) == (0, 1)
    with pytest.raises(RuntimeError, match="WORLD_SIZE is 1, group the group"):
        ring_of("the group")
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(RuntimeError, match="init_process_group .* is 2, group None"):
        ring_of(None)


WRONG = {  # sentence: (q, k, v, causal, scale)
    r"q must be .* not \(4, 6, 8\)": (x(4, 6, 8), x(), x(), False, None),
    "k must be .* not <class 'list'>": (x(), [1], x(), False, None),
    r"v must be .* not \(2, 4, 0, 8\)": (x(), x(), x(2, 4, 0, 8), False, None),
    "one float dtype": (x(), x(dtype=torch.float64), x(), False, None),
    "on one device": (x(), x(), x(device="meta"), False, None),
    "float dtype and": (*[x(dtype=torch.int64)] * 3, False, None),
    r"q, k and v do not fit: \(2, 4, 6, 8\), \(2, 4, 5, 8\), \(2, 4, 6, 8\)": (
        x(),
        x(2, 4, 5, 8),
        x(),
        False,
        None,
    ),
    r"q, k and v do not fit: \(1, .*\), \(2, .*\), \(2, ": (
        x(1, 4, 6, 8),
        x(),
        x(),
        False,
        None,
    ),
    r"q and k do not fit: \(2, 4, 6, 8\), \(2, 3, 6, 8\)": (
        x(),
        x(2, 3, 6, 8),
        x(2, 3, 6, 8),
        False,
        None,
    ),
    r"q and k do not fit: \(2, 4, 6, 8\), \(2, 4, 6, 7\)": (
        x(),
        x(2, 4, 6, 7),
        x(),
        False,
        None,
    ),
    "scale must be None or a number, not '1'": (x(), x(), x(), False, "1"),
    "causal must be False or True, not 'top-left'": (x(), x(), x(), "top-left", None),
    "as many queries as keys, an even number: 6 and 4": (
        x(),
        *[x(2, 4, 4, 8)] * 2,
        True,
        None,
    ),
    "as many queries as keys, an even number: 5 and 5": (
        *[x(2, 4, 5, 8)] * 3,
        True,
        None,
    ),
}


@pytest.mark.parametrize("sentence", WRONG)
def test_what_is_wrong_is_named(dist, sentence):
    """The rank itself raises it, the others say which rank it was."""
    *qkv, causal, scale = WRONG[sentence]
    dist(0, 2, lambda mine: [mine, sound])
    sound = [*call(x(), x(), x(), False, None)]
    with pytest.raises(ValueError, match=sentence):
        agree(*qkv, causal, scale, "the group")
    bad = [0] * 13
    dist(0, 4, lambda mine: [mine, bad, mine, bad])
    with pytest.raises(ValueError, match=r"ranks \[1, 3\] were called with"):
        agree(x(), x(), x(), False, None, "the group")


def test_what_fits_is_no_problem():
    for causal, scale, n_k in ((False, None, 5), (True, 0.5, 6), (False, 2, 6)):
        k = x(2, 2, n_k, 8)
        assert problem(x(), k, x(2, 2, n_k, 3), causal, scale) is None
    assert all(problem(*[x(dtype=t)] * 3, True, None) is None for t in DTYPES)


def test_ranks_agree_on_all_but_their_lengths(dist):
    q, k, v = x(), x(2, 2, 5, 8), x(2, 2, 5, 3)
    same = {"batch": 2, "heads_of_q": 4, "heads_of_k": 2, "d": 8, "d_of_v": 3}
    same |= {"valid": 1, "causal": 0, "N_of_q": 6, "N_of_k": 5}
    told = call(q, k, v, False, None)
    assert same.items() <= told._asdict().items() and len(told) == 13
    assert DTYPES[told.dtype] == torch.float32
    theirs = [*told._replace(N_of_q=9, N_of_k=2)]
    dist(0, 2, lambda mine: [mine, theirs])
    assert agree(q, k, v, False, None, "the group") == (9, [5, 2])


@pytest.mark.parametrize(
    "other",
    [
        {"q": x(3, 4, 6, 8)},
        {"q": x(2, 8, 6, 8)},
        {"k": x(2, 2, 6, 8)},
        {"q": x(2, 4, 6, 4)},
        {"v": x(2, 4, 6, 4)},
        {"q": x(dtype=torch.float64)},
        {"causal": True},
        {"scale": 0.5},
        {"q": x(requires_grad=True)},
        {"v": x(requires_grad=True)},
        {"q": x(device="meta")},
    ],
)
def test_every_difference_is_named(dist, other):
    given = {"q": x(), "k": x(), "v": x(), "causal": False, "scale": 0.25}
    mine, theirs = (call(**(given | more)) for more in ({}, other))
    pairs = zip(mine._fields, mine, theirs)
    (name,) = [field.replace("_of_", " of ") for field, a, b in pairs if a != b]
    dist(0, 2, lambda told: [told, [*theirs]])
    with pytest.raises(ValueError, match=f"^{name} must be the same on all ranks:"):
        agree(*given.values(), "the group")


def test_lengths_differ_only_without_causal(dist):
    theirs = [*call(x(), x(), x(), True, None)]
    dist(0, 2, lambda mine: [mine, theirs])
    short = x(2, 4, 4, 8)
    with pytest.raises(ValueError, match=r"N of q .* all ranks: \[4, 6\]"):
        agree(short, short, short, True, None, "the group")


def test_a_dtype_and_a_scale_are_told_as_they_are():
    with torch.no_grad():
        assert call(x(requires_grad=True), x(), x(), False, 1).requires_grad == 0
    assert call(x(), x(requires_grad=True), x(), False, 1).requires_grad == 1
    default, same = (call(x(), x(), x(), False, s) for s in (None, 8**-0.5))
    assert default == same != call(x(), x(), x(), False, 8**-0.5 + 1e-16)
    whole = call(x(), x(), x(), False, 1), call(x(), x(), x(), False, 1.0)
    assert whole[0] == whole[1]
    assert readable("scale", default.scale) == 8**-0.5


@pytest.mark.parametrize("device", ["cpu", "meta", "cuda", "xpu"])
def test_devices_of_equally_long_names_differ(device):
    """A device is told by its name, not by the number of its letters."""
    tensor = SimpleNamespace(
        device=SimpleNamespace(type=device),
        shape=(2, 4, 6, 8),
        dtype=torch.float32,
        requires_grad=False,
    )
    number = call(tensor, tensor, tensor, False, None).device
    assert readable("device", number) == device and number < 2**63


@pytest.mark.parametrize("world", [1, 2, 3, 4])
def test_each_rank_receives_what_the_one_before_sent(monkeypatch, world):
    """Every rank posts its messages; they are delivered; then all wait."""
    posted, waits, done = {}, [], []

    def batch(ops):
        posted[len(posted)] = ops
        return [SimpleNamespace(wait=lambda: done.append(1)) for _ in ops]

    def message(op, tensor, group, group_peer):
        assert group == "the group" and tensor.is_contiguous()
        return op, tensor, group_peer

    mine = [torch.arange(6).reshape(2, 3).mT + 10 * rank for rank in range(world)]
    for rank in range(world):
        fake = group(
            rank,
            world,
            isend="send",
            irecv="receive",
            P2POp=message,
            batch_isend_irecv=batch,
        )
        monkeypatch.setattr(ranks, "dist", fake)
        sent = [mine[rank], torch.full((rank + 1,), rank)]
        before = (rank - 1) % world
        waits.append(pass_on(sent, [(3, 2), (before + 1,)], "the group"))
    for rank, ops in posted.items():
        for op, tensor, peer in ops:
            if op == "receive":
                mail = [t for o, t, to in posted[peer] if (o, to) == ("send", rank)]
                tensor.copy_(next(t for t in mail if t.shape == tensor.shape))
    for rank, wait in enumerate(waits):
        before, ended = (rank - 1) % world, len(done)
        first, second = wait()
        assert torch.equal(first, mine[before]) and len(done) == ended + 4
        assert second.tolist() == [before] * (before + 1)


def test_the_cpu_is_where_numbers_meet_if_the_group_can(dist, monkeypatch):
    dist()
    assert ranks.meeting_place("the group") == torch.device("cpu")
    monkeypatch.setattr(ranks.dist, "get_backend_config", lambda group: "cuda:nccl")
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda: "a GPU")
    assert ranks.meeting_place("the group") == "a GPU"
