"""Who walks where in the Gluon backward pass: turns, parts, crews, tiles of a block.

A block of 128 keys is one walk over the tiles of queries that see them. Heads take
turns on one fp32 dQ, programs may share keys, and causal walks differ in length. Where
they are short, programs go on: each draws the number of its next walk.
"""

import torch
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.language.core import base_value

from tilewise.kernels.shared.gluon import struct

KEYS = gl.constexpr(128)  # B_c: of a program, 64 for each consumer
GRID = 65_535  # most heads at once, and most blocks of keys
DQ_BYTES, SCORES = 2**26, 2**31  # what heads have at once: one of both, at least


def share_out(total, group, cols, n_q, n_k, dims, causal, sms):
    """(heads of K and V at once, parts of the query heads that read one of them).

    total heads of K and V, each with cols programs and a group of query heads, for sms
    processors. An fp32 dQ of 64 MiB is used again and again; where rows are short, one
    for more heads, 4 ms of work: at 1 ms, launches that end idly cost 4 %. Where
    programs are few, several read the same keys, each with a part of the group: causal
    ones differ in length, and only if there are many do they come out even.
    Raises ValueError where K has more rows than one launch can take.
    """
    if cols > GRID:
        raise ValueError(f"k must have at most {GRID * KEYS.value} rows")
    heads = max(DQ_BYTES // (4 * n_q * dims), SCORES // (n_q * n_k))
    most = max(1, min(heads, GRID) // group)
    most = -(-total // -(-total // most))  # turns of about one size
    enough = 3 * sms if causal else 3 * sms // 4
    fit = (p for p in range(1, group) if group % p == 0 and p * most * cols >= enough)
    return most, next(fit, group)


def draws(dims, cols, units, sms, kind):
    """Whether each program of one launch makes many walks: one program for each SM.

    The next K, V and first tiles then come while the last sums are stored: 1 to 11 %
    less time up to N = 4096. Longer sequences take up to 3 % less at d = 128, but up to
    1 % more at d = 64, where they have a program for each walk.
    """
    return kind == 0 and (dims == 128 or cols <= 32) and cols * units > sms


def last_of(units, cols, crew, causal, sms):
    """How many of the last units form a crew of their own, so that the end is even.

    In causal launches whose heads follow each other: about two walks for each SM.
    """
    return min(units, max(1, 2 * sms // cols)) if causal and crew == 1 else crew


def crew_of(units, cols, causal, ordered=False):
    """Of units programs with the same keys, how many come before those with the next.

    Causal ones come in crews of up to 512, longest first, so that the last are short:
    5 to 9 % less time at N = 4096 and 8192. But a head of few programs keeps them
    together, since they read the same tiles: at N = 1024, crews cost 11 to 24 %.
    With ordered sums the heads that run at once form a crew. So their first columns
    begin together, and each later column a little after the one that it waits for.
    """
    wide = 512 if causal and cols >= 32 else 128 if ordered else cols
    crew = max(1, min(units, wide // cols))
    return next(c for c in range(crew, 0, -1) if units % c == 0)


def order(dims, cols, causal):
    """In which order dQ is added up: 0 for any, which is faster, or 1 or 2.

    One order gives the same bits each time, as torch.use_deterministic_algorithms asks.
    1: later keys first, each from its first tile down. 2: early keys first, each from
    the last tile up, which begins with the longest programs: 9 to 14 % faster where
    they are many and differ in length, and 2 to 22 % slower for other causal ones.
    """
    if not torch.are_deterministic_algorithms_enabled():
        return 0
    return 2 if causal and dims == 128 and cols >= 32 else 1


@struct
class Walk:
    """A program's keys, and the tiles of queries that see them, head after head."""

    col: gl.tensor  # the first key
    unit: gl.tensor  # number of the program among those with these keys
    head: gl.tensor  # its first query head, counted through the batch
    heads: gl.tensor  # query heads of a batch entry
    first: gl.tensor  # of each head: the first tile that sees a key,
    masked: gl.tensor  # how many from there need a mask,
    tiles: gl.tensor  # and how many there are
    see: gl.tensor  # how far after col the first tile's first row sees
    left: gl.tensor  # how far after col the last key lies
    n_pad: gl.tensor  # rows of a head in L, δ and the fp32 dQ
    group: gl.constexpr  # query heads that share a head of K and V,
    share: gl.constexpr  # and how many of them are this program's
    rows: gl.constexpr  # B_r
    back: gl.constexpr  # whether the last tile comes first

    @gluon.jit
    def nth(self, i):
        """Number, from the first, of the tile that comes after i others."""
        return self.tiles - 1 - i if self.back else i

    @gluon.jit
    def place(self):
        """(batch entry, first query head in it, head of K and V in it)."""
        head = self.head % self.heads
        return self.head // self.heads, head, head // self.group

    @gluon.jit
    def turn(self, tile):
        """How many programs add to a tile of dQ before this one.

        Those of earlier keys if `back`, which all see the tile, or those of later keys
        that see it: from col, min(…) is the last key that the tile's last row sees.

        So a program waits only for some with a lower index. CUDA does not promise to
        start programs in the order of their index, but Hopper does: this is assumed, as
        FlashAttention-3 does. The one with the lowest index of those at work then waits
        for nobody, and nothing hangs, however few fit on the card. If an SM's place
        went to a later program first, it would wait until the earlier one found another
        place, and for ever if all places were taken so. A counter from which programs
        draw their index would need no promise, but each would wait for it at first.
        """
        if self.back:
            return self.col // KEYS
        return gl.minimum(self.see + (tile + 1) * self.rows - 1, self.left) // KEYS


@struct
class Work:
    """All walks of one launch, numbered in the order in which they begin."""

    first: gl.tensor  # the first query head
    heads: gl.tensor
    n_q: gl.tensor
    n_k: gl.tensor
    n_pad: gl.tensor
    shift: gl.tensor
    cols: gl.tensor  # blocks of keys
    units: gl.tensor  # walks with the same keys: heads of K and V, times parts
    crew: gl.tensor  # see crew_of
    last: gl.tensor  # see last_of
    group: gl.constexpr
    share: gl.constexpr
    rows: gl.constexpr
    order: gl.constexpr
    draws: gl.constexpr
    width: base_value  # a row sees so many keys before its last one; None: all of them

    @gluon.jit
    def begins(self, number):
        """Whether there is a walk with this number."""
        return number < self.units * self.cols

    @gluon.jit
    def slot(self, n):
        """Where the K of a program's walk number n is: with room for two, in turn."""
        return 2 * (n & 1) if self.draws else 0

    @gluon.jit
    def walk(self, number):
        """The Walk with this number. Row r sees keys 0 .. min(r + shift, n_k − 1), or,
        with a width, those from r + shift − width on.

        Most rows see the early keys: these come first, but where dQ is added up with
        later keys first, it is they that wait for nobody. Keys past the end are masked
        in every tile: S = 0 there, and e^{−L} may be ∞, which K's zeros would turn into
        NaN in dQ. Rows past the end, or that see no key, need no mask: their L is ∞;
        where it is a sink, mask_backward.within asks for each tile.
        """
        before = (self.units - self.last) * self.cols  # the walks of other crews
        late = number >= before
        crew = gl.where(late, self.last, self.crew)
        i = gl.where(late, number - before, number)
        unit = gl.where(late, self.units - self.last, i // (crew * self.cols) * crew)
        unit += i % crew
        col = i // crew % self.cols * KEYS
        if self.order == 1:
            col = (self.cols - 1) * KEYS - col
        past = self.n_q
        if self.width is not None:
            past = gl.maximum(col + KEYS - self.shift + self.width, 0)
        end = gl.cdiv(gl.minimum(past, self.n_q), self.rows)
        first = gl.minimum(gl.maximum(col - self.shift, 0) // self.rows, end)
        full = gl.cdiv(gl.maximum(col + KEYS - 1 - self.shift, 0), self.rows)
        masked = gl.where(col + KEYS > self.n_k, end, gl.minimum(full, end)) - first
        see, left = first * self.rows + self.shift - col, self.n_k - 1 - col
        return Walk(
            col, unit, self.first + unit * self.share, self.heads, first, masked,
            end - first, see, left, self.n_pad, self.group, self.share, self.rows,
            self.order == 2,
        )
