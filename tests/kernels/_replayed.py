"""A rung, its input, and a launcher that records: for the tests of the replay."""

from types import SimpleNamespace

import torch
from triton.runtime import driver

from tilewise.kernels.host import launch as _launch
from tilewise.kernels.host import replay as _replay
from tilewise.kernels.host.launch import Descriptor, Direct, launch

BOTH = {"causal": False, "scale": 1.0}
TILE = 3, 2, 10, [1, 1, 16, 16]


class Kernel:
    """What launch takes for a kernel that is to be compiled."""

    params = ()

    def __getitem__(self, grid):
        return lambda *args, **options: None


KERNELS = Kernel(), Kernel()


def record_with(monkeypatch):
    """A list of what will reach the launcher, maps as tuples with the address."""
    calls, utils = [], SimpleNamespace(fill_tma_descriptor=lambda *x: ("map", *x))
    active = SimpleNamespace(
        utils=utils, get_current_device=lambda: 0, get_current_stream=lambda device: 7
    )
    monkeypatch.setattr(driver, "_active", active)
    monkeypatch.setattr(torch.cuda, "mem_get_info", tuple)  # there is no card

    def direct(maps):
        return Direct(lambda *args: calls.append(args), False, (1, 2), maps)

    compiled = {(KERNELS[0], "a"): direct([TILE, TILE]), (KERNELS[1], "b"): direct([])}
    monkeypatch.setattr(_launch, "COMPILED", compiled)
    monkeypatch.setattr(_replay, "SEEN", {})
    monkeypatch.setattr(_replay, "PLANS", {})
    monkeypatch.setattr(_replay, "READY", {})
    return calls


def rung(q, k, *, dlse=None, scale=1.0, causal=False):
    """Like a rung: results like the input, room of its own, two kernels, views."""
    o, room = torch.empty_like(q), q.new_empty(2, 64, dtype=torch.float32)
    one, two = room.unbind()
    tiles = [Descriptor(x, (*x.stride()[:-1], 1), TILE[3]) for x in (q, o)]
    launch(KERNELS[0], "a", (len(k), 1, 1), *tiles, one, scale, None, causal)
    launch(KERNELS[1], "b", (4, 1, 1), k, two.view(8, 8), o, dlse, k.shape[2])
    return o, room


def named(calls, given, results):
    """The calls with names for addresses: input 0, result 1 + 256 bytes."""
    starts = [(f"input {i}", x) for i, x in enumerate(given)]
    starts += [(f"result {i}", x) for i, x in enumerate(results)]

    def name(x):
        if isinstance(x, tuple | list):
            return [name(y) for y in x]
        at = x.data_ptr() if isinstance(x, torch.Tensor) else x
        for title, y in starts:
            start, size = y.data_ptr(), y.untyped_storage().nbytes()
            if isinstance(at, int) and start <= at < start + size:
                return title, at - start
        return x

    return [name(call) for call in calls]


def inputs(turned=False, n=24):
    q, k = torch.empty(2, 3, 24, 16), torch.empty(2, n, 3, 16)
    return (q.mT.contiguous().mT if turned else q), k.transpose(1, 2)
