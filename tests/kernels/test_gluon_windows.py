"""gluon_windows and its backward pass without a GPU: what rows see, what ptxas makes.

What they compute is for tests/gpu.
"""

import functools
import types

import pytest
import torch

from tilewise.kernels import gluon_windows, gluon_windows_backward
from tilewise.kernels.shared import gluon as _gluon
from tilewise.kernels.shared import gluon_windows as _windows
from tilewise.kernels.shared import work as _work
from tilewise.kernels.shared import work_backward as _backward

from ._child import asked, told

HALF = torch.zeros(1, 4, 20, 64, dtype=torch.float16)
SHARED = 227 * 1024  # bytes that a program may have


def tensors(back, x=HALF, **changes):
    given = dict.fromkeys(("q", "k", "v", "o", "do") if back else ("q", "k", "v"), x)
    row = {"lse": torch.zeros(x.shape[:-1])} if back else {}
    return given | row | changes


BAD = {
    "take fp16 and bf16, not torch.float32": {"x": HALF.float()},
    "takes d up to 128, not 136": {"x": torch.zeros(1, 4, 20, 136).half()},
    "differ in d": {"k": HALF[..., :56]},
    "window must be None or": {"window": 5},
    "sinks must be \\(4,\\)": {"sinks": torch.zeros(5)},
    "are for Hopper GPUs, not for cpu": {"window": (5, 0)},
}


@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize("message", BAD)
def test_bad_input_gets_one_sentence(monkeypatch, message, back):
    if "Hopper" not in message:
        for module in (gluon_windows, gluon_windows_backward):
            monkeypatch.setattr(module, "launch", lambda *_, **__: None)
        if "take" not in message:
            monkeypatch.setattr(_gluon, "available", lambda device: True)
    rung = gluon_windows_backward.backward if back else gluon_windows.forward
    with pytest.raises(ValueError, match=message):
        rung(**tensors(back, **BAD[message]))


class Plain:
    """gl's functions of whole numbers, in Python."""

    minimum, maximum, constexpr = min, max, int

    def cdiv(a, b):
        return -(-a // b)

    def where(condition, a, b):
        return a if condition else b


def methods(me, kind, *names):
    """me with methods of a struct, run as the Python that they are."""
    for name in names:
        setattr(me, name, functools.partial(getattr(kind, name).fn, me))
    return me


CASES = [  # N_q, N_k, low, high
    (700, 700, -300, 0),
    (333, 500, -10, 177),
    (500, 333, -400, -167),
    (129, 1000, 600, 871),
    (300, 40, 100, -260),  # no row sees a key
    (1000, 1000, -2000, 1000),
]


@pytest.mark.parametrize("n_q, n_k, low, high", CASES)
@pytest.mark.parametrize("cols", [64, 128])
def test_every_key_that_a_row_sees_is_in_a_tile(monkeypatch, n_q, n_k, low, high, cols):
    """Brute force: the tiles of 64 rows hold all their keys, and `whole` cuts none."""
    for module in (_work, _windows):
        monkeypatch.setattr(module, "gl", Plain)
    reach = types.SimpleNamespace(n_q=n_q, n_k=n_k, shift=high, rows=128, cols=cols)
    methods(reach, _work.Reach, "tiles_of", "full_tiles")
    me = types.SimpleNamespace(reach=reach, low=low)
    methods(me, _windows.Windows, "begin", "whole")
    for block in range(0, n_q, 128):
        end = reach.tiles_of(block, 128)
        begin = me.begin(block, end)
        for row in (block, block + 64):
            rows = range(row, min(row + 64, n_q))
            own_end = max(reach.tiles_of(row, 64), begin + 1)
            own = me.begin(row, own_end)
            assert 0 <= begin <= own < own_end <= end
            whole, past = me.whole(row)
            for c in range(own * cols - cols, own_end * cols + cols):
                seen = [0 <= c < n_k and r + low <= c <= r + high for r in rows]
                assert not any(seen) or own * cols <= c < own_end * cols
                assert not whole <= c < past or all(seen)


@pytest.mark.parametrize("n_q, n_k, low, high", CASES)
@pytest.mark.parametrize("rows", [64, 128])
def test_every_row_that_sees_a_key_is_on_its_walk(
    monkeypatch, n_q, n_k, low, high, rows
):
    """Brute force, for each block of keys: the walk ends where the window does."""
    monkeypatch.setattr(_backward, "gl", Plain)
    monkeypatch.setattr(_backward, "KEYS", 128)
    monkeypatch.setattr(_backward, "Walk", lambda *x: x)
    cols = -(-n_k // 128)
    work = types.SimpleNamespace(
        first=0, heads=1, n_q=n_q, n_k=n_k, n_pad=n_q, shift=high, cols=cols, units=1,
        crew=1, last=1, group=1, share=1, rows=rows, order=0, width=high - low,
    )  # fmt: skip
    walked = 0
    for number in range(cols):
        col, *_, first, _, tiles, see, left, _, _, _, _, _ = _backward.Work.walk.fn(
            work, number
        )
        walked += tiles
        assert see == first * rows + high - col and left == n_k - 1 - col
        for r in range(n_q):
            keys = range(max(r + low, col), min(r + high, n_k - 1, col + 127) + 1)
            assert not keys or first <= r // rows < first + tiles, (col, r)
    band = min(max(high - low, 0) + 128, n_q) // rows + 2  # tiles of a walk, at most
    assert walked <= band * cols


def test_crews_are_alike_and_fit_in_l2():
    """By the keys that a window has in use: 4 heads of K beside each other, or all."""
    q, k = torch.zeros(1, 1, 1, 1).expand(2, 32, 1, 1), torch.zeros(1, 1, 1, 1).half()
    k = k.expand(2, 8, 2**17, 128)
    assert _windows.crew_of(q, k, 2**17) == 4  # one head of K alone is larger
    assert _windows.crew_of(q, k, 2**14) == 16  # of 64, 4 heads of K each
    assert _windows.crew_of(q, k, 7000) == 32  # not 36 and 28
    assert _windows.crew_of(q, k, 100) == _windows.crew_of(q, k, -5) == 64


JOBS = {  # d, N, keys of the window, whether there are sinks: consumers
    (64, 1024, 128, False): 2,
    (64, 4096, 2048, True): 3,
    (128, 1024, 128, True): 2,
    (128, 1024, 2048, False): 2,
}


@pytest.fixture(scope="module")
def compiled(request):
    keys = [*dict.fromkeys(key for (key,) in asked(request, "key"))] or [*JOBS]
    jobs = []
    for d, n, window, sinks in keys:
        job = {"rung": "gluon_windows", "arch": 90, "d": d, "n": n, "causal": True}
        options = {"window": [window - 1, 0]} | ({"sinks": [4]} if sinks else {})
        jobs.append(job | {"options": options, "overlap": True})
    return dict(zip(keys, told("_compile.py", jobs)))


@pytest.mark.few(1)
@pytest.mark.parametrize("key", JOBS, ids=str)
def test_both_products_are_in_flight(compiled, key):
    """No spills; the maxima run under P V, on every way through the branches."""
    d, _, window, _ = key
    count = compiled[key]["gluon_windows"]
    assert count["spills"] == 0 and count["shared"] <= SHARED, count
    assert "overwritten" not in count and count["mma"] == 0, count
    assert len(count["overlap"]) == JOBS[key], count
    cols = 64 if window <= (256 if d == 128 else 512) else 128
    for loop in count["overlap"]:
        assert loop["started"] == d // 16 + cols // 16, loop
        assert loop["in flight"] == 1 and loop["maxima between"] >= cols * 3 // 2, loop
        assert loop["spills"] == 0, loop


@pytest.fixture(scope="module")
def backward(request):
    dims = [*dict.fromkeys(d for (d,) in asked(request, "d"))] or [64, 128]
    jobs = [{"d": d, "window": [255, 0]} for d in dims]
    return dict(zip(dims, told("_gluon_backward.py", jobs)))


@pytest.mark.few(1)
@pytest.mark.parametrize("d", [64, 128])
def test_the_backward_pass_takes_the_units_of_hopper(backward, d):
    """Two loops over tiles, 32 products each, and all exponentials beneath dPᵀ."""
    found = backward[d]
    count, loops = found.pop("main_kernel"), found.pop("loops")
    for loop in loops:
        beneath = loop[loop.index("wait ≤ 1") : loop.index("wait ≤ 0")]
        assert beneath.count("exp") == loop.count("exp") == 4096 // d, loop
    assert count["spills"] <= 8 and count["registers"] <= 168, count
    assert count["wgmma"] == 64 and count["mma"] == 0 and count["tma"] > 0, count
    assert count["shared"] <= SHARED and "overwritten" not in count, count
    assert found.keys() == {"rows_kernel", "dq_kernel"}, found
    assert all(x["spills"] == 0 for x in found.values()), found
