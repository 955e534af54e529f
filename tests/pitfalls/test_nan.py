"""Which rows are NaN: what the page's table says, of each cause that it names."""

import pytest
import torch
from torch.nn.functional import pad

from tilewise.pitfalls import named, pieces, use
from tilewise.pitfalls.assembled import assemble, run
from tilewise.pitfalls.inputs import INPUTS, drawn, half, same_for_all

RIGHT = assemble(pieces.step, pieces.step)


def rows_of(found):
    """One letter a row of the output, N for NaN."""
    return "".join(".N"[x] for x in found["o"][0].isnan().any(-1))


@pytest.mark.parametrize(
    "name, rows",
    [
        ("q", ".....N......"),  # its own row
        ("k", ".....NNNNNNN"),  # every row that sees it
        ("v", "....NNNNNNNN"),  # row 4 too, in the same 4 × 4 tile: 0 · NaN
    ],
)
def test_a_nan_in_the_input(name, rows):
    case = INPUTS["causal"]()
    case[name] = case[name].clone()
    case[name][5, 0] = torch.nan
    assert rows_of(run(RIGHT, case)) == rows


def test_plus_infinity_with_and_without_the_hidden_tiles():
    """Skipped, they spare the last row of each block; visited, the last row of all."""
    case, infinity = INPUTS["causal"](), named("plus_infinity")
    assert rows_of(run(use(infinity), case)) == "NNN.NNN.NNN."
    every = {"visit": lambda key_blocks, *_: key_blocks}
    visited = assemble(infinity.wrong, infinity.right, every)
    assert rows_of(run(visited, case)) == "NNNNNNNNNNN."


@pytest.mark.parametrize(
    "n_k, causal, rows",
    [(11, False, "NNNNNNNNN"), (11, True, "....NNNNN"), (12, False, ".........")],
)
def test_values_beyond_the_end_that_nobody_wrote(n_k, causal, rows):
    """Their scores are hidden, so P is 0; 0 · NaN is NaN in all rows of the tile."""

    def unwritten(k, v, size):
        missing = (0, 0, 0, -k.shape[-2] % size)
        return pad(k, missing), pad(v, missing, value=torch.nan)

    case = drawn(9, n_k, 4, length=n_k, causal=causal)
    assert rows_of(run(assemble(unwritten, pieces.pad), case)) == rows
    assert rows_of(run(RIGHT, case)) == "." * 9


@pytest.mark.parametrize(
    "n_k, v, shown",
    [(70_000, 2, torch.nan), (70_000, 1 / 128, 0), (40_000, 2, torch.inf)],
)
def test_sums_past_the_range_of_fp16(n_k, v, shown):
    """NaN needs both: ℓ = ∞ alone gives 0, o = ∞ alone gives ∞."""
    case = same_for_all(half(n_k, torch.float16, 1000), q=0, k=0, v=v)
    o = run(use(named("sums_in_input_dtype")), case)["o"]
    torch.testing.assert_close(o, torch.full_like(o, shown), equal_nan=True)


def test_the_guard_does_not_cure_zero_by_zero_nor_an_empty_row_s_gradient():
    """The two other places: the division at the end, and P again in the backward."""

    def unguarded_division(m, l, o):
        return o / l, m + l.log()

    case = INPUTS["causal_shorter"]()
    divided = run(assemble(unguarded_division, pieces.finish), case)
    assert rows_of(divided) == "NNNN....."
    again = run(use(named("unguarded_again")), case)
    assert rows_of(again) == "." * 9 and again["dq"].isnan().any()
    right = run(RIGHT, case)
    assert all(right[x].isfinite().all() for x in ("o", "dq", "dk", "dv"))
