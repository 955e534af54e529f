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


SOLUTION = tile_kind
WRONG = """
by_number_of_block: Block i against block j, as if tiles were square.
  n_k - n_q if causal == "bottom-right" else 0 → 0
  rows[0], rows[1] - 1 → [rows[0] // (rows[1] - rows[0])] * 2
  cols[0], cols[1] - 1 → [cols[0] // (cols[1] - cols[0])] * 2
  last_col <= → last_col <
always_top_left: The alignment is ignored.
  n_k - n_q if causal == "bottom-right" else 0 → 0
shift_the_wrong_way: n_q − n_k.
  n_k - n_q → n_q - n_k
end_taken_for_last: rows[1] and cols[1] are one too many.
  rows[1] - 1 → rows[1]
  cols[1] - 1 → cols[1]
first_row_decides: Empty where the first row sees nothing: the last may see something.
  first_col > last_row → first_col > first_row
own_key_hidden: c < r + shift: a query does not see the key that it stands at.
  first_col > last_row → first_col >= last_row
  last_col <= → last_col <
"""


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
