import torch


def lists(tiles):
    """For each row of a matrix of bools (T_r, T_c), the columns where it is True."""
    return [row.nonzero()[:, 0].tolist() for row in tiles]


def block(i, size):
    """The indices of block i."""
    return torch.arange(i * size, (i + 1) * size)


def forward(q, k, v, tiles, size):
    """o and L: a block of rows visits the tiles of its list, and no others."""
    scale, o, lse = q.shape[-1] ** -0.5, torch.empty_like(q), torch.empty_like(q[:, :1])
    for i, visited in enumerate(lists(tiles)):
        rows = block(i, size)
        q_i = q[rows, :]  # (B, d)
        o_i, l = torch.zeros_like(q_i), torch.zeros_like(q_i[:, :1])
        m = l - torch.inf
        for j in visited:
            cols = block(j, size)
            s = scale * (q_i @ k[cols, :].mT)  # (B, B)
            m_new = torch.maximum(m, s.amax(-1, keepdim=True))
            p, alpha = torch.exp(s - m_new), torch.exp(m - m_new)
            l, m = alpha * l + p.sum(-1, keepdim=True), m_new
            o_i = alpha * o_i + p @ v[cols, :]
        o[rows, :] = o_i / l.clamp(min=1)  # an empty list: ℓ = 0, o = 0, L = −∞
        lse[rows, :] = m + l.log()
    return o, lse


def backward(q, k, v, o, do, lse, tiles, size):
    """dQ, dK, dV: a block of keys visits the tiles of its column, and no others."""
    scale, dq = q.shape[-1] ** -0.5, torch.zeros_like(q)
    dk, dv = torch.empty_like(k), torch.empty_like(v)
    delta = (do * o).sum(-1, keepdim=True)
    for j, visited in enumerate(lists(tiles.mT)):  # the lists of the columns
        cols = block(j, size)
        k_j, v_j = k[cols, :], v[cols, :]  # (B, d)
        dk_j, dv_j = torch.zeros_like(k_j), torch.zeros_like(v_j)
        for i in visited:
            rows = block(i, size)
            q_i, do_i = q[rows, :], do[rows, :]
            p = torch.exp(scale * (q_i @ k_j.mT) - lse[rows, :])  # (B, B)
            ds = p * (do_i @ v_j.mT - delta[rows, :])
            dq[rows, :] += scale * (ds @ k_j)
            dk_j, dv_j = dk_j + scale * (ds.mT @ q_i), dv_j + p.mT @ do_i
        dk[cols, :], dv[cols, :] = dk_j, dv_j
    return dq, dk, dv


if __name__ == "__main__":
    torch.manual_seed(0)
    size, t = 16, 6
    tiles = torch.rand(t, t) < 0.4
    tiles[2] = False  # a block of rows that sees nothing
    print("rows:   ", lists(tiles))
    print("columns:", lists(tiles.mT))

    q, k, v, do = torch.randn(4, t * size, 8, dtype=torch.float64)
    o, lse = forward(q, k, v, tiles, size)
    found = o, *backward(q, k, v, o, do, lse, tiles, size)

    hidden = ~tiles.repeat_interleave(size, 0).repeat_interleave(size, 1)  # (N, N)
    inputs = [x.requires_grad_() for x in (q, k, v)]
    s = (q @ k.mT * 8**-0.5).masked_fill(hidden, -1e9)  # finite, for autograd
    o = torch.softmax(s, -1).masked_fill(hidden, 0) @ v
    exact = o, *torch.autograd.grad(o, inputs, do)
    errors = [(a - b).detach().abs().max() for a, b in zip(found, exact)]
    print("o, dQ, dK, dV to 1e-12:", [bool(x < 1e-12) for x in errors])
