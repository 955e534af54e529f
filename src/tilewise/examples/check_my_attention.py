import torch
from torch.nn.functional import scaled_dot_product_attention


def formula(q, k, v, causal=False):
    """softmax(q kᵀ / √d) v as it is written, in the dtype of its input.

    causal: row r sees keys 0 .. r + N_k − N_q; a row that sees none gives 0.
    """
    n_q, n_k = q.shape[-2], k.shape[-2]
    hidden = torch.ones(n_q, n_k, dtype=torch.bool).triu(n_k - n_q + 1)
    hidden = hidden.to(q.device) & causal
    nothing = hidden.all(-1, keepdim=True)
    s = (q @ k.mT) * q.shape[-1] ** -0.5
    p = torch.softmax(s.masked_fill(hidden & ~nothing, -torch.inf), -1)
    return p.masked_fill(hidden, 0) @ v


def inputs(d=64, device="cpu", dtype=torch.float32):
    """{name: (q, k, v, causal)}, each (batch, heads, N, d); no usual tile divides N."""
    torch.manual_seed(0)
    where = {"device": device, "dtype": dtype}
    half = dtype if dtype.itemsize == 2 else torch.float16

    def some(*lengths):
        return [torch.randn(2, 2, n, d, **where) for n in lengths]

    q, k, v = some(200, 200, 200)
    axis = torch.eye(d, **where)[0]  # the first of the d numbers of a row
    slope = torch.linspace(-40, 40, 200, **where)[:, None] * axis
    signs = (-1) ** torch.arange(200, device=device)[:, None] * axis  # row by row
    fewer, more = some(77, 233, 233), some(233, 77, 77)
    many = torch.zeros(1, 1, 70_000, d, device=device, dtype=half)
    ramp = torch.linspace(0, 2, 70_000, device=device)[:, None].to(half)
    return {
        "odd sizes": (*fewer, False),
        "the maximum rises": (q.abs(), k + slope, v, False),
        "the maximum falls": (q.abs(), k - slope, v, False),
        "scores of 100 to 400": (800 * signs + 0 * q, k.round(), v, False),
        "large rows beside small": (1600 * signs + 0 * q, axis + 0 * k, v, False),
        "causal": (q, k, v, True),
        "causal, N_q < N_k": (*fewer, True),
        "causal, rows without keys": (*more, True),
        "other strides": (q, k.mT.contiguous().mT, v.mT.contiguous().mT, True),
        "70,000 keys in 16 bits": (many[..., :1, :], many, many + ramp, False),
    }


def close(result, exact, plain, largest):
    """Is the error at most c times the plain formula's, and two last digits more?

    c is 2 in 16 bits and 4 in float32, where a fused kernel is not the more exact one.
    One last digit is that of the largest result, the other that of the largest input in
    float32, in which scores are computed. NaN fails, as NaN <= x is False, and so does
    another shape.
    """
    if result.shape != exact.shape:
        return False
    error, plain_error = ((x.double() - exact).abs().max() for x in (result, plain))
    allowed = (2 if plain.dtype.itemsize == 2 else 4) * plain_error
    wide = torch.promote_types(plain.dtype, torch.float32)
    digit = torch.finfo(plain.dtype).eps * exact.abs().max()
    return bool(error <= allowed + digit + torch.finfo(wide).eps * largest)


def gradients(attention, q, k, v, causal):
    """dq, dk, dv of a sum of the outputs, each output with a weight of its own."""
    q, k, v = (x.detach().clone().requires_grad_() for x in (q, k, v))
    o = attention(q, k, v, causal)
    weights = torch.cos(torch.arange(o.numel(), device=o.device)).view(o.shape)
    weights = (8 * weights).round() / 8  # the same numbers in every dtype
    return torch.autograd.grad((o * weights.to(o.dtype)).sum(), (q, k, v))


def failures(attention, backward=True, **where):
    """The inputs for which attention(q, k, v, causal) is not what it should be."""
    failed = []
    for name, (*qkv, causal) in inputs(**where).items():
        wide, copies = [x.double() for x in qkv], [x.clone() for x in qkv]
        largest = max(x.abs().max() for x in qkv)
        o = attention(*qkv, causal)
        results = {"o": (o, formula(*wide, causal), formula(*qkv, causal))}
        # where scores are large, dS is a difference of numbers that are nearly equal
        if backward and largest < 30 and o.shape[-2] > 1:
            ours = gradients(attention, *qkv, causal)
            exact, plain = (gradients(formula, *x, causal) for x in (wide, qkv))
            results |= zip(("dq", "dk", "dv"), zip(ours, exact, plain))
        wrong = [x for x, three in results.items() if not close(*three, largest)]
        before = o.clone()
        attention(*qkv[:2], 1 - qkv[2], causal)
        if not torch.equal(o.nan_to_num(), before.nan_to_num()):
            wrong.append("overwritten by the next call")
        if not all(map(torch.equal, qkv, copies)):
            wrong.append("the input is changed")
        if wrong:
            failed.append(f"{name}: {', '.join(wrong)}")
    return failed


def mine(q, k, v, causal=False, block=128):
    """Correct attention, by tiles of 128: row r sees keys 0 .. r + N_k − N_q."""
    n_q, n_k, dtype, out = q.shape[-2], k.shape[-2], q.dtype, []
    q, k, v = q.float() * q.shape[-1] ** -0.5, k.float(), v.float()
    rows, cols = (torch.arange(n, device=q.device) for n in (n_q, n_k))
    tiles = [x.split(block, dim) for x, dim in ((cols, 0), (k, -2), (v, -2))]
    for rows_i, q_i in zip(rows.split(block), q.split(block, -2)):
        m, l, o = torch.tensor(-torch.inf), 0, 0
        for cols_j, k_j, v_j in zip(*tiles):
            s = q_i @ k_j.mT
            if causal:
                s = s.masked_fill(cols_j > rows_i[:, None] + n_k - n_q, -torch.inf)
            m_new = torch.maximum(m, s.detach().amax(-1, keepdim=True))
            unit = m_new.masked_fill(m_new == -torch.inf, 0)  # no key seen so far
            p, alpha = torch.exp(s - unit), torch.exp(m - unit)
            m, l = m_new, alpha * l + p.sum(-1, keepdim=True)
            o = alpha * o + p @ v_j
        out.append(o / l.masked_fill(l == 0, 1))
    return torch.cat(out, -2).to(dtype)


def top_left(q, k, v, causal=False):
    """PyTorch's own: its causal mask is aligned at the top left, row r sees 0 .. r."""
    return scaled_dot_product_attention(q, k, v, is_causal=causal)


if __name__ == "__main__":
    for attention in (mine, top_left):
        print(attention.__name__, *failures(attention) or ["passes"], sep="\n  ")
