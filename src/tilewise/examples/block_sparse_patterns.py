import torch

from tilewise.block_sparse import tiles_mask
from tilewise.masks import causal, documents, tile_kind

N, SIZE, T = 64, 8, 8
AT_RANDOM = [5, 3, 6, 7, 1, 2, 0, 4]  # for each row; two of them are listed anyway


def listed(rule):
    """Which keys each row sees if the rule says which tiles (i, j) are listed."""
    tiles = torch.tensor([[rule(i, j) for j in range(T)] for i in range(T)])
    return tiles_mask(tiles, SIZE, SIZE, N, N).span


def near(i, j):
    """A tile of the diagonal or beside it, of the first row or the first column."""
    return abs(i - j) < 2 or i == 0 or j == 0


SPANS = {
    "local": listed(near),
    "random": listed(lambda i, j: near(i, j) or j == AT_RANDOM[i]),
    "documents": documents([20, 28, 16]),
    "causal": causal(N, N),
}

if __name__ == "__main__":
    ends = [(first, first + SIZE) for first in range(0, N, SIZE)]
    for name, span in SPANS.items():
        kinds = [[tile_kind(span, rows, cols) for cols in ends] for rows in ends]
        row = [f"{j}{'*' * (kind == 'partial')}" for j, kind in enumerate(kinds[3])]
        row = [x for x, kind in zip(row, kinds[3]) if kind != "empty"]
        count = sum(kind != "empty" for row in kinds for kind in row)
        print(f"{name:10} {count} of {T * T} tiles, row 3: {' '.join(row)}")
