import torch
from torch.nn.functional import scaled_dot_product_attention

from tilewise.kernels import backward_split, causal

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
q, do = torch.randn(2, 1, 4, 77, 32, device=device)  # four query heads, 77 rows
k, v = torch.randn(2, 1, 2, 50, 32, device=device)  # share two key heads, 50 keys

o, lse = causal.forward(q, k, v, causal=True)
gradients = backward_split.backward(q, k, v, o, do, lse, causal=True)
again = backward_split.backward(q, k, v, o, do, lse, causal=True)

exact = [x.double().requires_grad_() for x in (q, k, v)]
visible = torch.ones(77, 50, dtype=torch.bool, device=device).tril(50 - 77)
truth = scaled_dot_product_attention(*exact, attn_mask=visible, enable_gqa=True)
truth = torch.autograd.grad(truth, exact, do.double())

for name, x, y, z in zip(("dQ", "dK", "dV"), gradients, truth, again):
    error = (x - y).abs().max() / y.abs().max()
    print(f"{name}: error < 1e-5: {error.item() < 1e-5}, same bits: {x.equal(z)}")
blind = ~visible.any(1)
zero = (gradients[0][:, :, blind] == 0).all().item()
print(f"{blind.sum().item()} rows see no key, their dQ is 0: {zero}")
