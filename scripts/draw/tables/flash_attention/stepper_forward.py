"""Every step of the stepper's forward pass, for readers without scripts."""

from draw.tables._stepper import table


def draw(lang):
    """The table in English or Chinese."""
    return table({}, lang)
