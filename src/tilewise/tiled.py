"""What the loops of `tilewise.flash1` and `tilewise.flash2` have in common.

A tile rule is a function of a tile's global indices rows (B_r, 1) and cols (B_c) whose
result broadcasts to (..., B_r, B_c). A mask is a rule of bools, True where a row may
see a key; dropout is a rule of factors for P; a bias is a rule of numbers to add to S.
"""

# --8<-- [start:math]
import math

# --8<-- [end:math]
from collections.abc import Callable
from typing import NamedTuple

# --8<-- [start:torch]
import torch
from torch import Tensor

# --8<-- [end:torch]
from tilewise.fits import Causal, check

TileRule = Callable[[Tensor, Tensor], Tensor]
Load = Callable[[Tensor, Tensor], Tensor]


class ScoreRule(NamedTuple):
    """A function of each score by itself, x → s = value(x), and its derivative.

    slope(s) is ds/dx, as a function of the result s, and finite for s = −∞ too.
    """

    value: Callable[[Tensor], Tensor]
    slope: Callable[[Tensor], Tensor | int]


AS_IS = ScoreRule(value=lambda x: x, slope=lambda s: 1)


def prepare(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    block_rows: int,
    block_cols: int,
    scale: float | None,
    causal: Causal,
    mask: TileRule | None = None,
    bias: TileRule | None = None,
    dropout: TileRule | None = None,
) -> tuple[float, torch.dtype, Load, TileRule, TileRule, TileRule]:
    """Check the input; return τ, the dtype of sums, `load`, and three rules completed.

    scale None is 1/√d. Sums are in q's dtype, or in float32 where that is wider.
    `load(x, rows)` returns those rows of x (..., N, d) in the dtype of the sums. Where
    several query heads share a head of x (GQA, MQA), it repeats the rows for each.
    The mask that is returned also hides the keys that causal hides. Bias and dropout
    give numbers in the dtype of the sums, or 0 and 1 where there is none.
    """
    check(q, k, v, block_rows, block_cols, causal)
    (n_q, d), n_k = q.shape[-2:], k.shape[-2]
    wide = torch.promote_types(q.dtype, torch.float32)
    shift = {False: n_k, True: n_k - n_q, "top-left": 0}[causal]

    def load(x: Tensor, rows: Tensor) -> Tensor:
        tile = x[..., rows, :].to(wide)
        group = q.shape[:-2].numel() // x.shape[:-2].numel()
        return tile if group == 1 else tile.repeat_interleave(group, -3)

    def visible(rows: Tensor, cols: Tensor) -> Tensor:
        past = cols <= rows + shift  # row r sees keys 0 .. r + shift
        return past if mask is None else past & mask(rows, cols)

    scale = d**-0.5 if scale is None else scale
    bias, dropout = in_dtype(wide, bias, neutral=0), in_dtype(wide, dropout, neutral=1)
    return scale, wide, load, visible, bias, dropout


def in_dtype(dtype: torch.dtype, rule: TileRule | None, neutral: int) -> TileRule:
    """The rule with results in that dtype; without a rule, the neutral number."""
    if rule is None:
        return lambda rows, cols: rows.new_full((), neutral)
    return lambda rows, cols: rule(rows, cols).to(dtype)


# --8<-- [start:start]
def start(o: Tensor, sinks: Tensor | None) -> tuple[Tensor, Tensor]:
    """m and l (..., N, 1) of rows o (..., N, d_v) before their first tile: −∞ and 0.

    With sinks (heads,), or any shape that broadcasts to o's (..., heads), they are
    s and e^{s − s} = 1, the state of one key that has the logit s and a value of zeros.
    """
    one = o[..., :1]
    if sinks is None:
        return torch.full_like(one, -math.inf), torch.zeros_like(one)
    m = torch.zeros_like(one) + sinks[..., None, None].to(o.dtype)
    return m, torch.ones_like(one)
    # --8<-- [end:start]


def blocks(x: Tensor, size: int) -> tuple[Tensor, ...]:
    """The indices 0 .. N − 1 of the rows of x (..., N, d), in blocks of `size`."""
    return torch.arange(x.shape[-2], device=x.device).split(size)


def like(x: Tensor, d: int | None = None) -> Tensor:
    """An empty tensor (..., N, d) like x, in the order of x's axes in memory.

    It is contiguous if d is not that of x, or if the rows of x are not.
    """
    if d in (None, x.shape[-1]) and x.stride(-1) == 1:
        return torch.empty_like(x)
    return x.new_empty(*x.shape[:-1], d or x.shape[-1])
