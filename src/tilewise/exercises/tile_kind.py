"""Is a tile of a causal mask full, partial or empty?"""


# --8<-- [start:solution]
def tile_kind(rows, cols, n_q, n_k, causal):
    """ "full", "partial" or "empty": how much of a tile its rows may see.

    rows = (first, end) and cols = (first, end) count from 0, end is not in it. There
    are n_q queries and n_k keys. causal "bottom-right": query r sees the keys c with
    c ≤ r + n_k − n_q; "top-left": those with c ≤ r.
    """
    shift = n_k - n_q if causal == "bottom-right" else 0
    first_row, last_row = rows[0], rows[1] - 1
    first_col, last_col = cols[0], cols[1] - 1
    if first_col > last_row + shift:  # the last row sees most
        return "empty"
    return "full" if last_col <= first_row + shift else "partial"
    # --8<-- [end:solution]


def by_number_of_block(rows, cols, n_q, n_k, causal):
    """Block i against block j, as if tiles were square."""
    i, j = rows[0] // (rows[1] - rows[0]), cols[0] // (cols[1] - cols[0])
    return "full" if j < i else "partial" if j == i else "empty"


def always_top_left(rows, cols, n_q, n_k, causal):
    """The alignment is ignored."""
    return tile_kind(rows, cols, n_q, n_k, "top-left")


def shift_the_wrong_way(rows, cols, n_q, n_k, causal):
    """n_q − n_k."""
    return tile_kind(rows, cols, n_k, n_q, causal)


def end_taken_for_last(rows, cols, n_q, n_k, causal):
    """rows[1] and cols[1] are one too many."""
    shift = n_k - n_q if causal == "bottom-right" else 0
    if cols[0] > rows[1] + shift:
        return "empty"
    return "full" if cols[1] <= rows[0] + shift else "partial"


def first_row_decides(rows, cols, n_q, n_k, causal):
    """Empty where the first row sees nothing: the last one may see something."""
    shift = n_k - n_q if causal == "bottom-right" else 0
    if cols[0] > rows[0] + shift:
        return "empty"
    return "full" if cols[1] - 1 <= rows[0] + shift else "partial"


def own_key_hidden(rows, cols, n_q, n_k, causal):
    """c < r + shift: a query does not see the key that it stands at."""
    shift = n_k - n_q if causal == "bottom-right" else 0
    if cols[0] >= rows[1] - 1 + shift:
        return "empty"
    return "full" if cols[1] - 1 < rows[0] + shift else "partial"


SOLUTION = tile_kind
WRONG = (
    by_number_of_block,
    always_top_left,
    shift_the_wrong_way,
    end_taken_for_last,
    first_row_decides,
    own_key_hidden,
)


def cases():
    for tile in tiles(4, 4, 2, 2, "bottom-right"):
        yield "example", tile, counted(*tile)
    for sizes in ((6, 6, 2, 3), (8, 8, 4, 2), (7, 7, 3, 2)):
        for tile in tiles(*sizes, "bottom-right"):
            yield "uneven", tile, counted(*tile)
    for sizes in ((2, 6, 1, 2), (6, 3, 2, 2), (1, 5, 1, 4)):
        for tile in tiles(*sizes, "bottom-right"):
            yield "bottom-right", tile, counted(*tile)
        for tile in tiles(*sizes, "top-left"):
            yield "top-left", tile, counted(*tile)


def tiles(n_q, n_k, block_rows, block_cols, causal):
    """The arguments of every tile."""
    for r in range(0, n_q, block_rows):
        for c in range(0, n_k, block_cols):
            rows, cols = (r, min(r + block_rows, n_q)), (c, min(c + block_cols, n_k))
            yield [rows, cols, n_q, n_k, causal]


def counted(rows, cols, n_q, n_k, causal):
    """Look at every entry of the tile."""
    seen = [
        c <= (r + n_k - n_q if causal == "bottom-right" else r)
        for r in range(*rows)
        for c in range(*cols)
    ]
    return "full" if all(seen) else "partial" if any(seen) else "empty"
