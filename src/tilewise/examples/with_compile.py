import torch

from tilewise import FlashAttention

torch.manual_seed(0)
layer = FlashAttention(64, num_heads=8, num_kv_heads=2, causal=True)
graphs = []


def backend(graph, inputs):  # to see what there is; without it, Inductor compiles
    graphs.append([node.name for node in graph.graph.nodes if "attention" in node.name])
    return graph.forward


compiled = torch.compile(layer, fullgraph=True, dynamic=True, backend=backend)
for n in (100, 300, 33):
    x = torch.randn(2, n, 64)
    same = torch.allclose(compiled(x), layer(x), atol=1e-6)
    print(f"N = {n}: the same output: {same}, graphs: {len(graphs)}")
print("attention in the graph:", *graphs[0])
