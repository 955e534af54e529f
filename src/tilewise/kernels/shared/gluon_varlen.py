"""What the Gluon kernels for packed documents share: tiles that end with a document.

The TMA unit fills with zeros what lies past the end of an axis, and does not write
it. So a tile must see its document's end as the end of an axis, with one descriptor for
all documents. It does with two more axes in front, whose coordinates only move the
address: rows are counted to end at BILLION, and the address comes out right, since it
wraps around at 2⁶⁴. This is how triton.tools.ragged_tma has it.
"""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma

from tilewise.kernels.host.launch import Descriptor
from tilewise.kernels.shared.gluon import shared_layout, struct
from tilewise.kernels.shared.work import Reach

BILLION, MOST = gl.constexpr(2**30), 0x7FFF0000  # rows, and of the two axes in front


def describe(x, rows, dims):
    """The descriptor of x (total, heads, d) for tiles (rows, dims) of a head."""
    row, head, _ = x.stride()
    descriptor = Descriptor(
        x, (2**34 - row, row, head, row, 1), (1, 1, 1, rows, dims),
        shared_layout(rows, dims, x.dtype, 5),
    )
    descriptor.shape = MOST, MOST, x.shape[1], BILLION.value, x.shape[2]
    return descriptor


@gluon.jit
def place(first, n, head, row):
    """The coordinates of row `row` of a head in a document of n rows from `first` on.

    2³⁰ (2³⁴ − s) + (first + n) s + (2³⁰ − n + row) s = 2⁶⁴ + (first + row) s.
    """
    return [BILLION, first + n, head, BILLION - n + row, 0]


@gluon.jit
def fill(ring, count, desc, first, n, head, row):
    """Producer: copy a document's rows from `row` on to tile `count` of a ring."""
    ROWS: gl.constexpr = desc.block_type.shape[3]
    full = ring.full.index(count % ring.stages)
    empty = ring.empty.index(count % ring.stages)
    mbarrier.wait(empty, (count // ring.stages & 1) ^ 1)
    mbarrier.expect(full, ring.parts * desc.block_type.nbytes)
    for i in gl.static_range(ring.parts):
        buffer = ring.tiles.index(count % ring.stages * ring.parts + i)
        at = place(first, n, head, row + i * ROWS)
        buffer = buffer.reshape(desc.block_type.shape)
        tma.async_copy_global_to_shared(desc, at, full, buffer)


@struct
class Tickets:
    """Which block comes next: the producer draws a number, all consumers hear it.

    Whoever is done first draws first, so long and short documents come out even. The
    numbers have two places, with barriers as in a Ring.
    """

    drawn: gl.tensor  # in global memory: how many have been drawn
    numbers: gl.shared_memory_descriptor  # (2, 1)
    full: gl.shared_memory_descriptor
    empty: gl.shared_memory_descriptor

    @gluon.jit
    def tell(self, turn, number):
        """Producer: a turn's number, once nobody needs that of two turns before."""
        mbarrier.wait(self.empty.index(turn % 2), (turn // 2 & 1) ^ 1)
        one: gl.constexpr = gl.BlockedLayout([1], [32], [gl.num_warps()], [0])
        self.numbers.index(turn % 2).store(gl.full([1], number, gl.int32, one))
        mbarrier.arrive(self.full.index(turn % 2), count=1)

    @gluon.jit
    def draw(self):
        """Producer: the next number; those of the programs themselves are taken."""
        return gl.num_programs(0) + gl.atomic_add(self.drawn, 1, sem="relaxed")

    @gluon.jit
    def hear(self, turn):
        """Consumer: the number of a turn."""
        mbarrier.wait(self.full.index(turn % 2), turn // 2 & 1)
        one: gl.constexpr = gl.BlockedLayout([1], [32], [gl.num_warps()], [0])
        number = gl.max(self.numbers.index(turn % 2).load(one), 0)
        mbarrier.arrive(self.empty.index(turn % 2), count=1)
        return number


@gluon.jit
def make_tickets(drawn, CONSUMERS: gl.constexpr):
    """Places for numbers that CONSUMERS hear."""
    layout: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    numbers = gl.allocate_shared_memory(gl.int32, [2, 1], layout)
    full = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    empty = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(2):
        mbarrier.init(full.index(i), count=1)
        mbarrier.init(empty.index(i), count=CONSUMERS)
    return Tickets(drawn, numbers, full, empty)


@struct
class Packed:
    """The blocks of rows of all documents, by number."""

    plan: gl.tensor  # (FIELDS, slots), as _varlen.plan makes it
    slots: gl.tensor
    of_k: gl.tensor  # row r sees keys 0 .. r + of_k N_k − of_q N_q
    of_q: gl.tensor
    heads: gl.tensor
    group: gl.tensor  # query heads that share a head of K and V
    room: gl.tensor  # rows of K and V that a crew of heads may keep in L2
    rows: gl.constexpr
    cols: gl.constexpr

    @gluon.jit
    def blocks(self):
        """How many numbers there are; some of the last ones may be of no rows."""
        return self.slots * self.heads

    @gluon.jit
    def block(self, number):
        """(reach in a document, its first row, first key; row, head, tiles of keys).

        0 tiles: no rows. Documents with the most keys come first, in each one crew of
        heads after the other, and a crew's longest blocks first.
        """
        at = self.plan + number // self.heads
        first_q, n_q = gl.load(at), gl.load(at + self.slots)
        first_k, n_k = gl.load(at + 2 * self.slots), gl.load(at + 3 * self.slots)
        start = gl.load(at + 4 * self.slots)
        tiles = gl.maximum(gl.cdiv(n_q, self.rows), 1)
        crew = gl.maximum(self.room // gl.maximum(n_k, 1), 1) * self.group
        crew = gl.minimum(crew, self.heads)
        rest = number - start * self.heads
        first = rest // (tiles * crew) * crew  # head of the crew
        size = gl.minimum(crew, self.heads - first)  # the last may be smaller
        rest -= first * tiles
        i = tiles - 1 - rest // size
        shift = self.of_k * n_k - self.of_q * n_q
        reach = Reach(n_q, n_k, shift, self.rows, self.cols)
        keys = reach.tiles_of(i * self.rows, self.rows)
        keys = gl.where(n_q > 0, keys, 0)
        return reach, first_q, first_k, i * self.rows, first + rest % size, keys

