"""Row 3 of the example, read score by score: what <tw-strip> begins with."""

from draw.elements import _strip


def draw(lang):
    """The table and the data in English or Chinese."""
    return _strip.draw("0 1 2 1", lang)
