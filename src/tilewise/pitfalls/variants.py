"""Wrong variants of attention: windows, softcap, ALiBi, lists of tiles and sinks."""

import torch

from tilewise.pitfalls import pieces_variants as pieces
from tilewise.pitfalls.registry import Pitfall


def window_one_more(rows, cols, n_q, n_k, size):
    """A window of w shows w keys before a row's own, and its own too. Right: w keys,
    its own included."""
    return cols >= rows[:, None] + n_k - n_q - size


def mask_before_softcap(x, seen, cap, bias):
    """Hidden scores are capped too: −∞ becomes −c. Right: the mask after softcap."""
    x = x.masked_fill(~seen, -torch.inf)
    s = x if cap is None else pieces.softcap(x, cap)
    return s if bias is None else s + bias


def bias_before_softcap(x, seen, cap, bias):
    """ALiBi is capped with the score. Right: softcap first, then the bias."""
    x = x if bias is None else x + bias
    return pieces.in_order(x, seen, cap, None)


def softcap_not_derived(s, cap):
    """dS of the capped scores goes to Q and K as it is. Right: times 1 − (s / c)²,
    where s is the capped score."""
    return torch.ones_like(s)


def alibi_from_top_left(rows, cols, n_q, n_k, slope):
    """The distance is |r − c|, though N_k > N_q. Right: |r + N_k − N_q − c|."""
    return -slope * (rows[:, None] - cols).abs()


def tile_of_the_loop(rows, cols, tiles, size):
    """The loop's own tile numbers look up a list that was made for tiles of another
    size. Right: the list's size, r // B."""
    i, j = rows[0] // len(rows), cols[0] // len(cols)
    here = tiles[i % len(tiles), j % len(tiles)]
    return here.expand(len(rows), len(cols))


def listed_means_full(tile_listed, seen):
    """A listed tile is taken as full, and the diagonal that cuts it is forgotten.
    Right: the other masks still count in it."""
    return tile_listed


def rows_for_columns(tiles):
    """Block j of keys goes through the list of block j of rows. Right: through the
    blocks of rows that list it, which is the transpose."""
    return tiles


def sink_in_every_tile(t):
    """The sink is merged in each tile and counts T_c times.
    Right: once for each row."""
    return True


def sink_with_a_value(m, l, o, sink):
    """The sink adds its weight to o too, as if its value were 1. Right: to ℓ alone."""
    m, l, o = pieces.merge_sink(m, l, o, sink)
    return m, l, o + torch.exp(sink - m)


PITFALLS = (
    Pitfall(window_one_more, pieces.window, "window", "window_values_one"),
    Pitfall(mask_before_softcap, pieces.in_order, "softcap", "softcap_open"),
    Pitfall(bias_before_softcap, pieces.in_order, "softcap_alibi", "softcap"),
    Pitfall(softcap_not_derived, pieces.slope, "softcap", "softcap_output"),
    Pitfall(alibi_from_top_left, pieces.alibi, "alibi", "alibi_square"),
    Pitfall(tile_of_the_loop, pieces.listed, "listed", "listed_causal"),
    Pitfall(listed_means_full, pieces.within, "listed_causal", "listed_alone"),
    Pitfall(rows_for_columns, pieces.by_column, "listed_alone", "listed_symmetric"),
    Pitfall(sink_in_every_tile, pieces.sink_tiles, "sink", "sink_one_tile"),
    Pitfall(sink_with_a_value, pieces.merge_sink, "sink", "sink_far_below"),
)
