"""The Gluon backward pass with its switches the other way, and with other orders."""

import torch
import torch.utils.deterministic
from measure.variants._variants import changed

LOOPS = """\
        if MASKED:
            full += walk.masked
            for i in tl.range(start, full, disable_licm=True):
                see = (i - start) * walk.rows + walk.see, walk.left
                dk, dv = step(sm, i, dk, dv, tau2, see, w, True, EARLY, POLL)
        for i in tl.range(full, start + walk.tiles, disable_licm=True):
            dk, dv = step(sm, i, dk, dv, tau2, (0, 0), w, False, EARLY, POLL)
"""
BACK = """\
        full += walk.tiles
        if MASKED:
            full -= walk.masked
        for i in tl.range(start, full, disable_licm=True):
            dk, dv = step(sm, i, dk, dv, tau2, (0, 0), w, False, EARLY, POLL)
        if MASKED:
            for i in tl.range(full, start + walk.tiles, disable_licm=True):
                see = (start + walk.tiles - 1 - i) * walk.rows + walk.see, walk.left
                dk, dv = step(sm, i, dk, dv, tau2, see, w, True, EARLY, POLL)
"""
LAST = "walk.tiles - 1 - tile"
POLL = ("POLL: Constant = True", "POLL: Constant = D == 128")
PDL = ("PDL = gl.constexpr(False)", "PDL = gl.constexpr(True)")
VARIANTS = {  # name: (what it is, [(text, text instead)], with ordered=True)
    "ordered": ("dQ is added up in one order, later keys first", [], True),
    "ordered_one": (
        "ordered, but heads follow each other as without an order",
        [("128 if ordered else cols", "cols")],
        True,
    ),
    "ordered_back": (
        "ordered, but early keys first and each column from its last tile up",
        [
            ("    if ORDERED:  # but", "    if False:  # but"),
            (
                "gl.minimum(self.see + (tile + 1) * self.rows - 1, self.left) // KEYS",
                "self.col // KEYS",
            ),
            ("row = (walk.first + tile) *", f"row = (walk.first + {LAST}) *"),
            ("turn = TURNS + before + tile", f"turn = TURNS + before + {LAST}"),
            ("[((before + tile) * 2", f"[((before + {LAST}) * 2"),
            (LOOPS, BACK),
        ],
        True,
    ),
    "no_poll": ("at d = 64 without the poll before the wait for dP", [POLL], False),
    "pdl": ("dependent launches of the three kernels", [PDL], False),
    "pdl_no_poll": ("both", [PDL, POLL], False),
    "ordered_all": ("ordered, with both", [PDL, POLL], True),
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
    """The source of a variant, three files in one; of the kernel itself for "base"."""
    files = "shared/work_backward", "shared/gluon_backward", "gluon_backward"
    return changed(name, files, VARIANTS[name][1] if name != "base" else ())
