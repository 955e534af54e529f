"""Which block of query rows a program takes in which round, without asking anyone.

A program of the persistent Gluon kernel stays on its processor. Causal blocks differ in
length, so their order decides how long the last program works alone, and how well K and
V stay in the L2 cache.
"""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl

from tilewise.kernels.shared.gluon import struct


@struct
class Reach:
    """The rows of a head, and how far into its keys each of them sees."""

    n_q: gl.tensor
    n_k: gl.tensor
    shift: gl.tensor  # row r sees the keys 0 .. r + shift
    rows: gl.constexpr
    cols: gl.constexpr

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


@struct
class Work:
    """What is to be done, and which part of it this program does in which round."""

    reach: Reach  # of every head
    heads: gl.tensor
    group: gl.tensor  # query heads that share a head of K and V
    total: gl.tensor  # heads of the whole batch
    crew: gl.tensor  # heads that run side by side: their K and V fit in L2
    crews: gl.tensor  # how many there are
    odd: gl.tensor  # 2¹⁶ over the rounds of a crew; 0 where these are even

    @gluon.jit
    def rounds(self):
        tiles = gl.cdiv(self.reach.n_q, self.reach.rows)
        return gl.cdiv(tiles * self.total, gl.num_programs(0))

    @gluon.jit
    def block(self, round):
        """(first row, head, how many tiles of keys) in a round; 0 tiles: no work left.

        A crew's longest blocks come first, the next crew's last, and the last crew ends
        with its shortest. Within a crew programs draw to and fro, and each begins at
        the same end: else, where its rounds are odd, a program would draw the longest
        block of every crew.
        """
        program, programs = gl.program_id(0), gl.num_programs(0)
        turned = (round + (round * self.odd >> 16)) % 2 != 0
        slot = round * programs + gl.where(turned, programs - 1 - program, program)
        rows: gl.constexpr = self.reach.rows
        tiles = gl.cdiv(self.reach.n_q, rows)
        left = slot < tiles * self.total
        slot = gl.where(left, slot, 0)
        crew = slot // (tiles * self.crew)
        first = crew * self.crew  # head
        size = gl.minimum(self.crew, self.total - first)  # the last may be smaller
        rest = slot - first * tiles
        i = rest // size
        i = gl.where((self.crews - crew) % 2 != 0, tiles - 1 - i, i)
        keys = self.reach.tiles_of(i * rows, rows)
        return i * rows, first + rest % size, gl.where(left, keys, 0)


def turns(blocks, total, crew, programs):
    """(crew, crews, odd) of a Work: blocks of rows of total heads, a crew at a time."""
    rounds = max(1, round(blocks * crew / total / programs))
    return crew, -(-total // crew), (2**16 // rounds + 1) * (rounds % 2)


def chosen(usual, tile):
    """(block_rows, block_cols, num_stages): usual, or from tile where it names them.

    Raises TypeError for another name, ValueError for sizes that no consumers fit.
    """
    names = "block_rows", "block_cols", "num_stages"
    if unknown := tile.keys() - set(names):
        raise TypeError(f"a tile has {', '.join(names)}, not {min(unknown)}")
    rows, cols, stages = (dict(zip(names, usual)) | tile).values()
    if rows not in (128, 192) or cols not in (64, 128):
        message = "block_rows is 128 or 192, block_cols 64 or 128"
        raise ValueError(f"{message}, not {rows} and {cols}")
    return rows, cols, stages
