"""Which tiles to visit: lists for each block of queries, from intervals of keys."""

from tilewise.exercises.plain import numbers


# --8<-- [start:solution]
def tile_lists(first, end, n_k, block_rows, block_cols):
    """(cut, full): for each block of queries, the numbers of the tiles to visit.

    Query r sees the keys c with first[r] ≤ c < end[r], of n_k keys, and none where
    end[r] ≤ first[r]. A tile is full if all its queries see all its keys, and cut
    (or partial) if some of its queries see some of its keys; others are in no list.
    Block i has the queries from i · block_rows on, tile j the keys from j · block_cols
    on; the last ones may be smaller. Lists go from left to right.
    """
    cut, full = [], []
    for r in range(0, len(first), block_rows):
        seen = list(zip(first, end))[r : r + block_rows]
        cut.append([])
        full.append([])
        for j in range(-(-n_k // block_cols)):
            c, stop = j * block_cols, min((j + 1) * block_cols, n_k)
            here = [min(b, stop) - max(a, c) for a, b in seen]  # keys seen, if > 0
            if min(here) == stop - c:
                full[-1].append(j)
            elif max(here) > 0:
                cut[-1].append(j)
    return cut, full
    # --8<-- [end:solution]


SOLUTION = tile_lists
WRONG = """
hull_of_the_block: From the first key that any query sees to the last, with the gap.
  max(here) > 0 → min(seen)[0] < stop and c < max(y for _, y in seen)
some_query_is_enough: Full where one query sees all keys of the tile.
  if min(here) == → if max(here) ==
last_tile_never_full: The last tile is measured as if it were as wide as the others.
  == stop - c → == block_cols
first_query_decides: The other queries of the block are not asked.
  [r : r + block_rows] → [r : r + 1]
last_tile_left_out: N_k // B_c tiles.
  -(-n_k // block_cols) → n_k // block_cols
full_counts_as_cut: A full tile is in both lists, and is visited twice.
  elif max → if max
empty_queries_skipped: Queries without keys are not asked, so that a tile seems full.
  for a, b in seen] → for a, b in seen if a < b] or [0]
"""


def cases():
    yield "example", [[0] * 4, [1, 2, 3, 4], 4, 2, 2], ([[0], [1]], [[], [0]])
    lengths = [5, 3, 2]
    first = [sum(lengths[:i]) for i, n in enumerate(lengths) for _ in range(n)]
    end = [sum(lengths[: i + 1]) for i, n in enumerate(lengths) for _ in range(n)]
    yield case("documents", first, end, 10, 4, 2)
    yield case("documents", first, end, 10, 3, 3)
    n = range(11)
    for sizes in ((4, 4), (2, 3), (11, 2)):
        left = [max(0, r - 3) for r in n]
        yield case("window", left, [r + 1 for r in n], 11, *sizes)
    for sizes in ((3, 2), (2, 4)):
        yield case("ragged", [0] * 7, [9] * 7, 9, *sizes)
    yield case("gap", [0, 10, 0, 10], [4, 12, 2, 12], 12, 2, 2)
    yield case("nothing", [0, 5, 0, 3], [4, 2, 0, 3], 4, 2, 4)
    source = numbers(23)
    for sizes in ((2, 2), (3, 4), (1, 5)):
        first = [int(next(source) + 4) for _ in range(8)]
        end = [int(next(source) + 5 + x / 2) for x in first]
        yield case("random", first, end, 10, *sizes)


def case(check, first, end, n_k, block_rows, block_cols):
    """Look at every entry of every tile."""
    cut, full = [], []
    for r in range(0, len(first), block_rows):
        cut, full = cut + [[]], full + [[]]
        for c in range(0, n_k, block_cols):
            seen = [
                first[y] <= x < end[y]
                for y in range(r, min(r + block_rows, len(first)))
                for x in range(c, min(c + block_cols, n_k))
            ]
            if any(seen):
                (full if all(seen) else cut)[-1].append(c // block_cols)
    return check, [first, end, n_k, block_rows, block_cols], (cut, full)
