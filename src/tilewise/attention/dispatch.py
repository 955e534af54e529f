"""Which kernels compute an attention: a small table, measured once and not at run time.

What no row covers takes the passes of `tilewise.flash2`, tiled as well, in PyTorch:
other devices, a mask given as a tensor, dropout, fp64, a d above 256 or not a multiple
of 8, values of another d.
"""

import functools
import importlib
import warnings
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import torch
from torch import Tensor

from tilewise.types import Causal

Capability = tuple[int, int]  # of a card: major, minor

HALF = torch.float16, torch.bfloat16
TABLE = (  # compute capability from, to; dtypes; largest d; forward, backward
    ((9, 0), (9, 9), HALF, 128, "gluon_forward", "gluon_backward"),
    ((9, 0), (10, 9), HALF, 256, "descriptors", "backward_descriptors"),
    ((8, 0), (99, 9), HALF, 128, "causal", "backward_split"),
    ((8, 0), (8, 0), HALF, 256, "causal", "backward_split"),  # others: too little SRAM
    ((8, 0), (99, 9), (torch.float32,), 256, "causal", "backward_split"),
)
PACKED = (  # the same for packed documents
    ((9, 0), (9, 9), HALF, 128, "gluon_varlen", "gluon_varlen_backward"),
    ((9, 0), (10, 9), HALF, 256, "varlen", "varlen_backward"),
    ((8, 0), (99, 9), HALF, 128, "varlen", "varlen_backward"),
    ((8, 0), (8, 0), HALF, 256, "varlen", "varlen_backward"),
    ((8, 0), (99, 9), (torch.float32,), 256, "varlen", "varlen_backward"),
)
REPEATS = {  # the same bits every time
    "gluon_backward": "backward_descriptors",
    "gluon_varlen_backward": "varlen_backward",
}

LIGHT = {"gluon_forward", "gluon_backward", "descriptors", "backward_descriptors"}
# What these do on the GPU, they do by kernels.host.launch: a call can be replayed.
GLUON = sorted(x for row in TABLE + PACKED for x in row[4:] if x.startswith("gluon"))


@functools.cache
def rungs(
    capability: Capability,
    dtype: torch.dtype,
    d: int,
    gluon: bool = True,
    deterministic: bool = False,
    packed: bool = False,
) -> tuple[str, str] | None:
    """(forward, backward), names in `tilewise.kernels`: TABLE's first row that fits.

    capability (major, minor) of the card; gluon: whether Triton has the Gluon that the
    first row needs; deterministic: a backward pass without atomic additions; packed: of
    documents, from PACKED. None where no row fits.
    """
    table = PACKED if packed else TABLE
    for least, most, dtypes, largest, forward, backward in table:
        fits = least <= capability <= most and dtype in dtypes and d <= largest
        if fits and d % 8 == 0 and (gluon or not forward.startswith("gluon")):
            repeatable = REPEATS.get(backward, backward)
            return forward, repeatable if deterministic else backward
    return None


@functools.cache
def card(device: torch.device) -> tuple[Capability, bool] | None:
    """(capability, whether Gluon is there) of a GPU that kernels run on, or None."""
    if device.type != "cuda" or torch.version.hip:
        return None
    try:
        kernel("descriptors")
    except ImportError as error:
        message = "attention needs Triton from 3.6 on for its kernels: it is slow here"
        warnings.warn(f"{message} ({error})", RuntimeWarning, stacklevel=2)
        return None
    capability = torch.cuda.get_device_capability(device)
    return capability, has_gluon(capability)


def has_gluon(capability: Capability) -> bool:
    """Whether the Gluon kernels are for this card, and for this version of Triton.

    Gluon is experimental: of a version that they were not written for nothing is known.
    """
    if capability[0] != 9 or not kernel("host.launch").KNOWN:
        return False
    try:
        return all(kernel(name) for name in GLUON)
    except (ImportError, AttributeError) as error:
        message = f"attention goes without its kernels in Gluon: {error}"
        warnings.warn(message, RuntimeWarning, stacklevel=3)
        return False


def route(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    packed: bool = False,
) -> tuple[str, str] | None:
    """(forward, backward) for these tensors (..., N, d), or None: tiles in PyTorch.

    Device, dtype and d choose. A mask as a tensor (attn_mask) and dropout (dropout_p
    above 0) have no kernels; packed: the tensors are documents, (total, heads, d).
    Whether torch.use_deterministic_algorithms is on is asked at each pass.
    """
    found, d = card(q.device), q.shape[-1]
    if found is None or attn_mask is not None or dropout_p or v.shape[-1] != d:
        return None
    capability, gluon = found
    deterministic = torch.are_deterministic_algorithms_enabled()
    return rungs(capability, q.dtype, d, gluon, deterministic, packed)


@functools.cache
def kernel(name: str) -> ModuleType:
    """A module of `tilewise.kernels`."""
    return importlib.import_module(f"tilewise.kernels.{name}")


@functools.cache
def entry(name: str) -> tuple[Callable[..., Any], Callable[..., Any] | None]:
    """The function of the rung of this name, and what replays it or None."""
    rung = getattr(kernel(name), "backward" if "backward" in name else "forward")
    return rung, kernel("host.replay").replay if name in LIGHT else None


def run(
    name: str,
    tensors: Sequence[Tensor],
    causal: Causal,
    scale: float | None,
    dlse: Tensor | None = None,
) -> Any:
    """What the rung of this name makes of tensors (batch, heads, N, d).

    Triton launches on the current device, so that of the tensors is made current.
    """
    device = tensors[0].device
    if device.type == "cuda" and device.index != torch.cuda.current_device():
        with torch.cuda.device(device):
            return run(name, tensors, causal, scale, dlse)
    rung, replay = entry(name)
    if replay is not None:
        return replay(rung, tensors, causal, scale, dlse)
    options = {} if dlse is None else {"dlse": dlse}
    return rung(*tensors, causal=causal, scale=scale, **options)
