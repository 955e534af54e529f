import math

import torch


def algorithm_1(q, k, v, block_rows, block_cols):
    """softmax(q kᵀ / √d) v for (..., N, d), keys and values in the outer loop."""
    scale = q.shape[-1] ** -0.5
    o = torch.zeros_like(q)  # line 2: O, ℓ and m start in HBM
    l = q.new_zeros(*q.shape[:-1], 1)  # (N, 1)
    m = torch.full_like(l, -math.inf)  # (N, 1)
    for k_j, v_j in zip(k.split(block_cols, -2), v.split(block_cols, -2)):  # lines 5, 6
        for i in range(0, q.shape[-2], block_rows):  # line 7
            rows = slice(i, i + block_rows)
            q_i, o_i, l_i, m_i = (x[..., rows, :] for x in (q, o, l, m))  # line 8
            s = scale * q_i @ k_j.mT  # line 9: (B_r, B_c)
            m_tilde = s.amax(-1, keepdim=True)  # line 10: (B_r, 1)
            p_tilde = torch.exp(s - m_tilde)  # (B_r, B_c)
            l_tilde = p_tilde.sum(-1, keepdim=True)  # (B_r, 1)
            m_new = torch.maximum(m_i, m_tilde)  # line 11: (B_r, 1)
            alpha, beta = torch.exp(m_i - m_new), torch.exp(m_tilde - m_new)
            l_new = alpha * l_i + beta * l_tilde
            o_new = alpha * l_i * o_i + beta * (p_tilde @ v_j)  # (B_r, d)
            o[..., rows, :] = o_new / l_new  # line 12
            l[..., rows, :], m[..., rows, :] = l_new, m_new  # line 13
    return o  # line 16


if __name__ == "__main__":
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 2, 4, 100, 16, dtype=torch.float64)
    exact = torch.softmax(q @ k.mT / 4, dim=-1) @ v
    error = (algorithm_1(q, k, v, block_rows=32, block_cols=24) - exact).abs().max()
    print("equal to standard attention to 1e-12:", bool(error < 1e-12))
