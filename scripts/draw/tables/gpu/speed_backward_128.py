"""TFLOP/s of the backward pass at d = 128, in every cell, beside the peers'."""

from draw.tables import _speed


def draw(lang):
    """A Markdown table; see _speed."""
    return _speed.draw("backward", 128, lang)
