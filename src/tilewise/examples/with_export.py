import torch

from tilewise import FlashAttention

torch.manual_seed(0)
layer = FlashAttention(64, num_heads=8, num_kv_heads=2, causal=True)
x = torch.randn(2, 100, 64)
length = torch.export.Dim("N", min=2, max=4096)
program = torch.export.export(layer, (x,), dynamic_shapes=({1: length},))

for n in (100, 33, 1000):
    x = torch.randn(2, n, 64)
    same = torch.allclose(program.module()(x), layer(x), atol=1e-6)
    print(f"N = {n}: the same output: {same}")
names = [str(node.target) for node in program.graph.nodes]
print("ours in the graph:", *(name for name in names if "tilewise" in name))
