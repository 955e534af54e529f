"""The test of flash_attention_options_triton.py: the formula, by whole matrices."""

import torch


def formula(q, k, v, z, causal=False, window=None, softcap=None, alibi_slopes=None,
            sinks=None, dropout_p=0.0):  # fmt: skip
    """o and L by whole matrices, N_q = N_k; z is where dropout keeps a weight."""
    s, n = q @ k.mT / q.shape[3] ** 0.5, q.shape[2]
    away = torch.arange(n, device=q.device) - torch.arange(n, device=q.device)[:, None]
    left, right = window or (n, n)
    s = s if softcap is None else softcap * (s / softcap).tanh()
    s = s if alibi_slopes is None else s - alibi_slopes[..., None, None] * away.abs()
    s = s.masked_fill((away < -left) | (away > (0 if causal else right)), -torch.inf)
    if sinks is not None:
        s = torch.cat([s, sinks[:, None, None].expand(*s.shape[:3], 1)], 3)
    return s.softmax(3)[..., :n] * z / (1 - dropout_p) @ v, s.logsumexp(3)


def largest_error(attention, how, device):
    """The largest error in fp32, gradients included, against the formula in float64."""
    torch.manual_seed(0)
    shapes = (2, 2, 40, 32), (2, 1, 40, 32), (2, 1, 40, 24), (2, 2, 40, 24), (2, 2, 40)
    q, k, v, do, dlse = (torch.randn(x, device=device) for x in shapes)
    names, found = [x for x in how if torch.is_tensor(how[x])], []
    z, p = torch.ones(2, 2, 40, 40, device=device), how.get("dropout_p", 0.0)
    if p:  # with v = I, o is what is left of P
        torch.manual_seed(1)
        z = attention(q, k, z[:, :1] * z.new_ones(40).diag(), dropout_p=p) > 0
        assert abs(z.double().mean() - 1 + p) < 0.05
    for attend in (attention, formula):
        learned = [q, k, v, *map(how.get, names)]
        learned = [x.double() if attend is formula else x for x in learned]
        learned = [x.detach().clone().requires_grad_() for x in learned]
        more = how | dict(zip(names, learned[3:]))
        more |= {"z": z} if attend is formula else {"return_lse": True}
        torch.manual_seed(1)  # dropout's seed
        o, lse = attend(*learned[:3], **more)
        grads = torch.autograd.grad((o, lse), learned, (do.to(o), dlse.to(lse)))
        found.append([o, lse, *grads])
    return max((a - b).abs().max().item() for a, b in zip(*found, strict=True))
