"""What the kernels for packed documents share: checked input, the plan, the spans.

How long the documents are, only the GPU knows, and asking it would stop the host. So
the host starts as many programs as there can be blocks, N / B + documents, and a tiny
kernel writes down, for each of them, which document it serves. What is left over ends
at once.
"""

import torch
import triton
import triton.language as tl

from tilewise.fits import check_saved
from tilewise.kernels.shared.common import check, dense, shift
from tilewise.kernels.shared.common_backward import PAD
from tilewise.kernels.shared.order import CACHE, longest_first

FIELDS = tl.constexpr(6)  # of a slot, in the order of `document`
WHOLE = tl.constexpr(PAD)  # rows: in L and δ documents begin at multiples of it
COUNTS = "documents", "slots", "n_outer", "n_inner"  # one kernel for all of them


def check_packed(q, k, v, cu_q, cu_k, *tiles, causal=False, d_v=False):
    """Raise ValueError with one sentence that names what these kernels do not take.

    q, k, v (total, heads, d) in fp16, bf16 or fp32, cu_q, cu_k (documents + 1) in int32
    or int64, all on one device; each of tiles begins with block_rows, block_cols.
    d_v: v may have another d than q and k.
    """
    for name, x in (("q", q), ("k", k), ("v", v)):
        if x.ndim != 3:
            raise ValueError(f"{name} must be (total, heads, d), not {(*x.shape,)}")
    for rows, cols, *_ in tiles:
        check(*(x[None].transpose(1, 2) for x in (q, k, v)), rows, cols, causal, d_v)
    for name, x in (("cu_seqlens_q", cu_q), ("cu_seqlens_k", cu_k)):
        if x.ndim != 1 or x.dtype not in (torch.int32, torch.int64) or len(x) < 2:
            what = f"{x.dtype} {(*x.shape,)}"
            raise ValueError(f"{name} must be int32 or int64, (documents + 1): {what}")
        if x.device != q.device or len(x) != len(cu_q):
            what = f"{len(x)} on {x.device}, q on {q.device}"
            raise ValueError(f"{name} must fit cu_seqlens_q and lie by q: {what}")


def prepare(q, k, v, cu_q, cu_k, o, do, lse, dlse, scale, causal, *tiles, d_v=False):
    """Check the input; return it with dense rows, L, dL and room for two more, and τ.

    L and dL by heads, (heads, total), dL None if it is; L in base 2 and δ (heads,
    total and PAD rows a document) in fp32. Raises ValueError.
    """
    check_packed(q, k, v, cu_q, cu_k, *tiles, causal=causal, d_v=d_v)
    if max(tile[0] for tile in tiles) > PAD:
        raise ValueError(f"block_rows must be at most {PAD}, not {tiles}")
    saved = {"o": o, "do": do, "lse": lse} | ({} if dlse is None else {"dlse": dlse})
    check_saved(q, v, **saved)
    for name, x in saved.items():
        if x.device != q.device or (name in ("o", "do") and x.dtype != q.dtype):
            fit = f"{q.dtype} on {q.device}"
            raise ValueError(f"{name} must fit q, {fit}, not {x.dtype} on {x.device}")
    n_pad = (q.shape[0] // PAD + len(cu_q) - 1) * PAD
    lse2, delta = q.new_empty(2, q.shape[1], n_pad, dtype=torch.float32)
    lse, dlse = (x if x is None else x.mT.float().contiguous() for x in (lse, dlse))
    scale = q.shape[-1] ** -0.5 if scale is None else float(scale)
    return [dense(x) for x in (q, k, v, o, do)], (lse, dlse, lse2, delta), scale


def slots_of(total, documents, block):
    """How many blocks there can be: the whole ones, and a ragged one a document."""
    return total // block + documents


def shift_factors(causal):
    """(a, b): in a document row r sees keys 0 .. r + a N_k − b N_q."""
    return shift(causal, 0, 1), shift(causal, 0, 1) - shift(causal, 1, 1)


@triton.jit
def bounds(CU, b, there, total):
    """(first row, number of rows) of documents b; nothing outside of the tensor."""
    first = tl.load(CU + b, there, 0)
    end = tl.load(CU + b + 1, there, 0)
    first = tl.minimum(tl.maximum(first, 0), total).to(tl.int32)
    end = tl.minimum(tl.maximum(end, first), total).to(tl.int32)
    return first, end - first


# --8<-- [start:plan]
@triton.jit(do_not_specialize=COUNTS)
def plan_kernel(
    OUTER, INNER, PLAN, documents, slots, n_outer, n_inner, BLOCK: tl.constexpr,
    STEP: tl.constexpr,
):
    """PLAN (FIELDS, slots) for one document: where its rows are, a slot for each block.

    A program's walk is as long as the document on the other side (INNER), so documents
    come by that length, the longest first, and where it is the same in their order.
    One more number, 0 at first, counts the blocks that programs have taken.
    """
    b = tl.program_id(0)
    first, n = bounds(OUTER, b, b < documents, n_outer)
    inner_first, inner = bounds(INNER, b, b < documents, n_inner)
    start, total = 0, 0
    for j in range(0, documents, STEP):
        other = j + tl.arange(0, STEP)
        _, rows = bounds(OUTER, other, other < documents, n_outer)
        _, length = bounds(INNER, other, other < documents, n_inner)
        before = (length > inner) | ((length == inner) & (other < b))
        tiles = (rows + BLOCK - 1) // BLOCK
        start += tl.sum(tl.where(before, tiles, 0))
        total += tl.sum(tiles)
    for j in range(0, (n + BLOCK - 1) // BLOCK, STEP):
        slot = start + j + tl.arange(0, STEP)
        keep = (slot < start + (n + BLOCK - 1) // BLOCK) & (slot < slots)
        at = PLAN + slot
        tl.store(at, tl.full([STEP], 0, tl.int32) + first, keep)
        tl.store(at + slots, tl.full([STEP], 0, tl.int32) + n, keep)
        tl.store(at + 2 * slots, tl.full([STEP], 0, tl.int32) + inner_first, keep)
        tl.store(at + 3 * slots, tl.full([STEP], 0, tl.int32) + inner, keep)
        tl.store(at + 4 * slots, tl.full([STEP], 0, tl.int32) + start, keep)
        tl.store(at + 5 * slots, tl.full([STEP], 0, tl.int32) + b, keep)
    for j in range(total + b * STEP, slots, documents * STEP):  # left over: no rows
        slot = j + tl.arange(0, STEP)
        tl.store(PLAN + slots + slot, tl.full([STEP], 0, tl.int32), slot < slots)
    tl.store(PLAN + FIELDS * slots, 0, b == 0)
    # --8<-- [end:plan]


def plan(outer, inner, n_outer, n_inner, block):
    """(PLAN, slots) for blocks of rows of the outer side; the walk is over the inner.

    outer and inner are cumulative lengths (documents + 1), of n_outer and n_inner rows.
    PLAN is flat: FIELDS numbers for each of the slots, (FIELDS, slots), and a 0.
    """
    documents = len(outer) - 1
    slots = slots_of(n_outer, documents, block)
    size = FIELDS.value * slots + 1
    spans = torch.empty(size, dtype=torch.int32, device=outer.device)
    plan_kernel[(documents,)](
        outer, inner, spans, documents, slots, n_outer, n_inner, block, 128, num_warps=4
    )
    return spans, slots


@triton.jit
def document(PLAN, slots, slot):
    """What the plan says of a slot.

    (first row, rows, first row and rows of the other side, the document's first slot,
    its number). No rows: the slot is left over.
    """
    at = PLAN + slot
    first, n = tl.load(at), tl.load(at + slots)
    other, n_other = tl.load(at + 2 * slots), tl.load(at + 3 * slots)
    start, number = tl.load(at + 4 * slots), tl.load(at + 5 * slots)
    return first, n, other, n_other, start, number


@triton.jit
def turn(program, n, inner, start, heads, group, room, BLOCK: tl.constexpr):
    """(block of rows, head) of a program: in a document, crews as in `longest_first`.

    A program's slot is program // heads, and start the document's first one. room rows
    of the inner side are what a crew of heads may keep in L2.
    """
    crew = tl.maximum(room // tl.maximum(inner, 1), 1) * group
    rest = program - start * heads
    tiles = tl.cdiv(n, BLOCK)
    return longest_first(rest, tiles, heads, tl.minimum(crew, heads))


def room_of(x, group=1):
    """How many rows of two tensors like x (total, heads, d) fit in a crew's L2.

    group: how many heads of x one program walks.
    """
    return max(1, CACHE // (2 * x.shape[-1] * x.element_size() * group))


def describable(x):
    """x (total, heads, d), or a copy where the TMA unit cannot walk it."""
    unit = 16 // x.element_size()
    fine = x.data_ptr() % 16 == 0 and x.stride(2) == 1
    if fine and all(s and s % unit == 0 for s in x.stride()[:2]):
        return x
    return x.clone(memory_format=torch.contiguous_format)


@triton.jit
def pad_of(first, number):
    """Where document `number`, whose first row is `first`, begins in L and δ."""
    return (first // WHOLE + number) * WHOLE


@triton.jit
def rows_of(x, strides, head, first):
    """Where a document's rows begin of a head of x; strides are of (row, head)."""
    return x + first.to(tl.int64) * strides[0] + head.to(tl.int64) * strides[1]
