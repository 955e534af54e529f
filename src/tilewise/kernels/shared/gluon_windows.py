"""What the Gluon kernel for windows needs besides: what rows see, and the masks for it.

A window has two ends. Where it begins is the mirror image of where it ends, so the mask
is that of `shared.gluon` with the comparison turned around.
"""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl

from tilewise.kernels.shared.common import LOG2E
from tilewise.kernels.shared.gluon import fragment, mask, parts, row_sums, struct
from tilewise.kernels.shared.work import Reach

CACHE = 32 * 2**20  # bytes of K and V that a crew of heads may use at a time


@struct
class Windows:
    """What the rows see: the keys r + low .. r + reach.shift, and perhaps a sink."""

    reach: Reach
    low: gl.tensor
    sinks: gl.tensor  # a logit for each head
    sink: gl.constexpr  # whether there are any

    # --8<-- [start:begin]
    @gluon.jit
    def begin(self, row, end):
        """The first tile that rows from `row` on see, of those before `end`."""
        return gl.minimum(gl.maximum(row + self.low, 0) // self.reach.cols, end - 1)

    @gluon.jit
    def whole(self, row):
        """First and end of the keys, in whole tiles, that all of 64 rows see."""
        first = gl.maximum(row + 63 + self.low, 0)
        COLS: gl.constexpr = self.reach.cols
        return gl.cdiv(first, COLS) * COLS, self.reach.full_tiles(row) * COLS

    # --8<-- [end:begin]

    # --8<-- [start:start]
    @gluon.jit
    def start(self, head):
        """(ℓ, m) before the first tile: of no key, or of the sink; ℓ in four parts."""
        COLS: gl.constexpr = self.reach.cols
        l = row_sums(gl.zeros([64, COLS], gl.float32, fragment(COLS)))
        ROW: gl.constexpr = gl.SliceLayout(1, fragment(COLS))
        m = gl.full([64], float("-inf"), gl.float32, ROW)
        if self.sink:
            logit = gl.load(self.sinks + head) * LOG2E
            l, m = l + 0.25, gl.full([64], 0.0, gl.float32, ROW) + logit
        return l, m

    # --8<-- [end:start]


@gluon.jit
def mask_before(s, first, col):
    """S with −∞ for the keys before each row's first; col is the tile's first key."""
    x = parts(s)  # key col + 8 a + 2 b + c
    a = 8 * gl.arange(0, x.shape[1])[None, :, None, None]
    b = 2 * gl.arange(0, 4)[None, None, :, None]
    c = gl.arange(0, 2)[None, None, None, :]
    limit = gl.convert_layout(first - col, gl.AutoLayout())[:, None, None, None]
    x = gl.where(a + c >= limit - b, x, float("-inf"))
    return gl.convert_layout(x.reshape(s.shape), s.type.layout)


@gluon.jit
def masked(s, first, last, col):
    """S with −∞ for the keys before each row's first and after its last."""
    return mask_before(mask(s, last, col), first, col)


def crew_of(q, k, keys):
    """How many heads run side by side, in crews of about one size.

    keys are those of a head in use at a time: K and V of a crew have CACHE bytes of L2.
    """
    batch, heads, *_ = q.shape
    keys = max(1, min(keys, k.shape[2]))  # below 1 where no row sees any
    bytes_of_head = 2 * keys * k.shape[3] * k.element_size()
    crew = max(1, CACHE // bytes_of_head) * (heads // k.shape[1])
    return -(-batch * heads // -(-batch * heads // crew))
