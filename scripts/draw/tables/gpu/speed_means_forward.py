"""Ours over each peer in the forward pass: geometric mean and worst cell."""

from draw.tables import _means


def draw(lang):
    """A Markdown table; see _means."""
    return _means.draw("forward", lang)
