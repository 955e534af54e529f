import torch
import triton
import triton.language as tl


@triton.jit
def add(X, Y, SUM, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)  # (BLOCK,), this program's
    inside = offsets < n  # the last block may reach past the end
    x = tl.load(X + offsets, inside)
    y = tl.load(Y + offsets, inside)
    tl.store(SUM + offsets, x + y, inside)


if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    n, block = 10, 4
    x = torch.arange(n, dtype=torch.float32, device=device)
    out = torch.full((12,), torch.nan, device=device)  # two places more than n
    programs = triton.cdiv(n, block)
    add[(programs,)](x, 100 * x, out, n, BLOCK=block)
    for p in range(programs):
        print(f"program {p}:", out[p * block : (p + 1) * block].tolist())
