"""What hypothesis draws. conftest.py at the root says how many examples.

Scores are whole numbers and e^x is replaced by 2^x where results must be exact.
"""

import torch
from hypothesis import strategies as st

WHOLE = st.integers(-4, 4)
CAUSAL = st.sampled_from([False, True, "top-left"])
ORDER = st.sampled_from(["kv-outer", "q-outer"])
SIZE = st.integers(1, 7)
BLOCK = st.integers(1, 9)  # smaller and larger than what there is


def matrix(rows, columns, numbers=WHOLE):
    """rows lists of as many numbers."""
    row = st.lists(numbers, min_size=columns, max_size=columns)
    return st.lists(row, min_size=rows, max_size=rows)


@st.composite
def problems(draw, *, gradient=False):
    """q, k, v of whole numbers and, with gradient, do: N_q ≠ N_k, d_v ≠ d too."""
    n_q, n_k, d, d_v = (draw(SIZE) for _ in range(4))
    shapes = [(n_q, d), (n_k, d), (n_k, d_v)] + [(n_q, d_v)] * gradient
    return [draw(matrix(*shape)) for shape in shapes]


@st.composite
def tensors(draw, *, dtype=torch.float64):
    """q, k, v, do (batch, heads, N, d) by seed, with heads that share keys."""
    batch, heads, group = (
        draw(st.integers(1, 2)),
        draw(SIZE) % 3 + 1,
        draw(SIZE) % 3 + 1,
    )
    n_q, n_k, d, d_v = (draw(st.integers(1, 20)) for _ in range(4))
    source = torch.Generator().manual_seed(draw(st.integers(0, 2**32)))
    size = draw(st.sampled_from([0.1, 1.0, 10.0]))
    shapes = (heads * group, n_q, d), (heads, n_k, d), (heads, n_k, d_v)
    shapes += ((heads * group, n_q, d_v),)
    return [
        size * torch.randn(batch, *x, generator=source, dtype=dtype) for x in shapes
    ]
