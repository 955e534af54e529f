"""One maker of random calls for each public function of floor 0: draw → (args, how)."""

from tilewise import trace
from tilewise.live.reading import safe

from ._draws import attention, backward, cached, counted, matrix, size, state, tiled

ORDERS = ["kv-outer", "q-outer"]
GPUS = ["A100", "H100", "H200", "V100"]


def merged(draw):
    width = draw.choice([0, 0, 1, 3])
    other = width + 1 if draw.random() < 0.1 else width
    return [state(draw, width), state(draw, other)], {}


def attended(draw):
    width = draw.randint(1, 3)
    value = [draw.gauss(0, 1) for _ in range(width)]
    score = "-inf" if draw.random() < 0.2 else draw.gauss(0, 4)
    return [[*state(draw, width)], score, value], {}


def one_row(draw):
    q, k, v = attention(draw)
    k = matrix(draw, len(v), len(k[0])) if k and draw.random() < 0.9 else k
    return [q[0] if q else [], k, v], {"scale": draw.choice([None, 0.5])}


def moved(draw):
    tile = [draw.randint(0, 2), draw.randint(0, 2)]
    near = [draw.choice([None, [draw.randint(0, 2), draw.randint(0, 2)]]) for _ in "ab"]
    return [draw.choice(ORDERS), near[0], tile, near[1]], {}


def good(draw, make):
    """A call that floor 0 accepts."""
    while True:
        args, how = make(draw)
        try:
            trace.check(*args[:3], *args[-2:])
            list(trace.forward(*args[:3], *args[-2:], **how))
            if make is backward:
                list(trace.backward(*args, **how))
            return args, how
        except ValueError:
            continue


def only(make):
    return lambda draw: good(draw, make)


def exact(make):
    """Now and then in base 2: with an exp of one's own."""

    def made(draw):
        args, how = make(draw)
        return args, how | ({"exp": "exp2"} if draw.random() < 0.3 else {})

    return made


def scanned(make, single, name=""):
    """The grid of a call, and the state that its scan (or one step) begins with."""

    def made(draw):
        args, how = good(draw, make)
        grid = list(getattr(trace, f"tiles{name}")(*args, **how))
        at = 0 if name else 2
        begin = args[:3] if name else [args[0], args[at]]
        start = getattr(trace, f"start{name}")(*begin)
        return safe([start, grid[0]] if single else [grid, start]) if grid else [[], {}]

    return lambda draw: (made(draw), {})


def scored(draw):
    while not (grid := list(trace.tiles(*(call := good(draw, tiled))[0], **call[1]))):
        continue
    return [safe(draw.choice(grid))], {}


def streamed(draw):
    tiles = [f"tile {n}" for n in range(6)]
    events = [
        [draw.choice(tiles), draw.randint(1, 30), draw.random() < 0.4]
        for _ in range(draw.randint(0, 40))
    ]
    return [events, draw.randint(0, 90)], {}


def marched(draw):
    event = [["k", draw.randint(0, 3)], draw.randint(1, 9), draw.random() < 0.5]
    one = [[event] * draw.randint(0, 4) for _ in range(draw.randint(1, 4))]
    return [one, draw.randint(1, 3), draw.randint(1, 5)], {}


def evented(draw):
    rows, cols = [[0, 2], [2, 3]], [[0, 4], [4, 8], [8, 9]]
    pairs = [
        [draw.randint(0, 1), draw.randint(0, 2)] for _ in range(draw.randint(0, 6))
    ]
    return [pairs, rows, cols, draw.randint(1, 9), draw.choice(ORDERS)], {}


def described(draw):
    number = {
        "value": draw.randint(1, 999),
        "source": "x",
        "kind": "stated",
        "note": "",
    }
    levels = {"registers": {"per_sm": number}, "shared": {"per_sm": number}}
    return ["GPU", number, number, number, number, number, levels], {}


def checked(draw):
    (q, k, v, *sizes), how = tiled(draw)
    return [q, k, v, *sizes, how["order"], how["causal"]], {}


def checked_backward(draw):
    (q, _, v, o, do, m, l, *_), _ = backward(draw)
    v = v if v and v[0] else [[1.0]]
    return [q, v, {"o": o, "do": do}, {"m": m, "l": l}], {}


def plain(*makers):
    """Arguments made one by one."""
    return lambda draw: ([make(draw) for make in makers], {})


def number(draw):
    return draw.choice([draw.gauss(0, 300), draw.randint(-9, 9), "-inf"])


def finite(draw):
    return draw.choice([draw.gauss(0, 300), draw.randint(-9, 9)])


def vector(draw):
    return [draw.gauss(0, 2) for _ in range(3)]


def square(draw):
    return matrix(draw, 3, 3)


def text(draw):
    return draw.choice(["", "fa3", "H200: 每时钟"])


def gpu(draw):
    return draw.choice(GPUS)


def block(draw):
    sizes = draw.randint(0, 1100), draw.randint(0, 270), 1024 * draw.randint(-1, 240)
    return [gpu(draw), *sizes], {}


def keys(draw):
    causal = draw.choice([False, True, "top-left", "no", None])
    return [size(draw), draw.choice([None, size(draw)]), causal], {}


def sized(draw):
    return [size(draw), draw.choice(["fp64", "fp32", "bf16", "fp16", "fp8"])], {}


def saved(draw):
    args, how = counted(draw, False)
    return args, {key: value for key, value in how.items() if key == "n_k"}


def programmed(draw):
    args, how = cached(draw)
    return args + [draw.choice(ORDERS)], {}


def whole(draw):
    return draw.randint(1, 60)


def powered(draw):
    return [draw.choice([draw.randint(-30, 30), 2.0])], {}
