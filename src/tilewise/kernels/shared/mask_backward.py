"""Which elements of Pᵀ are seen, in the Gluon backward passes.

Numbers of keys are counted from a program's first key: consumer w has those from 64 w
on, and row r of a tile sees no key after number row + r.
"""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl

from tilewise.kernels.shared.work_backward import KEYS


@gluon.jit
def mask(pt, see, w: gl.constexpr):
    """Pᵀ (64, B_r) with 0 where a key is not seen.

    see[0] is how far the first row sees, and see[1] the last key. With a window there
    is see[2]: a row sees so many keys before its last one.
    """
    if len(see) == 2:
        pt = until(pt, see[0], see[1], w)
    else:
        pt = within(pt, see[0], see[1], see[2], w)
    return pt


@gluon.jit
def until(pt, row, left, w: gl.constexpr):
    """Pᵀ without the keys after each row's last, and after number `left`."""
    T: gl.constexpr = pt.type.layout
    keys = 64 * w + gl.arange(0, 64, gl.SliceLayout(1, T))
    keys = gl.where(keys <= left, keys, 2**30)
    last = row + gl.arange(0, pt.shape[1], gl.SliceLayout(0, T))
    return gl.where(keys[:, None] <= last[None, :], pt, 0.0)


@gluon.jit
def within(pt, row, left, width, w: gl.constexpr):
    """The same without the keys before each row's first; asks where this cuts a tile.

    The other tiles, most of them, are left as they are.
    """
    some = row + pt.shape[1] - 1 - width  # the first key that the last row sees
    if (row < KEYS - 1) | (left < KEYS - 1) | (some > 0):
        T: gl.constexpr = pt.type.layout
        keys = 64 * w + gl.arange(0, 64, gl.SliceLayout(1, T))
        first = row - width + gl.arange(0, pt.shape[1], gl.SliceLayout(0, T))
        pt = until(pt, row, left, w)
        pt = gl.where(keys[:, None] >= first[None, :], pt, 0.0)
    return pt
