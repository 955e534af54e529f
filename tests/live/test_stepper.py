"""The stepper's film against the trace, the ledger and exact fractions."""

import json
import math
from fractions import Fraction

from tilewise import ledger, worked_example
from tilewise.live import frames, stepper
from tilewise.render import parts
from tilewise.trace import backward, forward

from ._films import (
    NAMES,
    PASSES,
    RESULTS,
    RULES,
    SHAPES,
    asked,
    over,
    plain,
    play,
    trace,
)


@over(shape=SHAPES, order=stepper.ORDERS, causal=stepper.MASKS, way=PASSES, rule=RULES)
def test_every_number_is_the_trace_s(shape, order, causal, way, rule):
    request = asked(shape, order=order, causal=causal, **{"pass": way}, **rule)
    film, states = stepper.film(request), trace(request)
    count = len(frames.PHASES[way]) + 3
    assert len(film["steps"]) == count * len(states)
    for t, (step, sram, hbm) in enumerate(play(film)):
        state = states[t // count]
        assert (step["i"], step["j"]) == (state["i"], state["j"])
        for name, made in step.get("put", {}).items():
            key = NAMES.get(name, name)
            if step["phase"] in ("kv", "q"):
                key = frames.key_of(state, name)
            elif name in RESULTS[way]:
                key = name + "_new"
            want = state[key] if name != "lse" else sums(state)
            assert plain(made) == want, (step["phase"], name)
        if step["phase"] != "store":
            continue
        for name in there(film, state["store"]):
            want = state[name + "_new"] if name != "lse" else sums(state)
            assert plain(hbm[name])[slice(*place(state, name))] == want
        assert set(sram) >= {"q", "k", "v", "s"}
    states[-1]["lse"] = sums(states[-1], "")
    for name in there(film, RESULTS[way]):
        kept = [x is None for x in hbm[name]]
        assert [x for x in plain(hbm[name]) if x is not None] == [
            x for x, none in zip(states[-1][name], kept, strict=True) if not none
        ]


def sums(state, which="_new"):
    """L = m + ln ℓ; of a row that sees nothing −∞."""
    pairs = zip(state["m" + which], state["l" + which], strict=True)
    return [m + (math.log(x) if x else 0) for m, x in pairs]


def there(film, names):
    """What the film has in HBM where a trace has these: L in place of ℓ and m."""
    if "lse" not in film["hbm"]:
        return names
    return [x for x in names if x == "o"] + ["lse"] * ("m" in names)


def place(state, name):
    return state["cols" if name in ("dk", "dv") else "rows"]


@over(shape=SHAPES, order=stepper.ORDERS, causal=stepper.MASKS, way=PASSES)
def test_counts_are_the_trace_s(shape, order, causal, way):
    request = asked(shape, order=order, causal=causal, **{"pass": way})
    film, states = stepper.film(request), trace(request)
    loaded, stored = parts.traffic(states)
    if "lse" in film["hbm"]:  # one number a row where the trace stores two
        stored -= len({r for state in states for r in range(*state["rows"])})
    last = film["steps"][-1]
    assert (last["loaded"], last["stored"]) == (loaded, stored + film["first"])


@over(shape=SHAPES, causal=stepper.MASKS, way=PASSES)
def test_counts_are_the_ledger_s(shape, causal, way):
    """Keys outside; the ledger also counts K, V, dK, dV of keys that no query sees."""
    n, n_k, d, _, *blocks = shape
    shape = (n, n_k, d, d, *blocks)
    film = stepper.film(asked(shape, causal=causal, **{"pass": way}))
    bill = {"forward": ledger.flash1_forward, "backward": ledger.flash1_backward}[way]
    found = bill(n, d, *blocks, n_k=n_k, **stepper.MASKS[causal])
    seen = {step["j"] for step in film["steps"]}
    unseen = n_k - sum(min(blocks[1], n_k - j * blocks[1]) for j in seen)
    more = 2 * d * unseen
    last = film["steps"][-1]
    assert last["loaded"] == found["reads"] - more
    assert last["stored"] == found["writes"] - (more if way == "backward" else 0)


@over(shape=SHAPES)
def test_queries_outside_are_fa2(shape):
    n, n_k, d, _, *blocks = shape
    film = stepper.film(asked((n, n_k, d, d, *blocks), order="q-outer"))
    bill = ledger.flash2_forward(n, d, *blocks, n_k=n_k)
    last = film["steps"][-1]
    assert last["loaded"] == bill["reads"]
    assert last["stored"] == bill["writes"]


@over(order=stepper.ORDERS, way=PASSES)
def test_the_example_is_exact(order, way):
    film = stepper.film({"order": order, "pass": way})
    exact = {"scale": 1, "exp": lambda x: Fraction(2) ** x}
    example = [getattr(worked_example, x) for x in "QKV"]
    states = list(forward(*example, 2, 2, order=order, **exact))
    if way == "backward":
        end = states[-1]
        saved = end["o"], worked_example.DO, end["m"], end["l"]
        states = list(backward(*example, *saved, 2, 2, order=order, **exact))
    *_, (_, _, hbm) = play(film)
    for name in there(film, RESULTS[way]):
        if name != "lse":
            assert hbm[name] == texts(states[-1][name])


def texts(x):
    return [texts(y) for y in x] if isinstance(x, list) else str(x).replace("-", "−")


def test_a_formula_has_the_numbers_of_its_step():
    film = stepper.film({})
    first = {step["phase"]: step for step in reversed(film["steps"])}
    assert first["merge"]["lines"][1][0] == "m_{2}^{new}/τ = max(−∞, 1) = 1"
    assert first["s"]["lines"][0][0] == "S_{11}/τ = (−1) · 1 + (−1) · 0 = −1"
    assert first["o"]["lines"][0][1].endswith("= 9/2")
    back = stepper.film({"pass": "backward", "scale": "0.5"})
    lines = {step["phase"]: step["lines"] for step in back["steps"] if "lines" in step}
    assert lines["s"][0][0] == "S_{33} = τ (0 · 0 + 1 · 2) = 1"
    assert lines["delta"][0][0].startswith("δ_{3} = 1 · ")


@over(way=PASSES, causal=stepper.MASKS, order=stepper.ORDERS)
def test_formulas_say_what_the_film_shows(way, causal, order):
    """The number after the last = of each line stands in what the step puts."""
    more = {"pass": way, "order": order, "sink": "0"}
    film = stepper.film(asked(SHAPES[1], scale="ln 2", causal=causal, **more))
    assert film["exact"]
    for step in film["steps"]:
        shown = {str(x) for rows in step.get("put", {}).values() for x in flat(rows)}
        for line in flat(step.get("lines", [])):
            if not line.startswith("(P̃V)"):
                assert line.rpartition(" = ")[2] in shown, (step["phase"], line)


def flat(x):
    return [z for y in x for z in flat(y)] if isinstance(x, list) else [x]


@over(shape=SHAPES, order=stepper.ORDERS, way=PASSES)
def test_what_stays_is_not_put_again_and_what_goes_is_dropped(shape, order, way):
    film, sram = stepper.film(asked(shape, order=order, **{"pass": way})), set()
    for step in film["steps"]:
        sram -= set(step.get("drop", []))
        put = set(step.get("put", {}))
        if step["phase"] in ("kv", "q"):
            assert not put & sram and put >= set(step.get("load", {}))
            assert sram | put >= set(frames.GROUPS[way][step["phase"]])
        sram |= put
    assert sram >= {"k", "v", "q"}


def test_rounding_errors_do_not_show_where_numbers_are_exact():
    equal = {"v": [[0.7, 0.1]] * 4, "do": [[1, 1]] * 4}  # so that dP − δ is 0
    film = stepper.film({"pass": "backward"} | equal)
    shown = [step["put"]["ds"] for step in film["steps"] if step["phase"] == "ds"]
    assert set(flat(shown)) == {"0"}
    sums = {"v": [[-1, 0.7], [1, 0.1], [0, 0.1], [0, 0]]}  # where dQ is 0 in between
    sums |= {"do": [[1, 0.3], [1, 2], [0.1, 2], [0, 0.1]]}
    film = stepper.film({"pass": "backward"} | sums)
    assert "e−" not in json.dumps(film["steps"], ensure_ascii=False)


def test_every_name_of_the_exact_scale():
    for name in ("ln2", "ln 2", "log2", "log(2)", "LN(2)"):
        film = stepper.film({"scale": name})
        assert film["exact"] and film["scale"] == math.log(2)
    assert not stepper.film({"scale": "0.5"})["exact"]
