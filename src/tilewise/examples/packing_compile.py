import torch

from tilewise.examples.packing_model import Model
from tilewise.packing import collate, pack

torch.manual_seed(0)
model, graphs = Model(), []


def backend(graph, inputs):  # to count graphs; without it, Inductor compiles
    graphs.append(graph)
    return graph.forward


compiled = torch.compile(model, fullgraph=True, backend=backend)
for lengths in ([9, 7, 16, 3], [12, 4, 30, 2, 5, 5, 1], [60, 4]):
    documents = [torch.randint(50, (n,)) for n in lengths]
    row = collate(pack(documents, 64))
    inputs = [row[name] for name in ("tokens", "positions", "cu_seqlens")]
    for x in inputs:
        torch._dynamo.mark_dynamic(x, 0)
    same = torch.allclose(compiled(*inputs), model(*inputs), atol=1e-5)
    T, D = len(row["tokens"]), len(lengths)
    print(f"{T} tokens, {D} documents: the same: {same}, graphs: {len(graphs)}")
