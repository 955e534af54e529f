"""Wrong decoding: parts of a cache that do not merge, lengths that are another's."""

from tilewise.pitfalls import pieces
from tilewise.pitfalls.registry import Pitfall


def parts_added(o, lse):
    """The parts' outputs are added, though each is divided by its own ℓ. Right:
    weighted by e^{L_s − L}."""
    return o.sum(0), lse.logsumexp(0)


def lse_averaged(o, lse):
    """L is the mean of the parts' L_s; the output is right, the next merge is not.
    Right: L = ln Σ e^{L_s}."""
    return pieces.merge(o, lse)[0], lse.mean(0)


def longest_length(n_k, length):
    """The causal diagonal lies as if the sequence filled the whole cache. Right: it
    ends at the sequence's own length."""
    return n_k


def last_page_read(cols, length, n_k):
    """Keys are read to the end of the last page, here of 4 keys. Right: c < n."""
    return cols < -(-length // 4) * 4


PITFALLS = (
    Pitfall(parts_added, pieces.merge, "splits", "odd"),
    Pitfall(lse_averaged, pieces.merge, "splits", "splits_output"),
    Pitfall(longest_length, pieces.own_keys, "cached", "causal"),
    Pitfall(last_page_read, pieces.padding, "padded", "padded_values_one"),
)
