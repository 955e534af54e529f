import torch

from tilewise.variants import alibi, sink_gradient, softcap

# --8<-- [start:check]
if __name__ == "__main__":
    import math

    from tilewise.flash2 import flash2_backward, flash2_forward
    from tilewise.masks import tile_mask, window

    torch.manual_seed(0)
    q, k, v, do = torch.randn(4, 2, 4, 100, 16, dtype=torch.float64)
    sinks, slopes = torch.randn(2, 4, dtype=torch.float64)
    span, c = window(100, 100, 30), 2.0  # itself and 30 keys before
    inputs = [x.requires_grad_() for x in (q, k, v, sinks)]

    rows, cols = torch.arange(100)[:, None], torch.arange(100)
    s = c * torch.tanh(q @ k.mT / 4 / c) - slopes[:, None, None] * (rows - cols).abs()
    s = s.masked_fill(~tile_mask(span)(rows, cols), -math.inf)
    sink = sinks[:, None, None].expand(2, 4, 100, 1)
    p = torch.softmax(torch.cat([s, sink], -1), -1)[..., :-1]  # its column is dropped
    exact = torch.autograd.grad(p @ v, inputs, do)

    how = {"rule": softcap(c), "bias": alibi(slopes, 100, 100), "mask": tile_mask(span)}
    o, lse = flash2_forward(q, k, v, 32, 24, sinks=sinks, **how)
    grads = flash2_backward(q, k, v, o, do, lse, 32, 24, **how)  # without the sinks
    tiled = *grads, sink_gradient(sinks, o, do, lse)
    print("o to 1e-12:", bool((o - p @ v).abs().max() < 1e-12))
    for name, a, b in zip(("dQ", "dK", "dV", "dsinks"), tiled, exact):
        print(f"{name} to 1e-12:", bool((a - b).abs().max() < 1e-12))
# --8<-- [end:check]
