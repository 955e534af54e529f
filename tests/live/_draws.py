"""Random inputs, good and bad, of every public function of floor 0."""

import random

CAUSALS = [False, True, "top-left"]


def matrix(draw, n, d):
    return [
        [round(draw.gauss(0, 2), draw.choice([0, 1, 9])) for _ in range(d)]
        for _ in range(n)
    ]


def row(draw, most=9):
    """Scores, with −∞ and equal ones among them."""
    kinds = [lambda: draw.gauss(0, 5), lambda: draw.randint(-3, 3), lambda: "-inf"]
    weights = (5, 3, 1)
    picks = draw.choices(kinds, weights, k=draw.randint(0, most))
    return [pick() for pick in picks]


def state(draw, width=0):
    if draw.random() < 0.15:
        return ["-inf", 0] + ([[0] * width] if width else [])
    o = [[draw.gauss(0, 3) for _ in range(width)]] if width else []
    return [draw.gauss(0, 9), draw.uniform(0.1, 5)] + o


def attention(draw):
    """(q, k, v), rarely of sizes that do not fit."""
    n, n_k = draw.randint(1, 5), draw.randint(1, 5)
    d, d_v = draw.randint(1, 3), draw.randint(1, 3)
    made = [matrix(draw, n, d), matrix(draw, n_k, d), matrix(draw, n_k, d_v)]
    if draw.random() < 0.15:
        bad = draw.randrange(3)
        made[bad] = draw.choice([[], [[]], made[bad] + [[1, 2, 3, 4]], [[1] * 7]])
    return made


def tiled(draw):
    """([q, k, v, B_r, B_c], options) of a trace."""
    sizes = [draw.randint(1, 4) for _ in "rc"]
    if draw.random() < 0.1:
        sizes[draw.randrange(2)] = draw.choice([0, -1, 1.5, "2"])
    how = {"order": draw.choice(["kv-outer", "q-outer"])}
    how["scale"] = draw.choice([None, 1, 0.3])
    how["causal"] = draw.choice(CAUSALS)
    if draw.random() < 0.1:
        how |= draw.choice([{"order": "both"}, {"causal": "yes"}, {"causal": None}])
    return attention(draw) + sizes, how


def backward(draw):
    """The same with O, dO, m, ℓ between, which need not belong to a forward pass."""
    (q, k, v, *sizes), how = tiled(draw)
    n, d_v = len(q), len(v[0]) if v else 1
    n += draw.random() < 0.1
    o, do = matrix(draw, n, d_v), matrix(draw, n, d_v)
    m = [draw.gauss(3, 2) for _ in range(n)]
    l = [draw.choice([0, draw.uniform(0.5, 3)]) for _ in range(n)]
    return [q, k, v, o, do, m, l, *sizes], how


def size(draw, most=300):
    return (
        draw.choice([0, -3, 2.5, "4"])
        if draw.random() < 0.03
        else draw.randint(1, most)
    )


def counted(draw, blocks=True):
    """Sizes of a bill: n, d and, unless told, B_r and B_c; n_k and causal."""
    args = [size(draw) for _ in range(4 if blocks else 2)]
    how = {"causal": draw.choice([*CAUSALS, "no"])} if draw.random() < 0.7 else {}
    if draw.random() < 0.5:
        how["n_k"] = size(draw)
    return args, how


def cached(draw):
    args = [draw.randint(1, 40), draw.randint(1, 8), draw.randint(1, 9)]
    args.append(draw.randint(1, 9))
    how = {"order": draw.choice(["kv-outer", "q-outer", "kv-outer", "none"])}
    how |= {"heads": draw.randint(1, 3), "side": draw.randint(0, 3)}
    return args, how | {"capacity": draw.randint(0, 900)}


def seeded(name):
    return random.Random(f"floor 0, {name}")  # the same on every run
