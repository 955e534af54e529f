import torch

from tilewise import FlashAttention

torch.manual_seed(0)
layer = FlashAttention(64, num_heads=4, causal=True)  # its weights are float32
optimizer = torch.optim.AdamW(layer.parameters(), lr=1e-2)
x = torch.randn(2, 100, 64)

for step in range(41):
    with torch.autocast("cpu", torch.bfloat16):
        y = layer(x)
    loss = (y.float() - x).square().mean()
    loss.backward()
    kinds = {p.grad.dtype for p in layer.parameters()}
    optimizer.step()
    optimizer.zero_grad()
    if step % 20 == 0:
        print(f"step {step:2}: loss {loss.item():.1f}")
print("the output:", y.dtype, " the gradients:", *kinds)
