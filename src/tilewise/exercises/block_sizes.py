"""How large the tiles of Algorithm 1 are, from the bytes of SRAM."""


# --8<-- [start:solution]
def block_sizes(sram_bytes, element_bytes, d):
    """(B_r, B_c) of Algorithm 1, line 1: B_c = ⌈M/4d⌉, B_r = min(⌈M/4d⌉, d).

    M is how many whole elements fit into the SRAM. All numbers are whole.
    """
    m = sram_bytes // element_bytes
    block_cols = -(-m // (4 * d))  # ⌈m / 4d⌉ without a float
    return min(block_cols, d), block_cols
    # --8<-- [end:solution]


SOLUTION = block_sizes
WRONG = """
bytes_for_elements: M in bytes.
  sram_bytes // element_bytes → sram_bytes
rounded_down: ⌊M/4d⌋.
  -(-m // (4 * d)) → m // (4 * d)
minimum_left_out: B_r is as large as B_c.
  min(block_cols, d) → block_cols
the_other_way_round: (B_c, B_r).
  min(block_cols, d), block_cols → block_cols, min(block_cols, d)
minimum_for_both: B_c is cut to d too.
  min(block_cols, d), block_cols → min(block_cols, d), min(block_cols, d)
three_blocks: A third for each of Q, K, V: O has no place.
  (4 * d) → (3 * d)
part_of_an_element: The odd byte that holds no whole element counts too.
  sram_bytes // element_bytes → -(-sram_bytes // element_bytes)
"""
TOLERANCE = 0


def cases():
    yield "bytes", [16, 1, 2], (2, 2)
    yield "example", [32, 2, 2], (2, 2)
    yield "example", [18, 2, 2], (2, 2)
    for element_bytes in (2, 4):  # an A100's 163 KiB
        for d in (64, 128):
            sizes = [163 * 1024, element_bytes, d]
            yield "a100", sizes, counted(*sizes)
    for d in (1, 3, 40, 256):
        for sram_bytes in (1000, 4097, 232448):
            yield "many", [sram_bytes, 2, d], counted(sram_bytes, 2, d)


def counted(sram_bytes, element_bytes, d):
    """B_c is the smallest number whose four blocks, each B_c · d, hold M elements."""
    block_cols = 0
    while 4 * d * block_cols * element_bytes < whole(sram_bytes, element_bytes):
        block_cols += 1
    return (block_cols if block_cols < d else d), block_cols


def whole(sram_bytes, element_bytes):
    """The bytes that are of use: those of whole elements."""
    return sram_bytes - sram_bytes % element_bytes
