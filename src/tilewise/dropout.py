"""Dropout as a function of where an entry is: any tile size and loop order agree.

A stream of random numbers gives each entry of P the number that comes next, so the
factors change with the order of the loops. Here, in contrast, the factor of entry
(batch, head, row, column) is a hash of these four indices, with the seed as its key.
The backward pass therefore draws the same factors again, whatever its tiles are.
Source: Philox4x32-10, J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
SC 2011, section 3.3 and table 2; tested with the vectors of its authors' Random123.
"""

# --8<-- [start:imports]
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

# --8<-- [end:imports]


# --8<-- [start:philox]
LOW = 0xFFFFFFFF  # the lower 32 bits of an int64
FACTORS = 0xD2511F53, 0xCD9E8D57
KEY_STEPS = 0x9E3779B9, 0xBB67AE85  # of 2³²: golden ratio − 1, √3 − 1


def philox(counter: Sequence[Tensor], key: tuple[int, int]) -> tuple[Tensor, ...]:
    """Ten rounds of Philox4x32: four words of counter, two of key → four words.

    Words are int64 tensors (or numbers) with values in [0, 2³²), and they broadcast.
    The product of two words may exceed 2⁶³ and become negative, but its 64 bits are
    right, and `& LOW` removes the sign.
    """
    a, b, c, d = counter
    k_0, k_1 = key
    for _ in range(10):
        a_high, a_low = halves(FACTORS[0] * a)
        c_high, c_low = halves(FACTORS[1] * c)
        a, b, c, d = c_high ^ b ^ k_0, c_low, a_high ^ d ^ k_1, a_low
        k_0 = (k_0 + KEY_STEPS[0]) & LOW
        k_1 = (k_1 + KEY_STEPS[1]) & LOW
    return a, b, c, d


def halves(product: Tensor) -> tuple[Tensor, Tensor]:
    """The upper and the lower 32 bits of a product of two words."""
    return (product >> 32) & LOW, product & LOW
    # --8<-- [end:philox]


# --8<-- [start:dropout]
def keep_factors(
    p: float, seed: int, *lead: int, first: int = 0
) -> Callable[[Tensor, Tensor], Tensor]:
    """A function rows (B_r, 1), cols (B_c) → Z: 0 with probability p, else 1 / (1 − p).

    Z is float64 (*lead, B_r, B_c), where lead is q's (), (heads,) or (batch, heads),
    and first the number of q's first sequence in its batch. rows and cols are int64
    indices in the whole sequence, below 2³².
    Raises ValueError for p outside [0, 1), a seed outside [0, 2⁶⁴) or a longer lead.
    """
    if not 0 <= p < 1:
        raise ValueError(f"p must be at least 0 and below 1, not {p}")
    if not 0 <= seed < 2**64:
        raise ValueError(f"seed must be at least 0 and below 2**64, not {seed}")
    if len(lead) > 2:
        raise ValueError(f"lead must be at most (batch, heads), not {lead}")
    batch, heads = (1, 1, *lead)[-2:]
    limit = round(p * 2**32)  # a word below it is dropped

    def factors(rows: Tensor, cols: Tensor) -> Tensor:
        b = first + torch.arange(batch, device=rows.device)[:, None, None, None]
        h = torch.arange(heads, device=rows.device)[:, None, None]
        word, *_ = philox((cols, rows, h, b), (seed & LOW, seed >> 32))
        z = (word >= limit).double() / (1 - p)  # (batch, heads, B_r, B_c)
        return z.reshape(*lead, *z.shape[-2:])

    return factors
    # --8<-- [end:dropout]
