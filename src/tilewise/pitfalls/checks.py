"""Checks that one may write first, and trust: each wrong variant passes one of them.

`CHECKS[name](use)` says whether the attention made of these pieces passes. The right
pieces pass all of them too: a check is not wrong, it looks at too little.
"""

from functools import cache

import torch

from tilewise.pitfalls.assembled import DEFAULTS, attend, run
from tilewise.pitfalls.inputs import INPUTS, drawn, same_for_all
from tilewise.pitfalls.truth import error, truth

ALL = ("o", "lse", "dq", "dk", "dv")
GRADIENTS = ("dq", "dk", "dv")


@cache
def expected(name, keep):
    """The truth on one of the inputs, which many pieces are compared with."""
    return truth(INPUTS[name](), keep)


def agrees(use, name, outputs=ALL, tolerance=1e-9):
    """Compared with float64 attention on one of the inputs."""
    results = run(use, INPUTS[name]())
    return error(results, expected(name, use["keep"]), outputs) <= tolerance


def output(use, case):
    """The output alone."""
    return run(use, case)["o"][0]


def values_one(use, name="odd"):
    """With V = 1 the output is 1, since the weights of a row sum to 1."""
    o = output(use, same_for_all(INPUTS[name](), v=1))
    return bool(((o - 1).abs() < 1e-9).all())


def total_weight(use):
    """All N² weights together sum to N (with V = 1, the output is 1 on average)."""
    o = output(use, same_for_all(INPUTS["square"](), v=1))
    return bool((o.mean() - 1).abs() < 1e-9)


def no_error_is_large(use):
    """`if error > tolerance: fail`, against float64 on odd sizes."""
    case = INPUTS["odd"]()
    wrong = error(run(use, case), truth(case), ("o",)) > 1e-9
    return not wrong


def nothing_seen_is_zero(use):
    """Rows that see no key give 0, and nothing is NaN."""
    o = output(use, INPUTS["causal_shorter"]())
    return bool((o[:4] == 0).all() and o.isfinite().all())


def future_is_ignored(use, names):
    """Another last key (or only its value) changes no row but the last."""
    case = INPUTS["causal"]()
    other = {x: case[x].clone() for x in names}
    for x in other.values():
        x[-1] += 3
    change = output(use, case | other) - output(use, case)
    return bool((change[:-1] == 0).all())


def loss_falls(use):
    """Ten steps of gradient descent on ‖O − target‖² make it smaller, every one."""
    case = INPUTS["example"]()
    target, losses = torch.zeros(4, 2).double(), []
    for _ in range(10):
        off = output(use, case) - target
        losses.append(off.square().sum().item())
        results = run(use, case | {"do": 2 * off})
        case |= {x: case[x] - 0.005 * results[f"d{x}"][0] for x in "qkv"}
    return all(b < a for a, b in zip(losses, losses[1:]))


def directions(use):
    """Each gradient points where the true one points: their cosine is 1."""
    case = INPUTS["odd"]()
    results, exact = run(use, case), truth(case)
    pairs = [(results[x].flatten(), exact[x].flatten()) for x in GRADIENTS]
    return all(torch.cosine_similarity(a, b, 0) > 1 - 1e-9 for a, b in pairs)


def fraction_dropped(use):
    """With V = I the output is P after dropout: about half of it is 0."""
    case = drawn(32, 32, 4, dropout=(0.5, 7))
    o = output(use, case | {"v": torch.eye(32).double(), "do": torch.eye(32).double()})
    return bool(0.4 < (o == 0).double().mean() < 0.6)


def mean_weight(use):
    """Under dropout a row's weights sum to 1 on average: V = 1, 32 rows, 50 seeds."""
    case = DEFAULTS | same_for_all(drawn(32, 32, 4, block_rows=32, block_cols=32), v=1)
    means = [attend(use, case | {"dropout": (0.5, i)})[0].mean() for i in range(50)]
    return bool((torch.stack(means).mean() - 1).abs() < 0.05)


def dropout_linear(use):
    """The output is linear in V, so ⟨dO, O⟩ = ⟨dV, V⟩, under any one mask."""
    case = INPUTS["dropout"]()
    results = run(use, case)
    a, b = (case["do"] * results["o"]).sum(), (case["v"] * results["dv"]).sum()
    return bool((a - b).abs() < 1e-9)


def notices_a_difference(use):
    """The comparison says yes to equal results and no to an error of 0.1."""
    off = INPUTS["plainly_off"]()
    same = off | {"result": off["expected"]}
    return bool(run(use, off)["o"] == 0 and run(use, same)["o"] == 1)


def on(name, outputs=ALL, tolerance=1e-9):
    """A check that compares on one input."""
    return lambda use: agrees(use, name, outputs, tolerance)


CHECKS = {
    name: on(name)
    for name in (
        "odd",
        "one_dimension",
        "length_is_dimension",
        "one_tile",
        "whole_tiles",
        "rising",
        "falling",
        "causal",
        "causal_one_tile",
        "one_document",
        "one_group",
        "no_groups",
        "splits",
        "dropout_one_tile",
        "softcap",
        "softcap_open",
        "alibi_square",
        "listed_causal",
        "listed_alone",
        "listed_symmetric",
        "sink_one_tile",
        "sink_far_below",
    )
} | {
    "example": on("example", ("o",)),
    "odd_output": on("odd", ("o",)),
    "odd_gradients": on("odd", GRADIENTS),
    "one_tile_output": on("one_tile", ("o",)),
    "one_tile_gradients": on("one_tile", GRADIENTS),
    "one_key_gradients": on("one_key", GRADIENTS),
    "splits_output": on("splits", ("o",)),
    "equal_splits_output": on("equal_splits", ("o",)),
    "few_in_half": on("few_in_half", ALL, 1e-2),
    "close_to_a_hundredth": on("fine_in_single", ALL, 1e-2),
    "values_one": values_one,
    "causal_values_one": lambda use: values_one(use, "causal"),
    "softcap_output": on("softcap", ("o",)),
    "window_values_one": lambda use: values_one(use, "window"),
    "padded_values_one": lambda use: values_one(use, "padded"),
    "total_weight": total_weight,
    "no_error_is_large": no_error_is_large,
    "nothing_seen_is_zero": nothing_seen_is_zero,
    "future_values": lambda use: future_is_ignored(use, "v"),
    "future_inputs": lambda use: future_is_ignored(use, "kv"),
    "loss_falls": loss_falls,
    "directions": directions,
    "fraction_dropped": fraction_dropped,
    "mean_weight": mean_weight,
    "dropout_linear": dropout_linear,
    "notices_a_difference": notices_a_difference,
}
