import torch

from tilewise.block_sparse import tiles_mask
from tilewise.masks import causal, intersect, prefix, tile_kind, union, window

N, SIZE = 64, 8
# i ^ 2 is an exclusive or: 0 and 2 meet, 1 and 3, 4 and 6, 5 and 7
listed = [[j == i or j == 0 or j == i ^ 2 for j in range(8)] for i in range(8)]
MASKS = {
    "first": intersect(causal(N, N), union(prefix(4), window(N, N, 15))),
    "global": union(prefix(8), window(N, N, 11, 11)),
    "prefix": union(prefix(24), causal(N, N)),
    "listed": tiles_mask(torch.tensor(listed), SIZE, SIZE, N, N).span,
}

if __name__ == "__main__":
    ends = [(first, first + SIZE) for first in range(0, N, SIZE)]
    for name, span in MASKS.items():
        kinds = [tile_kind(span, rows, cols) for rows in ends for cols in ends]
        print(name, {kind: kinds.count(kind) for kind in ("full", "partial", "empty")})
