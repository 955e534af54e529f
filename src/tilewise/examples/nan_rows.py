import torch

from tilewise.pitfalls import named, pieces, use
from tilewise.pitfalls.assembled import assemble, run
from tilewise.pitfalls.inputs import INPUTS


def no_diagonal_in_any_tile(rows, cols, n_q, n_k):
    """By local indices, and < where ≤ is meant."""
    return torch.ones(len(rows), len(cols)).tril(-1).bool()


unguarded = named("unguarded_maximum")
both = assemble(no_diagonal_in_any_tile, pieces.causal, {"step": unguarded.wrong})

for what, used, case in (
    ("m from +inf", use(named("maximum_from_infinity")), "causal"),
    ("hidden is +inf", use(named("plus_infinity")), "causal"),
    ("rows see no key", use(unguarded), "causal_shorter"),
    ("sliding window", use(unguarded), "window"),
    ("no diagonal", both, "causal"),
    ("no maximum", use(named("maximum_left_out")), "huge"),
    ("fp16 sums", use(named("sums_in_input_dtype")), "many_in_half"),
    ("fp16 scores", use(named("sums_in_input_dtype")), "large_in_half"),
    ("L = -inf", use(named("unguarded_again")), "causal_shorter"),
):
    result = run(used, INPUTS[case]())
    rows = "".join(".N"[x] for x in result["o"][0].isnan().any(-1))  # N for NaN
    grads = [x for x in ("dq", "dk", "dv") if result[x].isnan().any()]
    print(f"{what:16} {rows:13}", *grads)
