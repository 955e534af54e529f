"""Dropout as a function of where an entry is: any tile size and loop order agree.

A stream of random numbers gives an entry of P whatever number comes next, so the mask
changes when the loops do. Here entry (batch, head, row, column) hashes its own place
under a key, the seed, so that the backward pass draws the forward's mask again.
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

    Words are int64 tensors (or numbers) with values in [0, 2³²), and broadcast. The
    product of two words may pass 2⁶³ and wrap to a negative number; its 64 bits are
    right all the same, and `& LOW` takes the sign away.
    """
    a, b, c, d = counter
    k_0, k_1 = key
    for _ in range(10):
        x, y = FACTORS[0] * a, FACTORS[1] * c
        a, b, c, d = y >> 32 & LOW ^ b ^ k_0, y & LOW, x >> 32 & LOW ^ d ^ k_1, x & LOW
        k_0, k_1 = k_0 + KEY_STEPS[0] & LOW, k_1 + KEY_STEPS[1] & LOW
    return a, b, c, d
    # --8<-- [end:philox]


# --8<-- [start:dropout]
def keep_factors(p: float, seed: int, *lead: int) -> Callable[[Tensor, Tensor], Tensor]:
    """A function rows (B_r, 1), cols (B_c) → Z: 0 with probability p, else 1 / (1 − p).

    Z is float64 (*lead, B_r, B_c) with lead = (), (heads,) or (batch, heads), those of
    q. rows and cols are int64 indices over the whole sequence, below 2³².
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
        b = torch.arange(batch, device=rows.device)[:, None, None, None]
        h = torch.arange(heads, device=rows.device)[:, None, None]
        word, *_ = philox((cols, rows, h, b), (seed & LOW, seed >> 32))
        kept = (word >= limit).double() / (1 - p)  # (batch, heads, B_r, B_c)
        return kept.reshape(*lead, *kept.shape[-2:])

    return factors
    # --8<-- [end:dropout]
