"""Every step of the stepper in both loop orders, for readers without scripts."""

from draw.tables._stepper import table


def draw(lang):
    """The two tables in English or Chinese."""
    return "\n".join(table({"order": x}, lang) for x in ("kv-outer", "q-outer"))
