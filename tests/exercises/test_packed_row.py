"""The exercise on packed rows says what tilewise.packing says."""

import pytest

from tilewise import packing
from tilewise.exercises import packed_row

CASES = [(given, made) for _, given, made in packed_row.cases()]


@pytest.mark.parametrize(("given", "expected"), CASES)
def test_as_tilewise_packs(given, expected):
    """A document without tokens is none to `pack`, so `documents` has no gap there."""
    tokens, ends = given
    rows = [tokens[a:b] for a, b in zip(ends, ends[1:]) if b > a]
    (row,) = packing.pack(rows, len(tokens), bins=packing.in_order)
    numbers = sorted(set(expected[2]))
    dense = [numbers.index(i) for i in expected[2]]
    assert row["tokens"].tolist() == tokens
    assert row["labels"].tolist() == expected[0]
    assert row["positions"].tolist() == expected[1]
    assert row["documents"].tolist() == dense
    assert row["cu_seqlens"].tolist() == sorted(set(ends))
    assert packed_row.IGNORE == packing.IGNORE
