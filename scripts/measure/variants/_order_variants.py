"""The Gluon backward pass with dQ added up in one order or another, and with a poll.

All of them, and the kernel that they are compared with, have a program for each walk.
"""

import torch
import torch.utils.deterministic
from measure.variants._backward_variants import ONE_WALK
from measure.variants._variants import BACKWARD, changed

CHOICE = "return 2 if causal and dims == 128 and cols >= 32 else 1"
VARIANTS = {  # name: (what it is, [(text, text instead)], with ordered=True)
    "ordered": ("dQ is added up in one order, as `order` chooses it", [], True),
    "ordered_down": ("ordered, later keys first", [(CHOICE, "return 1")], True),
    "ordered_back": (
        "ordered, early keys first and each column from its last tile up",
        [(CHOICE, "return 2")],
        True,
    ),
    "ordered_one": (
        "ordered, but heads follow each other as without an order",
        [("128 if ordered else cols", "cols")],
        True,
    ),
    "poll": (
        "at d = 64, too, a poll before the wait for dP",
        [("w, MASKED, LARGE, LARGE)", "w, MASKED, LARGE, True)")],
        False,
    ),
}


def ordered(name):
    """Whether a variant adds dQ up in one order."""
    return name != "base" and VARIANTS[name][2]


def with_order(run):
    """run() as it is where the same bits are asked for; new memory is not filled."""

    def inside():
        torch.utils.deterministic.fill_uninitialized_memory = False
        torch.use_deterministic_algorithms(True)
        try:
            return run()
        finally:
            torch.use_deterministic_algorithms(False)

    return inside


def text(name):
    """The source of a variant, four files in one; of the kernel itself for "base"."""
    changes = VARIANTS[name][1] if name != "base" else ()
    return changed(name, BACKWARD, (ONE_WALK, *changes))
