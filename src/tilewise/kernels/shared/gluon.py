"""What the Gluon rungs share: rings of buffers, rows among threads, and what they take.

Gluon is Triton's lower language: the same compiler, but how a tile lies in registers
and in shared memory, barriers, and the division of work among warps are the author's.
It is experimental: the kernels in it are written for triton 3.6 and 3.7.
"""

import functools

import torch
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma
from triton.language import core

from tilewise.kernels.host.descriptor import strides_of
from tilewise.kernels.host.launch import Descriptor

aggregate = getattr(core, "aggregate", None) or core._aggregate


@functools.cache
def available(device):
    """Whether the device is a Hopper GPU: wgmma is of compute capability 9.x alone."""
    return device.type == "cuda" and torch.cuda.get_device_capability(device)[0] == 9


def check_covered(q, largest=128):
    """Raise ValueError with one sentence that names what these kernels do not take."""
    if q.dtype not in (torch.float16, torch.bfloat16):
        raise ValueError(f"the Gluon kernels take fp16 and bf16, not {q.dtype}")
    if (d := q.shape[-1]) > largest:
        raise ValueError(f"this Gluon kernel takes d up to {largest}, not {d}")
    if not available(q.device):
        raise ValueError(f"the Gluon kernels are for Hopper GPUs, not for {q.device}")


@functools.cache
def processors(device):
    """How many multiprocessors the device has; those of an H200 where it is no GPU."""
    properties = torch.cuda.get_device_properties
    return properties(device).multi_processor_count if device.type == "cuda" else 132


def struct(cls):
    """A class of named values that kernels pass around, made from them in their order.

    Fields that are gl.constexpr are constants of the compiled kernel.
    """

    @gluon.constexpr_function
    def __init__(self, *values):
        for name, value in zip(cls.__annotations__, values):
            constant = cls.__annotations__[name] is gl.constexpr or value is None
            setattr(self, name, gl.constexpr(value) if constant else value)

    cls.__init__ = __init__
    return aggregate(cls)


@struct
class Ring:
    """Buffers in shared memory that a producer fills and consumers empty, in turn.

    Tile number n lies in buffer n % stages. full: its copy has landed; empty: all
    consumers have let go of it. Both are used over and over: use n // stages of a
    buffer completes phase (n // stages) % 2 of its barriers. A tile may come in parts,
    each the block of rows of the tensor's descriptor.
    """

    tiles: gl.shared_memory_descriptor  # (stages · parts, 1, 1, rows, d)
    full: gl.shared_memory_descriptor
    empty: gl.shared_memory_descriptor
    stages: gl.constexpr
    parts: gl.constexpr

    # --8<-- [start:fill]
    @gluon.jit
    def fill(self, n, desc, batch, head, row):
        """Producer: start to copy tile n, rows row …, once its buffer is empty."""
        rows: gl.constexpr = desc.block_type.shape[2]
        full = self.full.index(n % self.stages)
        mbarrier.wait(self.empty.index(n % self.stages), (n // self.stages & 1) ^ 1)
        mbarrier.expect(full, self.parts * desc.block_type.nbytes)
        for i in gl.static_range(self.parts):
            buffer = self.tiles.index(n % self.stages * self.parts + i)
            at = [batch, head, row + i * rows, 0]
            tma.async_copy_global_to_shared(desc, at, full, buffer)

    @gluon.jit
    def wait(self, n):
        """Consumer: until tile n has landed."""
        mbarrier.wait(self.full.index(n % self.stages), n // self.stages & 1)

    @gluon.jit
    def tile(self, n, part: gl.constexpr = 0):
        """Tile n, or a part of it, as (rows, d)."""
        buffer = self.tiles.index(n % self.stages * self.parts + part)
        return buffer.reshape([buffer.shape[2], buffer.shape[3]])

    @gluon.jit
    def free(self, n):
        """Consumer: tile n is no longer needed here."""
        mbarrier.arrive(self.empty.index(n % self.stages), count=1)

    # --8<-- [end:fill]


@gluon.jit
def make_ring(
    desc, STAGES: gl.constexpr, CONSUMERS: gl.constexpr, PARTS: gl.constexpr = 1
):
    """A ring for tiles of PARTS blocks of desc, that CONSUMERS let go of one by one."""
    tile: gl.constexpr = desc.block_type.shape[-4:]
    layout: gl.constexpr = gl.NVMMASharedLayout.get_default_for(tile, desc.dtype)
    tiles = gl.allocate_shared_memory(desc.dtype, [STAGES * PARTS] + tile, layout)
    full = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    empty = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(STAGES):
        mbarrier.init(full.index(i), count=1)
        mbarrier.init(empty.index(i), count=CONSUMERS)
    return Ring(tiles, full, empty, STAGES, PARTS)


@gluon.constexpr_function
def fragment(n):
    """How wgmma leaves a tile (64, n) in four warps: a row lies with four threads."""
    return gl.NVMMADistributedLayout([3, 0], [4, 1], [16, n, 16])


@gluon.jit
def parts(x):
    """(B_r, B_c) as (B_r, B_c / 8, 4, 2): the axis of 4 counts a row's four threads."""
    return x.reshape(x.shape[0], x.shape[1] // 8, 4, 2)


@gluon.jit
def mask(s, last, col):
    """S with −∞ for the keys after each row's last; col is the tile's first key.

    A thread compares a constant of the program for each number with one limit a row:
    32 registers less than column numbers would take.
    """
    x = parts(s)  # key col + 8 a + 2 b + c
    a = 8 * gl.arange(0, x.shape[1])[None, :, None, None]
    b = 2 * gl.arange(0, 4)[None, None, :, None]
    c = gl.arange(0, 2)[None, None, None, :]
    limit = gl.convert_layout(last - col, gl.AutoLayout())[:, None, None, None]
    x = gl.where(a + c <= limit - b, x, float("-inf"))
    return gl.convert_layout(x.reshape(s.shape), s.type.layout)


@gluon.jit
def row_max(s, m):
    """The largest number of each row, by short chains of comparisons."""
    return gl.convert_layout(gl.max(gl.max(gl.max(parts(s), 3), 1), 1), m.type.layout)


@gluon.jit
def row_sums(p):
    """Row sums in four parts (B_r, 4), one of each thread: none asks another."""
    return gl.sum(gl.sum(parts(p), 3), 1)


@gluon.jit
def scale_rows(x, alpha):
    """x with each row multiplied by its α."""
    return x * gl.convert_layout(alpha, gl.SliceLayout(1, x.type.layout))[:, None]


@gluon.constexpr_function
def product_unless_one(n):
    """Assembly: n numbers of two rows (those of 0 and 2) times α; nothing if α = 1."""
    ask = f"setp.neu.f32 p, ${2 * n}, 1.0; setp.neu.or.f32 p, ${2 * n + 2}, 1.0, p; "
    ask += "vote.sync.any.pred p, p, -1; @!p bra.uni end; "  # one answer for a warp
    products = " ".join(f"mul.f32 ${i}, ${i}, ${2 * n + i};" for i in range(n))
    registers = ["=f"] * n + [*map(str, range(n))] + ["f"] * n
    return f"{{ .reg .pred p; {ask}{products} end: }}", ",".join(registers), n


@gluon.jit
def rescale(x, alpha):
    """scale_rows(x, alpha), but a warp with α = 1 in all its rows goes on at once."""
    ASM: gl.constexpr = product_unless_one(x.shape[1] // 2)  # numbers of a thread
    a = gl.convert_layout(alpha, gl.SliceLayout(1, x.type.layout))[:, None]
    return gl.inline_asm_elementwise(ASM[0], ASM[1], [x, a], gl.float32, True, ASM[2])


@functools.cache
def shared_layout(rows, dims, dtype, axes=4):
    """How a tile lies in shared memory, for the TMA unit and wgmma."""
    dtype = {torch.float16: gl.float16, torch.bfloat16: gl.bfloat16}[dtype]
    tile = [*[1] * (axes - 2), rows, dims]
    return gl.NVMMASharedLayout.get_default_for(tile, dtype)


def describe(x, rows, dims):
    """The descriptor of x (batch, heads, N, d) for tiles (rows, dims) of a head."""
    layout = shared_layout(rows, dims, x.dtype)
    return Descriptor(x, strides_of(x), (1, 1, rows, dims), layout)
