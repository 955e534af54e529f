"""Row 1 of the example, cut in two halves: what <tw-strip> begins with on merging."""

from draw.elements import _strip


def draw(lang):
    """The table and the data in English or Chinese."""
    return _strip.draw("-1 -1 -2 0", lang, cut=2)
