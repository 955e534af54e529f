"""Random calls of the modules that bill a whole layer: draw → (args, how)."""

from tilewise.trace.symbols import SYMBOLS

from ._draws import CAUSALS, size

WAYS = ("forward", "backward", "training")
NAMES = ("standard", "flash1", "flash2")
SIZES = ("n", "d", "n_k", "heads", "kv_heads")


def shape(draw):
    """n, d, n_k, heads, kv_heads."""
    heads = draw.choice([1, 2, 6, 32])
    return [draw.randint(1, 9999) for _ in "abc"] + [heads, draw.choice([1, heads])]


def card(draw):
    known = draw.random() < 0.8
    found = {"bandwidth": draw.uniform(1e9, 1e13), "peak": draw.randint(10**9, 10**15)}
    found |= {"memory": draw.randint(1, 10**11)}
    return {"sram": draw.randint(1, 10**6)} | {
        key: x if known else None for key, x in found.items()
    }


def named(draw):
    return draw.choice(NAMES)


def way(draw):
    return draw.choice(WAYS)


def one_pass(draw):
    return draw.choice(WAYS[:2])


def causal(draw):
    return draw.choice(CAUSALS)


def number(draw):
    return draw.choice([draw.randint(0, 10**6), 10 ** draw.uniform(-9, 18)])


def bytes_of(draw):
    return draw.randint(0, 10 ** draw.randint(1, 25))


def gpu(draw):
    return draw.choice(["A100", "H100", "H200", "V100"])


def dtype(draw):
    return draw.choice(["fp64", "fp32", "fp16", "int8"])


def key(draw):
    """A key of a tile's dict, or of none; an index."""
    return [draw.choice([*SYMBOLS, "o_new", "dq_add", "m_old", "x"])], {}


def key_and_index(draw):
    keys, _ = key(draw)
    return [*keys, draw.choice(["", "1", "12", "3,12"])], {}


def word(draw):
    return draw.choice(["1.00 GiB", "80.0 B", "1,000 s", "7", "1.50", "nothing"])


def tile(draw):
    return [draw.randint(1, 300), draw.randint(1, 300)]


def blocks(draw):
    return {x: tile(draw) for x in WAYS[:2]}


def billed(draw):
    layer = dict(zip(SIZES, shape(draw)))
    how = {"blocks": blocks(draw), "size": draw.choice([2, 4, 8])}
    return [named(draw), way(draw), layer, card(draw)], how | {"causal": causal(draw)}


def picked(draw):
    own = draw.choice([(None, None), (8, None), (None, 16), (8, 16)])
    sizes = [draw.randint(1, 300), draw.randint(1, 10**6), 2, causal(draw)]
    return [own, draw.choice(["paper", "kernels"]), one_pass(draw), *sizes], {}


def counted(draw):
    sizes = [size(draw, 999), size(draw), tile(draw), size(draw), causal(draw)]
    return [named(draw), one_pass(draw), *sizes], {}


def longest(draw):
    sizes = [draw.randint(1, 300), *shape(draw)[3:], draw.randint(0, 10**12)]
    return [named(draw), way(draw), *sizes], {}


def accounted(draw):
    how = {"way": way(draw), "rule": draw.choice(["paper", "kernels"])}
    how |= {"heads": draw.randint(1, 9), "kv_heads": draw.choice([None, 1, 3])}
    how |= {"causal": causal(draw), "dtype": draw.choice(["fp32", "bf16", "fp8"])}
    if draw.random() < 0.3:
        how |= {"block_rows": size(draw), "n_k": size(draw), "batch": size(draw)}
    return [size(draw, 9999), size(draw), card(draw)], how


def plain(*makers):
    return lambda draw: ([make(draw) for make in makers], {})


def small(draw):
    return draw.randint(0, 60)


def some(draw):
    return draw.randint(1, 60)


LAYER = {
    "ledger.tiles": {
        "floor_sum": plain(small, small, small, some),
        "visits": plain(some, some, some, some, causal),
        "kernel_tiles": lambda draw: (
            [draw.randint(1, 300), one_pass(draw)],
            {"causal": draw.random() < 0.5, "room": draw.choice([1, 10**6])},
        ),
    },
    "trace.symbols": {
        "symbol": key,
        "colour": key,
        "in_units": key,
        "pieces": key,
        "subscript": key,
        "plain": key_and_index,
        "braced": key,
        "html": key_and_index,
        "latex": key_and_index,
    },
    "ledger.costs": {
        "once": lambda draw: ([named(draw), one_pass(draw), *shape(draw)], {}),
        "resident": lambda draw: ([named(draw), way(draw), *shape(draw)], {}),
        "kept": lambda draw: ([named(draw), *shape(draw)], {}),
        "longest": longest,
        "bill": billed,
        "count": counted,
        "bound": plain(lambda draw: bytes_of(draw) + 1, bytes_of, number, some),
    },
    "ledger.layer": {
        "card": plain(gpu, dtype),
        "tiles": lambda draw: (
            [draw.choice(["paper", "kernels"]), one_pass(draw), draw.randint(1, 300)]
            + [draw.randint(1, 10**6), 2, causal(draw)],
            {},
        ),
        "pick": picked,
        "break_even": lambda draw: ([way(draw), *[size(draw) for _ in "abc"]], {}),
        "account": accounted,
        "grid": plain(some, some, blocks, one_pass),
    },
    "ledger.units": {
        "whole": plain(number),
        "three": plain(number),
        "size": plain(bytes_of),
        "binary": plain(bytes_of),
        "time": plain(number),
        "plain": plain(word),
        "si": lambda draw: ([number(draw), draw.choice(["FLOP/s", ""])], {}),
    },
}
