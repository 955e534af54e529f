"""Which keys a tile's rows may see in a case, and the scores that this leaves."""

import torch


def seen_in(use, case, rows, cols, first=0):
    """Which keys the rows may see, (B_r, B_c), by all masks of the case."""
    n_q, room = case["q"].shape[-2], case["k"].shape[-2]
    n_k = use["own_keys"](room, case["length"])
    cols = use["place"](cols, first)
    seen = torch.ones(len(rows), len(cols), dtype=torch.bool)
    if case["causal"]:
        seen = seen & use["causal"](rows, cols, n_q, n_k)
    if case["window"] is not None:  # and at most so many keys back
        seen = seen & use["window"](rows, cols, n_q, n_k, case["window"])
    if case["length"] is not None:
        seen = seen & use["padding"](cols, case["length"], room)
    if case["documents"] is not None:
        seen = seen & use["documents"](rows, cols, case["documents"])
    if case["tiles"] is not None:
        seen = use["within"](use["listed"](rows, cols, *case["tiles"]), seen)
    return seen


def hidden(use, case, x, seen, rows, cols):
    """The scores of a tile from x = τ q·k: softcap, bias and mask, as the case says."""
    cap, bias = case["cap"], case["slope"]
    if cap is None and bias is None:
        return use["hide"](x, seen)
    if bias is not None:
        n_q, n_k = case["q"].shape[-2], case["k"].shape[-2]
        bias = use["alibi"](rows, cols, n_q, n_k, bias)
    return use["in_order"](x, seen, cap, bias)
