# --8<-- [start:setup]
import math

import torch

from tilewise.worked_example import K, Q, V


def show(name, x):
    print(f"{name:8}", (x.round(decimals=6) + 0).tolist())


q, k, v = (torch.tensor(x, dtype=torch.float64) for x in (Q, K, V))
tau = math.log(2)
# what HBM holds when tile (i, j) = (2, 2) begins: rows 3 and 4 have seen keys 1 and 2
o_i = torch.tensor([[6.0, 9.0], [4.5, 9.0]], dtype=torch.float64)  # (B_r, d)
l_i = torch.tensor([1.5, 2.0], dtype=torch.float64)  # (B_r,)
m_i = tau * torch.tensor([1.0, 1.0], dtype=torch.float64)  # (B_r,)
# --8<-- [end:setup]

# --8<-- [start:load]
k_j, v_j = k[2:4], v[2:4]  # line 6: (B_c, d), once for this j
q_i = q[2:4]  # line 8: (B_r, d), and o_i, l_i, m_i with it
# --8<-- [end:load]

# --8<-- [start:scores]
s = tau * q_i @ k_j.T  # line 9: (B_r, B_c), on chip, never in HBM
show("s / tau", s / tau)
# --8<-- [end:scores]

# --8<-- [start:tile_softmax]
m_tilde = s.max(-1).values  # line 10: (B_r,)
p_tilde = (s - m_tilde[:, None]).exp()  # (B_r, B_c)
l_tilde = p_tilde.sum(-1)  # (B_r,)
show("p_tilde", p_tilde)
show("l_tilde", l_tilde)
# --8<-- [end:tile_softmax]

# --8<-- [start:merge]
m_new = torch.maximum(m_i, m_tilde)  # line 11: (B_r,)
alpha, beta = (m_i - m_new).exp(), (m_tilde - m_new).exp()
l_new = alpha * l_i + beta * l_tilde
show("alpha", alpha)
show("beta", beta)
show("l_new", l_new)
# --8<-- [end:merge]

# --8<-- [start:output]
o_i = ((alpha * l_i)[:, None] * o_i + beta[:, None] * (p_tilde @ v_j)) / l_new[:, None]
l_i, m_i = l_new, m_new  # lines 12 and 13: all three go back to HBM
show("o_i", o_i)
# --8<-- [end:output]
