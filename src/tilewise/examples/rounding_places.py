import torch

torch.manual_seed(0)
q, k, v = torch.randn(3, 1024, 64).bfloat16().double()  # inputs that bf16 can hold
u = 2.0**-8


def attention(*places):
    """Attention in float64, but rounded to bf16 at these places."""

    def at(place, x):
        return x.bfloat16().double() if place in places else x

    s = at("S", q @ k.T / 8)
    p = torch.exp(s - s.amax(-1, keepdim=True))  # relative to the maximum
    return at("O", at("P", p) @ v / p.sum(-1, keepdim=True))


exact = attention()
for places in ("O", "P", "S", "PO", "SPO"):
    error = (attention(*places) - exact).norm() / exact.norm()
    print(f"rounded: {' '.join(places):5}  error {error / u:.2f} u")
