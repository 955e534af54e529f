import torch
from torch.func import functional_call, grad, vmap

from tilewise import FlashAttention

torch.manual_seed(0)
layer = FlashAttention(64, num_heads=4, num_kv_heads=2, causal=True)
weights = {name: p.detach() for name, p in layer.named_parameters()}
batch = torch.randn(8, 30, 64)


def loss(weights, x):
    return functional_call(layer, weights, x[None]).square().mean()


each = vmap(grad(loss), (None, 0))(weights, batch)  # a gradient for each example
alone = [grad(loss)(weights, x) for x in batch]
for name in ("q_proj.weight", "k_proj.bias"):
    same = torch.allclose(each[name], torch.stack([g[name] for g in alone]), atol=1e-6)
    print(f"{name}: {tuple(each[name].shape)}, as one by one: {same}")

try:
    grad(lambda x: grad(loss, 1)(weights, x).square().sum())(batch[0])
except RuntimeError as error:
    print(error)
