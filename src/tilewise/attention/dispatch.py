"""Which kernels compute an attention: a small table, measured once and not at run time.

What no row covers takes the passes of `tilewise.flash2`, tiled as well, in PyTorch:
other devices, a mask given as a tensor, packed documents with a block mask, fp64, a d
above 256 or not a multiple of 8.
"""

import functools
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor

from tilewise.attention.calls import guarded, kernel, replayed
from tilewise.attention.checks import plain, windowed

if TYPE_CHECKING:
    from tilewise.attention.passes import Options

Capability = tuple[int, int]  # of a card: major, minor


class Pair(NamedTuple):
    """The modules of `tilewise.kernels` that compute the two passes."""

    forward: str
    backward: str


class Row(NamedTuple):
    """Where a pair of kernels is the fastest."""

    least: Capability
    most: Capability
    dtypes: tuple[torch.dtype, ...]
    largest_d: int
    pair: Pair
    gluon: bool = False  # whether the pair is written in Gluon


class Kernels(NamedTuple):
    """The two passes as functions of tensors, with keywords causal, scale and dlse.

    Those of variants take other options as well, and give two gradients more.
    """

    forward: Callable[..., Any]
    backward: Callable[..., Any]
    variants: bool = False


HALF, FULL = (torch.float16, torch.bfloat16), (torch.float32,)
HOPPER = Pair("gluon_forward", "gluon_backward")
HOPPER_WIDE = Pair("gluon_forward", "gluon_wide_backward")
TMA = Pair("descriptors", "backward_descriptors")
POINTERS = Pair("causal", "backward_split")
TABLE = (
    Row((9, 0), (9, 9), HALF, 128, HOPPER, gluon=True),
    Row((9, 0), (9, 9), HALF, 256, HOPPER_WIDE, gluon=True),
    Row((9, 0), (10, 9), HALF, 256, TMA),
    Row((8, 0), (99, 9), HALF, 128, POINTERS),
    Row((8, 0), (8, 0), HALF, 256, POINTERS),  # other cards have too little SRAM
    Row((8, 0), (99, 9), FULL, 256, POINTERS),
)
HOPPER_PACKED = Pair("gluon_varlen", "gluon_varlen_backward")
PACKED_PAIR = Pair("varlen", "varlen_backward")
HOPPER_WINDOWS = Pair("gluon_windows", "gluon_windows_backward")
VARIANT = Pair("scores", "scores_backward")
PACKED_VARIANT = Pair("varlen_scores", "varlen_scores_backward")


def everywhere(pair: Pair) -> tuple[Row, ...]:
    """The rows of a pair that is for all cards, as far as their SRAM reaches."""
    return (
        Row((9, 0), (10, 9), HALF, 256, pair),
        Row((8, 0), (99, 9), HALF, 128, pair),
        Row((8, 0), (8, 0), HALF, 256, pair),
        Row((8, 0), (99, 9), FULL, 256, pair),
    )


PACKED = (  # the same for packed documents
    Row((9, 0), (9, 9), HALF, 128, HOPPER_PACKED, gluon=True),
    *everywhere(PACKED_PAIR),
)
# Windows, softcap, ALiBi, sinks, block masks, dropout, and values of another d
VARIANTS = everywhere(VARIANT)
PACKED_VARIANTS = everywhere(PACKED_VARIANT)  # the same but for block masks
WINDOWS = (  # windows and sinks alone
    Row((9, 0), (9, 9), HALF, 128, HOPPER_WINDOWS, gluon=True),
    *VARIANTS,
)
REPEATABLE = {  # a pair whose backward pass adds in any order → one that does not
    HOPPER_PACKED: Pair(HOPPER_PACKED.forward, PACKED_PAIR.backward),
    HOPPER_WINDOWS: Pair(HOPPER_WINDOWS.forward, VARIANT.backward),
}
WITH_OPTIONS = {x.backward for x in (HOPPER_WINDOWS, VARIANT, PACKED_VARIANT)}
GLUON = sorted(
    name for row in TABLE + PACKED + WINDOWS if row.gluon for name in row.pair
)
# These launch by kernels.host.launch alone, so that a call can be replayed.
LIGHT = {*HOPPER, *HOPPER_WIDE, *TMA}


@functools.cache
def rungs(
    capability: Capability,
    dtype: torch.dtype,
    d: int,
    gluon: bool = True,
    deterministic: bool = False,
    table: tuple[Row, ...] = TABLE,
) -> Pair | None:
    """The pair of the table's first row that fits, or None where no row fits.

    capability (major, minor) of the card; gluon: whether Triton has the Gluon that the
    first row needs; deterministic: a backward pass with the same bits each time; table:
    TABLE, PACKED for documents, WINDOWS, VARIANTS or PACKED_VARIANTS.
    """
    for row in table:
        fits = row.least <= capability <= row.most and dtype in row.dtypes
        if fits and d <= row.largest_d and d % 8 == 0 and (gluon or not row.gluon):
            return REPEATABLE.get(row.pair, row.pair) if deterministic else row.pair
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
    options: "Options | None" = None,
    packed: bool = False,
) -> Kernels | None:
    """The kernels for these tensors (..., N, d), or None: tiles in PyTorch.

    Device, dtype, d and options choose. A mask as a tensor (attn_mask) has no kernels;
    packed: the tensors are documents, (total, heads, d), which have kernels for all
    options but block_mask. Whether torch.use_deterministic_algorithms is on is asked at
    each pass.
    """
    gpu, d, d_v = card(q.device), q.shape[-1], v.shape[-1]
    if gpu is None or attn_mask is not None:
        return None
    table: tuple[Row, ...] = PACKED if packed else TABLE
    if d != d_v or (options is not None and not plain(options)):
        listed = options is not None and options.block_mask is not None
        if d_v % 8 or (packed and listed):
            return None
        alone = d == d_v and options is not None and windowed(options)
        table = PACKED_VARIANTS if packed else WINDOWS if alone else VARIANTS
    capability, gluon = gpu
    deterministic = torch.are_deterministic_algorithms_enabled()
    pair = rungs(capability, q.dtype, max(d, d_v), gluon, deterministic, table)
    return None if d % 8 or pair is None else functions(pair)


@functools.cache
def functions(pair: Pair) -> Kernels:
    """The functions of a pair, for tensors (batch, heads, N, d) on any device."""
    forward, backward = kernel(pair.forward).forward, kernel(pair.backward).backward
    return Kernels(
        guarded(replayed(forward) if pair.forward in LIGHT else forward),
        guarded(replayed(backward) if pair.backward in LIGHT else backward),
        pair.backward in WITH_OPTIONS,
    )
