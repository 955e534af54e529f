import math

import torch


def algorithm_fa2(q, k, v, block_rows, block_cols):
    """softmax(q kᵀ / √d) v and L for (..., N, d), queries in the outer loop."""
    scale = q.shape[-1] ** -0.5
    o = torch.empty_like(q)  # in HBM, written once
    lse = q.new_empty(*q.shape[:-1], 1)  # (N, 1)
    for i in range(0, q.shape[-2], block_rows):  # line 3: on a GPU a program each
        rows = slice(i, i + block_rows)
        q_i = q[..., rows, :]  # line 4: (B_r, d)
        o_i = torch.zeros_like(q_i)  # line 5: O, ℓ and m start on the chip
        l_i = q_i.new_zeros(*q_i.shape[:-1], 1)  # (B_r, 1)
        m_i = torch.full_like(l_i, -math.inf)  # (B_r, 1)
        for k_j, v_j in zip(k.split(block_cols, -2), v.split(block_cols, -2)):  # 6, 7
            s = scale * q_i @ k_j.mT  # line 8: (B_r, B_c)
            m_new = torch.maximum(m_i, s.amax(-1, keepdim=True))  # line 9: (B_r, 1)
            p, alpha = torch.exp(s - m_new), torch.exp(m_i - m_new)
            l_i = alpha * l_i + p.sum(-1, keepdim=True)
            o_i = alpha * o_i + p @ v_j  # line 10: not divided
            m_i = m_new
        o[..., rows, :] = o_i / l_i  # lines 12, 14: divided once
        lse[..., rows, :] = m_i + l_i.log()  # lines 13, 15
    return o, lse[..., 0]  # line 17


if __name__ == "__main__":
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 2, 4, 100, 16, dtype=torch.float64)
    s = q @ k.mT / 4
    o, lse = algorithm_fa2(q, k, v, block_rows=32, block_cols=24)
    error = (o - torch.softmax(s, dim=-1) @ v).abs().max()
    print("o equal to standard attention to 1e-12:", bool(error < 1e-12))
    error = (lse - torch.logsumexp(s, dim=-1)).abs().max()
    print("L equal to logsumexp to 1e-12:", bool(error < 1e-12))
