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


def bytes_for_elements(sram_bytes, element_bytes, d):
    """M in bytes."""
    block_cols = -(-sram_bytes // (4 * d))
    return min(block_cols, d), block_cols


def rounded_down(sram_bytes, element_bytes, d):
    """⌊M/4d⌋."""
    block_cols = sram_bytes // element_bytes // (4 * d)
    return min(block_cols, d), block_cols


def minimum_left_out(sram_bytes, element_bytes, d):
    """B_r is as large as B_c."""
    block_cols = -(-(sram_bytes // element_bytes) // (4 * d))
    return block_cols, block_cols


def the_other_way_round(sram_bytes, element_bytes, d):
    """(B_c, B_r)."""
    block_cols = -(-(sram_bytes // element_bytes) // (4 * d))
    return block_cols, min(block_cols, d)


def minimum_for_both(sram_bytes, element_bytes, d):
    """B_c is cut to d too."""
    size = min(-(-(sram_bytes // element_bytes) // (4 * d)), d)
    return size, size


def three_blocks(sram_bytes, element_bytes, d):
    """A third for each of Q, K, V: O has no place."""
    block_cols = -(-(sram_bytes // element_bytes) // (3 * d))
    return min(block_cols, d), block_cols


def part_of_an_element(sram_bytes, element_bytes, d):
    """⌈bytes / (4d · bytes of an element)⌉: the odd byte that holds nothing counts."""
    block_cols = -(-sram_bytes // (element_bytes * 4 * d))
    return min(block_cols, d), block_cols


SOLUTION = block_sizes
WRONG = (
    bytes_for_elements,
    rounded_down,
    minimum_left_out,
    the_other_way_round,
    minimum_for_both,
    three_blocks,
    part_of_an_element,
)
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
