"""What ranks tell each other, with a network of plain lists in one process."""

from types import SimpleNamespace

import pytest
import torch

from tilewise.ring import ranks
from tilewise.ring.ranks import DTYPES, agree, call, pass_on, problem, ring_of


def x(*shape, dtype=torch.float32, **how):
    return torch.zeros(*shape or (2, 4, 6, 8), dtype=dtype, **how)


def group(rank=0, world=1, heard=None, **more):
    """A stand-in for torch.distributed, in which this process is one rank of some."""

    def all_gather(rows, mine, group):
        assert group == "the group" and len(rows) == world
        for row, told in zip(rows, heard(mine.tolist())):
            row.copy_(torch.tensor(told))

    def of(value):
        return lambda group: {"the group": value}[group]

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
    for place in ((2, 5), (0, 1)):
        dist(*place)
        assert ring_of("the group") == place
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


CALL, ZIG = {"q": x(), "k": x(), "v": x(), "causal": False, "scale": None}, "zig-zag"


def each(tensor, **more):
    return dict.fromkeys("qkv", tensor) | more


WRONG = {  # sentence: what differs from CALL
    r"q must be .* not \(4, 6, 8\)": {"q": x(4, 6, 8)},
    "k must be .* not <class 'list'>": {"k": [1]},
    r"v must be .* not \(2, 4, 0, 8\)": {"v": x(2, 4, 0, 8)},
    "one float dtype": {"k": x(dtype=torch.float64)},
    "on one device": {"k": x(device="meta")},
    "float dtype and": each(x(dtype=torch.int64)),
    r"q, k and v do not fit: \(2, 4, 6, 8\), \(2, 4, 5, 8\), \(2, 4, 6, 8\)": {
        "k": x(2, 4, 5, 8)
    },
    r"q, k and v do not fit: \(1, .*\), \(2, .*\), \(2, ": {"q": x(1, 4, 6, 8)},
    r"q and k do not fit: \(2, 4, 6, 8\), \(2, 3, 6, 8\)": each(x(2, 3, 6, 8), q=x()),
    r"q and k do not fit: \(2, 4, 6, 8\), \(2, 4, 6, 7\)": {"k": x(2, 4, 6, 7)},
    "scale must be None or a number, not '1'": {"scale": "1"},
    "False or 'zig-zag', .* not True": {"causal": True},
    "queries as keys, an even number: 6 and 4": each(x(2, 4, 4, 8), q=x(), causal=ZIG),
    "queries as keys, an even number: 5 and 5": each(x(2, 4, 5, 8), causal=ZIG),
}


@pytest.mark.parametrize("sentence", WRONG)
def test_what_is_wrong_is_named(dist, sentence):
    """The rank itself raises it, the others say which rank it was."""
    dist(0, 2, lambda mine: [mine, [*call(**CALL)]])
    with pytest.raises(ValueError, match=sentence):
        agree(*(CALL | WRONG[sentence]).values(), "the group")
    dist(0, 4, lambda mine: [mine, [0] * 13, mine, [0] * 13])
    with pytest.raises(ValueError, match=r"ranks \[1, 3\] were called with"):
        agree(*CALL.values(), "the group")


def test_what_fits_is_no_problem():
    for causal, scale, n_k in ((False, None, 5), (ZIG, 0.5, 6), (False, 2, 6)):
        k = x(2, 2, n_k, 8)
        assert problem(x(), k, x(2, 2, n_k, 3), causal, scale) is None
    assert all(problem(*[x(dtype=t)] * 3, False, None) is None for t in DTYPES)


def test_ranks_agree_on_all_but_lengths_and_with_a_mask_on_all(dist):
    q, k, v = x(), x(2, 2, 5, 8), x(2, 2, 5, 3)
    same = {"batch": 2, "heads_of_q": 4, "heads_of_k": 2, "d": 8, "d_of_v": 3}
    same |= {"valid": 1, "causal": 0, "N_of_q": 6, "N_of_k": 5}
    told = call(q, k, v, False, None)
    assert same.items() <= told._asdict().items() and len(told) == 13
    assert DTYPES[told.dtype] == torch.float32
    theirs = [*told._replace(N_of_q=9, N_of_k=2)]
    dist(0, 2, lambda mine: [mine, theirs])
    assert agree(q, k, v, False, None, "the group") == (9, [5, 2])
    masked = [*call(x(), x(), x(), ZIG, None)]
    dist(0, 2, lambda mine: [mine, masked])
    with pytest.raises(ValueError, match=r"N of q .* all ranks: \[4, 6\]"):
        agree(*[x(2, 4, 4, 8)] * 3, ZIG, None, "the group")


@pytest.mark.parametrize(
    "other",
    [
        *({"q": x(*shape)} for shape in ((3, 4, 6, 8), (2, 8, 6, 8), (2, 4, 6, 4))),
        *({"k": x(2, 2, 6, 8)}, {"v": x(2, 4, 6, 4)}, {"causal": ZIG}, {"scale": 0.5}),
        *({name: x(requires_grad=True)} for name in "qv"),
        *({"q": x(dtype=torch.float64)}, {"q": x(device="meta")}),
    ],
)
def test_every_difference_is_named(dist, other):
    ours = CALL | {"scale": 0.25}
    mine, theirs = call(**ours), call(**(ours | other))
    pairs = zip(mine._fields, mine, theirs)
    (name,) = [field.replace("_of_", " of ") for field, a, b in pairs if a != b]
    dist(0, 2, lambda told: [told, [*theirs]])
    with pytest.raises(ValueError, match=f"^{name} must be the same on all ranks:"):
        agree(*ours.values(), "the group")


def test_a_dtype_and_a_scale_are_told_as_they_are():
    with torch.no_grad():
        assert call(x(requires_grad=True), x(), x(), False, 1).requires_grad == 0
    assert call(x(), x(requires_grad=True), x(), False, 1).requires_grad == 1
    default, same = (call(x(), x(), x(), False, s) for s in (None, 8**-0.5))
    assert default == same != call(x(), x(), x(), False, 8**-0.5 + 1e-16)
    assert call(x(), x(), x(), False, 1) == call(x(), x(), x(), False, 1.0)
    assert ranks.readable("scale", default.scale) == 8**-0.5
    assert ranks.readable("device", ranks.letters("xpu")) == "xpu"


def deliver(posted):
    """Every message of {rank: its messages} reaches the one that waits for it."""
    for rank, ops in posted.items():
        for _, tensor, peer in (x for x in ops if x[0] == "receive"):
            mail = [t for op, t, to in posted[peer] if (op, to) == ("send", rank)]
            assert all(t.is_contiguous() for t in [tensor, *mail])
            tensor.copy_(next(t for t in mail if t.shape == tensor.shape))


@pytest.mark.parametrize("world", [1, 2, 3, 4])
def test_each_rank_receives_what_the_one_before_sent(dist, world):
    """Every rank posts its messages; they are delivered; then all wait."""
    posted, waits, done = {}, [], []

    def batch(ops):
        posted[len(posted)] = ops
        return [SimpleNamespace(wait=lambda: done.append(1)) for _ in ops]

    def message(op, tensor, group, group_peer):
        return op, tensor, {"the group": group_peer}[group]

    calls = {"isend": "send", "irecv": "receive", "P2POp": message}
    mine = [torch.arange(6).reshape(2, 3).mT + 10 * rank for rank in range(world)]
    for rank in range(world):
        dist(rank, world, **calls, batch_isend_irecv=batch)
        sent = [mine[rank], torch.full((rank + 1,), rank)]
        before = (rank - 1) % world
        waits.append(pass_on(sent, [(3, 2), (before + 1,)], "the group"))
    deliver(posted)
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
