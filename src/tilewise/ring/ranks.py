"""What ranks tell each other: whether their calls fit, and tensors, around a ring."""

import numbers
import os
import struct
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import torch
import torch.distributed as dist
from torch import Tensor

Group: TypeAlias = "dist.ProcessGroup | None"  # not every PyTorch has such
DTYPES = torch.float16, torch.bfloat16, torch.float32, torch.float64
ANYWHERE = "valid", "N of q", "N of k"  # may differ from rank to rank


def ring_of(group: Group) -> tuple[int, int]:
    """(rank, world) in a process group, or (0, 1) where there is none.

    Raises ValueError for a process outside the group, RuntimeError where a launcher has
    started several processes and none of them has called init_process_group: each would
    take its share for the whole sequence.
    """
    if not (dist.is_available() and dist.is_initialized()):
        started = int(os.environ.get("WORLD_SIZE", 1))
        if group is not None or started > 1:
            raise RuntimeError(
                "torch.distributed.init_process_group must be called before "
                f"ring_attention: WORLD_SIZE is {started}, group {group}"
            )
        return 0, 1
    rank = dist.get_rank(group)
    if rank < 0:
        raise ValueError("this process is not in the group given to ring_attention")
    return rank, dist.get_world_size(group)


def problem(q: Any, k: Any, v: Any, causal: object, scale: object) -> str | None:
    """What is wrong with this rank's own tensors, in a sentence, or None."""
    for name, x in (("q", q), ("k", k), ("v", v)):
        if not isinstance(x, torch.Tensor) or x.ndim != 4 or 0 in x.shape:
            found = f"{(*x.shape,)}" if isinstance(x, torch.Tensor) else type(x)
            return f"{name} must be (batch, heads, N / P, d), not {found}"
        if x.dtype != q.dtype or x.dtype not in DTYPES or x.device != q.device:
            return "q, k and v must be of one float dtype and on one device"
    if k.shape[:-1] != v.shape[:-1] or q.shape[0] != k.shape[0]:
        return f"q, k and v do not fit: {(*q.shape,)}, {(*k.shape,)}, {(*v.shape,)}"
    if q.shape[1] % k.shape[1] or q.shape[-1] != k.shape[-1]:
        return f"q and k do not fit: {(*q.shape,)}, {(*k.shape,)}"
    if scale is not None and not isinstance(scale, numbers.Real):
        return f"scale must be None or a number, not {scale!r}"
    if causal not in (False, True):
        return f"causal must be False or True, not {causal!r}"
    if causal and (q.shape[-2] != k.shape[-2] or q.shape[-2] % 2):
        lengths = f"{q.shape[-2]} and {k.shape[-2]}"
        return f"causal needs as many queries as keys, an even number: {lengths}"
    return None


def call(
    q: Tensor, k: Tensor, v: Tensor, causal: bool, scale: float | None
) -> dict[str, int]:
    """{what must be the same on all ranks: a whole number}, of a call that is valid."""
    scale = q.shape[-1] ** -0.5 if scale is None else float(scale)
    graded = torch.is_grad_enabled() and any(x.requires_grad for x in (q, k, v))
    return {
        "valid": 1,
        "batch": q.shape[0],
        "heads of q": q.shape[1],
        "heads of k": k.shape[1],
        "d": q.shape[-1],
        "d of v": v.shape[-1],
        "dtype": DTYPES.index(q.dtype),
        "causal": int(causal),
        "scale": struct.unpack("q", struct.pack("d", scale))[0],
        "requires_grad": int(graded),
        "device": len(q.device.type),
        "N of q": q.shape[-2],
        "N of k": k.shape[-2],
    }


def agree(
    q: Tensor, k: Tensor, v: Tensor, causal: bool, scale: float | None, group: Group
) -> tuple[int, list[int]]:
    """The longest N_q, and N_k on each rank, after all have said what they were given.

    Every rank takes part before any raises ValueError, so a mistake on one rank, or a
    difference between two, ends the call on all of them and leaves none waiting. With
    causal the lengths must be the same, without it N_q and N_k may differ by rank.
    """
    wrong = problem(q, k, v, causal, scale)
    mine = dict.fromkeys(range(13), 0) if wrong else call(q, k, v, causal, scale)
    told = torch.tensor([*mine.values()], device=meeting_place(group))  # int64, (13)
    heard = [torch.empty_like(told) for _ in range(dist.get_world_size(group))]
    dist.all_gather(heard, told, group=group)
    if wrong:
        raise ValueError(wrong)
    calls = torch.stack(heard).tolist()
    if bad := [rank for rank, (valid, *_) in enumerate(calls) if not valid]:
        raise ValueError(f"ranks {bad} were called with what does not fit")
    for name, found in zip(mine, zip(*calls)):
        if len({*found}) > 1 and (causal or name not in ANYWHERE):
            shown = [DTYPES[x] if name == "dtype" else x for x in found]
            raise ValueError(f"{name} must be the same on all ranks: {shown}")
    return max(row[-2] for row in calls), [row[-1] for row in calls]


def meeting_place(group: Group) -> torch.device | None:
    """The device for a few numbers: the CPU if the group can, so no GPU is waited for.

    init_process_group() without a backend, or with "cpu:gloo,cuda:nccl", can.
    """
    if "cpu:gloo" in dist.get_backend_config(group):
        return torch.device("cpu")
    return torch.accelerator.current_accelerator()


def pass_on(
    tensors: Sequence[Tensor], shapes: Sequence[Sequence[int]], group: Group
) -> Callable[[], list[Tensor]]:
    """Start to send tensors to the next rank, and to receive from the one before.

    Returns wait: a call of it gives the new tensors, of the shapes given, once they
    hold what was sent; on a GPU the current stream waits and not the host. Until then
    leave what is sent alone. What one rank sends another arrives in the order sent.
    """
    rank, world = dist.get_rank(group), dist.get_world_size(group)
    after, before = (rank + 1) % world, (rank - 1) % world
    tensors = [x.contiguous() for x in tensors]
    received = [x.new_empty(shape) for x, shape in zip(tensors, shapes)]
    todo = [dist.P2POp(dist.isend, x, group=group, group_peer=after) for x in tensors]
    todo += [
        dist.P2POp(dist.irecv, x, group=group, group_peer=before) for x in received
    ]
    works = dist.batch_isend_irecv(todo)  # one NCCL group: no order can deadlock

    def wait(sent: Sequence[Tensor] = tensors) -> list[Tensor]:  # sent is on its way
        for work in works:
            work.wait()
        return received

    return wait
