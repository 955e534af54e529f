"""Numbers in 4 bits, with a scale for each few of them."""

from tilewise.exercises.plain import numbers, row


# --8<-- [start:solution]
def block_scales(xs, per):
    """(scales, elements): xs in e2m1, with a scale for each `per` numbers in a row.

    The numbers of e2m1 are 0, 0.5, 1, 1.5, 2, 3, 4, 6, each with either sign. A scale
    is the largest |x| of its block over 6, or 1 where that is 0, and an element is the
    number nearest to x / scale. Of two that are equally near, it is the one with an
    even place in the list above, where 0 has place 0. The last block may be shorter.
    """
    grid, scales, elements = [0, 0.5, 1, 1.5, 2, 3, 4, 6], [], []
    for first in range(0, len(xs), per):
        block = xs[first : first + per]
        scale = max(abs(x) for x in block) / 6 or 1
        scales.append(scale)
        for x in block:
            far = [(abs(abs(x) / scale - y), i % 2, y) for i, y in enumerate(grid)]
            elements.append(min(far)[2] if x >= 0 else -min(far)[2])
    return scales, elements
    # --8<-- [end:solution]


SOLUTION = block_scales
WRONG = """
one_scale: All numbers share the scale of the largest.
  max(abs(x) for x in block) / 6 → max(abs(x) for x in xs) / 6
largest_without_sign: The largest x is taken, and not the largest |x|.
  max(abs(x) for x in block) → max(max(block), 1e-9)
zeros_divided: A block of zeros has the scale 0.
  / 6 or 1 → / 6
last_block_left_out: The numbers after the last whole block are lost.
  range(0, len(xs), per) → range(0, len(xs) // per * per, per)
ties_upwards: Halfway between two numbers, the larger one is taken.
  i % 2, y) → -y, y)
ties_downwards: Halfway between two numbers, the smaller one is taken.
  i % 2, y) → y, y)
even_steps: Elements are rounded to multiples of 0.5, as if their gaps were all equal.
  min(far)[2] if → round(2 * abs(x) / scale) / 2 if
"""


def cases():
    yield "example", [[3, -1.5, 0.5, 0], 4], ([0.5], [6, -3, 1, 0])
    xs = [6, 0.25, 0.75, 1.25, -1.75, -2.5, 3.5, 5]
    yield "ties", [xs, 8], ([1], [6, 0, 1, 1, -2, -2, 4, 4])
    yield "ties", [[x / 4 for x in xs], 8], ([0.25], [6, 0, 1, 1, -2, -2, 4, 4])
    xs = [0.75, -0.25, 24, 1.5]  # an outlier rounds its neighbours to 0
    yield "outlier", [xs, 4], ([4], [0, 0, 6, 0.5])
    yield "outlier", [xs, 2], ([0.125, 4], [6, -2, 6, 0.5])
    yield "zeros", [[0, 0, 3, 0, 0], 2], ([1, 0.5, 1], [0, 0, 6, 0, 0])
    yield "negative", [[-12, 2, -3, -0.75], 2], ([2, 0.5], [-6, 1, -6, -1.5])
    source = numbers(53)
    for n, per in ((8, 4), (7, 3), (5, 8), (4, 1)):
        yield case(source, n, per)


def case(source, n, per):
    """Numbers that are on the grid already, and a largest one in every block."""
    grid = [0, 0.5, 1, 1.5, 2, 3, 4, 6]
    elements = [grid[int(x * 16) % 8] * (-1 if x < 0 else 1) for x in row(source, n)]
    elements = [6 if i % per == 0 else x for i, x in enumerate(elements)]
    scales = [2.0 ** int(x) for x in row(source, -(-n // per))]
    xs = [x * 1.04 * scales[i // per] for i, x in enumerate(elements)]
    return "shorter", [xs, per], ([1.04 * x for x in scales], elements)
