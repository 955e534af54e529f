"""Which block of query rows a program takes in which round, without asking anyone.

A program of the persistent Gluon kernel stays on its processor. Causal blocks differ in
length, so their order decides how long the last program works alone, and how well K and
V stay in the L2 cache.
"""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl

from tilewise.kernels._gluon import struct


# --8<-- [start:work]
@struct
class Work:
    """What is to be done, and which part of it this program does in which round."""

    n_q: gl.tensor
    n_k: gl.tensor
    shift: gl.tensor  # row r sees the keys 0 .. r + shift
    heads: gl.tensor
    group: gl.tensor  # query heads that share a head of K and V
    total: gl.tensor  # heads of the whole batch
    crew: gl.tensor  # heads that run side by side: their K and V fit in L2
    rows: gl.constexpr
    cols: gl.constexpr

    @gluon.jit
    def rounds(self):
        return gl.cdiv(gl.cdiv(self.n_q, self.rows) * self.total, gl.num_programs(0))

    @gluon.jit
    def block(self, round):
        """(first row, head, how many tiles of keys) in a round; 0 tiles: no work left.

        A crew's longest blocks come first, the next crew's last, and the last crew ends
        with its shortest. Within a crew programs draw to and fro. Each crew begins
        forth, by the round next to its first block: drawn on across crews that are a
        round long, a program would get the longest of every crew.
        """
        program, programs = gl.program_id(0), gl.num_programs(0)
        tiles = gl.cdiv(self.n_q, self.rows)
        per_crew, half = tiles * self.crew, programs // 2
        crew = (round * programs + half) // per_crew
        begin = (crew * per_crew + half) // programs  # its first round
        turned = (round - begin) % 2 != 0
        slot = round * programs + gl.where(turned, programs - 1 - program, program)
        left = slot < tiles * self.total
        slot = gl.where(left, slot, 0)
        first = slot // per_crew * self.crew  # head of the crew
        size = gl.minimum(self.crew, self.total - first)  # the last may be smaller
        rest = slot - first * tiles
        crews_after = (self.total - 1 - first) // self.crew
        i = rest // size
        i = gl.where(crews_after % 2 == 0, tiles - 1 - i, i)
        keys = self.tiles_of(i * self.rows, self.rows)
        return i * self.rows, first + rest % size, gl.where(left, keys, 0)

    @gluon.jit
    def tiles_of(self, row, rows):
        """Tiles of keys that `rows` rows from `row` on need, at least one."""
        past = gl.minimum(row + rows, self.n_q) + self.shift
        needed = gl.cdiv(gl.minimum(past, self.n_k), self.cols)
        return gl.maximum(gl.where(row < self.n_q, needed, 1), 1)

    @gluon.jit
    def full_tiles(self, row):
        """Tiles of keys that row `row` and all after it see whole."""
        return gl.maximum(gl.minimum(row + 1 + self.shift, self.n_k), 0) // self.cols

    # --8<-- [end:work]
