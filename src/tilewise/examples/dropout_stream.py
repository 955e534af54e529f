import torch

from tilewise.flash2 import flash2_backward, flash2_forward

n, p = 256, 0.1


def stream():
    """Z tile by tile: each tile takes the next numbers, whichever tile it is."""
    numbers = torch.Generator().manual_seed(0)

    def draw(rows, cols):
        keep = torch.rand(len(rows), len(cols), generator=numbers) >= p
        return keep.double() / (1 - p)  # (B_r, B_c)

    return draw


def whole(draw, size, order):
    """Z (N, N), drawn tile by tile in the order of the loops."""
    z = torch.empty(n, n, dtype=torch.float64)
    blocks = torch.arange(n).split(size)
    for outer in blocks:
        for inner in blocks:
            rows, cols = (inner, outer) if order == "kv-outer" else (outer, inner)
            z[rows[:, None], cols] = draw(rows[:, None], cols)
    return z


def report(new):
    """Do loops agree on Z? Are the gradients those of the Z of the forward pass?"""
    z = whole(new(), 64, "q-outer")
    for size, order in ((64, "q-outer"), (64, "kv-outer"), (32, "q-outer")):
        same = (whole(new(), size, order) == z).double().mean()
        print(f"tiles of {size}, {order:8}  {same:.2f} of Z is the same")
    torch.manual_seed(0)
    q, k, v, do = torch.randn(4, n, 16, dtype=torch.float64)
    o, lse = flash2_forward(q, k, v, 64, 64, dropout=new())  # queries outside
    grads = flash2_backward(q, k, v, o, do, lse, 64, 64, dropout=new())  # keys outside
    inputs = [x.requires_grad_() for x in (q, k, v)]
    ((torch.softmax(q @ k.mT / 4, dim=-1) * z) @ v).backward(do)
    for name, x, exact in zip(("dQ", "dK", "dV"), grads, inputs):
        error = (x - exact.grad).norm() / exact.grad.norm()
        print(f"{name} is off by {error:.2f} of its norm")


if __name__ == "__main__":
    report(stream)
