"""How many tiles a mask leaves, counted without a loop, and which sizes kernels choose.

Sources: hopper/tile_size.h, hopper/flash_bwd_launch_template.h (FlashAttention-3) and
csrc/flash_attn/src/flash_{fwd,bwd}_launch_template.h (FlashAttention-2) of
Dao-AILab/flash-attention, read in November 2026.
"""


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
    n: int, n_k: int, block_rows: int, block_cols: int, causal: bool | str
) -> tuple[int, int, int]:
    """(rows, columns, scores) of all tiles that are visited, added up.

    Without a mask, each of the N rows is visited T_c times and each column T_r times.
    causal means what it means in tilewise.ledger: a block of rows visits the tiles up
    to the last key that its last row sees.
    """
    t_r, t_c = -(-n // block_rows), -(-n_k // block_cols)
    if not causal:
        return n * t_c, n_k * t_r, n * n_k
    shift = 0 if causal == "top-left" else n_k - n
    whole, rest = n // block_rows, n % block_rows  # whole blocks, rows after them
    # blocks before `first` see no key, those from `full` on visit all T_c tiles
    first = min(max(0, -shift // block_rows), whole)
    edge = (t_c - 1) * block_cols - shift
    full = min(max(first, edge // block_rows), whole)
    start = (first + 1) * block_rows + shift + block_cols - 1  # ⌈x/B⌉ = ⌊(x+B−1)/B⌋
    between = floor_sum(full - first, block_rows, start, block_cols)
    tiles, seen = between + (whole - full) * t_c, between * block_cols
    seen += (whole - full) * n_k  # the last tile may be narrower
    last = -(-max(0, min(n + shift, n_k)) // block_cols) if rest else 0
    last_seen = min(last * block_cols, n_k)
    rows, scores = block_rows * tiles + rest * last, block_rows * seen
    return rows, seen + last_seen, scores + rest * last_seen


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
