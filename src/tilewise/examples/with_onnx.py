import torch

from tilewise import FlashAttention

torch.manual_seed(0)
layer = FlashAttention(64, num_heads=8, num_kv_heads=2, causal=True)
x = torch.randn(2, 100, 64)
length = torch.export.Dim("N", min=2, max=4096)
program = torch.export.export(layer, (x,), dynamic_shapes=({1: length},))


def standard(q, k, v, attn_mask, causal, scale, dropout_p, *others):
    """o and L by the formula, for N_q = N_k, in operators that ONNX has."""
    if dropout_p or any(x is not None for x in (attn_mask, *others)):
        raise NotImplementedError("only causal and scale are written out here")
    k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
    s = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)  # (…, N_q, N_k)
    if causal != "no":
        s = s.masked_fill(torch.ones_like(s).triu(1) > 0, -torch.inf)
    lse = s.logsumexp(-1)
    return (s - lse[..., None]).exp() @ v, lse


ours = torch.ops.tilewise.attention.default
plain = program.run_decompositions({ours: standard})
for name, made in {"exported": program, "for ONNX": plain}.items():
    calls = sum(node.target is ours for node in made.graph.nodes)
    x = torch.randn(2, 333, 64)
    same = torch.allclose(made.module()(x), layer(x), atol=1e-5)
    print(f"{name}: calls of our operator: {calls}, the same output: {same}")
