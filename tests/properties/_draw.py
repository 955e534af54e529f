"""What hypothesis draws. conftest.py at the root says how many examples."""

from hypothesis import strategies as st

WHOLE = st.integers(-4, 4)
SIZE = st.integers(1, 7)


def matrix(rows, columns):
    """rows lists of as many whole numbers."""
    row = st.lists(WHOLE, min_size=columns, max_size=columns)
    return st.lists(row, min_size=rows, max_size=rows)


@st.composite
def problems(draw):
    """q, k, v of whole numbers: N_q ≠ N_k, d_v ≠ d too."""
    n_q, n_k, d, d_v = (draw(SIZE) for _ in range(4))
    return [draw(matrix(*shape)) for shape in ((n_q, d), (n_k, d), (n_k, d_v))]
