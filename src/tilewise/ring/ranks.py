"""What ranks tell each other: whether their calls fit, and tensors, around a ring."""

import numbers
import os
import struct
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import torch
import torch.distributed as dist
from torch import Tensor

Group: TypeAlias = "dist.ProcessGroup | None"  # not every PyTorch has such
DTYPES = torch.float16, torch.bfloat16, torch.float32, torch.float64


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
            what = f"{(*x.shape,)}" if isinstance(x, torch.Tensor) else type(x)
            return f"{name} must be (batch, heads, N / P, d), not {what}"
        if x.dtype != q.dtype or x.dtype not in DTYPES or x.device != q.device:
            return "q, k and v must be of one float dtype and on one device"
    if k.shape[:-1] != v.shape[:-1] or q.shape[0] != k.shape[0]:
        return f"q, k and v do not fit: {(*q.shape,)}, {(*k.shape,)}, {(*v.shape,)}"
    if q.shape[1] % k.shape[1] or q.shape[-1] != k.shape[-1]:
        return f"q and k do not fit: {(*q.shape,)}, {(*k.shape,)}"
    if scale is not None and not isinstance(scale, numbers.Real):
        return f"scale must be None or a number, not {scale!r}"
    if not isinstance(causal, bool | str) or causal not in (False, "zig-zag"):
        return f"causal must be False or 'zig-zag', the order of shares, not {causal!r}"
    if causal and (q.shape[-2] != k.shape[-2] or q.shape[-2] % 2):
        lengths = f"{q.shape[-2]} and {k.shape[-2]}"
        return f"causal needs as many queries as keys, an even number: {lengths}"
    return None


class Call(NamedTuple):
    """What a rank was called with, as whole numbers; all 0 where it is not valid."""

    valid: int = 0
    batch: int = 0
    heads_of_q: int = 0
    heads_of_k: int = 0
    d: int = 0
    d_of_v: int = 0
    dtype: int = 0  # its place in DTYPES
    causal: int = 0
    scale: int = 0  # the bits of the float
    requires_grad: int = 0
    device: int = 0  # the letters of its type
    N_of_q: int = 0
    N_of_k: int = 0


def call(
    q: Tensor, k: Tensor, v: Tensor, causal: str | bool, scale: float | None
) -> Call:
    """The call of a rank whose tensors fit each other."""
    scale = q.shape[-1] ** -0.5 if scale is None else float(scale)
    graded = torch.is_grad_enabled() and any(x.requires_grad for x in (q, k, v))
    return Call(
        valid=1,
        batch=q.shape[0],
        heads_of_q=q.shape[1],
        heads_of_k=k.shape[1],
        d=q.shape[-1],
        d_of_v=v.shape[-1],
        dtype=DTYPES.index(q.dtype),
        causal=int(bool(causal)),
        scale=struct.unpack("q", struct.pack("d", scale))[0],
        requires_grad=int(graded),
        device=letters(q.device.type),
        N_of_q=q.shape[-2],
        N_of_k=k.shape[-2],
    )


def letters(name: str) -> int:
    """The first seven letters of a name, as one number."""
    return int.from_bytes(name.encode()[:7], "big")


def readable(field: str, number: int) -> object:
    """A number of a call as the caller wrote it."""
    if field == "dtype":
        return DTYPES[number]
    if field == "scale":
        return struct.unpack("d", struct.pack("q", number))[0]
    if field == "device":
        return number.to_bytes(7, "big").lstrip(b"\0").decode()
    return number


def agree(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    causal: str | bool,
    scale: float | None,
    group: Group,
) -> tuple[int, list[int]]:
    """The longest N_q of all ranks, and N_k on each rank.

    Every rank takes part before any raises ValueError, so a mistake on one rank, or a
    difference between two, ends the call on all of them and leaves none waiting. With
    causal the lengths must be the same, without it N_q and N_k may differ by rank.
    """
    wrong = problem(q, k, v, causal, scale)
    mine = Call() if wrong else call(q, k, v, causal, scale)
    numbers = torch.tensor(mine, device=meeting_place(group))  # int64
    gathered = [torch.empty_like(numbers) for _ in range(dist.get_world_size(group))]
    dist.all_gather(gathered, numbers, group=group)
    if wrong:
        raise ValueError(wrong)
    calls = [Call(*row) for row in torch.stack(gathered).tolist()]
    if bad := [rank for rank, theirs in enumerate(calls) if not theirs.valid]:
        raise ValueError(f"ranks {bad} were called with what does not fit")
    for field, values in zip(Call._fields, zip(*calls)):
        if len({*values}) > 1 and (causal or field not in ("N_of_q", "N_of_k")):
            name = field.replace("_of_", " of ")
            by_rank = [readable(field, x) for x in values]
            raise ValueError(f"{name} must be the same on all ranks: {by_rank}")
    return max(theirs.N_of_q for theirs in calls), [theirs.N_of_k for theirs in calls]


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
