import warnings

import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

import tilewise
from tilewise.block_sparse import tiles_mask

n, size, t = 512, 128, 4
tiles = torch.tensor([[1, 0, 1, 0], [1, 1, 0, 1], [1, 0, 1, 0], [0, 1, 1, 1]]).bool()


def seen(b, h, row, col):
    """FlexAttention's rule: a listed tile, and no later key."""
    return tiles[row // size, col // size] & (col <= row)


theirs = create_block_mask(seen, None, None, n, n, device="cpu", BLOCK_SIZE=size)
for name in ("kv", "full_kv", "q", "full_q"):  # rows: cut, full; columns: cut, full
    counts = getattr(theirs, f"{name}_num_blocks")[0, 0].tolist()
    indices = getattr(theirs, f"{name}_indices")[0, 0].tolist()
    print(f"{name:8}", [row[:count] for row, count in zip(indices, counts)])

torch.manual_seed(0)
q, k, v = torch.randn(3, 1, 2, n, 16, dtype=torch.float64)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it would rather be compiled
    expected = flex_attention(q, k, v, block_mask=theirs)
ours = tiles_mask(tiles, size, size, n, n)
o = tilewise.flash_attention(q, k, v, causal=True, block_mask=ours)
print("the same to 1e-12:", bool((o - expected).abs().max() < 1e-12))
