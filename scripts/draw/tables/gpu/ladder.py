"""The forward ladder: mean speed of each rung on an H200, and what it gained."""

from draw.tables import _ladder


def draw(lang):
    """A Markdown table; see _ladder."""
    return _ladder.draw("forward", lang)
