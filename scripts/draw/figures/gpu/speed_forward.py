"""Speed of the forward pass against N: ours and the peers, four panels."""

from draw.figures import _speed


def draw(lang):
    """The figure in English or Chinese."""
    return _speed.draw("forward", lang)
