"""A rung called again: its launches once more, on other addresses, without its Python.

What a rung allocates and launches follows from the shapes, strides and dtypes of its
tensors, not from where they lie or what they hold. So the second call of a kind is
watched, and later ones only allocate, write the copy engine's maps and launch: 40 µs
of the host's time become 16. A CUDA graph does the same with addresses that stay.
"""

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from triton import knobs

from tilewise.kernels._launch import Descriptor, Direct, watch

PLANS = {}  # kind of a call → None: seen once; False: no two are alike; or a Plan
MOST = 1024  # kinds of calls to remember, and maps of a tensor
aten = torch.ops.aten
EMPTY = (
    aten.empty, aten.empty_like, aten.empty_strided, aten.new_empty,
    aten.new_empty_strided,
)  # fmt: skip


def replay(rung, tensors, causal, scale, dlse=None):
    """rung(*tensors, …), and from the third call of a kind on its replay.

    All that the rung does on the GPU it does by `launch`, and its results are tensors
    that it allocates. dlse is not passed on if it is None.
    """
    given = tensors if dlse is None else [*tensors, dlse]
    kinds = [(x.shape, x.stride(), x.dtype, x.device, x.data_ptr() % 16) for x in given]
    key = rung, causal, scale, dlse is None, *kinds
    plan = PLANS.get(key, "new")
    if plan.__class__ is Plan and not knobs.runtime.launch_enter_hook.calls:
        return plan(given)
    options = {"causal": causal, "scale": scale}
    options |= {} if dlse is None else {"dlse": dlse}
    if plan == "new":
        if len(PLANS) >= MOST:
            PLANS.clear()
        PLANS[key] = None
    elif plan is None and len({x.data_ptr() for x in given}) == len(given):
        with Watched() as seen:
            results = rung(*tensors, **options)
        PLANS[key] = seen.plan(given, results)
        return results
    return rung(*tensors, **options)


class Watched(TorchDispatchMode):
    """Notes what is allocated and launched, and whether PyTorch computes anything."""

    def __enter__(self):
        self.made, self.computed, watch.launches = [], False, []
        return super().__enter__()

    def __exit__(self, *error):
        self.launches, watch.launches = watch.launches, None
        return super().__exit__(*error)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        if func.overloadpacket in EMPTY:
            self.made.append(out)
        elif not func.is_view:
            self.computed = True
        return out

    def plan(self, given, results):
        """How to do the same again, or False if that cannot be told from outside."""
        if self.computed or not all(type(run) is Direct for run, *_ in self.launches):
            return False
        places = {x.data_ptr(): i for i, x in enumerate(given)}
        fresh = {
            x.untyped_storage().data_ptr(): (len(given) + i, x.data_ptr())
            for i, x in enumerate(self.made)
        }

        def find(x):
            """Which tensor x lies in, and how many bytes after its beginning."""
            if x.data_ptr() in places:
                return places[x.data_ptr()], 0
            i, start = fresh[x.untyped_storage().data_ptr()]
            return i, x.data_ptr() - start

        try:
            launches = [template(*launch, find) for launch in self.launches]
            whole = [find(x)[0] for x in results]
        except KeyError:  # a part of an input, or a tensor from elsewhere
            return False
        rooms = [(x.shape, x.stride(), x.dtype, x.device) for x in self.made]
        made = [None] * len(given) + self.made
        same = [
            made[i] is not None
            and (x.shape, x.stride()) == (made[i].shape, made[i].stride())
            for i, x in zip(whole, results)
        ]
        return all(same) and Plan(given[0].get_device(), rooms, launches, whole)


def template(run, grid, args, find):
    """A launch with gaps: run, grid, flat arguments, [(place, tensor, offset, …)].

    A descriptor's gap has the rest of its map, and the maps by address: allocators hand
    out the same addresses again and again.
    """
    flat, gaps, maps = [], [], iter(run.maps)
    for x in args:
        if type(x) is Descriptor:
            tile = *next(maps), x.shape, x.strides, 0
            gaps.append((len(flat), *find(x.base), tile, {}))
            flat += 0, *x.shape, *x.strides
        elif isinstance(x, torch.Tensor):
            gaps.append((len(flat), *find(x), None, None))
            flat.append(0)
        else:
            flat.append(x)
    return run, grid, flat, gaps


class Plan:
    """A call of a rung with gaps for the addresses of its tensors."""

    def __init__(self, device, rooms, launches, results):
        self.device, self.rooms = device, rooms
        self.launches, self.results = launches, results

    def __call__(self, given):
        made = [
            torch.empty_strided(shape, stride, dtype=dtype, device=device)
            for shape, stride, dtype, device in self.rooms
        ]
        tensors = [*given, *made]
        start = [x.data_ptr() for x in tensors]
        for run, grid, flat, gaps in self.launches:
            flat = flat.copy()
            for place, i, offset, tile, maps in gaps:
                at = x = start[i] + offset
                if tile is not None and (x := maps.get(at)) is None:
                    if len(maps) >= MOST:
                        maps.clear()
                    x = maps[at] = run.fill(at, *tile)
                flat[place] = x
            run.launch(grid, self.device, flat)
        return [tensors[i] for i in self.results]
