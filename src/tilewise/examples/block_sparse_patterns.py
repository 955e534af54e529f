import torch

from tilewise.block_sparse import spans_mask, tiles_mask
from tilewise.masks import causal, documents, tile_kind

N, SIZE, T = 64, 8, 8
AT_RANDOM = [5, 3, 6, 7, 1, 2, 0, 4]  # for each row; two of them are listed anyway


def mask(rule):
    """The mask of the tiles (i, j) that the rule lists."""
    tiles = torch.tensor([[rule(i, j) for j in range(T)] for i in range(T)])
    return tiles_mask(tiles, SIZE, SIZE, N, N)


def near(i, j):
    """A tile of the diagonal or beside it, of the first row or the first column."""
    return abs(i - j) < 2 or i == 0 or j == 0


MASKS = {
    "local": mask(near).span,
    "random": mask(lambda i, j: near(i, j) or j == AT_RANDOM[i]).span,
    "documents": spans_mask(N, N, documents([20, 28, 16])).span,
    "causal": spans_mask(N, N, causal(N, N)).span,
}

if __name__ == "__main__":
    ends = [(first, first + SIZE) for first in range(0, N, SIZE)]
    for name, span in MASKS.items():
        kinds = [[tile_kind(span, rows, cols) for cols in ends] for rows in ends]
        row = [f"{j}{'*' * (kind == 'partial')}" for j, kind in enumerate(kinds[3])]
        row = [x for x, kind in zip(row, kinds[3]) if kind != "empty"]
        count = sum(kind != "empty" for row in kinds for kind in row)
        print(f"{name:10} {count} of {T * T} tiles, row 3: {' '.join(row)}")
