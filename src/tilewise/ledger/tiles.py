"""How many tiles a mask leaves, counted without a loop, and which sizes kernels choose.

Sources: hopper/tile_size.h, hopper/flash_bwd_launch_template.h (FlashAttention-3) and
csrc/flash_attn/src/flash_{fwd,bwd}_launch_template.h (FlashAttention-2) of
Dao-AILab/flash-attention, read in November 2026.
"""

from tilewise.trace.grid import limits


def floor_sum(count: int, a: int, b: int, m: int) -> int:
    """Σ ⌊(a·i + b) / m⌋ over i = 0 .. count − 1, for a, b ≥ 0 and m ≥ 1.

    The sum counts the points of a grid below a line. The whole parts of a/m and b/m
    are counted at once; then the axes change places, as in Euclid's algorithm.
    Therefore the number of steps is small, about the number of digits of m.
    """
    total = 0
    while count > 0:
        total += (count - 1) * count // 2 * (a // m) + count * (b // m)
        a, b = a % m, b % m
        top = a * count + b
        count, b, m, a = top // m, top % m, a, m
    return total


def visits(
    n: int,
    n_k: int,
    block_rows: int,
    block_cols: int,
    causal: bool | str,
    window: tuple | None = None,
    block_mask: list | None = None,
) -> tuple[int, int, int]:
    """(rows, columns, scores) of all tiles that are visited, added up.

    Without a mask, each of the N rows is visited T_c times and each column T_r times.
    causal and window mean what they mean in tilewise.trace: a block of rows visits the
    tiles from the first key that its first row sees to the last that its last row sees.
    block_mask, T_r lists of T_c bools, leaves of these the tiles that are True.
    """
    low, high = limits(n, n_k, causal, window)
    if block_mask is not None:
        return listed(n, n_k, block_rows, block_cols, low, high, block_mask)
    t_c, whole, rest = -(-n_k // block_cols), n // block_rows, n % block_rows
    rows = cols = scores = 0
    for count, size, first in ((whole, block_rows, 0), (1, rest, n - rest)):
        if count == 0 or size == 0:
            continue
        tiles, keys = count * t_c, count * n_k
        grid = block_rows, block_cols, n_k
        if high is not None:  # ⌈x/B⌉ = ⌊(x+B−1)/B⌋ of the last row's x keys
            start = first + size + high + block_cols - 1
            tiles, keys = stairs(count, start, t_c * block_cols, *grid)
        if low is not None:  # less the tiles before the first row's first key
            hidden = stairs(count, first + low, n_k, *grid)
            tiles, keys = tiles - hidden[0], keys - hidden[1]
        rows, cols, scores = rows + size * tiles, cols + keys, scores + size * keys
    return rows, cols, scores


def stairs(
    count: int, start: int, end: int, step: int, block_cols: int, n_k: int
) -> tuple[int, int]:
    """(tiles, keys) before the places start, start + step, …, `count` of them, in all.

    There are ⌊x / B_c⌋ tiles before place x, none below 0, and from `end` on all T_c,
    the last of which may be narrower.
    """
    first = min(max(0, -(start // step)), count)  # the places before are below 0
    full = min(max(first, -((start - end) // step)), count)  # from there on all T_c
    between = floor_sum(full - first, step, start + first * step, block_cols)
    after = count - full
    return between + after * -(-n_k // block_cols), between * block_cols + after * n_k


def listed(
    n: int,
    n_k: int,
    block_rows: int,
    block_cols: int,
    low: int | None,
    high: int | None,
    block_mask: list,
) -> tuple[int, int, int]:
    """visits of the tiles that block_mask lists and that the limits low, high leave.

    Raises ValueError where the lists do not fit the sizes.
    """
    grid = -(-n // block_rows), -(-n_k // block_cols)
    if (len(block_mask), {len(row) for row in block_mask}) != (grid[0], {grid[1]}):
        raise ValueError(f"block_mask must be {grid[0]} lists of {grid[1]} bools")
    rows = cols = scores = 0
    for i, row in enumerate(block_mask):
        r, r_end = i * block_rows, min((i + 1) * block_rows, n)
        for j, here in enumerate(row):
            c, c_end = j * block_cols, min((j + 1) * block_cols, n_k)
            late = high is not None and c >= r_end + high
            early = low is not None and c_end <= r + low
            if here and not late and not early:
                rows, cols = rows + r_end - r, cols + c_end - c
                scores += (r_end - r) * (c_end - c)
    return rows, cols, scores


HOPPER = 227 * 1024  # bytes that a thread block may use on an H100
KERNELS = {  # way: [(largest d, tile, tile if causal), …]
    "FlashAttention-2": {
        "forward": [(64, (128, 128), (128, 128)), (256, (128, 64), (128, 64))],
        "backward": [
            (64, (128, 128), (128, 128)),
            (128, (64, 128), (64, 128)),
            (256, (64, 64), (64, 64)),
        ],
    },
    "FlashAttention-3": {
        "forward": [
            (64, (192, 192), (192, 128)),
            (96, (192, 144), (192, 144)),
            (128, (128, 176), (128, 128)),
            (192, (128, 112), (128, 112)),
            (256, (128, 80), (128, 80)),
        ],
        "backward": [
            (64, (128, 128), (128, 128)),
            (96, (64, 128), (64, 128)),
            (128, (80, 128), (64, 128)),
            (192, (64, 96), (64, 96)),
            (256, (64, 80), (64, 80)),
        ],
    },
}


def kernel_tiles(
    d: int, way: str, *, causal: bool | str = False, room: int = HOPPER
) -> tuple[int, int]:
    """(B_r, B_c) that a kernel uses for 2-byte numbers; way is forward or backward.

    These are the tiles of FlashAttention-3 if a thread block has at least the `room`
    of an H100, in bytes, and otherwise those of FlashAttention-2 for an A100, without
    dropout. Raises ValueError if d is above 256, since there is no kernel for it.
    """
    kernel = KERNELS["FlashAttention-3" if room >= HOPPER else "FlashAttention-2"]
    for most, tile, causal_tile in kernel[way]:
        if d <= most:
            return causal_tile if causal else tile
    raise ValueError(f"d must be at most 256 for a kernel's tiles, not {d}")
