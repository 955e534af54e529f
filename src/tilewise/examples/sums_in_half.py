import torch

for dtype in (torch.float16, torch.bfloat16):
    one = torch.ones((), dtype=dtype)
    total = torch.zeros((), dtype=dtype)
    while total + one != total:
        total += one
    print(f"{str(dtype):14} 1 + 1 + ... stands still at {total:.0f}")

for tile in (1, 16, 64):
    total = torch.zeros((), dtype=torch.float16)
    for part in torch.ones(70_000).split(tile):
        total += part.sum().half()  # exact within a tile
    print(f"70,000 ones in float16, {tile:2} at a time: {total.item():.0f}")
