"""What packed documents need once for each row: L and δ for both walks, and sums."""

import triton
import triton.language as tl

from tilewise.kernels.shared.common import load_tile
from tilewise.kernels.shared.common_backward import row_numbers
from tilewise.kernels.shared.varlen import WHOLE, bounds, document, pad_of, rows_of

COUNTS = "total", "slots", "n_pad", "heads"  # one compiled kernel for all of them


@triton.jit(do_not_specialize=COUNTS)
def delta_kernel(
    O, DO, LSE, DLSE, LSE2, DELTA, PLAN, o_strides, do_strides, total, slots, n_pad,
    heads, D: tl.constexpr, DIMS: tl.constexpr, BLOCK_ROWS: tl.constexpr,
    ROWS: tl.constexpr,
):
    """δ and L in base 2 of a block of rows, ROWS at a time, and of those past the end.

    LSE and DLSE are (heads, total), LSE2 and DELTA (heads, n_pad).
    """
    slot, head = tl.program_id(0) // heads, tl.program_id(0) % heads
    row, n, _, _, start, number = document(PLAN, slots, slot)
    if n == 0:
        return
    o_rows = rows_of(O, o_strides, head, row)
    do_rows = rows_of(DO, do_strides, head, row)
    LSE += head.to(tl.int64) * total + row
    if DLSE is not None:
        DLSE += head.to(tl.int64) * total + row
    at = head.to(tl.int64) * n_pad + pad_of(row, number)
    whole = tl.cdiv(n, WHOLE) * WHOLE
    begin = (slot - start) * BLOCK_ROWS
    end = tl.where(begin + BLOCK_ROWS < n, begin + BLOCK_ROWS, whole)
    for i in tl.range(begin, end, ROWS):
        rows = i + tl.arange(0, ROWS)
        o = load_tile(o_rows, o_strides[0], rows, n, D, DIMS).to(tl.float32)
        do = load_tile(do_rows, do_strides[0], rows, n, D, DIMS).to(tl.float32)
        only = head * 0  # the one head that these pointers show
        row_numbers(o, do, LSE, DLSE, LSE2 + at, DELTA + at, only, i, n, whole, ROWS)


@triton.jit(do_not_specialize=("total", "documents"))
def sums_kernel(X, CU, SUMS, total, documents, heads, ROWS: tl.constexpr):
    """The sum over the rows of one document of one head; SUMS is (documents, heads)."""
    number, head = tl.program_id(0) // heads, tl.program_id(0) % heads
    first, n = bounds(CU, number, number < documents, total)
    X += head.to(tl.int64) * total + first
    found = tl.zeros([ROWS], tl.float32)
    for i in tl.range(0, n, ROWS):
        rows = i + tl.arange(0, ROWS)
        found += tl.load(X + rows, rows < n, 0.0)
    tl.store(SUMS + tl.program_id(0), tl.sum(found, 0))


def summed(x, cu_q, given):
    """What the rows x (heads, total) add to the gradient of `given`, in its shape."""
    if x is None:
        return None
    (heads, total), documents = x.shape, len(cu_q) - 1
    sums = x.new_empty(documents, heads)
    sums_kernel[(documents * heads,)](x, cu_q, sums, total, documents, heads, 1024)
    return sums.sum_to_size(given.shape)
