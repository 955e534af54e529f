"""The pieces of the backward pass, each right; `tilewise.pitfalls.pieces` says more."""

from tilewise.flash1 import weight


def delta(do, o):
    """δ = rowsum(dO ∘ O): one number a row."""
    return (do * o).sum(-1, keepdim=True)


def seen_again(seen):
    """The backward pass hides the keys that the forward pass hid."""
    return seen


def again(s, lse, m):
    """P = e^{S − L} from the saved L; m alone is not enough."""
    return weight(s, lse)


# --8<-- [start:gradients]
def gradients(p, z, q_i, do_i, delta, k_j, v_j, scale):
    """dQ = τ dS K, dK = τ dSᵀ Q with dS = P ∘ (dP − δ), dP = dO Vᵀ ∘ Z; and dV."""
    dv = (p * z).mT @ do_i
    dp = (do_i @ v_j.mT) * z
    ds = p * (dp - delta)
    return scale * (ds @ k_j), scale * (ds.mT @ q_i), dv
    # --8<-- [end:gradients]


def add(total, at, part):
    """Every tile adds to dQ_i, dK_j and dV_j."""
    total[..., at, :] += part


def gather(x, group):
    """dK, dV of a key head: the sum over the query heads that share it."""
    return x.unflatten(-3, (-1, group)).sum(-3)


# --8<-- [start:agree]
def agree(result, expected, tolerance):
    """Whether two results are the same: shape first, then a comparison NaN fails."""
    if result.shape != expected.shape:
        return False
    return bool((result - expected).abs().max() <= tolerance)
    # --8<-- [end:agree]
