"""Good tests, few and named: which of them kills which wrong variant.

`SUITE[name](use)` says whether the attention made of these pieces passes. A test that
raises has failed. Every error is compared as `error <= tolerance`, which NaN fails.
"""

from itertools import combinations

import torch

from tilewise.pitfalls import PITFALLS
from tilewise.pitfalls import use as pieces_of
from tilewise.pitfalls.assembled import run
from tilewise.pitfalls.checks import GRADIENTS, agrees, output, values_one
from tilewise.pitfalls.inputs import INPUTS
from tilewise.pitfalls.truth import error


def all_agree(use, names, outputs=("o",), tolerance=1e-9):
    """Compared with float64 on each of these inputs."""
    return all(agrees(use, name, outputs, tolerance) for name in names)


def other_tiles(use):
    """The output and the gradients do not depend on the block sizes."""
    case = INPUTS["odd"]()
    sizes = [{"block_rows": a, "block_cols": b} for a, b in ((2, 5), (7, 11), (3, 2))]
    first, *others = (run(use, case | size) for size in sizes)
    return all(error(other, first, ("o", *GRADIENTS)) <= 1e-9 for other in others)


def other_order_of_keys(use):
    """Keys in another order, with their values, change nothing."""
    case = INPUTS["odd"]()
    order = torch.arange(11).flip(0)
    other = case | {x: case[x][order] for x in "kv"}
    return bool((output(use, other) - output(use, case)).abs().max() <= 1e-9)


def can_say_no(use):
    """The comparison refuses NaN and another shape, besides an error."""
    names = ("not_a_number", "another_shape", "plainly_off")
    return all(run(use, INPUTS[name]())["o"] == 0 for name in names)


SUITE = {
    "first": lambda use: agrees(use, "first", ("o",)),
    "values_one": lambda use: values_one(use) and values_one(use, "causal"),
    "odd": lambda use: all_agree(use, ["odd", "heads"]),
    "rising": lambda use: all_agree(use, ["rising"]),
    "falling": lambda use: all_agree(use, ["falling"]),
    "large": lambda use: all_agree(use, ["huge", "far_below", "far_apart"]),
    "tiles": other_tiles,
    "order": other_order_of_keys,
    "causal": lambda use: all_agree(use, ["causal_longer", "causal_uneven_tiles"]),
    "masks": lambda use: all_agree(
        use, ["causal_shorter", "window", "padded", "cached", "documents"]
    ),
    "variants": lambda use: all_agree(
        use, ["softcap", "softcap_alibi", "alibi", "listed", "sink"], ("o", *GRADIENTS)
    ),
    "gradients": lambda use: all_agree(
        use, ["odd", "causal_longer", "causal_shorter"], GRADIENTS
    ),
    "groups": lambda use: all_agree(use, ["groups"], ("o", *GRADIENTS)),
    "dropout": lambda use: all_agree(use, ["dropout"], ("o", *GRADIENTS)),
    "splits": lambda use: all_agree(use, ["splits", "causal_splits"], ("o", "lse")),
    "precision": lambda use: (
        all_agree(use, ["many_in_half", "large_in_half"], tolerance=1e-3)
        and all_agree(use, ["fine_in_single"], tolerance=1e-6)
    ),
    "memory": lambda use: all_agree(use, ["called_twice", "strided"]),
    "comparison": can_say_no,
}


def killed(test, use):
    """Whether the test fails, or raises, as it should for a wrong variant."""
    try:
        return not test(use)
    except RuntimeError:  # PyTorch: shapes do not fit, or memory was written twice
        return True


def matrix():
    """{variant: the names of the tests that kill it}."""
    return {
        pitfall.name: {
            name for name, test in SUITE.items() if killed(test, pieces_of(pitfall))
        }
        for pitfall in PITFALLS
    }


def smallest(kills):
    """The fewest tests, in the order of SUITE, that together kill all of a matrix.

    Of several sets as small, the first: those that stand further up in SUITE.
    """
    killers = set(map(frozenset, kills.values()))
    for size in range(1, len(SUITE) + 1):
        for chosen in combinations(SUITE, size):
            if all(not x.isdisjoint(chosen) for x in killers):
                return chosen
    return None
