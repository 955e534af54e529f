"""Softcap, ALiBi and attention sinks: another score, or another start of the same fold.

With x = τ q·k, a score is s = f(x) + b, in this order, and a hidden key has −∞ after
that. The functions here make the arguments `rule` (f), `bias` (b) and `sinks` of
`tilewise.flash1` and `tilewise.flash2`, and compute gradients that those passes leave
out: of what is added to S, of ALiBi's slopes and of sinks.
"""

from collections.abc import Iterator

# --8<-- [start:imports]
import torch
from torch import Tensor

from tilewise.checks import check_softcap
from tilewise.fits import Causal
from tilewise.flash1 import scores, weight
from tilewise.tiled import AS_IS, ScoreRule, TileRule, blocks, prepare

# --8<-- [end:imports]

Tile = tuple[tuple[Tensor, Tensor], Tensor]  # (rows, cols) and numbers for them


# --8<-- [start:softcap]
def softcap(cap: float) -> ScoreRule:
    """s = c tanh(x / c), which stays within ±c, and ds/dx = 1 − (s / c)².

    A hidden key, s = −∞, counts as s = −c, so that its slope is 0.
    Raises ValueError unless cap is a finite number above 0.
    """
    check_softcap(cap)
    return ScoreRule(
        value=lambda x: cap * torch.tanh(x / cap),
        slope=lambda s: 1 - (s / cap).clamp(min=-1) ** 2,
    )
    # --8<-- [end:softcap]


# --8<-- [start:alibi]
def distance(n_q: int, n_k: int) -> TileRule:
    """|i + N_k − N_q − j|: how far key j is from the key on row i's diagonal."""
    return lambda rows, cols: (rows + (n_k - n_q) - cols).abs()


def alibi(slopes: Tensor, n_q: int, n_k: int) -> TileRule:
    """The bias −slope · |i + N_k − N_q − j| of ALiBi, a slope for each head.

    slopes are floats (heads,), or of any shape that broadcasts to q's (..., heads).
    """
    far = distance(n_q, n_k)
    return lambda rows, cols: -slopes[..., None, None] * far(rows, cols)
    # --8<-- [end:alibi]


def geometric_slopes(heads: int) -> Tensor:
    """The slopes of ALiBi's paper, (heads,) in float32: 2^{−8/n}, 2^{−16/n}, …, 2^{−8}.

    n is heads, if that is a power of two. If not, n is the power of two below, and the
    others are every second slope of 2n heads, from the first on, as in its code.
    Source: ALiBi, O. Press, N. A. Smith, M. Lewis, arXiv 2108.12409, section 3.
    """
    n = 1 << (heads.bit_length() - 1)
    first = [2 ** (-8 * (h + 1) / n) for h in range(n)]
    more = [2 ** (-4 * (h + 1) / n) for h in range(0, 2 * n, 2)]
    return torch.tensor((first + more)[:heads])


# --8<-- [start:sink_gradient]
@torch.no_grad()
def sink_gradient(
    sinks: Tensor, o: Tensor, do: Tensor, lse: Tensor, dlse: Tensor | int = 0
) -> Tensor:
    """The gradient of sinks, −Σ_rows e^{sink − L} (dO · O − dL), in their shape, dtype.

    A sink has the weight e^{sink − L} and a value of zeros, so that dP = 0 in
    dS = P ∘ (dP − δ). sinks (heads,) broadcast to o (..., heads, N, d_v), do is like o,
    and dlse like lse (..., heads, N) is the gradient of L.
    """
    delta = (do.to(lse.dtype) * o.to(lse.dtype)).sum(-1) - dlse  # (..., heads, N)
    p = weight(sinks[..., None].to(lse.dtype), lse)  # the sink's share of each row
    return -(p * delta).sum(-1).sum_to_size(sinks.shape).to(sinks.dtype)
    # --8<-- [end:sink_gradient]


@torch.no_grad()
def score_gradients(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    o: Tensor,
    do: Tensor,
    lse: Tensor,
    block_rows: int,
    block_cols: int,
    *,
    dlse: Tensor | int = 0,
    scale: float | None = None,
    causal: Causal = False,
    mask: TileRule | None = None,
    bias: TileRule | None = None,
    dropout: TileRule | None = None,
    rule: ScoreRule = AS_IS,
) -> Iterator[Tile]:
    """Yield each visited tile's (rows, cols) and dS = P ∘ (dP − δ), (..., B_r, B_c).

    dS is the gradient of what is added to S. Arguments as in flash2_backward; dlse is
    the gradient of L. Few ask for it, so that flash2_backward is left as its paper has
    it, and S and dP are computed once more.
    """
    scale, wide, load, mask, bias, dropout = prepare(
        q, k, v, block_rows, block_cols, scale, causal, mask, bias, dropout
    )
    delta = ((do.to(wide) * o.to(wide)).sum(-1) - dlse)[..., None]  # (N_q, 1)
    for rows in blocks(q, block_rows):
        q_i, do_i, delta_i = (load(x, rows) for x in (q, do, delta))
        for cols in blocks(k, block_cols):
            at = rows[:, None], cols
            visible = mask(*at)
            if not visible.any():
                continue
            k_j, v_j = load(k, cols), load(v, cols)
            s = scores(q_i, k_j, scale, visible, rule) + bias(*at)
            p = weight(s, lse[..., rows, None])  # (B_r, B_c)
            yield at, p * ((do_i @ v_j.mT) * dropout(*at) - delta_i)


def alibi_gradient(slopes: Tensor, n_q: int, n_k: int, tiles: Iterator[Tile]) -> Tensor:
    """The gradient of ALiBi's slopes, −Σ dS_ij · |i + N_k − N_q − j| over all `tiles`.

    tiles are those of score_gradients; the result is in slopes' shape and dtype.
    """
    far, total = distance(n_q, n_k), torch.zeros_like(slopes)
    for at, ds in tiles:
        total = total - (ds * far(*at)).sum((-2, -1))  # (..., heads), wide
    return total.sum_to_size(slopes.shape).to(slopes.dtype)
