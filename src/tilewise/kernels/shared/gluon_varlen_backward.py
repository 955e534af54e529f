"""Around the five products for packed documents: whose keys, whose rows, dQ's way.

A program's keys end with their document, and so do the tiles of queries that see them.
L, δ and the fp32 dQ lie document by document in whole tiles (see varlen_backward), so
that adding to dQ never meets another document's rows.
"""

import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma

from tilewise.kernels.shared.common import load_tile, tile_of
from tilewise.kernels.shared.common_backward import row_numbers
from tilewise.kernels.shared.gluon import struct
from tilewise.kernels.shared.gluon_varlen import place
from tilewise.kernels.shared.order import longest_first
from tilewise.kernels.shared.varlen import WHOLE, document, pad_of, rows_of
from tilewise.kernels.shared.work_backward import DQ_BYTES, KEYS, SCORES, Walk

ROWS_SIZES = (
    "o_row", "o_head", "do_row", "do_head", "FIRST", "HEADS", "TOTAL", "SLOTS", "N_PAD"
)  # one kernel for all
SIZES = "dq_row", "dq_head", "FIRST", "HEADS", "SLOTS", "N_PAD"

GIVEN = "LSE", "DLSE"  # may begin at any address


def heads_at_once(total, group, n_q, n_k, documents, dims):
    """How many of `total` heads of K and V share an fp32 dQ: as `share_out` has it.

    The scores of a head are those of documents of the mean length.
    """
    heads = max(DQ_BYTES // (4 * n_q * dims), SCORES * documents // (n_q * n_k))
    most = max(1, heads // group)
    return -(-total // -(-total // most))


@struct
class Edges:
    """Where a program's document begins and how long it is, rows and keys."""

    row: gl.tensor
    n_q: gl.tensor
    key: gl.tensor
    n_k: gl.tensor
    pad: gl.tensor  # the tile of its first row in L, δ and the fp32 dQ


@gluon.jit
def plan_keys(
    PLAN, SLOTS, FIRST, UNITS, HEADS, N_PAD, OF_K, OF_Q, CREW, GROUP: gl.constexpr,
    B_R: gl.constexpr,
):
    """This program's Walk and Edges; UNITS heads of K and V at once, FIRST the first.

    Documents of 32 blocks of keys and more have crews of up to CREW programs, as
    `crew_of` says; the others go head by head. Early keys come first.
    """
    program = gl.program_id(0)
    key, n_k, row, n_q, start, number = document(PLAN, SLOTS, program // UNITS)
    n_q = gl.where(n_k > 0, n_q, 0)  # a slot that is left over says nothing of rows
    cols = gl.maximum(gl.cdiv(n_k, KEYS), 1)
    crew = gl.where(cols >= 32, gl.maximum(CREW // cols, 1), 1)
    crew = gl.minimum(crew, UNITS)
    i, unit = longest_first(program - start * UNITS, cols, UNITS, crew)
    col = (cols - 1 - i) * KEYS
    shift = OF_K * n_k - OF_Q * n_q
    end = gl.cdiv(n_q, B_R)
    first = gl.minimum(gl.maximum(col - shift, 0) // B_R, end)
    full = gl.minimum(gl.cdiv(gl.maximum(col + KEYS - 1 - shift, 0), B_R), end)
    masked = gl.where(col + KEYS > n_k, end, full) - first
    see, left = first * B_R + shift - col, n_k - 1 - col
    pad = pad_of(row, number) // B_R
    walk = Walk(
        col, unit, (FIRST + unit) * GROUP, HEADS, pad + first, masked, end - first, see,
        left, N_PAD, GROUP, GROUP, B_R, False,
    )
    return walk, Edges(row, n_q, key, n_k, pad)


@gluon.jit
def fetch_tiles(sm, walk, edges, Q, DO, K, V, LSE, DELTA):
    """The warp that fetches: K and V, then Q with L and dO with δ, as room allows."""
    STAGES: gl.constexpr = sm.q.shape[0]
    mbarrier.expect(sm.kv_full.index(0), 4 * K.block_type.nbytes)
    for w in gl.static_range(2):
        col = walk.col + 64 * w
        at = place(edges.key, edges.n_k, walk.head // walk.group, col)
        k = sm.k.index(w).reshape(K.block_type.shape)
        v = sm.v.index(w).reshape(K.block_type.shape)
        tma.async_copy_global_to_shared(K, at, sm.kv_full.index(0), k)
        tma.async_copy_global_to_shared(V, at, sm.kv_full.index(0), v)
    for g in range(walk.share):
        for tile in range(walk.tiles):
            i = g * walk.tiles + tile
            row = (walk.first + tile) * walk.rows  # in L, δ and dQ
            number = [(walk.head + g) * walk.n_pad + row]
            row -= edges.pad * walk.rows
            at = place(edges.row, edges.n_q, walk.head + g, row)
            s = i % STAGES
            q_full, do_full = sm.q_full.index(s), sm.do_full.index(s)
            q = sm.q.index(s).reshape(Q.block_type.shape)
            do = sm.do.index(s).reshape(Q.block_type.shape)
            mbarrier.wait(sm.empty.index(s), (i // STAGES & 1) ^ 1)
            mbarrier.expect(q_full, Q.block_type.nbytes + 4 * walk.rows)
            tma.async_copy_global_to_shared(Q, at, q_full, q)
            tma.async_copy_global_to_shared(LSE, number, q_full, sm.lse.index(s))
            mbarrier.expect(do_full, DO.block_type.nbytes + 4 * walk.rows)
            tma.async_copy_global_to_shared(DO, at, do_full, do)
            tma.async_copy_global_to_shared(DELTA, number, do_full, sm.delta.index(s))


@triton.jit(do_not_specialize=ROWS_SIZES, do_not_specialize_on_alignment=GIVEN)
def rows_kernel(
    O, DO, LSE, DLSE, LSE2, DELTA, DQ32, PLAN, o_row, o_head, do_row, do_head, FIRST,
    HEADS, TOTAL, SLOTS, N_PAD, D: tl.constexpr, DIMS: tl.constexpr, ROWS: tl.constexpr,
):
    """δ and L in base 2 of ROWS of a slot's 128 rows, and zeros for dQ's sums.

    HEADS query heads at once, FIRST the first of them; the grid's second axis counts
    ROWS rows.
    """
    slot, unit = tl.program_id(0) // HEADS, tl.program_id(0) % HEADS
    row, n, _, _, start, number = document(PLAN, SLOTS, slot)
    if n == 0:
        return
    head = FIRST + unit
    o_rows = rows_of(O, (o_row, o_head), head, row)
    do_rows = rows_of(DO, (do_row, do_head), head, row)
    LSE += head.to(tl.int64) * TOTAL + row
    if DLSE is not None:
        DLSE += head.to(tl.int64) * TOTAL + row
    begin = pad_of(row, number)
    at = head.to(tl.int64) * N_PAD + begin
    zeros = DQ32 + (unit.to(tl.int64) * N_PAD + begin) * DIMS
    whole = tl.cdiv(n, WHOLE) * WHOLE
    i = (slot - start) * WHOLE + tl.program_id(1) * ROWS
    rows = i + tl.arange(0, ROWS)
    o = load_tile(o_rows, o_row, rows, n, D, DIMS).to(tl.float32)
    do = load_tile(do_rows, do_row, rows, n, D, DIMS).to(tl.float32)
    only = head * 0  # the one head that these pointers show
    row_numbers(o, do, LSE, DLSE, LSE2 + at, DELTA + at, only, i, n, whole, ROWS)
    zeros += i * DIMS + tl.arange(0, ROWS * DIMS)
    tl.store(zeros, tl.zeros([ROWS * DIMS], tl.float32))


@triton.jit(do_not_specialize=SIZES)
def dq_kernel(
    DQ32, DQ, PLAN, dq_row, dq_head, FIRST, HEADS, SLOTS, N_PAD, scale, D: tl.constexpr,
    DIMS: tl.constexpr,
):
    """dQ = τ dS K, rounded, of one half of a tile, 64 × 64; the second axis counts."""
    slot, unit = tl.program_id(0) // HEADS, tl.program_id(0) % HEADS
    row, n, _, _, start, number = document(PLAN, SLOTS, slot)
    if n == 0:
        return
    dq_rows = rows_of(DQ, (dq_row, dq_head), FIRST + unit, row)
    begin = pad_of(row, number) + (slot - start) * WHOLE
    at = DQ32 + (unit.to(tl.int64) * N_PAD + begin) * DIMS
    j = tl.program_id(1)
    dq = scale * tl.load(at + j * 4096 + tl.arange(0, 4096)).reshape(64, 64)
    rows = (slot - start) * WHOLE + j // (DIMS // 64) * 64 + tl.arange(0, 64)
    dims = j % (DIMS // 64) * 64
    keep = (rows[:, None] < n) & (dims + tl.arange(0, 64)[None, :] < D)
    to = tile_of(dq_rows + dims, dq_row, rows, 64)
    tl.store(to, dq.to(DQ.dtype.element_ty), keep)
