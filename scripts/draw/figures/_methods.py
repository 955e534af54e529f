"""One look for each method on every plot; its colour is in docs/assets/tilewise.css.

The classes' names are also those of tilewise.live.calculator_plots.
"""

from draw.figures._bench import PLAIN, TOP

LOOK = {  # method -> (name of its class, dashes)
    "standard": ("standard", ""), "math": ("standard", ""),
    "naive": ("standard", "4 2 1 2 1 2"),
    "flash1": ("flash1", ""), "flash2": ("flash2", ""), "flash": ("flash2", ""),
    "ours": ("ours", ""), "flash_attention": ("ours", ""), "plain": ("rung", ""),
    "cudnn": ("cudnn", ""), "fa4": ("fa4", "5 3"), "fa3": ("fa4", "7 2 1 2"),
    "flex": ("flex", ""), "efficient": ("efficient", "10 3 2 3"),
    "fa1_order": ("rung", "1 3"), "fa2_order": ("rung", "3 3"), "exp2": ("rung", "6 3"),
    "causal": ("rung", "9 3"), "backward_split": ("rung", "6 2 2 2"),
}  # fmt: skip
LOOK |= dict.fromkeys(PLAIN.values(), ("rung", "")) | dict.fromkeys(
    TOP.values(), ("ours", "")
)


def dashes(method):
    """The dashes of a method's line; a rung without its own line has long ones."""
    return LOOK.get(method, ("rung", "12 3"))[1]


def colour(method):
    """The class that has a method's colour, and nothing else."""
    return f"tw-of-{LOOK.get(method, ('rung', ''))[0]}"


def mark(method):
    """The class of a method's lines, points and bars; ours is the thickest line."""
    name = colour(method)
    return f"tw-look {name}" + (" tw-thick" if name == "tw-of-ours" else "")


def name(method):
    """The class of a text that names a method."""
    return f"tw-name {colour(method)}"
