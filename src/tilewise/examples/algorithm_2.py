import math

import torch


def weight(x, m):
    """e^{x − m}, and 0 where x is −∞, even if m is −∞ too."""
    return torch.exp(x - m).masked_fill(x == -math.inf, 0)


def algorithm_2(q, k, v, block_rows, block_cols, mask, dropout):
    """Algorithm 1 with two functions of a tile's global indices: mask and dropout."""
    scale = q.shape[-1] ** -0.5
    o = torch.zeros_like(q)  # line 3: O, ℓ and m start in HBM
    l = q.new_zeros(*q.shape[:-1], 1)  # (N_q, 1)
    m = torch.full_like(l, -math.inf)  # (N_q, 1)
    for cols in torch.arange(k.shape[-2]).split(block_cols):  # line 6: (B_c,)
        k_j, v_j = k[..., cols, :], v[..., cols, :]  # line 7
        for rows in torch.arange(q.shape[-2]).split(block_rows):  # line 8: (B_r,)
            seen = mask(rows[:, None], cols)  # (B_r, B_c): True where r sees c
            if not seen.any():
                continue  # an empty tile: nothing to load, nothing to do
            q_i, o_i, l_i, m_i = (x[..., rows, :] for x in (q, o, l, m))  # line 9
            s = scale * q_i @ k_j.mT  # line 10: (B_r, B_c)
            s = s.masked_fill(~seen, -math.inf)  # line 11: MASK
            m_tilde = s.amax(-1, keepdim=True)  # line 12: (B_r, 1)
            p_tilde = weight(s, m_tilde)  # (B_r, B_c)
            l_tilde = p_tilde.sum(-1, keepdim=True)  # (B_r, 1)
            m_new = torch.maximum(m_i, m_tilde)  # line 13: (B_r, 1)
            alpha, beta = weight(m_i, m_new), weight(m_tilde, m_new)
            l_new = alpha * l_i + beta * l_tilde  # of P before dropout
            p_tilde = p_tilde * dropout(rows[:, None], cols)  # line 14
            o_new = alpha * l_i * o_i + beta * (p_tilde @ v_j)  # (B_r, d)
            o[..., rows, :] = o_new / l_new.clamp(min=1)  # line 15: 0 / 1, not 0 / 0
            l[..., rows, :], m[..., rows, :] = l_new, m_new  # line 16
    return o, m, l  # line 19


if __name__ == "__main__":
    from tilewise.dropout import keep_factors
    from tilewise.masks import documents, tile_mask, window

    torch.manual_seed(0)
    q, k, v = torch.randn(3, 2, 4, 100, 16, dtype=torch.float64)
    mask = tile_mask(window(100, 100, 30), documents([45, 35]))  # 20 rows see nothing
    dropout = keep_factors(0.2, 7, 2, 4)  # p, seed, (batch, heads)
    rows, cols = torch.arange(100)[:, None], torch.arange(100)
    seen, z = mask(rows, cols), dropout(rows, cols)
    p = torch.softmax((q @ k.mT / 4).masked_fill(~seen, -math.inf), dim=-1)
    exact = (p.masked_fill(~seen, 0) * z) @ v
    for sizes in ((32, 24), (7, 100)):
        error = (algorithm_2(q, k, v, *sizes, mask, dropout)[0] - exact).abs().max()
        print(f"tiles of {sizes}: equal to 1e-12:", bool(error < 1e-12))
