import math

import torch


def algorithm_4(q, k, v, o, do, m, l, block_rows, block_cols):
    """dQ, dK, dV for (..., N, d) from dO and the saved O, m and ℓ, (..., N, 1)."""
    scale = q.shape[-1] ** -0.5
    dq, dk, dv = (torch.zeros_like(x) for x in (q, k, v))  # line 5: in HBM
    for j in range(0, k.shape[-2], block_cols):  # line 6
        cols = slice(j, j + block_cols)
        k_j, v_j = k[..., cols, :], v[..., cols, :]  # line 7: (B_c, d)
        dk_j, dv_j = torch.zeros_like(k_j), torch.zeros_like(v_j)  # line 8: on chip
        for i in range(0, q.shape[-2], block_rows):  # line 9; then line 10
            rows = slice(i, i + block_rows)
            q_i, o_i, do_i, m_i, l_i = (x[..., rows, :] for x in (q, o, do, m, l))
            s = scale * q_i @ k_j.mT  # line 11: (B_r, B_c)
            p = torch.exp(s - m_i) / l_i  # line 13: these are the final weights
            dv_j += p.mT @ do_i  # line 16: (B_c, d)
            dp = do_i @ v_j.mT  # line 17: (B_r, B_c)
            delta = (do_i * o_i).sum(-1, keepdim=True)  # line 19: (B_r, 1)
            ds = p * (dp - delta)  # line 20: (B_r, B_c)
            dq[..., rows, :] += scale * ds @ k_j  # line 21: through HBM
            dk_j += scale * ds.mT @ q_i  # line 22: (B_c, d)
        dk[..., cols, :], dv[..., cols, :] = dk_j, dv_j  # line 24
    return dq, dk, dv  # line 26


if __name__ == "__main__":
    torch.manual_seed(0)
    shape = (2, 4, 100, 16)  # batch, heads, N, d
    q, k, v, do = torch.randn(4, *shape, dtype=torch.float64)
    inputs = [x.requires_grad_() for x in (q, k, v)]
    s = q @ k.mT / math.sqrt(16)
    o = torch.softmax(s, dim=-1) @ v
    exact = torch.autograd.grad(o, inputs, do)

    with torch.no_grad():
        m = s.amax(-1, keepdim=True)  # what the forward pass saved
        l = torch.exp(s - m).sum(-1, keepdim=True)
        tiled = algorithm_4(q, k, v, o, do, m, l, block_rows=32, block_cols=24)
    error = max((a - b).abs().max() for a, b in zip(tiled, exact))
    print("equal to autograd to 1e-12:", bool(error < 1e-12))
