import torch

import tilewise

torch.manual_seed(0)
documents = [torch.randn(n, 8, 64) for n in (5, 130, 17)]  # (N, heads, d) each
q = torch.nested.nested_tensor(documents, layout=torch.jagged, requires_grad=True)
try:
    tilewise.scaled_dot_product_attention(q, q, q)
except TypeError as error:
    print(error)

rows, offsets = q.values(), q.offsets()
o = tilewise.flash_attention_varlen(rows, rows, rows, offsets, offsets, causal=True)
o = torch.nested.nested_tensor_from_jagged(o, offsets)
for x, y in zip(documents, o.unbind()):
    x = x.transpose(0, 1)[None]  # (1, heads, N, d)
    true = torch.nn.functional.scaled_dot_product_attention(x, x, x, is_causal=True)
    same = torch.allclose(y, true[0].transpose(0, 1), atol=1e-5)
    print(f"N = {len(y)}: as the document alone: {same}")
(dq,) = torch.autograd.grad(o.values().sum(), q)
print("the gradient is nested too:", dq.is_nested)
