"""The machine's three methods: standard attention, and tiles in both loop orders."""

import math

from tilewise import ledger, worked_example
from tilewise.live import stepper

from ._films import PASSES, RULES, SHAPES, asked, over, plain, play

METHODS = ("standard", *stepper.ORDERS)
LEDGER = {
    "forward": (ledger.standard_forward, ledger.flash1_forward, ledger.flash2_forward),
    "backward": (ledger.standard_backward, ledger.flash1_backward),
}


def formula(request, causal):
    """S, P and O of the definition, in plain float64."""
    q, k, v = (request[x] for x in "qkv")
    last = len(k) - len(q)
    shift = {"bottom-right": last, "top-left": 0, "window": last}.get(causal, len(k))
    first = last - 1 if causal == "window" else -len(q)
    s, p, o = [], [], []
    for r, row in enumerate(q):
        dots = [sum(a * b for a, b in zip(row, x, strict=True)) for x in k]
        dots = [x / math.sqrt(len(row)) for x in dots]
        if "softcap" in request:
            cap = float(request["softcap"])
            dots = [cap * math.tanh(x / cap) for x in dots]
        seen = range(r + first, r + shift + 1)
        s.append([x if c in seen else -math.inf for c, x in enumerate(dots)])
        powers = [math.exp(x) for x in s[-1]]
        sink = math.exp(float(request["sink"])) if "sink" in request else 0
        p.append([x / (sum(powers) + sink or 1) for x in powers])
        columns = zip(*v, strict=True)
        o.append([sum(a * b for a, b in zip(p[-1], x, strict=True)) for x in columns])
    return {"s": s, "p": p, "o": o}


def near(found, wanted):
    pairs = zip(sum(plain(found), []), sum(wanted, []), strict=True)
    return all(a == b or abs(a - b) < 1e-14 * (1 + abs(b)) for a, b in pairs)


@over(shape=SHAPES, causal=stepper.MASKS, rule=RULES)
def test_standard_attention_is_the_formula_and_moves_what_the_ledger_says(
    shape, causal, rule
):
    n, n_k, d, *_ = shape
    shape = (n, n_k, d, d, *shape[4:])
    request = asked(shape, order="standard", causal=causal, **rule)
    film = stepper.film(request)
    *_, (last, _, hbm) = play(film)
    wanted = formula(request, causal)
    assert all(near(hbm[name], wanted[name]) for name in wanted)
    bill = ledger.standard_forward(n, d, n_k=n_k)
    assert (last["loaded"], last["stored"]) == (bill["reads"], bill["writes"])


def test_the_formulas_of_standard_attention_end_in_what_the_film_shows():
    film = stepper.film({"order": "standard"})
    for step in film["steps"]:
        shown = {
            x for rows in step.get("put", {}).values() for row in rows for x in row
        }
        sums = [x for lines in step.get("lines", []) for x in lines]
        for line in sums:
            if line[0] not in "mℓ":
                assert line.rpartition(" = ")[2] in shown, line
    rule = {"order": "standard", "sink": "1", "scale": "1"}
    lines = stepper.film(rule)["steps"][8]["lines"][0]
    assert lines[0] == "m_{1} = max(−1, −1, −2, 0, 1) = 1"
    assert lines[1].endswith(" + e^{0 − 1} + e^{1 − 1} = 1.688")
    assert film["steps"][8]["lines"][0][2] == "P_{11} = 2^{−1 − 0} / (9/4) = 2/9"
    *_, (_, _, hbm) = play(film)
    assert hbm["o"] == [
        [str(x).replace("-", "−") for x in row] for row in worked_example.O
    ]


@over(shape=SHAPES, causal=stepper.MASKS, way=PASSES)
def test_the_counts_of_all_methods_are_what_their_films_move(shape, causal, way):
    request = asked(shape, causal=causal, **{"pass": way})
    for order in METHODS if way == "forward" else stepper.ORDERS:
        film = stepper.film(request | {"order": order})
        last, counts = film["steps"][-1], film["counts"]
        assert counts[order]["all"] == last["loaded"] + last["stored"]
        moved = dict.fromkeys((x for x, _ in counts[order]["parts"]), 0)
        for step in film["steps"]:
            for way_of in ("load", "store"):
                for name, n in step.get(way_of, {}).items():
                    moved[name] += n
        start = film["first"]
        assert sum(n - moved[x] for x, n in counts[order]["parts"]) == start


@over(shape=SHAPES, way=PASSES)
def test_the_counts_are_the_ledger_s(shape, way):
    n, n_k, d, _, *blocks = shape
    request = asked((n, n_k, d, d, *blocks), **{"pass": way})
    counts = stepper.film(request)["counts"]
    for method, bill in zip(METHODS, LEDGER[way], strict=False):
        sizes = () if method == "standard" else blocks
        found = bill(n, d, *sizes, n_k=n_k)
        assert counts[method]["all"] == found["reads"] + found["writes"], method
        parts = counts[method]["parts"]
        assert counts[method]["all"] == sum(x for _, x in parts)
        assert 0 < counts[method]["why"] <= counts[method]["all"]


@over(shape=SHAPES, way=PASSES, order=stepper.ORDERS)
def test_the_chip_never_holds_more_than_the_ledger_says(shape, way, order):
    n, n_k, d, _, *blocks = shape
    film = stepper.film(asked((n, n_k, d, d, *blocks), order=order, **{"pass": way}))
    bill = {"forward": ledger.flash1_forward, "backward": ledger.flash1_backward}[way]
    assert film["room"] == bill(n, d, *blocks, n_k=n_k)["sram"]
    assert film["room"] == max(step["held"] for step in film["steps"])


def test_the_numbers_of_the_page():
    counts = stepper.film({})["counts"]
    assert [counts[x]["all"] for x in METHODS] == [96, 112, 52]
    assert [counts[x]["why"] for x in METHODS] == [64, 80, 32]
    counts = stepper.film({"pass": "backward"})["counts"]
    assert [counts[x]["all"] for x in METHODS] == [176, 152, 160]


def test_a_size_repeats_the_rows_that_are_there():
    film = stepper.film({"n": "6", "pass": "backward"})
    wanted = {x: getattr(worked_example, x.upper()) for x in ("q", "k", "v", "do")}
    assert film["inputs"] == {x: rows + rows[:2] for x, rows in wanted.items()}
    assert (film["n"], film["n_k"]) == (6, 6)
    fewer = stepper.film({"n": "3", "order": "standard"})
    assert fewer["inputs"]["k"] == worked_example.K[:3]
    assert "inputs" not in stepper.film({})
    assert len(stepper.film({"n": "16"})["steps"]) == 7 * 64


def test_a_softcap_and_a_sink_are_in_the_formulas():
    rule = {"scale": "0.5", "softcap": "1.5", "sink": "0.5"}
    film = stepper.film({"order": "q-outer"} | rule)
    assert film["general"]["s"] == ["S_{ij} = c tanh(τ Q_{i} K_{j}^{⊤} / c)"]
    lines = {x["phase"]: x["lines"] for x in reversed(film["steps"]) if "lines" in x}
    one = 1.5 * math.tanh(-0.5 / 1.5)
    text = "S_{11} = 1.5 tanh(τ ((−1) · 1 + (−1) · 0) / 1.5) = −0.4823"
    assert lines["s"][0][0] == text and f"{one:.4g}" == "-0.4823"
    assert lines["merge"][0][0] == "m_{1}^{new} = max(0.5, −0.4823) = 0.5"
    assert not stepper.film({"sink": "1"})["exact"]
    assert not stepper.film({"softcap": "1"})["exact"]
    back = stepper.film({"pass": "backward"} | rule)
    lines = {x["phase"]: x["lines"] for x in reversed(back["steps"]) if "lines" in x}
    assert "· (1 − (−0.4823 / 1.5)^{2}) = " in lines["ds"][0][0]
    assert back["general"]["ds"][0].endswith("∘ (1 − (S_{ij} / c)^{2})")
