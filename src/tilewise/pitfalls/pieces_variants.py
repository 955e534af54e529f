"""The pieces of softcap, ALiBi, windows, lists of tiles and sinks, each right."""

import torch

from tilewise.flash1 import weight


def softcap(x, cap):
    """s = c tanh(x / c)."""
    return cap * torch.tanh(x / cap)


def slope(s, cap):
    """ds/dx = 1 − (s / c)², a factor of dS; s = −∞ counts as −c."""
    return 1 - (s / cap).clamp(min=-1) ** 2


def alibi(rows, cols, n_q, n_k, slope):
    """The bias −slope · |r + N_k − N_q − c|, from the bottom-right diagonal."""
    return -slope * (rows[:, None] + n_k - n_q - cols).abs()


def in_order(x, seen, cap, bias):
    """Softcap, then the bias, then the mask; cap and bias may be None."""
    s = x if cap is None else softcap(x, cap)
    s = s if bias is None else s + bias
    return s.masked_fill(~seen, -torch.inf)


def window(rows, cols, n_q, n_k, size):
    """Row r sees so many keys, of which the last is its own, r + N_k − N_q."""
    return cols > rows[:, None] + n_k - n_q - size


def listed(rows, cols, tiles, size):
    """Whether the tile of each entry is listed; the list has tiles of its own size."""
    return tiles[rows // size][:, cols // size]


def within(tile_listed, seen):
    """What a listed tile shows: no more than the other masks do."""
    return tile_listed & seen


def by_column(tiles):
    """For each block of keys, the blocks of rows that list it: the transpose."""
    return tiles.mT


def sink_tiles(t):
    """Whether the sink is merged before tile t of a row: before the first one."""
    return t == 0


def merge_sink(m, l, o, sink):
    """The state with one more key, of this logit and with a value of zeros."""
    m_new = m.clamp(min=sink)
    alpha = weight(m, m_new)
    return m_new, alpha * l + torch.exp(sink - m_new), alpha * o
