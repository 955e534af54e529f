"""Random arguments for any function of floor 0, good and bad, by a parameter's name."""

import inspect
import random

from tilewise.trace.symbols import SYMBOLS

CAUSALS = [False, True, "top-left"]
WAYS = ["forward", "backward", "training"]
DTYPES = ["fp64", "fp32", "fp16", "bf16"]


def one_of(*values):
    return lambda draw, _: draw.choice(values)


def whole(least, most):
    return lambda draw, _: draw.randint(least, most)


def real(least, most):
    return lambda draw, _: draw.uniform(least, most)


def size(draw, _=None, most=300):
    """A size, often one that 2 P ranks can share, rarely one that cannot be."""
    if draw.random() < 0.03:
        return draw.choice([0, -3, 2.5, "4"])
    return draw.choice([draw.randint(1, most), 48 * draw.randint(1, 9)])


def number(draw, _):
    return draw.choice([draw.randint(0, 10**6), 10 ** draw.uniform(-9, 18)])


def matrix(draw, n, d):
    digits = draw.choice([0, 1, 9])
    return [[round(draw.gauss(0, 2), digits) for _ in range(d)] for _ in range(n)]


def row(draw, _):
    """Scores, with −∞ and equal ones among them."""
    kinds = [lambda: draw.gauss(0, 5), lambda: draw.randint(-3, 3), lambda: "-inf"]
    return [make() for make in draw.choices(kinds, (5, 3, 1), k=draw.randint(0, 9))]


def state(draw, given):
    """(m, ℓ) or (m, ℓ, o); the two of a call have the same form but rarely."""
    width = given["width"] + (draw.random() < 0.05)
    empty = draw.random() < 0.15
    o = [[0] * width if empty else matrix(draw, 1, width)[0]] if width else []
    return (["-inf", 0] if empty else [draw.gauss(0, 9), draw.uniform(0.1, 5)]) + o


def card(draw, _):
    x = {"bandwidth": draw.uniform(1e9, 1e13), "peak": draw.randint(10**9, 10**15)}
    x |= {"memory": draw.randint(1, 10**11), "sram": draw.randint(1, 10**6)}
    return x if draw.random() < 0.8 else dict.fromkeys(x) | {"sram": x["sram"]}


def together(draw):
    """What arguments of one call share: matrices that fit, rarely ones that do not."""
    n, n_k, d, d_v = (draw.randint(1, most) for most in (5, 5, 3, 3))
    made = {"q": matrix(draw, n, d), "k": matrix(draw, n_k, d)}
    made |= {"v": matrix(draw, n_k, d_v)}
    if draw.random() < 0.1:
        bad = draw.choice("qkv")
        made[bad] = draw.choice([[], [[]], made[bad] + [[1, 2, 3, 4]], [[1] * 7]])
    n += draw.random() < 0.05
    made |= {"o": matrix(draw, n, d_v), "do": matrix(draw, n, d_v)}
    made["m"] = [draw.gauss(3, 2) for _ in range(n)]
    made["l"] = [draw.choice([0, draw.uniform(0.5, 3)]) for _ in range(n)]
    kv_heads = draw.choice([1, 2, 3, 8])
    heads = kv_heads * draw.randint(1, 4) + (draw.random() < 0.05)
    width = draw.choice([0, 0, 1, 3])
    return made | {"heads": heads, "kv_heads": kv_heads, "width": width}


SIZES = "n d n_k n_q d_v block_rows block_cols sram embed_dim num_heads elements share"
MAKERS = dict.fromkeys(SIZES.split(), size) | {
    **dict.fromkeys(("xs",), row),
    **dict.fromkeys(("x", "count", "seconds", "intensity"), number),
    **{name: lambda draw, given, x=name: given[x] for name in together(random)},
    "attention": one_of("standard", "ours", "pytorch", "none"),
    "backward": one_of(False, True),
    "batch": size,
    "block_mask": one_of(None, [[True]], [[True, False]], [[False], [True]]),
    "capacity": whole(0, 900),
    "card": card,
    "causal": one_of(*CAUSALS, *CAUSALS, "no"),
    "dtype": one_of(*DTYPES, *DTYPES, "int8"),
    "exp": one_of("exp2"),
    "gpu": one_of("A100", "H100", "H200", "V100"),
    "index": one_of("", "1", "12", "3,12"),
    "key": one_of(*SYMBOLS, "o_new", "dq_add", "m_old", "x"),
    "link": real(1e9, 1e12),
    "order": one_of("kv-outer", "q-outer", "kv-outer", "both"),
    "peak": real(1e12, 1e15),
    "policy": one_of("none", "block", "apart", "o", "mlp", "half"),
    "registers": whole(0, 270),
    "room": whole(0, 10**6),
    "rule": one_of("paper", "kernels"),
    "scale": one_of(None, 1, 0.3),
    "shared": lambda draw, _: 1024 * draw.randint(-1, 240),
    "side": whole(0, 3),
    "sink": one_of(0, -2, 1.5),
    "softcap": one_of(None, 2, 5, 0),
    "size": one_of(1, 2, 4, 8),
    "step": whole(0, 4),
    "text": one_of("1.00 GiB", "80.0 B", "1,000 s", "7", "1.50", "nothing"),
    "threads": whole(0, 1100),
    "unit": one_of("FLOP/s", ""),
    "way": one_of(*WAYS),
    "window": one_of(None, [1, 0], [None, 2], [0, None], [2, 2], [-1, 0], [1]),
    "world": one_of(1, 2, 3, 4, 8),
}


def arguments(function, draw, own):
    """(args, how): what has no default, and each of the others now and then."""
    given, args, how = together(draw), [], {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.default is not parameter.empty and draw.random() < 0.5:
            continue
        value = {**MAKERS, **own}[name](draw, given)
        if parameter.kind is parameter.KEYWORD_ONLY or how:
            how[name] = value
        else:
            args.append(value)
    return args, how
