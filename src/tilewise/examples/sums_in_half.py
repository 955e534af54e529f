import torch

for dtype in (torch.float16, torch.bfloat16):
    one = torch.ones((), dtype=dtype)
    total = torch.zeros((), dtype=dtype)
    while total + one != total:
        total += one
    print(f"{str(dtype):14} 1 + 1 + ... stands still at {total:.0f}")

ones = torch.ones(70_000)
print("70000 in float16:", ones.sum().half().item())
print("and in float32:  ", ones.sum().item())
