"""What holds for the traces and the ledger, whatever the sizes, blocks and masks."""

import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from tilewise import ledger
from tilewise.trace import backward, forward

from .._oracle import brute, exp2
from ..plain.test_trace_backward_exact import brute as brute_backward
from ._draw import BLOCK, CAUSAL, ORDER, problems

SCALE = st.sampled_from([1, -1, 2])


def last(states):
    *_, state = states
    return state


def fractions(rows):
    return [[Fraction(x) for x in row] for row in rows]


@given(problems(), BLOCK, BLOCK, ORDER, CAUSAL, SCALE)
def test_forward_is_the_definition_exactly(qkv, rows, cols, order, causal, scale):
    how = {"scale": scale, "causal": causal, "exp": exp2}
    states = [*forward(*qkv, rows, cols, order=order, **how)]
    right = brute(*qkv, **how)
    if not states:  # no row sees a key, so there is no tile
        assert right == [[0] * len(qkv[2][0])] * len(qkv[0])
        return
    assert fractions(states[-1]["o"]) == fractions(right)
    for m, l, seen in zip(states[-1]["m"], states[-1]["l"], totals(*qkv, how)):
        assert l * exp2(m) == seen if seen else (m, l) == (-math.inf, 0)


def totals(q, k, v, how):
    """Σ_j e^{s_j} of each row: the output for values of 1 has it as its divisor."""
    found = []
    for r, q_r in enumerate(q):
        past = {False: len(k), True: r + len(k) - len(q) + 1, "top-left": r + 1}
        keys = k[: max(0, past[how["causal"]])]
        dots = [how["scale"] * sum(a * b for a, b in zip(q_r, x)) for x in keys]
        found.append(sum(map(exp2, dots)))
    return found


@given(problems(gradient=True), BLOCK, BLOCK, ORDER, CAUSAL, SCALE)
def test_backward_is_the_definition_exactly(given_, rows, cols, order, causal, scale):
    q, k, v, do = given_
    how = {"scale": scale, "causal": causal, "exp": exp2}
    states = [*forward(q, k, v, 1, 1, **how)]
    if not states:
        return
    o, m, l = (states[-1][name] for name in ("o", "m", "l"))
    found = last(backward(q, k, v, o, do, m, l, rows, cols, order=order, **how))
    for name, right in zip(
        ("dq", "dk", "dv"), brute_backward(q, k, v, do, *how.values())
    ):
        assert fractions(found[name]) == fractions(right), name


def moved(q, k, v, rows, cols, order, causal):
    """Elements that a trace loads and stores, by name, its scores, and hidden keys."""
    d, hidden, scores = len(q[0]), {*range(len(k))}, 0
    load, store = (dict.fromkeys("qkvolm", 0) for _ in range(2))
    for t in forward(q, k, v, rows, cols, order=order, causal=causal):
        r, c = (t[x][1] - t[x][0] for x in ("rows", "cols"))
        size = {"q": r * d, "o": r * d, "k": c * d, "v": c * d, "l": r, "m": r}
        for kind, total in (("load", load), ("store", store)):
            for name in t[kind]:
                total[name] += size[name]
        scores += r * c
        hidden -= {*range(*t["cols"])}
    return load, store, scores, len(hidden)


@given(problems(), BLOCK, BLOCK, CAUSAL)
def test_the_ledger_counts_what_the_trace_moves(qkv, rows, cols, causal):
    """FA1 writes the state once before, and reads keys that no row sees as well.

    FA2 reads Q, and writes O and L, once a row, also of rows that see no key.
    """
    q, k, v = qkv
    n, d, how = len(q), len(q[0]), {"n_k": len(k), "causal": causal}
    v = [(row * d)[:d] for row in v]  # the ledger has one d
    load, store, scores, hidden = moved(q, k, v, rows, cols, "kv-outer", causal)
    said = ledger.flash1_forward(n, d, rows, cols, **how)
    assert said["reads"] == sum(load.values()) + 2 * d * hidden
    assert said["writes"] == n * (d + 2) + sum(store.values())
    assert said["flops"] == 4 * scores * d
    load, _, scores, _ = moved(q, k, v, rows, cols, "q-outer", causal)
    said = ledger.flash2_forward(n, d, rows, cols, **how)
    assert said["reads"] == n * d + load["k"] + load["v"]
    assert said["writes"] == n * d + n
    assert said["flops"] == 4 * scores * d


@given(st.integers(1, 10**7), st.integers(1, 4096))
def test_blocks_fill_on_chip_memory(sram, d):
    """B_c is the least whole number with 4 d B_c ≥ M, and B_r at most d."""
    rows, cols = ledger.block_sizes(sram, d)
    assert 4 * d * (cols - 1) < sram <= 4 * d * cols and rows == min(cols, d)
